"""The verb `export`: play a scenario, or read a timeline that was exported as JSON, and write it to a file.

The file's ending tells its kind.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from radixviz.command_line import Command, UsageError, print_chat_refusal, print_progress, print_stage
from radixviz.errors import UnknownFrame, UnknownStage
from radixviz.introduction import player_intro
from radixviz.render.export.chromium import require_chromium
from radixviz.render.export.files import check_folder, write_whole
from radixviz.render.export.formats import DRAWN, PAGES, STILLS, WRITERS, Exported, writer
from radixviz.render.export.handout import HANDOUT_KINDS, HandoutKind
from radixviz.render.export.png import check_chinese, check_font
from radixviz.render.export.timeline_json import read_timeline_file
from radixviz.render.player_data import PlayerIntro
from radixviz.render.words import BOTH, LANGUAGES, say
from radixviz.timeline import Frame, StageKey, Timeline

OK = 0


def export(words: Sequence[str], language: str) -> int:
    """Run the verb; return the exit status. `language` is that of what is said about it.

    Raises UsageError, or RadixVizError for what cannot be played or written; then what was there stays.
    """
    options = _export_command(language).read(words, required=("scenario", "to"))
    target = Path(options.to)
    written = writer(target.suffix or target.name)
    kind = _kind(target, options, language)
    _check_uses(target, options, kind, language)
    check_folder(target)
    if options.frame is not None:
        split_frame(options.frame, language)
    font = None if options.font is None else Path(options.font)
    _check_tools(target, font, options.lang)

    if Path(options.scenario).suffix.lower() == ".json":
        timeline, intro = read_timeline_file(Path(options.scenario)), None
    else:
        timeline, intro = _play(options.scenario, options.frame, options.model, options.device, language)
    frame = None if options.frame is None else find_frame(timeline, options.frame, language)
    write_whole(target, written(Exported(timeline, intro, frame, options.lang, kind, font)))
    print(target)
    return OK


def _play(name: str, frame: str | None, model: str, device: str, language: str) -> tuple[Timeline, PlayerIntro]:
    # Imported here, so that a command line that cannot be read is refused at once.
    from radixviz.model import loader
    from radixviz.scenario.loader import find_scenario, load_scenario
    from radixviz.tour import play_on_model

    scenario = load_scenario(find_scenario(name))
    if frame is not None:
        find_stage([spec.stage for spec in scenario.stage], frame, language)
    loaded = loader.load(
        model, device=device, hub=True, progress=lambda step: print_progress(say(language, f"load.{step}"))
    )
    print_chat_refusal(loaded.tokenizer.chat_refusal, language)
    timeline = play_on_model(scenario, loaded, on_stage=lambda stage: print_stage(stage, language))
    return timeline, player_intro(scenario, loaded.tokenizer)


def find_frame(timeline: Timeline, name: str, language: str) -> Frame:
    """Return the frame named as STAGE.FRAME, the frame counted from 1.

    Raises UsageError for another form, UnknownStage, UnknownFrame.
    """
    stage, number = find_stage(timeline.stages(), name, language)
    frames = timeline.stage_frames(stage)
    if not 1 <= number <= len(frames):
        raise UnknownFrame(name, len(frames))
    return frames[number - 1]


def find_stage(stages: Sequence[StageKey], name: str, language: str) -> tuple[StageKey, int]:
    """Return the stage and the number of the frame that STAGE.FRAME asks for.

    Raises UsageError for another form, UnknownStage.
    """
    asked, number = split_frame(name, language)
    known = {str(stage): stage for stage in stages}
    if asked not in known:
        raise UnknownStage(name, tuple(known))
    return known[asked], number


def split_frame(name: str, language: str) -> tuple[str, int]:
    """Return the two halves of STAGE.FRAME; UsageError for another form."""
    stage, dot, number = name.partition(".")
    if not dot or not (number.isascii() and number.isdecimal()) or len(number) > 9:
        raise UsageError(say(language, "cli.bad_frame", value=name))
    return stage, int(number)


def _export_command(language: str) -> Command:
    command = Command("export", language)
    command.argument("scenario")
    command.option("--to", known=", ".join(WRITERS))
    command.option("--as", known=", ".join(HANDOUT_KINDS), first=say(language, "cli.as.player"))
    command.option("--frame", first=say(language, "cli.frame.default"))
    command.option("--font")
    command.option("--model", "tiny")
    command.option("--device", "auto")
    command.option("--lang", LANGUAGES[0], known=", ".join((*LANGUAGES, say(language, "cli.lang.both"))))
    return command


def _kind(target: Path, options: argparse.Namespace, language: str) -> HandoutKind | None:
    """Return which printed pages are asked for, None for the player; both languages are for pages only."""
    asked: str | None = getattr(options, "as")
    kind = next((kind for kind in HANDOUT_KINDS if kind == asked), None)
    if asked is not None and kind is None:
        known = ", ".join(HANDOUT_KINDS)
        raise UsageError(say(language, "cli.bad_choice", option="--as", value=asked, known=known))
    if kind is not None and target.suffix.lower() not in PAGES:
        raise UsageError(say(language, "cli.as_not", value=target.suffix))
    if options.lang == BOTH and target.suffix.lower() not in PAGES:
        raise UsageError(
            say(language, "cli.one_language", value=target.suffix, known=say(language, "comma").join(PAGES))
        )
    return kind


def _check_uses(target: Path, options: argparse.Namespace, kind: HandoutKind | None, language: str) -> None:
    """Refuse an option that this kind of file has no use for."""
    suffix = target.suffix.lower()
    if options.frame is not None and (kind is not None or suffix not in (*STILLS, ".html")):
        raise UsageError(say(language, "cli.frame_not", value=kind or suffix))
    if options.font is not None and suffix not in DRAWN:
        raise UsageError(say(language, "cli.font_not", value=suffix))


def _check_tools(target: Path, font: Path | None, lang: str) -> None:
    """Refuse what this machine cannot draw or print, before the model is loaded."""
    suffix = target.suffix.lower()
    if font is not None:
        check_font(font)
    if lang != "en" and suffix in DRAWN:
        check_chinese(font)
    if suffix == ".pdf":
        require_chromium()
