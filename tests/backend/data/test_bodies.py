"""What motion tells of bodies and joints, for motions whose bodies and screws are known in closed form."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from scipy.linalg import expm
from scipy.spatial.transform import Rotation

from backend.data.bodies import BENDS, UNKNOWN, Bodies, bodies_from_motion
from backend.kinematics.base import Array

HINGE = np.array([0.0, 0.0, 1.0, -0.4, -0.3, 0.0])  # about z through (0.3, -0.4, 0)
ELBOW = np.array([1.0, 0.0, 0.0, 0.0, 0.2, 0.1])  # about x through (0, -0.1, 0.2)
SLIDE = np.array([0.0, 0.0, 0.0, 0.0, -1.0, 0.0])
OPENING = np.array([0.2, 1.4, 0.9, 0.5, 1.1])  # radians
BENDING = np.array([0.8, 0.3, 1.2, -0.2, 0.7])
QUARTER = np.array([[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])
MIRROR = np.diag([-1.0, 1.0, 1.0])


def patches(count: int, low: Sequence[float], high: Sequence[float], seed: int = 0) -> Array:
    """Triangles Float[count,3,3] about random places of a box."""
    rng = np.random.default_rng(seed)
    return rng.uniform(low, high, (count, 1, 3)) + rng.normal(0.0, 0.05, (count, 3, 3))


def motions(*joints: tuple[Array, Array]) -> Array:
    """Float[S,4,4] of joints in a chain, each a twist and its values Float[S], by the series of the exponential."""
    product = np.tile(np.eye(4), (len(joints[0][1]), 1, 1))
    for twist, values in joints:
        (a, b, c), matrix = twist[:3], np.zeros((4, 4))
        matrix[:3] = np.column_stack([[[0.0, -c, b], [c, 0.0, -a], [-b, a, 0.0]], twist[3:]])
        product = product @ np.stack([expm(value * matrix) for value in values])
    return product


def after(motion: Array, points: Array) -> Array:
    """Points (...,3) after motions Float[S,4,4]."""
    moved = points.reshape(-1, 3) @ motion[:, :3, :3].swapaxes(1, 2) + motion[:, None, :3, 3]
    return moved.reshape(len(motion), *points.shape)


STILL = np.tile(np.eye(4), (5, 1, 1))
BASE, ARM, HAND = (
    patches(60, (-1, -1, 0), (1, -0.5, 1)),
    patches(40, (0, -0.4, 0), (0.6, 0, 1), 1),
    patches(30, (0, -0.1, 0.2), (0.2, 0.5, 0.4), 2),
)


def mixed(parts: Sequence[tuple[Array, Array]], seed: int = 5) -> tuple[Array, Array, np.ndarray]:
    """Triangles at rest and moving, in random order, of parts with their motions; and the part of each."""
    part = np.repeat(np.arange(len(parts)), [len(rest) for rest, _ in parts])
    order = np.random.default_rng(seed).permutation(len(part))
    rest = np.concatenate([rest for rest, _ in parts])
    moving = np.concatenate([after(motion, rest) for rest, motion in parts], axis=1)
    return rest[order], moving[:, order], part[order]


def in_order(bodies: Bodies, part: np.ndarray) -> np.ndarray:
    """The body of each part, which is to be one and no other's."""
    number = np.array([bodies.point[part == each][0] for each in range(part.max() + 1)])
    np.testing.assert_array_equal(bodies.point, number[part])
    assert len(set(number.tolist())) == len(number)
    return number


def rms(values: Array) -> float:
    return float(np.sqrt((values**2).mean()))


def turns_about(place: Array, turns: Array) -> Array:
    """Float[S,4,4] of rotation vectors Float[S,3] about a place."""
    found = np.tile(np.eye(4), (len(turns), 1, 1))
    found[:, :3, :3] = Rotation.from_rotvec(turns).as_matrix()
    found[:, :3, 3] = place - found[:, :3, :3] @ place
    return found


@pytest.mark.parametrize("freedom", [2, 3])
def test_a_ball_joint_is_told_from_what_also_slides(freedom: int) -> None:
    turns = np.random.default_rng(4).normal(0.0, 0.4, (5, 3)) * (np.arange(3) < freedom)
    ball = turns_about(np.array([0.1, -0.5, 0.3]), turns)
    rest, moving, part = mixed([(BASE, STILL), (ARM, ball)])
    bodies, _ = bodies_from_motion(rest, moving, anchored=True)
    np.testing.assert_array_equal(in_order(bodies, part), [0, 1])
    assert bodies.hangs[1] and bodies.ball[1] and not bodies.simple[1]
    rest, moving, part = mixed([(BASE, STILL), (ARM, motions((HINGE, OPENING), (SLIDE, 0.5 * BENDING)))])
    bodies, _ = bodies_from_motion(rest, moving, anchored=True)
    assert bodies.hangs[1] and not bodies.ball[1] and not bodies.simple[1]


