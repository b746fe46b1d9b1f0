"""The time loop of a world of objects: equal frames, automatic substeps; what cannot be solved takes finer steps."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ..errors import Cancelled
from .actor import Actor
from .conditions import Ground
from .detection import Detector
from .islands import Before, Islands, WorldStep
from .neighbours import Neighbours
from .obstacles import Obstacle
from .refinement import Refinement
from .rigid.islands import RigidIslands
from .sleeping import Sleep
from .solver import Frame, Surroundings
from .state import Statistics
from .substeps import substep_count

__all__ = ["World"]

SMALLEST_SHARE = 1.0 / 16.0  # of a substep: what fails there takes the best that was found
MOST_ITERATIONS = 2000  # of Newton in one frame, after which a step that fails is not halved again


@dataclass(frozen=True)
class _Substep:
    """A span of time (s) that is solved at once; `share`: what is left of a whole substep after halving."""

    begin: float
    seconds: float
    share: float

    def halves(self) -> tuple[_Substep, _Substep]:
        """Its first and its second half."""
        seconds, share = 0.5 * self.seconds, 0.5 * self.share
        return _Substep(self.begin, seconds, share), _Substep(self.begin + seconds, seconds, share)


class World:
    """Simulated objects, ground and colliders, advanced frame by frame."""

    def __init__(
        self,
        actors: Sequence[Actor],
        ground: Ground | None,
        obstacles: Sequence[Obstacle],
        gravity: float,
        frame_seconds: float,
        substeps: int | None,
    ) -> None:
        """`gravity` in m/s^2, `substeps` per frame (None: chosen automatically)."""
        self.actors = tuple(actors)
        self.statistics = Statistics()
        self._ground, self._obstacles = ground, tuple(obstacles)
        self._frame_seconds, self._given_substeps = frame_seconds, substeps
        self._detector = Detector(self.actors, ground, self._obstacles, gravity)
        self._sleep = Sleep(self.actors)
        alone = ground is None and not obstacles and len(self.actors) == 1 and not self.actors[0].self_contact
        self._refinement = Refinement(len(self.actors))
        self._rigid = RigidIslands(self.actors, ground, self._obstacles, gravity)
        self._neighbours = Neighbours(self.actors)
        self._islands = Islands(self.actors, self._detector, self._sleep, self._refinement, alone, self._rigid)
        self._now: list[Any] = [actor.state for actor in self.actors]
        self._before: list[Before] = [None] * len(self.actors)
        self._index = 1  # of the last frame
        self._touching: list[tuple[int, ...]] = []  # objects that touched each other in the last step
        self.overlap = max(self._detector.start(self._now), self._rigid.start(self._now))

    def _accept(self, found: WorldStep, step: float) -> None:
        """Accepts a step: new states, contact history, objects that touch."""
        struck = {number for _, outcome, hard_impact in found.islands if hard_impact for number in outcome.states}
        touched = {number for _, outcome, _ in found.islands for number in outcome.states}
        struck, touched = struck | found.rigid.struck, touched | found.rigid.touched
        for number, then in found.states.items():
            usable = number in touched and number not in struck
            self._before[number] = (self._now[number], step) if usable else None
            self._now[number] = then
        self._touching = [met for met in self._touching if found.states.keys().isdisjoint(met)]
        self._rigid.accept(found.rigid)
        for met in found.rigid.touching:
            self._touching.append(met)
            self._sleep.wake(met)
        for groups, outcome, _ in found.islands:
            for group, impact, bristle, touching in zip(
                groups, outcome.impacts, outcome.bristles, outcome.touching, strict=True
            ):
                self._detector.memory.keep(group.points, bristle)
                self._detector.memory.soften(group.points, *impact, group.law.margin)
                if touching:
                    met = (group.first, *group.partner)
                    self._touching.append(met)
                    self._sleep.wake(met)  # what sleeps is woken by what moves

    def wake(self) -> None:
        """Nothing sleeps any more."""
        self._sleep.wake_all()

    @property
    def seconds(self) -> float:
        """Since the first frame."""
        return (self._index - 1) * self._frame_seconds

    def frame(self) -> list[Frame]:
        """Every object's last frame; frame 1 is the initial state."""
        return [actor.solver.frame(self._index, now) for actor, now in zip(self.actors, self._now, strict=True)]

    def next_frame(self, should_cancel: Callable[[], bool]) -> list[Frame]:
        """Every object's frame after the last one.

        Raises Cancelled at the next step after `should_cancel()` turns true; the world is then as it was after the
        last frame.
        """
        begin, end = self.seconds, self.seconds + self._frame_seconds
        snapshot = self._snapshot()
        self._sleep.begin_frame(self._now, self._obstacles, begin, end)
        self._neighbours.wake(self._now, self._sleep)
        iterations = self.statistics.newton_iterations
        if not all(self._sleep.asleep):
            # Objects and the spans that they still have to go through, the next one last.
            pending = [(range(len(self.actors)), substep) for substep in reversed(self._substeps(begin))]
            try:
                while pending:
                    if should_cancel():
                        raise Cancelled
                    numbers, span = pending.pop()
                    self.statistics.steps += 1
                    used = self.statistics.newton_iterations - iterations
                    last = span.share <= SMALLEST_SHARE or used > MOST_ITERATIONS
                    around = Surroundings(span.begin, self._ground, self._obstacles, self.statistics)
                    now, before = self._now, self._before
                    following = self._neighbours.awake(numbers, self._sleep)
                    others = [number for number in numbers if number not in following]
                    found = self._islands.step(now, before, others, span.seconds, span.share, around, last=last)
                    if following:
                        found = self._followed(found, following, others, span.seconds, around)
                    self._accept(found, span.seconds)
                    # A failed step has changed no state. The solvers' caches (a Newton matrix near the shape that
                    # failed) and the detector's are kept: the halves go through nearly the same shapes.
                    for members in reversed(found.failed):
                        self.statistics.halved_steps += 1
                        pending += [(members, half) for half in reversed(span.halves())]
            except BaseException:
                self._restore(snapshot)
                raise
            self._sleep.end_frame(self._now, self._touching, begin)
            self._stop_sleepers()
        self._index += 1
        return self.frame()

    def _followed(
        self, found: WorldStep, following: list[int], others: list[int], seconds: float, around: Surroundings
    ) -> WorldStep:
        """The step with those of the followers; where one of the others failed, all take finer steps."""
        if found.failed:
            return WorldStep({}, [], [[*others, *following]])
        steps = {n: self._neighbours.step(self._now, found.states, n, seconds, around) for n in following}
        return replace(found, states={**found.states, **steps})

    def _substeps(self, begin: float) -> list[_Substep]:
        """Those of the frame from `begin` on."""
        count = self._given_substeps
        if count is None:
            asleep, alone = self._sleep.asleep, self._islands.alone
            count = substep_count(self.actors, self._now, asleep, self._obstacles, begin, self._frame_seconds, alone)
        seconds = self._frame_seconds
        return [_Substep(begin + number * seconds / count, seconds / count, 1.0) for number in range(count)]

    def _stop_sleepers(self) -> None:
        for number, (actor, asleep) in enumerate(zip(self.actors, self._sleep.asleep, strict=True)):
            stopped = actor.solver.stopped(self._now[number]) if asleep else self._now[number]
            if stopped is not self._now[number]:
                self._now[number], self._before[number] = stopped, None

    def _snapshot(self) -> tuple[Any, ...]:
        """All that a frame changes, solvers' caches included: a frame that cannot be solved leaves no trace."""
        own = (list(self._now), list(self._before), list(self._touching))
        solvers = [actor.solver.snapshot() for actor in self.actors]
        kept = (self._detector.snapshot(), self._rigid.snapshot())
        return own, self._sleep.snapshot(), kept, self._refinement.snapshot(), solvers

    def _restore(self, snapshot: tuple[Any, ...]) -> None:
        """Takes back a frame."""
        (self._now, self._before, self._touching), sleep, (detector, rigid), refinement, solvers = snapshot
        self._sleep.restore(sleep)
        self._detector.restore(detector)
        self._rigid.restore(rigid)
        self._refinement.restore(refinement)
        for actor, kept in zip(self.actors, solvers, strict=True):
            actor.solver.restore(kept)
