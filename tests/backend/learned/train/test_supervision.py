"""What motion tells of bodies and joints, as the network is taught it: kinds and places of axes, and what errs."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch

from backend.data.bodies import BENDS, UNKNOWN, Bodies
from backend.data.families import FAMILIES
from backend.data.source import Source
from backend.learned.infer.joint_kinds import KINDS
from backend.learned.train import supervision as taught
from backend.learned.train.batches import example_batches
from backend.learned.train.bend_losses import BEND_LOSSES
from backend.learned.train.bone_losses import BONE_LOSSES, bone_truth
from backend.learned.train.decoders import Joints
from backend.learned.train.supervision import (
    AUXILIARY_LOSSES,
    Supervision,
    auxiliary_losses,
    batch_supervision,
    body_supervision,
)
from backend.learned.train.training_config import CONFIGS
from backend.learned.train.training_model import TrainingModel

TINY = CONFIGS["tiny"]


def hinge(direction: list[float], through: list[float]) -> np.ndarray:
    return np.concatenate([direction, np.cross(through, direction)])


def test_kinds_are_the_nearest_of_the_list() -> None:
    for number, kind in enumerate(KINDS):
        assert taught._kinds(0.7 * kind[None]) == [number]
        nearly = kind + np.where(np.arange(6) // 3 == np.abs(kind).argmax() // 3, 0.3, 0.0) * (kind == 0.0)
        assert taught._kinds(nearly[None]) == [number]


def test_what_turns_counts_as_turning_however_far_its_axis_is() -> None:
    far = hinge([0.0, -0.1, 0.0], [30.0, 0.0, 0.0])
    assert np.abs(far[3:]).max() > 10.0 * np.abs(far[:3]).max()
    np.testing.assert_array_equal(taught._kinds(far[None]), [3])


BOX = np.array([[0.0, -1.0, 2.0], [4.0, 1.0, 2.5]])


@pytest.mark.parametrize("scale", [1.0, -0.05])
@pytest.mark.parametrize(
    ("through", "expected"),
    [
        ([0.0, -1.0, 9.0], [0, 0, -1]),
        ([4.0, 1.0, 9.0], [2, 2, -1]),
        ([2.0, 0.1, 0.0], [1, 1, -1]),
        ([0.8, -0.7, 0.0], [0, 0, -1]),
        ([9.0, -9.0, 0.0], [2, 0, -1]),  # outside: the nearest side
    ],
)
def test_places_are_where_the_axis_crosses_the_box(through: list[float], expected: list[int], scale: float) -> None:
    """Lower side, middle or upper side, whatever the speed and wherever along the axis the point was taken."""
    screws = hinge([0.0, 0.0, scale], through)[None]
    np.testing.assert_array_equal(taught._places(screws, BOX[None]), [expected])


def test_places_of_other_axes_of_slides_and_of_slanted_ones() -> None:
    screws = [hinge([-2.0, 0.0, 0.0], [7.0, -1.0, 2.5]), [0, 0, 0, 0, 1, 0], hinge([0.0, 1.0, 1.0], [2.0, 0.0, 2.25])]
    found = taught._places(np.array(screws, dtype=float), np.stack([BOX] * 3))
    np.testing.assert_array_equal(found, [[-1, 0, 2], [-1, -1, -1], [1, 1, 1]])


def test_places_of_a_flat_box_are_a_side_or_the_middle() -> None:
    """A sheet of no thickness has no division by zero."""
    flat = np.array([[-1.0, -1.0, 0.3], [1.0, 1.0, 0.3]])
    found = taught._places(hinge([1.0, 0.0, 0.0], [0.0, -1.0, 0.3])[None], flat[None])
    np.testing.assert_array_equal(found, [[-1, 0, 1]])


def chain() -> Bodies:
    """Base, arm and hand of a chain; arm and hand of one, and something whose motion is no simple joint."""
    return Bodies(
        point=np.array([0, 1, 2, 3, BENDS, UNKNOWN, 1, 2]),
        hangs=np.array([False, True, True, True]),
        simple=np.array([False, True, True, False]),
        ball=np.array([False, False, False, True]),
        carries=np.array([[0, 0, 0, 0], [0, 1, 1, 0], [0, 0, 1, 0], [0, 0, 0, 1]], dtype=bool),
        screws=np.stack([np.zeros(6), hinge([0, 0, 1], [0, -1, 0]), np.eye(6)[4], np.ones(6)]),
        means=np.array([0.0, 0.9, 0.1, 0.0]),
        boxes=np.tile(BOX, (4, 1, 1)),
    )


def told(shell: list[int]) -> dict[str, np.ndarray]:
    """Of eight points in reverse order; handles start at points of the base, arm, hand, the other, and of what bends
    and is not known."""
    found = body_supervision(chain(), np.arange(8)[::-1], np.array(shell), np.array([7, 6, 5, 4, 3, 2]), 6)
    rng = np.random.default_rng(0)
    found |= bone_truth(None, np.arange(8), np.zeros(8, dtype=np.int64), 6)
    return found | {"quaternions": rng.normal(size=(3, 6, 4)), "shifts": rng.normal(size=(3, 6, 3))}


def test_handles_are_told_what_the_bodies_are_on_which_they_start() -> None:
    found = told([0] * 8)
    np.testing.assert_array_equal(found["body"], [2, 1, UNKNOWN, BENDS, 3, 2, 1, 0])
    np.testing.assert_array_equal(found["body_of_handles"], [0, 1, 2, 3, BENDS, UNKNOWN])
    np.testing.assert_array_equal(found["moving"], [0, 1, 1, 1, -1, -1])
    np.testing.assert_array_equal(found["simple"], [False, True, True, False, False, False])
    np.testing.assert_array_equal(found["balls"], [-1, 0, 0, 1, -1, -1])
    np.testing.assert_array_equal(found["sided"][:4], [False, True, False, False])
    # The row is moved, the column moves it; nothing moves the base, and of bending ones nothing is known.
    np.testing.assert_array_equal(
        found["carried"],
        [
            [0, 0, 0, 0, 0, 0],
            [-1, 1, 0, 0, -1, -1],
            [-1, 1, 1, 0, -1, -1],
            [-1, 0, 0, 1, -1, -1],
            [-1, -1, -1, -1, -1, -1],
            [-1, -1, -1, -1, -1, -1],
        ],
    )


def test_loose_parts_are_stiff_where_all_their_points_are_of_one_body() -> None:
    """Points of the bodies 2, 1, not known, bending, 3, 2, 1, 0."""
    np.testing.assert_array_equal(told([0, 1, 1, 2, 3, 0, 1, 4])["stiff"], [1, 1, 0, 1, 1, -1])
    np.testing.assert_array_equal(told([0, 0, 1, 3, 3, 4, 5, 5])["stiff"], [0, -1, -1, 0, 1, 0])


def test_lessons_keep_to_the_order_of_handles() -> None:
    batch = batch_supervision([told([0] * 8)])
    order = torch.tensor([[2, 0, 1, 5, 4, 3]])
    mixed = batch.in_order(order)
    for name in ("homes", "moving", "balls", "screws", "simple", "sided", "means", "kinds", "places", "reach"):
        assert torch.equal(getattr(mixed, name)[0], getattr(batch, name)[0][order[0]]), name
    assert torch.equal(mixed.carried[0], batch.carried[0][order[0]][:, order[0]])
    for name in ("quaternions", "shifts"):
        assert torch.equal(getattr(mixed.turns, name)[0], getattr(batch.turns, name)[0][:, order[0]]), name
    assert torch.equal(mixed.body, batch.body) and torch.equal(mixed.stiff, batch.stiff)
    assert batch.bends.tolist() == [True] and batch.turning.tolist() == [True]


def test_bends_are_taught_by_what_bends_and_by_ball_joints() -> None:
    rigid, bending = told([0] * 8), told([0] * 8)
    rigid["body"] = np.zeros(8, dtype=np.int64)
    hinged = rigid | {"balls": np.minimum(rigid["balls"], 0.0)}
    batch = batch_supervision([rigid, hinged, bending])
    assert batch.bends.tolist() == [False, False, True] and batch.turning.tolist() == [True, False, True]


def supervision() -> Supervision:
    return batch_supervision([told([0] * 8)])


def test_the_right_screw_has_no_error_and_sides_count_where_they_are_known() -> None:
    batch = supervision()
    right = float(taught._screw_error(batch.screws, batch))
    assert right == pytest.approx(0.01, abs=1e-3)  # the square root is rounded off
    for handle, counts in ((1, True), (2, False)):
        other = batch.screws.clone()
        other[:, handle] *= -1.0
        error = float(taught._screw_error(other, batch))
        assert error == pytest.approx(right + 0.995 if counts else right, abs=5e-3)  # 2 of RMS 1, over two handles
    twice = float(taught._screw_error(2.0 * batch.screws, batch))
    assert twice == pytest.approx(right + taught.SIZE_COUNTS * np.log(2.0), abs=1e-3)
    other = batch.screws.clone()
    other[:, [0, 3, 4, 5]] += 1.0  # of these nothing is known
    assert float(taught._screw_error(other, batch)) == right


def test_of_two_directions_of_an_axis_the_likelier_one_is_right_where_none_is_known() -> None:
    batch = supervision()
    logits = torch.zeros(1, 6, 12)
    logits[0, 1, batch.kinds[0, 1]] = logits[0, 2, batch.kinds[0, 2] ^ 1] = 50.0
    assert float(taught._kind_error(logits, batch)) == pytest.approx(0.0, abs=1e-6)
    logits[0, 1] = logits[0, 1].roll(1)
    assert float(taught._kind_error(logits, batch)) == pytest.approx(25.0, abs=1e-3)


def test_who_says_what_the_motion_tells_errs_in_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """... but in what a screw's square root is rounded off by."""
    torch.manual_seed(0)
    model = TrainingModel(TINY.model)
    surface, _, batch = next(example_batches(Source({"lidded_box": FAMILIES["lidded_box"]}), TINY, 0))
    with torch.no_grad():
        context = model.encode(surface.take(slice(0, TINY.model.points)))
        ordered = batch.in_order(context.seeds)
        sure = {name: 40.0 * (2.0 * getattr(ordered, name) - 1.0) for name in ("moving", "carried", "stiff")}
        context = replace(context, stiffness=sure["stiff"][..., None], prior_mean=ordered.means)
        places = torch.nn.functional.one_hot(ordered.places.clamp(min=0), 3)
        joints = Joints(
            moves=sure["moving"],
            firm=torch.where(ordered.homes >= 0, 40.0, -40.0),
            carries=sure["carried"],
            kinds=40.0 * torch.nn.functional.one_hot(ordered.kinds, 12),
            places=40.0 * places,
            screws=ordered.screws,
        )
        monkeypatch.setattr(model.decoder, "joints", lambda *_: joints)
        heads = replace(model.decoder.heads(context), balls=80.0 * ordered.balls - 40.0)
        body = ordered.body[:, -TINY.training.queries :, None] == ordered.homes[:, None]
        weights = body / body.sum(-1, keepdim=True).clamp(min=1)
        errors = auxiliary_losses(ordered, context, model.decoder, sure["carried"], heads, weights)
    assert (*errors, *BEND_LOSSES, *BONE_LOSSES) == AUXILIARY_LOSSES
    assert ordered.simple.any()
    for name, error in errors.items():
        assert 0.0 <= float(error) < (0.011 if name == "screws" else 1e-5), name
