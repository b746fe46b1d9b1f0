"""One call for each animation format that has positions only."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from ..errors import UserError
from .gltf_write import write_glb
from .moving_mesh import MovingMesh
from .pc2 import write_pc2

__all__ = ["OUTPUT_EXTENSIONS", "check_output_path", "write_animation"]

OUTPUT_EXTENSIONS = (".npz", ".pc2", ".glb")


def check_output_path(path: str | Path, objects: int = 1) -> str:
    """The extension in lower case, or a `UserError`; to be asked before the work, not after it."""
    path = Path(path)
    extension = path.suffix.lower()
    if extension == ".usdc":
        raise UserError(
            "unknown_format",
            "USD files cannot be written from here.",
            "Write a .glb or .pc2 file, or bake in Blender and use File > Export > Universal Scene Description.",
        )
    if extension not in OUTPUT_EXTENSIONS:
        raise UserError(
            "unknown_format",
            f"The output {path.name} has no known extension.",
            f"Use one of {' '.join(OUTPUT_EXTENSIONS)}.",
        )
    if extension == ".pc2" and objects > 1:
        raise UserError(
            "one_object_only",
            f"A .pc2 file holds one object, and there are {objects}.",
            "Write a .npz or .glb file.",
        )
    if not path.parent.is_dir():
        raise UserError(
            "cannot_write", f"The folder {path.parent} does not exist.", "Make the folder or choose another one."
        )
    if path.is_dir():
        raise UserError("cannot_write", f"The output {path.name} is a folder.", "Give the name of a file.")
    return extension


def write_animation(path: str | Path, objects: Sequence[MovingMesh], fps: float) -> None:
    """The objects as .glb, or a single one as .pc2."""
    if check_output_path(path, len(objects)) == ".pc2":
        write_pc2(path, objects[0].frames)
    else:
        write_glb(path, objects, fps)
