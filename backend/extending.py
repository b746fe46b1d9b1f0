"""Kinematics, energies and solvers of one's own, for scripts: docs/extending.md has an example of each.

A provider is a skinning: weights w(X) that add up to one everywhere, and handles a(q) as `kinematics.base.Kinematics`
says. Mass, contact, wind and pokes follow from these. An energy is V(a), as `dynamics.energies.Energy` says. A
solver advances any state of an object, as `dynamics.solver.Solver` says.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from time import perf_counter
from typing import Any

import numpy as np

from .bodies.body import UNMOVED, Body
from .bodies.point_masses import matter_of, point_masses
from .dynamics.conditions import Conditions
from .dynamics.coordinate_energies import CoordinateEnergy, Dissipation
from .dynamics.energies import Energy
from .geometry.material import MaterialCloud, sample_material
from .geometry.mesh import Mesh, validate_mesh
from .kinematics.base import Array, Kinematics, ReferenceFrame, skinning_basis
from .understanding.analysis import ActorBuilder, Analysis, Builder

__all__ = ["SmallKinematics", "analyze_with", "skinned_body", "solver_analysis", "with_energies"]

WHOLE = 1e-6  # how far the weights of a point may be from one, together


class SmallKinematics:
    """A provider of few coordinates, at rest where they are zero.

    What derives from it gives `name`, `dof`, `handles`, `jacobian` and `acceleration`, as said in `kinematics.base`.
    """

    name: str
    dof: int
    constant_jacobian = False

    def rest(self) -> Array:
        return np.zeros(self.dof)

    def handles(self, q: Array) -> Array:
        raise NotImplementedError

    def jacobian(self, q: Array) -> Array:
        raise NotImplementedError

    def acceleration(self, q: Array, rate: Array) -> Array:
        raise NotImplementedError

    def push(self, q: Array, rate: Array) -> Array:
        return (self.jacobian(q) @ rate).reshape(-1, 3)

    def pull(self, q: Array, force: Array) -> Array:
        return self.jacobian(q).T @ force.ravel()

    def canonical(self, q: Array) -> Array:
        return q


def analyze_with(builder: Builder, vertices: Any, triangles: Any, name: str) -> Analysis:
    """Vertices Float[V,3] (metres, Z up) and triangles Int[F,3] as an object of a provider of one's own.

    `builder` gets the mesh, its material cloud, the conditions and the held vertices Int[n] (None: free), and makes the
    body; `name` is what reports call the provider. Raises UserError where the mesh cannot be used.
    """
    begin = perf_counter()
    mesh = validate_mesh(vertices, triangles)
    cloud = sample_material(mesh)
    return Analysis(mesh, cloud, name, perf_counter() - begin, builder=builder)


def solver_analysis(build_actor: ActorBuilder, vertices: Any, triangles: Any, name: str) -> Analysis:
    """Vertices Float[V,3] (metres, Z up) and triangles Int[F,3] as an object that a solver of one's own moves.

    `build_actor` gets what the builder of `analyze_with` gets and makes the solver, its first state and the forces on
    it (`dynamics.actor.Actor`). Raises UserError where the mesh cannot be used.
    """
    begin = perf_counter()
    mesh = validate_mesh(vertices, triangles)
    cloud = sample_material(mesh)
    return Analysis(mesh, cloud, name, perf_counter() - begin, build_actor=build_actor)


def with_energies(analysis: Analysis, energies: Callable[[Body], Sequence[Energy]]) -> Analysis:
    """The same object, on which these act besides what the conditions say."""
    return replace(analysis, energies=energies)


def skinned_body(
    mesh: Mesh,
    cloud: MaterialCloud,
    conditions: Conditions,
    held: np.ndarray | None,
    kinematics: Kinematics,
    frame: ReferenceFrame,
    weights: Callable[[Array], Array],
    energies: Sequence[CoordinateEnergy] = (),
    dissipations: Sequence[Dissipation] = (),
) -> Body:
    """The body of any skinned kinematics, whose handles act on the reference coordinates of `frame`.

    `weights` takes rest positions Float[P,3] (m) to Float[P,H]; `energies` and `dissipations` are those of q. Held
    vertices that the coordinates move are held by springs.
    """
    # What is elastic is up to the energies.
    points, mass = point_masses(mesh, cloud, conditions.density, conditions.materials)
    own = weights(mesh.vertices)
    if np.abs(own.sum(axis=1) - 1.0).max() > WHOLE:
        raise ValueError("the weights of a vertex do not add up to one")
    basis = skinning_basis(weights(points.position), frame.to_reference(points.position))
    size = float(np.ptp(mesh.vertices, axis=0).max())
    sprung = None
    if held is not None:
        slope = kinematics.jacobian(kinematics.rest()).reshape(basis.shape[1], 3, -1)
        rows = skinning_basis(own[held], frame.to_reference(mesh.vertices[held]))
        moved = np.abs(np.tensordot(rows, slope, axes=1)).max(axis=(1, 2)) >= UNMOVED * size
        sprung = held[moved] if moved.any() else None
    return Body(
        mesh,
        cloud,
        frame,
        kinematics,
        matter_of(mass, basis),
        own.astype(np.float32),
        weights(cloud.position),
        None,
        held is not None,
        size,
        sprung=sprung,
        energies=tuple(energies),
        dissipations=tuple(dissipations),
    )
