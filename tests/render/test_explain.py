from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from radixviz import errors
from radixviz.errors import BadScenario, ModelRefused, RadixVizError
from radixviz.render.explain import explain, explain_unmet
from radixviz.render.words import words
from radixviz.timeline import Unmet

ROOT = Path(__file__).resolve().parents[2]

EXPLAINED: list[tuple[RadixVizError, str, str]] = [
    (errors.RadixVizError(), "Something went wrong in radixviz.", "radixviz 出错了。"),
    (errors.BadValue(), "A value is outside its limits.", "有个值超出了范围。"),
    (
        errors.BadPageSize(0),
        "The page size is 0, but a page holds at least 1 token.",
        "页大小是 0，但一页至少要放 1 个 token。",
    ),
    (
        errors.BadPageSize(900, 300),
        "The page size is 900, but it must be from 1 to 300 tokens.",
        "页大小是 900，但必须在 1 到 300 个 token 之间。",
    ),
    (errors.BadPoolPages(0), "The pool has 0 pages, but at least 1 is needed.", "页池有 0 页，但至少要有 1 页。"),
    (
        errors.BadPoolPages(9000, 5000),
        "The pool has 9000 pages, but at most 5000 can be allocated.",
        "页池有 9000 页，但最多只能分配 5000 页。",
    ),
    (
        errors.BadTokenCount("max_new_tokens", -1),
        "max_new_tokens is -1, but such a number of tokens makes no sense.",
        "max_new_tokens 是 -1，这样的 token 数没有意义。",
    ),
    (
        errors.BadTokenId("x", 7),
        "The token id x at position 7 is not an integer of 64 bits.",
        "第 7 个位置的 token 编号 x 不是 64 位整数。",
    ),
    (
        errors.BadTokenId(-1, 7, 4294967295),
        "The token id -1 at position 7 is not an integer from 0 to 4294967295.",
        "第 7 个位置的 token 编号 -1 不是 0 到 4294967295 的整数。",
    ),
    (
        errors.UnknownPolicy("best", ("lru", "fifo")),
        "No policy is called “best”. There are: lru, fifo.",
        "没有叫“best”的策略。可用的有：lru、fifo。",
    ),
    (
        errors.EmptyPrompt("A1"),
        "The prompt of request A1 is empty, but at least 1 token is needed.",
        "请求 A1 的提示词是空的，至少要有 1 个 token。",
    ),
    (
        errors.BadTemperature("A1", -0.5),
        "The temperature of request A1 is -0.5, but it must be a number from 0 up.",
        "请求 A1 的温度是 -0.5，但它必须是不小于 0 的数。",
    ),
    (
        errors.DuplicateRequest("A1"),
        "There is a request A1 already: each id can be used once.",
        "已经有请求 A1 了：每个编号只能用一次。",
    ),
    (
        errors.PromptTooLong("A1", 700, 512),
        "Request A1 needs 700 positions, its reply included, but the model has 512.",
        "请求 A1 连同回答需要 700 个位置，但模型只有 512 个。",
    ),
    (
        errors.RequestTooLarge("A1", 40, 30),
        "Request A1 alone needs 40 pages, but the whole pool has 30.",
        "单是请求 A1 就需要 40 页，但整个页池只有 30 页。",
    ),
    (errors.NotFound(), "Nothing has this name.", "没有叫这个名字的东西。"),
    (
        errors.UnknownScenario("ten", ()),
        "No scenario is called “ten”. There are: none.",
        "没有叫“ten”的场景。可用的有：无。",
    ),
    (
        errors.UnknownModel("huge", ("tiny", "smollm2")),
        "“huge” is neither a known model nor a folder that holds one. Known are: tiny, smollm2.",
        "“huge”既不是已知的模型，也不是放着模型的文件夹。已知的有：tiny、smollm2。",
    ),
    (
        errors.UnknownLanguage("fr", ("en", "zh")),
        "There are no texts in the language “fr”. There are: en, zh.",
        "没有语言“fr”的文字。可用的有：en、zh。",
    ),
    (
        errors.UnknownDevice("tpu", ("cpu",)),
        "There is no device “tpu” here. There are: cpu.",
        "这里没有设备“tpu”。可用的有：cpu。",
    ),
    (
        errors.UnknownSuffix(".doc", (".html", ".svg")),
        "No file that can be written ends in “.doc”. There are: .html, .svg.",
        "写不出以“.doc”结尾的文件。可用的有：.html、.svg。",
    ),
    (
        errors.NoChromium(),
        "No Chromium, Chrome or Edge was found to make a PDF: write .html instead, open it in a browser and print it "
        "(Ctrl+P).",
        "没有找到可以生成 PDF 的 Chromium、Chrome 或 Edge：请改写成 .html，在浏览器里打开并打印（Ctrl+P）。",
    ),
    (
        errors.PdfRefused("chromium"),
        "chromium made no PDF: write .html instead, open it in a browser and print it (Ctrl+P).",
        "chromium 没有生成 PDF：请改写成 .html，在浏览器里打开并打印（Ctrl+P）。",
    ),
    (
        errors.NoFolder("out"),
        "There is no folder “out” to write into.",
        "没有可以写入的文件夹“out”。",
    ),
    (
        errors.UnknownStage("12.1", ("1", "encore")),
        "There is no frame “12.1”: it is written as STAGE.FRAME, and the stages are 1, encore.",
        "没有帧“12.1”：写法是“步.帧”，步有：1、encore。",
    ),
    (
        errors.UnknownFrame("5.99", 8),
        "There is no frame “5.99”: its stage has 8 frames, counted from 1.",
        "没有帧“5.99”：这一步有 8 帧，从 1 数起。",
    ),
    (
        errors.BadFont("a.txt"),
        "There is no font in the file a.txt.",
        "文件 a.txt 里没有字体。",
    ),
    (
        errors.NoChineseFont(),
        "No font here has Chinese: install the package fonts-noto-cjk (Fedora: google-noto-sans-cjk-fonts, Arch: "
        "noto-fonts-cjk), or name a font with --font FILE.",
        "这里没有带中文的字体：请安装软件包 fonts-noto-cjk（Fedora：google-noto-sans-cjk-fonts，"
        "Arch：noto-fonts-cjk），或用 --font FILE 指定一个字体。",
    ),
    (
        errors.ResetRefused(2, 1),
        "The cache was not reset: sequences running 2, waiting 1, but both must be 0.",
        "缓存没有重置：还有 2 个序列在运行、1 个在等待，两者都必须为 0。",
    ),
    (
        errors.BadTimeline(),
        "This file cannot be opened.",
        "这个文件打不开。",
    ),
    (
        errors.NotTimeline("a.json", "frames[0]"),
        "The file a.json is not a timeline of radixviz (frames[0]).",
        "文件 a.json 不是 radixviz 的时间线（frames[0]）。",
    ),
    (
        errors.TimelineCutOff("a.json"),
        "The file a.json is cut off or damaged: its JSON is not whole.",
        "文件 a.json 不完整或已损坏：JSON 没有结束。",
    ),
    (
        errors.TimelineTooLarge("a.json", 99, 64),
        "The file a.json has 99 bytes, but at most 64 are read.",
        "文件 a.json 有 99 字节，但最多读 64 字节。",
    ),
    (
        errors.TimelineTooNew("a.json", 2, 1),
        "The file a.json has version 2, but this radixviz reads versions up to 1.",
        "文件 a.json 的版本是 2，但这个 radixviz 只读到版本 1。",
    ),
    (
        errors.NotWritten("a.html", "ENOSPC"),
        "The file a.html could not be written: the disk is full.",
        "文件 a.html 写不了：磁盘已满。",
    ),
    (errors.NotWritten("a", "Odd"), "The file a could not be written: Odd.", "文件 a 写不了：Odd。"),
    (
        errors.NotTimeline("a.json", "ENOENT"),
        "The file a.json is not a timeline of radixviz (there is no such file).",
        "文件 a.json 不是 radixviz 的时间线（没有这个文件）。",
    ),
    (
        errors.BadLesson("my.toml", "state 3", "stage", "unknown", "12"),
        "The lesson my.toml cannot be used: state 3, stage: “12” is not known.",
        "课 my.toml 不能用：第 3 个状态，stage：不认识“12”。",
    ),
    (
        errors.UnknownLesson("ten", ("class-45",)),
        "No lesson is called “ten”. There are: class-45.",
        "没有叫“ten”的课。可用的有：class-45。",
    ),
    (
        errors.BadScenario("my.toml", "stage 5", "letters", "duplicate", "c"),
        "The scenario my.toml cannot be played: stage 5, letters: “c” is there twice.",
        "场景 my.toml 不能播放：第 5 步，letters：“c”出现了两次。",
    ),
    (
        errors.CacheMisuse(),
        "The prefix cache was asked for something that makes no sense.",
        "对前缀缓存提出了没有意义的要求。",
    ),
    (
        errors.NamespaceMismatch("adapter", None, "poet"),
        "Keys of two namespaces were compared: adapter is none in one and poet in the other.",
        "比较了两个命名空间的键：adapter 一边是 无，另一边是 poet。",
    ),
    (
        errors.SlotCountMismatch(1, 2),
        "1 token came with 2 slots, but there must be as many slots as tokens.",
        "1 个 token 配了 2 个槽位，但槽位数必须等于 token 数。",
    ),
    (
        errors.BadSlot("x", 2),
        "The slot x at position 2 is not an integer of 64 bits.",
        "第 2 个位置的槽位 x 不是 64 位整数。",
    ),
    (
        errors.PageSizeMismatch(4, 1),
        "The cache has 4 tokens in a page, the pool 1, but both must have the same number.",
        "缓存的一页是 4 个 token，页池的一页是 1 个，但两者必须相同。",
    ),
    (errors.NotLocked(4), "Node 4 was to be unlocked, but nobody holds it.", "要解锁节点 4，但没有人引用它。"),
    (
        errors.ForeignNode(4),
        "Node 4 is not in this tree: it was evicted, or the tree was reset.",
        "节点 4 不在这棵树上：它被淘汰了，或者树被清空了。",
    ),
    (
        errors.NothingEvicted(8),
        "The cache reported 8 tokens that could be evicted, but evicting freed none.",
        "缓存报告有 8 个 token 可以淘汰，但一个也没有释放。",
    ),
    (errors.PoolMisuse(), "Pages were handled against the rules.", "页的用法违反了规则。"),
    (
        errors.PageFreedTwice(9),
        "Page 9 was given back, but it is free already, or there is no such page.",
        "归还了第 9 页，但它已经空闲，或者根本没有这一页。",
    ),
    (
        errors.PoolExhausted(5, 1),
        "5 pages are needed and 1 is free, but no leaf can be evicted.",
        "需要 5 页，只有 1 页空闲，而且没有叶子可以淘汰。",
    ),
    (
        errors.IntegrityError("every page has one owner", {3: 2}, {}),
        "This is a bug in radixviz: it must hold that every page has one owner. Found: {3: 2}, expected: {}.",
        "这是 radixviz 的缺陷，下面这条必须成立：every page has one owner。实际是 {3: 2}，应为 {}。",
    ),
    (
        errors.ModelRefused("smollm2", "not_fetched", "python -m radixviz fetch smollm2"),
        "The model smollm2 cannot be used: "
        "it is not here yet, one command fetches it (python -m radixviz fetch smollm2).",
        "模型 smollm2 不能用：它还不在这里，用一条命令就能取来（python -m radixviz fetch smollm2）。",
    ),
    (
        errors.ModelRefused("my-model", "out_of_memory", "307,200 B > 22,713 B"),
        "The model my-model cannot be used: there is not enough memory (307,200 bytes are asked for, 22,713 are free).",
        "模型 my-model 不能用：内存不够（要 307,200 字节，只有 22,713 字节空闲）。",
    ),
    (
        errors.ModelRefused("my-model", "no_tokens", "What can you do?"),
        "The model my-model cannot be used: its tokenizer has no tokens for what is to be said (What can you do?).",
        "模型 my-model 不能用：它的分词器没有能表示这些文字的 token（What can you do?）。",
    ),
    (
        errors.FetchFailed("smollm2", "checksum", "bcc8… ≠ 0000…"),
        "The model smollm2 could not be fetched: the file that came is not the one that was expected (bcc8… ≠ 0000…).",
        "模型 smollm2 没有取到：收到的文件不是预期的那个（bcc8… ≠ 0000…）。",
    ),
    (
        errors.FetchFailed("someone/some-model", "hub", "gaierror"),
        "The model someone/some-model could not be fetched: the Hugging Face hub cannot be reached (gaierror).",
        "模型 someone/some-model 没有取到：连不上 Hugging Face hub（gaierror）。",
    ),
    (
        errors.FetchFailed("someone/some-model", "hub_unknown", "HTTP 404"),
        "The model someone/some-model could not be fetched: "
        "the Hugging Face hub has no such model, or not for everybody (HTTP 404).",
        "模型 someone/some-model 没有取到：Hugging Face hub 上没有这个模型，或者不对所有人开放（HTTP 404）。",
    ),
    (
        errors.FetchFailed("someone/some-model", "hub_gated", "HTTP 403"),
        "The model someone/some-model could not be fetched: the Hugging Face hub gives it only to those who asked its "
        "owner and logged in, with `hf auth login` (HTTP 403).",
        "模型 someone/some-model 没有取到："
        "Hugging Face hub 只把它给向作者申请过、并用 `hf auth login` 登录的人（HTTP 403）。",
    ),
    (
        errors.FetchFailed("someone/some-model", "hub_error", "HTTP 503"),
        "The model someone/some-model could not be fetched: the Hugging Face hub answered with an error (HTTP 503).",
        "模型 someone/some-model 没有取到：Hugging Face hub 回答了一个错误（HTTP 503）。",
    ),
    (
        errors.FetchFailed("someone/some-model", "hub_answer", "JSONDecodeError"),
        "The model someone/some-model could not be fetched: "
        "the answer of the Hugging Face hub cannot be read (JSONDecodeError).",
        "模型 someone/some-model 没有取到：读不懂 Hugging Face hub 的回答（JSONDecodeError）。",
    ),
    (
        errors.FetchFailed("someone/some-model", "hub_cut_off", "ReadError"),
        "The model someone/some-model could not be fetched: the Hugging Face hub broke off; "
        "what came whole is kept, and the same command brings the rest (ReadError).",
        "模型 someone/some-model 没有取到："
        "Hugging Face hub 中途断开了；已收完的文件会保留，用同一条命令取回其余的（ReadError）。",
    ),
    (
        errors.FetchFailed("someone/some-model", "disk", "ENOSPC"),
        "The model someone/some-model could not be fetched: it could not be written (the disk is full).",
        "模型 someone/some-model 没有取到：写不进去（磁盘已满）。",
    ),
    (
        errors.FetchFailed("smollm2", "disk", "EACCES: /models"),
        "The model smollm2 could not be fetched: it could not be written (no permission: /models).",
        "模型 smollm2 没有取到：写不进去（没有权限：/models）。",
    ),
    (
        errors.ModelRefused("my-model", "selfcheck", "0.3 > 0.0001"),
        "The model my-model cannot be used: its logits with reused K and V differ from those without (0.3 > 0.0001).",
        "模型 my-model 不能用：复用 K 和 V 时，它的 logits 与不复用时不同（0.3 > 0.0001）。",
    ),
]

