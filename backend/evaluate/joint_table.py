"""Table of found joints against true ones on real objects, for true parts or for parts found too."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment
from tqdm import tqdm

from ..data.moving_object import MovingObject
from ..data.real import RealItem, read_object
from ..errors import UserError
from ..geometry.mesh import Mesh, triangle_areas
from ..joint_search import find_joints
from ..joint_search.choosing import Choice
from ..joint_search.search import FoundJoints
from ..learned.train.joint_network.true_parts import TrueParts, true_parts
from ..understanding.network_joints import predicted_joints, ranked_joints
from .joint_metrics import Line, PartVerdict, figures, judged

__all__ = ["JOINT_ROWS", "JointResult", "joints_summary", "measure_joints", "part_matches"]


def _candidates(mesh: Mesh, labels: NDArray[np.int64] | None, weights: Path) -> FoundJoints:
    return find_joints(mesh, labels)


# What ranks the candidates of each row.
JOINT_ROWS: dict[str, Callable[[Mesh, NDArray[np.int64] | None, Path], FoundJoints]] = {
    "candidates": _candidates,
    "network": predicted_joints,
    "both": lambda mesh, labels, weights: ranked_joints(mesh, labels, weights=weights),
}
_MATCHED = 0.5  # of a part's area over the union: from here on a found part is a true one


@dataclass(frozen=True)
class JointResult:
    """One object. `part_iou`: mean over true parts, by row; empty where these were given."""

    name: str
    category: str
    verdicts: dict[str, list[PartVerdict]]  # by row
    seconds: dict[str, float]
    part_iou: dict[str, float]
    matched: dict[str, float]  # share of the true parts that some found part is

    def parts_of(self, row: str) -> dict[str, float]:
        """How well the parts of a row are the true ones; nothing where these were given."""
        return {"part_iou": self.part_iou[row], "matched": self.matched[row]} if row in self.part_iou else {}

    def as_json(self) -> dict[str, Any]:
        rows = {row: figures(verdicts) | self.parts_of(row) for row, verdicts in self.verdicts.items() if verdicts}
        seconds = {row: round(value, 3) for row, value in self.seconds.items()}
        return {"name": self.name, "category": self.category, "rows": rows, "seconds": seconds}


def measure_joints(
    items: Sequence[RealItem], rows: Sequence[str], own_parts: bool, weights: Path, unreadable: dict[str, str]
) -> list[JointResult]:
    """Results for the items that have joints, by a joint network with these weights.

    What cannot be read is left out: `unreadable` gets its name, and why.
    """
    results = []
    for item in tqdm([item for item in items if item.jointed], unit="object", leave=False):
        try:
            thing = read_object(item)
        except UserError as problem:
            unreadable[item.name] = str(problem)
            continue
        results.append(_measured(thing, rows, own_parts, weights))
    return results


def _measured(thing: MovingObject, rows: Sequence[str], own_parts: bool, weights: Path) -> JointResult:
    mesh = Mesh(thing.vertices, thing.triangles, thing.slot)
    truth = true_parts(thing)
    corners = thing.vertices[np.unique(thing.triangles)]
    diagonal = float(np.linalg.norm(np.ptp(corners, axis=0)))
    verdicts, seconds, part_iou, matched = {}, {}, {}, {}
    for row in rows:
        begin = perf_counter()
        found = JOINT_ROWS[row](mesh, None if own_parts else truth.label, weights)
        seconds[row] = perf_counter() - begin
        own = np.arange(len(truth.kinds))
        if own_parts:
            own, overlap = part_matches(truth.label, found.label, triangle_areas(mesh.vertices, mesh.triangles))
            part_iou[row], matched[row] = float(overlap.mean()), float((overlap >= _MATCHED).mean())
            own = np.where(overlap >= _MATCHED, own, -1)
        verdicts[row] = _verdicts(truth, found, own, diagonal)
    return JointResult(thing.name, thing.category, verdicts, seconds, part_iou, matched)


def part_matches(
    true: NDArray[np.int64], found: NDArray[np.int64], area: NDArray[np.float64]
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """For each true part the found part that it is matched with (-1: none) and their area in common over the union.

    true and found Int[F] from 0; every found part stands for one true part at most, so that the sum is largest.
    """
    shape = int(true.max()) + 1, int(found.max()) + 1
    common = np.bincount(true * shape[1] + found, area, shape[0] * shape[1]).reshape(shape)
    union = common.sum(axis=1, keepdims=True) + common.sum(axis=0) - common
    overlap = common / np.maximum(union, 1e-300)
    rows, columns = linear_sum_assignment(-overlap)
    partner, share = np.full(shape[0], -1), np.zeros(shape[0])
    partner[rows], share[rows] = columns, overlap[rows, columns]
    return partner, share


def _verdicts(truth: TrueParts, found: FoundJoints, own: NDArray[np.int64], diagonal: float) -> list[PartVerdict]:
    """`own` Int[N]: the found part that each true one is, -1 where there is none; those are not judged."""
    verdicts = []
    for part, number in enumerate(own.tolist()):
        if number < 0:
            continue
        choice = found.choices.get(number)
        line = None if choice is None else _line(found, choice)
        parent = int(truth.parents[part])
        if choice is None and parent >= 0 and own[parent] in found.choices:
            # The other way round: what it hangs on was found to hang on it.
            reverse = found.choices[int(own[parent])]
            line = _line(found, reverse) if reverse.parent == number else None
        true = Line(truth.axes[part], truth.origins[part])
        kind = "fixed" if choice is None else choice.kind
        right = None if parent < 0 or choice is None else bool(own[parent] == choice.parent)
        spans = (float(truth.spans[part]), np.nan if choice is None else _span(found, number))
        verdicts.append(judged(truth.kinds[part], true, kind, line, diagonal, right, spans))
    return verdicts


def _span(found: FoundJoints, part: int) -> float:
    """How far a found joint goes from end to end, rad or the mesh's unit."""
    joint = next(each for each in found.tree.joints if each.child == part)
    return 2.0 * np.pi if joint.kind == "continuous" else joint.upper - joint.lower


