"""The rig of a glTF file: its bones, the weights of all vertices of the scene on them, and its animations."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .gltf_clips import sampled_clips, world_matrices
from .gltf_file import GlbFile, accessor_values, open_glb
from .gltf_nodes import placed_meshes, skin_weights, visited_nodes
from .gltf_read import vertex_sets

__all__ = ["FileRig", "read_glb_rig"]

UPRIGHT = np.array([[1.0, 0.0, 0.0, 0.0], [0.0, 0.0, -1.0, 0.0], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 0.0, 1.0]])


@dataclass(frozen=True, eq=False)
class FileRig:
    """B bones of a file, Z up, and how they carry the V vertices that are read of it.

    parents Int[B] come before their children; `drawn` Float[B,4,4] world matrices; `bound` Float[B,4,4] of each bone
    against its parent where the skin was bound; bones Int[V,n], weights Float[V,n], places Float[V,n,3] as each bone
    alone carries a vertex. `clips`: name, times Float[T] (s) and world matrices Float[T,B,4,4].
    """

    names: tuple[str, ...]
    parents: NDArray[np.int64]
    drawn: NDArray[np.float64]
    bound: NDArray[np.float64]
    bones: NDArray[np.int64]
    weights: NDArray[np.float64]
    places: NDArray[np.float64]
    clips: tuple[tuple[str, NDArray[np.float64], NDArray[np.float64]], ...]


def read_glb_rig(data: bytes) -> FileRig | None:
    """Of the bytes of a .glb file; None where nothing in its scene has a skin."""
    file = open_glb(data)
    document = file.document
    placed = placed_meshes(file)
    skins = sorted({each.skin for each in placed if each.skin is not None})
    if not skins:
        return None
    order = visited_nodes(document)
    joints = {joint for number in skins for joint in document["skins"][number]["joints"]}
    nodes = [number for number, _, _ in order if number in joints]
    bone = {node: number for number, node in enumerate(nodes)}
    above = {number: parent for number, parent, _ in order}
    parents = np.array([_carrier(above[node], above, bone) for node in nodes])
    world = {number: matrix for number, _, matrix in order}
    drawn = np.stack([UPRIGHT @ world[node] for node in nodes])
    rows = [_carried(file, each, above, bone, world) for each in placed]
    most = max(bones.shape[1] for bones, _, _ in rows)
    wide = [_widened(*each, most) for each in rows]
    bones, weights, places = (np.concatenate(arrays) for arrays in zip(*wide, strict=True))
    turned = places @ UPRIGHT[:3, :3].T
    clips = tuple(
        (name, times, UPRIGHT @ world_matrices(document, locals_, nodes))
        for name, times, locals_ in sampled_clips(file)
    )
    names = tuple(_name(document["nodes"][node], number) for number, node in enumerate(nodes))
    bound = _bound(file, skins, bone, parents, drawn)
    return FileRig(names, parents, drawn, bound, bones, weights, turned, clips)


def _name(node: dict[str, Any], number: int) -> str:
    name = node.get("name")
    return name if isinstance(name, str) and name else f"Bone {number + 1}"


def _carrier(node: int, above: dict[int, int], bone: dict[int, int]) -> int:
    """The bone that a node is or hangs on; -1: none."""
    while node >= 0 and node not in bone:
        node = above[node]
    return bone[node] if node >= 0 else -1


def _carried(
    file: GlbFile, placed: Any, above: dict[int, int], bone: dict[int, int], world: dict[int, NDArray[np.float64]]
) -> tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.float64]]:
    """Bones, weights and places of the vertices of one mesh; what has no skin goes along with the bone above it."""
    found = []
    for primitive, points in vertex_sets(file, placed):
        known = None if placed.skin is None else skin_weights(file, primitive, len(points), len(placed.joints))
        if known is None:
            carrier = max(_carrier(placed.node, above, bone), 0)
            at = points @ placed.matrix[:3, :3].T + placed.matrix[:3, 3]
            found.append((np.full((len(points), 1), carrier), np.ones((len(points), 1)), at[:, None]))
            continue
        joints, weights = known
        matrices = placed.joints[joints]
        at = np.einsum("vnij,vj->vni", matrices[..., :3, :3], points) + matrices[..., :3, 3]
        numbers = np.array([bone[node] for node in file.document["skins"][placed.skin]["joints"]])
        found.append((numbers[joints], weights, at))
    if not found:
        return np.zeros((0, 1), dtype=np.int64), np.zeros((0, 1)), np.zeros((0, 1, 3))
    most = max(bones.shape[1] for bones, _, _ in found)
    wide = [_widened(*each, most) for each in found]
    bones, weights, places = (np.concatenate(arrays) for arrays in zip(*wide, strict=True))
    return bones, weights, places


def _widened(
    bones: NDArray[np.int64], weights: NDArray[np.float64], places: NDArray[np.float64], most: int
) -> tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.float64]]:
    """With as many columns, those that are new without weight."""
    missing = most - bones.shape[1]
    if not missing:
        return bones, weights, places
    sides = ((0, 0), (0, missing))
    return np.pad(bones, sides, "edge"), np.pad(weights, sides), np.pad(places, (*sides, (0, 0)), "edge")


def _bound(
    file: GlbFile, skins: list[int], bone: dict[int, int], parents: NDArray[np.int64], drawn: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Of each bone against its parent where a skin has both; else as they are drawn."""
    local = drawn.copy()
    known = parents >= 0
    local[known] = np.linalg.inv(drawn[parents[known]]) @ drawn[known]
    for number in reversed(skins):
        skin = file.document["skins"][number]
        if "inverseBindMatrices" not in skin:
            continue
        inverse = accessor_values(file, skin["inverseBindMatrices"]).astype(np.float64).reshape(-1, 4, 4)
        own = {bone[node]: matrix.T for node, matrix in zip(skin["joints"], inverse, strict=False)}
        for each, matrix in own.items():
            if int(parents[each]) in own and abs(np.linalg.det(matrix)) > 0.0:
                local[each] = own[int(parents[each])] @ np.linalg.inv(matrix)
    return local
