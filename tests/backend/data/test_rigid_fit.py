"""The rigid motions that explain best where groups of points went, against scipy's, one group and state at a time."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from backend.data.rigid_fit import best_motions
from backend.dynamics.rigid_placement import nearest_rotation
from backend.kinematics.base import Array

STATES, GROUPS, POINTS = 4, 3, 60
STAY = 1e-4
MIRROR = np.diag([1.0, -1.0, 1.0])


def random_turns(rng: np.random.Generator, *shape: int) -> Array:
    """Float[...,3,3], by any angle."""
    return Rotation.random(int(np.prod(shape)), random_state=rng).as_matrix().reshape(*shape, 3, 3)


def groups_of(rng: np.random.Generator) -> Array:
    """Which group each point is of, Int[n]; in random order, none smaller than ten points."""
    return rng.permutation(np.concatenate([np.repeat(np.arange(GROUPS), 10), rng.integers(0, GROUPS, POINTS - 30)]))


def equal_shares(group: Array) -> Array:
    member = group == np.arange(GROUPS)[:, None]
    return member / member.sum(axis=1, keepdims=True)


def moved(turns: Array, shifts: Array, group: Array, points: Array) -> Array:
    """Points Float[n,3] by the motions Float[S,G,3,3], Float[S,G,3] of their groups."""
    return np.einsum("snij,nj->sni", turns[:, group], points) + shifts[:, group]


@pytest.mark.parametrize("flat", [False, True])
@pytest.mark.parametrize("seed", range(3))
def test_rigid_motions_are_found_exactly(flat: bool, seed: int) -> None:
    """Of groups of points far from the origin, also where these lie in a plane, whose other side looks the same."""
    rng = np.random.default_rng(seed)
    group, points = groups_of(rng), rng.normal(size=(POINTS, 3)) * [1.0, 0.6, 0.0 if flat else 0.3]
    points = points @ random_turns(rng).T + [2.0, -1.0, 3.0]
    turns, shifts = random_turns(rng, STATES, GROUPS), rng.normal(size=(STATES, GROUPS, 3))
    found, away = best_motions(equal_shares(group), points, moved(turns, shifts, group, points))
    np.testing.assert_allclose(found, turns, atol=1e-10)
    np.testing.assert_allclose(away, shifts, atol=1e-10)


@pytest.mark.parametrize("stay", [0.0, 1e-4, 0.3])
@pytest.mark.parametrize("kind", ["noisy", "flat", "mirrored"])
def test_what_no_rigid_motion_explains_has_the_rotation_that_scipy_finds(kind: str, stay: float) -> None:
    """With shares of any size, points that count for several groups among them; a mirror image has no mirror's turn.

    What stays is three pairs more, unit vectors that are to go to themselves and count this share of the spread.
    """
    rng = np.random.default_rng(7)
    shares = rng.dirichlet(np.full(POINTS, 0.5), GROUPS)
    points = rng.normal(size=(POINTS, 3)) * [1.0, 0.6, 0.0 if kind == "flat" else 0.3] + [0.5, 0.0, -2.0]
    turn = random_turns(rng, STATES) @ (MIRROR if kind == "mirrored" else np.eye(3))
    after = points @ turn.swapaxes(1, 2) + rng.normal(size=(STATES, 1, 3))
    after += 0.1 * rng.normal(size=after.shape)
    turns, shifts = best_motions(shares, points, after, stay)
    if stay == 0.0:
        np.testing.assert_array_equal(best_motions(shares, points, after)[0], turns)
    np.testing.assert_allclose(np.linalg.det(turns), 1.0, atol=1e-12)
    for number, share in enumerate(shares):
        middle = share @ points
        counts = np.append(share, [stay * (share @ ((points - middle) ** 2).sum(axis=1))] * 3)
        before = np.concatenate([points - middle, np.eye(3)])
        for state, goal in enumerate(after):
            pairs = np.concatenate([goal - share @ goal, np.eye(3)]), before
            expected = Rotation.align_vectors(*pairs, counts)[0].as_matrix()
            np.testing.assert_allclose(turns[state, number], expected, atol=1e-7)
            np.testing.assert_allclose(shifts[state, number], share @ goal - expected @ middle, atol=1e-7)


def test_too_few_points_to_tell_a_rotation_go_where_they_went() -> None:
    """A point, and two points: by a rotation that is one, though many would do."""
    rng = np.random.default_rng(2)
    points, group = rng.normal(size=(3, 3)), np.array([0, 1, 1])
    true = random_turns(rng, STATES, 2), rng.normal(size=(STATES, 2, 3))
    after = moved(*true, group, points)
    turns, shifts = best_motions(np.array([[1.0, 0.0, 0.0], [0.0, 0.5, 0.5]]), points, after)
    np.testing.assert_allclose(turns @ turns.swapaxes(-1, -2), np.broadcast_to(np.eye(3), turns.shape), atol=1e-12)
    np.testing.assert_allclose(np.linalg.det(turns), 1.0, atol=1e-12)
    np.testing.assert_allclose(moved(turns, shifts, group, points), after, atol=1e-12)


def in_lines(rng: np.random.Generator, each: int) -> tuple[Array, Array, Array]:
    """Groups of so many points in a line, far from the origin: shares, points, and the directions of the lines."""
    lines = rng.normal(size=(GROUPS, 3))
    lines /= np.linalg.norm(lines, axis=1, keepdims=True)
    places = np.linspace(-0.5, 0.5, each)[:, None] * lines[:, None] + rng.normal(size=(GROUPS, 1, 3))
    return equal_shares(np.repeat(np.arange(GROUPS), each)), places.reshape(-1, 3), lines


@pytest.mark.parametrize("each", [2, 7])
def test_points_in_a_line_turn_no_more_than_they_show(each: int) -> None:
    """Not at all where they are only shifted; else about the axis across, by the angle between the lines."""
    rng = np.random.default_rng(5)
    shares, points, lines = in_lines(rng, each)
    group, shifts = shares.argmax(axis=0), rng.normal(size=(STATES, GROUPS, 3))
    still = np.broadcast_to(np.eye(3), (STATES, GROUPS, 3, 3))
    turns, away = best_motions(shares, points, moved(still, shifts, group, points), STAY)
    np.testing.assert_allclose(turns, still, atol=1e-9)
    np.testing.assert_allclose(away, shifts, atol=1e-9)

    angles = rng.uniform(0.2, 2.5, (STATES, GROUPS, 1))
    across = np.cross(lines, rng.normal(size=(STATES, GROUPS, 3)))
    across /= np.linalg.norm(across, axis=-1, keepdims=True)
    vectors = (angles * across).reshape(-1, 3)
    true = Rotation.from_rotvec(vectors).as_matrix().reshape(STATES, GROUPS, 3, 3)
    about = Rotation.from_rotvec(np.tile(lines, (STATES, 1)) * rng.uniform(-3.0, 3.0, (STATES * GROUPS, 1)))
    spun = true @ about.as_matrix().reshape(true.shape)  # nobody sees how far points in a line turn about it
    turns, _ = best_motions(shares, points, moved(spun, shifts, group, points), STAY)
    found = Rotation.from_matrix(turns.reshape(-1, 3, 3)).as_rotvec()
    np.testing.assert_allclose(found, vectors, atol=3.0 * STAY)


def test_points_that_are_spread_out_turn_as_they_would() -> None:
    """But for about the share of their spread that stays."""
    rng = np.random.default_rng(6)
    group, points = groups_of(rng), rng.normal(size=(POINTS, 3)) * [1.0, 0.6, 0.4] + [2.0, -1.0, 3.0]
    turns, shifts = random_turns(rng, STATES, GROUPS), rng.normal(size=(STATES, GROUPS, 3))
    found, _ = best_motions(equal_shares(group), points, moved(turns, shifts, group, points), STAY)
    missed = Rotation.from_matrix((found @ turns.swapaxes(-1, -2)).reshape(-1, 3, 3)).magnitude()
    assert 0.0 < missed.max() < 10.0 * STAY


def test_many_nearest_rotations_at_once_are_those_one_by_one_and_no_other_is_nearer() -> None:
    """... for correlations that a mirror would fit better, too."""
    rng = np.random.default_rng(3)
    correlations = rng.normal(size=(2, 5, 3, 3))
    assert (np.linalg.det(correlations) < 0.0).any() and (np.linalg.det(correlations) > 0.0).any()
    found = nearest_rotation(correlations)
    assert found.shape == correlations.shape
    np.testing.assert_allclose(np.linalg.det(found), 1.0, atol=1e-12)
    likeness = np.einsum("...ij,...ij->...", found, correlations)
    others = np.einsum("nij,...ij->n...", random_turns(rng, 2000), correlations)
    assert (others <= likeness + 1e-12).all()
    for index in np.ndindex(2, 5):
        np.testing.assert_array_equal(nearest_rotation(correlations[index]), found[index])
