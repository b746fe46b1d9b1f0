"""From files to a take that is solved and not written yet."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import nullcontext
from pathlib import Path
from time import perf_counter
from typing import Any

from .. import engine
from ..dynamics.conditions import read_conditions
from ..errors import UserError, blamed
from ..extending import load_extensions
from ..io import check_output_path
from ..kinematics.decode import decode_frames
from ..texts import in_english
from .object_files import read_source, with_joints_of
from .referenced_files import with_files, with_pose_file
from .result_files import MovedObject, SolvedTake
from .scene_file import SceneObject, read_scene

__all__ = ["solve_take"]

# Wraps the frames, which come as they are solved, and their number in a progress display; yields the same frames.
Show = Callable[[Iterator[list[engine.MotionFrame]], int], Iterable[list[engine.MotionFrame]]]
LARGEST_RESULT = 8 * 1024**3  # bytes of decoded positions held at once


def _check_size(objects: Sequence[SceneObject]) -> None:
    frames, vertices = objects[0].conditions.frames, sum(len(each.mesh.vertices) for each in objects)
    size = 12 * vertices * frames
    if size > LARGEST_RESULT:
        raise UserError("result_too_large.take", frames=frames, vertices=vertices, size=size / 1024**3)


def _report(take: engine.Take, objects: Sequence[SceneObject]) -> dict[str, Any]:
    """The engine's report; of a scene, with what was found and noted by the objects' names."""
    report = in_english(take.report())
    if not objects[0].name:
        return report
    summaries = {each.name: in_english(member.summary) for each, member in zip(objects, take.members, strict=True)}
    common = [note for note in report["warnings"] if all(note in found["warnings"] for found in summaries.values())]
    own = [f"{name}: {note}" for name, found in summaries.items() for note in found["warnings"] if note not in common]
    return {**report, "kinematics": summaries, "warnings": common + own}


def _without_display(frames: Iterator[list[engine.MotionFrame]], _count: int) -> Iterable[list[engine.MotionFrame]]:
    return frames


def solve_take(source: Path, conditions: Any, folder: Path, output: Path, show: Show = _without_display) -> SolvedTake:
    """Simulates a mesh under conditions (JSON; the files they name are found from `folder`), or a scene file.

    `output` is the file that will be written; `show` displays the progress. Raises UserError.
    """
    check_output_path(output)
    load_extensions()
    begin = perf_counter()
    if source.suffix.lower() == ".json":
        objects = read_scene(source)
    else:
        found = read_source(source)
        read = read_conditions(with_pose_file(with_joints_of(conditions, found.jointed), folder, found.mesh))
        read, found = with_files(read, folder, found.mesh), found.begun(read.rig, read.fps)
        objects = [SceneObject("", found.mesh, read, found.appearance, found.rig)]
    check_output_path(output, len(objects))
    loaded = perf_counter()
    _check_size(objects)
    analyses = []
    for each in objects:
        mesh, wanted = each.mesh, each.conditions
        with blamed("within.object", name=each.name) if each.name else nullcontext():
            analyses.append(
                engine.analyze(
                    mesh.vertices,
                    mesh.triangles,
                    wanted.provider,
                    slots=mesh.slots,
                    joints=wanted.joints,
                    labels=mesh.labels,
                    name=each.name,
                    rig=each.rig,
                )
            )
    take = engine.prepare(analyses, [each.conditions for each in objects], names=[each.name for each in objects])
    frames = list(show(take.frames(lambda: False), take.frame_count))
    solved = perf_counter()
    moved = []
    for each, member, own in zip(objects, take.members, zip(*frames, strict=True), strict=True):
        motion, provider = member.motion, member.summary["provider"]
        points = [frame.points for frame in own] if motion.has_points else []
        positions = decode_frames(each.mesh.vertices, motion.weights, [frame.handles for frame in own], points)
        moved.append(MovedObject(each.name, source.stem, each.mesh, provider, motion, own, positions, each.appearance))
    seconds = {"load": loaded - begin, **take.seconds, "decode": perf_counter() - solved}
    return SolvedTake(output, moved, take.fps, _report(take, objects), seconds)
