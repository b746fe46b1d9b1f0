"""Posing by hand: an object follows dragged vertices and stays plausible, again and again as they move.

Where the shape leaves open how a joint moves, what the artist drags decides: if the points cannot be reached in the
likeliest way, the others are tried, one with each solve, and the one that is likelier now is taken. How likely the
choices C are is told, but for a constant, by

    -log p(C) = sum_p |x_p - x*_p|^2 / (2 s^2) + |q - mean|^2 / 2 - log p0(C)
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from ..bodies.body import Body
from ..dynamics.conditions import Conditions
from ..dynamics.coordinate_energies import CoordinateEnergy
from ..dynamics.drags import Drags
from ..dynamics.energies import Energy
from ..dynamics.inverse_kinematics import InverseKinematics, Pose
from ..dynamics.stiffness import LaggedStiffness
from ..errors import UserError
from ..kinematics.base import Array
from ..kinematics.decode import decode_frames
from ..kinematics.elastic import ElasticKinematics
from ..kinematics.neo_hookean import StableNeoHookean
from ..robots.multi_target_ik import Goal, MultiTargetSolution, MultiTargetSolver
from ..simulation.anchors import held_vertices
from ..simulation.joint_forces import joint_forces
from ..simulation.learned_forces import learned_forces
from ..simulation.spring_targets import hold_of
from ..understanding.analysis import Analysis
from .sliders import Coordinates, Sliders

__all__ = ["PosedShape", "Posing", "ReachedShapes", "with_start_pose"]

YOUNG = 1e5  # Pa; only the ratios of stiffness count for a pose
POSE_LIMIT_HZ = 100.0  # no drag pulls learned coordinates far beyond what is plausible
NOISE = 0.02  # s, over the size: what an object of a recognised kind is expected to miss a point by
REACHED = 0.5  # nats: points that are missed by no more leave no doubt about the joints
BETTER = 1.0  # nats, by which other choices must be likelier: no flicker between two that are about alike
NEARER = 0.8  # of what is missing: an unreachable target is worth another pose
CARRIED = 0.1  # share of a vertex's weights that a joint moves, from which on it has to do with the vertex


@dataclass(frozen=True)
class PosedShape:
    """The shape for one set of targets: handles Float[H,3,4] on world rest positions, q Float[k], where the dragged
    vertices are (Float[p,3] m), which hard ones could not be brought to their targets (Int), and whether solving for
    the same targets again would not change it. `choices` are those by which the joints move, see
    `understanding.joint_choices`, and `values` Float[s] the nearest ones of the sliders, see `interactive.sliders`.
    """

    handles: Array
    q: Array
    positions: Array
    unmet: np.ndarray
    converged: bool
    choices: tuple[int, ...]
    values: Array


@dataclass(frozen=True)
class ReachedShapes:
    """Shapes for one row of targets after the other: slider values Float[n,k], handles Float[n,H,3,4], and by how much
    each link misses its target, Float[n,goals] in m and in rad."""

    values: Array
    handles: Array
    ways: Array
    turns: Array


@dataclass(frozen=True)
class _Grip:
    """Which vertices Int[p] of the mesh are dragged, and which of them must get to their targets (Bool[p])."""

    vertices: np.ndarray
    hard: np.ndarray

    def same(self, other: _Grip | None) -> bool:
        return (
            other is not None
            and np.array_equal(self.vertices, other.vertices)
            and np.array_equal(self.hard, other.hard)
        )


class _Way:
    """The object whose joints move by some choices."""

    def __init__(self, analysis: Analysis, conditions: Conditions, choices: tuple[int, ...]) -> None:
        self.choices = choices
        known = () if analysis.learned is None else analysis.learned.space.choices
        self._unlikely = sum(known[number].nats for number in choices)
        analysis = analysis.with_choices(choices)
        meets_something = conditions.ground is not None or bool(conditions.colliders)
        held, _ = held_vertices(analysis, conditions, meets_something)
        self.body = analysis.body(conditions, held)
        self.summary: dict[str, Any] = analysis.summarise(self.body, self.body.anchored)
        kinematics, material = self.body.kinematics, self.body.material
        energies: tuple[Energy, ...] = ()
        coordinate_energies: tuple[CoordinateEnergy, ...] = ()
        self._stiffness: LaggedStiffness | None = None
        if isinstance(kinematics, ElasticKinematics):
            young = conditions.young or YOUNG
            energy = StableNeoHookean(
                material.gradients, material.cubature_volume, young * material.stiffness, material.poisson
            )
            energies, self._stiffness = (energy,), LaggedStiffness(kinematics, energy)
        elif self.body.learned is not None:
            coordinate_energies = learned_forces(self.body, self.body.learned, conditions, POSE_LIMIT_HZ).energies
        elif self.body.jointed is not None:
            coordinate_energies = joint_forces(self.body, self.body.jointed, conditions, POSE_LIMIT_HZ).energies
        if coordinate_energies:
            hold = hold_of(self.body, conditions)
            energies = () if hold is None else (hold,)
        self._solver = InverseKinematics(
            kinematics, material.basis, material.mass, energies, coordinate_energies, self._stiffness
        )
        self._grip: _Grip | None = None

    @cached_property
    def sliders(self) -> Sliders:
        return Sliders(self.body, self._solver.placement, self._stiffness)

    @property
    def q(self) -> Array:
        """The last pose."""
        return self._solver.q

    def solve(self, grip: _Grip, targets: Array) -> Pose:
        if not grip.same(self._grip):
            names = tuple(str(place) for place in range(len(grip.vertices)))
            self._solver.set_drags(Drags(self.body.vertex_basis(grip.vertices), grip.hard, names))
            self._grip = grip
        return self._solver.solve(targets)

    def missed(self, pose: Pose) -> float:
        """By how much the points are missed, nats."""
        return 0.5 * float(((pose.distances / (NOISE * self.body.size)) ** 2).sum())

    def nats(self, pose: Pose) -> float:
        """How unlikely the choices are where the points are dragged like that."""
        assert self.body.learned is not None
        mean = self.body.learned.reduction.mean
        away = pose.q[len(pose.q) - len(mean) :] - mean
        return self.missed(pose) + 0.5 * float(away @ away) + self._unlikely


class Posing:
    """One object that is posed. Each solve starts from the last one, and so costs little while targets move little."""

    def __init__(self, analysis: Analysis, conditions: Conditions) -> None:
        """Of the conditions count what holds the object still, what it is made of and the choices to begin with.

        Raises UserError.
        """
        self._analysis, self._conditions = analysis, conditions
        self._made: dict[tuple[int, ...], _Way] = {}
        self._way = self._made_way(tuple(sorted(conditions.choices)))
        self._asked: tuple[_Grip, Array] | None = None
        self._tried: set[tuple[int, ...]] = set()  # for these targets
        self._turn = 0
        self._reach: tuple[tuple[Hashable, ...], MultiTargetSolver] | None = None

    @property
    def body(self) -> Body:
        return self._way.body

    @property
    def summary(self) -> dict[str, Any]:
        return self._way.summary

    @property
    def weights(self) -> np.ndarray:
        """float32 (V,H); others once a solve has taken other choices."""
        return self._way.body.weights

    @property
    def coordinates(self) -> Coordinates:
        """What can be slid; other coordinates once a solve has taken other choices."""
        return self._way.sliders.coordinates

    def shapes(self, values: np.ndarray) -> Array:
        """Handles Float[n,H,3,4] of slider values (n,k), for an object that lies as it was posed last.

        Raises UserError.
        """
        return self._way.sliders.shapes(values, self._way.q)

    def poses(self, count: int, seed: int) -> tuple[np.ndarray, Array]:
        """Random plausible poses: slider values float32 (count,k) and handles Float[count,H,3,4]. Raises UserError."""
        values = self._way.sliders.random(count, seed)
        return values, self.shapes(values)

    def reach(self, goals: Sequence[Goal], targets: Array, start: Array, search: bool) -> ReachedShapes:
        """Brings links of an object with joints to poses in the world, Float[n,goals,4,4].

        The first row starts from slider values `start` Float[k], each other from the one before. With `search` other
        starts are tried where that ends in a local minimum, and where no start gets there no further ones in the rows
        that follow. The base stays where it is drawn. Raises UserError.
        """
        if self.body.jointed is None:
            remedy = "Find its joints first, or let it move as Joints."
            raise UserError("bad_pose", "Only an object with joints has links that reach for targets.", remedy)
        tree = self.body.jointed.tree
        if start.shape != (len(tree.coordinates),) or not np.isfinite(start).all():
            problem = f"{start.size} slider values do not fit an object with {len(tree.coordinates)} joints."
            raise UserError("bad_values", problem, "Ask for the coordinates again.")
        if any(not 0 <= goal.link < len(tree.parts) for goal in goals):
            raise UserError("bad_pose", "A target is of a part that there is not.", "Choose a part of the object.")
        known = tuple((goal.link, np.asarray(goal.tip).tobytes(), goal.turns, goal.weight) for goal in goals)
        if self._reach is None or self._reach[0] != known:
            self._reach = known, MultiTargetSolver(tree, goals)
        solver, q, seeks, found = self._reach[1], start.astype(np.float64), search, []
        for row in targets:
            found.append(_sought(solver, row, q, seeks, anywhere=not found))
            q, seeks = found[-1].q, search and found[-1].reached
        values = np.array([each.q for each in found])
        ways, turns = (
            np.array([getattr(each, name) for each in found]) for name in ("position_errors", "angle_errors")
        )
        return ReachedShapes(values, self.shapes(values), ways, turns)

    def solve(self, vertices: np.ndarray, targets: Array, hard: np.ndarray) -> PosedShape:
        """Vertices Int[p] of the mesh, where each is wanted (Float[p,3] m), and which must get there (Bool[p])."""
        count = len(self.body.mesh.vertices)
        if not len(vertices) or vertices.min() < 0 or vertices.max() >= count:
            problem = (
                "No vertex is dragged." if not len(vertices) else f"A vertex is dragged that is none of {count:,}."
            )
            raise UserError("bad_pose", problem, "Drag vertices of this mesh, counted from 0.")
        if not np.isfinite(targets).all() or np.abs(targets).max() > 1e6:
            raise UserError(
                "bad_pose", "A vertex is dragged out of this world.", "Keep targets within 1e6 m of the origin."
            )
        grip, targets = _Grip(vertices.astype(np.int64), hard.astype(bool)), np.array(targets, dtype=np.float64)
        if self._asked is None or not grip.same(self._asked[0]) or not np.array_equal(targets, self._asked[1]):
            self._asked = grip, targets
            self._tried.clear()
        pose = self._way.solve(grip, targets)
        decided = True
        if self._way.missed(pose) > REACHED and (others := self._others(grip)):
            pose = self._compared(pose, others, grip, targets)
            decided = self._way.missed(pose) <= REACHED or not self._others(grip)
        handles = self.body.frame.world_handles(self.body.kinematics.handles(pose.q))
        unmet = np.array([int(name) for name in pose.unmet], dtype=np.int64)
        settled, values = pose.converged and decided, self._way.sliders.values(pose.q)
        return PosedShape(handles, pose.q, pose.positions, unmet, settled, self._way.choices, values)

    def _made_way(self, choices: tuple[int, ...]) -> _Way:
        if choices not in self._made:
            self._made[choices] = _Way(self._analysis, self._conditions, choices)
        return self._made[choices]

    def _others(self, grip: _Grip) -> list[tuple[int, ...]]:
        """Choices that differ from the present ones in one joint that moves a dragged vertex, and are not tried yet."""
        shape = self._analysis.learned
        if shape is None or not shape.space.choices:
            return []
        known, weights = shape.space.choices, shape.space.weights[grip.vertices]
        taken = {known[number].latent: number for number in self._way.choices}
        found = []
        for latent in dict.fromkeys(choice.latent for choice in known):
            moved = shape.space.twists[:, latent].any(axis=1)
            if (weights @ moved).max() < CARRIED:
                continue
            rest = {number for other, number in taken.items() if other != latent}
            ways = [rest, *(rest | {number} for number, choice in enumerate(known) if choice.latent == latent)]
            found += [tuple(sorted(way)) for way in ways]
        return [way for way in found if way != self._way.choices and way not in self._tried]

    def _compared(self, pose: Pose, others: list[tuple[int, ...]], grip: _Grip, targets: Array) -> Pose:
        """The likelier one of the present pose and of that by the next choices in turn, which are taken then."""
        self._turn += 1
        choices = others[self._turn % len(others)]
        self._tried.add(choices)
        other = self._made_way(choices)
        tried = other.solve(grip, targets)
        if other.nats(tried) + BETTER > self._way.nats(pose):
            return pose
        self._tried.add(self._way.choices)
        self._way = other
        return tried


def _sought(
    solver: MultiTargetSolver, targets: Array, start: Array, search: bool, anywhere: bool
) -> MultiTargetSolution:
    """From near by; with `search` from elsewhere too, where that gets there, or is nearer and may be `anywhere`."""
    near = solver.solve(targets, start, restarts=False)
    if near.reached or not search:
        return near
    far = solver.solve(targets, start, restarts=True)
    return far if far.reached or (anywhere and far.cost < NEARER * near.cost) else near


def with_start_pose(analysis: Analysis, conditions: Conditions) -> Conditions:
    """Conditions that start from a shape where they named slider values. Raises UserError."""
    if conditions.sliders is None:
        return conditions
    posing = Posing(analysis, conditions)
    count = len(posing.coordinates.names)
    if len(conditions.sliders) != count:
        raise UserError(
            "bad_conditions",
            f"The pose to start from has {len(conditions.sliders)} numbers, and the object has {count} sliders now.",
            "Pose the object anew, or start from the drawn shape.",
        )
    handles = posing.shapes(np.array([conditions.sliders], dtype=np.float64).reshape(1, count))
    shape = decode_frames(posing.body.mesh.vertices, posing.weights, handles)[0]
    return replace(conditions, pose=shape.astype(np.float64), sliders=None)
