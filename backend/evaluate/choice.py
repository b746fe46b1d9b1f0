"""Calibration of the provider "auto": its confidence against the twelve-point errors of learned and elastic rows."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ..kinematics.base import Array
from ..kinematics.confidence import Consistency, calibrated, confidence_of, consistency
from ..understanding.provider_choice import TRUSTED
from .ik import ObjectResult
from .row_candidates import shape_of
from .subject import Subject

__all__ = ["choice_summary", "measured_consistency"]


def measured_consistency(subject: Subject, weights: Path | None) -> Consistency:
    """Consistency of the state spaces that two samplings of the surface give."""
    first, second = (shape_of(subject, weights, seed) for seed in (0, 1))
    return consistency(first, second, subject.vertices, subject.triangles)


def choice_summary(results: Sequence[ObjectResult], found: dict[str, Consistency]) -> dict[str, Any]:
    """Share of objects for which the choice is the row with the lower twelve-point CD-L1, the CD-L1 of the chosen row,

    and the same for a confidence calibrated on all objects but the one it is applied to. `found`: by object name.
    """
    both = [result for result in results if {"learned", "elastic"} <= set(result.errors)]
    learned, elastic = (
        np.array([result.mean(row, "sparse").cd_l1 for result in both]) for row in ("learned", "elastic")
    )
    better = learned < elastic
    consistencies = [found[result.name] for result in both]
    confidence = np.array([confidence_of(each) for each in consistencies])
    measures = np.array([each.measures for each in consistencies])
    left_out = np.array([_calibrated_on_others(measures, better, number) for number in range(len(both))])
    chosen = {"as_shipped": confidence >= TRUSTED, "calibrated_on_others": left_out}
    return {
        "objects": len(both),
        "learned_is_better": float(better.mean()),
        "right": {name: float((choice == better).mean()) for name, choice in chosen.items()},
        "cd_l1": {name: float(np.where(choice, learned, elastic).mean()) for name, choice in chosen.items()}
        | {"best": float(np.minimum(learned, elastic).mean())},
        "logit": calibrated(measures, better).tolist(),
        "per_object": {
            result.name: {"confidence": sure, "learned_is_better": bool(wins), **vars(found[result.name])}
            for result, sure, wins in zip(both, confidence.tolist(), better, strict=True)
        },
    }


def _calibrated_on_others(measures: Array, better: np.ndarray, number: int) -> bool:
    """Leave-one-out choice: whether the learned row is taken for one object after a fit to all others."""
    others = np.arange(len(better)) != number
    if not others.any():
        return False
    return bool(calibrated(measures[others], better[others]) @ measures[number] >= 0.0)
