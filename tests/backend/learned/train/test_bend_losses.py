"""How far what is said of two pieces is from what the motion shows: closed forms, and where it is least."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch
from scipy.spatial.transform import Rotation
from scipy.stats import multivariate_normal
from torch import Tensor

from backend.learned.infer.bend_head import Bends
from backend.learned.train import bend_losses as taught
from backend.learned.train.bend_losses import BEND_LOSSES, Turns, bend_losses

OBJECTS, STATES, HANDLES, POINTS = 2, 9, 4, 30


def random_turns(seed: int = 0, angle: float = 3.0) -> Turns:
    """Rigid motions by up to `angle`, quaternions of either sign."""
    rng = np.random.default_rng(seed)
    axes = rng.normal(size=(OBJECTS * STATES * HANDLES, 3))
    axes *= angle * rng.random((len(axes), 1)) / np.linalg.norm(axes, axis=1, keepdims=True)
    quaternions = Rotation.from_rotvec(axes).as_quat(scalar_first=True) * rng.choice([-1.0, 1.0], (len(axes), 1))
    shifts = rng.normal(size=(OBJECTS, STATES, HANDLES, 3))
    return Turns(torch.tensor(quaternions).unflatten(0, (OBJECTS, STATES, HANDLES)), torch.tensor(shifts))


def rotation(turns: Turns, *place: int) -> Rotation:
    return Rotation.from_quat(turns.quaternions[place].numpy(), scalar_first=True)


def both_ways(values: Tensor) -> Tensor:
    """Of pairs (B,H,H,...), the same for the second and the first as for the first and the second."""
    upper = torch.ones(values.shape[1:3]).triu()[(..., *[None] * (values.ndim - 3))]
    return torch.where(upper > 0.0, values, values.transpose(1, 2))


def random_bends(seed: int = 0) -> Bends:
    torch.manual_seed(seed)
    mixed = torch.randn(OBJECTS, HANDLES, HANDLES, 3, 3).double()
    factor = mixed.tril(-1) + torch.diag_embed(mixed.diagonal(dim1=-2, dim2=-1).exp())
    return Bends(both_ways(factor), both_ways(torch.randn(OBJECTS, HANDLES, HANDLES, 3).double()))


STILL = Turns(
    torch.eye(4).double()[0].expand(OBJECTS, STATES, HANDLES, 4),
    torch.zeros(OBJECTS, STATES, HANDLES, 3).double(),
)


def errors(bends: Bends, turns: Turns, **changes: Any) -> dict[str, Tensor]:
    """All bends and all touches, points belong to one handle each and stay where they are, unless told otherwise."""
    given = {
        "turned": torch.ones(OBJECTS, dtype=torch.bool),
        "gaps": torch.zeros(OBJECTS, HANDLES, HANDLES),
        "weights": torch.eye(HANDLES).double()[torch.arange(POINTS) % HANDLES].expand(OBJECTS, -1, -1),
        "points": torch.tensor(np.random.default_rng(1).normal(size=(OBJECTS, POINTS, 3))),
        "moves": torch.zeros(OBJECTS, STATES, POINTS, 3).double(),
    }
    return bend_losses(bends, turns, **(given | changes))


@pytest.mark.parametrize("angle", [3.0, 0.3, 1e-4, 1e-7])
def test_rotations_between_two_pieces_are_those_of_scipy(angle: float) -> None:
    """Both ways round, whatever the sign of a quaternion; by more than half a turn is by less the other way."""
    turns = random_turns(angle=angle)
    found = taught._between(turns.quaternions)
    assert found.shape == (OBJECTS, STATES, HANDLES, HANDLES, 3)
    for number, state, one, other in np.ndindex(*found.shape[:4]):
        relative = rotation(turns, number, state, one).inv() * rotation(turns, number, state, other)
        expected = np.zeros(3) if one == other else relative.as_rotvec()
        np.testing.assert_allclose(found[number, state, one, other], expected, rtol=1e-7, atol=1e-9 * angle)


def test_pieces_that_turn_together_turn_by_nothing_and_those_half_round_by_half_a_turn() -> None:
    half = torch.tensor([0.0, 0.6, 0.0, -0.8])
    still = torch.tensor([1.0, 0.0, 0.0, 0.0])
    found = taught._between(torch.stack([still, -still, half])[None, None])[0, 0]
    assert torch.equal(found[:2, :2], torch.zeros(2, 2, 3))
    torch.testing.assert_close(found[0, 2].abs(), np.pi * half[1:].abs())


def seen_pairs(turns: Turns, number: int) -> dict[tuple[int, int], np.ndarray]:
    """Rotation vectors Float[S,3] between any two handles of an object."""
    return {
        (one, other): np.stack(
            [
                (rotation(turns, number, state, one).inv() * rotation(turns, number, state, other)).as_rotvec()
                for state in range(STATES)
            ]
        )
        for one in range(HANDLES)
        for other in range(HANDLES)
        if one != other
    }


def test_the_turning_lesson_is_the_negative_logarithm_of_the_density() -> None:
    """For each axis, up to its constant; pairs of pieces that are far apart count a fifth."""
    bends, turns = random_bends(), random_turns()
    gaps = torch.full((OBJECTS, HANDLES, HANDLES), 0.1)
    gaps[0, 0, 2] = gaps[0, 2, 0] = gaps[1, 1, 3] = gaps[1, 3, 1] = 0.3
    expected = []
    for number in range(OBJECTS):
        nats, counts = [], []
        for (one, other), seen in seen_pairs(turns, number).items():
            factor = bends.factor[number, one, other].numpy()
            precision = factor @ factor.T
            density = multivariate_normal(np.zeros(3), np.linalg.inv(precision))
            noise = 0.5 * taught.NOISE**2 * np.trace(precision)
            nats.append(noise - density.logpdf(seen).mean() - 1.5 * np.log(2.0 * np.pi))
            counts.append(1.0 if gaps[number, one, other] < taught.NEAR else 0.2)
        expected.append(np.average(nats, weights=counts) / 3.0)
    found = errors(bends, turns, gaps=gaps)["turning"]
    assert float(found) == pytest.approx(np.mean(expected), rel=1e-6)


def test_the_turning_lesson_is_least_at_the_covariance_of_what_was_seen() -> None:
    """Changed by however little, in whatever way."""
    turns = random_turns(angle=1.0)
    factor = torch.zeros(OBJECTS, HANDLES, HANDLES, 3, 3).double() + torch.eye(3)
    for number in range(OBJECTS):
        for pair, seen in seen_pairs(turns, number).items():
            covariance = seen.T @ seen / STATES + taught.NOISE**2 * np.eye(3)
            factor[(number, *pair)] = torch.tensor(np.linalg.cholesky(np.linalg.inv(covariance)))
    bends = replace(random_bends(), factor=factor)
    least = float(errors(bends, turns)["turning"])
    torch.manual_seed(0)
    for size in (1e-3, 1e-2, 0.1):
        for _ in range(20):
            change = torch.randn(factor.shape).double().tril() * size * factor.diagonal(dim1=-2, dim2=-1)[..., None, :]
            assert float(errors(replace(bends, factor=factor + both_ways(change)), turns)["turning"]) > least
    for share in (0.9, 1.1):
        assert float(errors(replace(bends, factor=share * factor), turns)["turning"]) > least


def hinged(turns: Turns, pivots: Tensor) -> Turns:
    """Handles 0 and 1 of each object hang together at pivots (B,3), as do 2 and 3 at the same place."""
    shifts = turns.shifts.clone()
    for number, state in np.ndindex(OBJECTS, STATES):
        place = pivots[number].numpy()
        for one, other in ((0, 1), (2, 3)):
            goal = rotation(turns, number, state, one).apply(place) + shifts[number, state, one].numpy()
            shifts[number, state, other] = torch.tensor(goal - rotation(turns, number, state, other).apply(place))
    return replace(turns, shifts=shifts)


def test_the_pivot_lesson_is_how_far_apart_two_motions_take_the_pivot() -> None:
    """Nothing but its floor where the pieces hang together; RMS of (R_0 - R_1) d at d from there."""
    pivots = torch.tensor([[0.3, -0.2, 0.5], [-1.0, 0.1, 0.2]]).double()
    turns = hinged(random_turns(), pivots)
    gaps = torch.ones(OBJECTS, HANDLES, HANDLES)
    for one, other in ((0, 1), (2, 3)):
        gaps[:, one, other] = gaps[:, other, one] = 0.01  # others are too far apart to hang on each other
    bends = random_bends()
    at = pivots[:, None, None].expand_as(bends.pivot)
    floor = taught.PIVOT_COUNTS * taught.LEAST_MOTION
    assert float(errors(replace(bends, pivot=at), turns, gaps=gaps)["pivots"]) == pytest.approx(floor, rel=1e-6)
    away = np.array([0.02, -0.05, 0.01])
    apart = []
    for number in range(OBJECTS):
        for one, other in ((0, 1), (2, 3)):
            steps = [
                np.linalg.norm(rotation(turns, number, state, one).apply(away) - rotated.apply(away))
                for state in range(STATES)
                for rotated in [rotation(turns, number, state, other)]
            ]
            apart.append(np.sqrt(np.mean(np.square(steps)) + taught.LEAST_MOTION**2))
    found = float(errors(replace(bends, pivot=at + torch.tensor(away)), turns, gaps=gaps)["pivots"])
    assert found == pytest.approx(taught.PIVOT_COUNTS * np.mean(apart), rel=1e-6)
    assert found > 5.0 * floor


def blended(turns: Turns, weights: Tensor, points: Tensor) -> Tensor:
    """Moves (B,S,Q,3) of points that go with several handles, one at a time."""
    moves = torch.zeros(OBJECTS, STATES, POINTS, 3).double()
    for number, state, handle in np.ndindex(OBJECTS, STATES, HANDLES):
        share, place = weights[number, :, handle, None].numpy(), points[number].numpy()
        goal = rotation(turns, number, state, handle).apply(place) + turns.shifts[number, state, handle].numpy()
        moves[number, state] += torch.tensor(share * (goal - place))
    return moves


def test_the_skin_lesson_knows_the_weights_of_a_blended_skin() -> None:
    torch.manual_seed(0)
    turns, points = random_turns(angle=1.0), torch.randn(OBJECTS, POINTS, 3).double()
    weights = torch.randn(OBJECTS, POINTS, HANDLES).double().softmax(-1)
    moves = blended(turns, weights, points)

    def error(output: Tensor) -> float:
        return float(errors(random_bends(), turns, weights=output, points=points, moves=moves)["skin"])

    assert error(weights) < 2e-3
    share = 0.3
    mixed = torch.lerp(weights, weights.roll(1, 1), share)
    missed = (blended(turns, mixed, points) - moves).square().sum(-1).mean((1, 2)).sqrt()
    expected = (missed / moves.square().sum(-1).mean((1, 2)).sqrt()).mean()
    assert error(mixed) == pytest.approx(float(expected), rel=1e-3)


def test_whoever_says_that_nothing_moves_has_missed_all_of_the_motion() -> None:
    moves = torch.randn(OBJECTS, STATES, POINTS, 3).double()
    assert float(errors(random_bends(), STILL, moves=moves)["skin"]) == pytest.approx(1.0, rel=1e-6)


def test_objects_that_do_not_bend_do_not_count() -> None:
    """Neither what they do nor what is said of them; where none bends there is nothing to learn."""
    torch.manual_seed(0)
    moves = torch.randn(OBJECTS, STATES, POINTS, 3).double()
    found = []
    for seed in (1, 2):
        bends, turns, others = random_bends(seed), random_turns(seed), random_turns(3)
        factor, pivot = bends.factor.requires_grad_(), bends.pivot.requires_grad_()
        mixed = Turns(
            torch.stack([others.quaternions[0], turns.quaternions[1]]),
            torch.stack([others.shifts[0], turns.shifts[1]]),
        )
        known = random_bends(3)
        output = Bends(torch.stack([known.factor[0], factor[1]]), torch.stack([known.pivot[0], pivot[1]]))
        told = errors(output, mixed, turned=torch.tensor([True, False]), moves=torch.stack([moves[0], seed * moves[1]]))
        found.append([float(told[name].detach()) for name in BEND_LOSSES])
        sum(told.values()).backward()
        assert not factor.grad.any() and not pivot.grad.any()
        none = errors(output, mixed, turned=torch.zeros(OBJECTS, dtype=torch.bool), moves=moves)
        assert all(float(none[name].detach()) == 0.0 for name in BEND_LOSSES)
    assert found[0] == found[1] and all(found[0])


def test_more_objects_that_do_not_bend_change_nothing() -> None:
    """Lessons are means over those that bend, and that of pivots over those with pieces that meet."""
    torch.manual_seed(0)
    bends, turns, other_bends, other_turns = random_bends(), random_turns(), random_bends(3), random_turns(3)
    told = {
        "gaps": both_ways(0.4 * torch.rand(OBJECTS, HANDLES, HANDLES)),
        "weights": torch.rand(OBJECTS, POINTS, HANDLES).double().softmax(-1),
        "points": torch.randn(OBJECTS, POINTS, 3).double(),
        "moves": torch.randn(OBJECTS, STATES, POINTS, 3).double(),
    }
    found = errors(bends, turns, **told)
    more = errors(
        Bends(torch.cat([other_bends.factor, bends.factor]), torch.cat([other_bends.pivot, bends.pivot])),
        Turns(torch.cat([other_turns.quaternions, turns.quaternions]), torch.cat([other_turns.shifts, turns.shifts])),
        turned=torch.tensor([False] * OBJECTS + [True] * OBJECTS),
        **{name: torch.cat([values.flip(0), values]) for name, values in told.items()},
    )
    for name in BEND_LOSSES:
        torch.testing.assert_close(more[name], found[name])
        assert float(found[name]) != 0.0
    told["gaps"][0] = 2.0 * taught.NEAR
    second = errors(bends, turns, turned=torch.tensor([False, True]), **told)
    torch.testing.assert_close(errors(bends, turns, **told)["pivots"], second["pivots"])
    assert float(second["pivots"]) != pytest.approx(float(found["pivots"]))


def test_the_order_of_handles_changes_nothing() -> None:
    """Another order for each object."""
    bends, turns = random_bends(), random_turns()
    torch.manual_seed(1)
    order = torch.stack([torch.randperm(HANDLES) for _ in range(OBJECTS)])
    gaps = both_ways(0.4 * torch.rand(OBJECTS, HANDLES, HANDLES))
    assert (gaps < taught.NEAR).any() and (gaps > taught.NEAR).any()
    weights = torch.rand(OBJECTS, POINTS, HANDLES).double()
    moves = torch.randn(OBJECTS, STATES, POINTS, 3).double()

    def of_pairs(values: Tensor) -> Tensor:
        return torch.stack([each[own][:, own] for each, own in zip(values, order, strict=True)])

    mixed = Bends(of_pairs(bends.factor), of_pairs(bends.pivot))
    sorted_weights = torch.stack([each[:, own] for each, own in zip(weights, order, strict=True)])
    found = errors(bends, turns, gaps=gaps, weights=weights, moves=moves)
    other = errors(mixed, turns.in_order(order), gaps=of_pairs(gaps), weights=sorted_weights, moves=moves)
    for name in BEND_LOSSES:
        torch.testing.assert_close(other[name], found[name])
        assert float(found[name]) != 0.0
    wrong = errors(bends, turns.in_order(order), gaps=gaps, weights=weights, moves=moves)
    assert all(abs(float(wrong[name] - found[name])) > 1e-3 for name in BEND_LOSSES)


def test_what_does_not_turn_at_all_gives_numbers_to_learn_from() -> None:
    bends = random_bends()
    factor, pivot = bends.factor.requires_grad_(), bends.pivot.requires_grad_()
    weights = torch.rand(OBJECTS, POINTS, HANDLES).double().requires_grad_()
    sum(errors(Bends(factor, pivot), STILL, weights=weights).values()).backward()
    for values in (factor, pivot, weights):
        assert torch.isfinite(values.grad).all()
    assert factor.grad.any()
