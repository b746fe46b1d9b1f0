"""A state space as a thing that moves: which of its coordinates are joints, and which bend."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from backend.kinematics import learned_shape
from backend.kinematics.reduction import Reduction
from tests.backend.kinematics.spaces import chain, laptop, random_space


@pytest.mark.parametrize("bends", [None, [False] * 3, [True] * 3, [False, True, False], [True, False, True]])
def test_coordinates_are_joints_where_their_latent_does_not_bend(bends: list[bool] | None) -> None:
    """Of a chain, whose bars keep a coordinate each; nothing told is a space of joints alone."""
    arrays, space = chain([0.5, 0.4, 0.6])
    if bends is not None:
        space = replace(space, bends=np.array(bends))
    shape = learned_shape.learned_shape(space, *arrays)
    assert shape.dof == 3
    latent = np.abs(shape.reduction.directions).argmax(axis=0)
    assert sorted(latent.tolist()) == [0, 1, 2]
    assert shape.joints.dtype == bool
    np.testing.assert_array_equal(shape.joints, ~np.array(bends or [False] * 3)[latent])


def test_a_latent_that_moves_nothing_does_not_matter() -> None:
    """A laptop's second latent is no coordinate, and the first stays what it is."""
    arrays, space = laptop()
    for bends in (True, False):
        shape = learned_shape.learned_shape(replace(space, bends=np.array([bends, not bends])), *arrays)
        np.testing.assert_array_equal(shape.joints, [not bends])


@pytest.mark.parametrize("bending", range(8))
def test_mixed_coordinates_are_what_most_of_them_is(bending: int) -> None:
    """Directions of many latents, each of deviation one."""
    directions = np.random.default_rng(2).normal(size=(7, 5))
    bends = np.arange(7) < bending
    _, space = random_space(4, 7)
    found = learned_shape._joints(replace(space, bends=bends), Reduction(directions, np.zeros(5), np.ones(7), 1.0))
    share = np.array([np.linalg.norm(column[bends]) / np.linalg.norm(column) for column in directions.T]) ** 2
    np.testing.assert_array_equal(found, share < 0.5)
    if bending in (0, 7):
        np.testing.assert_array_equal(found, [bending == 0] * 5)


@pytest.mark.parametrize(("bone", "joint"), [(2.0, False), (1.1, False), (0.9, True), (0.0, True)])
@pytest.mark.parametrize("still", [0.0, 100.0])
def test_directions_count_in_deviations_of_the_prior(bone: float, joint: bool, still: float) -> None:
    """One that moves a joint by a deviation of 1, and the axis of a bone by so many of 0.1; either way round.

    A latent whose deviation is zero does not count, whatever it is of.
    """
    _, space = random_space(4, 4)
    space = replace(space, prior_scale=np.array([1.0, 0.1, 0.0, 0.0]), bends=np.array([False, True, False, True]))
    directions = np.array([[1.0, -1.0], [0.1 * bone, 0.1 * bone], [still, 0.0], [0.0, still]])
    found = learned_shape._joints(space, Reduction(directions, np.zeros(2), np.ones(4), 1.0))
    np.testing.assert_array_equal(found, [joint, joint])