def _line(found: FoundJoints, choice: Choice) -> Line:
    return Line(choice.axis, found.candidates.shape.from_frame(choice.pivot))


def joints_summary(results: Sequence[JointResult]) -> dict[str, Any]:
    """Figures over all parts of all objects, of each category, and of each object."""
    categories = sorted({result.category for result in results})
    return {
        **_group(results),
        "categories": {
            category: _group([result for result in results if result.category == category]) for category in categories
        },
        "per_object": [result.as_json() for result in results],
    }


def _group(results: Sequence[JointResult]) -> dict[str, Any]:
    rows = dict.fromkeys(row for result in results for row in result.verdicts)
    found: dict[str, Any] = {"objects": len(results), "rows": {}}
    for row in rows:
        verdicts = [each for result in results for each in result.verdicts[row]]
        if not verdicts:
            continue
        own = figures(verdicts)
        by_object = [figures(result.verdicts[row]) for result in results if result.verdicts[row]]
        for name in ("axis_error", "centre_error"):
            values = [each[name] for each in by_object if each[name] is not None]
            own[f"{name}_by_object"] = float(np.mean(values)) if values else None
        if results[0].part_iou:
            own["part_iou"] = float(np.mean([result.part_iou[row] for result in results]))
            own["matched"] = float(np.mean([result.matched[row] for result in results]))
        own["seconds"] = float(np.mean([result.seconds[row] for result in results]))
        found["rows"][row] = own
    if results[0].part_iou:  # parts that the search finds fixed are joined: each row has parts of its own
        for name in ("part_iou", "matched"):
            found[name] = float(np.mean([value for result in results for value in getattr(result, name).values()]))
    return found
