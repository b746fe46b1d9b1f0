"""The objective: its closed forms, what it counts as a direction, and that nothing in it is free."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch
from torch import Tensor

from backend.data.families import FAMILIES
from backend.data.source import Source
from backend.kinematics.state_space import StateSpace
from backend.learned.infer.groups import taken
from backend.learned.infer.shape_tensors import Surface
from backend.learned.train import losses
from backend.learned.train.batches import example_batches
from backend.learned.train.bend_losses import BEND_LOSSES
from backend.learned.train.latent_fitting import Fit, fit, skin_basis
from backend.learned.train.losses import Objective
from backend.learned.train.supervision import AUXILIARY_LOSSES, Supervision
from backend.learned.train.training_config import CONFIGS
from backend.learned.train.training_model import TrainingModel
from tests.backend.kinematics.spaces import laptop, random_space

TINY = CONFIGS["tiny"]


def objective(**changes: object) -> Objective:
    torch.manual_seed(0)
    return Objective(TrainingModel(TINY.model), replace(TINY.training, **changes))


def parts_of(vertices: np.ndarray, space: StateSpace) -> tuple[Tensor, Tensor]:
    """Twists (1,H,K,6) and basis (1,V,4H)."""
    points = torch.tensor(space.frame.to_reference(vertices), dtype=torch.float32)
    weights = torch.tensor(space.weights, dtype=torch.float32)
    return torch.tensor(space.twists, dtype=torch.float32)[None], skin_basis(weights, points)[None]


def nats(space: tuple[Tensor, Tensor], surplus: Tensor, **changes: object) -> tuple[float, float]:
    value, active = objective(**changes)._nats(*space, surplus)
    return float(value), float(active)


def test_the_price_of_slides_is_the_logarithm_of_what_they_move() -> None:
    """K slides along three axes and one twice: log det(I + 2 J^T J / (P w)) / 2 from the columns themselves."""
    slides = torch.tensor([[0.5, 0.0, 0.0], [0.0, 0.2, 0.0], [0.0, 0.0, 0.01], [0.5, 0.0, 0.0]])
    twists = torch.cat([torch.zeros(4, 3), slides], -1)[None, None]
    basis = skin_basis(torch.ones(7, 1), torch.randn(7, 3))[None]
    weight = 1e-3
    matrix = np.eye(4) + 2.0 / weight * (slides @ slides.T).double().numpy()
    found, _ = nats((twists, basis), torch.zeros(1, 2, 4), kl_weight=weight)
    assert found == pytest.approx(0.5 * np.log(np.linalg.det(matrix)), rel=1e-5)


def test_z_away_from_its_mean_costs_half_its_square() -> None:
    space = parts_of(*random_space(4, 3, vertices=30))
    surplus = torch.tensor([[[1.0, -2.0, 0.5], [0.0, 1.0, 0.0]]])
    away, near = nats(space, surplus)[0], nats(space, torch.zeros(1, 2, 3))[0]
    assert away - near == pytest.approx(0.5 * float((surplus**2).sum(-1).mean()), rel=1e-4)


def test_one_joint_is_one_direction_and_three_are_three() -> None:
    (vertices, _), space = laptop()
    assert nats(parts_of(vertices, space), torch.zeros(1, 1, 2))[1] == 1.0
    twists = torch.zeros(1, 1, 3, 6)
    twists[0, 0, :, 3:] = torch.eye(3)
    assert nats((twists, skin_basis(torch.ones(5, 1), torch.randn(5, 3))[None]), torch.zeros(1, 1, 3))[1] == 3.0


def test_the_same_joint_in_two_numbers_is_no_second_direction() -> None:
    """... and costs more than once: the objective has a reason to let one go."""
    (vertices, _), space = laptop()
    twists, basis = parts_of(vertices, space)
    twice = twists.clone()
    twice[:, :, 1] = twice[:, :, 0]
    assert nats((twice, basis), torch.zeros(1, 1, 2))[1] == 1.0
    price = [nats((each, basis), torch.zeros(1, 1, 2))[0] for each in (twists, twice)]
    assert price[1] == pytest.approx(price[0] + 0.5 * np.log(2.0), rel=1e-3)


def test_small_errors_count_squared_and_large_ones_linearly() -> None:
    huber_delta = 0.1
    judge = objective(huber_delta=huber_delta)._error

    def loss(error: float) -> float:
        moves = torch.zeros(1, 1, 5, 3)
        return float(judge(moves + torch.tensor([error, 0.0, 0.0]), moves).loss)

    assert loss(1e-2) == pytest.approx(1e-4, rel=0.01)
    assert loss(5.0) - loss(4.0) == pytest.approx(2.0 * huber_delta, rel=0.01)


def test_the_logged_error_is_relative_to_the_motion() -> None:
    moves = torch.randn(2, 3, 50, 3)
    judge = objective()._error
    assert float(judge(torch.zeros_like(moves), moves).relative) == pytest.approx(1.0, rel=1e-6)
    assert float(judge(0.9 * moves, moves).relative) == pytest.approx(0.1, rel=1e-4)
    assert torch.isfinite(judge(moves, torch.zeros_like(moves)).relative)  # examples that do not move


def rigid_and_bending(first: str = "lidded_box", second: str = "fish") -> tuple[Surface, Tensor, Supervision]:
    """A batch of one of each."""
    surface, moves, supervision = next(
        example_batches(Source({name: FAMILIES[name] for name in (first, second)}), TINY, 0)
    )
    assert supervision.bends.tolist() == [first == "fish", second == "fish"]
    return surface, moves, supervision


def test_motions_of_rigid_bodies_are_fitted_before_those_of_what_bends(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing that is fitted could bend."""
    shown = []

    def fit_and_tell(twists: Tensor, basis: Tensor, moves: Tensor, *given: object) -> Fit:
        shown.append(moves)
        return fit(twists, basis, moves, *given)

    monkeypatch.setattr(losses, "fit", fit_and_tell)
    for families, rigid in ((("lidded_box", "fish"), 0), (("fish", "lidded_box"), 1)):
        surface, moves, supervision = rigid_and_bending(*families)
        objective(fitted_objects=1)(surface, moves, supervision)
        asked = moves[:, :, TINY.model.points :]
        assert torch.equal(shown[0], asked[rigid : rigid + 1])
        assert all(len(each) == 1 for each in shown)
        shown.clear()


