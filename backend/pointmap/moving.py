"""What pointmaps are made of: the surfaces of a take, frame by frame."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ..errors import UserError
from .draw import GREY, Surface

__all__ = ["Moving", "checked_surface", "read_take"]


@dataclass(frozen=True, eq=False)
class Moving:
    """Objects in motion: `surface` gives what is drawn of a frame, counted from 0."""

    frames: int
    fps: float
    names: Sequence[str]
    """Of the objects; the first one has number 1 in the pictures."""
    surface: Callable[[int], Surface]


def checked_surface(
    vertices: NDArray[np.floating],
    triangles: NDArray[np.integer],
    colors: NDArray[np.floating],
    objects: NDArray[np.integer],
) -> Surface:
    """A surface whose arrays fit together; raises UserError."""
    if not np.isfinite(vertices).all():
        raise UserError("bad_take", "A vertex is at no finite place.", "Simulate again, or mend the file.")
    if len(triangles) and not (triangles.min() >= 0 and triangles.max() < len(vertices)):
        raise UserError("bad_take", "A triangle has a vertex that does not exist.", "Simulate again, or mend the file.")
    if colors.shape != (len(triangles), 3) or objects.shape != (len(triangles),):
        raise UserError(
            "bad_take", "There is not one colour and one object for each triangle.", "Give as many as triangles."
        )
    return Surface(vertices, triangles, colors, objects)


def read_take(path: Path) -> Moving:
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
        raise UserError("no_take", f"There is no file {path}.", "Check the path of the take.") from None
    except (OSError, ValueError, KeyError, EOFError) as problem:
        raise UserError(
            "bad_take",
            f"The file {path} cannot be read as a take.",
            "Give an .npz that 'python -m backend simulate' wrote.",
        ) from problem
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
    return Moving(max(counts), fps, [name or path.stem for name in names], surface)


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
