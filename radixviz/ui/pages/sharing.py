"""What is shared, and what is not: the suffix still looks at the prefix, and another model's K and V are no use."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from radixviz.errors import RadixVizError
from radixviz.events import Namespace
from radixviz.render.attention_svg import attention_svg
from radixviz.render.words import say
from radixviz.ui.components.figure import show_figure
from radixviz.ui.components.language import show_languages
from radixviz.ui.components.page_links import SHARING, show_links
from radixviz.ui.components.page_style import style_page
from radixviz.ui.components.plain_text import as_text
from radixviz.ui.components.start_up import show_error
from radixviz.ui.sharing_lab import QUESTIONS, attention, attention_picture, isolation, served_models
from radixviz.ui.sharing_state import (
    HEAD,
    LAYER,
    QUESTION,
    SHARE,
    SharingState,
    choose_head,
    choose_layer,
    choose_question,
    choose_sharing,
    get_sharing,
)
from radixviz.ui.state import page_language

if TYPE_CHECKING:
    from radixviz.model.attention import MultiplyAdds
    from radixviz.model.isolation import Isolation, MeasuredAnswer

_FIGURE = "radixviz.attention"
_MILLION = 1_000_000


def show_sharing() -> None:
    """Show the attention of a suffix, and what happens when an adapter reads the base model's K and V."""
    style_page()
    lang, chosen = page_language(), get_sharing()
    with st.container(horizontal=True, vertical_alignment="center"):
        show_links(SHARING, lang)
        show_languages(lang)
    try:
        with st.spinner(say(lang, "load.title")):
            attention(), isolation(chosen.question)
    except RadixVizError as error:
        show_error(error, lang)
        return
    _show_attention(chosen, lang)
    _show_isolation(chosen, lang)


def _show_attention(chosen: SharingState, lang: str) -> None:
    found = attention()
    picture = attention_picture(chosen.layer, chosen.head)
    drawing, told = st.columns(2, gap="large")
    with drawing:
        show_figure(attention_svg(picture, lang), _FIGURE)
    with told:
        st.header(say(lang, "attention.title"))
        n = len(found.token_ids)
        _say(say(lang, "attention.say", cached=found.cached, n=n, suffix=n - found.cached), "attention")
        st.markdown(say(lang, "attention.why"))
        _choice(say(lang, "attention.layer"), len(found.weights), chosen.layer, LAYER)
        _choice(say(lang, "attention.head"), len(found.weights[0]), chosen.head, HEAD)
        st.caption(say(lang, "attention.numbers"))
        st.markdown(_multiply_adds(found.full, found.reuse, lang))


def _say(sentence: str, about: str) -> None:
    """Show a sentence in the size of the player's."""
    with st.container(key=f"radixviz-say-{about}"):
        st.markdown(sentence)


def _choice(label: str, count: int, chosen: int, key: str) -> None:
    """Offer the numbers from 1 to count."""
    callback = {LAYER: choose_layer, HEAD: choose_head}[key]
    st.segmented_control(
        label, range(1, count + 1), default=chosen, required=True, key=key, on_change=callback, width="content"
    )


def _multiply_adds(full: MultiplyAdds, reuse: MultiplyAdds, lang: str) -> str:
    """Return a table as Markdown: millions of multiply-adds without and with reuse, and what is left."""
    rows = [
        ("madds.matrices", full.matrices, reuse.matrices),
        ("madds.attention", full.attention, reuse.attention),
        ("madds.total", full.total, reuse.total),
    ]
    heads = ("madds.title", "madds.without", "madds.with", "madds.left")
    lines = ["| " + " | ".join(say(lang, head) for head in heads) + " |", "|---|--:|--:|--:|"]
    for word, before, after in rows:
        lines.append(
            f"| {say(lang, word)} | {before / _MILLION:.2f} M | {after / _MILLION:.2f} M | {after / before:.0%} |"
        )
    return "\n".join(lines)