DETAILS = [
    ("unreadable", "ENOENT", "the file cannot be read (there is no such file)", "文件无法读取（没有这个文件）"),
    ("unreadable", "EACCES", "the file cannot be read (no permission)", "文件无法读取（没有权限）"),
    ("unreadable", "EISDIR", "the file cannot be read (it is a folder)", "文件无法读取（它是文件夹）"),
    ("unreadable", "ENOSPC", "the file cannot be read (the disk is full)", "文件无法读取（磁盘已满）"),
    ("unreadable", "EIO", "the file cannot be read (EIO)", "文件无法读取（EIO）"),
    (
        "unreadable",
        "UTF-8: invalid start byte, 6",
        "the file cannot be read (it is not UTF-8 from byte 6 on)",
        "文件无法读取（从第 6 字节起不是 UTF-8）",
    ),
    (
        "syntax",
        "Invalid value (at line 2, column 6)",
        "it is not valid TOML (line 2, column 6)",
        "不是有效的 TOML（第 2 行第 6 列）",
    ),
    (
        "syntax",
        "Unterminated string (at end of document)",
        "it is not valid TOML (at its end)",
        "不是有效的 TOML（在结尾处）",
    ),
]


def classes(base: type[RadixVizError] = RadixVizError) -> Iterator[type[RadixVizError]]:
    """Yield every error class of the package."""
    yield base
    for kind in base.__subclasses__():
        if kind.__module__ == errors.__name__:
            yield from classes(kind)


