"""Appearance of a mesh, apart from its shape: the names of its parts, their materials, and attributes of its vertices.

The simulation does not read it; it is kept so that the moving result has the materials of the file.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["Appearance", "MaterialLibrary", "Part", "Primitive"]


@dataclass(frozen=True)
class Primitive:
    """Faces with one material: which vertices of the mesh and which of its triangles they are.

    `attributes` have glTF's names and a row for each of these vertices: NORMAL Float[n,3] and TANGENT Float[n,4] in the
    axes of the mesh (Z up), TEXCOORD_0 Float[n,2] with v downward, COLOR_0 Float[n,3] or Float[n,4], ...
    """

    vertices: slice
    triangles: slice
    attributes: dict[str, NDArray[np.float32]]
    material: int | None  # of the library

    def turned(self, rotation: NDArray[np.float64]) -> Primitive:
        """By a rotation matrix Float[3,3], its mesh having been turned."""
        attributes = dict(self.attributes)
        for name in ("NORMAL", "TANGENT"):
            if name in attributes:
                values = attributes[name].copy()
                values[:, :3] = values[:, :3] @ rotation.T
                attributes[name] = values
        return replace(self, attributes=attributes)


@dataclass(frozen=True)
class Part:
    """One object of a file: the name of its node, that of its mesh, and its faces by material."""

    name: str
    mesh_name: str
    primitives: tuple[Primitive, ...]


@dataclass(frozen=True)
class MaterialLibrary:
    """Materials, and the textures, samplers and images they use, as glTF describes them.

    `images` holds for each entry of entries["images"] its bytes, or None where the entry says itself where they are.
    """

    entries: dict[str, list[dict[str, Any]]]
    images: tuple[bytes | None, ...]
    required: tuple[str, ...]  # extensions without which the materials mean nothing

    @property
    def materials(self) -> list[dict[str, Any]]:
        return self.entries.get("materials", [])


@dataclass(frozen=True)
class Appearance:
    """The parts in the order of their vertices."""

    parts: tuple[Part, ...]
    library: MaterialLibrary

    def turned(self, rotation: NDArray[np.float64]) -> Appearance:
        """By a rotation matrix Float[3,3], the mesh having been turned."""
        parts = (
            replace(part, primitives=tuple(each.turned(rotation) for each in part.primitives)) for part in self.parts
        )
        return replace(self, parts=tuple(parts))
