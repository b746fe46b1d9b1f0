"""Mesh files by their extension, each with the vertices in exactly the order and number of the file."""

from __future__ import annotations

import struct
import tokenize
import zipfile
import zlib
from pathlib import Path

import numpy as np

from ..errors import UserError
from ..geometry.mesh import Mesh, validate_mesh
from .damaged import DamagedFileError
from .gltf_read import read_glb, read_glb_looks
from .looks import Looks
from .npz import read_npz
from .obj import read_obj
from .ply import read_ply
from .stl import read_stl

__all__ = ["MESH_EXTENSIONS", "read_bytes", "read_mesh", "read_model"]

_READERS = {".obj": read_obj, ".ply": read_ply, ".stl": read_stl, ".glb": read_glb, ".npz": read_npz}
MESH_EXTENSIONS = tuple(_READERS)

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
    return _read(Path(path), looks=False)[0]


def read_model(path: str | Path) -> tuple[Mesh, Looks | None]:
    """The mesh in a file and how it looks, where the file is one that says more than a shape (.glb)."""
    return _read(Path(path), looks=True)


def read_bytes(path: Path) -> bytes:
    """All of a file. Raises UserError."""
    try:
        return path.read_bytes()
    except OSError as problem:
        reason = problem.strerror or str(problem)
        raise UserError("cannot_read.file", path=path, reason=reason) from problem


def _read(path: Path, looks: bool) -> tuple[Mesh, Looks | None]:
    extension = path.suffix.lower()
    if extension not in _READERS:
        raise UserError("unknown_format.mesh", file=path.name, known=" ".join(MESH_EXTENSIONS))
    data = read_bytes(path)
    if not data:
        raise UserError("empty_file.mesh", file=path.name)
    try:
        # Numbers that are not finite are counted and refused below, so their conversion need not warn.
        with np.errstate(invalid="ignore"):
            arrays = _READERS[extension](data)
            found = read_glb_looks(data, path.parent) if looks and extension == ".glb" else None
    except (DamagedFileError, *_BROKEN) as problem:
        if isinstance(problem, DamagedFileError):
            raise UserError("broken_file.reason", file=path.name, kind=extension, reason=problem) from problem
        raise UserError("broken_file.damaged", file=path.name, kind=extension) from problem
    return validate_mesh(*arrays), found
