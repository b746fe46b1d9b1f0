"""NumPy archives: meshes and animations in, any set of arrays out, always the same bytes for the same arrays."""

from __future__ import annotations

import zipfile
from collections.abc import Mapping
from io import BytesIO
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .atomic_write import atomic_write
from .damaged_file import DamagedFileError

__all__ = ["read_npz", "write_npz"]

_VERTEX_NAMES = ("vertices", "verts")
_TRIANGLE_NAMES = ("faces", "triangles")


def read_npz(data: bytes) -> tuple[NDArray[np.float64], NDArray[np.int64], NDArray[np.int64] | None]:
    """Vertices Float[V,3] (the first frame of an animation (T,V,3)), triangles Int[F,3], material slots Int[F] if any.

    The slots are the array "slots".
    """
    with np.load(BytesIO(data), allow_pickle=False) as archive:
        vertices = archive[_first_present(archive.files, _VERTEX_NAMES)]
        triangles = archive[_first_present(archive.files, _TRIANGLE_NAMES)]
        slots = archive["slots"] if "slots" in archive.files else None
    if vertices.ndim == 3 and len(vertices):
        vertices = vertices[0]
    return vertices, triangles, slots


def write_npz(path: str | Path, arrays: Mapping[str, ArrayLike]) -> None:
    """The arrays under their names, uncompressed, in the order given; the file appears complete or not at all."""
    with atomic_write(path) as stream, zipfile.ZipFile(stream, "w", zipfile.ZIP_STORED, allowZip64=True) as archive:
        for name, values in arrays.items():
            # A fixed date: the time of writing must not show in the bytes.
            entry = zipfile.ZipInfo(f"{name}.npy", date_time=(1980, 1, 1, 0, 0, 0))
            with archive.open(entry, "w", force_zip64=True) as member:
                np.lib.format.write_array(member, np.asarray(values), allow_pickle=False)


def _first_present(present: list[str], names: tuple[str, ...]) -> str:
    for name in names:
        if name in present:
            return name
    raise DamagedFileError(f"it has no array named {' or '.join(names)}")
