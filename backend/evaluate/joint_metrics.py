"""Metrics of found joints: the four figures of GEOPARD, and the range of motion.

- axis error: degrees between the true and the found direction, whichever way these point, of parts that truly move.
- centre error: how far the true pivot is from the found axis, over the object's diagonal; of parts that truly turn.
- precision and recall of the kind: the mean over fixed, revolute and prismatic; what turns for ever counts as revolute,
  and every part counts, the base too.
- range: of parts that were found to move in their way about their axis, the share whose range from end to end is within
  30 % of the true one.

A part that truly moves and was found fixed is judged by the likeliest way to move that the search has for it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..kinematics.base import Array

__all__ = ["KINDS", "Line", "PartVerdict", "axis_angle", "centre_distance", "figures", "judged", "kind_of", "macro"]

KINDS = ("fixed", "revolute", "prismatic")
_WORST_ANGLE, _WORST_CENTRE = 90.0, 0.5  # of a part for which the search has no way to move at all
_SAME_ANGLE, _SAME_CENTRE = 10.0, 0.05  # degrees and of the diagonal: up to here it is the right axis
_SAME_RANGE = 0.3  # of the true range


@dataclass(frozen=True, eq=False)
class Line:
    """A direction Float[3] and a point Float[3], in the object's unit."""

    axis: Array
    origin: Array


@dataclass(frozen=True)
class PartVerdict:
    """One part; None where a figure has no meaning."""

    true_kind: str
    found_kind: str
    axis_error: float | None
    centre_error: float | None
    parent_right: bool | None
    range_right: bool | None


def kind_of(kind: str) -> str:
    """One of the three kinds that are distinguished."""
    return "revolute" if kind == "continuous" else kind


def axis_angle(one: Array, other: Array) -> float:
    """Degrees from 0 to 90 between two directions of any length."""
    cosine = abs(float(one @ other)) / float(np.linalg.norm(one) * np.linalg.norm(other))
    return float(np.degrees(np.arccos(min(cosine, 1.0))))


def centre_distance(pivot: Array, line: Line) -> float:
    """How far a point is from a line."""
    axis = line.axis / np.linalg.norm(line.axis)
    return float(np.linalg.norm(np.cross(pivot - line.origin, axis)))


def judged(
    true_kind: str,
    true: Line,
    found_kind: str,
    found: Line | None,
    diagonal: float,
    parent_right: bool | None = None,
    spans: tuple[float, float] = (np.nan, np.nan),
) -> PartVerdict:
    """`found`: the axis that was found, None where there is none.

    `spans`: the true range from end to end and the found one, NaN where it is not known.
    """
    true_kind, found_kind = kind_of(true_kind), kind_of(found_kind)
    axis_error = centre_error = range_right = None
    if true_kind != "fixed":
        axis_error = _WORST_ANGLE if found is None else axis_angle(true.axis, found.axis)
    if true_kind == "revolute":
        centre_error = _WORST_CENTRE if found is None else centre_distance(true.origin, found) / diagonal
    right_axis = axis_error is not None and axis_error <= _SAME_ANGLE and (centre_error or 0.0) <= _SAME_CENTRE
    if true_kind == found_kind and right_axis and not np.isnan(spans).any():
        range_right = bool(abs(spans[1] - spans[0]) <= _SAME_RANGE * spans[0])
    return PartVerdict(true_kind, found_kind, axis_error, centre_error, parent_right, range_right)


def macro(true: Sequence[str], found: Sequence[str]) -> tuple[float, float]:
    """Precision and recall, the mean over the kinds that truly occur; a kind that was never found has precision 0."""
    precision, recall = [], []
    for kind in KINDS:
        is_true, is_found = (np.array([each == kind for each in some], dtype=bool) for some in (true, found))
        if not is_true.any():
            continue
        right = float((is_true & is_found).sum())
        precision.append(right / max(int(is_found.sum()), 1))
        recall.append(right / int(is_true.sum()))
    return float(np.mean(precision)), float(np.mean(recall))


def figures(verdicts: Sequence[PartVerdict]) -> dict[str, Any]:
    """The figures over parts, which all weigh the same; null where nothing has one."""
    angles = [each.axis_error for each in verdicts if each.axis_error is not None]
    centres = [each.centre_error for each in verdicts if each.centre_error is not None]
    precision, recall = macro([each.true_kind for each in verdicts], [each.found_kind for each in verdicts])
    parents = [each.parent_right for each in verdicts if each.parent_right is not None]
    ranges = [each.range_right for each in verdicts if each.range_right is not None]
    return {
        "axis_error": float(np.mean(angles)) if angles else None,
        "centre_error": float(np.mean(centres)) if centres else None,
        "precision": precision,
        "recall": recall,
        "axis_error_median": float(np.median(angles)) if angles else None,
        "centre_error_median": float(np.median(centres)) if centres else None,
        "parent_accuracy": float(np.mean(parents)) if parents else None,
        "range_right": float(np.mean(ranges)) if ranges else None,
        "ranges": len(ranges),
        "parts": len(verdicts),
    }
