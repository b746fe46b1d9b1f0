"""What true bones tell: labels of points and heads of every frame and rest, and losses in closed form."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch

from backend.data.bone_labels import NO_BONE, BoneLabels
from backend.data.example import example_at, make_example, random_turn
from backend.data.families import FAMILIES
from backend.data.real import find_items, read_object
from backend.data.source import Source
from backend.learned.train.batches import example_batches
from backend.learned.train.bone_losses import BoneTruth, bone_losses, bone_truth, stacked_truth
from backend.learned.train.losses import Objective
from backend.learned.train.training_config import CONFIGS
from backend.learned.train.training_model import TrainingModel
from tests.backend.evaluate.objects import rigged_arm

TINY = CONFIGS["tiny"]


@pytest.mark.parametrize("seed", range(6))
def test_labels_stay_with_the_surface_however_it_is_turned_and_posed(tmp_path: Path, seed: int) -> None:
    """Blocks of 0.8 m, each with the head of its bone 0.1 m below: in every pose, mirrored or not, at any size."""
    np.savez(tmp_path / "arm.npz", **rigged_arm())
    thing = read_object(find_items(tmp_path / "arm.npz")[0])
    rng = np.random.default_rng(seed)
    example = make_example(thing, rng, 400, 2, augment=True)
    if seed % 2:
        example = example.turned(random_turn(rng))
    labels = example.bones
    assert labels.parents.tolist() == [-1, 0, 1] and set(labels.point) == {0, 1, 2}
    extents = []
    for bone in range(3):
        own = example.points[labels.point == bone].astype(np.float64)
        middle = 0.5 * (own.min(axis=0) + own.max(axis=0))
        along = np.linalg.svd(own - own.mean(axis=0))[2][0]
        reach = (own - labels.heads[bone]) @ along
        assert np.linalg.norm(np.cross(middle - labels.heads[bone], along)) < 0.1  # on the axis of the block
        extents.append(sorted(np.abs([reach.min(), reach.max()])))
    ratios = np.array([near / far for near, far in extents])
    np.testing.assert_allclose(ratios, 0.1 / 0.9, atol=0.05)


def test_limbed_families_tell_their_bones() -> None:
    example = example_at(Source({"quadruped": FAMILIES["quadruped"]}), 0, 3, augment=False)
    labels = example.bones
    assert (labels.point != NO_BONE).mean() > 0.5 and len(labels.parents) == len(labels.heads) > 8
    assert np.abs(labels.heads).max() < 1.3
    assert example_at(Source({"laptop": FAMILIES["laptop"]}), 0, 3).bones is None


def truth() -> BoneTruth:
    """Two handles on an arm, one on the hand that hangs on it, one on nothing known; the other object has no bones."""
    labels = BoneLabels(np.array([0, 0, 1, NO_BONE, 0, 1]), np.array([-1, 0]), np.array([[0.0, 0, 0], [1.0, 2, 3]]))
    known = bone_truth(labels, np.array([0, 1, 2, 3, 4, 5]), np.array([0, 1, 2, 3]), 4)
    return stacked_truth([known, bone_truth(None, np.arange(6), np.array([0, 1, 2, 3]), 4)])


def test_handles_are_of_the_bone_of_their_piece() -> None:
    found = truth()
    assert found.own.tolist() == [[0, 0, 1, NO_BONE], [NO_BONE] * 4]
    assert found.above.tolist() == [[-1, -1, 0, -1], [-1] * 4]
    assert found.heads[0, 2].tolist() == [1.0, 2.0, 3.0]
    mixed = found.in_order(torch.tensor([[2, 0, 3, 1]] * 2))
    assert mixed.own[0].tolist() == [1, 0, NO_BONE, 0] and mixed.heads[0, 0].tolist() == [1.0, 2.0, 3.0]


def test_the_losses_are_their_closed_forms() -> None:
    """The last two samples are asked: one of the arm with .3 + .5 on its handles, one of the hand with .2."""
    weights = torch.tensor([[[0.3, 0.5, 0.1, 0.1], [0.4, 0.3, 0.2, 0.1]]]).repeat(2, 1, 1)
    pivot = torch.zeros(2, 4, 4, 3)
    pivot[0, 0, 2] = torch.tensor([1.0, 2.0, 3.0])  # right; the other handle of the arm says the origin
    found = bone_losses(truth(), pivot, weights)
    assert float(found["bones"]) == pytest.approx(-0.5 * (np.log(0.8) + np.log(0.2)), rel=1e-5)
    assert float(found["heads"]) == pytest.approx(5.0 * 0.5 * np.sqrt(14.0), rel=5e-3)
    nothing = stacked_truth([bone_truth(None, np.arange(6), np.array([0, 1, 2, 3]), 4)] * 2)
    assert all(float(loss) == 0.0 for loss in bone_losses(nothing, pivot, weights).values())


def test_steps_along_the_gradient_teach_bones_and_heads() -> None:
    torch.manual_seed(0)
    model = TrainingModel(TINY.model)
    objective = Objective(model, TINY.training)
    surface, moves, supervision = next(example_batches(Source({"quadruped": FAMILIES["quadruped"]}), TINY, 0))
    optimizer, before = torch.optim.Adam(model.parameters(), 2e-3), None
    for _ in range(15):
        losses = objective(surface, moves, supervision)
        told = {name: float(losses[name]) for name in ("bones", "heads")}
        before = before or told
        optimizer.zero_grad()
        losses["total"].backward()
        optimizer.step()
    assert told["bones"] < 0.9 * before["bones"] and told["heads"] < 0.9 * before["heads"]
