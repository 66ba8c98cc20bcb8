"""The verb `export`: what it writes, and what it says to bad input."""

from __future__ import annotations

from pathlib import Path

import pytest

from radixviz.__main__ import main
from radixviz.errors import UnknownFrame
from radixviz.export_command import find_frame
from radixviz.render.export import chromium
from radixviz.render.export.frame_svg import frame_svg
from radixviz.render.export.timeline_json import write_timeline
from radixviz.render.layout import find_engine
from tests.render.small_timeline import frame, node, timeline


def test_a_standalone_file_is_written(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The file begins at the frame that was asked for, in the language; its name is all that stdout says."""
    target = tmp_path / "tour.HTML"
    status = main(["export", "nine-stages", "--to", str(target), "--frame", "2.1", "--lang", "zh"])
    output = capsys.readouterr()
    html = target.read_text(encoding="utf-8")

    assert (status, output.out) == (0, f"{target}\n")
    assert html.startswith('<!doctype html>\n<html lang="zh-Hans">')
    assert '{"frame":1,"lang":"zh",' in html
    assert html.endswith("</html>\n")


def test_an_exported_timeline_is_read_again_and_written_as_anything_else(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A .json in the place of the scenario needs no model; as JSON again it is the same bytes."""
    told = timeline(frame([node(1, None, "abc")]), frame([node(1, None, "abc")], index=1, stage_frame=2))
    source = tmp_path / "一.json"
    source.write_bytes(b"\xef\xbb\xbf" + write_timeline(told))
    for ending in (".json", ".svg", ".png", ".html"):
        target = tmp_path / f"out{ending}"
        chosen = [] if ending == ".json" else ["--frame", "1.2"]
        assert main(["export", str(source), "--to", str(target), *chosen]) == 0
        assert capsys.readouterr() == (f"{target}\n", "")
    written = {ending: (tmp_path / f"out{ending}").read_bytes() for ending in (".json", ".svg", ".png", ".html")}

    assert written[".json"] == write_timeline(told)
    assert written[".svg"] == frame_svg(told, told.frames[1], "en", find_engine()).encode()
    assert written[".png"][:4] == b"\x89PNG"
    assert b'{"frame":1,' in written[".html"]


@pytest.mark.parametrize(
    ("arguments", "wanted"),
    [
        (["--to", "FOLDER/none/a.html"], "none"),
        (["--to", "FOLDER/a.docx"], ".docx"),
        (["--to", "FOLDER/a"], ".html"),
        (["--to", "FOLDER/old.html", "--frame", "five"], "five"),
        (["--to", "FOLDER/old.html", "--frame", "10.1"], "encore"),
        (["--to", "FOLDER/old.html", "--model", "gpt-9"], "gpt-9"),
        *((["--to", f"FOLDER/a{ending}", "--frame", "2.1"], ending) for ending in (".gif", ".webp", ".json", ".pdf")),
        *(
            (["--to", f"FOLDER/a{ending}", "--font", "FOLDER/old.html"], ending)
            for ending in (".html", ".svg", ".json")
        ),
        (["--to", "FOLDER/a.html", "--as", "handout", "--frame", "2.1"], "handout"),
        (["--to", "FOLDER/a.png", "--font", "FOLDER/old.html"], "old.html"),
        (["--to", "FOLDER/a.png", "--font", "FOLDER/none.ttf"], "none.ttf"),
        ([], "to"),
    ],
)
def test_bad_input_gets_one_clear_line_and_what_was_there_stays(
    arguments: list[str], wanted: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Exit status 2, nothing on stdout, one sentence in the reader's language that names the value; no file is made."""
    (tmp_path / "old.html").write_bytes(b"old")
    given = [word.replace("FOLDER", str(tmp_path)) for word in arguments]
    for language in ("en", "zh"):
        status = main(["export", "nine-stages", *given, "--lang", language])
        output = capsys.readouterr()
        last = output.err.splitlines()[-1]

        assert (status, output.out) == (2, "")
        assert wanted in last
        assert any("\u4e00" <= letter <= "\u9fff" for letter in last) == (language == "zh"), last
    assert [(path.name, path.read_bytes()) for path in tmp_path.iterdir()] == [("old.html", b"old")]


def test_a_frame_is_found_by_its_stage_and_its_number() -> None:
    """Numbers count from 1 within the stage; one beyond its end is named with the limit."""
    told = timeline(frame(), frame(index=1, stage="encore"), frame(index=2, stage="encore", stage_frame=2))

    assert find_frame(told, "encore.2", "en") is told.frames[2]
    for wrong in ("encore.0", "encore.3"):
        with pytest.raises(UnknownFrame) as raised:
            find_frame(told, wrong, "en")
        assert raised.value.facts() == {"name": wrong, "limit": 2}


def test_printed_pages_are_written_in_both_languages(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Handout, worksheet and key are .html files of their own kind; `both` has both titles."""
    source = tmp_path / "a.json"
    source.write_bytes(write_timeline(timeline(frame([node(1, None, "abc")]))))
    kinds = {"handout": ("Handout", "讲义"), "worksheet": ("Worksheet", "练习"), "key": ("Answer key", "答案")}
    for kind, titles in kinds.items():
        target = tmp_path / f"{kind}.html"
        assert main(["export", str(source), "--to", str(target), "--as", kind, "--lang", "both"]) == 0
        assert capsys.readouterr() == (f"{target}\n", "")
        assert [title in target.read_text(encoding="utf-8") for title in titles] == [True, True]


@pytest.mark.parametrize(
    ("arguments", "wanted"),
    [
        (["--to", "FOLDER/a.html", "--as", "poster"], "handout, worksheet, key"),
        (["--to", "FOLDER/a.svg", "--as", "handout"], ".svg"),
        *(
            (["--to", f"FOLDER/a{kind}", "--lang", "both"], f"A {kind} file takes one language, en or zh: both is for")
            for kind in (".json", ".png")
        ),
    ],
)
def test_what_cannot_be_printed_is_said(
    arguments: list[str], wanted: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A kind that nobody knows, a file that is no page, and both languages in what is no page."""
    given = [word.replace("FOLDER", str(tmp_path)) for word in arguments]
    assert main(["export", "nine-stages", *given]) == 2
    output = capsys.readouterr()
    assert output.out == ""
    assert len(output.err.splitlines()) == 1
    assert wanted in output.err
    assert list(tmp_path.iterdir()) == []


def test_without_a_chromium_a_pdf_is_refused_before_the_model_is_loaded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """One sentence says how to print instead, and what was there stays."""
    (tmp_path / "a.pdf").write_bytes(b"old")
    monkeypatch.setattr(chromium, "find_chromium", lambda: None)
    assert main(["export", "nine-stages", "--to", str(tmp_path / "a.pdf"), "--lang", "zh"]) == 2
    assert ".html" in capsys.readouterr().err
    assert (tmp_path / "a.pdf").read_bytes() == b"old"
