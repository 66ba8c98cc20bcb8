"""A proof in words: one sentence about the answer, one table about the time, one line about memory."""

from __future__ import annotations

from radixviz.proof import FirstToken, Proof
from radixviz.render.visible import columns
from radixviz.render.words import say

COLUMNS = ("hit", "cached", "ms", "ratio", "bound", "to_bound", "match", "gather", "forward", "flops", "kv")
MEGA, GIGA = 1e6, 1e9
SMALL = 1e-3
SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
_VERDICTS = {
    (True, True): "exact.same",
    (True, False): "exact.different",
    (False, True): "noise.same",
    (False, False): "noise.different",
}
"""The sentence by whether the number format is exact, and whether the answer was the same."""


def verdict(proof: Proof, language: str) -> str:
    """Return whether the answer was the same, with the measured difference and the contrast.

    "Identical" is said of float32 only; in half precision the noise stands beside the gap that decides a token.
    """
    answer = proof.answer
    return say(
        language,
        f"proof.{_VERDICTS[proof.is_exact, proof.same_answer]}",
        tokens=answer.answer_tokens,
        diff=_small(answer.max_abs_logit_diff),
        wrong=_small(answer.wrong_positions_diff),
        gap=_small(answer.smallest_gap),
        dtype=proof.dtype,
    )


def headings(language: str) -> tuple[str, ...]:
    """Return the heading of each column."""
    return tuple(say(language, f"proof.{column}") for column in COLUMNS)


def row(first: FirstToken) -> tuple[str, ...]:
    """Return the cells of one hit rate; the same in every language."""
    return (
        f"{first.hit:.0%}",
        str(first.cached_tokens),
        f"{first.ms:.1f}",
        f"{first.ratio_to_full:.3f}",
        f"{first.bound:.3f}",
        f"{first.ratio_to_bound:.2f}",
        f"{first.split.match_ms:.1f}",
        f"{first.split.gather_ms:.1f}",
        f"{first.split.forward_ms:.1f}",
        f"{first.flops_saved / GIGA:.1f}",
        f"{first.kv_bytes_saved / MEGA:.1f}",
    )


def setting(proof: Proof, language: str) -> str:
    """Return what was measured on: model, device, number format, threads, tokens."""
    return say(
        language,
        "proof.setting",
        model=proof.model,
        device=proof.device,
        dtype=proof.dtype,
        threads=proof.threads,
        tokens=proof.prompt_tokens,
    )


def memory_line(proof: Proof, language: str) -> str:
    """Return the bytes of the pool, and what the device had allocated before and after."""
    memory = proof.memory
    shown = {name: f"{bytes / MEGA:.1f}" for name, bytes in _sizes(proof).items()}
    key = "proof.memory.cpu" if proof.device == "cpu" else "proof.memory"
    return say(language, key, device=proof.device, **shown) if memory.after else say(language, "proof.pool", **shown)


def proof_text(proof: Proof, language: str) -> str:
    """Return the whole proof as plain text, its table aligned on the right."""
    lines = [headings(language), *(row(first) for first in proof.first_tokens)]
    widths = [max(columns(line[place]) for line in lines) for place in range(len(COLUMNS))]
    table = ["  ".join(_right(cell, width) for cell, width in zip(line, widths, strict=True)) for line in lines]
    parts = [setting(proof, language), verdict(proof, language), "", *table, "", memory_line(proof, language)]
    return "\n".join(parts)


def _sizes(proof: Proof) -> dict[str, int]:
    memory = proof.memory
    return {"pool": memory.pool_bytes, "before": memory.before, "after": memory.after}


def _right(cell: str, width: int) -> str:
    return " " * (width - columns(cell)) + cell


def _small(number: float) -> str:
    """Return two digits, and a power of ten where the number is small."""
    if number == 0 or number >= SMALL:
        return f"{number:.2g}"
    digits, _, power = f"{number:.1e}".partition("e")
    return f"{digits} × 10{str(int(power)).translate(SUPERSCRIPTS)}"
