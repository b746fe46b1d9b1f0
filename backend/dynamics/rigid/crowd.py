"""The rigid bodies of a world as arrays: which objects they are, their constants, states and loads."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...kinematics.base import Array
from ...kinematics.rigid import RigidKinematics
from ..actor import Actor
from ..coordinate_step import CoordinateStepRule
from ..latent_forces import LatentForces
from ..latent_solver import LatentSolver
from ..obstacles import Obstacle
from ..state import State
from .detection import Bodies, Moment
from .rotations import poses_of, rates_of, vectors_of
from .step import Loads
from .surfaces import Surfaces, packed

__all__ = ["MOST_SURFACES", "Crowd", "is_rigid", "is_steady"]

MOST_FEATURES = 1 << 16  # points or edges of a surface, by the bits that contacts are told apart with
MOST_SURFACES = 15000  # of the 2^14 that contacts can tell apart, colliders among them
COUPLED = 1e-9  # of the moment of inertia: a centre that is not the centre of mass


def is_rigid(actor: Actor) -> bool:
    """Whether an object is one free rigid body, on which nothing pulls but loads and contact."""
    solver, forces = actor.solver, actor.forces
    if not (isinstance(solver, LatentSolver) and isinstance(solver.rule, CoordinateStepRule)):
        return False
    rule, shape = solver.rule, solver.shape
    if not isinstance(rule.kinematics, RigidKinematics) or shape is None or not isinstance(forces, LatentForces):
        return False
    if rule.coordinate_energies or rule.dissipations or rule.potentials or forces.springs is not None:
        return False
    centred = np.abs(rule.moment[3, :3]).max() <= COUPLED * rule.moment[3, 3]
    return bool(centred) and max(len(shape), len(shape.surface.edges)) < MOST_FEATURES


def is_steady(collider: Obstacle) -> bool:
    """Whether a collider keeps its shape."""
    shape = collider.surface
    return collider.placement(0.0) is not None and max(len(shape.vertices), len(shape.edges)) < MOST_FEATURES


class Crowd:
    """Constants of n rigid bodies and k colliders. `numbers` are the bodies' own in the world."""

    def __init__(self, actors: Sequence[Actor], numbers: Sequence[int], colliders: Sequence[Obstacle]) -> None:
        self.numbers, self.colliders = np.array(numbers, dtype=np.int64), tuple(colliders)
        self.actors = [actors[number] for number in numbers]
        self._solvers: list[Any] = [actor.solver for actor in self.actors]
        frames = [solver.kinematics.frame for solver in self._solvers]
        self._centre = np.array([frame.centre for frame in frames]).reshape(-1, 3)
        self._scale = np.array([frame.scale for frame in frames])
        rules = [solver.rule for solver in self._solvers]
        none = [0.0] * len(colliders)

        def column(values: list[float], others: list[float]) -> Array:
            return np.array([*values, *others], dtype=float)

        self.bodies = Bodies(
            column([solver.mass for solver in self._solvers], none),
            np.array([f.scale**2 * rule.moment[:3, :3] for f, rule in zip(frames, rules, strict=True)]).reshape(
                -1, 3, 3
            ),
            column([actor.size for actor in self.actors], none),
            column([actor.friction for actor in self.actors], [collider.friction for collider in colliders]),
            column([actor.restitution for actor in self.actors], [collider.restitution for collider in colliders]),
            column([rule.rolling_resistance for rule in rules], none),
            column([rule.rest_turning for rule in rules], none),
        )
        self.surfaces: Surfaces = packed(
            [
                *(
                    (solver.shape.surface, solver.shape.rest - frame.centre)
                    for solver, frame in zip(self._solvers, frames, strict=True)
                ),
                *((collider.surface, collider.own_points) for collider in colliders),
            ]
        )
        self._constant = [np.asarray(actor.forces.load) for actor in self.actors]

    def __len__(self) -> int:
        return len(self.numbers)

    def moment(self, states: Sequence[Any], time: float, ahead: float) -> Moment:
        """Bodies with states `LatentState`, and the colliders at a time (s) with their mean motion `ahead` (s) on."""
        q = np.array([state.state.q for state in states]).reshape(-1, 6)
        rate = np.array([state.state.rate for state in states]).reshape(-1, 6)
        vectors = np.ascontiguousarray(q[:, 3:])
        poses, centres = [poses_of(vectors)], [self._centre + q[:, :3]]
        velocities, spins = [rate[:, :3]], [rates_of(vectors, np.ascontiguousarray(rate[:, 3:]), False)]
        for collider in self.colliders:
            turn, centre = collider.placement(time)
            poses.append(turn[None])
            centres.append(centre[None])
            velocity = spin = np.zeros((1, 3))
            if ahead > 0.0 and collider.moves_between(time, time + ahead):
                later_turn, later = collider.placement(time + ahead)
                velocity = ((later - centre) / ahead)[None]
                spin = vectors_of(np.ascontiguousarray(later_turn @ turn.T)[None]) / ahead
            velocities.append(velocity)
            spins.append(spin)
        return Moment(*(np.concatenate(parts) for parts in (poses, centres, velocities, spins)))

    def with_colliders(self, moment: Moment, time: float) -> Moment:
        """A copy of a moment with the colliders where they are at another time (s)."""
        pose, centre = moment.pose.copy(), moment.centre.copy()
        for place, collider in enumerate(self.colliders, len(self)):
            pose[place], centre[place] = collider.placement(time)
        return Moment(pose, centre, moment.velocity.copy(), moment.spin.copy())

    def state(self, body: int, moment: Moment) -> Any:
        """`LatentState` of a body. Raises StepFailed where it is not finite."""
        return self.states([body], moment)[0]

    def states(self, chosen: Sequence[int], moment: Moment) -> list[Any]:
        """`LatentState` of bodies. Raises StepFailed where one is not finite."""
        vectors = vectors_of(moment.pose[chosen])
        q = np.concatenate([moment.centre[chosen] - self._centre[chosen], vectors], axis=1)
        turning = rates_of(vectors, moment.spin[chosen], True)
        rate = np.concatenate([moment.velocity[chosen], turning], axis=1)
        return [self._solvers[body].at(State(*row)) for body, *row in zip(chosen, q, rate, strict=True)]

    def loads(self, states: Sequence[Any], time: float, step: float) -> Loads:
        """What acts on the bodies during a step from `time` (s) on."""
        every = []
        for actor, constant, state in zip(self.actors, self._constant, states, strict=True):
            varying = actor.forces.varying(time, step)
            if varying:
                constant = sum((each.mean(state.handles, state.rate, time, step) for each in varying), constant)
            every.append(constant)
        load = np.array(every).reshape(-1, 4, 3)
        return Loads(np.ascontiguousarray(load[:, 3]), self._scale[:, None, None] * load[:, :3])
