"""The command line: what it prints, how it ends, and what it says to bad input."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from radixviz.__main__ import main

ROOT = Path(__file__).parents[1]


def _run(*arguments: str, **environment: str) -> subprocess.CompletedProcess[bytes]:
    command = [sys.executable, "-m", "radixviz", *arguments]
    return subprocess.run(command, cwd=ROOT, env=os.environ | environment, capture_output=True, check=False)


@pytest.fixture(scope="module")
def two_runs() -> tuple[bytes, bytes]:
    """The JSON of two processes with different hash seeds."""
    first, second = (_run("play", "nine-stages", "--json", "--no-times", PYTHONHASHSEED=seed) for seed in ("1", "2"))
    assert (first.returncode, second.returncode) == (0, 0), first.stderr.decode()
    return first.stdout, second.stdout


def test_two_runs_without_times_print_the_same_bytes(two_runs: tuple[bytes, bytes]) -> None:
    """Neither hash seeds nor process ids nor clocks reach the output."""
    assert two_runs[0] == two_runs[1]


def test_the_json_has_the_promised_fields(two_runs: tuple[bytes, bytes]) -> None:
    """The report's keys are exactly those that are documented; without times there is no ttft_ms."""
    report = json.loads(two_runs[0])
    stage = report["stages"][4]

    assert list(report) == ["model", "device", "dtype", "page_size", "pool_pages", "kv_bytes_per_token", "stages"]
    assert [entry["stage"] for entry in report["stages"]] == [1, 2, 3, 4, 5, 6, 7, 8, 9, "encore"]
    assert list(stage) == ["stage", "title", "requests", "nodes", "evicted", "pool"]
    assert list(stage["requests"][0]) == [
        "id", "prompt_tokens", "prefix_len", "cached_tokens", "output_tokens", "output_text",
    ]  # fmt: skip
    assert list(stage["nodes"][0]) == [
        "id", "parent", "letter", "name", "look", "tokens", "text", "lock_ref", "pages",
    ]  # fmt: skip
    assert list(stage["pool"]) == ["total", "free", "cached", "locked"]
    assert {node["letter"]: node["look"] for node in stage["nodes"]}["c"] == "evicted"
    assert stage["evicted"] == ["c"]


def test_times_are_there_unless_left_out(capsys: pytest.CaptureFixture[str]) -> None:
    """With times every request has the milliseconds to its first token; progress goes to stderr."""
    status = main(["play", "nine-stages", "--json"])
    output = capsys.readouterr()
    requests = [request for stage in json.loads(output.out)["stages"] for request in stage["requests"]]

    assert status == 0
    assert all(request["ttft_ms"] > 0 for request in requests)
    assert "Running: Stage 5" in output.err


def test_the_summary_reads_in_chinese(capsys: pytest.CaptureFixture[str]) -> None:
    """Without --json a page of text is printed, in the language asked for."""
    status = main(["play", "nine-stages", "--lang", "zh"])
    output = capsys.readouterr().out

    assert status == 0
    assert "5  淘汰" in output
    assert "根" in output


@pytest.mark.parametrize(
    "line",
    ["prove --model nothing", "play nine-stages --model nothing", "prove --dtype foo", "play nine-stages --dtype foo"],
)
def test_what_is_asked_is_looked_at_before_pytorch_is_loaded(line: str) -> None:
    """A name that nothing answers to costs no seconds; no verb imports the program that draws for another one."""
    heavy = "{'torch', 'transformers', 'graphviz', 'streamlit', 'PIL'}"
    run = f"main({line.split()}), sorted({heavy} & set(sys.modules))"
    script = f"import sys; from radixviz.__main__ import main; print({run})"
    done = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, check=False)
    assert done.stdout.decode().strip() == "2 []", done.stderr.decode()


