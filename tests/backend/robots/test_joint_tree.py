"""Trees of joints: what hangs on what, what follows what, and what is refused."""

from itertools import pairwise

import numpy as np
import pytest

from backend.errors import UserError
from backend.kinematics.joint_tree import WORLD, Joint, JointTree, Mimic

from .objects import random_tree

X, ZERO = np.array([1.0, 0.0, 0.0]), np.zeros(3)


def joint(child, parent, kind="revolute", lower=-1.0, upper=1.0, axis=X, **more) -> Joint:
    return Joint(child, parent, kind, axis, ZERO, lower, upper, **more)


def test_every_part_comes_after_what_it_hangs_on() -> None:
    for seed in range(5):
        tree = random_tree(seed)
        seen: list[int] = [WORLD]
        for part in tree.order:
            assert tree.parent(part) in seen
            seen.append(part)
        assert sorted(seen[1:]) == list(range(len(tree.parts)))
        for part in range(len(tree.parts)):
            chain = tree.ancestors(part)
            assert chain[-1] == part and tree.parent(chain[0]) == WORLD
            assert all(tree.parent(below) == above for above, below in pairwise(chain))
            carried = {each.child for each, carries in zip(tree.moving, tree.reaches[part], strict=True) if carries}
            assert carried == {each for each in chain if (own := tree.joint_of(each)) is not None and own.moves}


def test_joints_that_follow_have_no_coordinate_of_their_own() -> None:
    tree = JointTree(
        ("a", "b", "c"), (joint(1, 0), joint(2, 0, "prismatic", -0.2, 0.5)), (Mimic(child=2, leader=1, ratio=-0.5),)
    )
    assert [each.child for each in tree.coordinates] == [1]
    np.testing.assert_array_equal(tree.coupling, [[1.0], [-0.5]])
    lower, upper = tree.limits  # -0.5 q between -0.2 and 0.5
    np.testing.assert_allclose([lower[0], upper[0]], [-1.0, 0.4])


def test_axes_become_units_and_axles_have_no_limits() -> None:
    axle = joint(1, 0, "continuous", 0.0, 0.0, np.array([0.0, 3.0, 4.0]))
    np.testing.assert_allclose(axle.axis, [0.0, 0.6, 0.8])
    assert (axle.lower, axle.upper) == (-np.inf, np.inf)
    with pytest.raises(ValueError):
        axle.axis[0] = 1.0


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: joint(1, 0, "hinge"), "kind 'hinge'"),
        (lambda: joint(1, 0, axis=ZERO, name="door"), "'door' has an axis of no length"),
        (lambda: joint(1, 0, lower=1.0, upper=0.0), "limits 1 to 0"),
        (lambda: joint(1, 0, lower=np.nan), "limits nan"),
        (lambda: joint(1, 0, axis=np.array([1.0, np.inf, 0.0])), "three finite numbers"),
        (lambda: joint(1, 0, friction=-1.0), "friction"),
        (lambda: joint(1, 1), "hangs on itself"),
        (lambda: JointTree((), ()), "no parts"),
        (lambda: JointTree(("a", "b"), (joint(2, 0),)), "of 2"),
        (lambda: JointTree(("a", "b", "c"), (joint(2, 0), joint(2, 1))), "'c' hangs on two joints"),
        (lambda: JointTree(("a", "b", "c"), (joint(1, 2), joint(2, 1))), "hangs on itself by way of others"),
        (lambda: JointTree(("a", "b"), (joint(1, 0),), (Mimic(1, 0, 1.0),)), "cannot follow"),
        (lambda: JointTree(("a", "b"), (joint(1, 0),), (Mimic(1, 1, 1.0),)), "follows itself"),
    ],
)
def test_what_is_no_tree_is_refused_with_a_remedy(make, words) -> None:
    with pytest.raises(UserError) as refusal:
        make()
    assert refusal.value.code == "bad_joints" and words in refusal.value.message and refusal.value.remedy
