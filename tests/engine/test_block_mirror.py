"""What outsiders are told is enough: a mirror made of it alone foretells what each request reuses."""

from __future__ import annotations

from random import Random

import pytest

from radixviz.cache.kv_events import AllBlocksCleared, BlockRemoved, BlockStored, KVEventLog
from radixviz.cache.page_hash import namespace_seed, page_digests, page_hash
from radixviz.cache.page_pool import PagePool
from radixviz.cache.radix_cache import RadixCache
from radixviz.engine.engine import Engine
from radixviz.engine.request import Request, Sequence
from radixviz.engine.runner import SimulatedRunner
from radixviz.events import NO_NAMESPACE, Event, NodeEvicted, RequestMatched


class Mirror:
    """The blocks that a cache has, known from the events for outsiders; looks at each request as it is matched."""

    def __init__(self, page_size: int, pool_pages: int, *, turn_as_one_edge: bool) -> None:
        self.page_size = page_size
        self.log = KVEventLog(page_size)
        self.blocks = set[int]()
        self.foretold: list[int] = []
        self.found: list[int] = []
        self.evictions = 0
        cache = RadixCache(page_size, emit=self.take)
        self.engine = Engine(
            cache,
            PagePool(pool_pages, page_size),
            SimulatedRunner(lambda _, number: number % 2),
            turn_as_one_edge=turn_as_one_edge,
            emit=self.take,
        )

    def take(self, event: Event) -> None:
        """Let the log note it; when a request was matched, say from the mirror what it should reuse."""
        self.log.note(event)
        self.evictions += isinstance(event, NodeEvicted)
        if isinstance(event, RequestMatched):
            self.catch_up()
            self.foretold.append(self.reusable(self.engine.sequences[event.sequence_id]))
            self.found.append(event.cached_tokens)

    def catch_up(self) -> None:
        """Take in what outsiders have been told."""
        for event in self.log.take():
            match event:
                case BlockStored():
                    assert self.blocks.isdisjoint(event.block_hashes)
                    assert event.parent_block_hash is None or event.parent_block_hash in self.blocks
                    self.blocks.update(event.block_hashes)
                case BlockRemoved():
                    assert self.blocks.issuperset(event.block_hashes)
                    self.blocks.difference_update(event.block_hashes)
                case AllBlocksCleared():
                    self.blocks.clear()

    def reusable(self, sequence: Sequence) -> int:
        """Return the tokens of the leading blocks that the mirror has, the last token left out."""
        seed = namespace_seed(sequence.request.namespace)
        digests = page_digests(seed, sequence.token_ids[:-1], self.page_size)
        missing = (n for n, digest in enumerate(digests) if page_hash(digest) not in self.blocks)
        return next(missing, len(digests)) * self.page_size


@pytest.mark.parametrize("turn_as_one_edge", [True, False])
@pytest.mark.parametrize("page_size", [1, 4])
def test_a_mirror_foretells_what_is_reused(page_size: int, turn_as_one_edge: bool) -> None:
    """Over evictions and three namespaces, every request reuses what the mirror says."""
    mirror, random = Mirror(page_size, 80 // page_size, turn_as_one_edge=turn_as_one_edge), Random(2)
    for number in range(60):
        prompt = tuple(random.randrange(2) for _ in range(random.randint(1, 24)))
        namespace = (*NO_NAMESPACE[:2], *random.choice(((None, None), ("salt", None), (None, "key"))))
        mirror.engine.submit(Request(str(number), prompt, random.randint(1, 9), namespace=namespace))
        if number % 3 == 0:
            mirror.engine.run()
    mirror.engine.run()
    mirror.engine.reset()
    mirror.catch_up()
    assert (mirror.found, mirror.blocks) == (mirror.foretold, set())
    assert sum(mirror.found) > 0
    assert mirror.evictions > 0
