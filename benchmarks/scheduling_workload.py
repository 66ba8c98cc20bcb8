"""What the scheduling benchmark asks: four kinds of requests that share beginnings, as token ids, from a seed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from random import Random

Tokens = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Asked:
    """One request: its prompt, and the reply that it will get."""

    prompt: Tokens
    reply: Tokens
    chain: int | None = None
    """Requests of one chain arrive in its order: a second turn needs the first."""


@dataclass(frozen=True, slots=True)
class Workload:
    """Requests in the order of their making, which is depth first: a branch is whole before the next one begins."""

    name: str
    requests: tuple[Asked, ...]

    def distinct_tokens(self) -> int:
        """Return how many tokens a tree of all prompts and replies has; the last token of a reply has no K and V."""
        total, before = 0, Tokens()
        for tokens in sorted(asked.prompt + asked.reply[:-1] for asked in self.requests):
            pairs = zip(tokens, before, strict=False)
            shared = next((place for place, (one, other) in enumerate(pairs) if one != other), None)
            total += len(tokens) - (min(len(tokens), len(before)) if shared is None else shared)
            before = tokens
        return total

    def depth_first(self) -> list[int]:
        """Return the requests in depth-first order of the tree of their prompts: the best order for any pool."""
        return sorted(range(len(self.requests)), key=lambda number: self.requests[number].prompt)

    def arrivals(self, random: Random) -> list[int]:
        """Return the requests shuffled, those of one chain in its order."""
        order = list(range(len(self.requests)))
        random.shuffle(order)
        chains: dict[int, list[int]] = {}
        for number in sorted(order, reverse=True):
            if (chain := self.requests[number].chain) is not None:
                chains.setdefault(chain, []).append(number)
        links = [self.requests[number].chain for number in order]
        return [number if link is None else chains[link].pop() for number, link in zip(order, links, strict=True)]


def few_shot(random: Random, requests: int) -> list[Asked]:
    """Many questions below each set of examples."""
    asked = list[Asked]()
    while len(asked) < requests:
        examples = _text(random, 200, 500)
        for _ in range(random.randint(8, 16)):
            asked.append(Asked(examples + _text(random, 10, 50), _text(random, 4, 16)))
    return asked


def multi_turn_chat(random: Random, requests: int) -> list[Asked]:
    """Conversations below four system prompts; each turn's prompt is all that was said before, and a question."""
    systems = [_text(random, 50, 150) for _ in range(4)]
    asked = list[Asked]()
    for chain in range(requests):
        said = random.choice(systems)
        for _ in range(random.randint(3, 7)):
            turn = Asked(said + _text(random, 15, 60), _text(random, 20, 80), chain)
            said = turn.prompt + turn.reply
            asked.append(turn)
    return asked


def self_consistency(random: Random, requests: int) -> list[Asked]:
    """Each question is asked eight times over, for a vote among the answers."""
    examples = [_text(random, 200, 400) for _ in range(4)]
    asked = list[Asked]()
    while len(asked) < requests:
        prompt = random.choice(examples) + _text(random, 30, 80)
        asked += [Asked(prompt, _text(random, 30, 80)) for _ in range(8)]
    return asked


def tree_search(random: Random, requests: int) -> list[Asked]:
    """Three thoughts for each state, three levels deep; of three states the best goes on (tree of thought)."""
    asked = list[Asked]()
    while len(asked) < requests:
        states = [_text(random, 100, 250)]
        for _ in range(3):
            thoughts = [Asked(state, _text(random, 20, 50)) for state in states for _ in range(3)]
            asked += thoughts
            after = [each.prompt + each.reply + _text(random, 5, 5) for each in thoughts]
            states = after if len(after) <= 3 else [random.choice(after[n : n + 3]) for n in range(0, len(after), 3)]
    return asked


KINDS: dict[str, Callable[[Random, int], list[Asked]]] = {
    "few-shot": few_shot,
    "multi-turn chat": multi_turn_chat,
    "self-consistency": self_consistency,
    "tree search": tree_search,
}


def workload(name: str, seed: int, requests: int = 100) -> Workload:
    """Return so many requests of this kind."""
    return Workload(name, tuple(KINDS[name](Random(seed), requests)[:requests]))


def _text(random: Random, least: int, most: int) -> Tokens:
    return tuple(random.randrange(1000, 50_000) for _ in range(random.randint(least, most)))
