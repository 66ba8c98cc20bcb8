from __future__ import annotations

import pytest

from radixviz.engine.request import Draw, Request, Sequence


@pytest.mark.parametrize(("samples", "ids"), [(1, ("r",)), (3, ("r#1", "r#2", "r#3"))])
def test_sequence_ids(samples: int, ids: tuple[str, ...]) -> None:
    """One sequence is called as its request, several are numbered."""
    assert Request("r", (1,), 1, samples=samples).sequence_ids() == ids


def test_draws() -> None:
    """Sample i of n draws from the middle of the i-th part of [0, 1)."""
    request = Request("r", (1,), 1, samples=2, temperature=0.7)
    assert [request.draw(1), request.draw(2)] == [Draw(0.7, 0.25), Draw(0.7, 0.75)]
    assert Request("r", (1,), 1).draw(1) == Draw(0.0, 0.5)


@pytest.mark.parametrize(("namespace", "kept"), [("", None), (None, None), ("s", "s")])
def test_salt(namespace: str | None, kept: str | None) -> None:
    """An empty salt is no salt; an empty extra key is one."""
    request = Request("r", (1,), 1, namespace=("m", "a", namespace, ""))
    assert request.namespace == ("m", "a", kept, "")


@pytest.mark.parametrize(
    ("output", "reason"),
    [
        ([], None),
        ([7], None),
        ([7, 8], None),
        ([7, 8, 9], "length"),
        ([5], "stop"),
        ([7, 8, 5], "stop"),
        ([5, 7], None),
    ],
)
def test_finish_reason(output: list[int], reason: str | None) -> None:
    """A sequence is at its end with a stop token or with its last allowed one."""
    request = Request("r", (1, 2), 3, stop_token_ids=(5,))
    sequence = Sequence(request, "r", 1, request.draw(1), [1, 2, *output])
    assert (sequence.output_ids, sequence.finish_reason) == (tuple(output), reason)
    assert sequence.prompt_len == 2
