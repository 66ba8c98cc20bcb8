"""The laws between tree, pool and running sequences, recounted."""

from __future__ import annotations

from collections import Counter

from radixviz.cache.page_pool import PagePool
from radixviz.cache.snapshot import TreeSnapshot
from radixviz.engine.page_map import own_pages
from radixviz.engine.scheduler import Scheduler
from radixviz.errors import IntegrityError


def check_engine(tree: TreeSnapshot, pool: PagePool, scheduler: Scheduler) -> None:
    """Raise IntegrityError unless every page has one owner and every lock a holder.

    Free, tree and in-flight pages are disjoint and add up to the pool, and lock_ref(node) is the number of running
    sequences whose node is at or below it.
    """
    _check_pages(tree, pool, scheduler)
    _check_locks(tree, scheduler)


def _check_pages(tree: TreeSnapshot, pool: PagePool, scheduler: Scheduler) -> None:
    owners = Counter(page for page in range(1, pool.num_pages + 1) if pool.is_free(page))
    if owners.total() != pool.free_pages:
        raise IntegrityError("the free list holds each free page once", pool.free_pages, owners.total())
    for node in tree.nodes:
        pages = node.pages(pool.page_size)
        if list(node.slots) != pool.slots_of(pages):
            raise IntegrityError(f"node {node.node_id} holds whole pages", node.slots, pages)
        owners.update(pages)
    for sequence in scheduler.running:
        owners.update(own_pages(sequence, pool.page_size))
    if owners != Counter(range(1, pool.num_pages + 1)):
        odd = {page: owners[page] for page in range(1, pool.num_pages + 1) if owners[page] != 1}
        raise IntegrityError("every page has one owner", odd or "pages outside the pool", {})


def _check_locks(tree: TreeSnapshot, scheduler: Scheduler) -> None:
    nodes = {node.node_id: node for node in tree.nodes}
    holders = Counter[int]()
    for sequence in scheduler.running:
        holders.update(sequence.node.path_ids() if sequence.node else ())
    for node in nodes.values():
        if node.lock_ref != holders[node.node_id]:
            law = f"lock_ref of node {node.node_id} is the number of its holders"
            raise IntegrityError(law, node.lock_ref, holders[node.node_id])
    for sequence in scheduler.running:
        path = [nodes[node_id] for node_id in (sequence.node.path_ids() if sequence.node else ()) if node_id in nodes]
        slots = [slot for node in path for slot in node.slots][: sequence.tree_len]
        if slots != sequence.slots[: sequence.tree_len]:
            raise IntegrityError(f"{sequence.sequence_id} reads the tree's slots", sequence.slots, slots)
