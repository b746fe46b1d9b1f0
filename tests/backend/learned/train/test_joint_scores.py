"""Fitting the scores of joints: what is right more often is likelier, and what is written is what was fitted."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from backend.errors import UserError
from backend.joint_search.score import Score, read_score
from backend.learned.train.joint_network.examples import JointExample, PairExample
from backend.learned.train.joint_scores import fit_joint_scores, fitted_pair_score, fitted_score

COLUMNS = ("one", "two", "three", "four")


def example(rng: np.random.Generator) -> JointExample:
    """Of six candidates the one with the largest first number is right."""
    features = rng.standard_normal((6, 4))
    worth = np.zeros(6)
    worth[features[:, 0].argmax()] = 1.0
    return JointExample(features, worth)


def test_a_rule_is_found_and_kept_in_the_file(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    score = fitted_score([example(rng) for _ in range(300)], COLUMNS)
    fresh = [example(rng) for _ in range(100)]
    right = [score.log_odds(each.features).argmax() == each.worth.argmax() for each in fresh]
    assert np.mean(right) > 0.85
    score.write(tmp_path / "score.npz")
    again = read_score(tmp_path / "score.npz", COLUMNS)
    assert again.log_odds(fresh[0].features) == pytest.approx(score.log_odds(fresh[0].features), abs=1e-4)


def test_pairs_are_told_apart() -> None:
    rng = np.random.default_rng(0)
    features = rng.standard_normal((60, 20, 3))
    score = fitted_pair_score([PairExample(each, each[:, 1] > 0.0) for each in features], COLUMNS[:3])
    fresh = rng.standard_normal((500, 3))
    assert ((score.log_odds(fresh) > 0.0) == (fresh[:, 1] > 0.0)).mean() > 0.9


def test_what_is_no_file_of_scores_is_refused(tmp_path: Path) -> None:
    (tmp_path / "bad.npz").write_bytes(b"no archive")
    with pytest.raises(UserError, match="cannot be read"):
        read_score(tmp_path / "bad.npz", COLUMNS)


def test_a_file_of_scores_of_other_columns_is_refused(tmp_path: Path) -> None:
    one = np.ones(4)
    Score(COLUMNS, one, one, ((np.ones((4, 1)), np.zeros(1)),)).write(tmp_path / "score.npz")
    assert read_score(tmp_path / "score.npz", COLUMNS).columns == COLUMNS
    with pytest.raises(UserError, match="cannot be read"):
        read_score(tmp_path / "score.npz", COLUMNS[::-1])
    with pytest.raises(UserError, match="objects are none"):
        fit_joint_scores(tmp_path, 0, [])
