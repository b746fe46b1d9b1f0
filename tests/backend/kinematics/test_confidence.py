"""Self-consistency: true joints are trusted, torn meshes, guesses and motions of the whole are not."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from backend.kinematics.confidence import calibrated, confidence_of, consistency
from backend.kinematics.learned_shape import learned_shape
from backend.kinematics.state_space import StateSpace
from tests.backend.kinematics.spaces import chain, drawer, laptop, slide_twist

OBJECTS = {"laptop": laptop(), "drawer": drawer(), "chain": chain([0.5, 0.3, 0.2])}


def measured(arrays, space: StateSpace, other: StateSpace):
    vertices, triangles = arrays
    first, second = (learned_shape(each, vertices, triangles) for each in (space, other))
    return consistency(first, second, vertices, triangles)


@pytest.mark.parametrize("name", OBJECTS)
def test_true_joints_are_trusted(name: str) -> None:
    arrays, space = OBJECTS[name]
    found = measured(arrays, space, space)
    assert found.stretch < 1e-9
    assert found.stretched == 0.0
    assert found.disagreement < 1e-9
    assert found.whole < 0.98
    assert confidence_of(found) > 0.7


def test_weights_that_cut_through_boxes_tear_them() -> None:
    arrays, space = chain([0.5, 0.3, 0.2])
    cut = replace(space, weights=np.random.default_rng(0).permutation(space.weights))
    found = measured(arrays, cut, cut)
    assert found.stretch > 0.2
    assert found.stretched > 0.5
    assert confidence_of(found) < 0.2


def test_encodings_that_disagree_are_not_trusted() -> None:
    arrays, space = drawer()
    other = np.zeros_like(space.twists)
    other[1, 0] = slide_twist((0.0, 0.0, 1.0), space.frame)
    found = measured(arrays, space, replace(space, twists=other))
    assert found.disagreement == pytest.approx(1.0)
    assert confidence_of(found) < 0.1


def test_a_motion_of_the_whole_is_no_motion_of_it() -> None:
    arrays, space = drawer()
    every = replace(space, weights=np.tile([0.0, 1.0], (len(space.weights), 1)))
    assert measured(arrays, every, every).whole == pytest.approx(1.0)
    assert confidence_of(measured(arrays, every, every)) < confidence_of(measured(arrays, space, space)) - 0.1


def test_what_does_not_move_is_not_trusted_at_all() -> None:
    arrays, space = drawer()
    still = replace(space, prior_scale=np.full(1, 1e-4))
    assert confidence_of(measured(arrays, still, still)) == 0.0


@pytest.mark.parametrize("same", [0.0, 0.3, 0.1])
def test_a_measure_that_never_varies_tells_nothing(same: float) -> None:
    """0.1 and 0.3 have no exact binary form: their mean differs from them by rounding."""
    rng = np.random.default_rng(1)
    stretch = rng.uniform(0.0, 0.3, 300)
    measures = np.column_stack([np.ones(300), stretch, np.full((300, 5), same)])
    better = rng.random(300) < 1.0 / (1.0 + np.exp(20.0 * (stretch - 0.15)))
    found, known = calibrated(measures, better), calibrated(measures[:, :2], better)
    # Together with the constant they make one logit, about that of a fit without them ...
    assert found @ measures[0] == pytest.approx(known @ measures[0, :2], abs=0.1)
    assert np.abs(found[2:]).max() < 3.0  # ... and a new object that has a little more is not judged by it


def test_calibration_finds_the_chances_that_made_the_answers() -> None:
    rng = np.random.default_rng(0)
    measures = np.column_stack([np.ones(4000), rng.uniform(0.0, 0.3, 4000), rng.uniform(0.0, 1.0, (4000, 5))])
    truth = np.array([1.0, -8.0, 0.0, -3.0, 1.0, -2.0, 0.0])
    chance = 1.0 / (1.0 + np.exp(-measures @ truth))
    found = calibrated(measures, rng.random(4000) < chance)
    again = 1.0 / (1.0 + np.exp(-measures @ found))
    assert np.abs(again - chance).mean() < 0.03
