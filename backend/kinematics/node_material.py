"""Material of each node of the cloud: the object's own, and regions of the mesh that differ from it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.spatial import cKDTree

from ..errors import UserError
from ..geometry.material import MaterialCloud
from ..geometry.mesh import Mesh
from .base import Array

__all__ = ["MadeOf", "NodeMaterial", "Region", "nearest_vertices", "node_material"]


@dataclass(frozen=True)
class Region:
    """Vertices with a material of their own; None: as the rest of the object."""

    vertices: np.ndarray
    density: float | None  # kg/m^3
    young: float | None  # Pa
    stiffness: float | None  # factor on the object's own Young's modulus
    poisson: float | None


@dataclass(frozen=True)
class MadeOf:
    """What an object is made of: its own density (kg/m^3), Young's modulus (Pa; only regions that have one need it) and
    Poisson's ratio. `regions` differ from it; where they overlap the later one counts.
    """

    density: float
    young: float | None = None
    poisson: float = 0.3
    regions: Sequence[Region] = ()


@dataclass(frozen=True)
class NodeMaterial:
    """Float[N] each: density kg/m^3, stiffness (Young's modulus over the object's own), Poisson's ratio."""

    density: Array
    stiffness: Array
    poisson: Array


def nearest_vertices(mesh: Mesh, cloud: MaterialCloud) -> np.ndarray:
    """For each node the nearest mesh vertex of its own part, Int[N]: a region does not leak across a gap."""
    size = float(np.ptp(mesh.vertices, axis=0).max())
    # The part as a fourth coordinate, far apart: one search instead of one for every part.
    away = 100.0 * size
    vertices = np.column_stack([mesh.vertices, away * cloud.part[cloud.vertex_node]])
    return cKDTree(vertices).query(np.column_stack([cloud.centroid, away * cloud.part]))[1]


def node_material(mesh: Mesh, cloud: MaterialCloud, made_of: MadeOf) -> NodeMaterial:
    """A node belongs to the regions of the nearest vertex of its part."""
    count = len(cloud.position)
    material = NodeMaterial(np.full(count, made_of.density), np.ones(count), np.full(count, made_of.poisson))
    if not made_of.regions:
        return material
    nearest = nearest_vertices(mesh, cloud)
    for region in made_of.regions:
        chosen = np.zeros(len(mesh.vertices), dtype=bool)
        chosen[region.vertices] = True
        inside = chosen[nearest]
        if region.density is not None:
            material.density[inside] = region.density
        if region.young is not None:
            if made_of.young is None:
                raise UserError("bad_conditions.young_missing")
            material.stiffness[inside] = region.young / made_of.young
        if region.stiffness is not None:
            material.stiffness[inside] = region.stiffness
        if region.poisson is not None:
            material.poisson[inside] = region.poisson
    return material
