"""RadixKey: token ids and the namespace that they are valid in."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator
from operator import index
from typing import SupportsIndex

from radixviz.errors import BadPageSize, BadSlot, BadTokenId, NamespaceMismatch
from radixviz.events import Namespace

NAMESPACE_PARTS = ("model", "adapter", "cache_salt", "extra_key")


class RadixKey:
    """A run of token ids within one namespace.

    Two requests may share K and V only when every part of their namespaces is equal: the model, the adapter, the
    cache salt and the free extra key. The parts stay apart, and an extra key of None differs from "" (SGLang); an
    empty salt is no salt (SGLang).

    >>> RadixKey([1, 2, 3, 4]).match(RadixKey([1, 2, 9]))
    2
    >>> RadixKey([1, 2, 3, 4, 5, 6, 7]).match(RadixKey([1, 2, 3, 4, 5, 9]), page_size=4)
    4
    """

    __slots__ = ("namespace", "token_ids")

    token_ids: array[int]
    namespace: Namespace

    def __init__(
        self,
        token_ids: Iterable[int],
        extra_key: str | None = None,
        *,
        cache_salt: str | None = None,
        adapter: str | None = None,
        model: str | None = None,
    ) -> None:
        self.token_ids = as_token_array(token_ids)
        self.namespace = (model, adapter, cache_salt or None, extra_key)

    @classmethod
    def of(cls, token_ids: array[int], namespace: Namespace) -> RadixKey:
        """Return a key over this very array, unchecked and uncopied: for callers that made it themselves."""
        key = cls.__new__(cls)
        key.token_ids = token_ids
        key.namespace = namespace
        return key

    @property
    def extra_key(self) -> str | None:
        """The free part of the namespace."""
        return self.namespace[3]

    @property
    def cache_salt(self) -> str | None:
        """The part of the namespace that separates tenants."""
        return self.namespace[2]

    def __len__(self) -> int:
        return len(self.token_ids)

    def __iter__(self) -> Iterator[int]:
        return iter(self.token_ids)

    def __getitem__(self, index: int | slice) -> RadixKey:
        """Return a key of the same namespace: one token for an index, the tokens of a slice of step 1."""
        if isinstance(index, slice):
            if index.step not in (None, 1):
                raise ValueError(f"a key is sliced with step 1, not {index.step}")
            return RadixKey.of(self.token_ids[index], self.namespace)
        return RadixKey.of(array("q", [self.token_ids[index]]), self.namespace)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, RadixKey):
            return NotImplemented
        return self.namespace == other.namespace and self.token_ids == other.token_ids

    def __hash__(self) -> int:
        return hash((self.namespace, self.token_ids.tobytes()))

    def __repr__(self) -> str:
        shown = ", ".join(map(str, self.token_ids[:10])) + (", ..." if len(self) > 10 else "")
        return f"RadixKey([{shown}], extra_key={self.extra_key!r})"

    def match(self, other: RadixKey, page_size: int = 1) -> int:
        """Return how many leading tokens are equal, floored to whole pages; other namespaces are an error."""
        _check_page_size(page_size)
        for part, left, right in zip(NAMESPACE_PARTS, self.namespace, other.namespace, strict=True):
            if left != right:
                raise NamespaceMismatch(part, left, right)
        shared = common_prefix_len(self.token_ids, other.token_ids, 0, min(len(self), len(other)))
        return shared - shared % page_size

    def page_aligned(self, page_size: int) -> RadixKey:
        """Return the key cut to whole pages."""
        _check_page_size(page_size)
        return self[: len(self) - len(self) % page_size]


def as_token_array(token_ids: Iterable[int]) -> array[int]:
    """Return the ids as an array of 64-bit integers (the same object when it is one); BadTokenId names the odd one."""
    if isinstance(token_ids, array) and token_ids.typecode == "q":
        return token_ids
    ids = list(token_ids)
    try:
        return array("q", ids)
    except (TypeError, OverflowError):
        position = next(i for i, token in enumerate(ids) if not _is_token_id(token))
        raise BadTokenId(ids[position], position) from None


def as_slot_array(slots: Iterable[int]) -> array[int]:
    """Return the slots as an array of 64-bit integers (the same object when it is one); BadSlot names the odd one."""
    try:
        return as_token_array(slots)
    except BadTokenId as error:
        raise BadSlot(error.value, error.position) from None


def common_prefix_len(edge: array[int], tokens: array[int], start: int, limit: int) -> int:
    """Return how many of edge[0:limit] equal tokens[start:start + limit].

    Slices are compared in C: windows that double, then halves of the window that differs. So the cost is that of the
    tokens that match, and nothing before `start` is touched.
    """
    low, step = 0, 16
    while low < limit and edge[low : (high := min(limit, low + step))] == tokens[start + low : start + high]:
        low, step = high, step * 2
    if low == limit:
        return limit
    while low < high:  # equal before low; the first difference lies in [low, high)
        middle = (low + high) // 2
        if edge[low : middle + 1] == tokens[start + low : start + middle + 1]:
            low = middle + 1
        else:
            high = middle
    return low


def _check_page_size(page_size: int) -> None:
    if page_size < 1:
        raise BadPageSize(page_size)


def _is_token_id(value: object) -> bool:
    return isinstance(value, SupportsIndex) and -(1 << 63) <= index(value) < 1 << 63
