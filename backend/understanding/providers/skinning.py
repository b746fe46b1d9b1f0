"""A provider by its weights and handle transforms alone: what scripts derive theirs from."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import ClassVar, Self

import numpy as np
from scipy.linalg import eigh

from ...bodies.body import UNMOVED, Body
from ...bodies.point_masses import holds, matter_of, point_masses
from ...dynamics.conditions import Conditions
from ...dynamics.coordinate_energies import (
    CoordinateEnergy,
    Dissipation,
    JointLimits,
    LimitDamping,
    RayleighDamping,
    RestSpring,
)
from ...dynamics.rigid_placement import RigidPlacement
from ...dynamics.variational import mass_matrix
from ...kinematics.base import Array, Kinematics, ReferenceFrame, skinning_basis
from ...kinematics.rooted import ROOT_DOF, RootedKinematics
from ...kinematics.skinning import SkinningKinematics
from .forces import FASTEST_FOLLOWED, Forces
from .learned_forces import LIMIT_HZ, UNDAMPED_LIMIT_HZ, inner_metric, settling
from .provider import AnalysisInput, Provider, Support
from .slider_map import Coordinates, InnerSliders, SliderMap

__all__ = ["Skinning"]

WHOLE = 1e-6  # how far the weights of a point may be from one, together
LIMIT_SOFTNESS = 0.01  # of the range, over which a limit becomes as stiff as it gets
FEWEST_STILL = 0.01  # of the vertices: fewer that never move are not what an object stands on


class Skinning(Provider):
    """At rest where all coordinates are 0. Points and transforms are about the middle of the mesh, in metres.

    It comes back to rest and settles as the conditions say, stops at the ends of its ranges, and falls where nothing
    holds it.
    """

    coordinates: ClassVar[Mapping[str, tuple[float, float] | None]]  # by name; None: sliders from -1 to 1, no limits
    springs: ClassVar[Sequence[float] | None] = None  # k of V = k/2 q^2 in joules; None: as `stiffness_hz` says
    keys = frozenset({"stiffness_hz", "settle_seconds"})

    @abstractmethod
    def weights(self, points: Array) -> Array:
        """Float[P,3] m -> Float[P,H]; those of a point add up to one. Material inside needs them too."""

    @abstractmethod
    def transforms(self, q: Array) -> Array:
        """Float[k] -> Float[H,3,4], what each handle does to the points that are its own."""

    @classmethod
    def analyze(cls, given: AnalysisInput) -> Self:
        return cls(given.mesh, given.cloud)

    @cached_property
    def extent(self) -> Array:
        """Sides of the bounding box, Float[3] m."""
        return np.ptp(self.mesh.vertices, axis=0)

    @cached_property
    def _frame(self) -> ReferenceFrame:
        return ReferenceFrame(self.mesh.vertices.min(axis=0) + 0.5 * self.extent, float(self.extent.max()))

    @property
    def _ranges(self) -> Array:
        return np.array([(-1.0, 1.0) if ends is None else ends for ends in self.coordinates.values()])

    @cached_property
    def _kinematics(self) -> SkinningKinematics:
        return SkinningKinematics(self.name, self._frame, self.transforms, 0.5 * np.ptp(self._ranges, axis=1))

    def _basis(self, points: Array) -> tuple[Array, Array]:
        """Weights Float[P,H] and basis rows Float[P,4H] of rest positions Float[P,3] m."""
        weights = np.asarray(self.weights(points - self._frame.centre), dtype=np.float64)
        if np.abs(weights.sum(axis=1) - 1.0).max() > WHOLE:
            raise ValueError("the weights of a point do not add up to one")
        return weights, skinning_basis(weights, self._frame.to_reference(points))

    @cached_property
    def _still(self) -> np.ndarray:
        """Bool[V]: vertices that no coordinate moves at rest."""
        rows = self._basis(self.mesh.vertices)[1]
        slope = self._kinematics.jacobian(self._kinematics.rest()).reshape(rows.shape[1], 3, -1)
        return np.abs(np.tensordot(rows, slope, axes=1)).max(axis=(1, 2)) < UNMOVED * self._frame.scale

    @property
    def support(self) -> Support:
        still = np.flatnonzero(self._still)
        return Support(still if len(still) > FEWEST_STILL * len(self._still) else None)

    def build(self, conditions: Conditions, held: np.ndarray | None) -> Body:
        stands, sprung = holds(self.mesh, held, self._still)
        points, mass = point_masses(self.mesh, self.cloud, conditions.density, conditions.materials)
        weights, basis = self._basis(points.position)
        kinematics: Kinematics = self._kinematics
        if not stands:
            centre = np.average(points.position, axis=0, weights=mass)
            kinematics = RootedKinematics(self._kinematics, centre, np.tile([0.0, 0.0, 0.0, 1.0], weights.shape[1]))
        return Body(
            self.mesh,
            self.cloud,
            self._frame,
            kinematics,
            matter_of(mass, basis),
            self._basis(self.mesh.vertices)[0].astype(np.float32),
            self._basis(self.cloud.position)[0],
            None,
            held is not None,
            self._frame.scale,
            root=0 if stands else ROOT_DOF,
            sprung=sprung,
        )

    def energies(self, metric: Array, conditions: Conditions) -> Sequence[CoordinateEnergy]:
        """Potentials of q; `metric` Float[k,k] is the inertia of the coordinates at rest."""
        if self.springs is None:
            return [RestSpring(conditions.stiffness_hz, metric, self._kinematics.rest())]
        return [_Springs(np.array(self.springs, dtype=np.float64))]

    def forces(self, body: Body, conditions: Conditions, posing: bool = False) -> Forces:
        root, rest = body.root, body.kinematics.rest()
        mass = mass_matrix(body.kinematics, body.moment, rest, rest)
        metric = inner_metric(mass, root)
        inner = metric[root:, root:]
        own = tuple(self.energies(inner, conditions))
        stiffness = sum((energy.hessian(rest[root:]) for energy in own), np.zeros_like(inner))
        swinging = float(np.sqrt(max(eigh(stiffness, inner, eigvals_only=True)[-1], 0.0)))
        edge = 2.0 * np.pi * (UNDAMPED_LIMIT_HZ if conditions.undamped else LIMIT_HZ)
        edge, inertia = max(edge, 3.0 * swinging), np.diag(metric)
        limits = self._limits(root, edge**2 * inertia)
        energies = (*(_Inner(energy, root) for energy in own), limits)
        if conditions.undamped:
            limited = any(ends is not None for ends in self.coordinates.values())
            return Forces(energies, (), edge if limited else swinging)
        damping = settling(body, conditions, mass, metric)
        dissipations: list[Dissipation] = [RayleighDamping(1.0, 0.0, damping, np.zeros_like(damping))]
        dissipations.append(LimitDamping(limits, 2.0 * edge * inertia))
        return Forces(energies, tuple(dissipations), min(swinging, FASTEST_FOLLOWED))

    def _limits(self, root: int, stiffness: Array) -> JointLimits:
        free = (-np.inf, np.inf)
        ends = [free] * root + [free if ends is None else ends for ends in self.coordinates.values()]
        lower, upper = np.array(ends).T
        width = np.concatenate([np.ones(root), np.ptp(self._ranges, axis=1)])
        return JointLimits(lower, upper, stiffness, LIMIT_SOFTNESS * width)

    def sliders(self, body: Body, placement: RigidPlacement, forces: Forces) -> SliderMap:
        lower, upper = self._ranges.T
        names = tuple(self.coordinates)
        coordinates = Coordinates(names, ("value",) * len(names), lower, upper)
        return InnerSliders(body, coordinates, 0.5 * (lower + upper), 0.25 * (upper - lower))


class _Springs:
    """V = 1/2 sum_i k_i q_i^2."""

    def __init__(self, stiffness: Array) -> None:
        self._stiffness = stiffness

    def value(self, q: Array) -> float:
        return 0.5 * float(self._stiffness @ q**2)

    def gradient(self, q: Array) -> Array:
        return self._stiffness * q

    def hessian(self, q: Array) -> Array:
        return np.diag(self._stiffness)


class _Inner:
    """An energy of the coordinates behind the root, as one of all coordinates."""

    def __init__(self, energy: CoordinateEnergy, root: int) -> None:
        self._energy, self._root = energy, root

    def value(self, q: Array) -> float:
        return self._energy.value(q[self._root :])

    def gradient(self, q: Array) -> Array:
        return np.concatenate([np.zeros(self._root), self._energy.gradient(q[self._root :])])

    def hessian(self, q: Array) -> Array:
        return np.pad(self._energy.hessian(q[self._root :]), ((self._root, 0), (self._root, 0)))
