"""From what is told of handles to bodies and joints, for things that are told by hand."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.special import expit, logit

from backend.learned.infer.joint_kinds import DIRECTION_OFFSET, PLACE_OFFSET
from tests.backend.learned.infer.averaged_outputs import (
    LOWER,
    SLIDES_BACK,
    SURE,
    TURNS_ABOUT_X,
    TURNS_ABOUT_Z,
    UPPER,
    averaged_by_hand,
    carried,
    cells,
    hinge,
    joint,
    put,
    put_together,
)
from tests.backend.learned.infer.test_decode_structure_bends import curtained, plant


def test_where_nothing_moves_there_is_one_handle_and_it_is_still() -> None:
    for told in (averaged_by_hand(4), replace(averaged_by_hand(4), carries=np.full((4, 4), SURE))):
        found = put_together(told)
        assert found.twists.shape == (1, 1, 6) and not found.twists.any()
        assert found.bodies == 0 and not found.handle.any()
        np.testing.assert_array_equal(found.prior_mean, [0.0])
        np.testing.assert_array_equal(found.prior_scale, [1.0])
        weights = found.weights(np.full((3, 4), 0.25, np.float32), np.array([True, False, True]))
        np.testing.assert_array_equal(weights, np.ones((3, 1)))


def test_handles_that_carry_each_other_are_one_body_with_one_screw() -> None:
    """By the mean of what they say: two of three are for the axis z, and one thinks nothing moves."""
    told = averaged_by_hand(5)
    joint(told, 1, TURNS_ABOUT_Z, 0.2)
    joint(told, 2, TURNS_ABOUT_Z, 0.4)
    told.kinds[3, TURNS_ABOUT_X], told.moves[3] = SURE, -1.0
    for handle in (1, 2, 3):
        carried(told, handle, 1, 2, 3)
        put(told, handle, 0, LOWER)
        put(told, handle, 1, UPPER)
    told.means[1:4] = 0.3, 0.6, 0.9
    found = put_together(told)
    np.testing.assert_array_equal(found.handle, [0, 1, 1, 1, 0])
    assert found.bodies == 1 and found.twists.shape == (2, 1, 6)
    assert not found.twists[0].any()
    # The box of all three reaches from 1 to 4.
    np.testing.assert_allclose(found.twists[1, 0], hinge([0, 0, 1], [1.0, 0.5, 0.125], 0.2), atol=1e-12)
    np.testing.assert_allclose(found.prior_mean, [0.6], atol=1e-12)
    np.testing.assert_allclose(found.prior_scale, [0.8], atol=1e-12)


def test_handles_of_a_stiff_part_are_one_body_whatever_they_carry() -> None:
    told = averaged_by_hand(4)
    told.homes[:] = 0, 7, 7, 0
    told.stiff[1:3] = SURE
    joint(told, 1, TURNS_ABOUT_Z)
    joint(told, 2, TURNS_ABOUT_Z)
    np.testing.assert_array_equal(put_together(told).handle, [0, 1, 1, 0])
    told.stiff[1:3] = -SURE
    assert put_together(told).bodies == 2


def test_what_most_of_a_stiff_part_says_of_bending_holds_for_all_of_it() -> None:
    told = averaged_by_hand(4)
    told.homes[:], told.stiff[:] = [0, 1, 1, 1], SURE
    told.firm[1] = -1.0
    assert put_together(told).bodies == 0 and len(put_together(told).twists) == 1


@pytest.mark.parametrize("order", [[0, 1, 2, 3], [3, 1, 0, 2], [2, 3, 1, 0]])
def test_a_chain_of_two_joints(order: list[int]) -> None:
    """Base, arm of two handles, hand: the arm's joint comes first and moves both; a drawer at the end of a door."""
    place = np.argsort(order)
    base, upper_arm, lower_arm, hand = place
    told = averaged_by_hand(4)
    for handle in (upper_arm, lower_arm):
        joint(told, handle, TURNS_ABOUT_Z)
        carried(told, handle, upper_arm, lower_arm, hand)
        put(told, handle, 0, LOWER)
    joint(told, hand, SLIDES_BACK, -1.0)
    found = put_together(told, cells(4)[order])
    assert found.bodies == 2 and found.twists.shape == (3, 2, 6)
    arm = found.handle[upper_arm]
    assert found.handle[base] == 0 and found.handle[lower_arm] == arm and {arm, found.handle[hand]} == {1, 2}
    about = hinge([0, 0, 1], [1.0, 0.25, 0.125])  # of the box of arm and hand, from 1 to 4
    slide = [0.0, 0.0, 0.0, 0.0, -0.5 * np.exp(-1.0), 0.0]  # small things slide a little: half of the longest side
    np.testing.assert_allclose(found.twists[arm], [about, np.zeros(6)], atol=1e-12)
    np.testing.assert_allclose(found.twists[found.handle[hand]], [about, slide], atol=1e-12)


def test_a_body_without_a_joint_goes_with_what_carries_it() -> None:
    told = averaged_by_hand(3)
    joint(told, 1, TURNS_ABOUT_Z)
    carried(told, 1, 2)
    found = put_together(told)
    assert found.twists.shape == (3, 1, 6)
    np.testing.assert_array_equal(found.twists[found.handle[2]], found.twists[found.handle[1]])


def test_of_two_bodies_that_carry_each_other_a_little_the_likelier_one_carries() -> None:
    told = averaged_by_hand(3)
    joint(told, 1, TURNS_ABOUT_Z)
    joint(told, 2, TURNS_ABOUT_Z)
    told.carries[2, 1], told.carries[1, 2] = SURE, -0.5
    twists = put_together(told).twists
    np.testing.assert_array_equal(twists.any(axis=2), [[False, False], [True, False], [True, True]])


