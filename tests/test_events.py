"""Facts of the tree, which are read late."""

from __future__ import annotations

import pickle
from array import array
from dataclasses import FrozenInstanceError

import pytest

from radixviz.events import NodeAdded, NodeEvicted, read_late

NOWHERE = (None, None, None, None)


def test_ids_become_tuples_when_they_are_read() -> None:
    """An event that was given arrays is equal to one that was given tuples, in every respect."""
    told = NodeAdded(1, None, read_late(array("q", [1, 2])), read_late(array("q", [10, 20])), NOWHERE)
    plain = NodeAdded(1, None, (1, 2), (10, 20), NOWHERE)
    assert (told.token_ids, told.slots) == ((1, 2), (10, 20))
    assert told == plain
    assert (hash(told), repr(told)) == (hash(plain), repr(plain))


def test_an_event_that_nobody_has_read_can_be_kept() -> None:
    """It is pickled and comes back as it was, and it stays frozen."""
    told = NodeEvicted(1, None, read_late(array("q", [1, 2])), read_late(array("q", [10, 20])))
    assert pickle.loads(pickle.dumps(told)) == NodeEvicted(1, None, (1, 2), (10, 20))
    with pytest.raises(FrozenInstanceError):
        told.slots = ()  # type: ignore[misc]
