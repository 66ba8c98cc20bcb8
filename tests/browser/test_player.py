from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import pytest

from radixviz.model.folder import TINY, locate
from radixviz.model.tokenizer import TextTokenizer
from radixviz.render.narrate import narrate, plain
from radixviz.render.player_data import PlayerIntro, waiting_data
from radixviz.render.words import say
from radixviz.scenario.dry_run import dry_run
from radixviz.scenario.loader import find_scenario, load_scenario
from radixviz.timeline import Timeline
from tests.browser.bare_player import player_html

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

ADDRESS = "http://localhost:9/tour"
"""Nothing listens there: the tests answer it themselves."""
AT = "() => window.player.store.state.frame"
TARGET_PIXELS, TOUCH_PIXELS = 24, 44


@pytest.fixture(scope="module")
def tour() -> Timeline:
    """Return the tour as the engine plays it with the replies that the tiny model was taught."""
    scenario = load_scenario(find_scenario("nine-stages"))
    tokenizer = TextTokenizer.from_folder(locate(TINY))
    return dry_run(scenario, tokenizer, page_size=scenario.page_size, pool_pages=scenario.pool_pages)


@pytest.fixture(scope="module")
def html(tour: Timeline) -> str:
    """Return the page with the tour, made once; START stands for where to begin."""
    return player_html(tour, {"frame": "START", "lang": "LANG", "notices": None, "ask": False})


@contextmanager
def opened(
    browser: Browser, html: str, *, frame: int = 0, lang: str = "en", more: str = "", **options: Any
) -> Iterator[Page]:
    """Open the tour at a frame in a context of its own; nothing may go wrong, and nothing may leave this machine."""
    context = browser.new_context(**{"viewport": {"width": 1280, "height": 800}, **options})
    page = context.new_page()
    wrong: list[str] = []
    body = html.replace('"START"', str(frame)).replace("LANG", lang).replace("</main>", f"</main>{more}")
    page.on("console", lambda message: wrong.append(message.text) if message.type in {"error", "warning"} else None)
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on("request", lambda request: None if request.url.startswith(ADDRESS) else wrong.append(request.url))
    page.route(f"{ADDRESS}**", lambda route: route.fulfill(body=body, content_type="text/html"))
    page.goto(ADDRESS)
    yield page
    assert wrong == []
    context.close()


def at(page: Page) -> int:
    """Return the index of the frame that is shown."""
    shown: int = page.evaluate(AT)
    return shown


def stage(told: Timeline, number: int) -> int:
    """Return the index of the first frame of a stage."""
    return told.stage_frames(number)[0].index


def stops(told: Timeline) -> list[int]:
    """Return the indices of the author's stops."""
    return [frame.index for frame in told.frames if frame.stop is not None]


# ------------------------------------------------------------------------------------------------ keys
def test_no_press_is_lost(browser: Browser, html: str) -> None:
    """Thirty presses as fast as they can be sent, and thirty within one task, are thirty frames each."""
    with opened(browser, html) as page:
        for _ in range(30):
            page.keyboard.press("ArrowRight")
        assert at(page) == 30
        page.evaluate(
            "() => { for (let n = 0; n < 30; n++) dispatchEvent(new KeyboardEvent('keydown', {key: 'ArrowRight'})) }"
        )
        assert at(page) == 60
        page.evaluate(
            "() => { for (let n = 0; n < 30; n++) dispatchEvent(new KeyboardEvent('keydown', {key: 'ArrowLeft'})) }"
        )
        assert at(page) == 30


# ----------------------------------------------------------------------------- a stage that was asked for
RUN_AGAIN = """([digest, stage, turn, is_there]) => runAgain({ digest, awaited: stage && { stage, turn, is_there } })"""


