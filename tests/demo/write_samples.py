"""Writes the sample scenes as .blend files, ready to simulate: nothing is simulated or rendered for them."""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
OUTPUT = ROOT / "build" / "samples"
sys.path[:0] = [str(ROOT / "build" / "stage"), str(ROOT)]


def write_samples(folder: Path) -> list[Path]:
    """One file for each sample, as *Add > Mesh > NeuROK Sample* makes it in an empty file."""
    import bpy  # reads BLENDER_USER_RESOURCES as it starts

    bpy.ops.preferences.addon_enable(module="neurok_blender")
    from neurok_blender.samples import SAMPLES

    written = []
    for kind in SAMPLES:
        bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
        bpy.ops.neurok.sample_add(kind=kind)
        scene = bpy.context.scene
        scene.frame_start = scene.neurok.frame_start
        scene.frame_end = scene.neurok.frame_start + scene.neurok.frame_count - 1
        path = folder / f"{kind.lower()}.blend"
        path.unlink(missing_ok=True)  # or Blender keeps the one before as .blend1
        bpy.ops.wm.save_as_mainfile(filepath=str(path), compress=True)
        written.append(path)
    bpy.ops.preferences.addon_disable(module="neurok_blender")
    return written


def main() -> int:
    parser = argparse.ArgumentParser(prog="build.py samples", description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, default=OUTPUT, metavar="DIR", help="where to (default: build/samples)")
    folder = parser.parse_args().out.resolve()
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as user:
        # A Blender of its own: the artist's preferences and extensions are neither read nor written.
        os.environ["BLENDER_USER_RESOURCES"] = user
        written = write_samples(folder)
    for path in written:
        print(f"{path} ({path.stat().st_size / 1000:.0f} kB)")
    return 0


if __name__ == "__main__":
    from tests.leave import leave

    leave(main())
