"""Does the provider "auto" choose well? Its confidence beside the twelve-point errors of both providers."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ..kinematics.base import Array
from ..kinematics.confidence import Consistency, calibrated, confidence_of, consistency
from ..recognition import TRUSTED
from .candidates import shape_of
from .ik import ObjectResult
from .subject import Subject

__all__ = ["choice_summary", "self_consistency"]


def self_consistency(subject: Subject, weights: Path | None) -> Consistency:
    """What the choice is made by: the state spaces that two samplings of the surface give."""
    first, second = (shape_of(subject, weights, seed) for seed in (0, 1))
    return consistency(first, second, subject.vertices, subject.triangles)


def choice_summary(results: Sequence[ObjectResult], found: dict[str, Consistency]) -> dict[str, Any]:
    """How often the choice is the row with the lower twelve-point CD-L1, the CD-L1 of what is chosen, and the same for

    a confidence calibrated on all of these objects but the one it judges. `found`: by the objects' names.
    """
    both = [result for result in results if {"learned", "elastic"} <= set(result.errors)]
    learned, elastic = (
        np.array([result.mean(row, "sparse").cd_l1 for result in both]) for row in ("learned", "elastic")
    )
    better = learned < elastic
    confidence = np.array([confidence_of(found[result.name]) for result in both])
    measures = np.array([found[result.name].measures for result in both])
    left_out = np.array([_judged_by_others(measures, better, number) for number in range(len(both))])
    chosen = {"as_shipped": confidence >= TRUSTED, "calibrated_on_others": left_out}
    return {
        "objects": len(both),
        "learned_is_better": float(better.mean()),
        "right": {name: float((choice == better).mean()) for name, choice in chosen.items()},
        "cd_l1": {name: float(np.where(choice, learned, elastic).mean()) for name, choice in chosen.items()}
        | {"best": float(np.minimum(learned, elastic).mean())},
        "logit": calibrated(measures, better).tolist(),
        "per_object": {
            result.name: {
                "confidence": sure,
                "learned_is_better": bool(wins),
                **vars(found[result.name]),
            }
            for result, sure, wins in zip(both, confidence.tolist(), better, strict=True)
        },
    }


def _judged_by_others(measures: Array, better: np.ndarray, number: int) -> bool:
    """Whether the learned provider would be chosen for one object by what all others taught."""
    others = np.arange(len(better)) != number
    if not others.any():
        return False
    return bool(calibrated(measures[others], better[others]) @ measures[number] >= 0.0)
