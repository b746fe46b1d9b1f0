"""The commands `simulate` and `analyze`: files in, files or a table out."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
from tqdm import tqdm

from .. import engine
from ..errors import UserError, blamed
from ..geometry.mesh import Mesh
from ..io import check_output_path
from ..io.json_file import read_json
from ..kinematics.decode import decode_frames
from .extensions import report_extensions
from .object_files import read_source, with_joints_of
from .referenced_files import conditions_with_files
from .result_files import MovedObject, write_result
from .scene_file import SceneObject, read_scene

__all__ = ["SolvedTake", "analyze", "simulate", "solve_take"]

# Given the frames as they are solved, and how many there will be, hands them on.
Show = Callable[[Iterator[list[engine.Frame]], int], Iterable[list[engine.Frame]]]
LARGEST_RESULT = 8 * 1024**3  # bytes of decoded positions held at once


def _objects(source: Path, conditions: Any, folder: Path) -> list[SceneObject]:
    """What is to be simulated: the objects of a scene file, or one mesh without a name."""
    if source.suffix.lower() == ".json":
        return read_scene(source)
    mesh, looks, jointed = read_source(source)
    return [SceneObject("", mesh, conditions_with_files(with_joints_of(conditions, jointed), folder, mesh), looks)]


def _check_size(objects: Sequence[SceneObject]) -> None:
    frames, vertices = objects[0].conditions.frames, sum(len(each.mesh.vertices) for each in objects)
    size = 12 * vertices * frames
    if size > LARGEST_RESULT:
        raise UserError(
            "result_too_large",
            f"{frames} frames of {vertices:,} vertices would take {size / 1024**3:.0f} GB.",
            "Ask for fewer frames or simulate a lighter mesh.",
        )


def _analysed(mesh: Mesh, provider: str, joints: Any) -> engine.Analysis:
    return engine.analyze(mesh.vertices, mesh.triangles, provider, slots=mesh.slots, joints=joints)


def _analysis(each: SceneObject) -> engine.Analysis:
    if not each.name:
        return _analysed(each.mesh, each.conditions.provider, each.conditions.joints)
    with blamed(f"The object '{each.name}'"):
        return _analysed(each.mesh, each.conditions.provider, each.conditions.joints)


def _report(take: engine.SceneTake, objects: Sequence[SceneObject]) -> dict[str, Any]:
    """The engine's report; of a scene, with what was found and noted by the objects' names."""
    report = take.report()
    if not objects[0].name:
        return report
    summaries = {each.name: member.summary for each, member in zip(objects, take.members, strict=True)}
    common = [note for note in report["warnings"] if all(note in found["warnings"] for found in summaries.values())]
    own = [f"{name}: {note}" for name, found in summaries.items() for note in found["warnings"] if note not in common]
    return {**report, "kinematics": summaries, "warnings": common + own}


def _unseen(frames: Iterator[list[engine.Frame]], _count: int) -> Iterable[list[engine.Frame]]:
    return frames


def _with_bar(frames: Iterator[list[engine.Frame]], count: int) -> Iterable[list[engine.Frame]]:
    return tqdm(frames, total=count, desc="simulating", unit="frame", leave=False)


@dataclass(frozen=True)
class SolvedTake:
    """A take that is done and not written yet."""

    output: Path
    objects: Sequence[MovedObject]
    fps: float
    report: dict[str, Any]

    @property
    def notes(self) -> list[str]:
        """What the user should know of it, sentences."""
        return self.report["warnings"]

    def write(self) -> str:
        """Writes the file; one line about it. Raises UserError."""
        if not write_result(self.output, self.objects, self.fps, self.report):
            return f"{self.output} holds this result already; it was left as it is."
        frames = len(self.objects[0].positions)
        vertices = sum(len(each.mesh.vertices) for each in self.objects)
        several = f" in {len(self.objects)} objects" if len(self.objects) > 1 else ""
        return f"{self.output}: {frames} frames of {vertices:,} vertices{several}."


def solve_take(source: Path, conditions: Any, folder: Path, output: Path, show: Show = _unseen) -> SolvedTake:
    """Simulates a mesh under conditions (JSON; the files they name are found from `folder`), or a scene file.

    `output` says what will be written; `show` may look on. Raises UserError.
    """
    check_output_path(output)
    report_extensions()
    begin = perf_counter()
    objects = _objects(source, conditions, folder)
    check_output_path(output, len(objects))
    loaded = perf_counter()
    _check_size(objects)
    analyses = [_analysis(each) for each in objects]
    given, names = [each.conditions for each in objects], [each.name for each in objects]
    take = engine.prepare_together(analyses, given, names=names)
    frames = list(show(take.frames(lambda: False), take.frame_count))
    solved = perf_counter()
    moved = []
    for number, (each, member) in enumerate(zip(objects, take.members, strict=True)):
        own = [frame[number] for frame in frames]
        weights, provider = member.body.weights, member.summary["provider"]
        positions = decode_frames(each.mesh.vertices, weights, np.array([frame.handles for frame in own]))
        moved.append(MovedObject(each.name, source.stem, each.mesh, provider, weights, own, positions, each.looks))
    report = _report(take, objects)
    report["stages"] = {"load": loaded - begin, **report["stages"], "decode": perf_counter() - solved}
    return SolvedTake(output, moved, take.fps, report)


def simulate(source: Path, conditions_path: Path | None, output: Path) -> str:
    """Runs the main job for a mesh or a scene file and writes the result; returns one line about it.

    Raises UserError before anything is written.
    """
    if conditions_path is not None and source.suffix.lower() == ".json":
        raise UserError(
            "bad_conditions",
            "A scene file has its conditions inside.",
            f"Write those of '{conditions_path}' into it, and leave out --conditions.",
        )
    check_output_path(output)
    conditions = {} if conditions_path is None else read_json(conditions_path, "conditions")
    folder = Path() if conditions_path is None else conditions_path.parent
    take = solve_take(source, conditions, folder, output, _with_bar)
    for note in take.notes:
        tqdm.write(f"Note: {note}")
    return take.write()


def analyze(mesh_path: Path, provider: str, as_json: bool) -> str:
    """What was found in a mesh, as JSON or as lines of text."""
    report_extensions()
    mesh, _, jointed = read_source(mesh_path)
    summary = _analysed(mesh, provider, jointed).summary
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
