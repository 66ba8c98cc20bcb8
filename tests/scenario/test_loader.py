from __future__ import annotations

from pathlib import Path

import pytest

from radixviz.errors import BadScenario, UnknownScenario
from radixviz.scenario.loader import find_scenario, load_scenario
from radixviz.scenario.schema import Bind, Continues, Expect, Gloss, Words
from tests.scenario.small_scenario import SMALL, edited


def load(folder: Path, text: str) -> BadScenario:
    """Return the error that loading this text ends with."""
    path = folder / "small.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(BadScenario) as caught:
        load_scenario(path)
    return caught.value


def test_a_scenario_is_read_with_all_its_parts(tmp_path: Path) -> None:
    """Every table of the file arrives in its field, and what is left out has its default."""
    path = tmp_path / "small.toml"
    path.write_text(SMALL, encoding="utf-8")

    scenario = load_scenario(path)

    assert (scenario.page_size, scenario.pool_pages) == (1, 40)
    assert (scenario.id, scenario.title) == ("small", Words(en="Small", zh="小"))
    assert [request.id for request in scenario.request] == ["A1", "A2", "F1", "E1"]
    assert scenario.request[2].sequence_ids() == ("F1#1", "F1#2")
    assert [request.reply_lengths() for request in scenario.request] == [(2,), (3,), (1, 2), (1,)]
    assert scenario.request[2].gloss == Gloss(text="三", replies=("四", "五"))
    assert scenario.request[3].continues == Continues(request="F1", sample=2)
    assert scenario.name[0].bind == (Bind(common=("A1", "A2")), Bind(last="A1"))
    assert (scenario.name[0].since, scenario.name[1].since, scenario.name[1].bind) == (1, 3, (Bind(prompt="F1"),))
    assert [stage.stage for stage in scenario.stage] == [1, 2, 3, "encore"]
    assert scenario.stage[0].expect == Expect(miss=("A1",), looks={"SYS": "new"})
    assert (scenario.stage[0].stops[0].nth, scenario.stage[2].stops[0].nth) == (1, -1)


@pytest.mark.parametrize(
    ("text", "encoding"),
    [(SMALL, "utf-8-sig"), (SMALL.replace("\n", "\r\n"), "utf-8")],
    ids=["byte order mark", "CRLF"],
)
def test_what_windows_editors_write_is_read(tmp_path: Path, text: str, encoding: str) -> None:
    """A byte order mark and CRLF line ends make no difference."""
    plain, other = tmp_path / "plain.toml", tmp_path / "other.toml"
    plain.write_bytes(SMALL.encode())
    other.write_bytes(text.encode(encoding))

    assert load_scenario(other) == load_scenario(plain)


SHAPE_FAULTS = [
    ([("samples = 2", "samples = 2000000000")], ("request F1", "samples", "limit", "64")),
    ([("samples = 2", f"samples = {10**30}")], ("request F1", "samples", "limit", "64")),
    ([("reply_tokens = 3", "reply_tokens = 1000001")], ("request A2", "reply_tokens", "limit", "1000000")),
    ([("reply_tokens = 3", f"reply_tokens = {10**30}")], ("request A2", "reply_tokens", "limit", "1000000")),
    ([("pool_pages = 40\n", "")], ("", "pool_pages", "missing", "")),
    ([('zh = "小"', 'de = "klein"')], ("", "title.de", "field", "")),
    ([(', zh = "小"', "")], ("", "title.zh", "missing", "")),
    ([("page_size = 1", "page_size = true")], ("", "page_size", "type", "int, got bool")),
    ([("format = 1", "format = 2")], ("", "format", "unknown", "2")),
    (
        [('kind = "chat"\nsession = "A"\nuser', 'kind = "talk"\nsession = "A"\nuser')],
        ("request A2", "kind", "unknown", "talk"),
    ),
    ([("reply_tokens = [1, 2]", 'reply_tokens = [1, "2"]')], ("request F1", "reply_tokens[1]", "type", "int, got str")),
    ([('id = "A2"\n', "")], ("request 2", "id", "missing", "")),
    ([('phase = "decode"', 'phase = "think"')], ("stage 3", "stops[0].phase", "unknown", "think")),
    ([('looks = { SYS = "new" }', 'looks = { SYS = "red" }')], ("stage 1", "expect.looks[...]", "unknown", "red")),
    ([("since = 3", "since = 3.5")], ("name EX", "since", "type", "int, got float")),
]

