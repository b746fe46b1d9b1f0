"""Rendering of a take: all frames through a camera to the files of a pointmap."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np

from ..errors import UserError
from ..texts import Text
from .archive import PointmapArchive
from .camera_file import CameraTrack
from .exr import exr_path, prepare_folder, write_exr
from .moving_surfaces import MovingSurfaces
from .render import render

__all__ = ["DEFAULT_FRAMES", "RenderSettings", "make_pointmaps"]

DEFAULT_FRAMES = 49
MOST_FRAMES = 100_000

Progress = Callable[[str, int, int], None]


@dataclass(frozen=True)
class RenderSettings:
    """Where pointmaps go and how many there are. `first` is the number of the first frame, in names of files."""

    output: Path
    exr: Path | None = None
    frames: int = DEFAULT_FRAMES
    first: int = 1


def make_pointmaps(
    moving: MovingSurfaces, track: CameraTrack, wanted: RenderSettings, progress: Progress
) -> dict[str, Any]:
    """Renders and writes all frames; the report.

    A motion or a camera that ends early stays at its last frame. Raises UserError.
    """
    if wanted.output.suffix.lower() != ".npz":
        raise UserError("unknown_format.pointmap")
    if not 0 < wanted.frames <= MOST_FRAMES:
        raise UserError("bad_frames.count", count=wanted.frames, most=MOST_FRAMES)
    if wanted.exr is not None:
        prepare_folder(wanted.exr)
    drawing = writing = 0.0
    covered = 0
    with PointmapArchive(wanted.output) as archive:
        for index in range(wanted.frames):
            progress("drawing pointmaps", index, wanted.frames)
            begin = perf_counter()
            camera = track.at(index)
            picture = render(moving.surface(min(index, moving.frames - 1)), camera)
            drawn = perf_counter()
            archive.add(picture, camera)
            if wanted.exr is not None:
                write_exr(exr_path(wanted.exr, wanted.first + index), picture, camera)
            drawing, writing = drawing + drawn - begin, writing + perf_counter() - drawn
            covered += int(np.count_nonzero(picture.objects))
        begin = perf_counter()
        report = _report(moving, track, wanted, covered)
        beside = {
            "fps": moving.fps,
            "frames": wanted.first + np.arange(wanted.frames),
            "names": np.array(moving.names),
        }
        archive.write(beside, report)
    stages = {"draw": drawing, "write": writing + perf_counter() - begin}
    return {**report, "stages": stages}


def _report(moving: MovingSurfaces, track: CameraTrack, wanted: RenderSettings, covered: int) -> dict[str, Any]:
    """The report without times, so that the same command gives the same bytes."""
    pixels = wanted.frames * track.height * track.width
    warnings: list[Text] = []
    if moving.frames < wanted.frames:
        warnings.append(Text("pointmap.motion_ends", frames=moving.frames))
    if track.frames is not None and track.frames < wanted.frames:
        warnings.append(Text("pointmap.camera_ends", frames=track.frames))
    if covered == 0:
        warnings.append(Text("pointmap.sees_nothing"))
    return {
        "frames": wanted.frames,
        "height": track.height,
        "width": track.width,
        "projection": "ORTHO" if track.fixed["orthographic"] else "PERSP",
        "coverage": covered / pixels,
        "warnings": warnings,
    }
