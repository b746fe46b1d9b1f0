"""Rigged .glb files for the tests: bones by their matrices in the world, a skin on them, and a clip."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from tests.backend.io.writers import GlbMaker

__all__ = ["rigged_glb"]

TO_Y_UP = np.array([[1.0, 0.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0], [0.0, -1.0, 0.0, 0.0], [0.0, 0.0, 0.0, 1.0]])


def rigged_glb(
    mesh: tuple[NDArray, NDArray],
    names: Sequence[str],
    parents: Sequence[int],
    bound: NDArray,
    skin: tuple[NDArray, NDArray],
    poses: NDArray | None = None,
    fps: float = 24.0,
    drawn: NDArray | None = None,
) -> bytes:
    """Bones at world matrices `bound` Float[B,4,4] (Z up) where the skin (bones Int[V,4], weights Float[V,4]) of the
    mesh (vertices, triangles) is bound; left in the pose `drawn`, and a clip "Move" of `poses` Float[T,B,4,4].
    """
    maker = GlbMaker()
    vertices = mesh[0] @ TO_Y_UP[:3, :3].T
    primitive = maker.primitive(vertices, mesh[1])
    primitive["indices"] = maker.accessor(np.uint32(mesh[1]).ravel(), 5125, "SCALAR")
    primitive["attributes"] |= {
        "JOINTS_0": maker.accessor(np.uint16(skin[0]), 5123, "VEC4"),
        "WEIGHTS_0": maker.accessor(np.float32(skin[1]), 5126, "VEC4"),
    }
    world = TO_Y_UP @ bound
    inverse = np.float32(np.linalg.inv(world).swapaxes(1, 2))
    joints = list(range(1, len(names) + 1))
    maker.document["skins"] = [{"joints": joints, "inverseBindMatrices": maker.accessor(inverse, 5126, "MAT4")}]
    shown = world if drawn is None else TO_Y_UP @ drawn
    maker.document["nodes"] = [{"name": "Mesh", "mesh": maker.mesh(primitive), "skin": 0}]
    for number, (name, local) in enumerate(zip(names, _local(shown[None], parents)[0], strict=True)):
        node = {"name": name, "translation": local[:3, 3].tolist(), "rotation": _quaternion(local[None])[0].tolist()}
        node["scale"] = np.linalg.norm(local[:3, :3], axis=0).tolist()
        children = [1 + each for each, parent in enumerate(parents) if parent == number]
        maker.document["nodes"].append(node | ({"children": children} if children else {}))
    roots = [0, *(1 + each for each, parent in enumerate(parents) if parent < 0)]
    maker.document |= {"scenes": [{"nodes": roots}], "scene": 0}
    if poses is not None:
        _add_clip(maker, _local(TO_Y_UP @ poses, parents), fps)
    return maker.bytes()


def _add_clip(maker: GlbMaker, local: NDArray, fps: float) -> None:
    times = maker.accessor(np.float32(np.arange(len(local)) / fps), 5126, "SCALAR")
    samplers, channels = [], []
    for bone in range(local.shape[1]):
        turns = _quaternion(local[:, bone])
        same = np.sign((turns[1:] * turns[:-1]).sum(axis=1))
        turns[1:] *= np.cumprod(np.where(same == 0.0, 1.0, same))[:, None]
        scales = np.linalg.norm(local[:, bone, :3, :3], axis=1)
        places = local[:, bone, :3, 3]
        values = (("translation", places, "VEC3"), ("rotation", turns, "VEC4"), ("scale", scales, "VEC3"))
        for path, value, kind in values:
            samplers.append({"input": times, "output": maker.accessor(np.float32(value), 5126, kind)})
            channels.append({"sampler": len(samplers) - 1, "target": {"node": 1 + bone, "path": path}})
    maker.document["animations"] = [{"name": "Move", "samplers": samplers, "channels": channels}]


def _local(world: NDArray, parents: Sequence[int]) -> NDArray:
    local = world.copy()
    for bone, parent in enumerate(parents):
        if parent >= 0:
            local[:, bone] = np.linalg.inv(world[:, parent]) @ world[:, bone]
    return local


def _quaternion(matrices: NDArray) -> NDArray:
    return Rotation.from_matrix(matrices[:, :3, :3] / np.linalg.norm(matrices[:, :3, :3], axis=1)[:, None]).as_quat()
