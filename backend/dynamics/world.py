"""The time loop of a world of objects: equal frames, automatic substeps, failing steps halved and never shown.

Objects that can touch in a step form an island. Where nothing comes within its margin each takes its own variational
step; else the island is solved as one incremental potential.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..errors import Cancelled, UserError
from ..kinematics.base import Array
from .actor import Actor, Instant
from .conditions import Ground
from .contact_pairs import ContactGroup
from .coordinate_mover import CoordinateMover
from .detection import MARGIN, Detector
from .island_newton import minimise
from .island_step import Outcome, touching_step
from .obstacles import Obstacle
from .proximity_bounds import are_near, box_around
from .state import State, Statistics, StepFailed

__all__ = ["Frame", "World"]

SMALLEST_SHARE = 1.0 / 256.0  # of a substep; failing below it is reported, not shown
PHASE_PER_STEP = 0.4
SPIN_PER_STEP = 0.27
TRAVEL_PER_STEP = 0.06  # object sizes that may be travelled in one step close to something
MOST_SUBSTEPS = 64  # for what travels; what goes farther in one of them looks farther ahead
MOST_HALVINGS = 48  # in one frame: more would go on for minutes and end the same
MOST_ITERATIONS = 3000  # of Newton in one frame, after which a step that fails is not tried again
STILL_FRAMES = 12  # frames without visible motion before an object sleeps
WIDER = (1.0, 3.0, 10.0)  # how much farther contacts are looked for when something got farther than expected
FAR = 0.05  # of the size, RMS: a free step shorter than this cannot turn anything inside out
CRUSHED_END = 0.2  # volume ratio at the end of a free step that is not believed
BLOW = 0.3  # of the RMS speed: a change in one step from which the second-order rule does not look back
BRISK_SPEED = 0.5  # object sizes per second: what is faster and can touch something moves in shorter steps
CALM_SPEED = 0.25  # object sizes per second: slower contact is solved at first order, whose own loss ends small swings
SUNK = 0.3  # of the margin: deeper than this below the ground a point was overlooked


@dataclass(frozen=True)
class Frame:
    """One frame of one object: index from 1, `a` Float[4H,3], q Float[k], energy Float[3] J."""

    index: int
    handles: Array
    q: Array
    energy: Array


@dataclass(frozen=True)
class _Step:
    """A step found: new states by object; by island the contact groups, their outcome, and whether it was a blow."""

    states: dict[int, State]
    islands: list[tuple[list[ContactGroup], Outcome, bool]]


class World:
    """Several objects, what they stand on and what they meet, run by `frames()` or frame by frame."""

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
        self._now = [Instant(actor, actor.state) for actor in self.actors]
        # One step of so many seconds earlier, where the second-order step may look back on it.
        self._before: list[tuple[State, float] | None] = [None] * len(self.actors)
        self._still = [0] * len(self.actors)  # frames without visible motion
        self._index = 1  # of the last frame
        self._halvings = 0  # of steps in this frame
        self._iterations = 0  # of Newton before this frame
        self._meeting: list[tuple[int, ...]] = []  # objects that touched each other in the last step
        self.overlap = self._detector.start(self._now)
        self._alone = ground is None and not obstacles and len(self.actors) == 1 and not self.actors[0].self_contact

    # -- one step ------------------------------------------------------------------------------------------------

    def _asleep(self) -> list[bool]:
        return [still >= STILL_FRAMES for still in self._still]

    def _free(self, number: int, time: float, step: float) -> State:
        now = self._now[number]
        mover, load = now.actor.mover, now.actor.loads(now, time, step)
        springs = now.actor.springs_at(now, time, 0.5 * step)
        if isinstance(mover, CoordinateMover):
            return mover.free_step(now.state, step, load, springs, self.statistics)
        problem = mover.midpoint(now.state, step, load, springs)
        after = problem.finish(minimise([problem], None, None, [problem.guess], self.statistics)[0])
        moved = float(np.linalg.norm(after.q - now.state.q)) / np.sqrt(now.actor.mass)
        if moved < FAR * now.actor.size:
            return after
        if mover.energy.volume_ratio(mover.kinematics.handles(after.q)).min() > CRUSHED_END:
            return after
        # The midpoint is balanced, the end beyond it is not: it can be turned inside out at no cost to the step, and
        # carries energy from nowhere into the next one. Backward Euler balances the end itself.
        problem = mover.dissipative(now.state, None, step, load, now.actor.springs_at(now, time, step))
        return problem.finish(minimise([problem], None, None, [now.state.q], self.statistics)[0])

    def _islands(self, asleep: Sequence[bool], groups: Sequence[ContactGroup]) -> Iterable[list[int]]:
        """Objects that are awake, together with those they may touch."""
        root = list(range(len(self.actors)))

        def find(number: int) -> int:
            while root[number] != number:
                number = root[number]
            return number

        for group in groups:
            if group.second is not None:
                root[find(group.second)] = find(group.first)
        islands: dict[int, list[int]] = {}
        for number in range(len(self.actors)):
            if not asleep[number]:
                islands.setdefault(find(number), []).append(number)
        return islands.values()

    def _without_contact(self, members: Sequence[int], groups: Sequence[ContactGroup], time: float, step: float):
        """The free steps of an island, or None where something comes within its margin."""
        states = [now.handles for now in self._now]
        if any((group.gaps(states, group.surface_start) < group.law.margin).any() for group in groups):
            return None
        free = {number: self._free(number, time, step) for number in members}
        for number, state in free.items():
            states[number] = self.actors[number].kinematics.handles(state.q)
        if any((group.gaps(states, group.surface_end) < group.law.margin).any() for group in groups):
            return None
        return free

    def _together(
        self, members: list[int], groups: list[ContactGroup], time: float, step: float
    ) -> tuple[Outcome, bool]:
        """An island's step in contact, and whether something in it was struck hard."""
        instants = [self._now[number] for number in members]
        befores = []
        for number, now in zip(members, instants, strict=True):
            before = self._before[number]
            equal = before is not None and abs(before[1] - step) < 1e-9 * step
            befores.append(before[0] if equal and now.speed > CALM_SPEED * now.actor.size else None)
        self.statistics.contact_steps += len(members)
        memory = self._detector.memory
        outcome = touching_step(members, instants, befores, groups, memory, time, step, self.statistics)
        blown = self._blown(outcome)
        if blown and any(before is not None for before in befores):
            # The second-order rule looks back over the blow: it would throw things off.
            nothing = [None] * len(members)
            outcome = touching_step(members, instants, nothing, groups, memory, time, step, self.statistics)
            blown = self._blown(outcome)
        return outcome, blown

    def _blown(self, outcome: Outcome) -> bool:
        """Whether something was struck so hard that its motion is not smooth over the step.

        Soft things touch with more of themselves at every step as they are pressed together; that is no blow.
        """
        if not outcome.struck:
            return False
        for number, state in outcome.states.items():
            now = self._now[number]
            change = now.actor.kinematics.push(state.q, state.rate) - now.rate
            speed = np.sqrt(np.vdot(change, now.actor.moment @ change) / now.actor.mass)
            if speed > BLOW * now.speed:
                return True
        return False

    def _try(self, time: float, step: float, widen: float) -> _Step:
        asleep = self._asleep()
        groups = self._detector.groups(self._now, asleep, time, step, widen)
        while struck := self._detector.struck_sleepers(groups, self._now, asleep, step):
            for number in struck:
                self._still[number] = 0
            asleep = self._asleep()
            groups = self._detector.groups(self._now, asleep, time, step, widen)
        states: dict[int, State] = {}
        islands = []
        for members in self._islands(asleep, groups):
            own = [group for group in groups if group.first in members]
            free = self._without_contact(members, own, time, step)
            if free is None:
                outcome, blown = self._together(members, own, time, step)
                islands.append((own, outcome, blown))
                free = outcome.states
            states.update(free)
        return _Step(states, islands)

    def _overlooked(self, after: dict[int, Instant], step: float, widen: float) -> bool:
        """Whether something got farther than contacts were looked for."""
        for number, then in after.items():
            actor, now = then.actor, self._now[number]
            if actor.shape is None:
                continue
            if self._ground is not None:
                gaps = then.heights - self._ground.height
                lift = self._detector.memory.lifts.get(("ground", number))
                if (gaps if lift is None else gaps + lift).min() < -SUNK * MARGIN * actor.size:
                    return True
            if actor.self_contact and self._detector.watches[number].overlooked(then):
                return True
            if self._obstacles or len(self.actors) > 1:
                moved = np.sqrt(((then.positions - now.positions) ** 2).sum(axis=1))
                if (moved > self._detector.reaches(now, step, widen)).any():
                    return True
        return False

    def _advance_once(self, time: float, step: float) -> None:
        self.statistics.steps += 1
        for widen in WIDER:
            found = self._try(time, step, widen)
            if not all(np.isfinite(state.q).all() for state in found.states.values()):
                raise StepFailed
            after = {number: Instant(self.actors[number], state) for number, state in found.states.items()}
            if self._alone or not self._overlooked(after, step, widen):
                break
        else:
            raise StepFailed
        struck = {number for _, outcome, blown in found.islands if blown for number in outcome.states}
        touched = {number for _, outcome, _ in found.islands for number in outcome.states}
        for number, then in after.items():
            usable = number in touched and number not in struck
            self._before[number] = (self._now[number].state, step) if usable else None
            self._now[number] = then
        self._meeting = []
        for groups, outcome, _ in found.islands:
            for group, blow, bristle, touching in zip(
                groups, outcome.blows, outcome.bristles, outcome.touching, strict=True
            ):
                self._detector.memory.keep(group.points, bristle)
                self._detector.memory.soften(group.points, *blow, group.law.margin)
                if touching:
                    met = (group.first, *group.partner)
                    self._meeting.append(met)
                    for number in met:  # what sleeps is woken by what moves
                        if self._still[number] >= STILL_FRAMES:
                            self._still[number] = 0

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
            self._advance(time, 0.5 * step, should_cancel, 0.5 * share)
            self._advance(time + 0.5 * step, 0.5 * step, should_cancel, 0.5 * share)

    # -- frames --------------------------------------------------------------------------------------------------

    def _travel(self, number: int, begin: float) -> float:
        """Object sizes travelled in a frame with something close by, relative to it."""
        now, frame = self._now[number], self._frame_seconds
        if now.actor.shape is None or not (self._obstacles or len(self.actors) > 1):
            return 0.0
        own = float(now.speeds.max()) * frame
        travel = 0.0
        for obstacle in self._obstacles:
            moved = obstacle.travel(begin, begin + frame)
            if are_near(now.bounds, obstacle.box(begin), own + moved):
                travel = max(travel, own + moved)
        for other, then in enumerate(self._now):
            if other != number and then.actor.shape is not None:
                moved = float(then.speeds.max()) * frame
                if are_near(now.bounds, then.bounds, own + moved):
                    travel = max(travel, own + moved)
        return travel / now.actor.size

    def _substeps(self, begin: float) -> int:
        if self._given_substeps is not None:
            return self._given_substeps
        count, least = 0.0, 1
        for number, asleep in enumerate(self._asleep()):
            if asleep:
                continue
            now = self._now[number]
            # Implicit midpoint slows a mode by phase^2 / 12 (1 % here) and swells a spinning body by spin^2 / 8 of its
            # size between frames: at most these angles (rad) in a step.
            fastest = max(now.spin / SPIN_PER_STEP, now.actor.followed_frequency / PHASE_PER_STEP)
            count = max(count, fastest * self._frame_seconds)
            # Landing and bouncing need short steps; what only breathes on the ground does not.
            calm = self._alone or now.speed < BRISK_SPEED * now.actor.size
            least = max(least, 2 if calm else 4)
            least = max(least, int(np.ceil(min(self._travel(number, begin) / TRAVEL_PER_STEP, MOST_SUBSTEPS))))
        return max(least, int(np.clip(np.ceil(count), 1, 32)))

    def _wake(self, begin: float) -> None:
        """What is poked, or comes close to a moving collider, in the frame that begins now."""
        end = begin + self._frame_seconds
        for number, actor in enumerate(self.actors):
            if self._still[number] < STILL_FRAMES:
                continue
            poked = any(poke.begin < end and poke.end > begin for poke in actor.pokes)
            met = any(
                obstacle.moves_between(begin, end)
                and actor.shape is not None
                and are_near(
                    self._now[number].bounds,
                    box_around(obstacle.positions(begin), obstacle.positions(end)),
                    0.1 * actor.size,
                )
                for obstacle in self._obstacles
            )
            if poked or met:
                self._still[number] = 0

    def _settle(self, begin: float) -> None:
        """Counts still frames; what touches falls asleep together or not at all."""
        for number, now in enumerate(self._now):
            actor = now.actor
            if self._still[number] >= STILL_FRAMES:
                continue
            quiet = actor.sleep_speed is not None and now.speed < actor.sleep_speed and begin >= actor.forces_end
            self._still[number] = self._still[number] + 1 if quiet else 0
        changed = True
        while changed:
            changed = False
            for met in self._meeting:
                least = min(self._still[number] for number in met)
                for number in met:
                    if least < STILL_FRAMES <= self._still[number]:
                        self._still[number], changed = STILL_FRAMES - 1, True
        for number, asleep in enumerate(self._asleep()):
            now = self._now[number]
            if asleep and now.state.rate.any():
                self._now[number] = Instant(now.actor, State(now.state.q, np.zeros_like(now.state.rate)))
                self._before[number] = None

    def wake(self) -> None:
        """Nothing sleeps any more."""
        self._still = [0] * len(self.actors)

    @property
    def seconds(self) -> float:
        """Since the first frame."""
        return (self._index - 1) * self._frame_seconds

    @property
    def handles(self) -> list[Array]:
        """Where every object is, Float[4H,3] each."""
        return [now.handles for now in self._now]

    def frame(self) -> list[Frame]:
        """Every object's last frame; frame 1 is the initial state."""
        return [Frame(self._index, now.handles, now.state.q, now.energy) for now in self._now]

    def next_frame(self, should_cancel: Callable[[], bool]) -> list[Frame]:
        """Every object's frame after the last one.

        Raises UserError, and Cancelled at the next substep after `should_cancel()` turns true; the last frame is then
        the last one still.
        """
        begin, kept = self.seconds, self._kept()
        self._wake(begin)
        self._halvings, self._iterations = 0, self.statistics.newton_iterations
        if not all(self._asleep()):
            count = self._substeps(begin)
            try:
                for substep in range(count):
                    time = begin + substep * self._frame_seconds / count
                    self._advance(time, self._frame_seconds / count, should_cancel, 1.0)
            except BaseException:
                self._now, self._before, self._still, self._meeting, self._detector.memory = kept
                raise
            self._settle(begin)
        self._index += 1
        return self.frame()

    def _kept(self) -> tuple[Any, ...]:
        """What a frame that cannot be solved is to leave as it is."""
        memory = self._detector.memory.copy()
        return list(self._now), list(self._before), list(self._still), list(self._meeting), memory

    def frames(self, should_cancel: Callable[[], bool]) -> Iterator[list[Frame]]:
        """Every object's frames from the first on, see `next_frame`."""
        yield self.frame()
        while self._index < self._frame_count:
            yield self.next_frame(should_cancel)