def literals(folder: Path, called: str, place: int) -> Iterator[str]:
    """Yield the texts that stand at this place in the calls of a name, in all sources of a folder."""
    for path in folder.glob("*.py"):
        for call in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id == called:
                yield from (text for one in call.args[place : place + 1] for text in either(one))


def either(value: ast.expr) -> Iterator[str]:
    """Yield the text that an expression is, or both where it is one or the other."""
    for part in (value.body, value.orelse) if isinstance(value, ast.IfExp) else (value,):
        if isinstance(part, ast.Constant):
            yield str(part.value)


def test_every_class_is_explained_here() -> None:
    """The table has every class that there is: a new one needs words."""
    assert {type(error) for error, _, _ in EXPLAINED} == set(classes())


def test_every_class_has_a_text_of_its_own() -> None:
    """No class falls back on its base, so none is told vaguely."""
    assert {kind.__name__ for kind in classes() if f"error.{kind.__name__}" not in words("en")} == set()


@pytest.mark.parametrize(("error", "english", "chinese"), EXPLAINED)
def test_an_error_is_one_sentence(error: RadixVizError, english: str, chinese: str) -> None:
    """Thing, value and limit are named in either language."""
    assert (explain(error, "en"), explain(error, "zh")) == (english, chinese)


@pytest.mark.parametrize(
    ("error", "english", "chinese"),
    [
        (
            BadScenario("my.toml", "request B2", "user", "missing"),
            "The scenario my.toml cannot be played: request B2, user: this field is missing.",
            "场景 my.toml 不能播放：请求 B2，user：缺少这个字段。",
        ),
        (
            BadScenario("my.toml", "", "page_size", "type", "int, got str"),
            "The scenario my.toml cannot be played: page_size: the value must be int, but is str.",
            "场景 my.toml 不能播放：page_size：值应为 int，实为 str。",
        ),
        (
            BadScenario("my.toml", "stage encore", "requests", "unknown", "E9"),
            "The scenario my.toml cannot be played: Encore, requests: “E9” is not known.",
            "场景 my.toml 不能播放：尾声，requests：不认识“E9”。",
        ),
        (
            BadScenario("my.toml", "", "", "unreadable", "No such file"),
            "The scenario my.toml cannot be played: the file cannot be read (No such file).",
            "场景 my.toml 不能播放：文件无法读取（No such file）。",
        ),
        *(
            (
                BadScenario("my.toml", "", "", problem, detail),
                f"The scenario my.toml cannot be played: {english}.",
                f"场景 my.toml 不能播放：{chinese}。",
            )
            for problem, detail, english, chinese in DETAILS
        ),
        (
            BadScenario("my.toml", "", "x", "odd", "y"),
            "The scenario my.toml cannot be played: x: odd (y).",
            "场景 my.toml 不能播放：x：odd（y）。",
        ),
    ],
)
def test_a_scenario_error_names_its_place(error: BadScenario, english: str, chinese: str) -> None:
    """File, part, field and value are named; what there is none of is left out."""
    assert (explain(error, "en"), explain(error, "zh")) == (english, chinese)


