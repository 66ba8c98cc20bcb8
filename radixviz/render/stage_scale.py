"""The scales of a stage: one for all its frames, near and far."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from radixviz.render.dot import layout_dot
from radixviz.render.far_scale import fit_far
from radixviz.render.layout import lay_out
from radixviz.render.tree_boxes import tree_boxes
from radixviz.render.tree_scale import TreeScale, fit
from radixviz.timeline import StageKey, Timeline


@dataclass(frozen=True, slots=True)
class StageScales:
    """The scale for a reader at the screen, and that for a room: its boxes say less, in letters twice as large."""

    near: TreeScale
    far: TreeScale


def stage_scales(timeline: Timeline, stage: StageKey, engine: Path) -> StageScales | None:
    """Return the scales that fit every frame of the stage, or None when Graphviz fails."""
    drawings = {layout_dot(tree_boxes(timeline, frame)) for frame in timeline.stage_frames(stage)}
    layouts = [lay_out(dot, engine) for dot in sorted(drawings)]
    fitting = [layout for layout in layouts if layout is not None]
    if len(fitting) < len(layouts):
        return None
    return fit_both(max(layout.width for layout in fitting), max(layout.ranks for layout in fitting) - 1)


def fit_both(boxes_wide: float, levels: int) -> StageScales:
    """Return both scales for a drawing that is so many boxes wide and so many levels deep."""
    return StageScales(fit(boxes_wide, levels), fit_far(boxes_wide, levels))