@pytest.mark.parametrize(
    ("arguments", "english", "chinese"),
    [
        (["play", "ten-stages"], ["ten-stages", "nine-stages"], ["ten-stages", "nine-stages"]),
        (["play", "nine-stages", "--model", "gpt-9"], ["gpt-9", "tiny"], ["gpt-9", "tiny"]),
        (["play", "nine-stages", "--page-size", "0"], ["0", "1"], ["0", "1"]),
        (["play", "nine-stages", "--page-size", "301"], ["301", "300"], ["301", "300"]),
        (["play", "nine-stages", "--page-size", "four"], ["--page-size", "four"], ["--page-size", "four"]),
        (["play", "nine-stages", "--pool-pages", "0"], ["0", "1"], ["0", "1"]),
        (["play", "nine-stages", "--pool-pages", "40"], ["A2", "40"], ["A2", "40"]),
        (["play", "nine-stages", "--device", "abacus"], ["abacus", "cpu"], ["abacus", "cpu"]),
        (["play", "nine-stages", "--colour"], ["--colour"], ["--colour"]),
        (["play"], ["scenario"], ["scenario"]),
        (["plya"], ["There is no command “plya”. There are: play"], ["没有命令“plya”。可用的有：play"]),
        (["fetch"], ["name"], ["name"]),
        (["prove", "--threads", "0"], ["--threads", "0", "1"], ["--threads", "0", "1"]),
        (["prove", "--dtype", "int8"], ["int8", "float32, float16, bfloat16"], ["int8", "float32、float16、bfloat16"]),
        (["prove", "--device", "abacus"], ["abacus", "cpu"], ["abacus", "cpu"]),
        (
            ["fetch", "smollm3"],
            ["There is no model “smollm3” that fetch could bring. There are: smollm2"],
            ["没有可以取来的模型“smollm3”。可用的有：smollm2"],
        ),
        ([], ["play"], ["play"]),
    ],
)
def test_bad_input_gets_one_clear_line_in_the_readers_language(
    arguments: list[str], english: list[str], chinese: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    """Exit status 2, nothing on stdout, and one sentence that names the thing, the value and the limit."""
    for language, wanted in (("en", english), ("zh", chinese)):
        status = main([*arguments, "--lang", language])
        output = capsys.readouterr()
        last = output.err.splitlines()[-1]

        assert (status, output.out) == (2, "")
        assert all(word in last for word in wanted), last
        assert any("\u4e00" <= letter <= "\u9fff" for letter in last) == (language == "zh"), last


def test_the_proof_of_the_shipped_model(capsys: pytest.CaptureFixture[str]) -> None:
    """The same answer in float32, wrong positions far off, and less time the more is reused."""
    status = main(["prove", "--json"])
    output = capsys.readouterr()
    proof = json.loads(output.out)

    assert (status, proof["model"], proof["dtype"]) == (0, "tiny", "float32")
    assert (proof["argmax_equal"], proof["text_equal"]) == (True, True)
    assert proof["max_abs_logit_diff"] < 1e-4 < 1 < proof["wrong_positions_diff"]
    assert [row["hit"] for row in proof["ttft"]] == [0, 0.5, 0.9, 0.99]
    assert proof["ttft"][2]["ratio_to_full"] < 0.5
    assert "Measuring the time to the first token" in output.err


@pytest.mark.parametrize(
    ("model", "status", "english", "chinese"),
    [
        ("smollm2", 2, "python -m radixviz fetch smollm2", "还不在这里"),
        ("someone/some-model", 1, "the Hugging Face hub cannot be reached", "连不上 Hugging Face hub"),
    ],
)
def test_a_model_that_is_not_here_is_one_clear_line(
    model: str,
    status: int,
    english: str,
    chinese: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """One that can be fetched says how, one of the hub that the hub is out of reach."""
    monkeypatch.setenv("RADIXVIZ_CACHE", str(tmp_path))
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path))
    for language, wanted in (("en", english), ("zh", chinese)):
        assert main(["play", "nine-stages", "--model", model, "--lang", language]) == status
        output = capsys.readouterr()
        assert output.out == ""
        assert wanted in output.err.splitlines()[-1]
        assert model in output.err.splitlines()[-1]


