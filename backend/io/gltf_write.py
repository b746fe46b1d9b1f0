"""Animated glTF (.glb): a skin with keyed joints where few rigid handles move the mesh, else morph targets.

Morphed means: the first frame as the mesh, each later frame as a morph target, played one by one. Several objects are
as many nodes that one animation plays together.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import UserError
from .appearance import Part, Primitive
from .atomic_write import atomic_write
from .gltf_chunk import ELEMENTS, VERTICES, Chunk
from .gltf_materials import merged_library
from .morphing import Morphing
from .moving_mesh import MovingMesh
from .skin import Skin, exact_skin

__all__ = ["write_glb"]

_LARGEST_FILE = 2**32 - 1
# More are allowed, but viewers need not read them, and three.js does not: what has more is morphed.
_MOST_INFLUENCES = 4
# Normals turn with the shape; tangents viewers work out from those and the texture coordinates.
_NOT_ON_MORPHS = ("NORMAL", "TANGENT")


class _Writer:
    """A document that grows object by object."""

    def __init__(self, frame_count: int, fps: float) -> None:
        self.chunk = Chunk()
        self.nodes: list[dict[str, Any]] = []
        self.meshes: list[dict[str, Any]] = []
        self.skins: list[dict[str, Any]] = []
        self.samplers: list[dict[str, Any]] = []
        self.channels: list[dict[str, Any]] = []
        self._times = (np.arange(frame_count) / fps).astype("<f4")
        self._frame_count = frame_count
        self._known: dict[int, tuple[NDArray[np.generic], int]] = {}
        self._rows: dict[tuple[int, int], dict[str, Any]] = {}
        self._time: int | None = None
        self._morph_sampler: int | None = None

    def _node(self, **entry: Any) -> int:
        self.nodes.append(entry)
        return len(self.nodes) - 1

    def _sampler(self, values: NDArray[np.generic]) -> int:
        if self._time is None:
            self._time = self.chunk.add(self._times, limits=True)
        output = self.chunk.add(values)
        self.samplers.append({"input": self._time, "output": output, "interpolation": "LINEAR"})
        return len(self.samplers) - 1

    def _animate(self, node: int, path: str, sampler: int) -> None:
        self.channels.append({"sampler": sampler, "target": {"node": node, "path": path}})

    def add(self, moving: MovingMesh, first_material: int) -> list[int]:
        """Adds an object; the nodes that it has at the top of the scene."""
        self._rows = {}
        skin = exact_skin(moving, _MOST_INFLUENCES)
        if skin:
            return self._skinned(moving, skin, first_material)
        top = self._morphed(moving, first_material)
        if moving.name and len(top) > 1:
            return [self._node(name=moving.name, children=top)]
        return top

    def _part(self, part: Part, primitives: list[dict[str, Any]], **mesh: Any) -> int:
        if not primitives:  # its faces are all gone: strips of two points
            return self._node(name=part.name)
        self.meshes.append({"name": part.mesh_name, "primitives": primitives, **mesh})
        return self._node(name=part.name, mesh=len(self.meshes) - 1)

    def _skinned(self, moving: MovingMesh, skin: Skin, first_material: int) -> list[int]:
        joints, weights = skin.joints.astype("<u2" if len(skin.centres) > 256 else "u1"), skin.weights
        top = []
        for part in moving.parts:
            primitives = []
            for each in _with_faces(part):
                rows = each.vertices
                shared = self._shared(rows)
                if not shared:
                    shared["POSITION"] = self._positions(skin.rest[rows])
                    shared["JOINTS_0"] = self.chunk.add(joints[rows], VERTICES)
                    shared["WEIGHTS_0"] = self.chunk.add(weights[rows], VERTICES)
                attributes = shared | self._carried(each)
                primitives.append(self._primitive(moving, each, attributes, first_material))
            node = self._part(part, primitives)
            if primitives:
                self.nodes[node]["skin"] = len(self.skins)
            top.append(node)
        return [*top, self._rig(moving, skin)]

    def _rig(self, moving: MovingMesh, skin: Skin) -> int:
        locations = _turned(skin.locations).astype("<f4")
        rotations = np.concatenate([_turned(skin.rotations[..., :3]), skin.rotations[..., 3:]], axis=-1).astype("<f4")
        joints = []
        for number in range(len(skin.centres)):
            place = {"translation": locations[0, number].tolist(), "rotation": rotations[0, number].tolist()}
            joints.append(self._node(name=f"Handle {number + 1}", **place))
            if self._frame_count > 1:
                self._animate(joints[-1], "translation", self._sampler(locations[:, number]))
                self._animate(joints[-1], "rotation", self._sampler(rotations[:, number]))
        inverse = np.tile(np.eye(4), (len(joints), 1, 1))
        inverse[:, 3, :3] = -_turned(skin.centres)  # by columns, as glTF writes matrices
        # Skinned meshes stay at the top, where nothing above them could mean anything: the rig holds several together.
        several = moving.name and len(moving.parts) > 1
        rig = self._node(name=moving.name if several else f"{moving.title} Rig", children=joints)
        bound = self.chunk.add(inverse.reshape(-1, 16).astype("<f4"))
        self.skins.append({"joints": joints, "inverseBindMatrices": bound, "skeleton": rig})
        return rig

    def _morphed(self, moving: MovingMesh, first_material: int) -> list[int]:
        morphing = Morphing(moving)
        targets = self._frame_count - 1
        mesh: dict[str, Any] = {}
        if targets:
            mesh["weights"] = [0.0] * targets
            mesh["extras"] = {"targetNames": [f"Frame {number}" for number in range(2, self._frame_count + 1)]}
            if self._morph_sampler is None:
                # The first row, all zero, is the mesh itself.
                weights = np.eye(self._frame_count, targets, k=-1, dtype="<f4")
                self._morph_sampler = self._sampler(weights.ravel())
        top = []
        for part in moving.parts:
            primitives = []
            for each in _with_faces(part):
                shared = self._shared(each.vertices)
                if not shared:
                    shared["POSITION"] = self._positions(moving.frames[0, each.vertices])
                    shared["targets"] = [self._moved(morphing, each, number) for number in range(1, self._frame_count)]
                attributes = {"POSITION": shared["POSITION"], **self._carried(each, _NOT_ON_MORPHS)}
                moves = [{"POSITION": number} for number in shared["targets"]]
                if "NORMAL" in each.attributes:
                    attributes["NORMAL"] = self.chunk.add(_turned(morphing.normals(each, 0)).astype("<f4"), VERTICES)
                    for number, target in enumerate(moves, start=1):
                        target["NORMAL"] = self._turns(morphing, each, number)
                primitive = self._primitive(moving, each, attributes, first_material)
                if targets:
                    primitive["targets"] = moves
                primitives.append(primitive)
            node = self._part(part, primitives, **mesh)
            if targets and primitives:
                self._animate(node, "weights", self._morph_sampler)
            top.append(node)
        return top

    def _moved(self, morphing: Morphing, primitive: Primitive, number: int) -> int:
        return self.chunk.add(lambda: _turned(morphing.moved(primitive, number)).astype("<f4"), VERTICES, limits=True)

    def _turns(self, morphing: Morphing, primitive: Primitive, number: int) -> int:
        def turned() -> NDArray[np.float32]:
            return _turned(morphing.normals(primitive, number) - morphing.normals(primitive, 0)).astype("<f4")

        return self.chunk.add(turned, VERTICES)

    def _primitive(
        self, moving: MovingMesh, primitive: Primitive, attributes: dict[str, int], first_material: int
    ) -> dict[str, Any]:
        indices = (moving.triangles[primitive.triangles] - primitive.vertices.start).astype("<u4")
        entry = {"attributes": attributes, "indices": self.chunk.add(indices.ravel(), ELEMENTS), "mode": 4}
        if primitive.material is not None:
            entry["material"] = first_material + primitive.material
        return entry

    def _carried(self, primitive: Primitive, left_out: Sequence[str] = ()) -> dict[str, int]:
        """Accessors of the vertex attributes of a primitive; those that primitives share are written once."""
        numbers = {}
        for name, values in primitive.attributes.items():
            if name in left_out:
                continue
            if id(values) not in self._known:
                written = values
                if name in ("NORMAL", "TANGENT"):
                    written = np.concatenate([_turned(values[:, :3]), values[:, 3:]], axis=1)
                # The array is kept too, so that no other one gets its id.
                self._known[id(values)] = values, self.chunk.add(written.astype("<f4"), VERTICES)
            numbers[name] = self._known[id(values)][1]
        return numbers

    def _shared(self, rows: slice) -> dict[str, Any]:
        """Attributes of some vertices of the object; primitives may share them."""
        return self._rows.setdefault((rows.start, rows.stop), {})

    def _positions(self, positions: NDArray[np.floating]) -> int:
        return self.chunk.add(_turned(positions).astype("<f4"), VERTICES, limits=True)


def write_glb(path: str | Path, objects: Sequence[MovingMesh], fps: float) -> None:
    """Nodes for each object, all with the same number of frames; frame 1 plays at 0 seconds."""
    frame_count = len(objects[0].frames)
    writer = _Writer(frame_count, fps)
    document: dict[str, Any] = {"asset": {"version": "2.0", "generator": "NeuROK for Blender"}, "scene": 0}
    libraries = [each.library for each in objects if each.library is not None]
    offsets = iter(merged_library(document, libraries, writer.chunk.add_bytes))
    top = []
    for each in objects:
        top += writer.add(each, 0 if each.library is None else next(offsets))
    document |= {"scenes": [{"nodes": top}], "nodes": writer.nodes, "meshes": writer.meshes}
    if writer.skins:
        document["skins"] = writer.skins
    if writer.channels:
        document["animations"] = [{"name": "NeuROK", "samplers": writer.samplers, "channels": writer.channels}]
    header = writer.chunk.header(document)
    if len(header) + writer.chunk.size > _LARGEST_FILE:
        vertex_count = sum(each.frames.shape[1] for each in objects)
        raise UserError("too_large.glb", frames=frame_count, vertices=vertex_count)
    with atomic_write(path) as stream:
        stream.write(header)
        writer.chunk.write(stream)


def _with_faces(part: Part) -> list[Primitive]:
    return [each for each in part.primitives if each.triangles.stop > each.triangles.start]


def _turned(vectors: NDArray[np.floating]) -> NDArray[np.floating]:
    """Z up to Y up: (x, y, z) becomes (x, z, -y); Float[...,3]."""
    return np.stack([vectors[..., 0], vectors[..., 2], -vectors[..., 1]], axis=-1)
