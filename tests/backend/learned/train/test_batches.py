"""Batches of examples: the motion of pieces, and the same in every run."""

from __future__ import annotations

import numpy as np
from scipy.spatial.distance import cdist
from scipy.spatial.transform import Rotation

from backend.data.families import FAMILIES
from backend.data.source import Source
from backend.learned.train import batches
from backend.learned.train.batches import example_batches
from backend.learned.train.training_config import CONFIGS

TINY = CONFIGS["tiny"]


def cloud(count: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).uniform(-1.0, 1.0, (count, 3)).astype(np.float32)


def test_the_motion_of_each_piece_is_told_as_quaternions_and_shifts() -> None:
    """The best for its own points, by scipy one at a time; the real part is first. A point may be a piece by itself.

    What holds turns back is three pairs more, of unit vectors that stay: of n points with the spread s, the mean square
    distance from their middle, a sum of squares is least where tr(R^T C) is largest,
    C = sum_i y_i x_i^T + weight sum_k e_k e_k^T, and that is n (products + STAY s 1) for the weight n STAY s.
    """
    rng = np.random.default_rng(0)
    points, moves = cloud(60), rng.normal(0.0, 0.4, (3, 60, 3)).astype(np.float32)
    piece = rng.integers(0, 4, 60)
    piece[7] = 4
    told = batches._turns(points, moves, piece, 5)
    assert all(each.dtype == np.float32 for each in told.values())
    for state in range(3):
        for handle in range(4):
            own = piece == handle
            before, after = points[own], points[own] + moves[state, own]
            turn = Rotation.from_quat(told["quaternions"][state, handle], scalar_first=True)
            middle, goal = before.mean(axis=0, dtype=float), after.mean(axis=0, dtype=float)
            held = batches.STAY * ((before - middle) ** 2).sum()
            expected = Rotation.align_vectors(
                np.concatenate([after - goal, np.eye(3)]),
                np.concatenate([before - middle, np.eye(3)]),
                np.concatenate([np.ones(len(before)), np.full(3, held)]),
            )[0]
            assert (turn * expected.inv()).magnitude() < 2e-7
            np.testing.assert_allclose(told["shifts"][state, handle], goal - expected.apply(middle), atol=2e-7)
        turn = Rotation.from_quat(told["quaternions"][state, 4], scalar_first=True)
        np.testing.assert_allclose(
            turn.apply(points[7]) + told["shifts"][state, 4], points[7] + moves[state, 7], atol=1e-5
        )


def test_what_a_batch_tells_of_pieces_is_how_their_points_move() -> None:
    """Of a box with a lid, however it was turned and mirrored: pieces of one body move exactly so."""
    source = Source({"lidded_box": FAMILIES["lidded_box"]})
    surface, moves, supervision = next(example_batches(source, TINY, 0))
    count, checked = TINY.model.points, 0
    for number in range(TINY.training.objects):
        piece = surface.piece[number].numpy()
        points, body = surface.points[number, :count].numpy(), supervision.body[number, :count].numpy()
        for handle in range(TINY.model.handles):
            own = piece == handle
            if len(set(body[own])) > 1 or body[own][0] < 0:
                continue
            for state, moved in enumerate(moves[number, :, :count].numpy()):
                turn = Rotation.from_quat(
                    supervision.turns.quaternions[number, state, handle].numpy(), scalar_first=True
                )
                goal = turn.apply(points[own]) + supervision.turns.shifts[number, state, handle].numpy()
                np.testing.assert_allclose(goal, points[own] + moved[own], atol=1e-3)
                checked += 1
    assert checked > 4


def test_points_and_moves_of_a_batch_belong_together() -> None:
    """Of a box with a lid, what hangs together moves as one body: distances within a part stay."""
    source = Source({"lidded_box": FAMILIES["lidded_box"]})
    surface, moves, _ = next(example_batches(source, TINY, 0))
    count = TINY.model.points + TINY.training.queries
    assert surface.points.shape == (TINY.training.objects, count, 3)
    assert moves.shape == (TINY.training.objects, TINY.training.states, count, 3)
    assert moves.norm(dim=-1).max() > 0.05
    for points, shell, moved in zip(surface.points.numpy(), surface.shell.numpy(), moves.numpy(), strict=True):
        if shell.max() == 0:
            continue  # what the parts were is not told
        for part in range(int(shell.max()) + 1):
            own = shell == part
            np.testing.assert_allclose(
                cdist(points[own], points[own]), cdist(*2 * [points[own] + moved[0, own]]), atol=1e-4
            )


def test_a_piece_of_one_point_does_not_turn() -> None:
    """Its spread is nothing but rounding, of either sign: no sign of it is a turn."""
    rng = np.random.default_rng(1)
    points, moves = cloud(40), rng.normal(0.0, 0.4, (2, 40, 3)).astype(np.float32)
    told = batches._turns(points, moves, np.arange(40), 40)
    np.testing.assert_allclose(told["quaternions"], np.broadcast_to([1.0, 0.0, 0.0, 0.0], (2, 40, 4)), atol=1e-6)
    np.testing.assert_allclose(told["shifts"], moves, atol=1e-6)
