"""What routers and other outsiders are told: which blocks are stored and which are gone. A fold over the tree's events.

Names are those of SGLang and vLLM; a block is a page. How either puts them on the wire is in kv_event_maps.py.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from itertools import chain

from radixviz.cache.page_hash import namespace_seed, page_digests, page_hash
from radixviz.errors import BadPageSize, BadTokenId
from radixviz.events import CacheReset, Event, Namespace, NodeAdded, NodeEvicted, NodeGrown, NodeSplit


@dataclass(frozen=True, slots=True)
class BlockStored:
    """Blocks that follow each other are in the cache; the first of them follows `parent_block_hash` (None: nothing)."""

    block_hashes: tuple[int, ...]
    parent_block_hash: int | None
    token_ids: tuple[int, ...]
    """Those of all blocks, `block_size` for each."""
    block_size: int
    namespace: Namespace


@dataclass(frozen=True, slots=True)
class BlockRemoved:
    """Blocks have left the cache."""

    block_hashes: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class AllBlocksCleared:
    """No block is in the cache any more; also the first thing that a new cache tells."""


KVEvent = BlockStored | BlockRemoved | AllBlocksCleared


class KVEventLog:
    """Takes the events of one cache in and gives those for outsiders out; give its `note` to the cache as `emit`.

    A look-up and a split change no block, so they tell nothing.

    >>> log = KVEventLog(page_size=1)
    >>> log.note(NodeAdded(1, None, (1,), (10,), (None, None, None, None)))
    >>> [event.block_hashes for event in log.take()[1:]]
    [(7470307888890966271,)]
    """

    def __init__(self, page_size: int) -> None:
        if page_size < 1:
            raise BadPageSize(page_size)
        self._page_size = page_size
        self._digests: dict[int, list[bytes]] = {}  # of each node's pages
        self._before: dict[int, int | None] = {}  # the node above
        self._namespaces: dict[int, Namespace] = {}
        self._untold = set[int]()  # nodes whose last pages have no hash
        self._queue: list[KVEvent] = [AllBlocksCleared()]

    def note(self, event: Event) -> None:
        """Take one event in; those that concern no block are passed over.

        Raises BadTokenId for tokens of which one does not fit into 4 bytes; nothing is told of them, nor of what comes
        after them in a sequence.
        """
        match event:
            case NodeAdded():
                self._before[event.node_id], self._namespaces[event.node_id] = event.parent_id, event.namespace
                self._store(event.node_id, event.token_ids)
            case NodeGrown():
                self._store(event.node_id, event.token_ids)
            case NodeSplit():
                self._split(event)
            case NodeEvicted():
                self._remove(event.node_id)
            case CacheReset():
                for held in (self._digests, self._before, self._namespaces, self._untold):
                    held.clear()
                self._queue.append(AllBlocksCleared())
            case _:
                pass

    def take(self) -> tuple[KVEvent, ...]:
        """Return what happened since the last call, and forget it.

        As in SGLang, a store that goes on where the one before ended is one event with it, and so are removals in a
        row.
        """
        events, self._queue = self._queue, []
        return tuple(_joined(events))

    def _store(self, node_id: int, token_ids: tuple[int, ...]) -> None:
        own = self._digests.setdefault(node_id, [])
        if node_id in self._untold or self._before[node_id] in self._untold:
            self._untold.add(node_id)
            return
        namespace, last = self._namespaces[node_id], self._last_digest(node_id)
        try:
            digests = page_digests(last or namespace_seed(namespace), token_ids, self._page_size)
        except BadTokenId:
            self._untold.add(node_id)
            raise
        own.extend(digests)
        hashes = tuple(map(page_hash, digests))
        parent = page_hash(last) if last else None
        self._queue.append(BlockStored(hashes, parent, token_ids, self._page_size, namespace))

    def _remove(self, node_id: int) -> None:
        if digests := self._digests.pop(node_id):
            self._queue.append(BlockRemoved(tuple(map(page_hash, digests))))
        del self._before[node_id], self._namespaces[node_id]
        self._untold.discard(node_id)

    def _last_digest(self, node_id: int) -> bytes | None:
        """Return the digest of the last page at or above a node; None at the root."""
        if own := self._digests.get(node_id):
            return own[-1]
        above = self._before[node_id]
        return None if above is None else self._digests[above][-1]

    def _split(self, event: NodeSplit) -> None:
        lower, upper = event.node_id, event.upper_id
        pages = event.length // self._page_size
        self._digests[upper], self._digests[lower] = self._digests[lower][:pages], self._digests[lower][pages:]
        self._before[upper], self._before[lower] = self._before[lower], upper
        self._namespaces[upper] = self._namespaces[lower]
        if len(self._digests[upper]) < pages:
            self._untold.add(upper)


def _joined(events: Iterable[KVEvent]) -> list[KVEvent]:
    groups = list[list[KVEvent]]()
    for event in events:
        if groups and _continues(groups[-1][-1], event):
            groups[-1].append(event)
        else:
            groups.append([event])
    return [_one_of(group) for group in groups]


def _continues(last: KVEvent, event: KVEvent) -> bool:
    match last, event:
        case BlockRemoved(), BlockRemoved():
            return True
        case BlockStored(), BlockStored():
            return event.parent_block_hash == last.block_hashes[-1] and event.namespace == last.namespace
        case _:
            return False


def _one_of(group: list[KVEvent]) -> KVEvent:
    first = group[0]
    if len(group) == 1 or isinstance(first, AllBlocksCleared):
        return first
    blocks = [event for event in group if not isinstance(event, AllBlocksCleared)]
    joined = replace(first, block_hashes=tuple(chain.from_iterable(event.block_hashes for event in blocks)))
    if isinstance(joined, BlockStored):
        stored = (event.token_ids for event in blocks if isinstance(event, BlockStored))
        return replace(joined, token_ids=tuple(chain.from_iterable(stored)))
    return joined