def _show_isolation(chosen: SharingState, lang: str) -> None:
    found = isolation(chosen.question)
    answer = found.wrong if chosen.share_wrongly else found.right
    n = len(found.prompt_ids)
    st.header(say(lang, "isolation.title"))
    with st.container(horizontal=True, vertical_alignment="bottom", gap="large"):
        st.selectbox(
            say(lang, "isolation.question"),
            range(len(QUESTIONS)),
            index=chosen.question,
            format_func=lambda number: QUESTIONS[number],
            key=QUESTION,
            on_change=choose_question,
            width=420,
        )
        st.toggle(say(lang, "isolation.share"), value=chosen.share_wrongly, key=SHARE, on_change=choose_sharing)
    mode = "wrong" if chosen.share_wrongly else "right"
    told = "lucky" if mode == "wrong" and answer.text == found.right.text else mode
    _say(say(lang, f"isolation.say.{told}", n=n, cached=answer.cached_tokens), "isolation")
    st.markdown(say(lang, "isolation.why"))
    _show_answers(found, answer, mode, lang)
    _show_measures(answer, n, lang)
    st.caption(say(lang, "isolation.compared"))


def _show_answers(found: Isolation, answer: MeasuredAnswer, mode: str, lang: str) -> None:
    """Show the base model's answer, the right one, and what the adapter writes now; each with its key in the tree."""
    base, captain = (_key(served.namespace(), lang) for served in served_models())
    is_plain = found.right.same_tokens == len(found.right.token_ids)
    right = ("isolation.plain", say(lang, "isolation.key.none")) if is_plain else ("isolation.adapter.right", captain)
    answers = (
        ("isolation.base", base, as_text(found.first.text)),
        (*right, as_text(found.right.text)),
        (f"isolation.adapter.{mode}", captain if mode == "right" else base, _marked(answer.text, found.right.text)),
    )
    for place, (word, key, text) in zip(st.columns(len(answers)), answers, strict=True):
        with place.container(border=True, height="stretch"):
            st.markdown(f"**{say(lang, word)}**")
            st.markdown(text)
            st.caption(key)


def _key(namespace: Namespace, lang: str) -> str:
    """Return a namespace in words: the parts that differ here."""
    model, adapter, _, _ = namespace
    name = say(lang, "isolation.key.adapter", name=adapter) if adapter else say(lang, "isolation.key.base")
    return say(lang, "isolation.key", model=model, adapter=name)


def _show_measures(answer: MeasuredAnswer, prompt_tokens: int, lang: str) -> None:
    same = answer.same_tokens == len(answer.token_ids)
    text = "isolation.text.same" if same else "isolation.text.differs"
    measures = (
        ("isolation.reused", say(lang, "isolation.reused.value", cached=answer.cached_tokens, n=prompt_tokens)),
        ("isolation.logits", _figure(answer.max_abs_logit_diff)),
        ("isolation.kl", say(lang, "isolation.kl.value", nats=_figure(answer.kl_divergence))),
        ("isolation.text", say(lang, text, n=answer.same_tokens + 1)),
    )
    for place, (word, value) in zip(st.columns(len(measures)), measures, strict=True):
        place.metric(say(lang, word), value)


def _figure(value: float) -> str:
    """Return a measure with two decimals, or what it is surely below: rounding differs from machine to machine."""
    return f"{value:.2f}" if value >= 0.005 else "< 0.0001" if value < 0.0001 else f"{value:.4f}"


def _marked(text: str, right: str) -> str:
    """Return Markdown of the text, bold and red from where it is another one."""
    pairs = enumerate(zip(text, right, strict=False))
    same = next((place for place, (one, other) in pairs if one != other), min(len(text), len(right)))
    other = text[same:].lstrip()
    return as_text(text) if not other else f"{as_text(text[: len(text) - len(other)])}:red[**{as_text(other)}**]"
