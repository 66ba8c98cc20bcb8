"""RadixCache against a list of whole sequences, under random operations."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from radixviz.cache.eviction import eviction_policies
from tests.cache.whole_sequences import Tokens, WholeSequences

POLICIES = tuple(eviction_policies())
PAGE_SIZES = (1, 2, 4, 16)
OPERATIONS = 200_000
BITS = st.lists(st.integers(0, 1), max_size=12)
EXTRA_KEYS = st.sampled_from([None, None, None, ""])


def tokens_of(bits: list[int], page_size: int) -> Tokens:
    """Return tokens of 0 and 1 of which about every second page is shared with others: a page has two bits."""
    return tuple(bit for bit in bits for _ in range(max(1, page_size // 2)))


class CacheMachine(RuleBasedStateMachine):
    """Every operation is checked as it happens, and the whole cache after it."""

    @initialize(page_size=st.sampled_from(PAGE_SIZES), policy=st.sampled_from(POLICIES))
    def make(self, page_size: int, policy: str) -> None:
        """Start with an empty cache."""
        self.page_size = page_size
        self.checked = WholeSequences(page_size, policy)

    @rule(
        extra_key=EXTRA_KEYS, bits=BITS, grow=st.booleans(), priority=st.integers(0, 3), inserted_len=st.integers(0, 9)
    )
    def insert(self, extra_key: str | None, bits: list[int], grow: bool, priority: int, inserted_len: int) -> None:
        """Insert."""
        prefix = (extra_key, tokens_of(bits, self.page_size))
        self.checked.insert(prefix, grow=grow, priority=priority, inserted_len=inserted_len)

    @rule(extra_key=EXTRA_KEYS, bits=BITS)
    def match(self, extra_key: str | None, bits: list[int]) -> None:
        """Look up."""
        self.checked.match((extra_key, tokens_of(bits, self.page_size)))

    @rule(extra_key=EXTRA_KEYS, bits=BITS)
    def lock(self, extra_key: str | None, bits: list[int]) -> None:
        """Look up and hold."""
        self.checked.lock((extra_key, tokens_of(bits, self.page_size)))

    @precondition(lambda self: self.checked.held)
    @rule(choice=st.integers(0, 99))
    def unlock(self, choice: int) -> None:
        """Let go."""
        self.checked.unlock(choice)

    @rule(pages=st.integers(0, 9))
    def evict(self, pages: int) -> None:
        """Evict some."""
        self.checked.evict(pages * self.page_size)

    @rule()
    def evict_all(self) -> None:
        """Evict everything that nobody holds."""
        self.checked.evict(1 << 30)

    @invariant()
    def everything(self) -> None:
        """Check the whole cache."""
        if hasattr(self, "checked"):
            self.checked.check()


TestCacheMachine = CacheMachine.TestCase
TestCacheMachine.settings = settings(
    max_examples=45,
    stateful_step_count=30,
    derandomize=True,
    deadline=None,
    database=None,
    suppress_health_check=list(HealthCheck),
    phases=[Phase.explicit, Phase.generate, Phase.shrink],
)


def step(checked: WholeSequences, random: Random) -> None:
    """Do one random operation: many look-ups and insertions, few resets."""
    extra_key = random.choice((None, None, None, ""))
    prefix = (extra_key, tokens_of(random.choices((0, 1), k=random.randint(0, 12)), checked.page_size))
    match random.choices(("insert", "match", "lock", "unlock", "evict", "reset"), (30, 20, 12, 14, 23, 1))[0]:
        case "insert":
            checked.insert(
                prefix,
                grow=random.random() < 0.3,
                priority=random.randint(0, 3),
                inserted_len=random.choice((0, 0, 4)),
            )
        case "match":
            checked.match(prefix)
        case "lock" if len(checked.held) < 8:
            checked.lock(prefix)
        case "unlock" if checked.held:
            checked.unlock(random.randrange(99))
        case "reset":
            checked.reset()
        case _:
            checked.evict(random.randint(0, 6) * checked.page_size)


@pytest.mark.deep
@pytest.mark.parametrize("page_size", PAGE_SIZES)
@pytest.mark.parametrize("policy", POLICIES)
def test_many_operations(policy: str, page_size: int) -> None:
    """Two hundred thousand random operations in all, each checked as it happens and the whole cache after it."""
    checked, random = WholeSequences(page_size, policy), Random(f"{policy} {page_size}")
    for _ in range(-(-OPERATIONS // (len(POLICIES) * len(PAGE_SIZES)))):
        step(checked, random)
        checked.check()
