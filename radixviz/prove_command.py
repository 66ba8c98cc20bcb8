"""The verb `prove`: measure on a model that reuse does not change its answer, and what it saves."""

from __future__ import annotations

import json
import time
from collections.abc import Sequence

from radixviz.command_line import Command, UsageError, print_progress, whole_number
from radixviz.render.proof_text import proof_text
from radixviz.render.words import LANGUAGES, say

OK, FAILED = 0, 1


def prove_model(words: Sequence[str], language: str) -> int:
    """Run the verb; return the exit status: 1 when the answer changed in float32, where it must not.

    Raises UsageError, or RadixVizError for a model that cannot be used.
    """
    options = _prove_command(language).read(words)
    threads = whole_number(language, "--threads", options.threads)
    if threads is not None and threads < 1:
        raise UsageError(say(language, "cli.too_small", option="--threads", value=threads, limit=1))

    # Imported here, so that a command line that cannot be read is refused at once.
    from radixviz.model import loader

    loaded = loader.load(
        options.model,
        device=options.device,
        dtype=options.dtype,
        threads=threads,
        hub=True,
        progress=lambda step: print_progress(say(language, f"load.{step}")),
    )
    from radixviz.model.prove import prove  # with torch, which `load` has brought

    proof = prove(loaded, time.perf_counter, progress=lambda step: print_progress(say(language, f"prove.{step}")))
    if options.json:
        print(json.dumps(proof.report(), ensure_ascii=False, indent=1))
    else:
        print(proof_text(proof, language))
    return FAILED if proof.is_exact and not proof.same_answer else OK


def _prove_command(language: str) -> Command:
    command = Command("prove", language)
    command.option("--model", "tiny")
    command.option("--device", "auto")
    command.option("--dtype", "float32")
    command.option("--threads")
    command.flag("--json")
    command.option("--lang", LANGUAGES[0], known=", ".join(LANGUAGES))
    return command
