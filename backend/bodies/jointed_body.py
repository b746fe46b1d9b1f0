"""A body of jointed parts: each part has its own mass, from the file or from its mesh, and moves as one."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ..geometry.material import MaterialCloud
from ..geometry.mesh import Mesh
from ..kinematics.articulated import ArticulatedKinematics
from ..kinematics.base import Array, Kinematics, ReferenceFrame, skinning_basis
from ..kinematics.inertia import Inertia, inertia_of
from ..kinematics.jointed import Jointed
from ..kinematics.node_material import Region
from ..kinematics.rooted import ROOT_DOF, RootedKinematics
from .body import Body
from .point_masses import holds, matter_of, point_masses

__all__ = ["build_articulated_body", "link_matter", "part_inertias"]

LIGHTEST = 1e-6  # of the mean mass of a part: what a part weighs that has neither a mesh nor a mass
SMALLEST = 0.01  # of the size of the object: how large such a part is


def link_matter(
    mesh: Mesh, jointed: Jointed, mass: Array, place: Array, part: NDArray[np.int64]
) -> tuple[Array, Array, NDArray[np.int64]]:
    """Mass Float[P] (kg), place Float[P,3] (m) and part Int[P] of material points, with those that files give.

    A part with a mass from its file has that instead of its own points', and every part has some mass.
    """
    size = float(np.ptp(mesh.vertices, axis=0).max())
    given = {number: inertia for number, inertia in enumerate(jointed.inertias) if inertia is not None}
    kept = ~np.isin(part, list(given))
    masses, places, parts = [mass[kept]], [place[kept]], [part[kept]]
    present = set(np.unique(part).tolist())
    total = float(mass[kept].sum()) + sum(inertia.mass for inertia in given.values())
    for number in range(len(jointed.tree.parts)):
        own = given.get(number)
        if own is None and number in present:
            continue
        vertices = mesh.vertices[jointed.part == number]
        extent = float(np.ptp(vertices, axis=0).max()) if len(vertices) else SMALLEST * size
        if own is None:
            joint = jointed.tree.joint_of(number)
            light = LIGHTEST * max(total, 1e-12) / len(jointed.tree.parts)
            at = np.zeros(3) if joint is None else joint.origin
            own = Inertia(light, at, light * extent**2 * np.eye(3))
        six, where = own.possible(max(extent, SMALLEST * size)).points()
        masses.append(six)
        places.append(where)
        parts.append(np.full(len(six), number))
    return np.concatenate(masses), np.concatenate(places), np.concatenate(parts)


def _matter(
    mesh: Mesh,
    cloud: MaterialCloud,
    node_part: NDArray[np.int64],
    jointed: Jointed,
    density: float,
    regions: Sequence[Region],
) -> tuple[Array, Array, NDArray[np.int64]]:
    """Those of all parts."""
    points, mass = point_masses(mesh, cloud, density, regions)
    return link_matter(mesh, jointed, mass, points.position, node_part[points.node])


def part_inertias(
    mesh: Mesh,
    cloud: MaterialCloud,
    node_part: NDArray[np.int64],
    jointed: Jointed,
    density: float,
    regions: Sequence[Region] = (),
) -> tuple[Inertia, ...]:
    """Of every part, as the solver counts it."""
    mass, place, part = _matter(mesh, cloud, node_part, jointed, density, regions)
    return tuple(inertia_of(mass[part == number], place[part == number]) for number in range(len(jointed.tree.parts)))


def build_articulated_body(
    mesh: Mesh,
    cloud: MaterialCloud,
    node_part: NDArray[np.int64],
    jointed: Jointed,
    density: float,
    held_vertices: NDArray[np.int64] | None,
    regions: Sequence[Region] = (),
) -> Body:
    """`held_vertices` Int[n] do not move (None: a free root; none of them: the root is held, whatever it looks like).

    What no joint moves holds the object where some of it is held. Else the object has a free root, and springs have to
    hold the rest of what is held. Density in kg/m^3 of what the file gives no mass, `regions` differ from it.
    """
    stands, sprung = holds(mesh, held_vertices, jointed.still)
    stands = stands or (held_vertices is not None and not len(held_vertices))
    size, count = float(np.ptp(mesh.vertices, axis=0).max()), len(jointed.tree.parts)
    mass, place, part = _matter(mesh, cloud, node_part, jointed, density, regions)
    centre = np.average(place, axis=0, weights=mass)
    frame, one_hot = ReferenceFrame(centre, size), np.eye(count)
    basis = skinning_basis(one_hot[part], frame.to_reference(place))
    kinematics: Kinematics = ArticulatedKinematics(jointed.tree, frame)
    if not stands:
        kinematics = RootedKinematics(kinematics, centre, np.tile([0.0, 0.0, 0.0, 1.0], count))
    return Body(
        mesh,
        cloud,
        frame,
        kinematics,
        matter_of(mass, basis),
        one_hot[jointed.part].astype(np.float32),
        one_hot[node_part],
        None,
        held_vertices is not None,
        size,
        root=0 if stands else ROOT_DOF,
        sprung=sprung,
        part=jointed.part,
    )
