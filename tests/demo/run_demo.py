"""Simulates, bakes, saves, exports and renders the sample scenes with the add-on's own operators.

Runs Blender as a module on the staged add-on, with the real backend process; all lands in build/demo.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import sys
import time
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
OUTPUT = ROOT / "build" / "demo"
# A Blender of its own: the artist's preferences and extensions are neither read nor written.
os.environ["BLENDER_USER_RESOURCES"] = str(OUTPUT / "blender-user")
sys.path[:0] = [str(Path(__file__).parent), str(ROOT / "build" / "stage"), str(ROOT)]

import bpy  # noqa: E402
from pictures import animation, contact_sheet, side_by_side  # noqa: E402
from PIL import Image  # noqa: E402
from tqdm import tqdm  # noqa: E402

from tests.leave import leave  # noqa: E402

SAMPLES = ("plant", "toy", "flag", "cabinet", "chair", "vase")
PICTURE = (480, 360)
RENDERED = (640, 480)  # shrunk to PICTURE: as smooth as five samples a pixel, in half the time
FRAME_STEP = 2  # every second frame is rendered
STAGES = ("scene", "analyze", "solve", "process", "bake", "save", "export", "render", "picture")


class DemoError(Exception):
    """A failure that one sentence explains."""


@contextlib.contextmanager
def blender_output_in(log: Path) -> Iterator[None]:
    """Sends what Blender itself prints ("Saved: ...", driver messages) to `log` while the block runs."""
    sys.stdout.flush()
    sys.stderr.flush()
    kept = [os.dup(1), os.dup(2)]
    with open(log, "ab", buffering=0) as stream:
        os.dup2(stream.fileno(), 1)
        os.dup2(stream.fileno(), 2)
    try:
        yield
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        for number, copy in zip((1, 2), kept, strict=True):
            os.dup2(copy, number)
            os.close(copy)


@contextlib.contextmanager
def timed(times: dict[str, float], stage: str) -> Iterator[None]:
    """Adds the seconds that the block takes to `times`."""
    started = time.perf_counter()
    yield
    times[stage] = time.perf_counter() - started


def call(operator, **arguments) -> None:
    """Runs an operator to its end; what it reports becomes the sentence of a DemoError."""
    try:
        result = operator(**arguments)
    except RuntimeError as error:
        raise DemoError(str(error).strip().removeprefix("Error: ")) from error
    if result != {"FINISHED"}:
        raise DemoError(f"{operator.idname_py()} ended with {', '.join(result)}.")


def simulate() -> dict[str, float]:
    """Simulates the active object; seconds in the backend, and in its process and the pipe around that."""
    started = time.perf_counter()
    call(bpy.ops.neurok.simulate)
    seconds = time.perf_counter() - started
    from neurok_blender.session.state import session  # there once the add-on is enabled

    stages = session.runner(session.chooser.status.python).state.seconds
    backend = {stage: stages[stage] for stage in ("analyze", "solve")}
    return backend | {"process": seconds - sum(backend.values())}


def render(name: str, log: Path) -> tuple[list[Image.Image], list[int]]:
    """Every FRAME_STEP-th frame through the scene's camera, as pictures and their frame numbers."""
    scene = bpy.context.scene
    scene.render.resolution_x, scene.render.resolution_y = RENDERED
    scene.display.render_aa = "FXAA"
    scene.render.image_settings.file_format = "PNG"
    numbers = list(range(scene.frame_start, scene.frame_end + 1, FRAME_STEP))
    pictures = []
    for number in tqdm(numbers, desc=f"{name}: render", unit="frame", disable=None, leave=False):
        path = OUTPUT / "frames" / f"{name}_{number:04d}.png"
        with blender_output_in(log):
            scene.frame_set(number)
            scene.render.filepath = str(path)
            call(bpy.ops.render.render, write_still=True)
        with Image.open(path) as picture:
            pictures.append(picture.convert("RGB").resize(PICTURE, Image.Resampling.LANCZOS))
    return pictures, numbers


