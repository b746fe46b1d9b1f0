"""Inverse kinematics of links: random targets, limits, paths, joints that follow, and what cannot be reached."""

import numpy as np
import pytest

from backend.errors import UserError
from backend.kinematics.joint_tree import Joint, JointTree
from backend.robots.link_ik import LinkSolver

from .objects import arm, gripper, random_tree

ELBOW = [(0.0, [0, 0, 1]), (0.3, [0, 1, 0]), (0.6, [0, 0, 1]), (1.0, [0, 1, 0]), (1.3, [0, 0, 1]), (1.5, [0, 1, 0])]


def six_axes() -> JointTree:
    joints = [
        Joint(number + 1, number, "revolute", np.array(axis, float), np.array([0.02 * number, 0.0, height]), -2.2, 2.2)
        for number, (height, axis) in enumerate(ELBOW)
    ]
    return JointTree(tuple(f"link {number}" for number in range(7)), tuple(joints))


def apart(first, second):
    turn = first[:3, :3] @ second[:3, :3].T
    sine = np.linalg.norm([turn[2, 1] - turn[1, 2], turn[0, 2] - turn[2, 0], turn[1, 0] - turn[0, 1]]) / 2.0
    return np.linalg.norm(first[:3, 3] - second[:3, 3]), np.arctan2(sine, (np.trace(turn) - 1.0) / 2.0)


def test_reachable_targets_are_reached_within_the_limits() -> None:
    solver, rng = LinkSolver(six_axes(), 6), np.random.default_rng(0)
    missed = 0
    for q in rng.uniform(-2.2, 2.2, size=(100, 6)):
        target = solver.pose(q)
        found = solver.solve(target, np.zeros(6))
        way, angle = apart(target, solver.pose(found.q))
        assert found.position_error == pytest.approx(way, abs=1e-12)
        assert found.angle_error == pytest.approx(angle, abs=1e-9)
        assert (np.abs(found.q) <= 2.2).all()
        missed += way > 1e-3 or angle > np.radians(0.5)
    assert missed <= 1


def test_a_path_is_followed_without_jumps_and_without_new_starts() -> None:
    solver = LinkSolver(six_axes(), 6)
    begin, end = np.array([0.3, 0.6, -0.4, 0.9, 0.2, -0.5]), np.array([-0.6, 1.1, 0.5, 0.4, -0.7, 0.6])
    q = begin
    for share in np.linspace(0.0, 1.0, 30)[1:]:
        found = solver.solve(solver.pose(begin + share * (end - begin)), q, restarts=False)
        assert found.reached and np.abs(found.q - q).max() < 0.3
        q = found.q
    assert np.abs(q - end).max() < 1e-2


def test_the_same_target_gives_the_same_answer_and_others_are_left_alone() -> None:
    jointed = arm(4)[1]
    solver = LinkSolver(jointed.tree, 3)
    start = np.array([0.1, 0.2, 0.3, 1.234])
    target = solver.pose(np.array([0.7, -0.5, 1.2, 0.0]))
    first, second = solver.solve(target, start), LinkSolver(jointed.tree, 3).solve(target, start)
    np.testing.assert_array_equal(first.q, second.q)
    assert first.reached and first.q[3] == 1.234


def test_joints_that_follow_are_counted_with_what_they_follow() -> None:
    solver = LinkSolver(gripper()[1].tree, 2)
    target = solver.pose(np.array([0.05]))
    np.testing.assert_allclose(target[:3, 3], [-0.05, 0.0, 0.0])
    assert solver.solve(target, np.zeros(1)).q == pytest.approx([0.05], abs=1e-5)


def test_half_a_turn_and_the_tip_of_ones_own() -> None:
    tree = JointTree(("a", "b"), (Joint(1, 0, "continuous", np.array([0.0, 0.0, 1.0]), np.zeros(3), 0.0, 0.0),))
    tip = np.eye(4)
    tip[:3, 3] = [1.0, 0.0, 0.0]
    solver = LinkSolver(tree, 1, tip)
    target = np.diag([-1.0, -1.0, 1.0, 1.0])
    target[:3, 3] = [-1.0, 0.0, 0.0]
    found = solver.solve(target, np.array([0.01]))
    assert found.reached and abs(found.q[0]) == pytest.approx(np.pi, abs=1e-4)


def test_what_is_out_of_reach_ends_near_it_and_says_so() -> None:
    solver = LinkSolver(six_axes(), 6)
    target = np.eye(4)
    target[:3, 3] = [3.0, 0.0, 0.5]
    found = solver.solve(target, np.zeros(6))
    assert not found.reached and found.position_error > 1.0
    assert solver.pose(found.q)[0, 3] > 0.8 and (np.abs(found.q) <= 2.2).all()


@pytest.mark.parametrize("seed", range(3))
def test_poses_of_links_of_any_tree_are_found_again(seed: int) -> None:
    tree = random_tree(seed)
    link = int(tree.reaches.sum(axis=1).argmax())
    solver, rng = LinkSolver(tree, link), np.random.default_rng(seed)
    for _ in range(10):
        lower, upper = np.maximum(solver.lower, -2.0), np.minimum(solver.upper, 2.0)
        target = solver.pose(rng.uniform(lower, upper))
        found = solver.solve(target, np.zeros(len(lower)))
        assert found.reached and (found.q >= solver.lower).all() and (found.q <= solver.upper).all()


def test_what_no_joint_moves_and_what_is_no_pose_are_refused() -> None:
    tree = six_axes()
    with pytest.raises(UserError, match="No joint moves the link 'link 0'"):
        LinkSolver(tree, 0)
    with pytest.raises(UserError, match="not a pose"):
        LinkSolver(tree, 6).solve(np.full((4, 4), np.nan), np.zeros(6))
