"""What is there to learn from objects whose joints are known."""

from __future__ import annotations

import numpy as np
import pytest

from backend.data.families.jointed_families import JOINTED
from backend.joint_search.proposals import Proposals
from backend.learned.train.joint_network.examples import goodness, joint_examples, pair_example, with_fixed_pieces
from backend.learned.train.joint_network.true_parts import true_parts

UP = np.array([0.0, 0.0, 1.0])


def test_worth_is_one_at_the_true_joint_and_little_elsewhere() -> None:
    tilted = np.array([0.0, np.sin(np.radians(6.0)), np.cos(np.radians(6.0))])
    ways = Proposals(
        np.array([True, True, True, False]),
        np.array([-UP, tilted, UP, UP]),
        np.array([[0.0, 0.0, 3.0], [0.0, 0.0, 0.0], [0.1, 0.0, 0.0], [0.0, 0.0, 0.0]]),
    )
    worth = goodness(ways, "continuous", UP, np.zeros(3))
    assert worth[0] == pytest.approx(1.0)  # whichever way the axis points, wherever on it its point is
    assert worth[1] == pytest.approx(np.exp(-1.0), rel=0.01)
    assert worth[2] == pytest.approx(0.002, rel=0.01)
    assert worth[3] == worth[4] == 0.0
    # Where a slide's axis lies makes no difference.
    assert goodness(ways, "prismatic", UP, np.array([9.0, 0.0, 0.0])).tolist() == [0.0, 0.0, 0.0, 1.0, 0.0]
    assert goodness(ways, "fixed", UP, np.zeros(3)).tolist() == [0.0, 0.0, 0.0, 0.0, 1.0]


def test_each_part_of_a_procedural_object_has_a_candidate_near_its_true_joint() -> None:
    rng = np.random.default_rng(5)
    for family in ("drawer_cabinet", "laptop"):
        thing = JOINTED[family].make(rng)
        examples = joint_examples(thing)
        assert len(examples) == len(thing.joints.types) - 1
        for each in examples:
            assert each.worth.max() > 0.5
            assert len(each.worth) == len(each.features)
            assert np.isfinite(each.features).all()


def test_small_loose_pieces_can_be_parts_that_are_fixed_to_their_own() -> None:
    rng = np.random.default_rng(2)
    thing = JOINTED["oven"].make(rng)
    truth = true_parts(thing)
    split = next(
        each for each in (with_fixed_pieces(thing, truth, rng) for _ in range(20)) if len(each.kinds) > len(truth.kinds)
    )
    count = len(truth.kinds)
    assert split.kinds[:count] == truth.kinds and set(split.kinds[count:]) == {"fixed"}
    for number in range(count, len(split.kinds)):
        assert set(truth.label[split.label == number]) == {split.parents[number]}
    assert (split.label[split.label < count] == truth.label[split.label < count]).all()


def test_pairs_of_pieces_know_whether_they_are_of_one_part() -> None:
    rng = np.random.default_rng(1)
    found = [pair_example(JOINTED["cabinet"].make(rng)) for _ in range(3)]
    together = np.concatenate([each.together for each in found if each is not None])
    assert together.any() and not together.all()
    assert all(np.isfinite(each.features).all() for each in found if each is not None)