def test_a_stage_that_was_asked_for_is_shown_once_it_is_there(browser: Browser, html: str, tour: Timeline) -> None:
    """At its first frame, and so says the address; once only, and at the next wish again."""
    with opened(browser, html, frame=3) as page:
        page.evaluate(RUN_AGAIN, ["bare", 3, 1, False])
        assert at(page) == 3
        page.evaluate(RUN_AGAIN, ["more", 3, 1, True])
        assert at(page) == stage(tour, 3)
        page.wait_for_function("() => new URLSearchParams(location.search).get('stage') === '3'")
        page.keyboard.press("ArrowLeft")
        page.evaluate(RUN_AGAIN, ["still more", 3, 1, True])
        assert at(page) == stage(tour, 3) - 1
        page.evaluate(RUN_AGAIN, ["and more", 5, 2, True])
        assert at(page) == stage(tour, 5)


def test_it_is_shown_where_the_frames_before_it_went_away_at_the_wish(
    browser: Browser, html: str, tour: Timeline
) -> None:
    """As when a run begins anew: the player is back at the introduction, which is no step of the reader's."""
    words = {"en": "Three prompts", "zh": "三个提示词"}
    intro = PlayerIntro(words, words, words, words, ())
    waiting = json.dumps(waiting_data("nine-stages", words, [(2, words, words)], intro))
    with opened(browser, html, frame=3) as page:
        tour_text = page.evaluate("() => told.player")
        page.evaluate("(player) => { told.player = player }", waiting)
        page.evaluate(RUN_AGAIN, ["waiting", 2, 1, False])
        assert at(page) == -1
        page.evaluate("(player) => { told.player = player }", tour_text)
        page.evaluate(RUN_AGAIN, ["bare", 2, 1, True])
        assert at(page) == stage(tour, 2)


def test_whoever_steps_elsewhere_meanwhile_is_left_there(browser: Browser, html: str) -> None:
    """So is whoever asked for nothing; and a wish that comes to nothing leads nowhere later."""
    with opened(browser, html, frame=3) as page:
        page.evaluate(RUN_AGAIN, ["bare", 3, 1, False])
        page.keyboard.press("ArrowRight")
        page.evaluate(RUN_AGAIN, ["more", 3, 1, True])
        assert at(page) == 4
        page.evaluate(RUN_AGAIN, ["still more", None, 0, False])
        assert at(page) == 4
        page.evaluate(RUN_AGAIN, ["still more", 5, 2, False])
        page.evaluate(RUN_AGAIN, ["still more", None, 0, False])
        page.evaluate(RUN_AGAIN, ["and more", None, 0, False])
        assert at(page) == 4


def test_a_run_of_the_page_builds_nothing_anew(browser: Browser, html: str) -> None:
    """As long as the frames are the same: what has the focus keeps it."""
    with opened(browser, html, frame=3) as page:
        page.locator("[data-tool=next]").focus()
        page.evaluate("() => { window.known = document.querySelector('[data-testid=player]') }")
        page.evaluate(RUN_AGAIN, ["bare", 3, 1, False])
        assert page.evaluate("() => known === document.querySelector('[data-testid=player]')")
        assert page.evaluate("() => document.activeElement.dataset.tool") == "next"


# ------------------------------------------------------------------------------------------------ frames
def test_every_frame_is_shown_with_its_sentence(browser: Browser, html: str, tour: Timeline) -> None:
    """From the first to the last frame by the right arrow, each says what the timeline tells."""
    with opened(browser, html, lang="zh") as page:
        for frame in tour.frames:
            assert at(page) == frame.index
            root = page.locator("[data-testid=player]")
            assert root.get_attribute("data-stage") == str(frame.stage)
            assert root.get_attribute("data-frame") == str(frame.stage_frame)
            assert root.get_attribute("data-phase") == frame.phase
            assert page.locator("[data-say]").text_content() == plain(narrate(tour, frame, "zh").say)
            page.keyboard.press("ArrowRight")


