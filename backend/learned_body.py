"""A body whose kinematics were learned: mass and contact as for any other, weights those of the state space."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from .body import Body
from .dynamics.conditions import Region
from .errors import UserError
from .geometry.material import MaterialCloud
from .geometry.mesh import Mesh
from .geometry.surface_places import nearest_places
from .kinematics.base import Array, Kinematics, skinning_basis
from .kinematics.elastic import Material, material_points
from .kinematics.learned_shape import LearnedShape
from .kinematics.node_material import node_material
from .kinematics.rooted import RootedKinematics

__all__ = ["build_learned_body"]


def _near_weights(mesh: Mesh, cloud: MaterialCloud, weights: Array, points: Array, node: NDArray[np.int64]) -> Array:
    """Weights Float[P,H] of material points that belong to nodes: those of the nearest surface of the same part."""
    triangle_part = cloud.part[cloud.vertex_node[mesh.triangles[:, 0]]]
    places = nearest_places(points, cloud.part[node], mesh.vertices, mesh.triangles, triangle_part)
    return places.mixed(mesh.triangles, weights)


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
    if held_vertices is not None and len(held_vertices) == len(mesh.vertices):
        raise UserError(
            "nothing_free", "Every part of the object is held.", "Hold fewer vertices, or set the anchor to none."
        )
    stands = held_vertices is not None and bool(shape.still[held_vertices].any())
    weights = shape.held_weights() if stands else np.array(shape.space.weights, dtype=np.float64)
    sprung = None
    if held_vertices is not None:
        loose = held_vertices[~shape.still[held_vertices]] if stands else held_vertices
        sprung = loose if len(loose) else None

    frame = shape.space.frame
    made_of = node_material(mesh, cloud, density, None, 0.0, [_only_density(region) for region in regions])
    points = material_points(cloud)
    mass = made_of.density[points.node] * points.volume
    basis = skinning_basis(
        _near_weights(mesh, cloud, weights, points.position, points.node), frame.to_reference(points.position)
    )
    nothing = np.zeros(0)
    material = Material(mass, basis, np.zeros((0, 3, basis.shape[1])), nothing, nothing, nothing)
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
        material,
        weights.astype(np.float32),
        nodal,
        None,
        held_vertices is not None,
        float(np.ptp(mesh.vertices, axis=0).max()),
        shape,
        sprung,
    )


def _only_density(region: Region) -> Region:
    """Regions count by their mass alone: nothing here is elastic."""
    return Region(region.vertices, region.density, None, None, None)
