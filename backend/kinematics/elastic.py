"""The elastic provider: skinning eigenmodes as weights, every handle affine, q mass-orthonormal.

a(q) = a_rest + (R (x) I_3) q with R^T B R = I, so that the kinetic energy is |qdot|^2 / 2 and an object of any size and
any degenerate direction (a flat sheet, a needle) has well-conditioned coordinates.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..geometry.material import MaterialCloud
from .base import Array, ReferenceFrame, skinning_basis
from .compliance import handle_combinations, softest_modes, whitening
from .cubature import sparse_cubature
from .eigenmodes import nodal_gradients, skinning_eigenmodes
from .interpolation import interpolate_with_slope
from .neo_hookean import rest_stiffness
from .node_material import NodeMaterial
from .section_modes import section_modes

__all__ = ["ElasticKinematics", "Material", "MaterialPoints", "build_elastic", "material_basis", "material_points"]

TETRAHEDRON = np.array([[1.0, 1.0, 1.0], [1.0, -1.0, -1.0], [-1.0, 1.0, -1.0], [-1.0, -1.0, 1.0]])


@dataclass(frozen=True)
class MaterialPoints:
    """Where mass and elastic energy live: four points for each cloud node."""

    node: np.ndarray  # Int[P], the cloud node each point belongs to
    position: Array  # Float[P,3] metres
    volume: Array  # Float[P] m^3

    def of_nodes(self, chosen: np.ndarray) -> MaterialPoints:
        """Those that belong to the nodes for which `chosen` Bool[N] is true."""
        mine = chosen[self.node]
        return MaterialPoints(self.node[mine], self.position[mine], self.volume[mine])


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
    """Corners of a tetrahedron in each node's share of the volume, with the same centroid and second moments.

    So the integral of a quadratic function is exact, and bending costs energy however few nodes there are across.
    """
    squares, axes = np.linalg.eigh(cloud.spread)
    reach = axes * np.sqrt(np.maximum(squares, 0.0))[:, None, :]
    places = cloud.centroid[:, None] + np.einsum("nik,ck->nci", reach, TETRAHEDRON)
    count, corners = len(cloud.position), len(TETRAHEDRON)
    return MaterialPoints(
        node=np.repeat(np.arange(count), corners),
        position=places.reshape(-1, 3),
        volume=np.repeat(cloud.volume / corners, corners),
    )


def material_basis(
    cloud: MaterialCloud, points: MaterialPoints, frame: ReferenceFrame, weights: Array, weight_gradients: Array
) -> tuple[Array, Array]:
    """phi Float[P,4H] and its gradients Float[P,3,4H] (1/m) at points that belong to nodes of the cloud.

    Nodal weights Float[N,H] with their gradients Float[N,3,H] are blended as for the mesh, and differentiated exactly.
    """
    # Weights are constant through the thickness of a sheet.
    normal = cloud.normal[points.node]
    height = np.einsum("pi,pi->p", points.position - cloud.position[points.node], normal)
    middle = points.position - height[:, None] * normal
    local, slope = interpolate_with_slope(cloud, middle, points.node, weights, weight_gradients)
    slope -= normal[:, :, None] * np.einsum("pa,pah->ph", normal, slope)[:, None]
    local[:, 0], slope[:, :, 0] = 1.0, 0.0  # the constant handle, free of rounding: at rest nothing is strained
    reference = frame.to_reference(points.position)
    homogeneous = np.column_stack([reference, np.ones(len(reference))])
    # d(w_h [X; 1]) / dX = w_h d[X; 1]/dX + [X; 1] (x) grad w_h, with dX_ref/dX = 1 / scale.
    gradients = np.einsum("pah,pj->pahj", slope, homogeneous)
    for axis in range(3):
        gradients[:, axis, :, axis] += local / frame.scale
    return skinning_basis(local, reference), gradients.reshape(len(reference), 3, -1)


def _law(cloud: MaterialCloud, points: MaterialPoints, made_of: NodeMaterial) -> tuple[Array, Array]:
    """Relative Young's modulus and Poisson's ratio at the points, Float[P] each.

    Weights are constant through a sheet, which therefore cannot get thicker on the one side only, as it must where it
    bends. Its points have the moduli of plane stress instead, lambda* = 2 mu lambda / (lambda + 2 mu): bending is
    exact, stretching 9 % too soft for nu = 0.3.
    """
    stiffness, poisson = made_of.stiffness[points.node], made_of.poisson[points.node]
    sheet = ~cloud.solid[points.node]
    stiffness[sheet] *= (1.0 + 2.0 * poisson[sheet]) / (1.0 + poisson[sheet]) ** 2
    poisson[sheet] /= 1.0 + poisson[sheet]
    return stiffness, poisson


def build_elastic(
    cloud: MaterialCloud,
    frame: ReferenceFrame,
    made_of: NodeMaterial,
    anchored: np.ndarray,
    handles: int | None = None,
    counted: np.ndarray | None = None,
) -> tuple[ElasticKinematics, Material, Array, Array]:
    """Kinematics, material constants, nodal weights Float[N,H] and their gradients Float[N,3,H].

    `anchored` Bool[N]: held nodes; `handles`: how many, None where the object decides; `counted` Bool[N]: whose mass
    and energy count (None: all). Handle 0 is the constant column; with an anchor it stays at rest.
    """
    held = bool(anchored.any())
    modes = skinning_eigenmodes(cloud, anchored, made_of.stiffness, handles)
    candidates = np.column_stack([np.ones(len(modes)), modes, section_modes(cloud, modes, held)])
    slopes = nodal_gradients(cloud, candidates, made_of.stiffness)
    slopes[:, :, 0] = 0.0
    points = material_points(cloud)
    if counted is not None:
        points = points.of_nodes(counted)
    basis, gradients = material_basis(cloud, points, frame, candidates, slopes)
    mass = made_of.density[points.node] * points.volume
    moment = basis.T @ (mass[:, None] * basis)
    # The object's own modulus does not matter here: only ratios of compliance are compared.
    relative, poisson = _law(cloud, points, made_of)
    stiffness = rest_stiffness(gradients, points.volume, relative, poisson)

    chosen = handle_combinations(stiffness, moment, held, handles)
    rest = np.zeros((4 * chosen.shape[1], 3))
    rest[:4] = frame.rest_handle()
    if held and chosen.shape[1] == 1:
        nothing = np.zeros(0)
        material = Material(mass, basis[:, :4], gradients[:0, :, :4], nothing, nothing, nothing)
        return ElasticKinematics(rest, np.zeros((4, 0))), material, candidates @ chosen, slopes @ chosen
    mixed = candidates @ chosen
    chosen /= mixed[np.abs(mixed).argmax(axis=0), np.arange(mixed.shape[1])]  # the largest entry of each is one
    wide = np.kron(chosen, np.eye(4))
    basis, gradients = basis @ wide, gradients @ wide
    moment = basis.T @ (mass[:, None] * basis)
    stiffness = np.tensordot(np.tensordot(wide.T, stiffness, axes=1), wide, axes=([2], [0])).transpose(0, 1, 3, 2)
    reduction = whitening(moment, np.arange(4 if held else 0, len(moment)))
    squares, shapes = softest_modes(stiffness, reduction, 0 if held else 6)
    fewer, volume = sparse_cubature(gradients, points.volume, squares, shapes, relative, poisson)
    material = Material(mass, basis, gradients[fewer], volume, relative[fewer], poisson[fewer])
    return ElasticKinematics(rest, reduction), material, candidates @ chosen, slopes @ chosen
