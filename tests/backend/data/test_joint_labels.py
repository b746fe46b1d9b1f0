"""Forward kinematics against closed forms and against rotations of scipy."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from backend.data.joint_labels import JointLabels
from backend.errors import UserError


def chain(lengths: list[float], axes: list[tuple[float, float, float]]) -> JointLabels:
    """A base and links along X, each hinged at the end of the one before; one vertex at the end of every link."""
    count = len(lengths) + 1
    starts = np.concatenate([[0.0], np.cumsum(lengths)])
    return JointLabels.of_arrays(
        part=np.arange(count),
        parents=np.arange(count) - 1,
        types=("fixed",) + ("revolute",) * len(lengths),
        axes=np.array([(0.0, 0.0, 1.0), *axes]),
        origins=np.array([(0.0, 0.0, 0.0)] + [(x, 0.0, 0.0) for x in starts[:-1]]),
        lower=np.full(count, -2.0),
        upper=np.full(count, 2.0),
    )


def random_tree(rng: np.random.Generator, count: int = 9) -> JointLabels:
    axes = rng.normal(size=(count, 3))
    types = [str(rng.choice(["fixed", "revolute", "prismatic", "continuous"])) for _ in range(count - 1)]
    return JointLabels.of_arrays(
        part=rng.integers(count, size=50),
        parents=np.array([-1] + [int(rng.integers(number)) for number in range(1, count)]),
        types=("fixed", *types),
        axes=axes / np.linalg.norm(axes, axis=1, keepdims=True),
        origins=rng.normal(size=(count, 3)),
        lower=np.full(count, -0.7),
        upper=np.full(count, 1.3),
    )


def placed_by_scipy(tree: JointLabels, point: np.ndarray, part: int, values: np.ndarray) -> np.ndarray:
    """The same forward kinematics, one joint after the other from the leaf to the root."""
    column = {int(moving): number for number, moving in enumerate(tree.columns)}
    while part >= 0:
        if part in column:
            value = values[column[part]]
            if tree.types[part] == "prismatic":
                point = point + value * tree.axes[part]
            else:
                turn = Rotation.from_rotvec(value * tree.axes[part])
                point = turn.apply(point - tree.origins[part]) + tree.origins[part]
        part = int(tree.parents[part])
    return point


def test_planar_chain_ends_where_its_angles_add_up():
    lengths = [0.7, 1.1, 0.4]
    tree = chain(lengths, [(0, 0, 1)] * 3)
    ends = np.column_stack([np.cumsum([0.0, *lengths]), np.zeros(4), np.zeros(4)])
    values = np.array([[0.3, -0.9, 1.7], [-1.0, 0.2, 0.5]])
    heading = np.cumsum(values, axis=1)
    expected = np.cumsum(lengths * np.stack([np.cos(heading), np.sin(heading)]), axis=2)
    np.testing.assert_allclose(tree.posed(ends, values)[:, 1:, :2], expected.transpose(1, 2, 0), atol=1e-14)


@pytest.mark.parametrize("seed", range(20))
def test_random_trees_agree_with_scipy(seed):
    rng = np.random.default_rng(seed)
    tree = random_tree(rng)
    points = rng.normal(size=(50, 3))
    values = tree.random_values(rng, 3)
    posed = tree.posed(points, values)
    for state in range(3):
        expected = [placed_by_scipy(tree, *each, values[state]) for each in zip(points, tree.part, strict=True)]
        np.testing.assert_allclose(posed[state], expected, atol=1e-12)


def test_value_zero_is_the_drawn_state_to_the_bit():
    rng = np.random.default_rng(1)
    tree = random_tree(rng)
    points = rng.normal(size=(50, 3))
    np.testing.assert_allclose(tree.posed(points, np.zeros((1, tree.joint_count)))[0], points, atol=1e-15)


def test_followers_turn_by_their_ratio():
    tree = JointLabels.of_arrays(
        part=np.array([1, 2, 3]),
        parents=np.array([-1, 0, 0, 2]),
        types=("fixed", "revolute", "revolute", "prismatic"),
        axes=np.tile([0.0, 0.0, 1.0], (4, 1)),
        origins=np.zeros((4, 3)),
        lower=np.zeros(4),
        upper=np.ones(4),
        follows=np.array([0, 1, 1, 1]),
        ratio=np.array([1.0, 1.0, -2.0, 0.5]),
    )
    assert tree.joint_count == 1
    posed = tree.posed(np.tile([1.0, 0.0, 0.0], (3, 1)), [[0.4]])[0]
    np.testing.assert_allclose(posed[0], [np.cos(0.4), np.sin(0.4), 0.0], atol=1e-15)
    np.testing.assert_allclose(posed[1], [np.cos(0.8), -np.sin(0.8), 0.0], atol=1e-15)
    np.testing.assert_allclose(posed[2], [np.cos(0.8), -np.sin(0.8), 0.2], atol=1e-15)


def test_random_values_keep_the_limits_and_fill_them():
    tree = chain([1.0, 1.0], [(0, 0, 1), (0, 1, 0)])
    lower, upper = tree.lower.copy(), tree.upper.copy()
    lower[2], upper[2] = np.nan, np.nan
    tree = JointLabels.of_arrays(tree.part, tree.parents, tree.types, tree.axes, tree.origins, lower, upper)
    values = tree.random_values(np.random.default_rng(0), 4000)
    np.testing.assert_allclose(values.min(axis=0), [-2.0, -np.pi], atol=0.01)
    np.testing.assert_allclose(values.max(axis=0), [2.0, np.pi], atol=0.01)
    np.testing.assert_allclose(values.mean(axis=0), 0.0, atol=0.15)


def test_joints_with_one_limit_turn_once():
    tree = chain([1.0, 1.0, 1.0], [(0, 0, 1)] * 3)
    lower, upper = np.array([0.0, 4.0, np.nan, np.nan]), np.array([0.0, np.nan, -4.0, np.nan])
    low, high = JointLabels.of_arrays(tree.part, tree.parents, tree.types, tree.axes, tree.origins, lower, upper).limits
    np.testing.assert_allclose(low, [4.0, -4.0 - 2 * np.pi, -np.pi])
    np.testing.assert_allclose(high, [4.0 + 2 * np.pi, -4.0, np.pi])


def test_mapped_trees_slide_by_mapped_strokes_and_turn_about_mapped_lines():
    tree = random_tree(np.random.default_rng(3))
    matrix = np.array([[2.0, 0.1, -0.3], [0.0, 0.5, 0.2], [0.0, 0.0, 1.5]])
    mapped = tree.mapped(matrix)
    np.testing.assert_allclose(mapped.origins, tree.origins @ matrix.T, atol=1e-12)
    for part in range(1, 9):
        np.testing.assert_allclose(np.cross(mapped.axes[part], matrix @ tree.axes[part]), 0.0, atol=1e-12)
        if tree.types[part] == "prismatic":
            stroke = mapped.upper[part] * mapped.axes[part]
            np.testing.assert_allclose(stroke, matrix @ (tree.upper[part] * tree.axes[part]), atol=1e-12)
        else:
            assert mapped.upper[part] == tree.upper[part]


def test_trees_without_joints_stand_still():
    tree = JointLabels.of_arrays(
        np.zeros(2, int), np.array([-1]), ("fixed",), np.eye(3)[:1], np.zeros((1, 3)), np.zeros(1), np.zeros(1)
    )
    points = np.array([[1.0, 2.0, 3.0], [0.0, 0.0, 1.0]])
    np.testing.assert_array_equal(tree.posed(points, np.zeros((4, 0))), np.tile(points, (4, 1, 1)))


def test_what_cannot_be_a_tree_is_refused():
    tree = chain([1.0], [(0, 0, 1)])
    with pytest.raises(UserError, match="helical"):
        JointLabels.of_arrays(
            tree.part, tree.parents, ("fixed", "helical"), tree.axes, tree.origins, tree.lower, tree.upper
        )
    with pytest.raises(UserError, match="limits"):
        unlimited = np.array([0.0, np.nan])
        JointLabels.of_arrays(
            tree.part, tree.parents, ("fixed", "prismatic"), tree.axes, tree.origins, unlimited, tree.upper
        )
    arm = chain([1.0, 1.0], [(0, 0, 1)] * 2)
    with pytest.raises(UserError, match="cannot follow"):
        JointLabels.of_arrays(
            arm.part,
            arm.parents,
            arm.types,
            arm.axes,
            arm.origins,
            arm.lower,
            arm.upper,
            np.array([0, 0, 1]),
            np.ones(3),
        )
    turning = ("revolute", "revolute")
    with pytest.raises(UserError, match="hangs on itself"):
        JointLabels.of_arrays(tree.part, np.array([1, 0]), turning, tree.axes, tree.origins, tree.lower, tree.upper)
