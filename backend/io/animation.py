"""Animation writers by file extension."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from ..errors import UserError
from .gltf_write import write_glb
from .moving_mesh import MovingMesh
from .pc2 import write_pc2
from .usd_write import check_usd, write_usdc

__all__ = ["OUTPUT_EXTENSIONS", "check_folder", "check_output_path", "write_animation"]


@dataclass(frozen=True)
class _AnimationFormat:
    """A writer of objects at a frame rate, and a check that its library is installed."""

    write: Callable[[str | Path, Sequence[MovingMesh], float], None]
    check: Callable[[], None] | None = None


_FORMATS = {
    ".pc2": _AnimationFormat(write_pc2),
    ".glb": _AnimationFormat(write_glb),
    ".usdc": _AnimationFormat(write_usdc, check_usd),
}
OUTPUT_EXTENSIONS = (".npz", *_FORMATS)  # .npz holds more than a motion, see `write_npz`


def check_output_path(path: str | Path, objects: int = 1) -> str:
    """The extension in lower case, or a `UserError`; call it before the work, not after it."""
    path = Path(path)
    extension = path.suffix.lower()
    if extension not in OUTPUT_EXTENSIONS:
        raise UserError("unknown_format.output", file=path.name, known=" ".join(OUTPUT_EXTENSIONS))
    if extension == ".pc2" and objects > 1:
        raise UserError("one_object_only.pc2", count=objects)
    form = _FORMATS.get(extension)
    if form is not None and form.check is not None:
        form.check()
    check_folder(path)
    return extension


def check_folder(path: Path) -> None:
    """Raises UserError where a file of that name cannot be written for want of a folder, or because it is one."""
    if not path.parent.is_dir():
        raise UserError("cannot_write.no_folder", folder=path.parent)
    if path.is_dir():
        raise UserError("cannot_write.is_folder", file=path.name)


def write_animation(path: str | Path, objects: Sequence[MovingMesh], fps: float) -> None:
    """The objects in the format of the extension; a single one as .pc2."""
    _FORMATS[check_output_path(path, len(objects))].write(path, objects, fps)
