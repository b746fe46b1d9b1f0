"""Reconstruction: the share of the true motion within the coordinates' span, and how many coordinates there are.

The coordinates are fitted to a dense set of points of each state; what is missed, RMS over the surface and the states,
is compared with the motion itself after the motion of the whole is taken out.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from .procrustes import best_placement
from .row_candidates import Candidate, StateCandidate
from .subject import Subject

__all__ = ["Reconstruction", "reconstruct_summary", "reconstruction"]

STATES = 12
POINTS = 1000
JUDGED = 4000
GOOD = 0.05
_FITTED, _JUDGED = 5, 6


@dataclass(frozen=True)
class Reconstruction:
    """Of one object."""

    name: str
    category: str
    missed: float  # RMS, longest side two
    motion: float  # RMS
    freedom: int | None  # true degrees of freedom
    coordinates: int | None  # k, of the candidate
    active: int | None  # directions that hold 99 % of the energy

    @property
    def ratio(self) -> float:
        return self.missed / max(self.motion, 1e-12)

    def as_json(self) -> dict[str, Any]:
        return {**vars(self), "ratio": self.ratio}


def reconstruction(subject: Subject, candidate: Candidate) -> Reconstruction:
    """Of all states of an object."""
    points, judged = subject.sample(POINTS, _FITTED), subject.sample(JUDGED, _JUDGED)
    rest, missed, motion = judged.on(subject.vertices), [], []
    for state in subject.states:
        goal, found = judged.on(state), judged.on(candidate.fit(points, points.on(state)))
        still = best_placement(rest, goal).applied(rest) if subject.free else rest
        missed.append(((found - goal) ** 2).sum(axis=1).mean())
        motion.append(((still - goal) ** 2).sum(axis=1).mean())
    count, active = None, None
    if isinstance(candidate, StateCandidate):
        count, active = candidate.size.coordinates, candidate.size.active
    rms = [float(np.sqrt(np.mean(each))) for each in (missed, motion)]
    return Reconstruction(subject.name, subject.category, *rms, subject.freedom, count, active)


def reconstruct_summary(results: dict[str, Sequence[Reconstruction]]) -> dict[str, Any]:
    """By row: medians over objects, the share of good ones, and how many coordinates more than true freedoms."""
    rows = {}
    for row, some in results.items():
        ratios = np.array([each.ratio for each in some])
        rows[row] = {
            "objects": len(some),
            "ratio_median": float(np.median(ratios)),
            "ratio_mean": float(ratios.mean()),
            "share_within_5_percent": float((ratios <= GOOD).mean()),
        }
        jointed = [each for each in some if each.freedom is not None and each.active is not None]
        if jointed:
            for name in ("coordinates", "active"):
                spare = [getattr(each, name) - each.freedom for each in jointed]
                rows[row][f"{name}_beyond_freedom_median"] = float(np.median(spare))
    return {"rows": rows, "per_object": {row: [each.as_json() for each in some] for row, some in results.items()}}