@pytest.mark.parametrize(
    ("start", "keys", "found"),
    [
        ("first", ["ArrowLeft"], "first"),
        ("last", ["ArrowRight"], "last"),
        ("last", ["Shift+ArrowRight", "PageDown"], "last"),
        ("last", ["Home"], "first"),
        ("first", ["End"], "last"),
        ("first", ["5"], 5),
        (5, ["ArrowRight", "ArrowRight", "Shift+ArrowLeft"], 5),
        (5, ["Shift+ArrowLeft"], 4),
        (5, ["Shift+ArrowRight", "Shift+ArrowRight"], 7),
        (5, ["c", "r", "Control+ArrowRight", "Alt+ArrowRight", "Shift+ArrowDown", "x"], 5),
    ],
)
def test_keys_go_where_they_say(
    browser: Browser, html: str, tour: Timeline, start: str | int, keys: list[str], found: str | int
) -> None:
    """The ends do not wrap; a stage begins at its first frame; c, r and modified keys are not ours."""
    places: dict[str | int, int] = {number: stage(tour, number) for number in range(1, 10)}
    places |= {"first": 0, "last": len(tour.frames) - 1}
    with opened(browser, html, frame=places[start]) as page:
        for key in keys:
            page.keyboard.press(key)
        assert at(page) == places[found]


def test_a_presenters_clicker_goes_from_stop_to_stop(browser: Browser, html: str, tour: Timeline) -> None:
    """Page Down visits every stop of the author in order, and Page Up goes back through them."""
    with opened(browser, html) as page:
        wanted = [stop for stop in stops(tour) if stop > 0]
        seen = []
        for _ in wanted:
            page.keyboard.press("PageDown")
            seen.append(at(page))
        assert seen == wanted
        page.keyboard.press("PageUp")
        assert at(page) == wanted[-2]


def test_space_plays_and_pauses_at_the_stops(browser: Browser, html: str, tour: Timeline) -> None:
    """Playing goes on by itself until the next stop, at the speed that is chosen; a step by hand ends it."""
    with opened(browser, html, frame=stage(tour, 3)) as page:
        page.clock.install()
        page.keyboard.press("Space")
        stop = next(stop for stop in stops(tour) if stop > stage(tour, 3))
        page.clock.run_for(60_000)
        assert (at(page), page.evaluate("() => window.player.store.state.playing")) == (stop, False)
        page.locator("[data-tool=speed]").click()
        page.keyboard.press("Escape")
        page.locator("[data-tool=play]").click()
        page.clock.run_for(1000)
        assert at(page) == stop + 1
        page.keyboard.press("ArrowLeft")
        page.clock.run_for(60_000)
        assert at(page) == stop


def test_space_presses_a_focused_button(browser: Browser, html: str) -> None:
    """On a button it is that button's; nothing begins to play."""
    with opened(browser, html) as page:
        page.locator("[data-tool=next]").focus()
        page.keyboard.press("Space")
        assert (at(page), page.evaluate("() => window.player.store.state.playing")) == (1, False)


def test_text_fields_and_foreign_widgets_keep_their_keys(browser: Browser, html: str) -> None:
    """What is typed is typed; a slider of somebody else keeps its arrows; beside them the keys work at once."""
    field = '<input id="field"><div id="slider" role="slider" tabindex="0">x</div><button id="other">x</button>'
    with opened(browser, html, frame=10, more=field) as page:
        page.locator("#field").focus()
        page.keyboard.type("5 ?r")
        page.keyboard.press("ArrowLeft")
        page.keyboard.press("Home")
        assert (at(page), page.locator("#field").input_value()) == (10, "5 ?r")
        page.locator("#slider").focus()
        page.keyboard.press("ArrowRight")
        assert at(page) == 10
        page.locator("#other").focus()
        page.keyboard.press("ArrowRight")
        assert at(page) == 11


def test_the_list_of_keys_opens_and_closes(browser: Browser, html: str) -> None:
    """? opens it and Esc closes it, and the focus is where it was."""
    with opened(browser, html, lang="zh") as page:
        page.locator("[data-tool=next]").focus()
        page.keyboard.press("?")
        dialog = page.get_by_role("dialog", name=say("zh", "player.help"))
        assert dialog.locator("dt").count() == dialog.locator("dd").count() >= 10
        page.keyboard.press("Escape")
        assert page.get_by_role("dialog").count() == 0
        assert page.evaluate("() => document.activeElement.dataset.tool") == "next"


