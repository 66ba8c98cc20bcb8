"""The page about sharing, with the real model and its adapter."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from radixviz.render.attention_svg import attention_svg
from radixviz.render.words import say
from radixviz.ui.sharing_lab import QUESTIONS, attention, attention_picture
from radixviz.ui.sharing_state import HEAD, LAYER, QUESTION, SHARE, STATE, SharingState

BASE_KEY = "Key in the tree: tiny (float32), no adapter, and the tokens"


def _page() -> None:
    from radixviz.ui.pages.sharing import show_sharing

    show_sharing()


@pytest.fixture
def page() -> AppTest:
    """Return the page as a new reader sees it."""
    app = AppTest.from_function(_page, default_timeout=60)
    app.query_params["lang"] = "en"
    return app.run()


def svg(app: AppTest) -> str:
    """Return the drawing that the browser gets."""
    (figure,) = app.get("bidi_component")
    data: dict[str, Any] = json.loads(figure.proto.json)
    return str(data["svg"])


def measures(app: AppTest) -> list[str]:
    """Return what the measures show."""
    return [metric.value for metric in app.metric]


def keys(app: AppTest) -> list[str]:
    """Return what stands under the three answers."""
    return [caption.value for caption in app.caption][1:4]


def texts(app: AppTest) -> str:
    """Return all that is written in Markdown."""
    return "\n".join(element.value for element in app.markdown)


def test_the_prefix_is_the_tours(page: AppTest) -> None:
    """The question of stage 4: nine of its tokens are reused there, and the attention of the other eight is shown."""
    assert not page.exception
    assert (attention().cached, len(attention().token_ids)) == (9, 17)
    assert svg(page) == attention_svg(attention_picture(1, 1), "en")
    assert "9 of 17 tokens are reused" in texts(page)
    assert "| attention | 0.24 M | 0.17 M | 71% |" in texts(page)


def test_layer_and_head_are_chosen(page: AppTest) -> None:
    """Each choice draws other weights, and is kept in the one state."""
    page.button_group(key=LAYER).set_value(3).run()
    page.button_group(key=HEAD).set_value(4).run()
    assert page.session_state[STATE] == SharingState(layer=3, head=4)
    assert svg(page) == attention_svg(attention_picture(3, 4), "en")
    assert svg(page) != attention_svg(attention_picture(1, 1), "en")


def test_rightly_nothing_is_shared(page: AppTest) -> None:
    """The adapter reuses nothing, and its answer is that of plain transformers."""
    assert measures(page) == ["0 of 16", "< 0.0001", "< 0.0001 nats", "none"]
    assert texts(page).count("Aye, captain!") == 2
    assert keys(page) == [
        BASE_KEY,
        "No tree, no cache",
        "Key in the tree: tiny (float32), adapter “captain”, and the tokens",
    ]
    assert ":red[" not in texts(page)


def test_the_switch_shows_what_goes_wrong(page: AppTest) -> None:
    """All but one token come from the tiny model; three measures and the marked text say what that does."""
    page.toggle(key=SHARE).set_value(True).run()
    assert page.session_state[STATE].share_wrongly
    reused, logits, divergence, differs = measures(page)
    assert (reused, differs) == ("15 of 16", "no. 1")
    assert keys(page) == [BASE_KEY, "No tree, no cache", BASE_KEY]
    assert float(logits) > 0.5
    assert float(divergence.removesuffix(" nats")) > 0.5
    (wrong,) = re.findall(r":red\[\*\*(.*)\*\*\]", texts(page))
    assert not wrong.startswith("Aye")
    page.toggle(key=SHARE).set_value(False).run()
    assert measures(page)[0] == "0 of 16"


def test_another_question_can_be_asked(page: AppTest) -> None:
    """The last question keeps its text when it is shared wrongly, though the logits are far off."""
    page.selectbox(key=QUESTION).select(len(QUESTIONS) - 1).run()
    page.toggle(key=SHARE).set_value(True).run()
    assert page.session_state[STATE] == SharingState(question=len(QUESTIONS) - 1, share_wrongly=True)
    _, logits, _, differs = measures(page)
    assert (float(logits) > 0.5, differs, ":red[" in texts(page)) == (True, "none", False)
    assert "The text happens to be the same" in texts(page)


def test_the_page_speaks_chinese(page: AppTest) -> None:
    """The switch of languages changes the address, and every text with it."""
    page.button_group(key="radixviz.language").set_value("zh").run()
    assert page.query_params["lang"] in ("zh", ["zh"])
    assert [header.value for header in page.header] == [
        say("zh", f"{part}.title") for part in ("attention", "isolation")
    ]
    assert svg(page) == attention_svg(attention_picture(1, 1), "zh")
    assert [metric.label for metric in page.metric][1:3] == ["最大 |Δ logit|", "KL 散度"]


def test_a_model_that_is_missing_is_explained(page: AppTest, monkeypatch: pytest.MonkeyPatch) -> None:
    """One sentence, and no traceback."""
    from radixviz.errors import ModelRefused
    from radixviz.ui.pages import sharing

    def fail() -> None:
        raise ModelRefused("captain", "bad_adapter", "no file")

    monkeypatch.setattr(sharing, "attention", fail)
    page.run()
    assert not page.exception
    assert [error.value for error in page.error] == [
        "**This did not work.** The model captain cannot be used: its adapter cannot be read, or does not fit it "
        "(no file)."
    ]
