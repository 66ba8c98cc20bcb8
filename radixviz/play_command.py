"""The verb `play`: play a scenario on a model, and print what happened."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Mapping, Sequence

from radixviz.command_line import Command, print_chat_refusal, print_progress, print_stage, whole_number
from radixviz.render.explain import explain_unmet
from radixviz.render.report import run_report
from radixviz.render.summary import run_summary
from radixviz.render.words import LANGUAGES, say
from radixviz.timeline import Timeline

OK = 0


def play(words: Sequence[str], language: str) -> int:
    """Run the verb; return the exit status: 0 also where an expectation of the story does not come true.

    Raises UsageError, or RadixVizError for a scenario, a model or a pool that cannot be used.
    """
    options = _play_command(language).read(words, required=("scenario",))
    page_size = whole_number(language, "--page-size", options.page_size)
    pool_pages = whole_number(language, "--pool-pages", options.pool_pages)

    # Imported here, so that a command line that cannot be read is refused at once.
    from radixviz.model import loader
    from radixviz.scenario.loader import find_scenario, load_scenario
    from radixviz.tour import check_pool, play_on_model

    scenario = load_scenario(find_scenario(options.scenario))
    check_pool(scenario, page_size=page_size, pool_pages=pool_pages)
    loaded = loader.load(
        options.model,
        device=options.device,
        dtype=options.dtype,
        hub=True,
        progress=lambda step: print_progress(say(language, f"load.{step}")),
    )
    print_chat_refusal(loaded.tokenizer.chat_refusal, language)
    seconds: dict[str, float] = {}
    timeline = play_on_model(
        scenario,
        loaded,
        page_size=page_size,
        pool_pages=pool_pages,
        now=time.perf_counter,
        on_stage=lambda stage: print_stage(stage, language),
        on_first_token=seconds.__setitem__,
    )
    for unmet in timeline.unmet:
        print(explain_unmet(unmet, language), file=sys.stderr)
    times = None if options.no_times else seconds
    print(_as_json(timeline, language, times) if options.json else run_summary(timeline, language))
    return OK


def _as_json(timeline: Timeline, language: str, seconds: Mapping[str, float] | None) -> str:
    return json.dumps(run_report(timeline, language, seconds), ensure_ascii=False, indent=1)


def _play_command(language: str) -> Command:
    command = Command("play", language)
    command.argument("scenario")
    command.option("--model", "tiny")
    command.option("--device", "auto")
    command.option("--dtype", "float32")
    command.option("--page-size")
    command.option("--pool-pages")
    command.flag("--json")
    command.flag("--no-times")
    command.option("--lang", LANGUAGES[0], known=", ".join(LANGUAGES))
    return command
