"""Bones, skins and the ways of drawing numbers."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse
from scipy.spatial.transform import Rotation

from backend.data.random_motion import any_of, independent, looping, with_slope, woven
from backend.data.skeleton import Skeleton, Skin, along_chain, blend_matrix, rotation_matrices, smoothed


def test_rotation_matrices_against_scipy():
    turns = np.concatenate([np.random.default_rng(0).normal(0.0, 2.0, (50, 3)), np.zeros((1, 3)), [[1e-10, 0, 0]]])
    np.testing.assert_allclose(rotation_matrices(turns), Rotation.from_rotvec(turns).as_matrix(), atol=1e-12)


def test_a_chain_in_the_plane_against_trigonometry():
    heads = np.array([[0.0, 0, 0], [1.0, 0, 0], [2.0, 0, 0]])
    skeleton = Skeleton(np.array([-1, 0, 1]), heads)
    angles = np.array([0.3, 0.5, -0.2])
    turns = np.zeros((1, 3, 3))
    turns[0, :, 2] = angles
    tip = skeleton.transforms(turns)[0, 2] @ [3.0, 0.0, 0.0, 1.0]
    total = np.cumsum(angles)
    np.testing.assert_allclose(tip, [np.cos(total).sum(), np.sin(total).sum(), 0.0], atol=1e-12)


def test_bones_keep_their_lengths():
    rng = np.random.default_rng(1)
    heads = np.cumsum(rng.normal(size=(9, 3)), axis=0)
    parents = np.array([-1, 0, 1, 1, 3, 4, 0, 6, 7])
    transforms = Skeleton(parents, heads).transforms(rng.normal(size=(4, 9, 3)))
    posed = (transforms[..., :3] @ heads[:, :, None])[..., 0] + transforms[..., 3]
    for bone in range(1, 9):
        now = np.linalg.norm(posed[:, bone] - posed[:, parents[bone]], axis=1)
        assert now == pytest.approx(np.linalg.norm(heads[bone] - heads[parents[bone]]), rel=1e-12)


def test_shifts_slide_along_the_parents_axes():
    skeleton = Skeleton(np.array([-1, 0]), np.zeros((2, 3)))
    turns, shifts = np.zeros((1, 2, 3)), np.zeros((1, 2, 3))
    turns[0, 0, 2], shifts[0, 1, 0] = 0.5 * np.pi, 2.0
    np.testing.assert_allclose(skeleton.transforms(turns, shifts)[0, 1, :, 3], [0.0, 2.0, 0.0], atol=1e-12)


def test_a_skin_is_exactly_at_rest():
    rng = np.random.default_rng(2)
    weights = rng.random((20, 3))
    weights /= weights.sum(axis=1, keepdims=True) * (1.0 + 1e-7)
    skeleton = Skeleton(np.array([-1, 0, 1]), rng.normal(size=(3, 3)))
    skin = Skin(skeleton, rng.normal(size=(20, 3)), sparse.csr_matrix(weights))
    np.testing.assert_array_equal(skin.posed(np.zeros((1, 3, 3)))[0], skin.vertices)


def test_weights_along_a_chain():
    place = np.linspace(0.0, 4.0, 41)
    bones, shares = along_chain(3, 4, place)
    np.testing.assert_allclose(shares.sum(axis=1), 1.0)
    assert bones.min() == 3 and bones.max() == 6
    # In the middle of a bone it alone counts; where two meet, each counts half.
    middle = np.argmin(np.abs(place - 1.5))
    assert shares[middle][bones[middle] == 4] == pytest.approx(1.0)
    joint = np.argmin(np.abs(place - 2.0))
    np.testing.assert_allclose(shares[joint], 0.5)
    sharp = along_chain(0, 4, place, 0.0)[1]
    assert set(np.round(sharp[np.abs(place - np.round(place)) > 0.05].ravel(), 6)) == {0.0, 1.0}


def test_smoothing_keeps_the_sum_and_spreads():
    triangles = np.array([[0, 1, 2], [1, 3, 2], [3, 4, 2]])
    weights = blend_matrix([np.array([[0, 0]] * 3 + [[1, 1]] * 2)], [np.tile([1.0, 0.0], (5, 1))], 2)
    soft = smoothed(weights, triangles, 2).toarray()
    np.testing.assert_allclose(soft.sum(axis=1), 1.0)
    assert 0.0 < soft[2, 1] < 1.0 and soft[0, 0] > soft[3, 0]


def test_drawn_numbers_stay_within_limits_and_their_freedom():
    rng = np.random.default_rng(3)
    weave = woven(rng, 12, 2)
    few = weave(rng, 400)
    assert np.abs(few).max() <= 1.0
    inside = few[(np.abs(few) < 0.999).all(axis=1)]
    assert np.linalg.matrix_rank(inside - inside.mean(axis=0), tol=1e-9) <= 2
    gait = looping(rng.uniform(0, 6, 8), np.ones(8))(rng, 300)
    assert np.abs(gait).max() <= 1.0
    assert np.linalg.matrix_rank(gait, tol=1e-9) == 2
    assert any_of([independent(3), independent(3)])(rng, 7).shape == (7, 3)


def test_limits_are_reached_to_both_sides():
    low, high = np.array([-0.2]), np.array([1.5])
    np.testing.assert_allclose(with_slope(np.array([[-1.0], [0.0], [1.0]]), low, high).ravel(), [-0.2, 0.0, 1.5])
