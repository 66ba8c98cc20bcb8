"""Samples: several sequences that share one prefill, and branch off where it ends."""

from __future__ import annotations

from radixviz.engine.prefix_use import PrefixUse
from radixviz.engine.request import Sequence
from radixviz.engine.runner import ModelRunner
from radixviz.engine.slot_allocator import SlotAllocator
from radixviz.events import Emit, SequencesForked


class Samples:
    """Branches samples off their first one."""

    def __init__(self, prefix: PrefixUse, allocator: SlotAllocator, runner: ModelRunner, emit: Emit) -> None:
        self._prefix = prefix
        self._allocator = allocator
        self._runner = runner
        self._emit = emit

    def branch(self, first: Sequence) -> list[Sequence]:
        """Return the other samples: each holds the prompt's nodes itself and shares their pages."""
        request = first.request
        forks = list[Sequence]()
        for sample in range(2, first.forks + 2):
            sequence_id = request.sequence_ids()[sample - 1]
            fork = Sequence(request, sequence_id, sample, request.draw(sample), list(first.token_ids))
            self._prefix.share(first, fork)
            forks.append(fork)
        first.forks = 0
        if forks:
            self._emit(SequencesForked(first.sequence_id, tuple(fork.sequence_id for fork in forks)))
        return forks

    def copy_tail(self, first: Sequence, fork: Sequence, prompt_len: int) -> bool:
        """Give a sample its own copy of the prompt's last page, when that is not full: each writes on in it.

        first.slots  [0 .. tree_len) the tree's, shared   [tree_len .. prompt_len) copied

        Returns False when there is no page for it.
        """
        if fork.finish_reason is not None:
            return True  # it has all its tokens: nothing will be written
        if not self._allocator.reserve(fork, prompt_len, "extend"):
            return False
        fork.computed_len = prompt_len
        if first.tree_len < prompt_len:
            tail = slice(first.tree_len, prompt_len)
            self._runner.copy_slots(first.slots[tail], fork.slots[tail])
        return True
