"""From covariances and pivots of pieces to bones, the tree in which they hang, and the axes of its branches."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from scipy.cluster.hierarchy import fcluster, linkage
from scipy.sparse.csgraph import minimum_spanning_tree
from scipy.spatial.distance import squareform
from scipy.spatial.transform import Rotation

from backend.kinematics.base import Array
from backend.learned.infer import bones
from backend.learned.infer.bones import (
    LEAST_TURN,
    ONE_BONE,
    TOUCHING,
    Branch,
    attached_to_bones,
    bones_of,
    branches,
    joint_axes,
    root_of,
    turns_from,
)

ALL = np.arange(100)


def line(angles: list[float], apart: float = 0.02) -> tuple[Array, Array]:
    """Covariance and gaps of pieces in a row, each turned on the one before by an angle (RMS): variances add up."""
    place = np.concatenate([[0.0], np.cumsum(np.square(angles))])
    square = np.abs(place[:, None] - place)
    steps = np.abs(np.arange(len(place))[:, None] - np.arange(len(place)))
    gaps = np.where(steps > 0, apart + 0.3 * (steps - 1), 0.0)
    return square[..., None, None] * np.eye(3) / 3.0, gaps


def covariances(angles: Array) -> Array:
    return angles[..., None, None] ** 2 * np.eye(3) / 3.0


def as_sets(groups: list[Array]) -> set[frozenset[int]]:
    return {frozenset(group.tolist()) for group in groups}


@pytest.mark.parametrize("elbow", [0.5, 0.08])
def test_an_arm_is_two_bones_where_its_elbow_bends(elbow: float) -> None:
    """Pieces of each limb turn by a fiftieth of a radian on each other."""
    found = bones_of(ALL[:8], *line([0.02, 0.02, 0.02, elbow, 0.02, 0.02, 0.02]))
    limbs = {frozenset(range(4)), frozenset(range(4, 8))}
    assert as_sets(found) == (limbs if elbow > ONE_BONE else {frozenset(range(8))})


@pytest.mark.parametrize("seed", range(3))
def test_the_numbers_of_handles_are_kept_in_whatever_order(seed: int) -> None:
    """Only soft handles are put together, others in between are left out."""
    order = np.random.default_rng(seed).permutation(12)
    covariance, gaps = line([0.02, 0.5, 0.03, 0.02, 0.4, 0.01])
    place, soft = order[:7], np.sort(order[:7])
    wide, far = np.zeros((12, 12, 3, 3)), np.zeros((12, 12))  # what is firm turns by nothing and touches all
    wide[np.ix_(place, place)], far[np.ix_(place, place)] = covariance, gaps
    expected = {frozenset(place[list(own)].tolist()) for own in ((0, 1), (2, 3, 4), (5, 6))}
    assert as_sets(bones_of(soft, wide, far)) == expected


def test_what_turns_alike_but_does_not_touch_stays_apart() -> None:
    """Two ears turn by nothing on each other; they are one bone with the head between them where it does so too."""
    angles, gaps = np.full((3, 3), 0.3), np.full((3, 3), 0.02)
    angles[0, 2] = angles[2, 0] = 0.0
    gaps[0, 2] = gaps[2, 0] = 0.2
    assert as_sets(bones_of(ALL[:3], covariances(angles), gaps)) == {frozenset([each]) for each in range(3)}
    assert as_sets(bones_of(ALL[:3], covariances(0.1 * angles), gaps)) == {frozenset(range(3))}


def test_a_rope_is_many_bones_though_no_two_neighbours_bend_by_much() -> None:
    """Each bends by less than ONE_BONE; within a bone pieces do so on average, and two neighbouring bones do not."""
    covariance, gaps = line([0.08] * 29)
    turn = np.sqrt(np.trace(covariance, axis1=2, axis2=3))
    found = bones_of(ALL[:30], covariance, gaps)
    assert sorted(np.concatenate(found).tolist()) == list(range(30))
    assert 3 < len(found) < 20
    order = sorted(found, key=lambda own: own.min())
    for own in order:
        np.testing.assert_array_equal(np.sort(own), np.arange(own.min(), own.max() + 1))
        halves = np.array_split(np.sort(own), 2)
        assert len(own) == 1 or turn[np.ix_(*halves)].mean() < 2.0 * ONE_BONE
    for one, other in pairwise(order):
        assert turn[np.ix_(one, other)].mean() > ONE_BONE


@pytest.mark.parametrize("seed", range(5))
def test_where_all_touch_bones_are_those_of_average_linkage(seed: int) -> None:
    places = np.random.default_rng(seed).uniform(0.0, 0.3, (14, 3))
    angles = np.linalg.norm(places[:, None] - places, axis=2)
    found = bones_of(ALL[:14], covariances(angles), np.zeros((14, 14)))
    number = fcluster(linkage(squareform(angles, checks=False), "average"), ONE_BONE, "distance")
    assert as_sets(found) == {frozenset(np.flatnonzero(number == each).tolist()) for each in set(number)}
    assert 2 < len(found) < 14


def test_nothing_soft_has_no_bones_and_one_handle_is_one() -> None:
    covariance, gaps = line([0.5])
    assert bones_of(ALL[:0], covariance, gaps) == []
    assert as_sets(bones_of(ALL[1:2], covariance, gaps)) == {frozenset([1])}


def test_a_chain_hangs_in_order_from_where_it_is_held() -> None:
    """By its end, or by its middle, and then outwards both ways; groups are of one piece and of two."""
    covariance, gaps = line([0.3] * 6)
    groups = [ALL[0:1], ALL[1:3], ALL[3:4], ALL[4:6], ALL[6:7]]
    expected = [Branch(number, number + 1) for number in range(4)]
    assert branches(groups, [0], covariance, gaps) == expected
    assert set(branches(groups, [2], covariance, gaps)) == {Branch(2, 1), Branch(1, 0), Branch(2, 3), Branch(3, 4)}
    assert branches(groups, range(5), covariance, gaps) == []


def random_groups(rng: np.random.Generator) -> tuple[list[Array], Array, Array, Array]:
    """Nine groups of some of twenty handles, their covariances and gaps, and what it costs to hang on each other."""
    group = rng.permutation(np.concatenate([np.arange(9), rng.integers(0, 9, 11)]))
    groups = [np.flatnonzero(group == number) for number in range(9)]
    angles, gaps = (both + both.T for both in rng.uniform(0.0, 0.5, (2, 20, 20)))
    cost = np.zeros((9, 9))
    for one, other in np.ndindex(9, 9):
        if one != other:
            gap = min(gaps[a, b] for a in groups[one] for b in groups[other])
            cost[one, other] = gap + bones.FLEXIBLE * min(angles[a, b] for a in groups[one] for b in groups[other])
    return groups, covariances(angles), gaps, cost


@pytest.mark.parametrize("roots", [1, 3])
@pytest.mark.parametrize("seed", range(4))
def test_branches_are_a_shortest_tree_and_parents_come_before_their_children(seed: int, roots: int) -> None:
    """As scipy finds it. Several roots are one: what hangs on any of them hangs."""
    rng = np.random.default_rng(seed)
    groups, covariance, gaps, cost = random_groups(rng)
    rooted = rng.permutation(9)[:roots].tolist()
    found = branches(groups, rooted, covariance, gaps)
    known = set(rooted)
    for branch in found:
        assert branch.parent in known and branch.child not in known
        known.add(branch.child)
    assert known == set(range(9))
    others = [number for number in range(9) if number not in rooted]
    joined = np.zeros((len(others) + 1, len(others) + 1))
    joined[1:, 1:] = cost[np.ix_(others, others)]
    joined[0, 1:] = cost[np.ix_(rooted, others)].min(axis=0)
    least = minimum_spanning_tree(joined).sum()
    assert sum(cost[branch.parent, branch.child] for branch in found) == pytest.approx(least, abs=1e-12)


def test_of_two_that_are_as_near_the_stiffer_way_is_taken() -> None:
    """A hand hangs on its arm, not on the hip that it touches."""
    angles, gaps = np.full((3, 3), 0.8), np.full((3, 3), 0.02)
    angles[1, 2] = angles[2, 1] = 0.3
    assert branches([ALL[0:1], ALL[1:2], ALL[2:3]], [0], covariances(angles), gaps) == [Branch(0, 1), Branch(1, 2)]


@pytest.mark.parametrize(
    ("moved", "root"), [([False, False], 0), ([False, True], 0), ([True, False], 3), ([True, True], 3)]
)
def test_all_hangs_on_the_largest_that_no_joint_moves(moved: list[bool], root: int) -> None:
    """A body of two handles counts more than a bone of three, one of a single handle less."""
    nodes = [ALL[0:2], ALL[2:3], ALL[3:5], ALL[5:8]]
    assert root_of(nodes, np.array(moved)) == root


def doors(first: float, second: float) -> tuple[list[Array], Array, Array]:
    """A frame, a door that far from it and another that far from the first, with a cloth before each: the bones.

    The cloths touch what they are between, and turn less on it than the doors do.
    """
    angles, gaps = np.full((5, 5), 1.0), 1.0 - np.eye(5)
    angles[3:], angles[:, 3:] = 0.3, 0.3
    for one, other, gap in ((0, 1, first), (1, 2, second), (0, 3, 0.0), (1, 3, 0.0), (1, 4, 0.0), (2, 4, 0.0)):
        gaps[one, other] = gaps[other, one] = gap
    return [ALL[each : each + 1] for each in range(5)], covariances(angles), gaps


NEAR, FAR = 0.9 * TOUCHING, 1.1 * TOUCHING


@pytest.mark.parametrize(
    ("first", "second", "moving", "hung"),
    [
        (NEAR, NEAR, [False, True, True], [False, False, False]),
        (NEAR, FAR, [False, True, True], [False, False, True]),
        (FAR, NEAR, [False, True, True], [False, True, True]),  # what hangs itself has no hinges
        (NEAR, NEAR, [False, True, False], [False, False, True]),
        (NEAR, NEAR, [False, False, True], [False, True, True]),
    ],
)
def test_what_has_a_joint_and_nearly_touches_what_is_firm_does_not_hang(
    first: float, second: float, moving: list[bool], hung: list[bool]
) -> None:
    nodes, covariance, gaps = doors(first, second)
    assert Branch(3, 1) in branches(nodes, [0], covariance, gaps)
    assert Branch(4, 2) in branches(nodes, [0], covariance, gaps)
    np.testing.assert_array_equal(attached_to_bones(nodes, [0], np.array(moving), covariance, gaps), hung)


def test_all_hangs_where_the_root_is_a_bone() -> None:
    nodes, covariance, gaps = doors(NEAR, NEAR)
    np.testing.assert_array_equal(
        attached_to_bones(nodes, [3], np.ones(3, dtype=bool), covariance, gaps), np.ones(3, dtype=bool)
    )


def test_how_far_groups_turn_from_the_root_is_the_rms_over_their_pieces() -> None:
    rng = np.random.default_rng(0)
    groups, covariance, _, _ = random_groups(rng)
    expected = [np.sqrt(np.mean([np.trace(covariance[a, b]) for a in own for b in groups[4]])) for own in groups]
    np.testing.assert_allclose(turns_from(covariance, groups, groups[4]), expected, rtol=1e-12)


def some_joint(deviations: list[float], seed: int = 0) -> tuple[Array, Array, Array]:
    """Axes in columns, the covariance of rotations about these, and a pivot."""
    rng = np.random.default_rng(seed)
    axes = Rotation.random(random_state=rng).as_matrix()
    return axes, axes @ np.diag(np.square(deviations)) @ axes.T, rng.normal(size=3)


@pytest.mark.parametrize("deviations", [[0.2, 0.7, 0.4], [0.5, 0.02, 0.1], [0.02, 0.01, 0.6], [0.01, 0.02, 0.029]])
@pytest.mark.parametrize("seed", range(3))
def test_axes_are_those_of_the_covariance_and_go_through_the_pivot(deviations: list[float], seed: int) -> None:
    """The ones that turn most come first; those that hardly turn are none."""
    axes, square, pivot = some_joint(deviations, seed)
    covariance, pivots = np.tile(square, (2, 2, 1, 1)), np.tile(pivot, (2, 2, 1))
    twists, found = joint_axes(ALL[:1], ALL[1:2], covariance, pivots, np.ones((2, 2)))
    order = [each for each in np.argsort(deviations)[::-1] if deviations[each] > LEAST_TURN]
    assert twists.shape == (len(order), 6)
    np.testing.assert_allclose(found, np.array(deviations)[order], atol=1e-9)
    omega = twists[:, :3]
    np.testing.assert_allclose(omega @ omega.T, np.eye(len(order)), atol=1e-12)
    np.testing.assert_allclose(np.abs(np.einsum("ni,in->n", omega, axes[:, order])), 1.0, atol=1e-9)
    np.testing.assert_allclose(np.cross(omega, pivot) + twists[:, 3:], 0.0, atol=1e-12)


def test_a_joint_of_two_bones_is_told_by_the_pieces_that_meet_there() -> None:
    """Of two bones of two pieces each; those that are farther apart have less of a say, and far ones none."""
    one, other = ALL[[3, 1]], ALL[[0, 2]]
    rng = np.random.default_rng(0)
    covariance, pivots, gaps = np.zeros((4, 4, 3, 3)), np.zeros((4, 4, 3)), np.full((4, 4), 0.5)
    for mine, its in ((3, 0), (3, 2), (1, 0), (1, 2)):
        covariance[mine, its] = covariance[its, mine] = np.diag(rng.uniform(0.1, 1.0, 3))
        pivots[mine, its] = pivots[its, mine] = rng.normal(size=3)

    def expected(share: float) -> tuple[Array, Array]:
        """Of the pair 1, 0 and, that much, of the pair 3, 2."""
        mixed = ((1.0 - share) * values[1, 0] + share * values[3, 2] for values in (covariance, pivots))
        return tuple(mixed)

    gaps[1, 0] = gaps[0, 1] = 0.01
    for beside, share in ((0.5, 0.0), (0.01, 0.5), (0.01 + bones.CLOSE, 1.0 / (1.0 + np.e))):
        gaps[3, 2] = gaps[2, 3] = beside
        square, pivot = expected(share)
        twists, deviations = joint_axes(one, other, covariance, pivots, gaps)
        np.testing.assert_allclose(np.sort(deviations**2), np.sort(np.diag(square)), atol=1e-6)
        np.testing.assert_allclose(np.cross(twists[:, :3], pivot) + twists[:, 3:], 0.0, atol=1e-5)
        back, again = joint_axes(other, one, covariance, pivots, gaps)
        np.testing.assert_allclose(again, deviations, atol=1e-12)
        np.testing.assert_allclose(np.abs(np.einsum("ni,ni->n", back[:, :3], twists[:, :3])), 1.0, atol=1e-9)
