"""What a class needs: questions, links and the projector view, in the file that students take home and in the app."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from radixviz.render.words import say
from tests.browser.tour_file import opened_file, place

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

ANSWERS = {  # what is typed, chosen or clicked at the question of each stage
    "1": "0",
    "2": "option 3",
    "3": "63",
    "4": "option 1",
    "5": "node SYS",
    "6": "0",
    "7": "19",
    "8": "16",
    "9": "１",  # as an input method for Chinese writes it
}
ARRIVALS = {"3", "4", "6", "7", "8"}
"""Where the question is about a request that has just come."""
WRONG = {
    "3": "Not 63, but 47. The client sends all of it, but the 16 tokens of the first turn are in the tree.",
    "4": "Not “assistant.”, but “User:”. That is where a message ends, but edges are not messages: the next tokens are "
    "the same, too.",
    "5": "Not SYS, but A2 (c). SYS is in use: 1 running request holds it.",
}
ROOM = """async () => {
  const find = (css) => document.querySelector(css), box = (element) => element.getBoundingClientRect();
  const size = (text) => parseFloat(getComputedStyle(text).fontSize) * text.getScreenCTM().a;
  const font = (css) => parseFloat(getComputedStyle(find(css)).fontSize);
  const seen = (text) => text.textContent && getComputedStyle(text).visibility === "visible";
  const drawn = () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
  const rooms = [], { dataset } = find("[data-testid=player]"), page = document.documentElement;
  do {
    if (rooms.length) dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowRight" }));
    await drawn();
    const pane = box(find(".rv-pane"));
    rooms.push({
      at: `${dataset.stage}.${dataset.frame}`,
      tree: Math.min(24, ...[...document.querySelectorAll(".rv-tree-svg text")].filter(seen).map(size)),
      chinese: font("[data-say]"), english: font(".rv-second"),
      both: Boolean(find("[data-say]").textContent && find(".rv-second").textContent),
      bars: [...document.querySelectorAll("[data-bar]")].map(box).every((b) => b.width && b.bottom <= innerHeight),
      outside: [...document.querySelectorAll(".rv-box")].map(box).filter((one) =>
        one.left < pane.left || one.right > pane.right || one.top < pane.top || one.bottom > pane.bottom).length,
      scrolls: page.scrollHeight > innerHeight || page.scrollWidth > innerWidth,
    });
  } while (rooms.at(-1).at !== "encore.6");
  return rooms;
}"""
"""What the last row of a room sees at each press of the arrow, to the end."""


def asked(page: Page) -> str | None:
    """Return the kind of the open question, None where there is none."""
    kind: str | None = page.locator("[data-testid=player]").get_attribute("data-asking")
    return kind


def verdict(page: Page) -> str:
    """Return what is said to the last answer."""
    return (page.locator(".rv-verdict").text_content() or "").strip()


def answer(page: Page, given: str) -> None:
    """Answer the open question by a number, an option or a node."""
    kind, _, name = given.partition(" ")
    if kind == "option":
        page.locator(f"[data-option='{name}']").click()
    elif kind == "node":
        page.locator(f"[data-name={name}]").click()
    else:
        page.locator(".rv-answer").click()
        page.keyboard.type(given)
        page.keyboard.press("Enter")


def test_a_whole_run_by_questions(browser: Browser, tour_file: str) -> None:
    """What tells the answer comes with it, a wrong one has its reason, and the end says where to look again."""
    with opened_file(browser, f"{tour_file}#stage=1&lang=en") as page:
        wrong, stages = {}, []
        while not page.locator("[data-again]").count():
            kind, at = asked(page), place(page)
            stage = at.split(".")[0]
            if kind is None:
                page.keyboard.press("PageDown")
                continue
            stages.append(stage)
            question = page.locator("[data-say]").text_content()
            if stage in ARRIVALS:
                assert page.locator(".rv-strips [data-count], [data-look=hit], .rv-cut").count() == 0
            answer(page, ANSWERS[stage])
            assert (asked(page), place(page)) == (None, at)
            assert page.locator("[data-say]").text_content() != question
            if not verdict(page).startswith("Right: "):
                wrong[stage] = verdict(page)
        assert stages == list(ANSWERS)
        assert wrong == WRONG
        summary = page.locator(".rv-ask")
        assert "6 of 9 questions answered right." in (summary.text_content() or "")
        assert [one.get_attribute("data-again") for one in summary.locator("[data-again]").all()] == ["3", "4", "5"]
        summary.locator("[data-again='3']").click()
        assert (place(page), asked(page)) == ("3.1 en", "number")


def test_a_question_blocks_no_key(browser: Browser, tour_file: str) -> None:
    """An arrow shows the answer, uncounted, and a second goes on; digits jump, but belong to the field within it."""
    with opened_file(browser, f"{tour_file}#stage=3&lang=en") as page:
        assert asked(page) == "number"
        page.keyboard.press("ArrowRight")
        assert (place(page), asked(page)) == ("3.1 en", None)
        assert verdict(page).startswith("The answer: 47.")
        page.keyboard.press("ArrowRight")
        assert place(page) == "3.2 en"
        page.keyboard.press("4")
        assert (place(page), asked(page)) == ("4.1 en", "choice")
        page.locator("[data-option='1']").focus()
        page.keyboard.press("2")
        assert (place(page), verdict(page)[:6]) == ("4.1 en", "Right:")
        page.keyboard.press("8")
        page.locator(".rv-answer").focus()
        page.keyboard.press("ArrowRight")  # nothing is in the field yet
        assert (place(page), asked(page)) == ("8.1 en", None)
        page.keyboard.press("6")
        page.locator(".rv-answer").focus()
        page.keyboard.type("7")
        page.keyboard.press("Escape")
        assert (place(page), asked(page)) == ("6.1 en", "number")
        page.keyboard.press("End")
        assert "1 of 1 question answered right." in (page.locator(".rv-ask").text_content() or "")
        page.keyboard.press("Q")  # nothing is asked, with Caps Lock too
        page.keyboard.press("6")
        assert (place(page), asked(page)) == ("6.1 en", None)


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_a_bad_answer_is_explained(browser: Browser, tour_file: str, lang: str) -> None:
    """Letters, a negative or a huge number, or nothing: one sentence, and the question stays open."""
    with opened_file(browser, f"{tour_file}#stage=3&lang={lang}") as page:
        for given, key, shown in (
            ("", "ask.empty", ""),
            ("many", "ask.letters", "many"),
            ("1.5", "ask.letters", "1.5"),
            ("<b>x</b>" * 9, "ask.letters", "<b>x</b><b>x…"),
            ("-3", "ask.outside", "-3"),
            ("301", "ask.outside", "301"),
            ("9" * 400, "ask.outside", "9" * 12 + "…"),
        ):
            page.locator(".rv-answer").fill(given)
            page.keyboard.press("Enter")
            assert page.locator(".rv-bad").text_content() == say(lang, key, said=shown, most=300)
            assert asked(page) == "number"


def test_a_clicker_goes_through_stops_and_questions(browser: Browser, tour_file: str) -> None:
    """Page Down asks, shows and goes on; Page Up goes back, where nothing is asked again."""
    with opened_file(browser, f"{tour_file}#stage=2&lang=zh&present=1") as page:
        seen = []
        while not place(page).startswith("4.6"):
            seen.append(place(page).split()[0] + (" ?" if asked(page) else ""))
            page.keyboard.press("PageDown")
        assert seen == ["2.1", "2.3", "2.5 ?", "2.5", "2.6", "3.1 ?", "3.1", "3.6", "4.1 ?", "4.1"]
        back = []
        for _ in range(4):
            page.keyboard.press("PageUp")
            back.append(place(page).split()[0])
        assert back == ["4.1", "3.6", "3.1", "2.6"]
        assert asked(page) is None


def test_a_copied_link_opens_exactly_that(browser: Browser, tour_file: str) -> None:
    """The button says that it has copied; the link has stage, step, both languages and the view; Back goes back."""
    with opened_file(
        browser, f"{tour_file}#stage=4&frame=2&lang=en", permissions=["clipboard-read", "clipboard-write"]
    ) as page:
        for key in ("l", "l", "q", "p"):
            page.keyboard.press(key)
        page.wait_for_url("**#stage=4&frame=2&lang=both&ask=0&present=1")
        for key in ("5", "ArrowRight", "ArrowRight"):
            page.keyboard.press(key)
        page.keyboard.press("k")  # at once, before the address follows
        page.locator(".rv-copied span", has_text=say("zh", "link.copied")).wait_for()
        link = page.evaluate("navigator.clipboard.readText()")
        assert link == f"{tour_file}#stage=5&frame=3&lang=both&ask=0&present=1"
        page.wait_for_url(link)
        page.evaluate("history.back()")
        page.wait_for_function("document.querySelector('[data-testid=player]').dataset.stage === '4'")
        assert place(page) == "4.2 zh-Hans"
    with opened_file(browser, link) as page:
        root = page.locator("[data-testid=player]")
        assert place(page) == "5.3 zh-Hans"
        assert (root.get_attribute("data-view"), root.get_attribute("data-both"), asked(page)) == ("present", "", None)
        page.locator("[data-tool=present]").click()
        assert root.get_attribute("data-view") == "near"


def test_where_nothing_can_be_copied_the_link_is_shown(browser: Browser, tour_file: str) -> None:
    """To be copied by hand: it is in a field, and selected."""
    with opened_file(browser, f"{tour_file}#stage=4&lang=en") as page:
        page.evaluate("() => { navigator.clipboard.writeText = () => Promise.reject() }")
        page.locator("[data-tool=copy]").click()
        page.locator(".rv-copied span", has_text=say("en", "link.by_hand")).wait_for()
        assert page.locator(".rv-link").input_value() == f"{tour_file}#stage=4&frame=1&lang=en"


def test_the_last_row_can_read_it(browser: Browser, tour_file: str) -> None:
    """At 1280 x 720, at each step: 24 px in the tree, 30 and 22 in the sentences, and nothing is cut off."""
    options: dict[str, Any] = {"viewport": {"width": 1280, "height": 720}, "reduced_motion": "reduce"}
    with opened_file(browser, f"{tour_file}#stage=1&lang=both&present=1", **options) as page:
        rooms = page.evaluate(ROOM)
        assert len({room.pop("at") for room in rooms}) == 72
        assert len(rooms) == 72 + len(ANSWERS)
        sizes = {"tree": 24, "chinese": 30, "english": 22}
        assert [
            room for room in rooms if room != sizes | {"both": True, "bars": True, "outside": 0, "scrolls": False}
        ] == []


def test_a_slide_may_hold_it(browser: Browser, app_url: str) -> None:
    """In a frame of another page the keys step as soon as it was clicked, and the view is the projector's."""
    context = browser.new_context(viewport={"width": 1280, "height": 720}, reduced_motion="reduce")
    page = context.new_page()
    address = f"{app_url}/?embed=true&present=1&stage=2&frame=5&lang=both"
    page.set_content(f'<iframe src="{address}" style="width: 1200px; height: 680px; border: 0"></iframe>')
    inside = page.frame_locator("iframe")
    player = inside.locator("[data-testid=player][data-asking=choice]")
    player.wait_for(timeout=60_000)
    assert player.get_attribute("data-view") == "present"
    player.locator("[data-say]").click()
    page.keyboard.press("ArrowRight")
    inside.locator("[data-testid=player][data-answered]").wait_for()
    assert inside.locator("[data-testid=player]").get_attribute("data-frame") == "5"
    box = inside.locator("[data-bar=pool]").bounding_box()
    assert box is not None
    assert box["y"] + box["height"] <= 690
    context.close()
