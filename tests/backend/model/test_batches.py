"""What the network reads of an object: boxes and codes of parts, places of handles, the same in every run."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.distance import cdist
from scipy.spatial.transform import Rotation

from backend.data.families import FAMILIES
from backend.data.source import Source
from backend.model import batches
from backend.model.batches import PART_DISTANCE, described, example_batches, part_boxes, pieces, spread_points
from backend.model.config import CONFIGS

TINY = CONFIGS["tiny"]


def cloud(count: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).uniform(-1.0, 1.0, (count, 3)).astype(np.float32)


def test_boxes_hold_just_their_part() -> None:
    points, part = cloud(500), np.random.default_rng(1).integers(0, 7, 500)
    boxes = part_boxes(points, part)
    assert boxes.dtype == np.float32
    for number in range(7):
        own = points[part == number]
        np.testing.assert_array_equal(boxes[number], np.concatenate([own.min(axis=0), own.max(axis=0)]))


def test_handles_start_at_the_farthest_points() -> None:
    """Each next one is the point whose nearest chosen one is farthest, by the whole table of distances."""
    points = cloud(200)
    chosen = spread_points(points, np.zeros(200, np.int64), 20, first=3)
    assert chosen[0] == 3 and len(set(chosen.tolist())) == 20
    distance = cdist(points, points)
    for turn in range(1, 20):
        nearest = distance[:, chosen[:turn]].min(axis=1)
        assert nearest[chosen[turn]] == pytest.approx(nearest.max(), abs=1e-6)


def test_a_small_part_gets_a_handle_before_a_large_one_gets_many() -> None:
    rng = np.random.default_rng(0)
    knob = np.array([0.3, 0.0, 0.0]) + 0.02 * rng.uniform(-1.0, 1.0, (10, 3))
    plate = rng.uniform(-1.0, 1.0, (490, 3)) * np.array([1.0, 1.0, 0.0])
    points = np.concatenate([plate, knob]).astype(np.float32)
    shell = np.repeat([0, 1], [490, 10])
    of_parts = shell[spread_points(points, shell, 24, first=0)]
    assert 1 in of_parts
    assert 1 not in shell[spread_points(points, np.zeros(500, np.int64), 24, first=0)]


def test_more_points_wanted_than_there_are_places() -> None:
    """Handles may share a place; none may be outside."""
    points = np.repeat(cloud(3), 4, axis=0)
    chosen = spread_points(points, np.zeros(12, np.int64), 8, first=0)
    assert {tuple(points[each]) for each in chosen} == {tuple(each) for each in points}


@pytest.mark.parametrize("parts", [1, 3])
def test_points_belong_to_the_nearest_handle_and_touch_where_they_are_nearest(parts: int) -> None:
    """By the whole table of distances; a point of another loose part counts as farther."""
    points, shell = cloud(150, seed=2), np.random.default_rng(3).integers(0, parts, 150)
    seeds = spread_points(points, shell, 12, first=0)
    piece, touching = pieces(points, shell, seeds)
    distance = cdist(points, points)
    penalty = PART_DISTANCE**2 * (shell[:, None] != shell[seeds])
    np.testing.assert_array_equal(piece, (distance[:, seeds] ** 2 + penalty).argmin(axis=1))
    np.testing.assert_array_equal(piece[seeds], np.arange(12))
    for first in range(12):
        for second in range(12):
            point, others = touching[first, second], np.flatnonzero(piece == second)
            assert piece[point] == first
            nearest = distance[np.ix_(piece == first, others)].min()
            # Squares of distances come from single-precision products.
            assert distance[point, others].min() ** 2 == pytest.approx(nearest**2, abs=1e-6)


def test_a_point_at_the_place_of_a_handle_of_another_part_is_not_its() -> None:
    points = np.float32([[0.0, 0.0, 0.0], [0.0, 0.0, 0.0], [0.3, 0.0, 0.0], [0.3, 0.0, 0.0]])
    shell = np.array([0, 1, 0, 1])
    piece, touching = pieces(points, shell, np.array([0, 1]))
    np.testing.assert_array_equal(piece, [0, 1, 0, 1])
    assert set(touching[0].tolist()) <= {0, 2} and set(touching[1].tolist()) <= {1, 3}


def test_the_smallest_parts_join_their_neighbours() -> None:
    """Nine parts in a row, of 30, 3, 30, ... points: with five allowed, small ones go to a large one beside them."""
    counts = np.array([30, 3, 30, 3, 30, 3, 30, 3, 30])
    part = np.repeat(np.arange(9), counts)
    rng = np.random.default_rng(0)
    points = rng.uniform(-0.4, 0.4, (len(part), 3)).astype(np.float32)
    points[:, 0] += part
    merged = batches._merged(points, part, 5)
    assert sorted(set(merged.tolist())) == [0, 1, 2, 3, 4]
    assert len({int(merged[part == number][0]) for number in range(0, 9, 2)}) == 5
    for number in range(9):
        of_part = set(merged[part == number].tolist())
        assert len(of_part) == 1
        if number % 2:
            assert of_part <= {int(merged[part == beside][0]) for beside in (number - 1, number + 1)}


def test_parts_within_the_limit_keep_their_number() -> None:
    part = np.array([2, 0, 1, 2, 2])
    np.testing.assert_array_equal(batches._merged(cloud(5), part, 3), part)


def test_codes_tell_parts_apart_and_say_nothing_of_a_single_one() -> None:
    points, config = cloud(200), TINY.model
    shell, slot = np.repeat([0, 1], 100), np.zeros(200, np.int64)
    codes = described(points, shell, slot, config, np.random.default_rng(0))["codes"]
    of_shell, of_slot = codes[:, : config.codes], codes[:, config.codes :]
    assert not of_slot.any()
    assert len(np.unique(of_shell, axis=0)) == 2
    np.testing.assert_array_equal(of_shell[0], of_shell[99])
    other = described(points, shell, slot, config, np.random.default_rng(1))["codes"]
    assert not np.array_equal(codes, other)


def test_handles_start_at_points_that_the_encoder_sees() -> None:
    config = TINY.model
    about = described(cloud(400), np.zeros(400, np.int64), np.zeros(400, np.int64), config, np.random.default_rng(0))
    assert about["seeds"].shape == (config.handles,)
    assert about["seeds"].max() < config.points
    assert about["boxes"].shape == (400, 12)
    assert about["piece"].shape == (config.points,) and about["piece"].max() == config.handles - 1
    assert about["touching"].shape == (config.handles, config.handles) and about["touching"].max() < config.points


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
    surface, moves, lesson = next(example_batches(source, TINY, 0))
    count, checked = TINY.model.points, 0
    for number in range(TINY.training.objects):
        piece = surface.piece[number].numpy()
        points, body = surface.points[number, :count].numpy(), lesson.body[number, :count].numpy()
        for handle in range(TINY.model.handles):
            own = piece == handle
            if len(set(body[own])) > 1 or body[own][0] < 0:
                continue
            for state, moved in enumerate(moves[number, :, :count].numpy()):
                turn = Rotation.from_quat(lesson.turns.quaternions[number, state, handle].numpy(), scalar_first=True)
                goal = turn.apply(points[own]) + lesson.turns.shifts[number, state, handle].numpy()
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
