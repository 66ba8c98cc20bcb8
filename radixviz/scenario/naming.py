"""Naming: which node has which name and letter, in every frame. Both are bound to requests, never scripted."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from radixviz.cache.snapshot import NodeView, TreeSnapshot
from radixviz.scenario.schema import Bind, NameSpec, Scenario
from radixviz.timeline import Frame, Missing, NodeMark, SequenceView, StageKey, Unmet

Stored = dict[str, tuple[int, ...]]
"""By sequence id, the tokens that it has in the tree."""


class Naming:
    """Walks the frames of a run in order and gives every node its name and letters."""

    def __init__(self, scenario: Scenario) -> None:
        self._scenario = scenario
        self._stored: Stored = {}
        self._reached: Stored = {}
        self._prompts: Stored = {}
        self._last_node: dict[str, int] = {}
        self._letters: dict[int, tuple[str, ...]] = {}
        self._marks: dict[int, NodeMark] = {}
        self._tree = TreeSnapshot(1, (), 0, 0)
        self.unmet: list[Unmet] = []

    def stage(self, frames: list[Frame]) -> list[Frame]:
        """Return the frames of one stage with names and letters; stages come in order."""
        letters = self._bind_letters(frames[0].stage, before=self._tree, after=frames[-1])
        for node_id, letter in letters.items():
            earlier = tuple(old for old in self._letters.get(node_id, ()) if old != letter)
            self._letters[node_id] = (*earlier, letter)
        named = [self._name_frame(frame) for frame in frames]
        self._tree = frames[-1].tree
        return named

    def _bind_letters(self, stage: StageKey, *, before: TreeSnapshot, after: Frame) -> dict[int, str]:
        """Return node id -> letter: at the stage's start where the request was answered before, else at its end."""
        spec = next(spec for spec in self._scenario.stage if spec.stage == stage)
        old = dict(self._stored)
        stored = old | _stored(after.sequences, after.tree.page_size)
        bound = dict[int, str]()
        for letter in spec.letters:
            at_start = letter.bind.last is not None and letter.bind.last in old
            tree = before if at_start else after.tree
            known = old if at_start else stored
            node_id = _resolve(letter.bind, tree, known, known, self._prompts)
            if node_id is None:
                self.unmet.append(Unmet(stage, "letter", letter.letter, "a node", "none"))
            else:
                bound[node_id] = letter.letter
        return bound

    def _name_frame(self, frame: Frame) -> Frame:
        page_size = frame.tree.page_size
        self._stored |= _stored(frame.sequences, page_size)
        self._reached |= _matched(frame.sequences, page_size) | self._stored
        self._prompts |= {
            view.request_id: _whole_pages(view.token_ids[: view.prompt_len], page_size) for view in frame.sequences
        }
        names = self._names(frame.stage, frame.tree)
        labels = dict[int, NodeMark]()
        for node_id, mark in frame.labels.items():
            if mark.look == "evicted":
                known = self._marks.get(node_id, mark)
                labels[node_id] = replace(known, look="evicted", repeats=None)
                continue
            letters = self._letters.get(node_id, ())
            name = " + ".join(names.get(node_id, ())) or None
            labels[node_id] = replace(mark, name=name, letter=letters[-1] if letters else None, letters=letters)
        self._marks |= labels
        missing = tuple(self._name_missing(miss) for miss in frame.missing)
        return replace(frame, labels=labels, missing=missing)

    def _names(self, stage: StageKey, tree: TreeSnapshot) -> Mapping[int, tuple[str, ...]]:
        """Return node id -> names. A name stays with its node when its bind finds none any more."""
        alive = {node.node_id for node in tree.nodes}
        names = dict[int, tuple[str, ...]]()
        for spec in self._scenario.name:
            node_id = self._find(spec, tree) if _has_begun(spec, stage) else None
            if node_id is None:
                node_id = self._last_node.get(spec.name)
            if node_id is not None and node_id in alive:
                self._last_node[spec.name] = node_id
                names[node_id] = (*names.get(node_id, ()), spec.name)
        return names

    def _find(self, spec: NameSpec, tree: TreeSnapshot) -> int | None:
        found = (_resolve(bind, tree, self._stored, self._reached, self._prompts) for bind in spec.bind)
        return next((node_id for node_id in found if node_id is not None), None)

    def _name_missing(self, missing: Missing) -> Missing:
        mark = self._marks.get(missing.node_id)
        return replace(missing, name=mark.name, letter=mark.letter) if mark else missing


def _has_begun(spec: NameSpec, stage: StageKey) -> bool:
    return stage == "encore" or stage >= spec.since


def _stored(sequences: Iterable[SequenceView], page_size: int) -> Stored:
    """Return what each sequence put into the tree or repeats of it; one that has only matched so far has nothing."""
    stored = Stored()
    for view in sequences:
        if view.output_len:
            length = len(view.token_ids) - 1 - view.tail_len
            tokens = _whole_pages(view.token_ids[:length], page_size)
            if len(tokens) > view.prefix_len:
                stored[view.sequence_id] = tokens
    return stored


def _matched(sequences: Iterable[SequenceView], page_size: int) -> Stored:
    return {view.sequence_id: _whole_pages(view.token_ids[: view.prefix_len], page_size) for view in sequences}


def _whole_pages(tokens: tuple[int, ...], page_size: int) -> tuple[int, ...]:
    return tokens[: len(tokens) - len(tokens) % page_size]


def _resolve(bind: Bind, tree: TreeSnapshot, stored: Stored, reached: Stored, prompts: Stored) -> int | None:
    """Return the id of the node that `bind` means in `tree`, or None when it is not there.

    `reached` is what each sequence has in the tree, or what its look-up found there: enough to be in common.
    """
    if bind.last is not None:
        return _last(_path(tree, stored.get(bind.last, ())))
    if bind.prompt is not None:
        return _last(_path(tree, prompts.get(bind.prompt, ())))
    paths = [_path(tree, reached.get(name, ())) for name in bind.common]
    shared = [ids[0] for ids in zip(*paths, strict=False) if len(set(ids)) == 1]
    return _last(shared)


def _last(path: list[int]) -> int | None:
    return path[-1] if path else None


def _path(tree: TreeSnapshot, tokens: tuple[int, ...]) -> list[int]:
    """Return the ids of the nodes that hold `tokens`, or nothing when the tree does not hold all of them."""
    path, position, parent = list[int](), 0, None
    while position < len(tokens):
        node = _child(tree, parent, tokens[position:])
        if node is None:
            return []
        path.append(node.node_id)
        position += len(node.token_ids)
        parent = node.node_id
    return path


def _child(tree: TreeSnapshot, parent: int | None, tokens: tuple[int, ...]) -> NodeView | None:
    """Return the child whose edge agrees with `tokens` as far as both reach."""
    for node in tree.children(parent):
        length = min(len(node.token_ids), len(tokens))
        if node.token_ids[:length] == tokens[:length]:
            return node
    return None
