"""An object that is simulated frame by frame, without an end, while the user pulls at it."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..dynamics.conditions import Conditions
from ..io.json_values import number, or_none, record, vector
from ..kinematics.base import Array
from ..kinematics.motion import MotionFrame
from ..simulation.assemble import assemble
from ..simulation.kernels import compile_kernels
from ..simulation.shared_world import world_of
from ..simulation.soft_discs import SoftDiscs
from ..simulation.spring_targets import SpringPart, following
from ..simulation.take import object_motion
from ..simulation.true_size import drawn
from ..understanding.analysis import Analysis, Progress, silent

__all__ = ["Live"]

# Of the whole object on the pull's spring: what is free is where it is wanted after two or three frames, and what is
# held and stiff resists.
PULL_HZ = 5.0
REACH = 0.3  # of the size: a pull from farther away is no stronger, so that soft objects do not tear
FARTHEST = 1e6  # m

_read_pull = or_none(
    record(
        {"point": vector(FARTHEST), "radius": number(0.0, FARTHEST, open_low=True), "target": vector(FARTHEST)},
        ("point", "radius", "target"),
    )
)


class _Cursor:
    """Where the pulled point is wanted: from the last place evenly to the next within a frame."""

    def __init__(self, place: Array) -> None:
        """`place` Float[3] m."""
        self.goal = place
        self.aim(place, 0.0, 1.0)

    def aim(self, goal: Array, begin: float, span: float) -> None:
        """Goes from where it is to `goal` within `span` seconds from `begin` on."""
        self._start, self.goal, self._begin, self._span = self.goal, goal, begin, span

    def __call__(self, seconds: float) -> Array:
        share = (seconds - self._begin) / self._span
        return self._start + share * (self.goal - self._start)


@dataclass(frozen=True)
class _Grip:
    """A soft disc of the surface that is held by a spring to a cursor."""

    point: Array  # Float[3] m, at rest
    radius: float  # m
    row: Array  # Float[4H], basis of the disc
    cursor: _Cursor
    part: SpringPart


def _never() -> bool:
    return False


class Live:
    """One object and its present frame. Of the conditions everything counts but `frames`."""

    def __init__(
        self,
        analysis: Analysis,
        conditions: Conditions,
        parts: int = 1,
        progress: Progress = silent,
        scale: float = 1.0,
    ) -> None:
        """Every frame of the conditions is `parts` of what `step` makes; `scale`: how many times the drawing it is.

        Raises UserError where they do not fit.
        """
        conditions = replace(conditions, frames=sys.maxsize)  # nothing comes after the last one
        setup = assemble(analysis, conditions, others=False, live=True)
        compile_kernels([setup.actor], conditions, progress)
        self._world, warnings = world_of([setup.actor], [conditions], parts)
        self._solved = self._world.frame()[0]
        assert setup.body is not None and setup.springs is not None
        self._body, self._discs, self._springs = setup.body, SoftDiscs(setup.body), setup.springs
        self._grip: _Grip | None = None
        self.fps, self._scale = conditions.fps * parts, scale
        self.motion = object_motion(setup.body)
        self.summary: dict[str, Any] = analysis.summarise(setup.body, setup.body.anchored)
        self.summary["warnings"] = self.summary["warnings"] + setup.warnings + warnings

    @property
    def frame(self) -> MotionFrame:
        """The last frame; the initial state before the first step."""
        solved = self._solved
        handles = self._body.frame.world_handles(solved.handles)
        offsets = self._body.offsets(handles)
        return drawn(MotionFrame(solved.index, solved.q, solved.energy, handles, offsets), self._scale)

    def step(self, pull: Any = None, should_cancel: Callable[[], bool] = _never) -> MotionFrame:
        """The next frame, 1 / fps seconds after the last one.

        `pull` is None or {"point": a rest position on the surface [x, y, z] in m, "radius": of the soft disc around it
        in m, "target": where that point is wanted at the end of the frame, [x, y, z] in m}. While point and radius stay
        the same it goes on. Cancelled, the last frame stays, and the next pull grips anew.
        """
        self._follow(_read_pull("pull", pull))
        try:
            self._solved = self._world.next_frame(should_cancel)[0]
            return self.frame
        except BaseException:
            self._let_go()
            raise

    def _follow(self, pull: dict[str, Any] | None) -> None:
        """Takes the pull of the next frame."""
        if pull is None:
            self._let_go()
            return
        point, radius, target = (self._scale * pull[name] for name in ("point", "radius", "target"))
        grip = self._grip
        if grip is None or radius != grip.radius or not np.array_equal(point, grip.point):
            self._let_go()
            grip = self._grip = self._gripped(point, radius)
        away = target - grip.row @ self._solved.handles
        reach = REACH * self._body.size / max(float(np.linalg.norm(away)), 1e-300)
        goal = target - max(1.0 - reach, 0.0) * away
        if not np.array_equal(goal, grip.cursor.goal):
            self._world.wake()
        grip.cursor.aim(goal, self._world.seconds, 1.0 / self.fps)

    def _gripped(self, point: Array, radius: float) -> _Grip:
        """From where the point is now, so that nothing jerks."""
        row = self._discs.row(point, radius)[0]
        cursor = _Cursor(row @ self._solved.handles)
        part = following(row, self._body.total_mass, PULL_HZ, cursor)
        self._springs.add(part, 0.0)
        return _Grip(point, radius, row, cursor, part)

    def _let_go(self) -> None:
        if self._grip is not None:
            self._springs.remove(self._grip.part)
            self._grip = None
            self._world.wake()
