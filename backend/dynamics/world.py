"""The time loop of a world of objects: equal frames, automatic substeps, failing steps halved and never shown."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from ..errors import Cancelled, UserError
from .actor import Actor
from .conditions import Ground
from .detection import Detector
from .islands import Before, Islands, WorldStep
from .obstacles import Obstacle
from .sleeping import Sleep
from .solver import Frame, Surroundings
from .state import Statistics, StepFailed
from .substeps import substep_count

__all__ = ["World"]

SMALLEST_SHARE = 1.0 / 256.0  # of a substep; failing below it is reported, not shown
MOST_HALVINGS = 48  # in one frame: more would go on for minutes and end the same
MOST_ITERATIONS = 3000  # of Newton in one frame, after which a step that fails is not tried again
WIDER = (1.0, 3.0, 10.0)  # how much farther contacts are looked for when something got farther than expected


class World:
    """Simulated objects, ground and colliders, advanced by `frames()` or frame by frame."""

    def __init__(
        self,
        actors: Sequence[Actor],
        ground: Ground | None,
        obstacles: Sequence[Obstacle],
        gravity: float,
        frame_count: int,
        frame_seconds: float,
        substeps: int | None,
    ) -> None:
        """`gravity` in m/s^2, `substeps` per frame (None: chosen automatically)."""
        self.actors = tuple(actors)
        self.statistics = Statistics()
        self._ground, self._obstacles = ground, tuple(obstacles)
        self._frame_count, self._frame_seconds, self._given_substeps = frame_count, frame_seconds, substeps
        self._detector = Detector(self.actors, ground, self._obstacles, gravity)
        self._sleep = Sleep(self.actors)
        self._islands = Islands(self.actors, self._detector, self._sleep)
        self._now: list[Any] = [actor.state for actor in self.actors]
        self._before: list[Before] = [None] * len(self.actors)
        self._index = 1  # of the last frame
        self._halvings = 0  # of steps in this frame
        self._iterations = 0  # of Newton before this frame
        self._touching: list[tuple[int, ...]] = []  # objects that touched each other in the last step
        self.overlap = self._detector.start(self._now)
        self._alone = ground is None and not obstacles and len(self.actors) == 1 and not self.actors[0].self_contact

    # -- one step ------------------------------------------------------------------------------------------------

    def _advance_once(self, time: float, step: float) -> None:
        self.statistics.steps += 1
        surroundings = Surroundings(time, self._ground, self._obstacles, self.statistics)
        for widen in WIDER:
            found = self._islands.step(self._now, self._before, step, surroundings, widen)
            if self._alone or not any(
                self._detector.overlooked(number, self._now[number], then, step, widen)
                for number, then in found.states.items()
            ):
                break
        else:
            raise StepFailed
        self._accept(found, step)

    def _accept(self, found: WorldStep, step: float) -> None:
        """Accepts a step: new states, contact history, objects that touch."""
        struck = {number for _, outcome, hard_impact in found.islands if hard_impact for number in outcome.states}
        touched = {number for _, outcome, _ in found.islands for number in outcome.states}
        for number, then in found.states.items():
            usable = number in touched and number not in struck
            self._before[number] = (self._now[number], step) if usable else None
            self._now[number] = then
        self._touching = []
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

    def _advance(self, time: float, step: float, should_cancel: Callable[[], bool], share: float) -> None:
        if should_cancel():
            raise Cancelled
        try:
            self._advance_once(time, step)
        except (StepFailed, np.linalg.LinAlgError):  # the latter where numbers have run out of all bounds
            self._halvings += 1
            used = self.statistics.newton_iterations - self._iterations
            if share <= SMALLEST_SHARE or self._halvings > MOST_HALVINGS or used > MOST_ITERATIONS:
                raise UserError("did_not_converge.step", time=time) from None
            self.statistics.halved_steps += 1
            # A failed step has changed no state. The solvers' caches (a Newton matrix near the shape that failed) and
            # the detector's are kept: the halves go through nearly the same shapes.
            self._advance(time, 0.5 * step, should_cancel, 0.5 * share)
            self._advance(time + 0.5 * step, 0.5 * step, should_cancel, 0.5 * share)

    # -- frames --------------------------------------------------------------------------------------------------

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

        Raises UserError, and Cancelled at the next substep after `should_cancel()` turns true; the world is then as it
        was after the last frame.
        """
        begin, end = self.seconds, self.seconds + self._frame_seconds
        snapshot = self._snapshot()
        self._sleep.begin_frame(self._now, self._obstacles, begin, end)
        self._halvings, self._iterations = 0, self.statistics.newton_iterations
        if not all(self._sleep.asleep):
            count = self._substeps(begin)
            try:
                for substep in range(count):
                    time = begin + substep * self._frame_seconds / count
                    self._advance(time, self._frame_seconds / count, should_cancel, 1.0)
            except BaseException:
                self._restore(snapshot)
                raise
            self._sleep.end_frame(self._now, self._touching, begin)
            self._stop_sleepers()
        self._index += 1
        return self.frame()

    def _substeps(self, begin: float) -> int:
        if self._given_substeps is not None:
            return self._given_substeps
        return substep_count(
            self.actors, self._now, self._sleep.asleep, self._obstacles, begin, self._frame_seconds, self._alone
        )

    def _stop_sleepers(self) -> None:
        for number, (actor, asleep) in enumerate(zip(self.actors, self._sleep.asleep, strict=True)):
            stopped = actor.solver.stopped(self._now[number]) if asleep else self._now[number]
            if stopped is not self._now[number]:
                self._now[number], self._before[number] = stopped, None

    def _snapshot(self) -> tuple[Any, ...]:
        """All that a frame changes, solvers' caches included: a frame that cannot be solved leaves no trace."""
        own = (list(self._now), list(self._before), list(self._touching))
        solvers = [actor.solver.snapshot() for actor in self.actors]
        return own, self._sleep.snapshot(), self._detector.snapshot(), solvers

    def _restore(self, snapshot: tuple[Any, ...]) -> None:
        """Takes back a frame."""
        (self._now, self._before, self._touching), sleep, detector, solvers = snapshot
        self._sleep.restore(sleep)
        self._detector.restore(detector)
        for actor, kept in zip(self.actors, solvers, strict=True):
            actor.solver.restore(kept)

    def frames(self, should_cancel: Callable[[], bool]) -> Iterator[list[Frame]]:
        """Every object's frames from the first on, see `next_frame`."""
        yield self.frame()
        while self._index < self._frame_count:
            yield self.next_frame(should_cancel)