def run_sample(name: str, log: Path) -> tuple[dict[str, float], list[Image.Image]]:
    """One sample from an empty file to its pictures; returns its stage times (s) and its rendered frames."""
    times: dict[str, float] = {}
    with timed(times, "scene"), blender_output_in(log):
        bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
        call(bpy.ops.neurok.sample_add, kind=name.upper())
    sample = bpy.context.object
    settings = bpy.context.scene.neurok
    bpy.context.scene.frame_start = settings.frame_start
    bpy.context.scene.frame_end = settings.frame_start + settings.frame_count - 1
    vertices = len(sample.data.vertices)
    print(f"{name}: simulate {settings.frame_count} frames of {vertices} vertices", flush=True)
    with blender_output_in(log):
        times |= simulate()
    print(f"{name}: bake, save and export", flush=True)
    with timed(times, "bake"), blender_output_in(log):
        call(bpy.ops.neurok.bake)
    if sample.data.shape_keys is None:
        raise DemoError(f"Baking the {name} left no shape keys.")
    with timed(times, "save"), blender_output_in(log):
        call(bpy.ops.wm.save_as_mainfile, filepath=str(OUTPUT / f"{name}.blend"), compress=True)
    with timed(times, "export"), blender_output_in(log):
        call(
            bpy.ops.export_scene.gltf,
            filepath=str(OUTPUT / f"{name}.glb"),
            export_format="GLB",
            export_morph_normal=False,
            export_frame_range=True,
        )
    print(f"{name}: render", flush=True)
    with timed(times, "render"):
        pictures, numbers = render(name, log)
    with timed(times, "picture"):
        rate = bpy.context.scene.render.fps / FRAME_STEP
        contact_sheet(pictures, numbers, OUTPUT / f"{name}_sheet.png")
        animation(pictures, rate, 80, OUTPUT / f"{name}.webp")
    return times, pictures


def print_table(rows: dict[str, dict[str, float]]) -> None:
    """Seconds for each stage and sample, with sums."""
    print(f"\n{'seconds':<10}" + "".join(f"{stage:>10}" for stage in (*STAGES, "all")))
    for name, times in rows.items():
        numbers = (*(times[stage] for stage in STAGES), sum(times.values()))
        print(f"{name:<10}" + "".join(f"{seconds:>10.2f}" for seconds in numbers))


def main() -> int:
    parser = argparse.ArgumentParser(prog="build.py demo", description=__doc__.splitlines()[0])
    parser.add_argument("samples", nargs="*", metavar="SAMPLE", help=f"{', '.join(SAMPLES)}; all of them by default")
    chosen = parser.parse_args().samples or list(SAMPLES)
    if not set(chosen) <= set(SAMPLES):
        parser.error(f"the samples are {', '.join(SAMPLES)}")
    started = time.perf_counter()
    (OUTPUT / "frames").mkdir(parents=True, exist_ok=True)
    log = OUTPUT / "blender.log"
    log.unlink(missing_ok=True)
    rows, clips = {}, []
    try:
        with blender_output_in(log):
            call(bpy.ops.preferences.addon_enable, module="neurok_blender")
        for name in chosen:
            rows[name], pictures = run_sample(name, log)
            clips.append(pictures)
    except (DemoError, OSError) as error:
        print(f"demo: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("demo: stopped.", file=sys.stderr)
        return 130
    with blender_output_in(log):
        call(bpy.ops.preferences.addon_disable, module="neurok_blender")
    if len(clips) == len(SAMPLES):
        rate = bpy.context.scene.render.fps / FRAME_STEP
        animation(side_by_side(clips, 3, 240), rate, 78, OUTPUT / "demo.webp")
    print_table(rows)
    print(f"\nEverything is in {OUTPUT.relative_to(ROOT)}; it took {time.perf_counter() - started:.1f} s.")
    return 0


if __name__ == "__main__":
    leave(main())
