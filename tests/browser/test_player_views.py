"""The player's views: tree, token strip, page map and inspector, each as it stands in a real browser."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from radixviz.render.frame_pages import freed_pages
from radixviz.timeline import Timeline
from tests.browser.bare_player import SETTLED_MILLISECONDS, Story, bare_player
from tests.render.small_timeline import frame, node, timeline

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

SHOWN = """() => {
  const all = (css, read) => [...document.querySelectorAll(css)].map(read);
  const number = (element, name) => Number(element.dataset[name]);
  return {
    box: document.querySelector(".rv-linked[data-key]")?.dataset.key ?? null,
    tokens: all(".rv-strip", (strip) => [strip.dataset.sequence,
      [...strip.querySelectorAll(".rv-linked[data-token]")].map((token) => number(token, "token"))]),
    pages: all(".rv-linked[data-page]", (cell) => number(cell, "page")),
  };
}"""
GO = "(frame) => player.store.set({ frame })"
WALK = """(count) => Array.from({ length: count }, (_, frame) => {
  player.store.set({ frame });
  const box = (element) => { const b = element.getBoundingClientRect(); return [b.left, b.top, b.right, b.bottom]; };
  const size = (text) => parseFloat(getComputedStyle(text).fontSize) * text.getScreenCTM().a;
  const active = [...document.querySelectorAll("[data-node]:not([data-look=cached]), [data-running]")];
  const texts = [...document.querySelectorAll(".rv-tree-svg text")].filter((text) => text.textContent);
  const pane = document.querySelector(".rv-tree");
  return {
    words: [box(document.querySelector("[data-say]")), box(document.querySelector("[data-why]"))],
    active: active.map(box), pane: box(pane),
    frame: [".rv-say", ".rv-tree", ".rv-side", ".rv-strips"].map((css) => box(document.querySelector(css))),
    smallest: Math.min(99, ...texts.map(size)),
    wide: document.documentElement.scrollWidth, high: document.documentElement.scrollHeight,
  };
})"""
"""What is where in each frame."""
HOSTILE = {
    "quotes": "say \"no\" and 'yes' `now`",
    "backslashes": "C:\\temp\\n \\\\ \\l \\N",
    "markup": "<b>x</b><img src=x onerror=alert(1)>&amp;&lt;",
    "script": "</script><script>document.title = 'ran'</script>",
    "template": "<|im_start|>user<|im_end|>",
    "record": "{a|b} {n} ${x} {{y}}",
    "formula": "$x$ \\(y\\) **bold** _it_ # h",
    "lines": "one\ntwo\r\n\tthree\n\n",
    "emoji": "smile 😀 family 👩‍👩‍👧 flag 🇨🇳",
    "chinese": "基数树把公共前缀只存一次，页不动。",
    "arabic": "مرحبا بالعالم and back",
    "controls": "a\x00b\x1bc\x7fd\u202ee\u200bf",
    "long": "word " * 1000,
}


@pytest.fixture(scope="module")
def story() -> Timeline:
    """A turn, a second session that splits its edge, an eviction, and four samples of one question."""
    told = Story(48, {"S#1": "one.", "S#2": "two.", "S#3": "six.", "S#4": "ten."})
    told.stage("A", "Be kind. Hello", 4)
    told.stage("B", "Be kind. What now", 4)
    told.stage("C", "Another beginning 123", 4)
    told.stage("S", "Be kind. Count", 4, samples=4)
    return told.told()


def _frame(told: Timeline, stage: int, event: str | None = None, phase: str | None = None) -> int:
    """Return the index of the first frame of a stage in which this happened, or of this phase."""
    frames = told.stage_frames(stage)
    return next(
        frame.index
        for frame in frames
        if (phase is None or frame.phase == phase)
        and (event is None or any(type(one).__name__ == event for one in frame.events))
    )


def _at(page: Page, frame: int) -> None:
    page.evaluate(GO, frame)


def _linked(page: Page) -> dict[str, Any]:
    found: dict[str, Any] = page.evaluate(SHOWN)
    return found


def _inside(box: list[float], frame: list[float]) -> bool:
    """Tell whether a box (left, top, right, bottom) lies in the frame; the half of a stroke may stand out."""
    return frame[0] - 1 <= box[0] and frame[1] - 1 <= box[1] and box[2] <= frame[2] + 1 and box[3] <= frame[3] + 1


def test_a_node_a_token_and_a_page_light_the_same_tokens(browser: Browser, story: Timeline) -> None:
    """Whatever of the three the pointer rests on, the box, the tokens and the pages that belong together light up."""
    with bare_player(browser, story, frame=_frame(story, 2, phase="done")) as (page, wrong):
        upper = page.locator("[data-node]").first
        upper.hover()
        node = _linked(page)
        assert node["tokens"] == [["B", list(range(9))]]
        assert node["pages"] == list(range(1, 10))
        page.locator("[data-token='3']").hover()
        token = _linked(page)
        assert (token["box"], token["tokens"], token["pages"]) == (node["box"], [["B", [3]]], [4])
        page.locator("[data-page='4']").hover()
        assert _linked(page) == token
        page.locator("[data-page='4']").click()
        page.mouse.move(1, 1)
        assert _linked(page) == token
        page.keyboard.press("Escape")
        assert _linked(page) == {"box": None, "tokens": [["B", []]], "pages": []}
        assert wrong == []


def test_four_samples_are_seen_to_share_one_prompt(browser: Browser, story: Timeline) -> None:
    """The node of the question lights its tokens in all four strips, and its pages once."""
    with bare_player(browser, story, frame=_frame(story, 4, phase="decode")) as (page, _):
        locked = page.locator("[data-node][data-lock='4']").last
        tokens = int(locked.get_attribute("data-tokens") or 0)
        locked.hover()
        found = _linked(page)
        assert [name for name, _ in found["tokens"]] == ["S#1", "S#2", "S#3", "S#4"]
        assert {tuple(lit) for _, lit in found["tokens"]} == {tuple(range(9, 9 + tokens))}
        assert len(found["pages"]) == tokens


def test_a_split_opens_one_box_into_two_and_pages_keep_their_numbers(browser: Browser, story: Timeline) -> None:
    """In the frame of a split the pages of both parts are those of the one box before, and the cut is shown."""
    pages = """() => [...document.querySelectorAll("[data-node]")].map((node) => {
      node.dispatchEvent(new PointerEvent("pointerover", { bubbles: true }));
      return [...document.querySelectorAll(".rv-linked[data-page]")].map((cell) => Number(cell.dataset.page));
    })"""
    split = _frame(story, 2, "NodeSplit")
    with bare_player(browser, story, frame=split - 1) as (page, _):
        [before] = page.evaluate(pages)
        assert page.locator(".rv-cut").count() == 0
        _at(page, split)
        assert page.locator(".rv-open").count() == 1
        upper, lower = page.evaluate(pages)
        assert upper + lower == before
        assert page.locator(".rv-cut").count() == 1
        page.evaluate("() => player.store.set({ expert: true })")
        assert page.locator(".rv-page-numbers").all_text_contents() == ["p. 1–9", f"p. 10–{before[-1]}"]
        _at(page, split + 1)
        assert page.locator(".rv-cut").count() == 0


def test_evicted_nodes_stay_to_the_end_of_their_stage(browser: Browser, story: Timeline) -> None:
    """A ghost is dashed and keeps its box in every frame of its stage; with the next stage it is gone."""
    gone = _frame(story, 4, "NodeEvicted")
    ghosts = "[data-look=evicted]"
    with bare_player(browser, story, frame=gone - 1) as (page, _):
        assert page.locator(ghosts).count() == 0
        _at(page, gone)
        freed = page.locator("[data-page].rv-p-just_freed").count()
        assert freed == len(freed_pages(story.frames[gone])) > 0
        key = page.locator(ghosts).first.get_attribute("data-key")
        dashes = "(element) => getComputedStyle(element.querySelector('.rv-frame')).strokeDasharray"
        assert page.locator(ghosts).first.evaluate(dashes) != "none"
        for frame in range(gone, len(story.frames)):
            _at(page, frame)
            assert page.locator(f"{ghosts}[data-key={key}]").count() == 1
        assert page.locator("[data-page].rv-p-just_freed").count() == 0


def test_ghosts_leave_with_the_next_stage(browser: Browser, tour: Timeline) -> None:
    """At the first frame of stage 6 the node evicted in stage 5 is no longer in the tree, not even for a moment."""
    end = tour.last_frame(5).index
    with bare_player(browser, tour, frame=end) as (page, wrong):
        assert page.locator("[data-look=evicted]").count() == 1
        _at(page, end + 1)
        assert page.locator("[data-look=evicted]").count() == 0
        assert page.locator("[data-node]").count() == len(tour.frames[end + 1].tree.nodes)
        assert wrong == []


def test_every_movement_is_over_in_time(browser: Browser, story: Timeline) -> None:
    """No animation or transition of any frame lasts longer than 450 ms, its delay included."""
    longest = """async (count) => {
      let most = 0, moved = 0;
      for (let frame = 1; frame < count; frame += 1) {
        await new Promise((resolve) => setTimeout(resolve, 170));
        player.store.set({ frame });
        for (const one of document.getAnimations()) {
          most = Math.max(most, one.effect.getComputedTiming().endTime);
          moved += 1;
        }
      }
      return [most, moved];
    }"""
    with bare_player(browser, story) as (page, _):
        most, moved = page.evaluate(longest, len(story.frames))
        assert 0 < most <= SETTLED_MILLISECONDS
        assert moved > len(story.frames)


def test_the_path_lights_up_in_step_in_the_three_views(browser: Browser, tour: Timeline) -> None:
    """At a look-up the matched tokens and their pages light up together, one after the other, from the root."""
    start = tour.stage_frames(3)[0].index
    look = """() => {
      const number = (one) => one.dataset.token ?? one.dataset.page;
      const dark = (css) => Array.from(document.querySelectorAll(css + ".rv-dark"), number);
      const box = document.querySelector("[data-node].rv-light");
      return [dark("[data-token]"), dark("[data-page]"), box.style.getPropertyValue("--rv-start")];
    }"""
    with bare_player(browser, tour, frame=start - 2) as (page, _):
        page.clock.install(time=0)
        page.clock.pause_at(1000)
        for index in (start - 1, start):
            page.clock.run_for(1000)  # who steps quickly is shown no movement
            _at(page, index)
        seen = []
        while (now := page.evaluate(look))[0]:
            seen.append(now)
            page.clock.run_for(16)
        left = now[1]
        prefix = tour.frames[start].sequences[0].prefix_len
        assert len(seen[0][0]) == prefix
        assert left == []
        for tokens, pages, box_start in seen:
            assert tokens == [str(token) for token in range(prefix - len(tokens), prefix)]
            assert pages == [str(token + 1) for token in range(prefix - len(tokens), prefix)]
            assert box_start == "0ms"
        assert len({len(tokens) for tokens, _, _ in seen}) > 10


def test_reduced_motion_is_honoured(browser: Browser, story: Timeline) -> None:
    """Who asks the system for less motion sees none: each frame stands at once."""
    with bare_player(browser, story, reduced_motion="reduce") as (page, _):
        for frame in range(1, len(story.frames)):
            page.wait_for_timeout(20)
            _at(page, frame)
            assert page.evaluate("() => document.getAnimations().length") == 0
            assert page.locator(".rv-light, .rv-dark, .rv-enter, .rv-open, .rv-gone > *").count() == 0


def test_a_burst_of_steps_queues_nothing(browser: Browser, tour: Timeline) -> None:
    """After all frames in one go the last one stands, and what still moves is over in time."""
    burst = """(count) => {
      for (let frame = 0; frame < count; frame += 1) player.store.set({ frame });
      return Math.max(0, ...document.getAnimations().map((one) => one.effect.getComputedTiming().endTime));
    }"""
    with bare_player(browser, tour) as (page, wrong):
        assert page.evaluate(burst, len(tour.frames)) <= SETTLED_MILLISECONDS
        assert page.locator("[data-testid=player]").get_attribute("data-stage") == "encore"
        last = tour.frames[-1]
        assert page.locator("[data-node]").count() == len(last.tree.nodes) + len(last.ghosts)
        assert page.locator("[data-page]").count() == 300
        assert wrong == []


@pytest.mark.parametrize(("width", "height"), [(1280, 800), (1920, 1080)])
@pytest.mark.parametrize("lang", ["en", "zh"])
def test_words_and_active_path_are_in_view_at_every_frame(
    browser: Browser, tour: Timeline, width: int, height: int, lang: str
) -> None:
    """Sentence and active path are wholly in view, the parts of the page never move, and no text is below 11 px."""
    with bare_player(browser, tour, lang=lang, width=width, height=height, reduced_motion="reduce") as (page, wrong):
        frames = page.evaluate(WALK, len(tour.frames))
        for index, now in enumerate(frames):
            assert (now["wide"], now["high"]) == (width, height)
            assert all(_inside(box, [0, 0, width, height]) for box in now["words"]), index
            assert all(_inside(box, now["pane"]) for box in now["active"]), index
            assert now["smallest"] >= 11
            assert now["frame"] == frames[0]["frame"], index
        assert wrong == []


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_a_narrow_screen_shows_the_active_path_at_full_size(browser: Browser, tour: Timeline, lang: str) -> None:
    """At 390 px the tree scrolls to what happens, texts keep 11 px, and the page itself never scrolls sideways."""
    with bare_player(browser, tour, lang=lang, width=390, height=844, reduced_motion="reduce") as (page, wrong):
        for now in page.evaluate(WALK, len(tour.frames)):
            left, _, right, _ = now["pane"]
            assert now["smallest"] >= 11
            assert not now["active"] or any(box[0] < right and box[2] > left for box in now["active"])
            assert now["wide"] <= 390
        assert wrong == []


@pytest.mark.parametrize("name", sorted(HOSTILE))
def test_hostile_texts_are_shown_and_never_run(browser: Browser, name: str) -> None:
    """Such a text is one box, is exact in the inspector and in the strip, and nothing in it runs."""
    text = HOSTILE[name]
    told = Story(6000)
    told.stage("A", text, 1)
    with bare_player(browser, told.told(), frame=5) as (page, wrong):
        nodes = page.locator("[data-node]")
        assert nodes.count() == 1
        assert int(nodes.get_attribute("data-tokens") or 0) == len(text.encode())
        lines = nodes.locator(".rv-text").all_text_contents()
        assert 1 <= len(lines) <= 3
        assert all(line.strip() and not set(line) & set("\n\r\t\x00\x1b\x7f\u202e") for line in lines)
        nodes.click()
        assert page.locator("[data-fact=text]").evaluate("(element) => element.textContent") == text
        ids = page.locator("[data-fact=ids]").text_content() or ""
        assert [int(one) for one in ids.removesuffix(" …").split()] == list(text.encode())[:2000]
        assert page.title() == "player"
        assert (
            page.locator("[data-testid=player] :is(b, img, script)").evaluate_all(
                "(found) => found.filter((one) => one.closest('[data-node], dd, .rv-tokens')).length"
            )
            == 0
        )
        assert wrong == []


def test_the_inspector_tells_everything_about_a_node(browser: Browser, story: Timeline) -> None:
    """Text, ids, pages, who holds it, last use, hits, and its place in the eviction order with the reason."""
    decode = _frame(story, 2, phase="decode")
    with bare_player(browser, story, frame=decode) as (page, wrong):
        page.locator("[data-node][data-lock='1']").first.click()
        facts = """() => Object.fromEntries(
          [...document.querySelectorAll("[data-fact]")].map((dd) => [dd.dataset.fact, dd.textContent]))"""
        found = page.evaluate(facts)
        first = story.frames[decode].tree.nodes[0]
        assert found == {
            "tokens": "9",
            "text": "Be kind. ",
            "ids": " ".join(str(token) for token in first.token_ids),
            "pages": "1–9",
            "lock_ref": "1 · B",
            "last_access": str(first.last_access),
            "hit_count": str(first.hit_count),
            "order": "stays: 1 running request holds it",
        }
        _at(page, _frame(story, 2, phase="done"))
        assert page.evaluate(facts)["lock_ref"] == "0"
        assert page.evaluate(facts)["order"].startswith("no. 3")
        _at(page, 0)
        assert page.evaluate(facts) == {"look": "Not in the tree at this step."}
        page.get_by_role("button", name="Close").click()
        assert page.locator("[data-testid=inspector]").is_hidden()
        assert wrong == []


def test_every_node_is_reached_and_chosen_by_keyboard(browser: Browser, story: Timeline) -> None:
    """Nodes are items of a tree with a spoken label; arrows move the focus, Enter and Space choose."""
    with bare_player(browser, story, frame=_frame(story, 2, phase="done")) as (page, _):
        items = page.get_by_role("tree").get_by_role("treeitem")
        assert items.count() == 3
        for item in items.all():
            assert f"{item.get_attribute('data-tokens')} tokens" in (item.get_attribute("aria-label") or "")
            assert item.get_attribute("tabindex") == "0"
        assert [item.get_attribute("aria-level") for item in items.all()] == ["1", "2", "2"]
        items.first.focus()
        assert _linked(page)["box"] == items.first.get_attribute("data-key")
        page.keyboard.press("ArrowDown")
        assert items.nth(1).evaluate("(item) => item === document.activeElement")
        frame = page.locator("[data-testid=player]").get_attribute("data-frame")
        for key in ("Enter", " "):
            page.keyboard.press(key)
            chosen = items.nth(1).get_attribute("aria-selected")
            assert chosen == ("true" if key == "Enter" else None)
        assert page.locator("[data-testid=player]").get_attribute("data-frame") == frame


def test_the_tree_is_zoomed_dragged_and_fitted(browser: Browser, story: Timeline) -> None:
    """The wheel enlarges around the pointer, dragging moves what is too large, and one button shows all again."""
    size = "(svg) => svg.getBoundingClientRect().width"
    with bare_player(browser, story, frame=len(story.frames) - 1) as (page, _):
        drawing = page.locator(".rv-tree-svg")
        fitted = drawing.evaluate(size)
        drawing.hover()
        page.mouse.wheel(0, -400)
        page.wait_for_function(
            f"(fitted) => ({size})(document.querySelector('.rv-tree-svg')) > fitted * 1.3", arg=fitted
        )
        before = drawing.evaluate("(svg) => svg.getBoundingClientRect().left")
        box = page.locator(".rv-tree").bounding_box()
        assert box is not None
        x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
        page.mouse.move(x, y)
        page.mouse.down()
        page.mouse.move(x - 60, y, steps=3)
        page.mouse.up()
        assert drawing.evaluate("(svg) => svg.getBoundingClientRect().left") == pytest.approx(before - 60, abs=2)
        assert page.locator("[data-testid=inspector]").is_hidden()
        page.locator("[data-zoom='0']").click()
        assert drawing.evaluate(size) == pytest.approx(fitted, abs=1)


def test_two_fingers_zoom_and_one_scrolls(browser: Browser, story: Timeline) -> None:
    """Fingers that part enlarge the tree, fingers that close show all again; the page itself keeps its size."""
    size = "() => document.querySelector('.rv-tree-svg').getBoundingClientRect().width"
    with bare_player(browser, story, frame=len(story.frames) - 1, has_touch=True) as (page, wrong):
        hand = page.context.new_cdp_session(page)
        box = page.locator(".rv-tree").bounding_box()
        assert box is not None
        x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2

        def move(*apart: int) -> None:
            for kind, half in [("touchStart", apart[0]), *(("touchMove", half) for half in apart)]:
                points = [{"x": x - half, "y": y, "id": 0}, {"x": x + half, "y": y, "id": 1}]
                hand.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})
            hand.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})

        fitted = page.evaluate(size)
        move(40, 60, 80)
        assert page.evaluate(size) == pytest.approx(2 * fitted, rel=0.05)
        assert page.evaluate("visualViewport.scale") == 1
        move(80, 40)
        assert page.evaluate(size) == pytest.approx(fitted, abs=1)
        assert wrong == []


def test_a_large_tree_is_folded_with_counts(browser: Browser) -> None:
    """Of 300 nodes at most 60 are drawn, and what is folded is counted at the box above it."""
    tops = [node(number, None, f"{number} group", slot=100 * number) for number in range(1, 16)]
    leaves = [node(16 + n, 1 + n % 15, f"{n} leaf", slot=1600 + 10 * n) for n in range(285)]
    told = timeline(frame([*tops, *leaves], pages=4500), pages=4500)
    with bare_player(browser, told) as (page, wrong):
        counts = [int(text.split()[0]) for text in page.locator(".rv-fold").all_text_contents()]
        assert page.locator("[data-node]").count() <= 60
        assert page.locator("[data-node]").count() + sum(counts) == 300
        assert wrong == []


CROSSED = """() => {
  const labels = [...document.querySelectorAll(".rv-page-numbers")].map((label) => label.getBoundingClientRect());
  const points = (edge) => {
    const [length, matrix] = [edge.getTotalLength(), edge.getScreenCTM()];
    return Array.from({ length: 200 }, (_, n) => edge.getPointAtLength(length * n / 199).matrixTransform(matrix));
  };
  const isIn = ({ x, y }, box) => box.left < x && x < box.right && box.top < y && y < box.bottom;
  const crossing = [...document.querySelectorAll(".rv-edge")].flatMap(points);
  return [labels.length, crossing.filter((point) => labels.some((box) => isIn(point, box))).length];
}"""


def test_where_ranks_are_near_no_edge_crosses_the_numbers_of_the_pages(browser: Browser, tour: Timeline) -> None:
    """In the encore, whose tree is deep, they stand on the frames of the boxes."""
    frames = tour.stage_frames("encore")
    with bare_player(browser, tour, frame=frames[0].index, reduced_motion="reduce") as (page, wrong):
        for frame in frames:
            _at(page, frame.index)
            labels, crossed = page.evaluate(CROSSED)
            assert (labels > 0, crossed) == (True, 0), frame.stage_frame
        assert wrong == []
