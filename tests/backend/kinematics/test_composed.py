"""Composed kinematics: derivatives against differences, and a single piece against the kinematics of its own."""

from __future__ import annotations

import numpy as np
import pytest

from backend.kinematics.articulated import ArticulatedKinematics
from backend.kinematics.base import ReferenceFrame
from backend.kinematics.composed import ComposedKinematics, PieceOnLink, StillLink
from backend.kinematics.elastic import ElasticKinematics
from backend.kinematics.joint_tree import Joint, JointTree
from backend.kinematics.rooted import RootedKinematics

FRAME = ReferenceFrame(np.array([0.3, -0.2, 0.5]), 1.7)
TREE = JointTree(
    ("base", "door", "drawer"),
    (
        Joint(1, 0, "revolute", np.array([0.0, 0.0, 1.0]), np.array([0.4, 0.1, 0.0]), -1.0, 2.0),
        Joint(2, 1, "prismatic", np.array([1.0, 0.5, 0.0]), np.zeros(3), 0.0, 0.5),
    ),
)


def soft(handles: int, seed: int) -> ElasticKinematics:
    rng = np.random.default_rng(seed)
    rest = np.zeros((4 * handles, 3))
    rest[:4] = FRAME.rest_handle()
    reduction = rng.normal(size=(4 * handles, 3))
    reduction[:4] = 0.0  # its constant handle is held by the link
    return ElasticKinematics(rest, reduction)


@pytest.fixture
def kinematics() -> ComposedKinematics:
    pieces = (PieceOnLink(0), PieceOnLink(1, soft(2, 1)), PieceOnLink(2), PieceOnLink(0, soft(3, 2)))
    return ComposedKinematics(ArticulatedKinematics(TREE, FRAME), pieces, FRAME)


def rooted(kinematics: ComposedKinematics) -> RootedKinematics:
    return RootedKinematics(kinematics, np.array([0.1, 0.2, 0.3]), kinematics.shift)


@pytest.mark.parametrize("wrap", [lambda each: each, rooted], ids=["on its base", "free"])
def test_derivatives_are_those_of_differences(kinematics, wrap):
    moving, rng = wrap(kinematics), np.random.default_rng(3)
    q, rate, force = (
        rng.normal(size=moving.dof),
        rng.normal(size=moving.dof),
        rng.normal(size=moving.handles(moving.rest()).shape),
    )
    step = 1e-5
    slope = (moving.handles(q + step * rate) - moving.handles(q - step * rate)) / (2.0 * step)
    np.testing.assert_allclose(moving.push(q, rate), slope, atol=1e-8)
    np.testing.assert_allclose((moving.jacobian(q) @ rate).reshape(-1, 3), slope, atol=1e-8)
    assert moving.pull(q, force) @ rate == pytest.approx(float(np.vdot(force, slope)), rel=1e-8)
    bend = (moving.push(q + step * rate, rate) - moving.push(q - step * rate, rate)) / (2.0 * step)
    np.testing.assert_allclose(moving.acceleration(q, rate), bend, atol=1e-7)
    change = (moving.pull(q + step * rate, force) - moving.pull(q - step * rate, force)) / (2.0 * step)
    np.testing.assert_allclose(moving.curvature(q, force) @ rate, change, atol=1e-7)
    np.testing.assert_allclose(moving.curvature(q, force), moving.curvature(q, force).T, atol=1e-12)


def test_at_rest_every_piece_is_where_it_is_drawn(kinematics):
    handles = kinematics.handles(kinematics.rest())
    for rows in kinematics.rows:
        np.testing.assert_allclose(handles[rows][:4], FRAME.rest_handle(), atol=1e-12)
        np.testing.assert_allclose(handles[rows][4:], 0.0, atol=1e-12)


def test_rigid_pieces_move_as_the_tree_does():
    links = ArticulatedKinematics(TREE, FRAME)
    pieces = tuple(PieceOnLink(number) for number in range(3))
    composed, q = ComposedKinematics(links, pieces, FRAME), np.array([0.7, 0.2])
    np.testing.assert_array_equal(composed.handles(q), links.handles(q))
    np.testing.assert_array_equal(composed.jacobian(q), links.jacobian(q))


def test_a_soft_piece_on_a_still_link_is_elastic():
    elastic = soft(4, 5)
    composed = ComposedKinematics(StillLink(FRAME), (PieceOnLink(0, elastic),), FRAME)
    q = np.random.default_rng(1).normal(size=elastic.dof)
    np.testing.assert_allclose(composed.handles(q), elastic.handles(q), atol=1e-12)
    np.testing.assert_allclose(composed.jacobian(q), elastic.jacobian(q), atol=1e-12)


def test_a_soft_piece_goes_with_its_link(kinematics):
    """Bent by q_soft and then turned by the hinge: the same as turned after it was bent alone."""
    q = kinematics.rest()
    q[kinematics.columns[1]] = 0.1 * np.random.default_rng(0).normal(size=kinematics.pieces[1].dof)
    bent = kinematics.handles(q)[kinematics.rows[1]]
    q[0] = np.pi / 2.0
    turn = np.array([[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])
    origin = TREE.joints[0].origin
    expected = bent @ turn.T
    expected[3] += origin - turn @ origin
    np.testing.assert_allclose(kinematics.handles(q)[kinematics.rows[1]], expected, atol=1e-12)


def test_another_frame_is_refused():
    other = ReferenceFrame(np.zeros(3), 1.0)
    with pytest.raises(ValueError, match="another reference frame"):
        ComposedKinematics(StillLink(other), (PieceOnLink(0, soft(2, 1)),), other)