def test_a_reason_without_words_is_told_as_it_is() -> None:
    """A reason that the lists do not know is better than none."""
    error = ModelRefused("m", "moonlight", "full")

    assert explain(error, "en") == "The model m cannot be used: moonlight (full)."


def test_what_a_library_says_becomes_a_part_of_our_sentence() -> None:
    """Lines become one, and a page is cut, also one without a space."""
    lines = ModelRefused("m", "bad_config", "no number:\n    'wide'")
    page = ModelRefused("m", "bad_config", "word " * 100)

    assert explain(lines, "en") == "The model m cannot be used: its configuration cannot be read (no number: 'wide')."
    assert len(explain(page, "zh")) < 350
    assert explain(page, "zh").endswith("word …）。")
    assert "（" + "说" * 300 + " …）" in explain(ModelRefused("m", "bad_config", "说" * 400), "zh")


@pytest.mark.parametrize(
    ("folder", "called", "place", "prefix"),
    [
        ("model", "ModelRefused", 1, "reason"),
        ("model", "FetchFailed", 1, "reason"),
        ("scenario", "Fault", 2, "problem"),
    ],
)
def test_every_reason_in_the_sources_has_words(folder: str, called: str, place: int, prefix: str) -> None:
    """What the package gives as a reason or a problem is in the word lists."""
    given = set(literals(ROOT / "radixviz" / folder, called, place))

    assert len(given) > 2
    assert {key for key in given if f"{prefix}.{key}" not in words("en")} == set()