def test_the_order_in_which_handles_are_told_does_not_matter() -> None:
    """What the motion tells of a handle goes where the decoder puts the handle."""
    surface, moves, supervision = rigid_and_bending()
    judge = objective()
    torch.manual_seed(1)
    order = torch.stack([torch.randperm(TINY.model.handles) for _ in range(2)])
    mixed = replace(
        surface,
        seeds=taken(surface.seeds, order),
        piece=order.argsort(1).gather(1, surface.piece),
        touching=taken(taken(surface.touching, order).transpose(1, 2), order).transpose(1, 2),
    )
    one, other = judge(surface, moves, supervision), judge(mixed, moves, supervision.in_order(order))
    for name in AUXILIARY_LOSSES:
        assert float(other[name]) == pytest.approx(float(one[name]), rel=1e-3), name
        assert float(one[name]) != 0.0, name
    wrong = judge(mixed, moves, supervision)
    for name in (*BEND_LOSSES, "moving", "screws"):
        assert float(wrong[name]) != pytest.approx(float(one[name]), rel=1e-3), name


@pytest.mark.parametrize("posterior", ["fit", "encoder"])
def test_every_weight_of_the_network_is_taught(posterior: str) -> None:
    """... but those that stand where nothing reads them: no gradient is missing, not a number or zero throughout."""
    torch.manual_seed(0)
    model = TrainingModel(replace(TINY.model, posterior=posterior))
    surface, moves, supervision = rigid_and_bending()
    told = Objective(model, TINY.training)(surface, moves, supervision)
    told["total"].backward()
    for name, weights in model.named_parameters():
        assert weights.grad is not None, name
        assert torch.isfinite(weights.grad).all(), name
        # A bias of keys shifts all likenesses alike, and softmax takes it away.
        assert weights.grad.any() or name.endswith("key.bias"), name


def test_what_bends_is_learned_from_examples_that_bend_and_from_no_others() -> None:
    """Finite gradients for every weight, which a few steps along them follow: the error of pivots falls, and more."""
    before, after = [], []
    for family in ("lidded_box", "fish"):
        judge = objective(auxiliary_weight=1.0)
        batch = next(example_batches(Source({family: FAMILIES[family]}), TINY, 0))
        bends = judge.model.decoder.bends
        told = judge(*batch)
        told["total"].backward()
        for name, weights in bends.named_parameters():
            assert torch.isfinite(weights.grad).all(), name
            assert weights.grad.any() == (family == "fish"), name
        before.append([float(told[name]) for name in BEND_LOSSES])
        optimiser = torch.optim.Adam(judge.model.parameters(), 3e-3)
        for _ in range(20):
            optimiser.zero_grad()
            told = judge(*batch)
            told["total"].backward()
            optimiser.step()
        after.append([float(told[name]) for name in BEND_LOSSES])
    assert before[0] == after[0] == [0.0, 0.0, 0.0]
    (turning, pivots, skin), (less_turning, less_pivots, less_skin) = before[1], after[1]
    assert less_turning < turning - 0.2 and less_pivots < 0.7 * pivots and less_skin < 0.9 * skin


def test_examples_that_do_not_move_give_numbers() -> None:
    torch.manual_seed(0)
    model = TrainingModel(TINY.model)
    surface, moves, supervision = rigid_and_bending()
    told = Objective(model, TINY.training)(surface, torch.zeros_like(moves), supervision)
    told["total"].backward()
    for value in told.values():
        assert torch.isfinite(value)
    for name, weights in model.named_parameters():
        assert weights.grad is None or torch.isfinite(weights.grad).all(), name
