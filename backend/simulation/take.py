"""Takes: one simulation of a list of objects, as frames and a report."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from time import perf_counter
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from ..bodies.body import Body
from ..dynamics.conditions import Conditions
from ..dynamics.solver import Frame
from ..dynamics.world import World
from ..kinematics.motion import MotionFrame, ObjectMotion
from ..texts import Text

__all__ = ["Member", "Moving", "Take", "object_motion"]


def object_motion(body: Body | None) -> ObjectMotion:
    """How the frames of an object move its vertices; `body` None: by the points of a solver of its own."""
    if body is None:
        return ObjectMotion(None, has_points=True)
    return ObjectMotion(body.weights, has_points=body.bent is not None)


@dataclass(frozen=True)
class Member:
    """One object of a take: its constants (None with a solver of its own), its motion, and what was found (JSON)."""

    body: Body | None
    motion: ObjectMotion
    summary: dict[str, Any]

    @property
    def bodies(self) -> tuple[Body | None]:
        return (self.body,)

    def frame(self, solved: Sequence[Frame], handles: Sequence[NDArray[np.float64] | None]) -> MotionFrame:
        """One frame of it."""
        (each,) = solved
        points = each.points if self.body is None else self.body.offsets(handles[0])
        return MotionFrame(each.index, each.q, each.energy, handles[0], points)


class Moving(Protocol):
    """What a take asks of an object: its bodies in the world, and how their frames are one of its own."""

    motion: ObjectMotion
    summary: dict[str, Any]

    @property
    def bodies(self) -> tuple[Body | None, ...]: ...

    def frame(self, solved: Sequence[Frame], handles: Sequence[NDArray[np.float64] | None]) -> MotionFrame:
        """One frame, from those of its bodies and from their handles in the world's coordinates, Float[H,3,4]."""
        ...


class Take:
    """A simulation of one or more objects: iterate `frames` once, then ask for the `report`.

    seconds: Clock time of each stage so far, "analyze" and "solve". It is apart from the report, which is the same for
    equal takes.
    """

    def __init__(
        self, members: tuple[Moving, ...], shared: World, conditions: Conditions, analyze_seconds: float
    ) -> None:
        self.members, self._world = members, shared
        self._bodies = [member.bodies for member in members]
        self.frame_count, self.fps = conditions.frames, conditions.fps
        self.seconds = {"analyze": analyze_seconds, "solve": 0.0}

    def frames(self, should_cancel: Callable[[], bool]) -> Iterator[list[MotionFrame]]:
        """Yields one frame of every object as they are solved; raises Cancelled."""
        for number in range(self.frame_count):
            begin = perf_counter()
            solved = self._world.next_frame(should_cancel) if number else self._world.frame()
            self.seconds["solve"] += perf_counter() - begin
            rest, frames = iter(solved), []
            for member, bodies in zip(self.members, self._bodies, strict=True):
                own = list(islice(rest, len(bodies)))
                placed = [
                    None if body is None else body.frame.world_handles(each.handles)
                    for body, each in zip(bodies, own, strict=True)
                ]
                frames.append(member.frame(own, placed))
            yield frames

    def report(self) -> dict[str, Any]:
        """Operation counts, what was found (a list where there are several objects), warnings (JSON)."""
        count = self._world.statistics
        summaries = [member.summary for member in self.members]
        rough = [Text("contact.approximate", time=time) for time in count.rough_steps[:1]]
        return {
            "frames": self.frame_count,
            "steps": count.steps,
            "contact_steps": count.contact_steps,
            "halved_steps": count.halved_steps,
            "rough_steps": len(count.rough_steps),
            "newton_iterations": count.newton_iterations,
            "stiffness_refreshes": count.stiffness_refreshes,
            "kinematics": summaries[0] if len(summaries) == 1 else summaries,
            "warnings": [*dict.fromkeys(text for summary in summaries for text in summary["warnings"]), *rough],
        }
