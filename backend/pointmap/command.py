"""The command `pointmap`: a take and a camera in, an .npz and OpenEXR pictures out."""

from __future__ import annotations

import json
from pathlib import Path

from tqdm import tqdm

from ..io.json_file import read_json
from ..texts import in_english
from .camera_file import read_camera
from .make import Wanted, make_pointmaps
from .take_file import read_take

__all__ = ["pointmap"]


def pointmap(take: Path, camera: Path, size: tuple[int, int] | None, wanted: Wanted, as_json: bool) -> str:
    """Draws the frames of a take; one line about it, or the report as JSON. Raises UserError."""
    track = read_camera(read_json(camera, "camera"), size)
    moving = read_take(take)
    with tqdm(total=wanted.frames, desc="drawing", unit="frame", leave=False) as bar:
        report = in_english(
            make_pointmaps(moving, track, wanted, lambda _stage, done, _total: bar.update(done - bar.n))
        )
    if as_json:
        return json.dumps(report)
    for note in report["warnings"]:
        tqdm.write(f"Note: {note}")
    seconds = sum(report["stages"].values())
    pictures = f", and as OpenEXR in {wanted.exr}" if wanted.exr is not None else ""
    size_text = f"{report['height']} x {report['width']}"
    return f"{wanted.output}: {wanted.frames} frames of {size_text} in {seconds:.1f} s{pictures}."
