"""The verb `export`: play a scenario, or read a timeline that was exported as JSON, and write it to a file.

The file's ending tells its kind.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from radixviz.command_line import Command, UsageError, print_progress, print_stage
from radixviz.errors import UnknownFrame, UnknownStage, UnknownSuffix
from radixviz.introduction import player_intro
from radixviz.render.export.files import check_folder, write_whole
from radixviz.render.export.film import film
from radixviz.render.export.frame_svg import frame_svg
from radixviz.render.export.png import check_chinese, check_font, svg_to_png
from radixviz.render.export.standalone import standalone_html
from radixviz.render.export.timeline_json import read_timeline_file, write_timeline
from radixviz.render.layout import find_engine
from radixviz.render.player_data import PlayerIntro, player_data
from radixviz.render.words import LANGUAGES, say
from radixviz.timeline import Frame, StageKey, Timeline

OK = 0


@dataclass(frozen=True, slots=True)
class Exported:
    """What a writer may need: the run, its introduction, the frame that was asked for (None: none), the language."""

    timeline: Timeline
    intro: PlayerIntro | None
    frame: Frame | None
    lang: str
    font: Path | None = None
    """A font file to draw with besides the system's."""

    @property
    def shown(self) -> Frame:
        """The frame that a picture shows."""
        return self.timeline.frames[0] if self.frame is None else self.frame


def export(words: Sequence[str], language: str) -> int:
    """Run the verb; return the exit status.

    Raises UsageError, or RadixVizError for what cannot be played or written; then what was there stays.
    """
    options = _export_command(language).read(words, required=("scenario", "to"))
    target = Path(options.to)
    writer = _writer(target)
    check_folder(target)
    if options.frame is not None:
        split_frame(options.frame, language)
    font = None if options.font is None else Path(options.font)
    _check_fonts(target, font, language)

    if Path(options.scenario).suffix.lower() == ".json":
        timeline, intro = read_timeline_file(Path(options.scenario)), None
    else:
        timeline, intro = _play(options.scenario, options.frame, options.model, options.device, language)
    frame = None if options.frame is None else find_frame(timeline, options.frame, language)
    write_whole(target, writer(Exported(timeline, intro, frame, language, font)))
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
    loaded = loader.load(model, device=device, progress=lambda step: print_progress(say(language, f"load.{step}")))
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
    command.option("--frame", first=say(language, "cli.frame.default"))
    command.option("--font")
    command.option("--model", "tiny")
    command.option("--device", "auto")
    command.option("--lang", LANGUAGES[0])
    return command


def _html(given: Exported) -> bytes:
    data = player_data(given.timeline, find_engine(), given.intro)
    return standalone_html(data, given.lang, -1 if given.frame is None else given.frame.index).encode()


def _svg(given: Exported) -> bytes:
    return frame_svg(given.timeline, given.shown, given.lang, find_engine()).encode()


def _png(given: Exported) -> bytes:
    return svg_to_png(_svg(given).decode(), given.font)


def _gif(given: Exported) -> bytes:
    return film(given.timeline, given.timeline.frames, given.lang, find_engine(), kind="GIF", font=given.font)


def _webp(given: Exported) -> bytes:
    return film(given.timeline, given.timeline.frames, given.lang, find_engine(), kind="WEBP", font=given.font)


def _json(given: Exported) -> bytes:
    return write_timeline(given.timeline)


def _check_fonts(target: Path, font: Path | None, language: str) -> None:
    """Refuse a font that cannot be used, and Chinese without one, before the model is loaded."""
    if font is not None:
        check_font(font)
    if language == "zh" and target.suffix.lower() in PIXELS:
        check_chinese(font)


Writer = Callable[[Exported], bytes]
WRITERS: Mapping[str, Writer] = {
    ".html": _html,
    ".svg": _svg,
    ".png": _png,
    ".gif": _gif,
    ".webp": _webp,
    ".json": _json,
}
"""By the ending of the file."""
PIXELS = (".png", ".gif", ".webp")
"""The files that letters are drawn into."""


def _writer(target: Path) -> Writer:
    if target.suffix.lower() not in WRITERS:
        raise UnknownSuffix(target.suffix or target.name, tuple(WRITERS))
    return WRITERS[target.suffix.lower()]
