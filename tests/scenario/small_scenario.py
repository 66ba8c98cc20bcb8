"""The smallest scenario that has a part of every kind, as TOML."""

from __future__ import annotations

SMALL = """
format = 1
id = "small"
page_size = 1
pool_pages = 40
title = { en = "Small", zh = "小" }

[intro]
title = { en = "Why", zh = "为什么" }
short = { en = "Why", zh = "为什么" }
say = { en = "Twice?", zh = "两遍？" }
why = { en = "Same text.", zh = "同样的文字。" }
requests = ["A1"]

[text.examples]
text = "1, 2,"
gloss = "一、二、"

[[request]]
id = "A1"
kind = "chat"
session = "A"
system = "Be kind."
user = "Hi!"
reply = "Hello!"
reply_tokens = 2
label = { en = "first", zh = "第一" }
short = { en = "Hi!", zh = "你好！" }

[[request]]
id = "A2"
kind = "chat"
session = "A"
user = "Bye!"
reply_tokens = 3
label = { en = "second", zh = "第二" }
short = { en = "Bye!", zh = "再见！" }

[[request]]
id = "F1"
kind = "text"
before = "examples"
text = " 3"
samples = 2
temperature = 1.0
replies = ["4", "5"]
reply_tokens = [1, 2]
label = { en = "third", zh = "第三" }
short = { en = "3", zh = "三" }
gloss = { text = "三", replies = ["四", "五"] }

[[request]]
id = "E1"
kind = "text"
continues = { request = "F1", sample = 2 }
text = " 6"
reply_tokens = 1
label = { en = "fourth", zh = "第四" }
short = { en = "6", zh = "六" }

[[name]]
name = "SYS"
words = { en = "the start", zh = "开头" }
bind = [{ common = ["A1", "A2"] }, { last = "A1" }]

[[name]]
name = "EX"
words = { en = "the examples", zh = "示例" }
bind = [{ prompt = "F1" }]
since = 3

[[stage]]
stage = 1
title = { en = "One", zh = "一" }
short = { en = "One", zh = "一" }
requests = ["A1"]
letters = [{ letter = "a", bind = { last = "A1" } }]

[[stage.stops]]
phase = "match"
sequence = "A1"
say = { en = "{free} {free:page|pages} free, [a] new", zh = "{free} 页空闲，[a] 新增" }
why = { en = "{computed|new} to compute", zh = "要算 {computed|new} 个" }

[stage.expect]
miss = ["A1"]
looks = { SYS = "new" }

[[stage]]
stage = 2
title = { en = "Two", zh = "二" }
short = { en = "Two", zh = "二" }
requests = ["A2"]

[stage.expect]
hit = ["A2"]

[[stage]]
stage = 3
title = { en = "Three", zh = "三" }
short = { en = "Three", zh = "三" }
requests = ["F1"]

[[stage.stops]]
phase = "decode"
event = "evict"
nth = -1
say = { en = "[a] goes", zh = "[a] 离开" }
why = { en = "no page", zh = "没有页" }

[stage.expect]
evicted = ["a"]

[[stage]]
stage = "encore"
title = { en = "More", zh = "再来" }
short = { en = "More", zh = "再来" }
requests = ["E1"]
"""


def edited(*edits: tuple[str, str]) -> str:
    """Return the small scenario with each text replaced where it first stands."""
    text = SMALL
    for old, new in edits:
        assert old in text, old
        text = text.replace(old, new, 1)
    return text
