"""The body of a rigged mesh: links that move as one, and a skin that blends them as the rig says."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import cKDTree

from ..geometry.material import MaterialCloud
from ..geometry.mesh import Mesh
from ..kinematics.base import Array, Kinematics, ReferenceFrame, skinning_basis
from ..kinematics.node_material import Region
from ..kinematics.rig import Rig
from ..kinematics.rigged import RiggedLinks, RigKinematics
from ..kinematics.rooted import ROOT_DOF, RootedKinematics
from .body import Body
from .point_masses import holds, matter_of, point_masses

__all__ = ["build_rig_body", "node_weights"]

NEAR = 4  # vertices whose weights those of a node inside are mixed from
MATTERS = 1e-5  # of the size: what bones alone place nearer to the drawn place than this is drawn as they place it


def node_weights(rig: Rig, mesh: Mesh, cloud: MaterialCloud) -> Array:
    """Weights Float[N,B] of the nodes of the cloud on the bones: those of the vertices near by, of the same piece."""
    used = np.unique(mesh.triangles)
    apart = 100.0 * np.ptp(mesh.vertices, axis=0).max()  # no other piece is that near
    known = np.column_stack([mesh.vertices[used], apart * cloud.part[cloud.vertex_node[used]]])
    asked = np.column_stack([cloud.position, apart * cloud.part])
    away, near = cKDTree(known).query(asked, k=min(NEAR, len(used)))
    away, near = away.reshape(len(cloud.position), -1), near.reshape(len(cloud.position), -1)
    share = 1.0 / np.maximum(away, 1e-3 * cloud.spacing) ** 2
    share /= share.sum(axis=1, keepdims=True)
    dense = rig.dense_weights()[used]
    return np.einsum("nk,nkb->nb", share, dense[near])


def build_rig_body(
    mesh: Mesh,
    cloud: MaterialCloud,
    rig: Rig,
    rigged: RiggedLinks,
    nodes: Array,
    density: float,
    held: NDArray[np.int64] | None,
    regions: Sequence[Region] = (),
) -> Body:
    """nodes Float[N,L]: weights of the nodes of the cloud; `held` vertices Int[n] do not move (None: free).

    What the root link alone carries holds the object where some of it is held; else springs hold what is.
    """
    count = len(rigged.link)
    column = rigged.links.of_bone[rig.bones]
    rows = np.arange(len(rig.bones))[:, None]
    weights, bent = np.zeros((len(rig.bones), count)), np.zeros((len(rig.bones), count, 3))
    np.add.at(weights, (rows, column), rig.weights)
    np.add.at(bent, (rows, column), rig.weights[:, :, None] * (rig.places - mesh.vertices[:, None]))
    still = weights[:, 0] > 1.0 - 1e-9
    stands, sprung = holds(mesh, held, still)
    size = float(np.ptp(mesh.vertices, axis=0).max())
    points, mass = point_masses(mesh, cloud, density, regions)
    centre = np.average(points.position, axis=0, weights=mass)
    frame = ReferenceFrame(centre, size)
    kinematics: Kinematics = RigKinematics(rigged, frame)
    if not stands:
        kinematics = RootedKinematics(kinematics, centre, np.tile([0.0, 0.0, 0.0, 1.0], count))
    return Body(
        mesh,
        cloud,
        frame,
        kinematics,
        matter_of(mass, skinning_basis(nodes[points.node], frame.to_reference(points.position))),
        weights.astype(np.float32),
        nodes,
        None,
        held is not None,
        size,
        root=0 if stands else ROOT_DOF,
        sprung=sprung,
        folds=True,
        bent=bent.astype(np.float32) if np.abs(bent).max() > MATTERS * size else None,
    )
