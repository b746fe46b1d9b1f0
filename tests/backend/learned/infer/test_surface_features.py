"""What the network reads of an object: boxes and codes of parts, places of handles."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.distance import cdist

from backend.learned.infer import surface_features as module
from backend.learned.infer.surface_features import PART_DISTANCE, part_boxes, pieces, spread_points, surface_features
from backend.learned.train.training_config import CONFIGS

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
    merged = module._merged(points, part, 5)
    assert sorted(set(merged.tolist())) == [0, 1, 2, 3, 4]
    assert len({int(merged[part == number][0]) for number in range(0, 9, 2)}) == 5
    for number in range(9):
        of_part = set(merged[part == number].tolist())
        assert len(of_part) == 1
        if number % 2:
            assert of_part <= {int(merged[part == beside][0]) for beside in (number - 1, number + 1)}


def test_parts_within_the_limit_keep_their_number() -> None:
    part = np.array([2, 0, 1, 2, 2])
    np.testing.assert_array_equal(module._merged(cloud(5), part, 3), part)


def test_codes_tell_parts_apart_and_say_nothing_of_a_single_one() -> None:
    points, config = cloud(200), TINY.model
    shell, slot = np.repeat([0, 1], 100), np.zeros(200, np.int64)
    codes = surface_features(points, shell, slot, config, np.random.default_rng(0))["codes"]
    of_shell, of_slot = codes[:, : config.codes], codes[:, config.codes :]
    assert not of_slot.any()
    assert len(np.unique(of_shell, axis=0)) == 2
    np.testing.assert_array_equal(of_shell[0], of_shell[99])
    other = surface_features(points, shell, slot, config, np.random.default_rng(1))["codes"]
    assert not np.array_equal(codes, other)


def test_handles_start_at_points_that_the_encoder_sees() -> None:
    config = TINY.model
    about = surface_features(
        cloud(400), np.zeros(400, np.int64), np.zeros(400, np.int64), config, np.random.default_rng(0)
    )
    assert about["seeds"].shape == (config.handles,)
    assert about["seeds"].max() < config.points
    assert about["boxes"].shape == (400, 12)
    assert about["piece"].shape == (config.points,) and about["piece"].max() == config.handles - 1
    assert about["touching"].shape == (config.handles, config.handles) and about["touching"].max() < config.points
