"""Does the provider "auto" choose well? Its confidence beside the twelve-point errors of both providers."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ..kinematics.confidence import confidence_of, consistency
from ..recognition import TRUSTED
from .candidates import shape_of
from .ik import ObjectResult
from .subject import Subject

__all__ = ["choice_summary", "confidence"]


def confidence(subject: Subject, weights: Path | None) -> dict[str, float]:
    """Of the learned provider in one object, and what it is made of."""
    first, second = (shape_of(subject, weights, seed) for seed in (0, 1))
    measures = consistency(first, second, subject.vertices, subject.triangles)
    return {"confidence": confidence_of(measures), **vars(measures)}


def choice_summary(results: Sequence[ObjectResult], measures: dict[str, dict[str, float]]) -> dict[str, Any]:
    """How often the choice is the row with the lower twelve-point CD-L1, and what always learned or always elastic
    would have scored. `measures`: those of `confidence` by the objects' names.
    """
    both = [result for result in results if {"learned", "elastic"} <= set(result.errors)]
    learned, elastic = (
        np.array([result.mean(row, "sparse").cd_l1 for result in both]) for row in ("learned", "elastic")
    )
    sure = np.array([measures[result.name]["confidence"] for result in both]) >= TRUSTED
    return {
        "objects": len(both),
        "right": float((sure == (learned < elastic)).mean()),
        "always_learned": float((learned < elastic).mean()),
        "cd_l1": {
            "chosen": float(np.where(sure, learned, elastic).mean()),
            "best": float(np.minimum(learned, elastic).mean()),
        },
        "per_object": {result.name: measures[result.name] for result in both},
    }
