"""Plays a .glb by the letter of the specification, independently of the backend's own reader and writer."""

from __future__ import annotations

import json
import struct
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

__all__ = ["GltfPlayer"]

TYPES = {5121: "<u1", 5123: "<u2", 5125: "<u4", 5126: "<f4"}
WIDTHS = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4, "MAT4": 16}


class GltfPlayer:
    """`document` is the JSON of the file; frames are counted from 0, and are keys of its animation."""

    def __init__(self, path: Path) -> None:
        data = path.read_bytes()
        assert struct.unpack_from("<4sII", data) == (b"glTF", 2, len(data))
        size, kind = struct.unpack_from("<I4s", data, 12)
        assert kind == b"JSON" and size % 4 == 0
        self.document = json.loads(data[20 : 20 + size])
        self.binary = data[28 + size :]
        assert len(self.binary) == self.document["buffers"][0]["byteLength"]

    def values(self, number: int) -> NDArray[np.float64]:
        """The rows of an accessor."""
        accessor = self.document["accessors"][number]
        view = self.document["bufferViews"][accessor["bufferView"]]
        kind, width = np.dtype(TYPES[accessor["componentType"]]), WIDTHS[accessor["type"]]
        start = view["byteOffset"] + accessor.get("byteOffset", 0)
        assert start % kind.itemsize == 0
        rows = np.frombuffer(self.binary, kind, accessor["count"] * width, start).reshape(-1, width).astype(np.float64)
        if "min" in accessor:
            np.testing.assert_array_equal(rows.min(axis=0), accessor["min"])
            np.testing.assert_array_equal(rows.max(axis=0), accessor["max"])
        return rows

    def image(self, number: int) -> bytes:
        view = self.document["bufferViews"][self.document["images"][number]["bufferView"]]
        return self.binary[view["byteOffset"] :][: view["byteLength"]]

    def times(self) -> NDArray[np.float64]:
        """The keys (s) of the animation; all channels have the same."""
        (animation,) = self.document["animations"]
        (number,) = {sampler["input"] for sampler in animation["samplers"]}
        return self.values(number)[:, 0]

    def _animated(self, node: int, path: str, frame: int) -> NDArray[np.float64] | None:
        for animation in self.document.get("animations", []):
            for channel in animation["channels"]:
                if channel["target"] == {"node": node, "path": path}:
                    rows = self.values(animation["samplers"][channel["sampler"]]["output"])
                    return rows.reshape(len(self.times()), -1)[frame]
        return None

    def _world(self, wanted: int, frame: int) -> NDArray[np.float64]:
        parents = {child: i for i, node in enumerate(self.document["nodes"]) for child in node.get("children", [])}
        matrix = np.eye(4)
        at: int | None = wanted
        while at is not None:
            node, local = self.document["nodes"][at], np.eye(4)
            assert "matrix" not in node and "scale" not in node
            turn = self._animated(at, "rotation", frame)
            shift = self._animated(at, "translation", frame)
            turn = np.array(node.get("rotation", [0, 0, 0, 1])) if turn is None else turn
            local[:3, :3] = Rotation.from_quat(turn).as_matrix()
            local[:3, 3] = node.get("translation", [0, 0, 0]) if shift is None else shift
            matrix, at = local @ matrix, parents.get(at)
        return matrix

    def mesh_nodes(self) -> list[int]:
        """Those that the scene shows, depth first."""
        found, waiting = [], list(reversed(self.document["scenes"][self.document["scene"]]["nodes"]))
        while waiting:
            number = waiting.pop()
            node = self.document["nodes"][number]
            found += [number] * ("mesh" in node)
            waiting += reversed(node.get("children", []))
        return found

    def names(self) -> list[str]:
        return [self.document["nodes"][number]["name"] for number in self.mesh_nodes()]

    def shown(self, frame: int, attribute: str = "POSITION") -> NDArray[np.float64]:
        """Positions or normals of all vertices, those that primitives share once, Z up."""
        pieces = []
        for number in self.mesh_nodes():
            node = self.document["nodes"][number]
            mesh = self.document["meshes"][node["mesh"]]
            weights = self._animated(number, "weights", frame)
            weights = mesh.get("weights", []) if weights is None else weights
            done = set()
            for primitive in mesh["primitives"]:
                attributes = primitive["attributes"]
                if attributes["POSITION"] in done:
                    continue
                done.add(attributes["POSITION"])
                rows = self.values(attributes[attribute])
                for weight, target in zip(weights, primitive.get("targets", []), strict=True):
                    rows = rows + weight * self.values(target[attribute]) if weight else rows
                pieces.append(
                    self._skinned(node["skin"], attributes, rows, attribute, frame) if "skin" in node else rows
                )
        rows = np.concatenate(pieces)
        return np.stack([rows[:, 0], -rows[:, 2], rows[:, 1]], axis=1)

    def _skinned(
        self, number: int, attributes: dict, rows: NDArray[np.float64], attribute: str, frame: int
    ) -> NDArray[np.float64]:
        skin = self.document["skins"][number]
        inverse = self.values(skin["inverseBindMatrices"]).reshape(-1, 4, 4).swapaxes(1, 2)
        moves = np.array([self._world(joint, frame) for joint in skin["joints"]]) @ inverse
        sets = [name.removeprefix("JOINTS_") for name in attributes if name.startswith("JOINTS_")]
        joints = np.hstack([self.values(attributes[f"JOINTS_{each}"]) for each in sets]).astype(int)
        weights = np.hstack([self.values(attributes[f"WEIGHTS_{each}"]) for each in sets])
        assert (weights >= 0.0).all() and np.abs(weights.sum(axis=1) - 1.0).max() < 1e-6
        blended = np.einsum("vn,vnij->vij", weights, moves[joints])
        moved = np.einsum("vij,vj->vi", blended[:, :3, :3], rows)
        return moved + blended[:, :3, 3] if attribute == "POSITION" else moved
