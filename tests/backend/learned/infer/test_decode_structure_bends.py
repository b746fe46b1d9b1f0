"""From what is told of handles to bodies and bones, for things that bend and are told by hand."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from scipy.linalg import expm

from backend.kinematics.base import Array
from backend.learned.infer.decode_structure import DecodedStructure, decode_structure
from backend.learned.infer.rotation_averaging import Averaged
from backend.learned.infer.structure import MOVES
from tests.backend.learned.infer.averaged_outputs import (
    LOWER,
    SURE,
    TURNING,
    TURNS_ABOUT_Z,
    averaged_by_hand,
    bend,
    carried,
    cells,
    hinge,
    joint,
    put,
    put_together,
    soften,
)


def one_part(told: Averaged, *handles: int) -> None:
    """These are of one stiff loose part."""
    told.homes[list(handles)], told.stiff[list(handles)] = handles[0], SURE


def check_axes(found: DecodedStructure, columns: Sequence[int], axes: str, handle: int, pivot: Array) -> None:
    """About the axes of the frame with these letters, either way round, through a point."""
    for column, letter in zip(columns, axes, strict=True):
        expected = hinge(np.eye(3)["xyz".index(letter)], pivot)
        twist = found.twists[handle, column]
        np.testing.assert_allclose(twist * np.sign(twist @ expected), expected, atol=1e-9)


def plant(pot: Sequence[int], stalk: Sequence[int]) -> tuple[Averaged, list[tuple[int, int]]]:
    """A stiff pot of two handles with a stalk of four, of which the third and the fourth hardly turn on each other."""
    told = averaged_by_hand(6)
    one_part(told, *pot)
    soften(told, *stalk)
    chain = [pot[1], *stalk]
    turns = [(0.3, 0.2, 0.1), (0.4, 0.05, 0.02), (0.02, 0.01, 0.03), (0.2, 0.25, 0.15)]
    for number, deviations in enumerate(turns):
        bend(told, chain[number], chain[number + 1], deviations, [0.1 * number, 1.0, -0.5])
    return told, list(pairwise(chain))


def doll(order: Sequence[int]) -> tuple[Averaged, list[int]]:
    """A trunk, an upper arm in a ball joint, a lower arm on a hinge, a hand in a ball joint; and where they are."""
    place = np.argsort(order).tolist()
    trunk, upper, lower, hand = place
    told = averaged_by_hand(4)
    for handle, below in ((upper, (lower, hand)), (lower, (hand,)), (hand, ())):
        joint(told, handle, TURNS_ABOUT_Z)
        carried(told, handle, *below)
    told.balls[[upper, hand]] = SURE
    bend(told, trunk, upper, (0.3, 0.2, 0.1), [1.0, 0.0, 0.0])
    bend(told, lower, hand, (0.2, 0.0, 0.0), [3.0, 0.0, 0.0])
    return told, place


@pytest.mark.parametrize("order", [[0, 1, 2, 3], [2, 0, 3, 1]])
def test_a_doll_has_ball_joints_and_hinges(order: list[int]) -> None:
    """The joint nearer to the trunk comes first, whatever its kind; none springs back."""
    told, place = doll(order)
    trunk, upper, lower, hand = place
    touching = [(trunk, upper), (upper, lower), (lower, hand)]
    found = put_together(told, cells(4)[order], touching)
    assert found.bodies == 3 and found.twists.shape == (4, 5, 6)
    np.testing.assert_array_equal(found.bends, np.zeros(5, dtype=bool))
    moved = found.twists[found.handle[[trunk, upper, lower, hand]]].any(axis=2)
    np.testing.assert_array_equal(moved, np.array([[0] * 5, [1] * 3 + [0] * 2, [1] * 4 + [0], [1] * 5], dtype=bool))
    check_axes(found, range(3), "xyz", found.handle[hand], np.array([1.0, 0.0, 0.0]))
    check_axes(found, [4], "x", found.handle[hand], np.array([3.0, 0.0, 0.0]))
    np.testing.assert_allclose(found.prior_scale, [0.3, 0.2, 0.1, 1.0, 0.2], atol=1e-9)
    told.balls[[upper, hand]] = -SURE
    assert put_together(told, cells(4)[order], touching).twists.shape == (4, 3, 6)


def test_an_arm_does_not_turn_on_what_it_takes_along() -> None:
    """Though the lower arm is nearer to it than the trunk is."""
    told, (trunk, upper, lower, hand) = doll([0, 1, 2, 3])
    found = put_together(told, touching=[(upper, lower), (lower, hand)])
    check_axes(found, range(3), "xyz", found.handle[upper], np.array([1.0, 0.0, 0.0]))
    assert not found.twists[found.handle[trunk]].any()


def test_a_body_that_is_alone_has_no_ball_joint() -> None:
    told = averaged_by_hand(1)
    joint(told, 0, TURNS_ABOUT_Z)
    told.balls[0] = SURE
    assert put_together(told).twists.shape == (2, 1, 6)


@pytest.mark.parametrize("order", [[0, 1, 2, 3, 4, 5], [5, 3, 1, 0, 2, 4]])
def test_a_plant_in_a_pot(order: list[int]) -> None:
    """The pot stands still; from there each bone turns on the one below it, and takes along all that hang on it."""
    place = np.argsort(order)
    pot, stalk = place[:2].tolist(), place[2:].tolist()
    told, touching = plant(pot, stalk)
    told.means[:] = 0.7  # of joints
    found = put_together(told, cells(6)[order], touching)
    assert found.bodies == 0 and found.twists.shape == (4, 8, 6) and found.choices == ()
    assert not found.handle[pot].any() and not found.twists[0].any()
    lower, middle, again, upper = found.handle[stalk]
    assert middle == again and sorted([lower, middle, upper]) == [1, 2, 3]
    np.testing.assert_array_equal(found.twists[lower].any(axis=1), np.arange(8) < 3)
    np.testing.assert_array_equal(found.twists[middle].any(axis=1), np.arange(8) < 5)
    assert found.twists[upper].any(axis=1).all()
    np.testing.assert_array_equal(found.twists[middle, :3], found.twists[lower, :3])
    np.testing.assert_array_equal(found.twists[upper, :5], found.twists[middle, :5])
    np.testing.assert_allclose(found.prior_scale, [0.3, 0.2, 0.1, 0.4, 0.05, 0.25, 0.2, 0.15], atol=1e-9)
    np.testing.assert_array_equal(found.prior_mean, np.zeros(8))
    np.testing.assert_array_equal(found.bends, np.ones(8, dtype=bool))
    check_axes(found, range(3), "xyz", lower, np.array([0.0, 1.0, -0.5]))
    check_axes(found, range(3, 5), "xy", middle, np.array([0.1, 1.0, -0.5]))
    check_axes(found, range(5, 8), "yxz", upper, np.array([0.3, 1.0, -0.5]))


def matrices(found: DecodedStructure, z: Array) -> Array:
    """Float[handles,4,4], the product of exponentials, first column first."""
    motions = np.tile(np.eye(4), (len(found.twists), 1, 1))
    for handle, column in np.ndindex(found.twists.shape[:2]):
        (a, b, c), move = np.split(found.twists[handle, column], 2)
        rate = np.zeros((4, 4))
        rate[:3] = np.column_stack([[[0.0, -c, b], [c, 0.0, -a], [-b, a, 0.0]], move])
        motions[handle] = motions[handle] @ expm(z[column] * rate)
    return motions


def test_bones_stay_together_at_their_pivots_however_they_turn() -> None:
    """And the first of a chain turns all as one: its motion is a factor of all others."""
    told, touching = plant([0, 1], [2, 3, 4, 5])
    found = put_together(told, touching=touching)
    rng = np.random.default_rng(0)
    for _ in range(5):
        z = rng.normal(size=found.twists.shape[1])
        moved = matrices(found, z)
        for below, above, pivot in ((1, 2, told.pivots[1, 2]), (2, 3, told.pivots[2, 3]), (4, 5, told.pivots[4, 5])):
            one, other = moved[found.handle[[below, above]]]
            assert np.abs(one - other).max() > 0.1
            np.testing.assert_allclose(one @ [*pivot, 1.0], other @ [*pivot, 1.0], atol=1e-9)
        outer = matrices(found, z * (np.arange(8) < 3))[1]
        np.testing.assert_allclose(moved[1:], outer @ matrices(found, z * (np.arange(8) >= 3))[1:], atol=1e-9)


def test_twigs_of_one_stem_do_not_move_each_other() -> None:
    told = averaged_by_hand(4)
    soften(told, 1, 2, 3)
    found = put_together(told, touching=[(0, 1), (1, 2), (1, 3)])
    np.testing.assert_array_equal(found.handle, [0, 1, 2, 3])
    moved = found.twists.any(axis=2)
    np.testing.assert_array_equal(moved[1], np.arange(9) < 3)
    assert moved[2:, :3].all() and (moved[2, 3:] != moved[3, 3:]).all()
    np.testing.assert_allclose(found.prior_scale, TURNING)


def soft_toy(eye: Sequence[float]) -> DecodedStructure:
    """A trunk of three handles that hardly bends, a head that nods, and an eye that turns so far in the head."""
    told = averaged_by_hand(5)
    soften(told, 0, 1, 2, 3)
    for one, other in ((0, 1), (0, 2), (1, 2)):
        bend(told, one, other, [0.01, 0.02, 0.01])
    bend(told, 2, 3, [0.3, 0.2, 0.01])
    bend(told, 3, 4, eye)
    return put_together(told, touching=[(0, 1), (1, 2), (2, 3), (3, 4)])


def test_eyes_go_with_the_head() -> None:
    """The trunk stands still; head and eye are moved by the two axes of the neck alone, whatever the eye's place."""
    found = soft_toy([0.02, 0.02, 0.02])
    assert found.bodies == 1 and found.twists.shape == (3, 2, 6)
    np.testing.assert_array_equal(found.handle, [0, 0, 0, 2, 1])  # the eye is a rigid body and stands before bones
    np.testing.assert_array_equal(found.twists[1], found.twists[2])
    assert found.twists[1].any(axis=1).all() and found.bends.all()
    np.testing.assert_allclose(found.prior_scale, [0.3, 0.2], atol=1e-9)