def test_of_two_bodies_that_are_likely_to_carry_each_other_the_likelier_one_carries() -> None:
    """A part of two handles, of which one says that it carries the hand, and the hand says so of the other."""
    told = averaged_by_hand(4)
    told.homes[:], told.stiff[1:3] = [0, 1, 1, 2], SURE
    for handle in (1, 2, 3):
        joint(told, handle, TURNS_ABOUT_Z)
    for share, below, above in ((0.95, 3, 1), (0.2, 3, 2), (0.2, 1, 3), (0.85, 2, 3)):
        told.carries[below, above] = logit(share * expit(SURE))
    found = put_together(told)
    np.testing.assert_array_equal(found.handle, [0, 1, 1, 2])
    np.testing.assert_array_equal(found.twists.any(axis=2), [[False, False], [True, False], [True, True]])


@pytest.mark.parametrize(("degrees", "snaps"), [(4.0, True), (12.0, False)])
def test_axes_near_to_one_of_the_frame_lie_along_it(degrees: float, snaps: bool) -> None:
    told = averaged_by_hand(1)
    joint(told, 0, TURNS_ABOUT_Z)
    told.direction[0, 0] = np.tan(np.radians(degrees)) / DIRECTION_OFFSET
    turn = put_together(told).twists[1, 0, :3]
    along = np.array([np.tan(np.radians(degrees)), 0.0, 1.0])
    length = np.linalg.norm(along)
    np.testing.assert_allclose(turn, length * np.array([0.0, 0.0, 1.0]) if snaps else along, atol=1e-12)


@pytest.mark.parametrize(("beside", "kept"), [(0.1, False), (0.3, True)])
def test_a_little_sliding_beside_turning_is_not_meant(beside: float, kept: bool) -> None:
    told = averaged_by_hand(1)
    joint(told, 0, TURNS_ABOUT_Z)
    told.direction[0, 5] = beside / DIRECTION_OFFSET
    pitch = put_together(told).twists[1, 0, 5]
    assert pitch == pytest.approx(0.5 * beside if kept else 0.0, abs=1e-12)


def test_places_are_those_of_the_box_and_a_little_beside() -> None:
    told = averaged_by_hand(1)
    joint(told, 0, TURNS_ABOUT_Z)
    put(told, 0, 1, LOWER)
    told.place[0] = [0.5, -0.2, 0.0]
    through = np.array([0.5, 0.25, 0.0]) + 0.5 * np.array([1.0, 0.5, 0.0]) * (
        np.array([0.0, -1.0, 0.0]) + PLACE_OFFSET * told.place[0]
    )
    np.testing.assert_allclose(put_together(told).twists[1, 0], hinge([0, 0, 1], through), atol=1e-12)


def test_means_stay_below_one_and_scales_above_zero() -> None:
    told = averaged_by_hand(3)
    for handle, mean in ((1, 3.0), (2, -0.4)):
        joint(told, handle, TURNS_ABOUT_Z)
        told.means[handle] = mean
    found = put_together(told)
    np.testing.assert_allclose(sorted(found.prior_mean), [0.0, 0.95])
    assert (found.prior_scale >= 0.3).all() and found.prior_scale.max() == 1.0


def test_points_of_stiff_parts_belong_to_one_body_and_rows_sum_to_one() -> None:
    things, touching = curtained()
    found = put_together(things, touching=touching)
    told = np.random.default_rng(1).dirichlet(np.ones(4), 200).astype(np.float32)
    told[:2] = [[0.1, 0.6, 0.2, 0.1], [0.2, 0.1, 0.3, 0.4]]
    stiff = np.arange(200) % 2 == 0
    weights = found.weights(told, stiff)
    assert weights.dtype == np.float32
    np.testing.assert_allclose(weights.sum(axis=1), 1.0, atol=1e-6)
    assert (weights >= 0.0).all()
    rigid = stiff & (told[:, :2].sum(axis=1) > 0.5)
    np.testing.assert_array_equal(weights[0], [0.0, 1.0, 0.0, 0.0])
    np.testing.assert_array_equal(weights[rigid].max(axis=1), 1.0)
    np.testing.assert_array_equal(weights[rigid].argmax(axis=1), told[rigid, :2].argmax(axis=1))
    np.testing.assert_array_equal((weights[stiff][:, :2] > 0.0).sum(axis=1), 1)
    np.testing.assert_array_equal(weights[~rigid, 2:], told[~rigid, 2:])  # what bends stays as it was told
    # Elsewhere bodies share what is theirs, the larger share sharpened.
    np.testing.assert_allclose(weights[1, :2], 0.3 * np.array([8.0, 1.0]) / 9.0, atol=1e-6)


def test_weights_of_handles_of_one_bone_are_added() -> None:
    told, touching = plant([0, 1], [2, 3, 4, 5])
    found = put_together(told, touching=touching)
    output = np.array([[0.05, 0.1, 0.15, 0.2, 0.3, 0.2]], np.float32)
    np.testing.assert_allclose(found.weights(output, np.array([False])), [[0.15, 0.15, 0.5, 0.2]], atol=1e-6)


def test_weights_of_handles_of_one_body_are_added() -> None:
    told = averaged_by_hand(3)
    for handle in (1, 2):
        joint(told, handle, TURNS_ABOUT_Z)
        carried(told, handle, 1, 2)
    found = put_together(told)
    weights = found.weights(np.array([[0.4, 0.3, 0.3]], np.float32), np.array([True]))
    np.testing.assert_array_equal(weights, [[0.0, 1.0]])
