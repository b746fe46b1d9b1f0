"""Robots in Blender: each is imported, led by an IK target and simulated 24 frames, and has a line of figures.

    .venv/bin/python tests/demo/run_robots.py FILE.urdf | FOLDER ...

A folder is searched for .urdf files, and for joints.json, which are made .urdf files first. Code 1 where one fails.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "build" / "stage"), str(ROOT)]


def robot_files(place: Path, folder: Path) -> list[Path]:
    """The robots at a place; those that are no .urdf files are written into the folder."""
    from backend.cli.convert import convert

    if place.is_file() and place.suffix.lower() == ".urdf":
        return [place]
    found = sorted(place.rglob("*.urdf"))
    for joints in sorted(place.rglob("joints.json")):
        made = folder / f"{joints.parent.name}.urdf"
        convert(joints, None, made, None, None, fixed_base=True)
        found.append(made)
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("places", nargs="+", type=Path, metavar="PLACE")
    places = parser.parse_args().places
    with tempfile.TemporaryDirectory() as user:
        # A Blender of its own: the artist's preferences and extensions are neither read nor written.
        os.environ["BLENDER_USER_RESOURCES"] = user
        import bpy

        from tests.blender.robot_story import live_through

        bpy.ops.preferences.addon_enable(module="neurok_blender")
        failed = 0
        for path in [path for place in places for path in robot_files(place, Path(user))]:
            bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
            try:
                figures = live_through(path)
            except (AssertionError, RuntimeError) as problem:
                print(f"FAILED {path.stem}: {problem}", flush=True)
                failed += 1
                continue
            print(figures, flush=True)
            failed += not figures.is_right
        bpy.ops.preferences.addon_disable(module="neurok_blender")
    return int(failed > 0)


if __name__ == "__main__":
    from tests.leave import leave

    leave(main())