MEANING_FAULTS = [
    # the top and the introduction
    ([("page_size = 1", "page_size = 0")], ("", "page_size", "limit", "0")),
    ([("pool_pages = 40", "pool_pages = -3")], ("", "pool_pages", "limit", "-3")),
    ([('en = "Small"', 'en = " "')], ("", "title.en", "empty", "")),
    ([('gloss = "一、二、"', 'gloss = ""')], ("", "text.examples.gloss", "empty", "")),
    ([('en = "Twice?"', 'en = "{free}?"')], ("", "intro.say.en", "unknown", "{free}")),
    ([('requests = ["A1"]', 'requests = ["A9"]')], ("", "intro.requests", "unknown", "A9")),
    # requests
    ([('id = "A2"', 'id = "A1"')], ("request A1", "id", "duplicate", "A1")),
    ([('system = "Be kind."\n', "")], ("request A1", "system", "missing", "")),
    ([('user = "Hi!"', 'user = ""')], ("request A1", "user", "empty", "")),
    ([('user = "Bye!"\n', "")], ("request A2", "user", "missing", "")),
    ([('session = "A"\nuser = "Bye!"', 'user = "Bye!"')], ("request A2", "session", "missing", "")),
    ([('user = "Bye!"', 'user = "Bye!"\nsystem = "Be rude."')], ("request A2", "system", "misplaced", "")),
    ([('user = "Bye!"', 'user = "Bye!"\ntext = "Bye!"')], ("request A2", "text", "misplaced", "")),
    (
        [('requests = ["A1"]\nletters = [{ letter = "a", bind = { last = "A1" } }]\n', "")],
        ("request A2", "session", "order", "A"),
    ),
    (
        [
            ('requests = ["A1"]\nletters', 'requests = ["A2"]\nletters'),
            ('requests = ["A2"]\n\n', 'requests = ["A1"]\n\n'),
        ],
        ("request A2", "session", "order", "A"),
    ),
    ([('text = " 3"\n', "")], ("request F1", "text", "missing", "")),
    ([('before = "examples"', 'before = "samples"')], ("request F1", "before", "unknown", "samples")),
    ([('before = "examples"', 'before = "examples"\nuser = "3"')], ("request F1", "user", "misplaced", "")),
    ([("samples = 2", "samples = 0")], ("request F1", "samples", "limit", "0")),
    ([("temperature = 1.0", "temperature = -1.0")], ("request F1", "temperature", "limit", "-1.0")),
    ([("reply_tokens = [1, 2]", "reply_tokens = [1, 2, 3]")], ("request F1", "reply_tokens", "count", "3")),
    ([("reply_tokens = [1, 2]", "reply_tokens = 1")], ("request F1", "reply_tokens", "count", "1")),
    ([("reply_tokens = 3", "reply_tokens = 0")], ("request A2", "reply_tokens", "limit", "0")),
    ([('replies = ["4", "5"]', 'replies = ["4"]')], ("request F1", "replies", "count", "1")),
    ([('replies = ["4", "5"]', 'reply = "4"')], ("request F1", "reply", "misplaced", "")),
    ([('replies = ["四", "五"]', 'replies = ["四", "五", "六"]')], ("request F1", "gloss.replies", "count", "3")),
    ([('reply = "Hello!"', 'replies = ["Hello!"]')], ("request A1", "replies", "misplaced", "")),
    ([('reply = "Hello!"', 'reply = ""')], ("request A1", "reply", "empty", "")),
    ([('zh = "第二"', 'zh = ""')], ("request A2", "label.zh", "empty", "")),
    ([('request = "F1"', 'request = "F9"')], ("request E1", "continues.request", "unknown", "F9")),
    ([("sample = 2 }", "sample = 3 }")], ("request E1", "continues.sample", "unknown", "3")),
    (
        [
            ('requests = ["F1"]', 'requests = ["E1"]'),
            ('stage = "encore"\n', "stage = 4\n"),
            ('再来" }\nrequests = ["E1"]', '再来" }\nrequests = ["F1"]'),
        ],
        ("request E1", "continues.request", "order", "F1"),
    ),
    # names and letters
    ([('name = "EX"', 'name = "SYS"')], ("name SYS", "name", "duplicate", "SYS")),
    ([('name = "EX"', 'name = "E X"')], ("name E X", "name", "markup", "E X")),
    ([("since = 3", "since = 0")], ("name EX", "since", "limit", "0")),
    ([('{ prompt = "F1" }', '{ prompt = "F2" }')], ("name EX", "bind", "unbound", "F2")),
    ([('{ prompt = "F1" }', '{ last = "F1" }')], ("name EX", "bind", "unbound", "F1")),
    ([('{ prompt = "F1" }', '{ prompt = "F1", last = "A1" }')], ("name EX", "bind.prompt", "misplaced", "")),
    ([('[{ prompt = "F1" }]', "[{}]")], ("name EX", "bind", "missing", "")),
    ([('[{ prompt = "F1" }]', "[]")], ("name EX", "bind", "missing", "")),
    ([('common = ["A1", "A2"]', 'common = ["A1"]')], ("name SYS", "bind.common", "count", "1")),
    ([('bind = { last = "A1" } }]', 'bind = { last = "A2" } }]')], ("stage 1", "letters.a", "unbound", "A2")),
    (
        [('[{ letter = "a"', '[{ letter = "a", bind = { last = "A1" } }, { letter = "a"')],
        ("stage 1", "letters", "duplicate", "a"),
    ),
    # stages
    ([("stage = 2", "stage = 1")], ("stage 1", "stage", "duplicate", "1")),
    ([("stage = 3\n", "stage = 0\n"), ("since = 3", "since = 1")], ("stage 0", "stage", "limit", "0")),
    ([("stage = 2", "stage = 7")], ("stage 3", "stage", "order", "3")),
    (
        [
            ("stage = 2", 'stage = "encore"'),
            ('stage = "encore"\ntitle = { en = "More"', 'stage = 9\ntitle = { en = "More"'),
        ],
        ("stage encore", "stage", "order", "encore"),
    ),
    (
        [('requests = ["A2"]', 'requests = ["A9"]'), (', "A2"] }', ', "F1#1"] }')],
        ("stage 2", "requests", "unknown", "A9"),
    ),
    ([('requests = ["F1"]', 'requests = ["F1", "A1"]')], ("stage 3", "requests", "duplicate", "A1")),
    (
        [('zh = "三" }\nshort = { en = "Three"', 'zh = "" }\nshort = { en = "Three"')],
        ("stage 3", "title.zh", "empty", ""),
    ),
    ([('sequence = "A1"', 'sequence = "A2"')], ("stage 1", "stops.sequence", "unknown", "A2")),
    ([("nth = -1", "nth = 0")], ("stage 3", "stops.nth", "limit", "0")),
    ([("[a] goes", "[b] goes")], ("stage 3", "stops.say.en", "unbound", "[b]")),
    ([('zh = "[a] 离开"', 'zh = "[a 离开"')], ("stage 3", "stops.say.zh", "markup", "[a 离开")),
    ([("{free} {free:", "{fee} {free:")], ("stage 1", "stops.say.en", "unknown", "{fee}")),
    ([('en = "{computed|new}', 'en = "{computed|red}')], ("stage 1", "stops.why.en", "unknown", "{computed|red}")),
    ([('hit = ["A2"]', 'hit = ["A1"]')], ("stage 2", "expect.hit", "unknown", "A1")),
    ([('miss = ["A1"]', 'miss = ["A1"]\nhit = ["A1"]')], ("stage 1", "expect.miss", "duplicate", "A1")),
    ([('evicted = ["a"]', 'evicted = ["b"]')], ("stage 3", "expect.evicted", "unbound", "b")),
    ([("looks = { SYS", "looks = { ROOT")], ("stage 1", "expect.looks", "unknown", "ROOT")),
]


