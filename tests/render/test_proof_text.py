"""A proof in words."""

from __future__ import annotations

from dataclasses import replace

import pytest

from radixviz.proof import AnswerCheck, FirstToken, Memory, Proof, Split
from radixviz.render.proof_text import memory_line, proof_text, verdict

PROOF = Proof(
    model="tiny",
    device="cpu",
    dtype="float32",
    threads=1,
    answer=AnswerCheck(46, 45, 16, 9.5e-6, True, True, 3.33, 6.8),
    prompt_tokens=1000,
    first_tokens=(
        FirstToken(0.0, 0, 80.0, 1.0, 1.0, 0, 0, Split(0.5, 0.0, 79.5)),
        FirstToken(0.9, 900, 12.0, 0.15, 0.125, 4_200_000_000, 2_764_800, Split(0.3, 1.1, 10.6)),
    ),
    memory=Memory(3_078_144, 390_000_000, 395_000_000),
)
ENGLISH = """\
tiny, float32, cpu, 1 thread; times for a prompt of 1000 tokens
The same answer: all 16 tokens are those of a full recompute, and no logit is off by more than 9.5 × 10⁻⁶. With \
wrong positions one would be off by 3.3.

hit  reused  first token ms  of full  bound  × bound  match ms  gather ms  forward ms  GFLOP saved  KV MB saved
 0%       0            80.0    1.000  1.000     1.00       0.5        0.0        79.5          0.0          0.0
90%     900            12.0    0.150  0.125     1.20       0.3        1.1        10.6          4.2          2.8

Memory: the pool's tensor has 3.1 MB; the process had 390.0 MB in memory before it, 395.0 MB after."""
CHINESE_TABLE = """\
命中  复用  首 token 毫秒  占全量   下限  × 下限  匹配毫秒  收集毫秒  前向毫秒  省 GFLOP  省 KV MB
  0%     0           80.0   1.000  1.000    1.00       0.5       0.0      79.5       0.0       0.0
 90%   900           12.0   0.150  0.125    1.20       0.3       1.1      10.6       4.2       2.8
"""


def test_the_whole_text_is_a_sentence_a_table_and_the_memory() -> None:
    """What was measured on, whether the answer is the same, the times and the bytes."""
    assert proof_text(PROOF, "en") == ENGLISH


def test_chinese_columns_are_aligned() -> None:
    """A wide character takes two columns."""
    assert CHINESE_TABLE in proof_text(PROOF, "zh")


@pytest.mark.parametrize(
    ("dtype", "equal", "english", "chinese"),
    [
        ("float32", True, "The same answer:", "回答一样："),
        ("float32", False, "Not the same answer:", "回答不一样："),
        ("bfloat16", True, "In bfloat16 no two runs are claimed to be identical", "在 bfloat16 下不声称"),
        ("bfloat16", False, "so that of 16 tokens one differs", "中有不同的"),
    ],
)
def test_only_float32_is_called_the_same(dtype: str, equal: bool, english: str, chinese: str) -> None:
    """In half precision the noise stands beside the gap, whatever the tokens are."""
    proof = replace(PROOF, dtype=dtype, answer=replace(PROOF.answer, text_equal=equal))
    assert english in verdict(proof, "en")
    assert chinese in verdict(proof, "zh")
    assert ("6.8" in verdict(proof, "en")) == (dtype == "bfloat16")


@pytest.mark.parametrize(
    ("device", "after", "said"),
    [
        ("cuda:0", 9_000_000, "allocated on cuda:0: 390.0 MB before it, 9.0 MB after."),
        ("cpu", 0, "Memory: the pool's tensor has 3.1 MB."),
    ],
)
def test_memory_is_what_the_device_says(device: str, after: int, said: str) -> None:
    """A GPU has its own, and a system that does not tell is not guessed at."""
    proof = replace(PROOF, device=device, memory=replace(PROOF.memory, after=after))
    assert memory_line(proof, "en").endswith(said)
