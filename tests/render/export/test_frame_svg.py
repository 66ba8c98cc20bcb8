from __future__ import annotations

import io
import re
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import pytest
from PIL import Image

from radixviz.errors import BadFont, NoChineseFont
from radixviz.render.export import png
from radixviz.render.export.frame_svg import frame_svg, frame_title, wrapped
from radixviz.render.export.png import svg_to_png
from radixviz.render.layout import find_engine
from radixviz.render.narrate import narrate
from radixviz.render.spans import Span, plain
from radixviz.timeline import NodeMark, Timeline
from tests.render.small_timeline import frame, node, timeline

SVG = "{http://www.w3.org/2000/svg}"
FONT_FOLDERS = [Path("/usr/share/fonts"), Path("C:/Windows/Fonts"), Path("/Library/Fonts")]


@pytest.fixture
def told() -> Timeline:
    """One frame with two nodes, one of them hit."""
    nodes = [node(1, None, "a <b> & c"), node(2, 1, "]]>", slot=12)]
    told = timeline(frame(nodes, {1: NodeMark("hit", "SYS"), 2: NodeMark("new", "A1")}))
    return replace(told, script=replace(told.script, title={"en": "x", "zh": "题"}))


@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize("engine", [find_engine(), None], ids=["drawn", "text"])
def test_a_frame_is_one_svg_with_title_sentence_and_tree(told: Timeline, lang: str, engine: Path | None) -> None:
    """It is well-formed, refers to nothing outside, has no CSS variable; where, what and why stand over the tree."""
    svg = frame_svg(told, told.frames[0], lang, engine)
    root = ElementTree.fromstring(svg)
    lines = {
        css: " ".join("".join(text.itertext()) for text in root.findall(f"{SVG}text[@class='{css}']"))
        for css in ("where", "say", "why")
    }
    sentence = narrate(told, told.frames[0], lang)
    joined = " " if lang == "en" else ""

    assert re.findall(r"var\(|url\(|href=|<script|@import", svg) == []
    assert lines["where"] == frame_title(told, told.frames[0], lang)
    assert re.sub(" +", joined, lines["say"]).strip() == re.sub(" +", joined, plain(sentence.say)).strip()
    assert re.sub(" +", joined, lines["why"]).strip() == re.sub(" +", joined, plain(sentence.why)).strip()
    everything = "".join(root.itertext())
    assert "SYS" in everything
    assert "a <b> & c" in everything


def test_a_long_sentence_is_wrapped_between_words_and_no_stop_begins_a_line() -> None:
    """English breaks at spaces, Chinese between characters; a span's role goes on in the next line."""
    english = wrapped([Span("one two "), Span("three four", "hit"), Span(".")], 9)
    chinese = wrapped([Span("回答已写，每次 token 写一个。")], 10)

    assert [plain(line) for line in english] == ["one two ", "three ", "four."]
    assert {span.role for span in english[1] if span.text != " "} == {"hit"}
    assert [plain(line).rstrip() for line in chinese] == ["回答已写，", "每次 token", "写一个。"]
    assert wrapped([], 10) == []


def test_a_png_is_drawn_at_twice_the_size_with_the_looks_colours(told: Timeline) -> None:
    """The PNG has two pixels for each of the SVG's, and the blue of a hit and the green of what is new are in it."""
    svg = frame_svg(told, told.frames[0], "en", find_engine())
    root = ElementTree.fromstring(svg)
    picture = Image.open(io.BytesIO(svg_to_png(svg))).convert("RGB")
    colours = {colour for _, colour in picture.getcolors(1 << 20) or []}

    assert picture.width == round(float(root.attrib["width"]) * 2)
    assert {(0x00, 0x72, 0xB2), (0x00, 0x9E, 0x73), (0xFD, 0xFD, 0xFB)} <= colours


def test_without_a_font_for_chinese_nothing_is_drawn(told: Timeline, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where no font has Chinese the picture is refused; a picture without Chinese is drawn."""
    drawn = png._render
    monkeypatch.setattr(png, "_render", lambda svg, font, *, zoom=1.0, system=True: drawn(svg, font, system=False))

    with pytest.raises(NoChineseFont):
        svg_to_png(frame_svg(told, told.frames[0], "zh", find_engine()))
    assert svg_to_png(frame_svg(told, told.frames[0], "en", None))[:4] == b"\x89PNG"


def test_a_file_that_is_no_font_is_named(told: Timeline, tmp_path: Path) -> None:
    """A file of anything else, or none at all, is refused by its name."""
    (tmp_path / "a.ttf").write_bytes(b"no font")
    for name in ("a.ttf", "none.ttf"):
        with pytest.raises(BadFont) as raised:
            svg_to_png("<svg/>", tmp_path / name)
        assert raised.value.facts() == {"file": str(tmp_path / name)}


@pytest.mark.parametrize("engine", [find_engine(), None], ids=["drawn", "text"])
def test_a_line_with_chinese_has_a_font_for_chinese(told: Timeline, engine: Path | None) -> None:
    """Such a line asks for a sans serif that has it: resvg would take any other font, serifs too."""
    long = timeline(frame([node(1, None, "word " * 40)], {1: NodeMark("new", "A1")}))
    svg = {lang: frame_svg(long, long.frames[0], lang, engine) for lang in ("en", "zh")}
    assert re.findall(r'<text class="rv-text rv-wide"[^>]*>', svg["en"]) == []
    assert "个 token" in "".join(re.findall(r'<text class="rv-text rv-wide"[^>]*>.*?</text>', svg["zh"]))
    assert re.search(r"\.rv-wide\{font-family:'Noto Sans Mono CJK SC'", svg["zh"])
    assert re.search(r"text\{font-family:'PingFang SC'", svg["zh"])
    assert re.search(r"text\{font-family:'Noto Sans'", svg["en"])


def test_a_font_that_is_named_draws_what_the_system_cannot(monkeypatch: pytest.MonkeyPatch) -> None:
    """On a machine without fonts a file's letters appear; one that lacks Chinese does not pass for one that has it."""
    font = next((path for folder in FONT_FOLDERS for path in sorted(folder.rglob("DejaVuSans.ttf"))), None)
    if font is None:
        pytest.skip("no DejaVu Sans on this machine")
    drawn = png._render
    monkeypatch.setattr(png, "_render", lambda svg, font, *, zoom=1.0, system=True: drawn(svg, font, system=False))
    text = '<text y="20" font-family="sans-serif">{}</text>'
    letter = f'<svg xmlns="http://www.w3.org/2000/svg" width="24" height="24">{text}</svg>'

    png.check_font(font)
    assert svg_to_png(letter.format("a"), font) != svg_to_png(letter.format("a"))
    with pytest.raises(NoChineseFont):
        svg_to_png(letter.format("页"), font)
