"""Steps of the rigid bodies of a world: contacts, islands, free flight and contact solved in compiled code."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...kinematics.base import Array
from ..actor import Actor
from ..conditions import Ground
from ..detection import BRISTLE, IMPACT_FORCE, MARGIN, OVERLAP, REST_SPEED
from ..obstacles import Obstacle
from ..refinement import Refinement
from ..sleeping import Sleep
from ..solver import Surroundings
from .contacts import MARGIN as MARGIN_OF
from .contacts import REST_SPEED as REST_SPEED_OF
from .contacts import Contacts, Memory, no_memory, room_for
from .crowd import MOST_SURFACES, Crowd, is_rigid, is_steady
from .crowd_step import CrowdStep, RigidStep, memory_of
from .detection import FALL, FASTER, Moment, Outlook, find_contacts
from .looking import gaps_and_speeds, overlooked

__all__ = ["RigidIslands"]

LEAST = 6.0 * MARGIN  # of the size: contacts are looked for so far at least
FIRST_ROOM = 512


class RigidIslands:
    """What is kept of the contacts of a world's rigid bodies from step to step, and their steps."""

    def __init__(
        self, actors: Sequence[Actor], ground: Ground | None, colliders: Sequence[Obstacle], gravity: float
    ) -> None:
        """`gravity` in m/s^2."""
        numbers = [number for number, actor in enumerate(actors) if is_rigid(actor)][:MOST_SURFACES]
        self.crowd = Crowd(actors, numbers, [collider for collider in colliders if is_steady(collider)])
        self._ground, self._gravity = ground, max(gravity, 1.0)
        others = set(range(len(actors))) - set(numbers)
        self._others = [number for number in sorted(others) if actors[number].shape is not None]
        self._sizes = [actor.size for actor in actors]
        self._changing = [collider for collider in colliders if not is_steady(collider)]
        self._memory = no_memory()
        self._room = FIRST_ROOM

    def snapshot(self) -> Memory:
        """All that is kept from step to step; never changed in place."""
        return self._memory

    def restore(self, snapshot: Memory) -> None:
        """Takes back all steps since the snapshot."""
        self._memory = snapshot

    def accept(self, step: RigidStep) -> None:
        """Keeps what the contacts of an accepted step leave."""
        if step.memory is not None:
            self._memory = step.memory

    def start(self, now: Sequence[Any]) -> float:
        """Finds what overlaps in the first frame; the deepest overlap (m)."""
        moment = self.crowd.moment([now[number] for number in self.crowd.numbers], 0.0, 0.0)
        look = self._outlook(0.0, 0.0, starting=True)
        contacts = self._contacts(moment, np.ones(len(self.crowd), dtype=bool), 0.0, look)[0]
        count = len(contacts.first)
        self._memory = memory_of(contacts, contacts.lift, np.zeros((count, 3)), np.zeros(count))
        return float((contacts.lift - contacts.law[:, MARGIN_OF]).max(initial=0.0))

    def apart(self, now: Sequence[Any], numbers: Sequence[int], time: float, dt: float, widen: float) -> np.ndarray:
        """Which bodies, Bool[n], are among `numbers` and come near nothing else than each other in a step."""
        chosen = np.isin(self.crowd.numbers, np.array(numbers))
        if not (self._others or self._changing) or not chosen.any():
            return chosen
        every = [*self.crowd.numbers.tolist(), *self._others]
        boxes = [now[number].surface.bounds for number in every]
        reaches = [
            LEAST * self._sizes[number]
            + widen * (FASTER * dt * float(now[number].speeds.max(initial=0.0)) + FALL * dt**2)
            for number in every
        ]
        for collider in self._changing:
            boxes.append(collider.box(time))
            reaches.append(FASTER * collider.travel(time, time + dt))
        low, high = (np.array(corners) for corners in zip(*boxes, strict=True))
        reach = np.array(reaches)[:, None]
        met, fresh = np.zeros(len(reach), dtype=bool), np.arange(len(reach)) >= len(chosen)
        while fresh.any():
            met |= fresh
            near = np.zeros_like(met)
            for one in np.flatnonzero(fresh):
                apart = np.maximum(low[one] - high, low - high[one])
                near |= (apart <= reach[one] + reach).all(axis=1)
            fresh = near & ~met
        return chosen & ~met[: len(chosen)]

    def _outlook(self, step: float, widen: float, *, starting: bool = False) -> Outlook:
        ground = self._ground
        height, friction, restitution = (
            (np.nan, 0.0, 0.0) if ground is None else (ground.height, ground.friction, ground.restitution)
        )
        least = OVERLAP if starting else LEAST
        surroundings = (float(height), float(friction), float(restitution), float(self._gravity))
        return Outlook(
            float(step), float(widen), least, starting, *surroundings, MARGIN, BRISTLE, REST_SPEED, IMPACT_FORCE
        )

    def _contacts(self, moment: Moment, active: np.ndarray, time: float, look: Outlook) -> tuple[Contacts, Array]:
        """Contacts that active bodies may have, and how far each surface was looked around (m)."""
        crowd = self.crowd
        reaches = np.empty(len(crowd.bodies.mass))
        travel = np.array([collider.travel(time, time + look.step) for collider in crowd.colliders])
        while True:
            room = room_for(self._room)
            count = find_contacts(
                crowd.bodies, crowd.surfaces, moment, active, travel, look, self._memory, room, reaches
            )
            if count <= self._room:
                return Contacts(*(column[:count] for column in room)), reaches
            self._room = 2 * count

    def step(
        self,
        now: Sequence[Any],
        befores: Sequence[tuple[Any, float] | None],
        chosen: np.ndarray,
        dt: float,
        share: float,
        widen: float,
        around: Surroundings,
        sleep: Sleep,
        refinement: Refinement,
        *,
        last: bool,
    ) -> RigidStep:
        """The bodies `chosen` (Bool[n]) that are awake `dt` seconds later; nothing is changed but who sleeps."""
        crowd, time = self.crowd, around.time
        states = [now[number] for number in crowd.numbers]
        asleep = sleep.asleep
        resting = np.array([asleep[number] for number in crowd.numbers], dtype=bool)
        active = chosen & ~resting
        result = RigidStep()
        if not active.any():
            return result
        begin = crowd.moment(states, time, dt)
        look = self._outlook(dt, widen)
        contacts, reaches = self._contacts(begin, active, time, look)
        gaps, speeds = np.empty(len(contacts.first)), np.empty(len(contacts.first))
        gaps_and_speeds(contacts, begin, gaps, speeds)
        while (struck := self._struck_sleepers(contacts, resting, gaps, speeds, dt)).any():
            sleep.wake(crowd.numbers[struck].tolist())
            resting, active = resting & ~struck, active | (struck & chosen)
            contacts, reaches = self._contacts(begin, active, time, look)
            gaps, speeds = np.empty(len(contacts.first)), np.empty(len(contacts.first))
            gaps_and_speeds(contacts, begin, gaps, speeds)
        end = crowd.with_colliders(begin, time + dt)
        carried = self._turned_normals(contacts, begin, end)
        solving = CrowdStep(crowd, begin, end, carried, active, dt, states, around)
        solving.solve(result, befores, gaps, share, refinement, last=last)
        alone = len(crowd) == 1 and not crowd.colliders
        result.overlooked = overlooked(
            crowd.bodies, crowd.surfaces, begin, solving.then, solving.moved, reaches, alone, look, carried
        )
        result.memory = solving.memory(self._memory)
        return result

    def _struck_sleepers(
        self, contacts: Contacts, resting: np.ndarray, gaps: Array, speeds: Array, dt: float
    ) -> np.ndarray:
        """Bodies that rest and that something runs into in this step, Bool[n]: they must not be met as walls."""
        struck = np.zeros(len(resting), dtype=bool)
        if not resting.any():
            return struck
        fast = speeds < -10.0 * contacts.law[:, REST_SPEED_OF]
        hit = fast & (gaps + dt * speeds < contacts.law[:, MARGIN_OF])
        for numbers in (contacts.first[hit], contacts.second[hit]):
            struck[numbers[(numbers >= 0) & (numbers < len(resting))]] = True
        return struck & resting

    def _turned_normals(self, contacts: Contacts, begin: Moment, ends: Moment) -> Contacts:
        """Contacts with normals as colliders have turned them by the end of the step."""
        normal = contacts.normal
        for place in range(len(self.crowd), len(begin.pose)):
            if not np.array_equal(begin.pose[place], ends.pose[place]):
                rows = (contacts.first == place) | (contacts.second == place)
                normal[rows] = normal[rows] @ (ends.pose[place] @ begin.pose[place].T).T
        return contacts