def test_a_hand_with_a_ball_joint_hangs_on_the_arm_that_turns() -> None:
    arm = motions((HINGE, OPENING))
    turns = np.random.default_rng(4).normal(0.0, 0.4, (5, 3))
    hand = arm @ turns_about(np.array([0.1, 0.0, 0.3]), turns)
    rest, moving, part = mixed([(BASE, STILL), (ARM, arm), (HAND, hand)])
    bodies, _ = bodies_from_motion(rest, moving, anchored=True)
    number = in_order(bodies, part)
    np.testing.assert_array_equal(bodies.ball[number], [False, False, True])
    np.testing.assert_array_equal(bodies.simple[number], [False, True, False])
    np.testing.assert_array_equal(bodies.carries[np.ix_(number, number)], [[0, 0, 0], [0, 1, 1], [0, 0, 1]])


def test_a_hinged_box() -> None:
    rest, moving, part = mixed([(BASE, STILL), (ARM, motions((HINGE, OPENING)))])
    bodies, base = bodies_from_motion(rest, moving, anchored=True)
    assert base is None and bodies.point.dtype == np.int64
    np.testing.assert_array_equal(in_order(bodies, part), [0, 1])
    np.testing.assert_array_equal(bodies.hangs, [False, True])
    np.testing.assert_array_equal(bodies.simple, [False, True])
    np.testing.assert_array_equal(bodies.carries, [[False, False], [False, True]])
    np.testing.assert_allclose(bodies.screws[1], rms(OPENING) * HINGE, atol=1e-8)
    assert bodies.means[1] == pytest.approx(OPENING.mean() / rms(OPENING), abs=1e-8)
    middles = ARM.mean(axis=1)
    np.testing.assert_allclose(bodies.boxes[1], [middles.min(axis=0), middles.max(axis=0)], atol=1e-12)
    np.testing.assert_array_equal(bodies.sided, [False, True])


@pytest.mark.parametrize("values", [OPENING, -OPENING])
def test_screws_point_the_way_in_which_the_joint_opens(values: Array) -> None:
    rest, moving, _ = mixed([(BASE, STILL), (ARM, motions((HINGE, values)))])
    expected = np.sign(values.mean()) * rms(values) * HINGE
    np.testing.assert_allclose(bodies_from_motion(rest, moving, anchored=True)[0].screws[1], expected, atol=1e-8)


def test_a_drawer_that_goes_both_ways() -> None:
    values = np.array([0.3, -0.25, 0.1, -0.3, 0.2])
    rest, moving, _ = mixed([(BASE, STILL), (ARM, motions((SLIDE, values)))])
    bodies = bodies_from_motion(rest, moving, anchored=True)[0]
    np.testing.assert_allclose(bodies.screws[1], rms(values) * SLIDE, atol=1e-8)
    assert bodies.means[1] == pytest.approx(values.mean() / rms(values), abs=1e-8)
    assert bodies.simple[1] and not bodies.sided[1]


@pytest.mark.parametrize("seed", range(4))
def test_a_chain_of_two_joints(seed: int) -> None:
    """In whatever order its bodies are found: the hand hangs on the arm, and its screw is that of the rest."""
    arm, hand = motions((HINGE, OPENING)), motions((HINGE, OPENING), (ELBOW, BENDING))
    rest, moving, part = mixed([(BASE, STILL), (ARM, arm), (HAND, hand)], seed)
    bodies = bodies_from_motion(rest, moving, anchored=True)[0]
    order = in_order(bodies, part)
    assert order[0] == 0
    np.testing.assert_array_equal(bodies.carries[order][:, order], [[0, 0, 0], [0, 1, 1], [0, 0, 1]])
    np.testing.assert_array_equal(bodies.simple[order], [False, True, True])
    expected = [np.zeros(6), rms(OPENING) * HINGE, rms(BENDING) * ELBOW]
    np.testing.assert_allclose(bodies.screws[order], expected, atol=1e-7)
    places = np.concatenate([ARM, HAND]).mean(axis=1)
    np.testing.assert_allclose(bodies.boxes[order[1]], [places.min(axis=0), places.max(axis=0)], atol=1e-12)
    places = HAND.mean(axis=1)
    np.testing.assert_allclose(bodies.boxes[order[2]], [places.min(axis=0), places.max(axis=0)], atol=1e-12)


def test_two_doors_of_one_cabinet_hang_on_it_alone() -> None:
    other = HINGE * np.array([1, 1, 1, 1, -1, 1])
    rest, moving, part = mixed([(BASE, STILL), (ARM, motions((HINGE, OPENING))), (HAND, motions((other, BENDING)))])
    bodies = bodies_from_motion(rest, moving, anchored=True)[0]
    order = in_order(bodies, part)
    np.testing.assert_array_equal(bodies.carries[order][:, order], np.diag([False, True, True]))


def test_a_ball_joint_is_a_joint_but_no_simple_one() -> None:
    turns = np.tile(np.eye(4), (5, 1, 1))
    turns[:, :3, :3] = Rotation.from_rotvec(np.random.default_rng(0).normal(0.0, 0.5, (5, 3))).as_matrix()
    rest, moving, _ = mixed([(BASE, STILL), (ARM, turns)])
    bodies = bodies_from_motion(rest, moving, anchored=True)[0]
    assert bodies.hangs[1] and not bodies.simple[1] and bodies.carries[1, 1]


