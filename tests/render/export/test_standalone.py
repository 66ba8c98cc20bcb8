from __future__ import annotations

import json
import re
from dataclasses import replace

from radixviz.render.export.standalone import standalone_html
from radixviz.render.player_data import player_data
from tests.render.small_timeline import frame, node, timeline


def test_text_of_a_run_cannot_end_the_script_that_holds_it() -> None:
    """A title and tokens that look like markup stay text, and come back exactly."""
    told = timeline(frame([node(1, None, "</script><b>")]))
    evil = {"en": "</title><script>alert(1)</script>", "zh": "</script>"}
    told = replace(told, script=replace(told.script, title=evil))
    data = player_data(told, None)
    html = standalone_html(data, "en")
    found = re.findall(r'<script type="application/json" id="player-data">(.*?)</script>', html, flags=re.DOTALL)

    assert len(found) == 1
    assert json.loads(found[0]) == json.loads(json.dumps(data))
    assert html.count("</script>") == 3
    assert html.count("</title>") == 1


def test_nothing_is_asked_for_from_elsewhere() -> None:
    """The file has no link, no source and no import; the only address in it is the name of SVG."""
    html = standalone_html(player_data(timeline(frame()), None), "zh", 0)

    assert re.findall(r"(?:src|href)=|@import|\bimport\b[ (]|url\(", html) == []
    assert set(re.findall(r"https?://[^\"'` )]+", html)) <= {"http://www.w3.org/2000/svg"}
    assert '<html lang="zh-Hans">' in html
    assert '"frame":0' in html


def test_both_languages_begin_with_chinese_on_top() -> None:
    """The player starts with the two together; the page's own language is that of what stands once."""
    html = standalone_html(player_data(timeline(frame()), None), "both")

    assert '<html lang="zh-Hans">' in html
    assert '"lang":"zh","both":true' in html
