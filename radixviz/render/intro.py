"""Stage 0: prompts with the same beginning, and the question whether to compute it again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from radixviz.render.page import player_root
from radixviz.render.sentence import say_block
from radixviz.render.theme import Theme
from radixviz.render.token_strip import spaced
from radixviz.render.visible import visible, visible_bytes
from radixviz.render.words import say

_MOST_CELLS = 70


@dataclass(frozen=True, slots=True)
class IntroPrompt:
    """One prompt of the introduction: how it is called, and its tokens' bytes."""

    label: str
    tokens: tuple[bytes, ...]


def intro_page(
    prompts: Sequence[IntroPrompt], sentence: str, why: str, notices: Sequence[str], lang: str, theme: Theme
) -> str:
    """Return stage 0: each prompt as a strip in which the beginning that all share is underlined."""
    shared = shared_length([prompt.tokens for prompt in prompts])
    strips = "".join(_strip(prompt, shared, lang) for prompt in prompts)
    body = say_block("0", escape(visible(sentence)), escape(visible(why)), notices) + f"<div>{strips}</div>"
    return player_root(body, lang, theme, "0", "why", 1, 1, "rv-intro")


def shared_length(rows: Sequence[Sequence[bytes]]) -> int:
    """Return how many tokens all rows have in common at their beginning."""
    count = 0
    for column in zip(*rows, strict=False):
        if len(set(column)) > 1:
            break
        count += 1
    return count


def _strip(prompt: IntroPrompt, shared: int, lang: str) -> str:
    shown = prompt.tokens[:_MOST_CELLS]
    cells = "".join(_cell(index, data, index < shared) for index, data in enumerate(shown))
    hidden = len(prompt.tokens) - len(shown)
    more = f'<span class="rv-more">⋯ +{hidden}</span>' if hidden else ""
    head = say(lang, "intro.counts", n=len(prompt.tokens), shared=shared)
    return (
        f'<section class="rv-strip"><div class="rv-strip-head"><b>{escape(visible(prompt.label))}</b>'
        f'<span class="rv-strip-title">{escape(head)}</span></div><div class="rv-tokens">{cells}{more}</div></section>'
    )


def _cell(index: int, data: bytes, is_shared: bool) -> str:
    kind = "shared" if is_shared else "own"
    text = spaced(visible_bytes(data))
    return f'<span class="rv-token rv-k-{kind}" data-token="{index}" data-kind="{kind}">{text}</span>'
