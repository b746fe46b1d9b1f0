"""Does the provider "auto" choose well? Its confidences beside the twelve-point errors of all that it chooses among."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import UserError
from ..kinematics.base import Array
from ..kinematics.confidence import Consistency, calibrated, confidence_of, consistency
from ..understanding.joint_evidence import JointEvidence, joint_confidence
from ..understanding.provider_choice import JOINTED, TRUSTED, evidence_of, why_not_sought
from ..understanding.recognition import Recognition
from .candidates import shape_of
from .found_parts import found_parts, mesh_of
from .ik import ObjectResult
from .subject import Subject

__all__ = ["Judged", "choice_summary", "judged"]

AMONG = ("elastic", "learned", "found")  # rows, by the names of the table
PROVIDERS = {"found": "articulated"}  # what "auto" calls a row otherwise


@dataclass(frozen=True)
class Judged:
    """What the choice is made by: `joints` None where none are sought or found."""

    consistency: Consistency
    joints: JointEvidence | None = None


def judged(subject: Subject, weights: Path | None, with_joints: bool) -> Judged:
    """The state spaces that two samplings of the surface give, and the joints that are found in the mesh."""
    first, second = (shape_of(subject, weights, seed) for seed in (0, 1))
    measures = consistency(first, second, subject.vertices, subject.triangles)
    mesh = mesh_of(subject)
    if not with_joints or why_not_sought(mesh) is not None:
        return Judged(measures)
    try:
        known, jointed = found_parts(subject, False)
    except UserError:
        return Judged(measures)
    return Judged(measures, evidence_of(known, jointed, mesh, Recognition(first, confidence_of(measures))))


def choice_summary(results: Sequence[ObjectResult], found: dict[str, Judged]) -> dict[str, Any]:
    """How often the choice is the row with the lowest twelve-point CD-L1, the CD-L1 of what is chosen, and the same for

    confidences calibrated on all of these objects but the one they judge. `found`: by the objects' names. First between
    the learned and the elastic row; under "all" between all rows that "auto" chooses among, where they are measured.
    """
    both = [result for result in results if {"learned", "elastic"} <= set(result.errors)]
    learned, elastic = (_errors(both, row) for row in ("learned", "elastic"))
    better = learned < elastic
    consistencies = [found[result.name].consistency for result in both]
    confidence = np.array([confidence_of(each) for each in consistencies])
    measures = np.array([each.measures for each in consistencies])
    left_out = np.array([_judged_by_others(measures, better, number) for number in range(len(both))])
    chosen = {"as_shipped": confidence >= TRUSTED, "calibrated_on_others": left_out}
    every = both and all("found" in result.errors for result in both)
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
                **vars(found[result.name].consistency),
            }
            for result, sure, wins in zip(both, confidence.tolist(), better, strict=True)
        },
        **({"all": _among_all(both, confidence >= TRUSTED, found)} if every else {}),
    }


def _among_all(results: Sequence[ObjectResult], learned: np.ndarray, found: dict[str, Judged]) -> dict[str, Any]:
    """`learned` Bool[n]: what would be chosen without joints."""
    errors = np.array([_errors(results, row) for row in AMONG])  # (3, n)
    without = np.where(learned, AMONG.index("learned"), AMONG.index("elastic"))
    evidence = [found[result.name].joints for result in results]
    sure = np.array([-1.0 if each is None else joint_confidence(each) for each in evidence])
    number = np.arange(len(results))
    better = errors[AMONG.index("found")] < errors[without, number]
    taken = {"without_joints": np.zeros(len(results), dtype=bool), "as_shipped": sure >= JOINTED}
    judging = np.flatnonzero([each is not None for each in evidence])
    logit = None
    if len(judging):
        measures = np.array([evidence[each].measures for each in judging])
        logit = calibrated(measures, better[judging]).tolist()
        taken["calibrated_on_others"] = np.zeros(len(results), dtype=bool)
        taken["calibrated_on_others"][judging] = [
            _judged_by_others(measures, better[judging], place) for place in range(len(judging))
        ]
    choices = {name: np.where(some, AMONG.index("found"), without) for name, some in taken.items()}
    least = errors.min(axis=0)
    return {
        "found_is_better": float(better.mean()),
        "chosen": {
            name: {row: int((choice == place).sum()) for place, row in enumerate(AMONG)}
            for name, choice in choices.items()
        },
        "right": {name: float((errors[choice, number] <= least).mean()) for name, choice in choices.items()},
        "cd_l1": {name: float(errors[choice, number].mean()) for name, choice in choices.items()}
        | {row: float(error.mean()) for row, error in zip(AMONG, errors, strict=True)}
        | {"best": float(least.mean())},
        "logit": logit,
        "per_object": {
            result.name: {
                "provider": PROVIDERS.get(AMONG[choice], AMONG[choice]),
                "joint_confidence": None if each is None else joint_confidence(each),
                "found_is_better": bool(wins),
                **({} if each is None else vars(each)),
            }
            for result, choice, each, wins in zip(results, choices["as_shipped"], evidence, better, strict=True)
        },
    }


def _errors(results: Sequence[ObjectResult], row: str) -> Array:
    return np.array([result.mean(row, "sparse").cd_l1 for result in results])


def _judged_by_others(measures: Array, better: np.ndarray, number: int) -> bool:
    """Whether the provider in question would be chosen for one object by what all others taught."""
    others = np.arange(len(better)) != number
    if not others.any():
        return False
    return bool(calibrated(measures[others], better[others]) @ measures[number] >= 0.0)