# ------------------------------------------------------------------------------------------------ mouse and touch
def test_buttons_do_what_the_keys_do(browser: Browser, html: str, tour: Timeline) -> None:
    """First, back, next and last, and each stage of the ruler."""
    with opened(browser, html, frame=10) as page:
        for tool, found in (("next", 11), ("back", 10), ("last", len(tour.frames) - 1), ("next", len(tour.frames) - 1)):
            page.locator(f"[data-tool={tool}]").click(force=True)  # at the end, Next is there but disabled
            assert at(page) == found
        page.locator("[data-tool=first]").click()
        assert at(page) == 0
        page.locator(".rv-label[data-stage='7']").click()
        assert at(page) == stage(tour, 7)


def test_the_ruler_is_a_scrubber(browser: Browser, html: str, tour: Timeline) -> None:
    """A press on it goes to the frame that lies there, a drag along it passes those between; it tells where it is."""
    with opened(browser, html) as page:
        track = page.locator(".rv-track").nth(4).bounding_box()
        assert track is not None
        y = track["y"] + 2
        page.mouse.move(track["x"] + track["width"] * 0.99, y)
        page.mouse.down()
        assert at(page) == tour.stage_frames(5)[-1].index
        page.mouse.move(track["x"] + 1, y)
        assert at(page) == stage(tour, 5)
        page.mouse.up()
        slider = page.get_by_role("slider", name=say("en", "player.scrubber"))
        assert slider.get_attribute("aria-valuenow") == str(stage(tour, 5) + 1)
        assert slider.get_attribute("aria-valuetext") == "Stage 5, Step 1 of 8"
        slider.focus()
        page.keyboard.press("ArrowRight")
        assert at(page) == stage(tour, 5) + 1


@pytest.mark.parametrize(
    ("least", "options"),
    [
        (TARGET_PIXELS, {}),
        (TOUCH_PIXELS, {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}),
    ],
)
def test_targets_are_large_enough(browser: Browser, html: str, least: int, options: dict[str, Any]) -> None:
    """Buttons and scrubber can be hit with a mouse and with a finger; on a phone nothing scrolls sideways."""
    with opened(browser, html, frame=20, **options) as page:
        for element in (*page.locator(".rv-tool").all(), page.locator(".rv-scrub")):
            box = element.bounding_box()
            assert box is not None
            assert min(box["width"], box["height"]) >= least
        assert page.evaluate("() => document.documentElement.scrollWidth <= innerWidth")


def test_the_overview_opens_a_stage(browser: Browser, html: str, tour: Timeline) -> None:
    """It shows a small tree for each stage, with the looks of its end, and a click goes there."""
    with opened(browser, html) as page:
        page.locator("[data-tool=overview]").click()
        cards = page.get_by_role("dialog").locator(".rv-card")
        assert cards.count() == len(tour.stages())
        assert page.locator("[data-open-stage='5'] g.rv-evicted").count() == 1
        page.locator("[data-open-stage='6']").click()
        assert at(page) == stage(tour, 6)
        assert page.get_by_role("dialog").count() == 0


# ------------------------------------------------------------------------------------------------ words and panels
def test_the_language_changes_in_place(browser: Browser, html: str, tour: Timeline) -> None:
    """The frame stays and every word changes, without a round trip."""
    with opened(browser, html, frame=20) as page:
        page.get_by_role("button", name="中文").click()
        assert page.locator("[data-testid=player]").get_attribute("lang") == "zh-Hans"
        assert page.locator("[data-say]").text_content() == plain(narrate(tour, tour.frames[20], "zh").say)
        assert at(page) == 20


def test_panels_come_in_one_by_one(browser: Browser, html: str) -> None:
    """Tokens at 2, L_hit at 3, bar and locks at 5, the order of eviction at 8, in places kept from the beginning."""
    panels = {".rv-strips": 2, ".rv-numbers .rv-now-row": 3, ".rv-bar": 5, ".rv-locks >> nth=0": 5, ".rv-order": 8}
    with opened(browser, html) as page:
        for number in range(1, 10):
            page.keyboard.press(str(number))
            shown = {name for name in panels if page.locator(name).is_visible()}
            assert shown == {name for name, since in panels.items() if since <= number}
        page.keyboard.press("1")
        page.locator("[data-tool=expert]").click()
        assert all(page.locator(name).is_visible() for name in panels)


