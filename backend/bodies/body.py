"""A mesh made ready to move: provider, material constants and weights for one choice of anchor and density."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.spatial import cKDTree

from ..dynamics.coordinate_energies import CoordinateEnergy, Dissipation
from ..errors import UserError
from ..geometry.material import MaterialCloud
from ..geometry.mesh import Mesh
from ..kinematics.base import Array, Kinematics, ReferenceFrame, skinning_basis
from ..kinematics.elastic import (
    ElasticKinematics,
    Material,
    MaterialPoints,
    build_elastic,
    material_basis,
    material_points,
)
from ..kinematics.interpolation import interpolate
from ..kinematics.jointed import Jointed
from ..kinematics.learned_shape import LearnedShape
from ..kinematics.node_material import Region, node_material
from ..kinematics.rigid import RigidKinematics

__all__ = ["Body", "build_body"]

UNMOVED = 1e-6  # of the size


@dataclass(frozen=True)
class Body:
    """Constants of one object.

    `nodal_weights` Float[N,H] and `nodal_gradients` Float[N,3,H] are on the cloud, `weights` float32 (V,H) on the mesh.
    Without gradients the weights are blended nowhere: what lies between nodes has those of the node it belongs to.
    """

    mesh: Mesh
    cloud: MaterialCloud
    frame: ReferenceFrame
    kinematics: Kinematics
    material: Material
    weights: np.ndarray
    nodal_weights: Array
    nodal_gradients: Array | None
    anchored: bool
    size: float
    learned: LearnedShape | None = None
    sprung: np.ndarray | None = None  # held vertices Int[n] that the coordinates move: springs hold them
    energies: tuple[CoordinateEnergy, ...] = ()  # those of a provider of one's own, see `extending`
    dissipations: tuple[Dissipation, ...] = ()
    jointed: Jointed | None = None

    @property
    def own(self) -> bool:
        """Whether its provider is one that somebody added."""
        built_in = self.learned is not None or self.jointed is not None
        return not built_in and not isinstance(self.kinematics, ElasticKinematics | RigidKinematics)

    @property
    def moment(self) -> Array:
        """B = sum_v m_v phi_v phi_v^T, Float[4H,4H] kg."""
        return self.material.basis.T @ (self.material.mass[:, None] * self.material.basis)

    @property
    def total_mass(self) -> float:
        return float(self.material.mass.sum())

    def basis_at(self, points: Array, owners: np.ndarray) -> Array:
        """phi at arbitrary rest points Float[P,3] whose nodes are known: Float[P,4H]."""
        if self.nodal_gradients is None:
            return skinning_basis(self.nodal_weights[owners], self.frame.to_reference(points))
        weights = interpolate(self.cloud, points, owners, self.nodal_weights, self.nodal_gradients)
        return skinning_basis(weights.astype(np.float64), self.frame.to_reference(points))

    def node_basis(self, nodes: np.ndarray) -> tuple[Array, Array]:
        """phi Float[n,4H] and its gradients Float[n,3,4H] (1/m) at nodes Int[n] of the cloud."""
        points = MaterialPoints(nodes, self.cloud.position[nodes], self.cloud.volume[nodes])
        if self.nodal_gradients is not None:
            return material_basis(self.cloud, points, self.frame, self.nodal_weights, self.nodal_gradients)
        gradients = np.zeros((len(nodes), 3, self.nodal_weights.shape[1], 4))
        for axis in range(3):
            gradients[:, axis, :, axis] = self.nodal_weights[nodes] / self.frame.scale
        return self.basis_at(points.position, nodes), gradients.reshape(len(nodes), 3, -1)

    def moves(self, row: Array) -> bool:
        """Whether the coordinates move a basis row Float[4H] (a point of the surface, or the mean of some) at rest."""
        if isinstance(self.kinematics, ElasticKinematics | RigidKinematics):
            return bool(np.abs(row[4 if self.anchored else 0 :]).max() >= UNMOVED)
        jacobian = self.kinematics.jacobian(self.kinematics.rest()).reshape(len(row), 3, -1)
        return bool(np.abs(np.tensordot(row, jacobian, axes=1)).max() >= UNMOVED * self.size)

    def vertex_basis(self, vertices: np.ndarray) -> Array:
        """phi of mesh vertices Int[n]: Float[n,4H]."""
        reference = self.frame.to_reference(self.mesh.vertices[vertices])
        return skinning_basis(self.weights[vertices].astype(np.float64), reference)


def _nodes_on_held_faces(mesh: Mesh, cloud: MaterialCloud, vertices: np.ndarray) -> np.ndarray:
    """Surface nodes Int[n] on faces with all corners held: a large face has nodes that own no vertex."""
    chosen = np.zeros(len(mesh.vertices), dtype=bool)
    chosen[vertices] = True
    corners = mesh.vertices[mesh.triangles[chosen[mesh.triangles].all(axis=1)]]
    longest = np.linalg.norm(corners - np.roll(corners, 1, axis=1), axis=2).max(axis=1)
    corners = corners[longest > cloud.spacing]
    if not len(corners):
        return np.zeros(0, dtype=np.int64)
    # Barycentric grid points closer than the nodes are.
    steps = int(np.clip(np.ceil(longest.max() / (0.4 * cloud.spacing)), 2, 100))
    first, second = np.divmod(np.arange((steps + 1) ** 2), steps + 1)
    inside = first + second <= steps
    share = np.stack([first, second, steps - first - second], axis=1)[inside] / steps
    points = (share @ corners).reshape(-1, 3)
    nodes = np.flatnonzero(cloud.surface)
    away = cKDTree(points).query(cloud.position[nodes], distance_upper_bound=0.3 * cloud.spacing)[0]
    return nodes[np.isfinite(away)]


def _anchored_nodes(mesh: Mesh, cloud: MaterialCloud, vertices: np.ndarray | None) -> np.ndarray:
    held = np.zeros(len(cloud.position), dtype=bool)
    if vertices is not None:
        held[cloud.vertex_node[vertices]] = True
        held[_nodes_on_held_faces(mesh, cloud, vertices)] = True
        if held[cloud.vertex_node].all():
            raise UserError("nothing_free.held")
    return held


def _fade_to_anchor(
    body_weights: np.ndarray, mesh: Mesh, cloud: MaterialCloud, held: np.ndarray, vertices: np.ndarray
) -> None:
    """Takes the modes smoothly to exactly zero at held vertices, over one node spacing (in place)."""
    near = held.copy()
    first, second = cloud.edges.T
    np.logical_or.at(near, first, held[second])
    np.logical_or.at(near, second, held[first])
    affected = np.flatnonzero(near[cloud.vertex_node])
    distance, _ = cKDTree(mesh.vertices[vertices]).query(mesh.vertices[affected])
    share = np.clip(distance / cloud.spacing, 0.0, 1.0)
    body_weights[affected, 1:] *= (share * share * (3.0 - 2.0 * share))[:, None].astype(np.float32)


def build_body(
    mesh: Mesh,
    cloud: MaterialCloud,
    provider: str,
    density: float,
    held_vertices: np.ndarray | None,
    *,
    regions: Sequence[Region] = (),
    young: float | None = None,
    poisson: float = 0.3,
    handles: int | None = None,
) -> Body:
    """provider 'rigid' or 'elastic'; `held_vertices` Int[n] do not move (None: a free root).

    Density (kg/m^3), Young's modulus (Pa; only regions that have one need it) and Poisson's ratio are the object's own;
    `regions` differ from it. `handles`: how many, 2 to 64 with the constant one (None: as the object needs).
    """
    made_of = node_material(mesh, cloud, density, young, poisson, regions)
    size = float(np.ptp(mesh.vertices, axis=0).max())
    if provider == "rigid":
        points = material_points(cloud)
        mass = made_of.density[points.node] * points.volume
        frame = ReferenceFrame(np.average(points.position, axis=0, weights=mass), size)
        ones = np.ones((len(cloud.position), 1))
        basis = skinning_basis(ones[points.node], frame.to_reference(points.position))
        material = Material(mass, basis, np.zeros((0, 3, 4)), np.zeros(0), np.zeros(0), np.zeros(0))
        weights = np.ones((len(mesh.vertices), 1), dtype=np.float32)
        flat = np.zeros((len(cloud.position), 3, 1))
        return Body(mesh, cloud, frame, RigidKinematics(frame), material, weights, ones, flat, False, size)
    held = _anchored_nodes(mesh, cloud, held_vertices)
    centre = np.average(cloud.position, axis=0, weights=cloud.volume)
    frame = ReferenceFrame(centre, size)
    kinematics, material, nodal, gradients = build_elastic(cloud, frame, made_of, held, handles)
    weights = interpolate(cloud, mesh.vertices, cloud.vertex_node, nodal, gradients)
    weights[:, 0] = 1.0
    if held_vertices is not None:
        _fade_to_anchor(weights, mesh, cloud, held, held_vertices)
    return Body(mesh, cloud, frame, kinematics, material, weights, nodal, gradients, held_vertices is not None, size)
