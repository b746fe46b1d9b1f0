"""`python -m backend pointmap`: a take and a camera in, an .npz and OpenEXR pictures out."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

__all__ = ["add_options", "run"]


def add_options(parser: argparse.ArgumentParser) -> None:
    """`pointmap TAKE.npz --camera CAMERA.json -o OUT.npz`."""
    parser.add_argument("take", type=Path, metavar="TAKE.npz", help="what 'simulate' wrote")
    parser.add_argument("--camera", type=Path, required=True, metavar="CAMERA.json", help="Blender's camera as JSON")
    parser.add_argument("-o", "--output", type=Path, required=True, metavar="OUT.npz")
    parser.add_argument("--exr", type=Path, metavar="FOLDER", help="write OpenEXR pictures as well")
    parser.add_argument("--frames", type=int, default=49, metavar="N", help="how many, from the first (default: 49)")
    parser.add_argument(
        "--size",
        type=int,
        nargs=2,
        metavar=("HEIGHT", "WIDTH"),
        help="in pixels (default: the resolution in the camera file, else 480 720)",
    )
    parser.add_argument("--json", action="store_true", help="print the report as JSON")


def run(options: argparse.Namespace) -> str:
    """Draws the frames of a take; one line about it, or the report as JSON. Raises UserError."""
    from tqdm import tqdm

    from ..io.json_file import read_json
    from ..texts import in_english
    from .camera_file import read_camera
    from .render_take import RenderSettings, make_pointmaps
    from .take_file import read_take

    size = None if options.size is None else (options.size[0], options.size[1])
    wanted = RenderSettings(options.output, options.exr, options.frames)
    track = read_camera(read_json(options.camera, "camera"), size)
    moving = read_take(options.take)
    with tqdm(total=wanted.frames, desc="drawing", unit="frame", leave=False) as bar:
        told = make_pointmaps(moving, track, wanted, lambda _stage, done, _total: bar.update(done - bar.n))
    report = in_english(told)
    if options.json:
        return json.dumps(report)
    for note in report["warnings"]:
        tqdm.write(f"Note: {note}")
    seconds = sum(report["stages"].values())
    pictures = f", and as OpenEXR in {wanted.exr}" if wanted.exr is not None else ""
    size_text = f"{report['height']} x {report['width']}"
    return f"{wanted.output}: {wanted.frames} frames of {size_text} in {seconds:.1f} s{pictures}."
