"""What the page about sharing shows, computed once for all sessions. Torch is imported when it is first asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st
from msgspec.structs import replace

from radixviz.model.folder import TINY
from radixviz.model.loader import LoadedModel, load
from radixviz.render.attention_svg import AttentionPicture
from radixviz.render.visible import visible_bytes
from radixviz.scenario.prompts import opening_ids
from radixviz.scenario.schema import RequestSpec
from radixviz.ui.story import story, tiny_tokenizer
from radixviz.ui.timeline_job import spare_collector

if TYPE_CHECKING:
    from radixviz.model.attention import SuffixAttention
    from radixviz.model.isolation import Isolation
    from radixviz.model.served_models import ServedModel

EARLIER, SHOWN = "A1", "B1"
"""The requests of the tour whose common beginning is the prefix: the second one reuses it in stage 4."""
QUESTIONS = (
    "Who are you?",
    "What can you do?",
    "What is the opposite of hot?",
    "What is the capital of France?",
    "What is 3 + 4?",
)
"""All but the last change in text; the last one shows that a text may stay the same while its logits are wrong."""


def attention_picture(layer: int, head: int) -> AttentionPicture:
    """Return what one head of one layer, both from 1, looks at."""
    found, tokenizer = attention(), tiny_tokenizer()
    tokens = [visible_bytes(tokenizer.token_bytes(token)).strip(" ") for token in found.token_ids]
    return AttentionPicture(tokens, found.cached, found.weights[layer - 1][head - 1])


@st.cache_resource(show_spinner=False)
def attention() -> SuffixAttention:
    """Return the attention of the tour's request, all layers and heads."""
    from radixviz.model.attention import suffix_attention

    earlier, shown = (opening_ids(story(), _request(name), tiny_tokenizer()) for name in (EARLIER, SHOWN))
    pairs = enumerate(zip(earlier, shown, strict=False))
    cached = next(place for place, (one, other) in pairs if one != other)
    return suffix_attention(_tiny(), shown, cached)


@st.cache_resource(show_spinner=False, max_entries=len(QUESTIONS))
def isolation(question: int) -> Isolation:
    """Return the experiment with this question."""
    from radixviz.model.isolation import measure_isolation

    prompt = opening_ids(story(), replace(_request(SHOWN), user=QUESTIONS[question]), tiny_tokenizer())
    base, captain = served_models()
    return measure_isolation(base, captain, prompt)


@st.cache_resource(show_spinner=False)
def _tiny() -> LoadedModel:
    loaded = load(TINY)
    spare_collector()
    return loaded


@st.cache_resource(show_spinner=False)
def served_models() -> tuple[ServedModel, ServedModel]:
    """Return the tiny model, and the same with its adapter merged in."""
    from radixviz.model.adapter import CAPTAIN, shipped_adapter, with_adapter
    from radixviz.model.served_models import ServedModel

    return ServedModel(_tiny()), ServedModel(with_adapter(_tiny(), shipped_adapter()), CAPTAIN)


def _request(request_id: str) -> RequestSpec:
    found = story().find_request(request_id)
    assert found is not None, request_id
    return found
