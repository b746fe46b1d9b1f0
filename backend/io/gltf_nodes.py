"""The nodes of a glTF scene that have meshes: where they are, and how their skins place them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .damaged_file import DamagedFileError
from .gltf_file import GlbFile, accessor_values

__all__ = ["PlacedMesh", "local_matrix", "placed_meshes", "skin_weights", "visited_nodes"]


@dataclass(frozen=True, eq=False)
class PlacedMesh:
    """A mesh of the scene with the name of its node.

    `matrix` Float[4,4] places it in the world; where it has a skin the matrices Float[J,4,4] of `joints` do, from where
    it was modelled to the pose in which the file leaves its bones. `morphs` are the weights of its morph targets.
    """

    name: str
    node: int
    mesh: dict[str, Any]
    matrix: NDArray[np.float64]
    joints: NDArray[np.float64] | None
    skin: int | None
    morphs: tuple[float, ...]

    def transforms(self, file: GlbFile, primitive: dict[str, Any], count: int) -> NDArray[np.float64]:
        """Float[4,4] of all vertices of a primitive, or Float[count,4,4] of each."""
        known = None if self.joints is None else skin_weights(file, primitive, count, len(self.joints))
        if self.joints is None or known is None:
            return self.matrix
        joints, weights = known
        blended = np.zeros((count, 4, 4))
        for column in range(joints.shape[1]):
            blended += weights[:, column, None, None] * self.joints[joints[:, column]]
        return blended


def skin_weights(
    file: GlbFile, primitive: dict[str, Any], count: int, bones: int
) -> tuple[NDArray[np.int64], NDArray[np.float64]] | None:
    """Bones Int[count,n] of a skin with that many, and weights Float[count,n] whose rows sum to one; None without."""
    attributes = primitive["attributes"]
    sets = sorted(name.removeprefix("JOINTS_") for name in attributes if name.startswith("JOINTS_"))
    if not sets:
        return None
    joints = np.hstack([accessor_values(file, attributes[f"JOINTS_{each}"]) for each in sets]).astype(np.int64)
    weights = np.hstack([accessor_values(file, attributes[f"WEIGHTS_{each}"]) for each in sets]).astype(np.float64)
    if joints.shape != weights.shape or len(joints) != count:
        raise DamagedFileError("its skin has not the same number of bones and weights for each vertex")
    if joints.max(initial=0) >= bones:
        raise DamagedFileError("its skin uses bones that do not exist")
    total = weights.sum(axis=1, keepdims=True)
    return joints, np.divide(weights, total, out=np.full_like(weights, 1.0 / weights.shape[1]), where=total > 0.0)


def placed_meshes(file: GlbFile) -> list[PlacedMesh]:
    """Each mesh of the scene, depth first."""
    document = file.document
    nodes, meshes = document.get("nodes", []), document.get("meshes", [])
    order = visited_nodes(document)
    world = {number: matrix for number, _, matrix in order}
    placed = []
    for number, _, matrix in order:
        node = nodes[number]
        if "mesh" not in node:
            continue
        mesh = meshes[node["mesh"]]
        name = node.get("name")
        joints = _joint_matrices(file, node["skin"], world) if "skin" in node else None
        morphs = tuple(float(weight) for weight in node.get("weights", mesh.get("weights", ())))
        shown = name if isinstance(name, str) else ""
        placed.append(PlacedMesh(shown, number, mesh, matrix, joints, node.get("skin"), morphs))
    return placed


def visited_nodes(document: dict[str, Any]) -> list[tuple[int, int, NDArray[np.float64]]]:
    """The nodes of the scene, depth first: number, number of the parent (-1: none) and world matrix Float[4,4]."""
    nodes = document.get("nodes", [])
    if document.get("scenes"):
        roots = document["scenes"][document.get("scene", 0)].get("nodes", [])
    else:
        children = {child for node in nodes for child in node.get("children", [])}
        roots = [i for i in range(len(nodes)) if i not in children]
    waiting = [(root, -1, np.eye(4)) for root in reversed(roots)]
    visited: list[tuple[int, int, NDArray[np.float64]]] = []
    while waiting:
        number, parent, above = waiting.pop()
        if len(visited) >= len(nodes):
            raise DamagedFileError("its node tree runs in a circle")
        matrix = above @ local_matrix(nodes[number])
        visited.append((number, parent, matrix))
        waiting += [(child, number, matrix) for child in reversed(nodes[number].get("children", []))]
    return visited


def _joint_matrices(file: GlbFile, number: int, world: dict[int, NDArray[np.float64]]) -> NDArray[np.float64]:
    """World matrix times inverse bind matrix of each bone of a skin, Float[J,4,4]."""
    skin = file.document["skins"][number]
    missing = [joint for joint in skin["joints"] if joint not in world]
    if missing:
        raise DamagedFileError("its skin uses bones that are not in the scene")
    matrices = np.stack([world[joint] for joint in skin["joints"]])
    if "inverseBindMatrices" not in skin:
        return matrices
    # glTF writes matrices by columns.
    inverse = accessor_values(file, skin["inverseBindMatrices"]).astype(np.float64)
    return matrices @ inverse[: len(matrices)].reshape(-1, 4, 4).swapaxes(1, 2)


def local_matrix(node: dict[str, Any]) -> NDArray[np.float64]:
    """Of a node in its parent, Float[4,4]."""
    if "matrix" in node:
        return np.array(node["matrix"], dtype=np.float64).reshape(4, 4).T
    x, y, z, w = node.get("rotation", (0.0, 0.0, 0.0, 1.0))
    rotation = np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
            [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
            [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
        ]
    )
    matrix = np.eye(4)
    matrix[:3, :3] = rotation * np.array(node.get("scale", (1.0, 1.0, 1.0)))
    matrix[:3, 3] = node.get("translation", (0.0, 0.0, 0.0))
    return matrix
