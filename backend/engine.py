"""What the worker, the command line and scripts call: analyse a mesh, prepare a take, pose an object, run it live."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any

from .dynamics.conditions import Conditions, read_conditions
from .errors import blamed
from .interactive.live import Live
from .interactive.posing import Posing
from .interactive.start_pose import with_start_pose
from .simulation.frame import Frame
from .simulation.take import Member, SceneTake, Take, make_take
from .understanding.analysis import Analysis, Progress, analyze, silent, suited_analysis

__all__ = [
    "Analysis",
    "Frame",
    "Member",
    "Progress",
    "SceneTake",
    "Take",
    "analyze",
    "begin_live",
    "begin_pose",
    "prepare",
    "prepare_together",
    "read_conditions",
]


def begin_pose(analysis: Analysis, conditions: Any, progress: Progress | None = None) -> Posing:
    """Makes an object ready to be posed by hand, with what the conditions say of its anchor and material.

    Raises UserError.
    """
    parsed = read_conditions(conditions)
    return Posing(suited_analysis(analysis, parsed, progress), parsed)


def begin_live(analysis: Analysis, conditions: Any, progress: Progress | None = None, parts: int = 1) -> Live:
    """Makes an object ready to be simulated step by step while somebody pulls at it, `parts` steps a frame.

    Raises UserError.
    """
    parsed = read_conditions(conditions)
    suited = suited_analysis(analysis, parsed, progress)
    return Live(suited.with_choices(parsed.choices), with_start_pose(suited, parsed), parts)


def prepare(analysis: Analysis, conditions: Any, progress: Progress | None = None) -> Take:
    """Checks the conditions of one object and makes a take that is ready to run. Raises UserError."""
    return Take(prepare_together([analysis], [conditions], progress))


def prepare_together(
    analyses: Sequence[Analysis],
    conditions: Sequence[Any],
    progress: Progress | None = None,
    names: Sequence[str] | None = None,
) -> SceneTake:
    """The same for several objects that meet each other, with conditions for each.

    What belongs to all of them (frames, fps, substeps, gravity, ground, colliders) must be the same. `names` are what
    a refusal calls the objects; without, it counts them from 1. Raises UserError.
    """
    several = len(analyses) > 1

    def about(number: int) -> AbstractContextManager[None]:
        called = f"'{names[number]}'" if names else f"{number + 1}"
        return blamed(f"The object {called}") if several else nullcontext()

    parsed, suited = [], []
    for number, (analysis, given) in enumerate(zip(analyses, conditions, strict=True)):
        with about(number):
            wanted = given if isinstance(given, Conditions) else read_conditions(given)
            found = suited_analysis(analysis, wanted, progress)
            suited.append(found.with_choices(wanted.choices))
            parsed.append(with_start_pose(found, wanted))
    return make_take(suited, parsed, about, progress or silent)
