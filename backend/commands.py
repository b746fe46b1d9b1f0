"""The commands `simulate` and `analyze`: files in, files or a table out."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
from tqdm import tqdm

from . import engine
from .decode import decode_frames
from .errors import UserError
from .io import check_output_path, read_mesh, write_animation, write_npz

__all__ = ["analyze", "simulate"]

LARGEST_RESULT = 8 * 1024**3  # bytes of decoded positions held at once


def _read_conditions(path: Path | None) -> Any:
    if path is None:
        return {}
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as problem:
        raise UserError(
            "bad_conditions", f"The conditions file '{path}' cannot be read.", "Give the path of a JSON text file."
        ) from problem
    try:
        return json.loads(text)
    except json.JSONDecodeError as problem:
        raise UserError(
            "bad_conditions",
            f"The conditions file '{path}' is not JSON (line {problem.lineno}: {problem.msg}).",
            "Correct it there.",
        ) from problem
    except (ValueError, RecursionError) as problem:  # a number of thousands of digits, brackets in brackets without end
        raise UserError(
            "bad_conditions",
            f"The conditions file '{path}' holds more than conditions can be.",
            "Write it as { ... } with named keys and ordinary numbers.",
        ) from problem


def _with_bar(take: engine.Take) -> Iterator[engine.Frame]:
    return tqdm(take.frames(lambda: False), total=take.frame_count, desc="simulating", unit="frame", leave=False)


def simulate(mesh_path: Path, conditions_path: Path | None, output: Path) -> str:
    """Runs the main job and writes the result; returns one line about it.

    Raises UserError before anything is written.
    """
    kind = check_output_path(output)
    begin = perf_counter()
    conditions = _read_conditions(conditions_path)
    mesh = read_mesh(mesh_path)
    loaded = perf_counter()
    provider = conditions.get("provider", "auto") if isinstance(conditions, dict) else "auto"
    parsed = engine.read_conditions(conditions)
    size = 12 * len(mesh.vertices) * parsed.frames
    if size > LARGEST_RESULT:
        raise UserError(
            "result_too_large",
            f"{parsed.frames} frames of {len(mesh.vertices):,} vertices would take {size / 1024**3:.0f} GB.",
            "Ask for fewer frames or simulate a lighter mesh.",
        )
    take = engine.prepare(engine.analyze(mesh.vertices, mesh.triangles, provider), parsed)
    frames = list(_with_bar(take))
    handles = np.array([frame.handles for frame in frames])
    solved = perf_counter()
    positions = decode_frames(mesh.vertices, take.weights, handles)
    decoded = perf_counter()
    report = take.report()
    report["stages"] = {"load": loaded - begin, **report["stages"], "decode": decoded - solved}
    for warning in report["warnings"]:
        tqdm.write(f"Note: {warning}")
    if kind != ".npz":
        write_animation(output, positions, mesh.triangles, take.fps)
        return f"{output}: {len(frames)} frames of {len(mesh.vertices):,} vertices."

    def final_report() -> np.ndarray:
        report["stages"]["write"] = perf_counter() - decoded
        return np.array(json.dumps(report))

    arrays = {
        "vertices": positions,
        "faces": mesh.triangles.astype(np.int32),
        "fps": np.array(take.fps),
        "weights": take.weights,
        "handles": handles,
        "q": np.array([frame.q for frame in frames]),
        "energy": np.array([frame.energy for frame in frames]),
        "provider": np.array(take.summary["provider"]),
    }
    if _holds_already(output, arrays, report):
        return f"{output} holds this result already; it was left as it is."
    write_npz(output, {**arrays, "report": final_report})
    return f"{output}: {len(frames)} frames of {len(mesh.vertices):,} vertices."


def _holds_already(output: Path, arrays: dict[str, np.ndarray], report: dict[str, Any]) -> bool:
    """Whether the file differs from the new result in nothing but the seconds that the stages took.

    The same command twice must give the same bytes, although stage times are part of the report.
    """
    if not output.exists():
        return False
    try:
        with np.load(output, allow_pickle=False) as old:
            old_report = json.loads(str(old["report"]))
            same_report = {**old_report, "stages": None} == {**report, "stages": None}
            return same_report and all(
                old[name].dtype == value.dtype and np.array_equal(old[name], value) for name, value in arrays.items()
            )
    except (OSError, ValueError, KeyError, EOFError):
        return False  # not one of our results: it is replaced


def analyze(mesh_path: Path, provider: str, as_json: bool) -> str:
    """What was found in a mesh, as JSON or as lines of text."""
    mesh = read_mesh(mesh_path)
    summary = engine.analyze(mesh.vertices, mesh.triangles, provider).summary
    if as_json:
        return json.dumps(summary)
    lines = [f"{name.replace('_', ' '):20} {value}" for name, value in summary.items() if name != "warnings"]
    return "\n".join(lines + [f"Note: {warning}" for warning in summary["warnings"]])
