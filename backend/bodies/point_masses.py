"""What bodies share that are no elastic solids: masses of material points, and how what is held holds them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ..errors import UserError
from ..geometry.material import MaterialCloud
from ..geometry.mesh import Mesh
from ..kinematics.base import Array
from ..kinematics.elastic import Material, MaterialPoints, material_points
from ..kinematics.node_material import MadeOf, Region, node_material

__all__ = ["holds", "matter_of", "point_masses"]


def point_masses(
    mesh: Mesh, cloud: MaterialCloud, density: float, regions: Sequence[Region]
) -> tuple[MaterialPoints, Array]:
    """Material points and their masses Float[P] (kg); density in kg/m^3, `regions` differ from it.

    Regions count by their mass alone: what they say of elasticity acts on nothing here.
    """
    heavy = [Region(region.vertices, region.density, None, None, None) for region in regions]
    made_of = node_material(mesh, cloud, MadeOf(density, regions=heavy))
    points = material_points(cloud)
    return points, made_of.density[points.node] * points.volume


def matter_of(mass: Array, basis: Array) -> Material:
    """Of points of these masses Float[P] with rows Float[P,4H]; nothing resists being deformed."""
    nothing = np.zeros(0)
    return Material(mass, basis, np.zeros((0, 3, basis.shape[1])), nothing, nothing, nothing)


def holds(
    mesh: Mesh, held: NDArray[np.int64] | None, still: NDArray[np.bool_]
) -> tuple[bool, NDArray[np.int64] | None]:
    """Whether the object stands on what is held, Int[n] (None: free), and which of it springs have to hold.

    `still` Bool[V]: what no coordinate moves. It holds the object where some of it is held; else the object has a free
    root, and springs have to hold all that is held. Raises UserError where all is held.
    """
    if held is None:
        return False, None
    if len(held) == len(mesh.vertices):
        raise UserError("nothing_free.held")
    stands = bool(still[held].any())
    loose = held[~still[held]] if stands else held
    return stands, loose if len(loose) else None