def bent(points: Array, states: int = 5) -> Array:
    """A sheet that rolls up about y, more in each state."""
    radius = 1.0 / np.linspace(0.3, 2.0, states).reshape(-1, *[1] * (points.ndim - 1))
    angle = points[..., 0] / radius
    height = radius - points[..., 2]
    side = np.broadcast_to(points[..., 1], angle.shape)
    return np.stack([height * np.sin(angle), side, radius - height * np.cos(angle)], axis=-1)


SHEET = patches(80, (-1.0, -0.5, 0.0), (1.0, 0.5, 0.0), 3)


@pytest.mark.parametrize("anchored", [True, False])
def test_a_sheet_that_bends_is_no_body(anchored: bool) -> None:
    bodies, base = bodies_from_motion(SHEET, bent(SHEET), anchored)
    assert base is None
    assert (bodies.point == BENDS).all()
    assert not bodies.hangs.any() and not bodies.carries.any()


def test_what_bends_beside_a_base_leaves_the_base_a_body() -> None:
    rest = np.concatenate([BASE, SHEET])
    moving = np.concatenate([after(STILL, BASE), bent(SHEET)], axis=1)
    bodies, base = bodies_from_motion(rest, moving, anchored=True)
    assert base is None
    np.testing.assert_array_equal(bodies.point, np.repeat([0, BENDS], [60, 80]))


def test_of_what_bends_and_is_not_anchored_nothing_stands_still() -> None:
    """Not even what moves as one body: the motion of the whole is not known."""
    flight = motions((ELBOW, BENDING))
    rest = np.concatenate([ARM, SHEET])
    moving = np.concatenate([after(flight, ARM), bent(SHEET)], axis=1)
    bodies, base = bodies_from_motion(rest, moving, anchored=False)
    assert base is None
    np.testing.assert_array_equal(bodies.point, np.repeat([1, BENDS], [40, 80]))
    assert not bodies.hangs.any()


def test_the_largest_body_of_what_flies_counts_as_its_base() -> None:
    """Taken out of the states, its motion leaves the joint alone."""
    flight = motions((ELBOW, BENDING), (SLIDE, OPENING))
    rest, moving, part = mixed([(BASE, flight), (ARM, flight @ motions((HINGE, OPENING)))])
    bodies, base = bodies_from_motion(rest, moving, anchored=False)
    np.testing.assert_array_equal(in_order(bodies, part), [0, 1])
    np.testing.assert_array_equal(bodies.hangs, [False, True])
    np.testing.assert_allclose(bodies.screws[1], rms(OPENING) * HINGE, atol=1e-7)
    assert base is not None
    turn, shift = base
    np.testing.assert_allclose(turn, flight[:, :3, :3], atol=1e-9)
    np.testing.assert_allclose(shift, flight[:, :3, 3], atol=1e-9)


def test_a_few_points_are_no_body_and_bend_nothing() -> None:
    few = patches(5, (0.5, 0.5, 0.5), (0.6, 0.6, 0.6), 4)
    rest, moving, part = mixed([(BASE, STILL), (ARM, motions((HINGE, OPENING))), (few, motions((SLIDE, BENDING)))])
    bodies = bodies_from_motion(rest, moving, anchored=True)[0]
    np.testing.assert_array_equal(bodies.point, np.array([0, 1, UNKNOWN])[part])


@pytest.mark.parametrize("turn", [QUARTER, QUARTER @ QUARTER, MIRROR, QUARTER @ MIRROR, np.roll(np.eye(3), 1, axis=0)])
def test_turned_bodies_are_those_of_the_turned_motion(turn: Array) -> None:
    check_turned(turn, exact=True)


@pytest.mark.parametrize("turn", [np.eye(3), MIRROR])
def test_turned_by_any_angle_boxes_hold_at_least_what_they_held(turn: Array) -> None:
    check_turned(Rotation.from_rotvec([0.3, -0.2, 0.6]).as_matrix() @ turn, exact=False)


def check_turned(turn: Array, exact: bool) -> None:
    hand = motions((HINGE, OPENING), (ELBOW, BENDING))
    rest, moving, _ = mixed([(BASE, STILL), (ARM, motions((HINGE, OPENING))), (HAND, hand)])
    shift = np.array([0.1, -0.2, 0.05])
    found = bodies_from_motion(rest, moving, anchored=True)[0].turned(turn, shift)
    expected = bodies_from_motion(rest @ turn.T + shift, moving @ turn.T + shift, anchored=True)[0]
    for name in ("point", "hangs", "simple", "carries"):
        np.testing.assert_array_equal(getattr(found, name), getattr(expected, name))
    np.testing.assert_allclose(found.screws, expected.screws, atol=1e-6)
    np.testing.assert_allclose(found.means, expected.means, atol=1e-6)
    boxes, true = found.boxes[found.hangs], expected.boxes[found.hangs]
    if exact:
        np.testing.assert_allclose(boxes, true, atol=1e-9)
    else:
        assert (boxes[:, 0] <= true[:, 0] + 1e-9).all() and (boxes[:, 1] >= true[:, 1] - 1e-9).all()
