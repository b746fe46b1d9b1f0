"""Secondary motion of bones: each follows its animation by a damped spring, and keeps its length.

The tip x of a bone is a mass on a spring to where its animation has it, g:

    (x - g)'' + 2 zeta omega (x - g)' + omega^2 (x - g) = f - g''

In a step g moves evenly, so that g'' acts between steps only, and the step is the closed form of a damped oscillator:
any step has the frequency and the damping that were told. Then the tip goes back to its distance from the head, and the
bone turns by the least rotation that points it there, on the end of its parent. A spring to the parent as it moves here
would multiply: eight bones that each overshoot by a half would overshoot by twenty-five times.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ..geometry.mesh import cross
from ..kinematics.base import Array
from .solver import Frame, Gravity, Solver, Surface, Surroundings

__all__ = ["SpringBones", "SpringState", "Springs", "oscillated", "turned_towards"]

STEPS_PER_SECOND = 48.0
MOST_CYCLES = 40  # of a loop, until it repeats itself
REPEATS = 1e-5  # of the size, and of it in a second: what differs less repeats itself


@dataclass(frozen=True)
class Springs:
    """Of C bones, parents first: `bones` Int[C] of the rig, tips Float[C,3] in the axes of each bone (m), angular
    frequency Float[C] (rad/s), damping Float[C] as a share of the critical one, and how much of gravity pulls at each.
    """

    bones: NDArray[np.int64]
    tips: Array
    omega: Array
    damping: Array
    weight: Array


@dataclass(frozen=True)
class SpringState:
    """World matrices Float[B,4,4] of all bones at `time` (s).

    Of what follows, tips, goals and heads Float[C,3] (m) as if its parent were where it is animated, and the velocities
    of the tips, m/s.
    """

    time: float
    matrices: Array
    tips: Array
    goals: Array
    heads: Array
    velocities: Array


def oscillated(away: Array, rate: Array, push: Array, omega: Array, damping: Array, dt: float) -> tuple[Array, Array]:
    """x and x' Float[n,3] after dt seconds of x'' + 2 zeta omega x' + omega^2 x = push, in closed form."""
    rest = push / omega[:, None] ** 2
    decay, square = damping * omega, omega**2 * (1.0 - damping**2)
    turning = np.sqrt(np.abs(square)) * dt
    slow = np.abs(turning) < 1e-6
    safe = np.where(slow, 1.0, turning)
    cosine = np.where(square > 0.0, np.cos(turning), np.cosh(np.minimum(turning, 700.0)))
    sine = dt * np.where(slow, 1.0, np.where(square > 0.0, np.sin(safe), np.sinh(np.minimum(safe, 700.0))) / safe)
    shrink = np.exp(-decay * dt)
    start = away - rest
    moved = shrink[:, None] * (start * (cosine + decay * sine)[:, None] + rate * sine[:, None])
    speed = shrink[:, None] * (rate * (cosine - decay * sine)[:, None] - start * (omega**2 * sine)[:, None])
    return rest + moved, speed


def turned_towards(first: Array, second: Array) -> Array:
    """The least rotations Float[n,3,3] that take unit vectors Float[n,3] to others."""
    axis, cosine = cross(first, second), (first * second).sum(axis=1)
    turn = np.zeros((len(first), 3, 3))
    turn[:, 0, 1], turn[:, 0, 2], turn[:, 1, 2] = -axis[:, 2], axis[:, 1], -axis[:, 0]
    turn -= turn.transpose(0, 2, 1)
    rotation = np.eye(3) + turn + turn @ turn / np.maximum(1.0 + cosine, 1e-9)[:, None, None]
    return rotation


class SpringBones(Solver):
    """The bones of a rig of which some follow by springs; `animated` gives world matrices Float[B,4,4] at a time."""

    def __init__(
        self,
        parents: NDArray[np.int64],
        animated: Callable[[float], Array],
        springs: Springs,
        skin: Callable[[Array], Array],
        mass: float,
        size: float,
    ) -> None:
        """`skin` makes the vertices Float[V,3] of world matrices Float[B,4,4]; `mass` (kg) and `size` (m) of it all."""
        self.mass, self.size = mass, size
        self._parents, self._animated, self._springs, self._skin = parents, animated, springs, skin

    @cached_property
    def _levels(self) -> list[tuple[NDArray[np.int64], NDArray[np.int64]]]:
        """Bones that are as deep as each other, as rows of the springs, and all bones that go along with a parent."""
        row = {int(bone): number for number, bone in enumerate(self._springs.bones)}
        moving = np.zeros(len(self._parents), dtype=bool)
        depth = np.zeros(len(self._parents), dtype=np.int64)
        for bone, parent in enumerate(self._parents):
            if parent >= 0:
                moving[bone], depth[bone] = moving[parent], depth[parent] + 1
            moving[bone] |= bone in row
        levels = []
        for level in range(int(depth.max()) + 1):
            there = np.flatnonzero(moving & (depth == level))
            if len(there):
                levels.append((there, np.array([row.get(int(bone), -1) for bone in there])))
        return levels

    def start(self, gravity: Array, period: float | None, frame_seconds: float) -> SpringState:
        """At rest where it is animated; with a period (s) in the middle of a motion that repeats itself."""
        state = self._placed(0.0)
        if period is None:
            return state
        frames = max(round(period / frame_seconds), 1)
        for _ in range(MOST_CYCLES):
            begun = state = replace(state, time=0.0)
            for _ in range(frames):
                state = self._advanced(state, period / frames, gravity, None)
            apart = np.abs(state.tips - begun.tips).max()
            if max(apart, np.abs(state.velocities - begun.velocities).max()) < REPEATS * self.size:
                break
        return replace(state, time=0.0)

    def _placed(self, time: float) -> SpringState:
        matrices, later = self._animated(time), self._animated(time + 0.5 / STEPS_PER_SECOND)
        bones, tips = self._springs.bones, self._springs.tips
        at, then = (_carried(each[bones], tips) for each in (matrices, later))
        heads = matrices[bones, :3, 3]
        return SpringState(time, matrices, at, at, heads, (then - at) * 2.0 * STEPS_PER_SECOND)

    def step(self, state: SpringState, dt: float, forces: Gravity, contacts: Surroundings) -> SpringState:
        return self._advanced(state, dt, forces.acceleration, contacts)

    def _advanced(self, state: SpringState, dt: float, gravity: Array, contacts: Surroundings | None) -> SpringState:
        count = max(int(np.ceil(dt * STEPS_PER_SECOND - 1e-9)), 1)
        for _ in range(count):
            state = self._once(state, dt / count, gravity, contacts)
        return state

    def _once(self, state: SpringState, dt: float, gravity: Array, contacts: Surroundings | None) -> SpringState:
        springs, time = self._springs, state.time + dt
        animated = self._animated(time)
        goals, heads = _carried(animated[springs.bones], springs.tips), animated[springs.bones, :3, 3]
        moving, before = (goals - state.goals) / dt, state.goals
        push = springs.weight[:, None] * gravity
        away, rate = oscillated(
            state.tips - before, state.velocities - moving, push, springs.omega, springs.damping, dt
        )
        lengths, velocities = np.linalg.norm(goals - heads, axis=1), rate + moving
        direction = _unit(goals + away - heads)
        matrices = self._assembled(animated, heads, goals, direction, lengths, contacts, time)
        # What holds it at its length takes the speed along the bone; what stops it all of it.
        radial = ((velocities - (heads - state.heads) / dt) * direction).sum(axis=1)
        velocities -= radial[:, None] * direction
        tips, free = heads + lengths[:, None] * direction, heads + lengths[:, None] * _unit(goals + away - heads)
        struck = (tips != free).any(axis=1)
        velocities[struck] = (tips[struck] - state.tips[struck]) / dt
        return SpringState(time, matrices, tips, goals, heads, velocities)

    def _assembled(
        self,
        animated: Array,
        heads: Array,
        goals: Array,
        direction: Array,
        lengths: Array,
        contacts: Surroundings | None,
        time: float,
    ) -> Array:
        """World matrices Float[B,4,4] of bones whose tips are in these directions Float[C,3] from their heads; in place
        they give way to what is touched.
        """
        matrices, above = animated.copy(), np.maximum(self._parents, 0)
        keys = np.linalg.inv(animated)[above] @ animated  # of each bone against its parent
        drawn = _unit(goals - heads)
        for there, rows in self._levels:
            led = there[self._parents[there] >= 0]
            matrices[led] = matrices[above[led]] @ keys[led]
            own = rows >= 0
            rows, bones = rows[own], there[own]
            if contacts is not None:
                at = matrices[bones, :3, 3]
                free = at + lengths[rows, None] * direction[rows]
                met = _outside(free, at, contacts, time)
                struck = (met != free).any(axis=1)
                direction[rows[struck]] = _unit(met[struck] - at[struck])
            turn = turned_towards(drawn[rows], direction[rows])
            matrices[bones, :3, :3] = turn @ animated[bones, :3, :3]
        return matrices

    def surface(self, state: SpringState) -> Surface:
        return Surface(state.tips, state.velocities)

    def energy(self, state: SpringState) -> Array:
        """None of its own: the animation gives and takes what it needs."""
        return np.zeros(3)

    def speed(self, state: SpringState) -> float:
        return float(np.sqrt((state.velocities**2).sum(axis=1).mean()))

    def stopped(self, state: SpringState) -> SpringState:
        return state

    def frame(self, index: int, state: SpringState) -> Frame:
        return Frame(index, None, None, self.energy(state), self._skin(state.matrices))


def _carried(matrices: Array, points: Array) -> Array:
    return np.einsum("nij,nj->ni", matrices[:, :3, :3], points) + matrices[:, :3, 3]


def _unit(vectors: Array) -> Array:
    return vectors / np.maximum(np.linalg.norm(vectors, axis=1), 1e-12)[:, None]


def _outside(tips: Array, before: Array, contacts: Surroundings, time: float) -> Array:
    """Tips Float[n,3] moved out of the ground and the colliders."""
    tips = tips.copy()
    if contacts.ground is not None:
        tips[:, 2] = np.maximum(tips[:, 2], contacts.ground.height)
    for obstacle in contacts.obstacles:
        way = np.linalg.norm(tips - before, axis=1)
        found = obstacle.features(time, tips, np.zeros(len(tips)), way)
        tips[found.point] -= np.minimum(found.gap, 0.0)[:, None] * found.normal
    return tips