def test_eyes_that_turn_have_axes_of_their_own_that_leave_the_head_alone() -> None:
    found = soft_toy([0.01, 0.4, 0.01])
    assert found.bodies == 1 and found.twists.shape == (3, 3, 6)
    np.testing.assert_array_equal(found.twists.any(axis=2), [[0, 0, 0], [1, 1, 1], [1, 1, 0]])
    np.testing.assert_array_equal(found.twists[1, :2], found.twists[2, :2])
    np.testing.assert_allclose(found.prior_scale, [0.3, 0.2, 0.4], atol=1e-9)


def curtained() -> tuple[Averaged, list[tuple[int, int]]]:
    """A frame, a door, and a cloth of two handles that hangs on the door."""
    told = averaged_by_hand(4)
    joint(told, 1, TURNS_ABOUT_Z, 0.3)
    put(told, 1, 0, LOWER)
    told.means[:] = 0.9, 0.6, 0.4, -0.3
    soften(told, 2, 3)
    return told, [(0, 1), (1, 2), (2, 3)]


def test_a_cloth_that_hangs_on_a_door_goes_with_it() -> None:
    """Columns of joints come first, so that the cloth turns where the door took it; the box is the door's."""
    told, touching = curtained()
    found = put_together(told, touching=touching)
    assert found.bodies == 1 and found.twists.shape == (4, 1 + 3 + 3, 6)
    np.testing.assert_array_equal(found.handle, [0, 1, 2, 3])
    np.testing.assert_array_equal(found.bends, [False] + [True] * 6)
    door = hinge([0, 0, 1], [1.0, 0.25, 0.125], 0.3)
    np.testing.assert_allclose(found.twists[:, 0], [np.zeros(6), door, door, door], atol=1e-12)
    assert not found.twists[0].any() and not found.twists[1, 1:].any()
    np.testing.assert_array_equal(found.twists[2].any(axis=1), np.arange(7) < 4)
    assert found.twists[3].any(axis=1).all()
    np.testing.assert_allclose(found.prior_mean, [0.6] + [0.0] * 6)
    np.testing.assert_allclose(found.prior_scale, [0.8] + [TURNING] * 6)