@pytest.mark.parametrize(("edits", "fault"), SHAPE_FAULTS + MEANING_FAULTS)
def test_a_fault_is_refused_with_its_place(
    tmp_path: Path, edits: list[tuple[str, str]], fault: tuple[str, str, str, str]
) -> None:
    """A scenario with one fault is refused, and the error names file, place, field, problem and value."""
    error = load(tmp_path, edited(*edits))

    assert (error.file, error.where, error.field, error.problem, error.detail) == ("small.toml", *fault)


def test_a_scenario_needs_a_stage(tmp_path: Path) -> None:
    """Requests that no stage asks are no story."""
    error = load(tmp_path, "stage = []\n" + SMALL[: SMALL.index("[[name]]")])

    assert (error.where, error.field, error.problem) == ("", "stage", "missing")


def test_what_is_not_toml_is_refused(tmp_path: Path) -> None:
    """A syntax error is told with its line."""
    error = load(tmp_path, "format = 1\nid = \n")

    assert (error.where, error.field, error.problem) == ("", "", "syntax")
    assert "line 2" in error.detail


def test_what_is_not_utf_8_is_refused(tmp_path: Path) -> None:
    """A file in another encoding is told apart from a syntax error."""
    path = tmp_path / "small.toml"
    path.write_bytes(b'id = "\xff"')

    with pytest.raises(BadScenario) as caught:
        load_scenario(path)

    assert (caught.value.problem, caught.value.detail) == ("unreadable", "UTF-8: invalid start byte, 6")


def test_a_file_that_is_not_there_is_refused(tmp_path: Path) -> None:
    """A missing file is an error of the scenario, not of the operating system."""
    with pytest.raises(BadScenario) as caught:
        load_scenario(tmp_path / "none.toml")

    assert caught.value.facts() == {
        "file": "none.toml",
        "where": "",
        "field": "",
        "problem": "unreadable",
        "detail": "ENOENT",
    }


def test_scenarios_are_found_by_name(tmp_path: Path) -> None:
    """A name is that of a file in the folder, and an unknown one is refused with those that are known."""
    for name in ("two", "one"):
        (tmp_path / f"{name}.toml").touch()

    assert find_scenario("one", tmp_path) == tmp_path / "one.toml"
    with pytest.raises(UnknownScenario) as caught:
        find_scenario("../one", tmp_path)
    assert (caught.value.name, caught.value.known) == ("../one", ("one", "two"))
