"""Takes: one simulation of one or more objects, from their conditions to frames and a report."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from time import perf_counter
from typing import Any

from ..bodies.body import Body
from ..dynamics.conditions import Conditions
from ..dynamics.world import World
from ..understanding.analysis import Analysis, Progress
from .assemble import assemble
from .frame import Frame
from .shared_world import world_of

__all__ = ["Member", "SceneTake", "Take", "make_take"]

About = Callable[[int], AbstractContextManager[None]]


def make_take(
    analyses: Sequence[Analysis], conditions: Sequence[Conditions], about: About, tell: Progress
) -> SceneTake:
    """A take of objects whose analyses suit their conditions. `about(number)` names the object in a refusal.

    Raises UserError.
    """
    begin = perf_counter()
    setups = []
    tell("analyzing", 2, 3)
    for number, (analysis, wanted) in enumerate(zip(analyses, conditions, strict=True)):
        with about(number):
            setups.append(assemble(analysis, wanted, len(analyses) > 1))
    world, warnings = world_of([setup.actor for setup in setups], conditions)
    tell("analyzing", 3, 3)
    seconds = sum(each.seconds for each in analyses) + perf_counter() - begin
    members = []
    for analysis, setup in zip(analyses, setups, strict=True):
        anchored = setup.body is not None and setup.body.anchored
        summary = analysis.summarise(setup.body, anchored, setup.actor.mass)
        summary["warnings"] = summary["warnings"] + setup.warnings + warnings
        members.append(Member(setup.body, summary))
    return SceneTake(tuple(members), world, conditions[0], seconds)


@dataclass(frozen=True)
class Member:
    """One object of a take: its constants (None where a solver of one's own moves it) and what was found (JSON)."""

    body: Body | None
    summary: dict[str, Any]


class SceneTake:
    """One simulation of one or more objects: iterate `frames` once, then ask for the `report`."""

    def __init__(
        self, members: tuple[Member, ...], world: World, conditions: Conditions, analyze_seconds: float
    ) -> None:
        self.members, self._world = members, world
        self.frame_count, self.fps = conditions.frames, conditions.fps
        self._analyze_seconds, self._solve_seconds = analyze_seconds, 0.0

    def frames(self, should_cancel: Callable[[], bool]) -> Iterator[list[Frame]]:
        """Yields one frame of every object as they are solved; raises Cancelled or UserError."""
        solver = self._world.frames(should_cancel)
        while True:
            begin = perf_counter()
            solved = next(solver, None)
            self._solve_seconds += perf_counter() - begin
            if solved is None:
                return
            yield [Frame.of(member.body, each) for each, member in zip(solved, self.members, strict=True)]

    def report(self) -> dict[str, Any]:
        """Stage times (s), operation counts, what was found, warnings (JSON); lists of the objects' where several."""
        count = self._world.statistics
        summaries = [member.summary for member in self.members]
        return {
            "stages": {"analyze": self._analyze_seconds, "solve": self._solve_seconds},
            "frames": self.frame_count,
            "steps": count.steps,
            "contact_steps": count.contact_steps,
            "halved_steps": count.halved_steps,
            "newton_iterations": count.newton_iterations,
            "stiffness_refreshes": count.stiffness_refreshes,
            "kinematics": summaries[0] if len(summaries) == 1 else summaries,
            "warnings": list(dict.fromkeys(text for summary in summaries for text in summary["warnings"])),
        }


class Take:
    """The take of a single object."""

    def __init__(self, scene: SceneTake) -> None:
        self._scene = scene
        self._body = scene.members[0].body
        self.summary = scene.members[0].summary
        self.weights = None if self._body is None else self._body.weights
        self.frame_count, self.fps = scene.frame_count, scene.fps

    def frames(self, should_cancel: Callable[[], bool]) -> Iterator[Frame]:
        """Yields frames as they are solved; raises Cancelled or UserError."""
        for frames in self._scene.frames(should_cancel):
            yield frames[0]

    def report(self) -> dict[str, Any]:
        """See `SceneTake.report`."""
        return self._scene.report()