def test_a_cloth_that_hangs_on_the_frame_stays_though_the_door_opens() -> None:
    told, _ = curtained()
    told.carries[2:, 1] = SURE  # what is said of joints and soft handles does not count
    found = put_together(told, touching=[(0, 1), (0, 2), (2, 3)])
    np.testing.assert_array_equal(found.twists[:, 0].any(axis=1), [False, True, False, False])
    assert found.twists[3, 1:].any(axis=1).all()


def test_what_hangs_on_a_drawer_that_a_door_carries_goes_with_both() -> None:
    told = averaged_by_hand(4)
    for handle in (1, 2):
        joint(told, handle, TURNS_ABOUT_Z)
    told.carries[2, 1] = SURE
    soften(told, 3)
    found = put_together(told, touching=[(2, 3)])
    np.testing.assert_array_equal(found.bends, [False, False, True, True, True])
    np.testing.assert_array_equal(
        found.twists.any(axis=2), [[0, 0, 0, 0, 0], [1, 0, 0, 0, 0], [1, 1, 0, 0, 0], [1, 1, 1, 1, 1]]
    )


def test_a_leaf_on_its_stem_has_no_hinge() -> None:
    """What hangs on bones turns as those say, whatever is said of its joint; a door in the same pot keeps its own."""
    told = averaged_by_hand(5)
    one_part(told, 0, 1)
    soften(told, 2)
    for handle in (3, 4):
        joint(told, handle, TURNS_ABOUT_Z)
    bend(told, 2, 3, [0.3, 0.01, 0.2])
    found = put_together(told, touching=[(1, 2), (2, 3), (1, 4)])
    np.testing.assert_array_equal(found.bends, [False] + [True] * 5)
    stem, leaf, door = found.handle[[2, 3, 4]]
    np.testing.assert_array_equal(found.twists[door].any(axis=1), [1, 0, 0, 0, 0, 0])
    np.testing.assert_array_equal(found.twists[stem].any(axis=1), [0, 1, 1, 1, 0, 0])
    np.testing.assert_array_equal(found.twists[leaf].any(axis=1), [0, 1, 1, 1, 1, 1])
    check_axes(found, [4, 5], "xz", leaf, told.pivots[2, 3])