def test_a_term_explains_itself(browser: Browser, html: str, tour: Timeline) -> None:
    """To the pointer and to the focus, in the figure's colour; Esc and the next step take it away."""
    with opened(browser, html, frame=stage(tour, 5) + 4, lang="zh") as page:
        term = page.locator("[data-say] [data-term='glossary.evict'], [data-why] [data-term='glossary.evict']").first
        tip = page.get_by_role("tooltip")
        term.hover()
        assert say("zh", "glossary.evict.help") in (tip.text_content() or "")
        assert tip.locator(".rv-role-evicted").count() == 1
        page.keyboard.press("Escape")
        assert tip.count() == 0
        page.locator("[data-term='phase.decode']").focus()
        assert say("zh", "phase.decode.help") in (tip.text_content() or "")
        page.keyboard.press("ArrowRight")
        assert tip.count() == 0


def test_the_sentence_is_read_aloud(browser: Browser, html: str, tour: Timeline) -> None:
    """A live region gets the last sentence of a burst, with where it is."""
    with opened(browser, html) as page:
        for _ in range(8):
            page.keyboard.press("ArrowRight")
        told = f"Stage 3, Step 2 of 6. {plain(narrate(tour, tour.frames[8], 'en').say)}"
        page.wait_for_function("(told) => document.querySelector('.rv-spoken').textContent.startsWith(told)", arg=told)


def test_the_life_of_a_request_shows_the_eviction(browser: Browser, html: str, tour: Timeline) -> None:
    """The phase is lit, and the side track under it tells the pages short and the pages freed."""
    with opened(browser, html, frame=stage(tour, 5) + 4) as page:
        assert page.locator("[aria-current=step][data-phase-step]").get_attribute("data-phase-step") == "decode"
        assert page.locator(".rv-side-track").get_attribute("data-short") == "1"
        page.keyboard.press("ArrowRight")
        assert not page.locator(".rv-side-track").is_visible()


# ------------------------------------------------------------------------------------------------ address and server
def test_the_address_follows_and_back_goes_back(browser: Browser, html: str, tour: Timeline) -> None:
    """A step replaces the entry of the history, a stage adds one, and the browser's Back is followed."""
    with opened(browser, html, frame=stage(tour, 4)) as page:
        page.keyboard.press("ArrowRight")
        page.wait_for_url(re.compile(r"stage=4&frame=2&lang=en&ask=0$"))
        page.keyboard.press("7")
        page.wait_for_url(re.compile(r"stage=7&frame=1&lang=en&ask=0$"))
        page.go_back()
        page.wait_for_function(f"(index) => ({AT})() === index", arg=stage(tour, 4) + 1)
        assert page.url.endswith("stage=4&frame=2&lang=en&ask=0")


def test_the_server_is_told_the_absolute_frame_once(browser: Browser, html: str) -> None:
    """A burst is reported at its end, as one number."""
    with opened(browser, html) as page:
        page.clock.install(time=0)
        page.clock.pause_at(1000)
        for _ in range(12):
            page.keyboard.press("ArrowRight")
            page.clock.run_for(100)
        assert page.evaluate("() => window.reported") == []
        page.clock.run_for(1000)
        assert page.evaluate("() => window.reported") == [["frame", 12], ["address", "?stage=3&frame=6&lang=en&ask=0"]]


@pytest.mark.parametrize(
    ("key", "lang", "address"),
    [
        ("p", "en", "lang=en&ask=0&present=1"),
        ("q", "en", "lang=en"),
        ("l", "en", "lang=zh&ask=0"),
        ("l", "zh", "lang=both&ask=0"),
    ],
)
def test_how_it_is_seen_is_in_the_address_and_told_to_the_server(
    browser: Browser, html: str, tour: Timeline, key: str, lang: str, address: str
) -> None:
    """Each of its keys alone, so that a reload, a file that is saved and the links to other pages keep it."""
    with opened(browser, html, frame=stage(tour, 4), lang=lang) as page:
        page.keyboard.press(key)
        page.wait_for_url(re.compile(f"stage=4&frame=1&{address}$"))
        assert page.evaluate("() => window.reported") == [
            ["frame", stage(tour, 4)],
            ["address", f"?stage=4&frame=1&{address}"],
        ]
