"""The page map: for every page its state and its holder, derived from the tree and the running sequences."""

from __future__ import annotations

from collections.abc import Iterable

from radixviz.cache.page_pool import PagePool
from radixviz.cache.snapshot import PageView, PoolSnapshot, TreeSnapshot
from radixviz.engine.request import Sequence


def own_pages(sequence: Sequence, page_size: int) -> list[int]:
    """Return the pages that the sequence holds itself, beyond those of the tree."""
    return [slot // page_size for slot in sequence.slots[sequence.tree_len :: page_size]]


def page_map(pool: PagePool, tree: TreeSnapshot, running: Iterable[Sequence]) -> PoolSnapshot:
    """Return every page: locked or cached by a node, running (held by a sequence alone), or free."""
    views = {page: PageView(page, "free", None) for page in range(1, pool.num_pages + 1)}
    for node in tree.nodes:
        for page in node.pages(pool.page_size):
            views[page] = PageView(page, "locked" if node.lock_ref else "cached", node.node_id)
    for sequence in running:
        for page in own_pages(sequence, pool.page_size):
            views[page] = PageView(page, "running", sequence.sequence_id)
    return PoolSnapshot(pool.page_size, tuple(views.values()))