def test_what_moves_is_not_what_all_hangs_on_however_large_it_is() -> None:
    """A door of three handles in a frame of one, with a cloth on it."""
    told = averaged_by_hand(5)
    one_part(told, 1, 2, 3)
    for handle in (1, 2, 3):
        joint(told, handle, TURNS_ABOUT_Z)
    soften(told, 4)
    found = put_together(told, touching=[(0, 1), (3, 4)])
    np.testing.assert_array_equal(found.handle, [0, 1, 1, 1, 2])
    np.testing.assert_array_equal(found.twists.any(axis=2), [[0, 0, 0, 0], [1, 0, 0, 0], [1, 1, 1, 1]])


def test_what_a_joint_carries_is_not_what_all_hangs_on_either() -> None:
    """A door in a frame of one handle takes along a body of three, which has no joint; a cloth is on the frame."""
    told = averaged_by_hand(6)
    joint(told, 1, TURNS_ABOUT_Z)
    carried(told, 1, 2, 3, 4)
    one_part(told, 2, 3, 4)
    soften(told, 5)
    found = put_together(told, touching=[(0, 1), (1, 2), (0, 5)])
    assert found.handle[0] == 0 and found.bodies == 2
    np.testing.assert_array_equal(found.bends, [False, True, True, True])
    moved = found.twists[found.handle].any(axis=2)
    np.testing.assert_array_equal(moved, [[0, 0, 0, 0], *[[1, 0, 0, 0]] * 4, [0, 1, 1, 1]])


