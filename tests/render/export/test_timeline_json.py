from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from radixviz.errors import NotTimeline, TimelineCutOff, TimelineTooLarge, TimelineTooNew
from radixviz.model.folder import TINY, locate
from radixviz.model.tokenizer import TextTokenizer
from radixviz.render.export import timeline_json
from radixviz.render.export.timeline_json import read_timeline, read_timeline_file, write_timeline
from radixviz.scenario.dry_run import dry_run
from radixviz.scenario.loader import find_scenario, load_scenario
from radixviz.timeline import NodeMark, Timeline
from tests.render.small_timeline import frame, node, timeline

BOM = b"\xef\xbb\xbf"


def small() -> Timeline:
    """Return a timeline with a Chinese title, a node and bytes that are not UTF-8."""
    return timeline(frame([node(1, None, b"a\xff")], {1: NodeMark("hit", "SYS", "a", ("a",))}, stage="encore"))


def test_the_tour_comes_back_equal_and_is_written_with_the_same_bytes() -> None:
    """Every event, page, ghost and word of the nine stages survives the way out and back."""
    scenario = load_scenario(find_scenario("nine-stages"))
    tokenizer = TextTokenizer.from_folder(locate(TINY))
    tour = dry_run(scenario, tokenizer, page_size=scenario.page_size, pool_pages=scenario.pool_pages)
    data = write_timeline(tour)
    again = read_timeline(data, "tour.json")

    assert data.startswith(b'{"radixviz_timeline":1,"scenario":"nine-stages",')
    assert len(data) < timeline_json.MOST_BYTES / 10
    assert again == tour
    assert write_timeline(again) == data


def test_a_byte_order_mark_line_ends_of_windows_and_a_chinese_name_change_nothing(tmp_path: Path) -> None:
    """What an editor or a download may add is read over, and the file can be read again."""
    told = small()
    path = tmp_path / "时间线.json"
    path.write_bytes(BOM + json.dumps(json.loads(write_timeline(told)), indent=1).replace("\n", "\r\n").encode())

    assert read_timeline_file(path) == told
    assert read_timeline_file(path) == told


@pytest.mark.parametrize(
    "data", [b"", b"[]", b"{}", b"null", b"\xff\xfe{}", b"[" * 100_000, b'{"radixviz_timeline":true}', b"PK\x03\x04"]
)
def test_what_is_not_ours_is_refused(data: bytes) -> None:
    """Other JSON, other files and none at all are not timelines, whatever their name."""
    with pytest.raises(NotTimeline) as raised:
        read_timeline(data, "a.json")
    assert raised.value.file == "a.json"


def test_every_place_where_a_file_can_be_cut_off_is_noticed() -> None:
    """Whatever is missing at the end, in the middle of a character too, it is said that the file is not whole."""
    data = write_timeline(small())
    begun = len('{"radixviz_timeline":')
    for end in (begun, begun + 1, data.index("阶".encode()) + 1, *range(begun, len(data) - 1, 97), len(data) - 2):
        for before in (b"", BOM):
            with pytest.raises(TimelineCutOff):
                read_timeline(before + data[:end], "a.json")


def test_a_newer_version_and_too_many_bytes_are_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The version and the size are said beside what can be read; nothing large is read to find that out."""
    data = write_timeline(small())
    with pytest.raises(TimelineTooNew) as newer:
        read_timeline(data.replace(b'timeline":1', b'timeline":2', 1), "a.json")
    monkeypatch.setattr(timeline_json, "MOST_BYTES", 10)
    (tmp_path / "a.json").write_bytes(data)
    with pytest.raises(TimelineTooLarge) as larger:
        read_timeline_file(tmp_path / "a.json")

    assert newer.value.facts() == {"file": "a.json", "version": 2, "limit": 1}
    assert larger.value.facts() == {"file": "a.json", "size": len(data), "limit": 10}


def change(name: str, value: Any) -> bytes:
    """Return the small timeline with another value for a field of its first frame, or without it (None)."""
    whole = json.loads(write_timeline(small()))
    whole["frames"][0][name] = value
    if value is None:
        del whole["frames"][0][name]
    return json.dumps(whole).encode()


@pytest.mark.parametrize(
    ("name", "value", "place"),
    [
        ("index", None, "frames[0].index"),
        ("index", True, "frames[0].index"),
        ("index", "0", "frames[0].index"),
        ("phase", "sleep", "frames[0].phase"),
        ("colour", 1, "frames[0].colour"),
        ("labels", {"one": {}}, "frames[0].labels.one"),
        ("events", [{"event": "NodeEaten"}], "frames[0].events[0].event"),
        ("events", {}, "frames[0].events"),
        ("stage", 1.5, "frames[0].stage"),
    ],
)
def test_a_field_that_is_not_as_it_should_be_is_named(name: str, value: Any, place: str) -> None:
    """A field that is missing, of another type, unknown or of an unknown event is named by its place."""
    with pytest.raises(NotTimeline) as raised:
        read_timeline(change(name, value), "a.json")
    assert raised.value.facts() == {"file": "a.json", "detail": place}


def test_what_an_earlier_version_did_not_have_has_its_default() -> None:
    """A field with a default may be missing; one that nobody knows may not be there."""
    whole = json.loads(write_timeline(small()))
    del whole["frames"][0]["metrics"]["evictions"]
    del whole["frames"][0]["stop"]
    assert read_timeline(json.dumps(whole).encode(), "a.json") == small()
    whole["frames"][0]["metrics"]["smiles"] = 1
    with pytest.raises(NotTimeline) as raised:
        read_timeline(json.dumps(whole).encode(), "a.json")
    assert raised.value.detail == "frames[0].metrics.smiles"


def test_a_file_that_cannot_be_read_is_told_by_the_systems_name(tmp_path: Path) -> None:
    """None is there, or a folder is: the word lists explain these."""
    (tmp_path / "folder.json").mkdir()
    for name, detail in (("none.json", "ENOENT"), ("folder.json", "EISDIR")):
        with pytest.raises(NotTimeline) as raised:
            read_timeline_file(tmp_path / name)
        assert raised.value.facts() == {"file": name, "detail": detail}
