"""The fit of the verdict on joints, and what it is fitted to."""

from __future__ import annotations

import numpy as np

from backend.data.families.jointed_families import JOINTED
from backend.data.families.still_families import STILL
from backend.learned.train.verdict_fit import JudgedJoints, fitted_verdict, judged_joints
from backend.understanding.joint_features import JOINT_COLUMNS


def test_a_verdict_is_learned_from_examples() -> None:
    rng = np.random.default_rng(0)
    examples = []
    for _ in range(150):
        features = rng.normal(size=(3, len(JOINT_COLUMNS)))
        right = features[:, 0] + 0.3 * rng.normal(size=3) > 0.0
        examples.append(JudgedJoints(features, right, True))
    verdict = fitted_verdict(examples)
    features = rng.normal(size=(400, len(JOINT_COLUMNS)))
    said = verdict.log_odds(features) > 0.0
    assert (said == (features[:, 0] > 0.0)).mean() > 0.8


def test_joints_are_judged_by_the_true_ones() -> None:
    moving = judged_joints(JOINTED["laptop"].make(np.random.default_rng(1)))
    assert moving is not None and moving.right.any() and moving.jointed
    assert moving.features.shape == (len(moving.right), len(JOINT_COLUMNS))
    for seed in range(4):  # of most still things some joint is told
        still = judged_joints(STILL["bed"].make(np.random.default_rng(seed)))
        assert still is None or not still.right.any()
