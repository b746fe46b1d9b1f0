"""The commands `simulate` and `analyze`: files in, files or a table out."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import nullcontext
from pathlib import Path
from time import perf_counter
from typing import Any

from tqdm import tqdm

from .. import engine
from ..errors import UserError, blamed
from ..io import check_output_path
from ..io.animation import check_folder
from ..io.atomic_write import atomic_write
from ..io.json_file import read_json
from ..texts import in_english
from .extensions import report_extensions
from .object_files import read_source, with_joints_of
from .referenced_files import conditions_with_files
from .result_files import MovedObject, SolvedTake
from .scene_file import SceneObject, read_scene

__all__ = ["analyze", "simulate", "solve_take"]

# Given the frames as they are solved, and how many there will be, hands them on.
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


def _unseen(frames: Iterator[list[engine.MotionFrame]], _count: int) -> Iterable[list[engine.MotionFrame]]:
    return frames


def _with_bar(frames: Iterator[list[engine.MotionFrame]], count: int) -> Iterable[list[engine.MotionFrame]]:
    return tqdm(frames, total=count, desc="simulating", unit="frame", leave=False)


def solve_take(source: Path, conditions: Any, folder: Path, output: Path, show: Show = _unseen) -> SolvedTake:
    """Simulates a mesh under conditions (JSON; the files they name are found from `folder`), or a scene file.

    `output` says what will be written; `show` may look on. Raises UserError.
    """
    check_output_path(output)
    report_extensions()
    begin = perf_counter()
    if source.suffix.lower() == ".json":
        objects = read_scene(source)
    else:
        mesh, appearance, jointed = read_source(source)
        read = conditions_with_files(with_joints_of(conditions, jointed), folder, mesh)
        objects = [SceneObject("", mesh, read, appearance)]
    check_output_path(output, len(objects))
    loaded = perf_counter()
    _check_size(objects)
    analyses = []
    for each in objects:
        mesh, wanted = each.mesh, each.conditions
        with blamed("within.object", name=each.name) if each.name else nullcontext():
            analyses.append(
                engine.analyze(mesh.vertices, mesh.triangles, wanted.provider, slots=mesh.slots, joints=wanted.joints)
            )
    take = engine.prepare(analyses, [each.conditions for each in objects], names=[each.name for each in objects])
    frames = list(show(take.frames(lambda: False), take.frame_count))
    solved = perf_counter()
    moved = []
    for each, member, own in zip(objects, take.members, zip(*frames, strict=True), strict=True):
        positions = member.motion.positions(each.mesh.vertices, own)
        provider = member.summary["provider"]
        moved.append(
            MovedObject(each.name, source.stem, each.mesh, provider, member.motion, own, positions, each.appearance)
        )
    seconds = {"load": loaded - begin, **take.seconds, "decode": perf_counter() - solved}
    return SolvedTake(output, moved, take.fps, _report(take, objects), seconds)


def simulate(source: Path, conditions_path: Path | None, output: Path, report_path: Path | None = None) -> str:
    """Runs the main job for a mesh or a scene file and writes the result; returns one line about it.

    `report_path` gets the report with clock times (JSON). Raises UserError before anything is written.
    """
    if conditions_path is not None and source.suffix.lower() == ".json":
        raise UserError("bad_conditions.beside_scene", path=conditions_path)
    check_output_path(output)
    if report_path is not None:
        check_folder(report_path)
    conditions = {} if conditions_path is None else read_json(conditions_path, "conditions")
    folder = Path() if conditions_path is None else conditions_path.parent
    take = solve_take(source, conditions, folder, output, _with_bar)
    for note in take.notes:
        tqdm.write(f"Note: {note}")
    line = take.write()
    if report_path is not None:
        with atomic_write(report_path) as stream:
            stream.write(json.dumps({**take.report, "stages": take.seconds}, indent=1).encode() + b"\n")
    stages = ", ".join(f"{stage} {seconds:.2f}" for stage, seconds in take.seconds.items())
    return f"{line} {sum(take.seconds.values()):.2f} s: {stages}."


def analyze(mesh_path: Path, provider: str, as_json: bool) -> str:
    """What was found in a mesh, as JSON or as lines of text."""
    report_extensions()
    mesh, _, jointed = read_source(mesh_path)
    found = engine.analyze(mesh.vertices, mesh.triangles, provider, slots=mesh.slots, joints=jointed)
    summary = in_english(found.summary)
    if as_json:
        return json.dumps(summary)
    lists = ("joints", "choices", "reasons", "warnings")
    lines = [f"{name.replace('_', ' '):20} {value}" for name, value in summary.items() if name not in lists]
    lines += [f"{'why':20} {reason}" for reason in summary["reasons"]]
    titled = [(f"joint {joint['joint']}", joint) for joint in summary["joints"]]
    titled += [(f"choice {number}", choice) for number, choice in enumerate(summary["choices"])]
    for title, values in titled:
        about = ", ".join(f"{name} {value}" for name, value in values.items() if name != title.split()[0])
        lines.append(f"{title:20} {about}")
    return "\n".join(lines + [f"Note: {warning}" for warning in summary["warnings"]])
