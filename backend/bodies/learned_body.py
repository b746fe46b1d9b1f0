"""A body whose kinematics were learned: mass and contact as for any other, weights those of the state space."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ..geometry.material import MaterialCloud
from ..geometry.mesh import Mesh
from ..geometry.surface_points import closest_surface_points
from ..kinematics.base import Array, Kinematics, skinning_basis
from ..kinematics.learned_shape import LearnedShape
from ..kinematics.node_material import Region
from ..kinematics.rooted import ROOT_DOF, RootedKinematics
from .body import Body
from .point_masses import holds, matter_of, point_masses

__all__ = ["build_learned_body"]


def _near_weights(mesh: Mesh, cloud: MaterialCloud, weights: Array, points: Array, node: NDArray[np.int64]) -> Array:
    """Weights Float[P,H] of material points that belong to nodes: those of the nearest surface of the same part."""
    triangle_part = cloud.part[cloud.vertex_node[mesh.triangles[:, 0]]]
    places = closest_surface_points(points, cloud.part[node], mesh.vertices, mesh.triangles, triangle_part)
    return places.interpolated(mesh.triangles, weights)


def build_learned_body(
    mesh: Mesh,
    cloud: MaterialCloud,
    shape: LearnedShape,
    density: float,
    held_vertices: NDArray[np.int64] | None,
    regions: Sequence[Region] = (),
) -> Body:
    """`held_vertices` Int[n] do not move (None: a free root); density in kg/m^3, `regions` differ from it.

    What the state space does not move holds the object where some of it is held. Else the object has a free root,
    and springs have to hold the rest of what is held.
    """
    stands, sprung = holds(mesh, held_vertices, shape.still)
    weights = shape.held_weights() if stands else np.array(shape.space.weights, dtype=np.float64)
    frame = shape.space.frame
    points, mass = point_masses(mesh, cloud, density, regions)
    basis = skinning_basis(
        _near_weights(mesh, cloud, weights, points.position, points.node), frame.to_reference(points.position)
    )
    nodal = _near_weights(mesh, cloud, weights, cloud.position, np.arange(len(cloud.position)))
    kinematics: Kinematics = shape.kinematics()
    if not stands:
        shift = np.tile([0.0, 0.0, 0.0, 1.0], shape.space.handle_count)
        centre = np.average(points.position, axis=0, weights=mass)
        kinematics = RootedKinematics(kinematics, centre, shift)
    return Body(
        mesh,
        cloud,
        frame,
        kinematics,
        matter_of(mass, basis),
        weights.astype(np.float32),
        nodal,
        None,
        held_vertices is not None,
        float(np.ptp(mesh.vertices, axis=0).max()),
        root=0 if stands else ROOT_DOF,
        sprung=sprung,
    )