@pytest.mark.parametrize(("apart", "hinged"), [(0.02, True), (0.2, False)])
def test_a_door_keeps_its_hinge_where_something_soft_lies_between_it_and_its_frame(apart: float, hinged: bool) -> None:
    """A seal that touches both is the shorter way; what is far from all that is firm hangs on it, as a leaf does."""
    told = averaged_by_hand(3)
    joint(told, 1, TURNS_ABOUT_Z)
    soften(told, 2)
    bend(told, 0, 1, [0.0, 0.0, 1.0])
    gaps = 1.0 - np.eye(3)
    for one, other, gap in ((0, 1, apart), (0, 2, 0.001), (1, 2, 0.001)):
        gaps[one, other] = gaps[other, one] = gap
    found = decode_structure(told, cells(3), gaps)
    door, seal = found.twists[found.handle[1:]].any(axis=2)
    assert found.handle[0] == 0 and found.bodies == 1
    if hinged:
        np.testing.assert_array_equal(found.bends, [False, True, True, True])
        np.testing.assert_array_equal([door, seal], [[1, 0, 0, 0], [0, 1, 1, 1]])
    else:
        assert found.bends.all()
        np.testing.assert_array_equal([door, seal], [[1] * 6, [1] * 3 + [0] * 3])


@pytest.mark.parametrize(("turns", "still"), [(0.005, True), (0.2, False)])
def test_a_hammock_hangs_on_both_of_its_posts(turns: float, still: bool) -> None:
    """A post of two handles, a cloth of two, and one more post, which goes with the cloth where it turns itself."""
    told = averaged_by_hand(5)
    one_part(told, 0, 1)
    soften(told, 2, 3)
    for post in (0, 1):
        bend(told, post, 4, [turns] * 3)
    found = put_together(told, touching=[(1, 2), (2, 3), (3, 4)])
    assert found.bends.all() and not found.handle[:2].any()
    assert found.bodies == (0 if still else 1) and (found.handle[4] == 0) == still
    moved = found.twists[found.handle[2:]].any(axis=2)
    if still:
        np.testing.assert_array_equal(moved, [[1, 1, 1, 0, 0, 0], [0, 0, 0, 1, 1, 1], [0] * 6])
    else:
        np.testing.assert_array_equal(moved, [[1] * 3 + [0] * 6, [1] * 6 + [0] * 3, [1] * 9])


@pytest.mark.parametrize("post", [1, 4])
def test_a_gate_on_either_post_of_a_hammock_has_its_hinge(post: int) -> None:
    told = averaged_by_hand(6)
    one_part(told, 0, 1)
    soften(told, 2, 3)
    for each in (0, 1):
        bend(told, each, 4, [0.005] * 3)
    joint(told, 5, TURNS_ABOUT_Z)
    found = put_together(told, touching=[(1, 2), (2, 3), (3, 4), (post, 5)])
    assert found.bends.tolist() == [False] + [True] * 6 and found.bodies == 1
    moved = found.twists[found.handle[5]].any(axis=1)
    np.testing.assert_array_equal(moved, ~found.bends)


@pytest.mark.parametrize("size", [2, 5])
def test_one_body_with_a_tail_stands_still_though_it_seems_to_move(size: int) -> None:
    """With nothing else that could stand still than the tail; beside another body it keeps its joint."""
    told = averaged_by_hand(size + 1)
    body = list(range(size))
    one_part(told, *body)
    for handle in body:
        joint(told, handle, TURNS_ABOUT_Z)
    told.moves[body] = MOVES + 0.01
    found = put_together(told)
    assert found.bends.tolist() == [False]
    soften(told, size)
    found = put_together(told, touching=[(size - 1, size)])
    np.testing.assert_array_equal(found.handle, [0] * size + [1])
    assert found.bodies == 0 and found.twists.shape == (2, 3, 6) and found.bends.all()


