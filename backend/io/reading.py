"""Mesh readers by file extension; vertices keep the order and number of the file."""

from __future__ import annotations

import struct
import tokenize
import zipfile
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import UserError
from ..geometry.mesh import Mesh, validate_mesh
from .appearance import Appearance
from .damaged_file import DamagedFileError
from .gltf_read import read_glb, read_glb_appearance
from .gltf_rig import FileRig, read_glb_rig
from .npz import read_npz
from .obj import read_obj
from .ply import read_ply
from .stl import read_stl

__all__ = ["MESH_EXTENSIONS", "read_bytes", "read_mesh", "read_model", "read_rig"]


@dataclass(frozen=True)
class _MeshFormat:
    """Readers of the bytes of a file: the arrays of `validate_mesh`; the appearance, given the folder of the file."""

    read: Callable[[bytes], tuple[Any, ...]]
    read_appearance: Callable[[bytes, Path], Appearance] | None = None


_FORMATS = {
    ".obj": _MeshFormat(read_obj),
    ".ply": _MeshFormat(read_ply),
    ".stl": _MeshFormat(read_stl),
    ".glb": _MeshFormat(read_glb, read_glb_appearance),
    ".npz": _MeshFormat(read_npz),
}
MESH_EXTENSIONS = tuple(_FORMATS)

# What readers, and the libraries below them, run into when bytes are not what they claim to be.
_BROKEN = (
    ArithmeticError,
    AttributeError,
    EOFError,
    LookupError,
    MemoryError,
    OSError,
    RuntimeError,
    SyntaxError,
    TypeError,
    ValueError,
    struct.error,
    tokenize.TokenError,
    zipfile.BadZipFile,
    zlib.error,
)


def read_mesh(path: str | Path) -> Mesh:
    """The mesh in a file; Z up and metres are taken for granted except in glTF, which says Y up and is turned.

    Material slots are those that .obj, .glb and .npz files name; .ply and .stl files have none.
    """
    return _read(Path(path), appearance=False)[0]


def read_model(path: str | Path) -> tuple[Mesh, Appearance | None]:
    """The mesh in a file, and its appearance where the format has any (.glb)."""
    return _read(Path(path), appearance=True)


def read_rig(path: str | Path) -> FileRig | None:
    """The rig of a mesh file, for the vertices that `read_mesh` reads; None where it has none."""
    path = Path(path)
    if path.suffix.lower() != ".glb":
        return None
    return _guarded(path, read_glb_rig, read_bytes(path))


def read_bytes(path: Path) -> bytes:
    """All of a file. Raises UserError."""
    try:
        return path.read_bytes()
    except OSError as problem:
        reason = problem.strerror or str(problem)
        raise UserError("cannot_read.file", path=path, reason=reason) from problem


def _read(path: Path, appearance: bool) -> tuple[Mesh, Appearance | None]:
    extension = path.suffix.lower()
    if extension not in _FORMATS:
        raise UserError("unknown_format.mesh", file=path.name, known=" ".join(MESH_EXTENSIONS))
    data = read_bytes(path)
    if not data:
        raise UserError("empty_file.mesh", file=path.name)
    form = _FORMATS[extension]
    # Numbers that are not finite are counted and refused below, so their conversion need not warn.
    with np.errstate(invalid="ignore"):
        arrays = _guarded(path, form.read, data)
        found = None
        if appearance and form.read_appearance is not None:
            found = _guarded(path, form.read_appearance, data, path.parent)
    return validate_mesh(*arrays), found


def _guarded(path: Path, read: Callable[..., Any], *arguments: Any) -> Any:
    """What a reader makes of the bytes of a file. Raises UserError where they are not what they claim to be."""
    kind = path.suffix.lower()
    try:
        return read(*arguments)
    except DamagedFileError as problem:
        raise UserError("broken_file.reason", file=path.name, kind=kind, reason=problem) from problem
    except _BROKEN as problem:
        raise UserError("broken_file.damaged", file=path.name, kind=kind) from problem
