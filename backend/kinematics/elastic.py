"""The elastic provider: skinning eigenmodes as weights, every handle affine, q mass-orthonormal.

a(q) = a_rest + (R (x) I_3) q with R^T B R = I, so that the kinetic energy is |qdot|^2 / 2 and an object of any size and
any degenerate direction (a flat sheet, a needle) has well-conditioned coordinates.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..dynamics.neo_hookean import StableNeoHookean
from ..geometry.material import MaterialCloud
from .base import Array, ReferenceFrame, skinning_basis
from .compliance import needed_handles, softest_modes, whitening
from .cubature import sparse_cubature
from .eigenmodes import nodal_gradients, skinning_eigenmodes
from .node_material import NodeMaterial

__all__ = ["ElasticKinematics", "Material", "MaterialPoints", "build_elastic", "material_basis", "material_points"]


@dataclass(frozen=True)
class MaterialPoints:
    """Where mass and elastic energy live: cloud nodes, a sheet's node twice (both sides of its middle)."""

    node: np.ndarray  # Int[P], the cloud node each point belongs to
    position: Array  # Float[P,3] metres
    volume: Array  # Float[P] m^3


@dataclass(frozen=True)
class Material:
    """Constants in handle space, made once per object and anchor."""

    mass: Array  # Float[P] kg
    basis: Array  # Float[P,4H]
    gradients: Array  # Float[C,3,4H], basis gradients (1/m) at the cubature points
    cubature_volume: Array  # Float[C] m^3
    stiffness: Array  # Float[C], Young's modulus at the cubature points over the object's own
    poisson: Array  # Float[C], Poisson's ratio there


class ElasticKinematics:
    """Affine handles; see the module's first lines. k = 3 x (columns of R)."""

    name = "elastic"
    constant_jacobian = True

    def __init__(self, rest_handles: Array, reduction: Array) -> None:
        """rest_handles Float[4H,3], reduction R Float[4H,n]."""
        self._rest = rest_handles
        self.reduction = reduction
        self.dof = 3 * reduction.shape[1]

    def rest(self) -> Array:
        return np.zeros(self.dof)

    def handles(self, q: Array) -> Array:
        return self._rest + self.reduction @ q.reshape(-1, 3)

    def push(self, q: Array, rate: Array) -> Array:
        return self.reduction @ rate.reshape(-1, 3)

    def pull(self, q: Array, force: Array) -> Array:
        return (self.reduction.T @ force).ravel()

    def jacobian(self, q: Array) -> Array:
        return np.kron(self.reduction, np.eye(3))

    def acceleration(self, q: Array, rate: Array) -> Array:
        return np.zeros_like(self._rest)

    def canonical(self, q: Array) -> Array:
        return q


def material_points(cloud: MaterialCloud) -> MaterialPoints:
    """Solid nodes once; sheet nodes at the two Gauss points of the thickness, which makes bending cost energy."""
    solid, sheet = np.flatnonzero(cloud.solid), np.flatnonzero(~cloud.solid)
    offset = cloud.normal[sheet] * (cloud.thickness[sheet] / (2.0 * np.sqrt(3.0)))[:, None]
    return MaterialPoints(
        node=np.concatenate([solid, sheet, sheet]),
        position=np.vstack([cloud.centroid[solid], cloud.position[sheet] + offset, cloud.position[sheet] - offset]),
        volume=np.concatenate([cloud.volume[solid], 0.5 * cloud.volume[sheet], 0.5 * cloud.volume[sheet]]),
    )


def material_basis(
    cloud: MaterialCloud, points: MaterialPoints, frame: ReferenceFrame, weights: Array, weight_gradients: Array
) -> tuple[Array, Array]:
    """phi Float[P,4H] and its gradients Float[P,3,4H] (1/m) at points that belong to nodes of the cloud.

    Nodal weights Float[N,H] are carried to the points by the nodal gradients Float[N,3,H].
    """
    slope = weight_gradients[points.node]
    offset = points.position - cloud.position[points.node]
    local = weights[points.node] + np.einsum("pah,pa->ph", slope, offset)
    reference = frame.to_reference(points.position)
    homogeneous = np.column_stack([reference, np.ones(len(reference))])
    # d(w_h [X; 1]) / dX = w_h d[X; 1]/dX + [X; 1] (x) grad w_h, with dX_ref/dX = 1 / scale.
    gradients = np.einsum("pah,pj->pahj", slope, homogeneous)
    for axis in range(3):
        gradients[:, axis, :, axis] += local / frame.scale
    return skinning_basis(local, reference), gradients.reshape(len(reference), 3, -1)


def build_elastic(
    cloud: MaterialCloud, frame: ReferenceFrame, made_of: NodeMaterial, anchored: np.ndarray, handles: int | None = None
) -> tuple[ElasticKinematics, Material, Array, Array]:
    """Kinematics, material constants, nodal weights Float[N,H] and their gradients Float[N,3,H].

    `anchored` Bool[N]: held nodes; `handles`: how many, None where the object decides. Handle 0 is the constant column;
    with an anchor it stays at rest.
    """
    modes = skinning_eigenmodes(cloud, anchored, made_of.stiffness, handles)
    weights = np.column_stack([np.ones(len(modes)), modes])
    weight_gradients = nodal_gradients(cloud, weights, made_of.stiffness)
    weight_gradients[:, :, 0] = 0.0
    points = material_points(cloud)
    basis, gradients = material_basis(cloud, points, frame, weights, weight_gradients)
    mass = made_of.density[points.node] * points.volume
    stiff, poisson = made_of.stiffness[points.node], made_of.poisson[points.node]
    moment = basis.T @ (mass[:, None] * basis)

    held = bool(anchored.any())
    rest = np.zeros((len(moment), 3))
    rest[:4] = frame.rest_handle()
    # The object's own modulus does not matter here: only ratios of compliance are compared.
    stiffness = StableNeoHookean(gradients, points.volume, stiff, poisson).hessian(rest)
    kept = needed_handles(stiffness, moment, held, handles)
    columns = (4 * kept[:, None] + np.arange(4)).ravel()
    reduction = whitening(moment[np.ix_(columns, columns)], np.arange(4 if held else 0, len(columns)))
    stiffness = stiffness[columns][:, :, columns]
    modes = softest_modes(stiffness, reduction, 0 if held else 6)[1]
    chosen, volume = sparse_cubature(gradients[:, :, columns], points.volume, modes, stiff, poisson)
    fewer = gradients[chosen][:, :, columns]
    material = Material(mass, basis[:, columns], fewer, volume, stiff[chosen], poisson[chosen])
    kinematics = ElasticKinematics(rest[columns], reduction)
    return kinematics, material, weights[:, kept], weight_gradients[:, :, kept]