@pytest.mark.parametrize("joints", [False, True])
def test_of_what_is_soft_all_over_the_largest_bone_stands_still(joints: bool) -> None:
    """From there bones hang both ways; what is said of joints does not matter."""
    told = averaged_by_hand(6)
    soften(told, *range(6))
    bend(told, 2, 3, [0.02, 0.02, 0.02])
    if joints:
        for handle in range(6):
            joint(told, handle, TURNS_ABOUT_Z)
    found = put_together(told, touching=[(number, number + 1) for number in range(5)])
    assert found.bodies == 0 and found.twists.shape == (5, 12, 6) and found.bends.all()
    assert found.handle[2] == found.handle[3] == 0 and not found.twists[0].any()
    axes = found.twists[found.handle].any(axis=2).sum(axis=1)
    np.testing.assert_array_equal(axes, [6, 3, 0, 0, 3, 6])
    shared = (found.twists[found.handle[0]].any(axis=1) & found.twists[found.handle[5]].any(axis=1)).sum()
    assert shared == 0


def test_what_could_bend_but_does_not_stands_still() -> None:
    told = averaged_by_hand(3)
    soften(told, *range(3))
    told.turning[:] *= 0.001
    for touching in ([(0, 1), (1, 2)], []):  # one bone, or three that have no axes between them
        found = put_together(told, touching=touching)
        assert found.twists.shape == (1, 1, 6) and not found.twists.any()
        assert found.bodies == 0 and not found.handle.any() and not found.bends.any()
        np.testing.assert_array_equal(found.prior_scale, [1.0])


def test_where_the_largest_is_soft_no_part_has_a_joint_to_the_ground() -> None:
    """A hat on a body that hardly bends: its joint is dropped, with its choices, and it turns on the body instead."""
    told = averaged_by_hand(4)
    soften(told, 0, 1, 2)
    for one, other in ((0, 1), (0, 2), (1, 2)):
        bend(told, one, other, [0.01, 0.01, 0.01])
    bend(told, 2, 3, [0.3, 0.5, 0.1])
    joint(told, 3, TURNS_ABOUT_Z)
    told.places[3, 0] = 0.0
    found = put_together(told, touching=[(0, 1), (1, 2), (2, 3)])
    assert found.choices == () and found.bends.all()
    assert found.bodies == 1 and found.twists.shape == (2, 3, 6)
    np.testing.assert_array_equal(found.handle, [0, 0, 0, 1])
    check_axes(found, range(3), "yxz", 1, np.array([3.0, 0.25, 0.125]))


@pytest.mark.parametrize(("size", "rigid"), [(2, True), (3, False)])
def test_what_is_rigid_stands_still_before_a_bone_that_is_a_little_larger(size: int, rigid: bool) -> None:
    """A stone of one handle, and a bag of two or three that hangs on it, or on which it lies."""
    told = averaged_by_hand(1 + size)
    soften(told, *range(1, 1 + size))
    told.turning[1:, 1:] *= 1e-4
    found = put_together(told, touching=[(number, number + 1) for number in range(size)])
    np.testing.assert_array_equal(found.handle, [0] + [1] * size if rigid else [1] + [0] * size)
    assert found.bodies == (0 if rigid else 1)
    assert found.twists.shape == (2, 3, 6)


def test_what_is_firm_does_not_change_where_nothing_bends() -> None:
    """What is told of bends is not asked for."""
    told = averaged_by_hand(3)
    joint(told, 1, TURNS_ABOUT_Z)
    wild = replace(told, turning=np.full_like(told.turning, np.nan), pivots=np.full_like(told.pivots, np.nan))
    np.testing.assert_array_equal(put_together(wild).twists, put_together(told).twists)
    assert put_together(told).twists.shape == (2, 1, 6)
