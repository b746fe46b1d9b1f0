"""Reader of takes that `simulate` wrote as .npz."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from ..errors import UserError
from .moving_surfaces import MovingSurfaces, checked_surface
from .render import GREY, Surface

__all__ = ["read_take"]


def read_take(path: Path) -> MovingSurfaces:
    """The take in an archive that `simulate` wrote: "vertices" (T,V,3) and "faces" (F,3), or those of its "objects".

    "colors" (F,3), linear, may stand beside; what has none is grey. Raises UserError.
    """
    try:
        with np.load(path, allow_pickle=False) as archive:
            names = [str(name) for name in archive["objects"]] if "objects" in archive.files else [""]
            prefixes = [f"{name}/" if name else "" for name in names]
            parts = [_part(archive, prefix) for prefix in prefixes]
            fps = float(archive["fps"]) if "fps" in archive.files else 24.0
    except UserError:
        raise
    except FileNotFoundError:
        raise UserError("cannot_read.take", path=path) from None
    except (OSError, ValueError, KeyError, EOFError) as problem:
        raise UserError("bad_take.file", path=path) from problem
    counts = [len(positions) for positions, _, _ in parts]
    starts = np.cumsum([0, *(positions.shape[1] for positions, _, _ in parts)])
    triangles = np.concatenate([faces + start for (_, faces, _), start in zip(parts, starts[:-1], strict=True)])
    colors = np.concatenate([each for _, _, each in parts])
    objects = np.concatenate([np.full(len(faces), number + 1) for number, (_, faces, _) in enumerate(parts)])

    def surface(frame: int) -> Surface:
        vertices = np.concatenate([positions[min(frame, len(positions) - 1)] for positions, _, _ in parts])
        return Surface(vertices, triangles, colors, objects)

    for frame in range(max(counts)):  # before anything is drawn
        checked_surface(surface(frame).vertices, triangles, colors, objects)
    return MovingSurfaces(max(counts), fps, [name or path.stem for name in names], surface)


def _part(archive: np.lib.npyio.NpzFile, prefix: str) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Positions Float[T,V,3], triangles Int[F,3] and colours Float[F,3] of one object."""
    positions, faces = archive[f"{prefix}vertices"], archive[f"{prefix}faces"]
    positions = positions[None] if positions.ndim == 2 else positions
    if positions.ndim != 3 or positions.shape[2:] != (3,) or not len(positions) or faces.ndim != 2:
        raise ValueError(positions.shape)
    if faces.shape[1] != 3 or not np.issubdtype(faces.dtype, np.integer):
        raise ValueError(faces.shape)
    name = f"{prefix}colors"
    colors = archive[name] if name in archive.files else np.tile(GREY, (len(faces), 1))
    return positions, faces.astype(np.int64), np.asarray(colors, dtype=np.float64)
