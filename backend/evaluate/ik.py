"""Inverse kinematics on real objects: distance of the fitted whole shape, from points and their displacements.

For each object and each of its random states: (full) up to 1,000 points of the surface with their targets, (sparse)
twelve random points dragged; the whole shape is judged in both.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np

from ..kinematics.base import Array
from .metrics import SAMPLES, ShapeError, Target, mean_error
from .row_candidates import Candidate, FailedCandidate, Size, StateCandidate, make_candidate
from .subject import Subject
from .surface import SurfacePoints

__all__ = [
    "MODES",
    "STATES",
    "ObjectResult",
    "Shapes",
    "dragged_points",
    "measure_object",
    "row_means",
    "summary",
]

STATES = 5
FULL_POINTS = 1000
SPARSE_POINTS = 12
MODES = ("full", "sparse")
_JUDGE, _FULL, _SPARSE = 1, 2, 3  # what random numbers are for


@dataclass(frozen=True)
class Shapes:
    """One state of one object as a row made it: vertices Float[V,3] each."""

    subject: Subject
    state: int
    row: str
    mode: str
    found: Array
    error: ShapeError


@dataclass(frozen=True)
class ObjectResult:
    """The errors of one object in the order of its states, by row and mode."""

    name: str
    category: str
    freedom: int | None
    errors: dict[str, dict[str, list[ShapeError]]]
    seconds: dict[str, float]
    sizes: dict[str, Size]  # of the rows that are state spaces
    failed: dict[str, str] = field(default_factory=dict)  # why a row stayed at rest

    def mean(self, row: str, mode: str) -> ShapeError:
        return mean_error(self.errors[row][mode])

    def as_json(self) -> dict[str, Any]:
        rows = {row: {mode: self.mean(row, mode).as_json() for mode in MODES} for row in self.errors}
        seconds = {row: round(value, 3) for row, value in self.seconds.items()}
        return {
            "name": self.name,
            "category": self.category,
            "freedom": self.freedom,
            "rows": rows,
            "seconds": seconds,
            "sizes": {row: vars(size) for row, size in self.sizes.items()},
            "failed": self.failed,
        }


def measure_object(
    subject: Subject,
    rows: Sequence[str],
    weights: Path | None = None,
    see: Callable[[Shapes], None] | None = None,
) -> ObjectResult:
    """All rows of one object; rows that it cannot have (joints of what has none) are left out."""
    judge = subject.sample(SAMPLES, _JUDGE)
    targets = [Target(judge.on(state)) for state in subject.states]
    errors: dict[str, dict[str, list[ShapeError]]] = {}
    sizes, seconds, failed = {}, {}, {}
    for row in rows:
        begin = perf_counter()
        candidate = make_candidate(row, subject, weights)
        if candidate is None:
            continue
        if isinstance(candidate, StateCandidate):
            sizes[row] = candidate.size
        elif isinstance(candidate, FailedCandidate):
            failed[row] = candidate.reason
        errors[row] = {mode: [] for mode in MODES}
        for mode in MODES:
            for number, found in enumerate(_shapes(candidate, subject, mode)):
                error = targets[number].error(judge.on(found))
                errors[row][mode].append(error)
                if see is not None:
                    see(Shapes(subject, number, row, mode, found, error))
        seconds[row] = perf_counter() - begin
    return ObjectResult(subject.name, subject.category, subject.freedom, errors, seconds, sizes, failed)


def _shapes(candidate: Candidate, subject: Subject, mode: str) -> Iterator[Array]:
    for number, state in enumerate(subject.states):
        points = dragged_points(subject, mode, number)
        yield candidate.fit(points, points.on(state))


def dragged_points(subject: Subject, mode: str, state: int) -> SurfacePoints:
    """The points whose targets a candidate is given for one state."""
    if mode == "full":
        return subject.sample(FULL_POINTS, _FULL)
    return subject.sample(SPARSE_POINTS, _SPARSE, state)


def summary(results: Sequence[ObjectResult]) -> dict[str, Any]:
    """Means over objects, which all weigh the same: of all of them, of each category, and the objects themselves."""
    categories = sorted({result.category for result in results})
    of_category = {
        category: {"objects": len(some), "rows": row_means(some)}
        for category in categories
        for some in [[result for result in results if result.category == category]]
    }
    return {
        "objects": len(results),
        "rows": row_means(results),
        "sizes": _sizes(results),
        "failed": _failed(results),
        "categories": of_category,
        "per_object": [result.as_json() for result in results],
    }


def _sizes(results: Sequence[ObjectResult]) -> dict[str, dict[str, float]]:
    """Medians by row: how many numbers a state is, and, where the true freedom is known, how many more than that."""
    found = {}
    for row in dict.fromkeys(row for result in results for row in result.sizes):
        some = [result for result in results if row in result.sizes]
        found[row] = {"objects": len(some)}
        for name in ("coordinates", "active"):
            numbers = [getattr(result.sizes[row], name) for result in some]
            spare = [
                number - result.freedom
                for number, result in zip(numbers, some, strict=True)
                if result.freedom is not None
            ]
            found[row][f"{name}_median"] = float(np.median(numbers))
            if spare:
                found[row][f"{name}_beyond_freedom_median"] = float(np.median(spare))
    return found


def _failed(results: Sequence[ObjectResult]) -> dict[str, dict[str, str]]:
    """By row, the objects that stayed at rest and why: they count as that."""
    rows = dict.fromkeys(row for result in results for row in result.failed)
    return {row: {result.name: result.failed[row] for result in results if row in result.failed} for row in rows}


def row_means(results: Sequence[ObjectResult]) -> dict[str, dict[str, dict[str, float]]]:
    rows = list(dict.fromkeys(row for result in results for row in result.errors))
    return {
        row: {
            mode: mean_error([result.mean(row, mode) for result in results if row in result.errors]).as_json()
            for mode in MODES
        }
        for row in rows
    }