@pytest.mark.parametrize(
    ("unmet", "english", "chinese"),
    [
        (
            Unmet(3, "hit", "A2", "> 0", "0"),
            "Stage 3: A2 reuses 0 tokens, expected > 0.",
            "第 3 步：A2 复用了 0 个 token，预期是 > 0。",
        ),
        (
            Unmet(8, "evicted", "", "h, g", ""),
            "Stage 8: evicted nothing, expected h, g.",
            "第 8 步：淘汰了 没有，预期是 h、g。",
        ),
        (
            Unmet("encore", "look", "S3", "hit", "new"),
            "Encore: S3 is new, expected hit.",
            "尾声：S3 是 新增，预期是 命中。",
        ),
        (
            Unmet(9, "look", "When", "evicted", ""),
            "Stage 9: When is not there, expected evicted.",
            "第 9 步：When 是 不存在，预期是 淘汰。",
        ),
        (
            Unmet(4, "split", "", "yes", "no"),
            "Stage 4: a node is split: no, expected yes.",
            "第 4 步：有节点被拆分：否，预期是 是。",
        ),
        (
            Unmet(4, "letter", "c", "a node", "none"),
            "Stage 4: the letter c has no node.",
            "第 4 步：字母 c 没有对应的节点。",
        ),
    ],
)
def test_an_unmet_expectation_is_one_sentence(unmet: Unmet, english: str, chinese: str) -> None:
    """Stage, thing, what was found and what was expected."""
    assert (explain_unmet(unmet, "en"), explain_unmet(unmet, "zh")) == (english, chinese)
