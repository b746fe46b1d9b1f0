"""False joints by default settings: on things that no joint moves, on jointed ones, and what confidence is worth.

Three kinds of objects: annotated assets (`assets.json` in the folder: how many joints a person sees, but not where),
real objects with `joints.json`, and procedural ones of families with and without joints.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from tqdm import tqdm

from ..data.families.jointed_families import JOINTED
from ..data.families.still_families import STILL
from ..data.joint_claims import claims_of, matched, true_claims
from ..data.moving_object import MovingObject
from ..data.real import read_object
from ..data.source import Source
from ..errors import UserError
from ..geometry.mesh import Mesh
from ..io import read_mesh
from ..understanding.analysis import analyze
from .subject import chosen_items

__all__ = ["FalseJointsResult", "false_joints_summary", "measure_false_joints"]

EDGES = (0.0, 0.5, 0.7, 0.8, 0.9, 0.95, 1.0)  # of the calibration table
_STREAM = 4242  # apart from the numbers that training counts by


@dataclass(frozen=True)
class FalseJointsResult:
    """One object. `true` joints: their number, None where nobody counted; `right`: for each joint told, None where
    nobody knows."""

    name: str
    group: str  # "assets", "procedural" or a folder's name
    kind: str  # "still", "jointed" or "other" (limbs, creases, chains)
    provider: str
    true: int | None
    found: int | None  # of the true ones
    sure: tuple[float, ...]  # of each joint told
    right: tuple[bool | None, ...]


@dataclass(frozen=True, eq=False)
class _Subject:
    name: str
    group: str
    kind: str
    mesh: Mesh
    count: int | None
    thing: MovingObject | None


def measure_false_joints(
    folders: Sequence[Path], held_out: bool, limit: int | None, count: int
) -> list[FalseJointsResult]:
    """All assets and jointed objects of folders, and `count` procedural objects, half of which no joint moves."""
    subjects = [_procedural(number) for number in range(count)]
    for folder in folders:
        about = folder / "assets.json"
        subjects += list(_assets(about, limit)) if about.is_file() else list(_real(folder, held_out, limit))
    return [_measured(subject) for subject in tqdm(subjects, desc="measuring", unit="object", leave=False)]


def _assets(about: Path, limit: int | None) -> Iterator[_Subject]:
    try:
        entries = json.loads(about.read_text(encoding="utf-8"))[:limit]
        known = [
            (str(each["name"]), str(each["file"]), int(each["joints"]), str(each["joints_kind"])) for each in entries
        ]
    except (OSError, ValueError, KeyError, TypeError) as problem:
        raise UserError("bad_data.unreadable", path=about) from problem
    for name, file, joints, sort in known:
        kind = {"none": "still", "mechanical": "jointed"}.get(sort, "other")
        yield _Subject(name, "assets", kind, read_mesh(about.with_name(file)), joints, None)


def _real(folder: Path, held_out: bool, limit: int | None) -> Iterator[_Subject]:
    for item in chosen_items(folder, held_out, limit):
        if item.jointed:
            yield _of_thing(item.name, folder.name, "jointed", read_object(item))


def _procedural(number: int) -> _Subject:
    rng = np.random.default_rng([_STREAM, number])
    still = number % 2 == 0
    thing = Source(STILL if still else JOINTED).draw(rng)
    return _of_thing(f"{number}_{thing.name}", "procedural", "still" if still else "jointed", thing)


def _of_thing(name: str, group: str, kind: str, thing: MovingObject) -> _Subject:
    return _Subject(name, group, kind, Mesh(thing.vertices, thing.triangles, thing.slot), None, thing)


def _measured(subject: _Subject) -> FalseJointsResult:
    mesh, thing = subject.mesh, subject.thing
    analysis = analyze(mesh.vertices, mesh.triangles, slots=mesh.slots)
    told = claims_of(analysis)
    true, found = subject.count, None
    right: list[bool | None] = [False if subject.kind == "still" else None] * len(told)
    if thing is not None:
        truth = true_claims(thing)
        pairs = matched(told, truth, mesh)
        true, found = len(truth), len(pairs)
        right = [number in {row for row, _ in pairs} for number in range(len(told))]
    sure = tuple(claim.probability for claim in told)
    return FalseJointsResult(
        subject.name, subject.group, subject.kind, analysis.provider, true, found, sure, tuple(right)
    )


def false_joints_summary(results: Sequence[FalseJointsResult]) -> dict[str, Any]:
    """Figures of each group, the calibration table, and every object."""
    groups = {
        name: _group([result for result in results if result.group == name])
        for name in dict.fromkeys(result.group for result in results)
    }
    joints = [
        (sure, bool(right))
        for result in results
        for sure, right in zip(result.sure, result.right, strict=True)
        if right is not None
    ]
    # Of an asset it is known only whether it has joints: what counts is its surest one.
    assets = [
        (max(result.sure), result.kind == "jointed")
        for result in results
        if result.group == "assets" and result.kind != "other" and result.sure
    ]
    return {
        "objects": len(results),
        "groups": groups,
        "calibration": {"joints": _calibration(joints), "assets": _calibration(assets)},
        "per_object": [{**vars(result), "sure": [round(each, 3) for each in result.sure]} for result in results],
    }


def _group(results: Sequence[FalseJointsResult]) -> dict[str, Any]:
    still = [result for result in results if result.kind == "still"]
    jointed = [result for result in results if result.kind == "jointed"]
    other = [result for result in results if result.kind == "other"]
    wrongly = [result for result in still if result.sure]
    found: dict[str, Any] = {"still": len(still), "jointed": len(jointed), "other": len(other)}
    found["still_with_joints"] = len(wrongly)
    found["false_in_a_hundred"] = 100.0 * len(wrongly) / len(still) if still else None
    found["jointed_without"] = sum(not result.sure for result in jointed)
    found["other_with_joints"] = sum(bool(result.sure) for result in other)
    placed = [result for result in jointed if result.found is not None]
    true, hits = sum(result.true or 0 for result in placed), sum(result.found or 0 for result in placed)
    told = sum(len(result.sure) for result in placed)
    by_object = [(result.found or 0) / result.true for result in placed if result.true]
    found["recall"] = hits / true if true else None
    found["recall_by_object"] = float(np.mean(by_object)) if by_object else None
    found["precision"] = hits / told if told else None
    found["precision_with_still"] = hits / (told + sum(len(result.sure) for result in wrongly)) if told else None
    return found


def _calibration(claims: Sequence[tuple[float, bool]]) -> list[dict[str, Any]]:
    """Of claims (told confidence, right): for each range of confidence how many, their mean, and how many are right."""
    rows = []
    for low, high in pairwise(EDGES):
        own = [(sure, right) for sure, right in claims if low <= sure < high or sure == high == 1.0]
        if own:
            sure, right = np.mean(own, axis=0)
            rows.append({"from": low, "to": high, "claims": len(own), "told": float(sure), "right": float(right)})
    return rows
