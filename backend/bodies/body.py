"""A mesh made ready to move: kinematics, material constants and weights for one choice of anchor and density."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..geometry.material import MaterialCloud
from ..geometry.mesh import Mesh
from ..kinematics.base import Array, Kinematics, ReferenceFrame, skinning_basis
from ..kinematics.elastic import Material, MaterialPoints, material_basis
from ..kinematics.interpolation import interpolate

__all__ = ["UNMOVED", "Body"]

UNMOVED = 1e-6  # of the size
SOFTLY_HELD = 0.05  # a weight: what of a soft piece has less is as good as the rigid one that it is attached to


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
    root: int = 0  # how many coordinates, the first ones, move the whole: 6 of a free root (t in m, r in rad), or none
    sprung: np.ndarray | None = None  # held vertices Int[n] that the coordinates move: springs hold them
    part: np.ndarray | None = None  # the rigid part Int[V] of each vertex, where parts move past each other
    folds: bool = False  # so that its surface can touch itself
    carriers: tuple[int, ...] | None = None  # the handles whose weights sum to one, others are zero at rest; None: all
    bent: np.ndarray | None = None  # float32 (V,H,3) m, see `offsets`; None: all handles agree in what is drawn

    @property
    def rigid(self) -> bool:
        """Whether it moves as a whole only."""
        return self.kinematics.dof == self.root

    @property
    def moment(self) -> Array:
        """B = sum_v m_v phi_v phi_v^T, Float[4H,4H] kg."""
        return self.material.basis.T @ (self.material.mass[:, None] * self.material.basis)

    @property
    def total_mass(self) -> float:
        return float(self.material.mass.sum())

    def struck_mass(self, row: Array) -> float:
        """Of what a push at a basis row Float[4H] is to set in motion, kg: of soft pieces on rigid ones, the piece."""
        weights = np.abs(row.reshape(-1, 4)[:, 3])
        if self.carriers is None or self.nodal_gradients is not None:
            return self.total_mass
        weights[list(self.carriers)] = 0.0
        if weights.max() < SOFTLY_HELD:
            return self.total_mass
        column = int(weights.argmax())
        moved = np.abs(self.material.basis[:, 4 * column : 4 * column + 4]).max(axis=1) > 0.0
        return float(self.material.mass[moved].sum())

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
        if self.kinematics.constant_jacobian:  # every handle moves but the constant one, where it is held
            return bool(np.abs(row[4 if self.anchored else 0 :]).max() >= UNMOVED)
        jacobian = self.kinematics.jacobian(self.kinematics.rest()).reshape(len(row), 3, -1)
        return bool(np.abs(np.tensordot(row, jacobian, axes=1)).max() >= UNMOVED * self.size)

    def vertex_basis(self, vertices: np.ndarray) -> Array:
        """phi of mesh vertices Int[n]: Float[n,4H]."""
        reference = self.frame.to_reference(self.mesh.vertices[vertices])
        basis = skinning_basis(self.weights[vertices].astype(np.float64), reference)
        if self.bent is not None:
            basis.reshape(len(basis), -1, 4)[:, :, :3] += self.bent[vertices] / self.frame.scale
        return basis

    def offsets(self, handles: Array) -> Array | None:
        """What is added to the skinned mesh by handles Float[H,3,4] in the world, Float[V,3] m; None: nothing is.

        A skin that was bound in another pose than it is drawn in has P_vh = X_v + d_vh where handle h alone carries a
        vertex: x = sum_h w_h A_h [P_vh; 1] is linear blend skinning of X plus sum_h R_h (w_h d_vh).
        """
        if self.bent is None:
            return None
        linear = handles[:, :, :3].transpose(0, 2, 1).reshape(-1, 3)
        return self.bent.reshape(len(self.bent), -1).astype(np.float64) @ linear
