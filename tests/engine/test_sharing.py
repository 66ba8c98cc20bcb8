"""SharingFold: what running sequences have in common."""

from __future__ import annotations

from radixviz.engine.sharing import SharingFold
from tests.engine.serving import Serving


class Watched(Serving):
    """An engine whose sharing is recounted from the tree at each step."""

    def shared(self) -> tuple[int, int]:
        """Return the fold's totals; the first must be what the tree's locks say."""
        fold = SharingFold()
        for event in self.events:
            fold.note(event)
        nodes = self.engine.tree().nodes
        assert fold.shared_tokens == sum(len(node.token_ids) * max(0, node.lock_ref - 1) for node in nodes)
        return fold.shared_tokens, fold.most_shared_tokens


def test_two_share_a_prefix_while_both_run() -> None:
    """Four tokens are held twice after the second prefill, and saved until one of the two ends."""
    serving = Watched()
    serving.submit("a", (1, 2, 3, 4, 5), 4)
    serving.step()
    assert serving.shared() == (0, 0)
    serving.submit("b", (1, 2, 3, 4, 6), 9)
    serving.step()
    assert serving.shared() == (4, 4)
    serving.run_until_idle()
    assert serving.shared() == (0, 4)


def test_samples_share_their_prompt() -> None:
    """Three samples need the prompt's five tokens once: ten slots are saved."""
    serving = Watched()
    serving.submit("group", range(5), 3, samples=3)
    serving.step()
    assert serving.shared() == (10, 10)
    serving.run_until_idle()
    assert serving.shared() == (0, 10)


def test_splits_growth_and_evictions_are_followed() -> None:
    """Under pressure, with replies that grow edges and look-ups that split them, the count stays that of the tree."""
    serving = Watched(24)
    for number in range(8):
        serving.submit(str(number), (0, number % 2, number % 4, number), 5, samples=1 + number % 2)
    while serving.engine.has_work:
        serving.step()
        serving.shared()
    assert serving.shared()[1] > 0


def test_a_reset_leaves_nothing() -> None:
    """After a reset nodes of the same ids may come anew."""
    serving = Watched()
    serving.run("a", range(5), 2)
    serving.engine.reset()
    serving.submit("group", range(5), 3, samples=2)
    serving.step()
    assert serving.shared() == (5, 5)