@pytest.mark.parametrize("verb", [None, "play", "export", "fetch", "lesson"])
def test_too_few_words_get_one_clear_line(verb: str | None, capsys: pytest.CaptureFixture[str]) -> None:
    """Nothing at all, or a verb alone: status 2 and one line that says what is missing."""
    assert main([] if verb is None else [verb]) == 2
    output = capsys.readouterr()
    assert output.out == ""
    assert len(output.err.splitlines()) == 1
    assert output.err.startswith("error: ")


@pytest.mark.parametrize("arguments", [["--help"], ["lesson", "class-45"]])
def test_a_reader_that_is_gone_is_no_traceback(arguments: list[str]) -> None:
    """With a pipe that nobody reads any more, as after `| head -1`, the command ends with 1 and says nothing."""
    command = [sys.executable, "-m", "radixviz", *arguments]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        said = process.stderr.read()
    assert (process.returncode, said) == (1, b"")


def test_an_unknown_language_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    """Where there are no words for a language, English says so."""
    status = main(["play", "nine-stages", "--lang", "fr"])

    error = capsys.readouterr().err
    assert status == 2
    assert len(error.splitlines()) == 1
    assert "fr" in error
    assert "zh" in error


def test_help_is_in_both_languages(capsys: pytest.CaptureFixture[str]) -> None:
    """The overview and the verb's help have no English heading in Chinese."""
    assert main(["--help", "--lang", "zh"]) == 0
    with pytest.raises(SystemExit) as ended:
        main(["play", "--help", "--lang", "zh"])
    output = capsys.readouterr().out

    assert ended.value.code == 0
    assert "usage" not in output
    assert "--page-size" in output


@pytest.mark.parametrize("encoding", ["cp1252", "gbk"])
def test_output_is_utf8_whatever_the_system_s_encoding(encoding: str) -> None:
    """A pipe on a system with another encoding gets the same bytes, on both streams."""
    help_text = _run("--help", "--lang", "zh", PYTHONIOENCODING=encoding)
    failure = _run("play", "十步", "--lang", "zh", PYTHONIOENCODING=encoding)

    assert help_text.returncode == 0, help_text.stderr.decode()
    assert help_text.stdout == _run("--help", "--lang", "zh", PYTHONIOENCODING="utf-8").stdout
    assert "十步" in failure.stderr.decode()


@pytest.mark.parametrize(
    ("arguments", "wanted"),
    [
        (["play", "nine-stages", "--json=yes"], "--json"),
        (["play", "nine-stages", "--page-size"], "--page-size"),
        (["play", "nine-stages", "--lang", "en", "--lang"], "zh"),
    ],
)
def test_an_option_in_a_wrong_shape_is_named(
    arguments: list[str], wanted: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """A value where none belongs, or none where one does: status 2 and one line that names the option."""
    status = main(arguments)
    error = capsys.readouterr().err

    assert (status, len(error.splitlines())) == (2, 1)
    assert wanted in error


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("en", "This model's chat template does not take the tour's chats (no system⏎), so they are written as plain"),
        ("zh", "这个模型的聊天模板不接受导览里的对话（no system⏎），所以对话写成普通文本"),
    ],
)
def test_a_chat_template_that_is_not_used_is_told(
    language: str, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """One line on stderr, with the template's own words in it; the run goes on."""
    tiny = ROOT / "tiny_model"
    for name in ("config.json", "tokenizer.json", "generation_config.json", "model.safetensors"):
        if (tiny / name).is_file():
            shutil.copy(tiny / name, tmp_path)
    (tmp_path / "chat_template.jinja").write_text("{{ raise_exception('no system\\n') }}", encoding="utf-8")
    status = main(["play", "nine-stages", "--model", str(tmp_path), "--pool-pages", "300", "--lang", language])
    output = capsys.readouterr()
    assert status == 0
    assert [line for line in output.err.splitlines() if line.startswith(said)], output.err
