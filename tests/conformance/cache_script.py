"""Runs the rows of a conformance table: lines of operations on a RadixCache, each with the answer it must give.

    insert TOKENS [at SLOTS] [key EXTRA_KEY] [priority N] [inserted_len N]   tokens that were there already
    match TOKENS [key EXTRA_KEY]    the slots found        length TOKENS     how many
    lock TOKENS [key EXTRA_KEY]     match and hold         hold TOKENS       hold the same node once more
    unlock TOKENS                   let go of it once (each answers with the change of evictable_size)
    evict N                         the freed slots in order
    tree [FIELD ...]                every node, with these fields of it
    sizes                           evictable and protected tokens
    slots                           every slot in the tree, sorted
    root FIELD                      a field of the root
    reset                           "-"

Slots are ten times the token unless `at` gives others. Ids are written as in tests/tree_text.py: "1 2 5..7", "-" for
none. An error answers with its name and facts. After each line the tree checks itself.
"""

from __future__ import annotations

import shlex
from dataclasses import dataclass

from radixviz.cache.key import RadixKey
from radixviz.cache.node import TreeNode
from radixviz.cache.radix_cache import RadixCache
from radixviz.errors import RadixVizError
from tests.tree_text import ids_of, ids_text, tree_text

OPTIONS = ("at", "key", "priority", "inserted_len")


@dataclass(frozen=True)
class Row:
    """One row of a table: its id there, the operations, and after each "=>" its answer."""

    name: str
    lines: str
    page_size: int = 1
    disabled: bool = False
    policy: str = "lru"

    def operations(self) -> list[tuple[str, str]]:
        """Return each operation with its answer."""
        pairs = [line.split("=>") for line in self.lines.strip().splitlines()]
        return [(operation.strip(), answer.strip()) for operation, answer in pairs]

    def expected(self) -> list[str]:
        """Return the row as the table has it, one line each."""
        return [f"{operation} => {answer}" for operation, answer in self.operations()]

    def found(self) -> list[str]:
        """Run the operations on a new cache; return them with the answers found."""
        script = CacheScript(RadixCache(self.page_size, self.policy, disabled=self.disabled))
        return [f"{operation} => {script.answer(operation)}" for operation, _ in self.operations()]


class CacheScript:
    """Carries out one line after the other."""

    def __init__(self, cache: RadixCache) -> None:
        self.cache = cache
        self.held: dict[str, TreeNode] = {}

    def answer(self, line: str) -> str:
        """Carry out a line and return its answer."""
        name, rest, options = _parse(line)
        try:
            answer = str(getattr(self, f"do_{name}")(rest, options))
        except RadixVizError as error:
            answer = f"{type(error).__name__} {error}"
        self.cache.check_integrity()
        return answer

    def do_insert(self, tokens: str, options: dict[str, str]) -> int:
        """Insert, and return what had been there."""
        ids = ids_of(tokens)
        slots = ids_of(options["at"]) if "at" in options else [token * 10 for token in ids]
        priority, inserted_len = int(options.get("priority", 0)), int(options.get("inserted_len", 0))
        key = RadixKey(ids, options.get("key"))
        return self.cache.insert(key, slots, priority=priority, inserted_len=inserted_len)

    def do_match(self, tokens: str, options: dict[str, str]) -> str:
        """Look up, and return the slots."""
        return ids_text(self.cache.match_prefix(RadixKey(ids_of(tokens), options.get("key"))).slots)

    def do_length(self, tokens: str, options: dict[str, str]) -> int:
        """Look up, and return the length."""
        return self.cache.match_prefix(RadixKey(ids_of(tokens), options.get("key"))).prefix_len

    def do_lock(self, tokens: str, options: dict[str, str]) -> int:
        """Look up and hold."""
        self.held[tokens] = self.cache.match_prefix(RadixKey(ids_of(tokens), options.get("key"))).node
        return self.cache.inc_lock_ref(self.held[tokens])

    def do_hold(self, tokens: str, options: dict[str, str]) -> int:
        """Hold once more what `lock` found."""
        return self.cache.inc_lock_ref(self.held[tokens])

    def do_unlock(self, tokens: str, options: dict[str, str]) -> int:
        """Let go once of what `lock` found."""
        return self.cache.dec_lock_ref(self.held[tokens])

    def do_evict(self, number: str, options: dict[str, str]) -> str:
        """Evict, and return the freed slots."""
        return ids_text(self.cache.evict(int(number)))

    def do_tree(self, fields: str, options: dict[str, str]) -> str:
        """Return the whole tree."""
        return tree_text(self.cache.snapshot(), *fields.split()) or "-"

    def do_sizes(self, rest: str, options: dict[str, str]) -> str:
        """Return both sizes; their sum must be the total."""
        cache = self.cache
        assert cache.total_size == cache.evictable_size + cache.protected_size
        return f"evictable {cache.evictable_size}, protected {cache.protected_size}"

    def do_slots(self, rest: str, options: dict[str, str]) -> str:
        """Return every slot in the tree."""
        return ids_text(sorted(slot for node in self.cache.snapshot().nodes for slot in node.slots))

    def do_root(self, field: str, options: dict[str, str]) -> object:
        """Return a field of the root."""
        return getattr(self.cache.root, field)

    def do_reset(self, rest: str, options: dict[str, str]) -> str:
        """Reset."""
        self.cache.reset()
        return "-"


def _parse(line: str) -> tuple[str, str, dict[str, str]]:
    name, *words = shlex.split(line)
    if name in ("tree", "root"):
        return name, " ".join(words), {}  # `priority` is a field here
    rest: list[str] = []
    options: dict[str, str] = {}
    option = ""
    for word in words:
        if word in OPTIONS:
            option = word
        elif option:
            options[option] = f"{options[option]} {word}" if option in options else word
        else:
            rest.append(word)
    return name, " ".join(rest), options
