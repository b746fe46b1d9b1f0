"""Materials and vertex attributes: read from a .glb and merged into another."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path, PurePosixPath
from typing import Any
from urllib.parse import unquote

import numpy as np
from numpy.typing import NDArray

from ..geometry.labels import SlotLabel
from .appearance import MaterialLibrary
from .damaged_file import DamagedFileError
from .gltf_file import GlbFile, accessor_values, view_bytes

__all__ = ["merged_library", "placed_attributes", "read_library", "slot_labels"]

_KEPT = re.compile(r"NORMAL|TANGENT|(TEXCOORD|COLOR)_\d+|_\w+")
_WIDTHS = {"NORMAL": (3,), "TANGENT": (4,), "TEXCOORD": (2,), "COLOR": (3, 4)}
_LISTS = ("materials", "textures", "samplers", "images")
_MEDIA = {".png": "image/png", ".jpg": "image/jpeg", ".jpeg": "image/jpeg", ".webp": "image/webp"}


def read_library(file: GlbFile, folder: Path) -> MaterialLibrary:
    """The materials of a file, with the bytes of images that lie in it or in its folder."""
    entries: dict[str, list[dict[str, Any]]] = {name: [] for name in _LISTS}
    for name in _LISTS:
        for entry in file.document.get(name, []):
            if not isinstance(entry, dict):
                raise DamagedFileError(f"one of its {name} is not described")
            entries[name].append(dict(entry))
    images: list[bytes | None] = []
    for entry in entries["images"]:
        if "bufferView" in entry:
            images.append(view_bytes(file, entry.pop("bufferView")))
        else:
            images.append(_beside(entry, folder))
    used = _extensions(entries)
    required = [name for name in file.document.get("extensionsRequired", []) if name in used]
    return MaterialLibrary(entries, tuple(images), tuple(required))


def slot_labels(document: dict[str, Any]) -> dict[int, SlotLabel]:
    """Names and shader values of the materials of a file, by their number + 1."""
    return {number: _slot_label(material) for number, material in enumerate(document.get("materials", []), 1)}


def _slot_label(material: Any) -> SlotLabel:
    """What a file leaves out is left out: exporters write nothing where a value is their own default."""
    if not isinstance(material, dict):
        return SlotLabel()
    extensions = _dictionary(material.get("extensions"))
    surface = _dictionary(material.get("pbrMetallicRoughness"))
    factor = surface.get("baseColorFactor", (1.0, 1.0, 1.0, 1.0))
    plain = (
        isinstance(factor, list | tuple) and len(factor) == 4 and all(isinstance(part, int | float) for part in factor)
    )
    values = {
        "metallic": surface.get("metallicFactor"),
        "roughness": surface.get("roughnessFactor"),
        "transmission": _dictionary(extensions.get("KHR_materials_transmission")).get("transmissionFactor"),
        "alpha": factor[3] if plain and material.get("alphaMode") == "BLEND" else None,
    }
    shader = {name: float(value) for name, value in values.items() if isinstance(value, int | float)}
    name = material.get("name")
    colour = None
    if plain and "baseColorTexture" not in surface:
        colour = (float(factor[0]), float(factor[1]), float(factor[2]))
    return SlotLabel(name if isinstance(name, str) else "", shader, colour)


def _dictionary(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _beside(entry: dict[str, Any], folder: Path) -> bytes | None:
    """The bytes of an image file; its entry then refers to bytes instead of the file."""
    address = entry.get("uri", "")
    if not isinstance(address, str) or address.startswith("data:"):
        return None
    place = PurePosixPath(unquote(address))
    kind = entry.get("mimeType") or _MEDIA.get(place.suffix.lower())
    if kind is None or place.is_absolute() or ".." in place.parts:
        return None
    try:
        content = (folder / place).read_bytes()
    except OSError:
        return None  # as lost as it was before
    entry.pop("uri")
    entry.setdefault("name", place.stem)
    entry["mimeType"] = kind
    return content


def placed_attributes(
    file: GlbFile, primitive: dict, count: int, matrix: NDArray[np.float64], read: dict[int, NDArray[np.float32]]
) -> dict[str, NDArray[np.float32]]:
    """Vertex attributes of a primitive besides positions, turned to Z up.

    `matrix` Float[4,4] places all of its vertices, or Float[n,4,4] each of them. `read` keeps what was read for other
    primitives of the same mesh, by the number of its accessor.
    """
    attributes = {}
    for name, number in primitive["attributes"].items():
        if not _KEPT.fullmatch(name):
            continue
        if number not in read:
            values = accessor_values(file, number).astype(np.float32)
            widths = _WIDTHS.get(name.split("_")[0])
            if widths and values.shape[1] not in widths:
                raise DamagedFileError(f"its {name} have {values.shape[1]} numbers each")
            read[number] = _placed(name, values, matrix)
        if len(read[number]) != count:
            raise DamagedFileError(f"it has {len(read[number]):,} {name} for {count:,} vertices")
        attributes[name] = read[number]
    return attributes


def _placed(name: str, values: NDArray[np.float32], matrix: NDArray[np.float64]) -> NDArray[np.float32]:
    if name not in ("NORMAL", "TANGENT"):
        return values
    linear = matrix[..., :3, :3]
    mirrored = np.linalg.det(linear) < 0
    # Tangents go with the surface, normals with its inverse transpose, so that they stay upright on it.
    along = linear if name == "TANGENT" else np.linalg.pinv(linear).swapaxes(-1, -2)
    turned = np.einsum("...ij,...j->...i", along, values[:, :3])
    length = np.linalg.norm(turned, axis=1, keepdims=True)
    turned = np.divide(turned, length, out=np.zeros_like(turned), where=length > 0)
    result = values.copy()
    result[:, :3] = np.stack([turned[:, 0], -turned[:, 2], turned[:, 1]], axis=1)
    if name == "TANGENT":
        result[:, 3] *= np.where(mirrored, -1.0, 1.0)
    return result


def merged_library(
    document: dict[str, Any], libraries: list[MaterialLibrary], add_image: Callable[[bytes], int]
) -> list[int]:
    """Writes materials into a document; how far the numbers of each library's materials move, one for each.

    `add_image` puts bytes into the file and gives the number of their buffer view. A library that several objects
    share is written once.
    """
    merged: dict[str, list[dict[str, Any]]] = {name: [] for name in _LISTS}
    offsets: list[int] = []
    required: set[str] = set()
    written: list[tuple[MaterialLibrary, int]] = []
    for library in libraries:
        known = next((offset for other, offset in written if other == library), None)
        if known is not None:
            offsets.append(known)
            continue
        first = {name: len(merged[name]) for name in _LISTS}
        for entry, content in zip(library.entries["images"], library.images, strict=True):
            merged["images"].append(entry if content is None else {**entry, "bufferView": add_image(content)})
        merged["samplers"] += library.entries["samplers"]
        merged["textures"] += [_renumbered(entry, first) for entry in library.entries["textures"]]
        merged["materials"] += [_with_textures(entry, first["textures"]) for entry in library.entries["materials"]]
        required |= set(library.required)
        written.append((library, first["materials"]))
        offsets.append(first["materials"])
    document.update({name: entries for name, entries in merged.items() if entries})
    used = _extensions(merged)
    if used:
        document["extensionsUsed"] = sorted(used)
    if required:
        document["extensionsRequired"] = sorted(required)
    return offsets


def _renumbered(texture: Any, first: dict[str, int]) -> Any:
    """A texture, or an extension of one, whose image and sampler have other numbers."""
    if not isinstance(texture, dict):
        return texture
    result = {key: value if key == "extras" else _renumbered(value, first) for key, value in texture.items()}
    for key, name in (("source", "images"), ("sampler", "samplers")):
        if isinstance(result.get(key), int):
            result[key] += first[name]
    return result


def _with_textures(value: Any, offset: int, is_texture: bool = False) -> Any:
    """A material whose textures have other numbers: {"index": n} under any name that ends in Texture."""
    if isinstance(value, list):
        return [_with_textures(each, offset) for each in value]
    if not isinstance(value, dict):
        return value
    result = {
        key: entry if key == "extras" else _with_textures(entry, offset, key.lower().endswith("texture"))
        for key, entry in value.items()
    }
    if is_texture and isinstance(result.get("index"), int):
        result["index"] += offset
    return result


def _extensions(value: Any) -> set[str]:
    """The names of all extensions in a JSON value."""
    if isinstance(value, list):
        return set().union(*map(_extensions, value))
    if not isinstance(value, dict):
        return set()
    own = value.get("extensions")
    return set(own if isinstance(own, dict) else ()).union(*map(_extensions, value.values()))
