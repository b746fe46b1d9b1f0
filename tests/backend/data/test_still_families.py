"""Every family that no joint moves: sound meshes that stay as they are, the same object for the same seed."""

from __future__ import annotations

import numpy as np
import pytest

from backend.data.bodies import bodies_from_motion
from backend.data.example import make_example
from backend.data.families.still_families import STILL
from backend.data.moving_object import MovingObject
from backend.geometry.mesh import triangle_areas
from tests.sweeps import sweep

SEEDS = range(8)


def made(name: str, seed: int) -> MovingObject:
    return STILL[name].make(np.random.default_rng([seed, 5]))


@pytest.mark.parametrize("name", STILL)
@pytest.mark.parametrize("seed", sweep(SEEDS, 2))
def test_meshes_are_sound_and_stay(name, seed):
    thing = made(name, seed)
    count = len(thing.vertices)
    assert thing.name == name and thing.anchored and thing.freedom == 0
    assert np.isfinite(thing.vertices).all() and 8 <= count <= 12000
    assert thing.triangles.min() >= 0 and thing.triangles.max() < count
    assert (triangle_areas(thing.vertices, thing.triangles) >= 0.0).all()
    assert set(thing.shell) == set(range(thing.shell.max() + 1)) and len(thing.shell) == count
    assert set(thing.slot) == set(range(thing.slot.max() + 1)) and len(thing.slot) == len(thing.triangles)
    assert (np.unique(thing.triangles) == np.arange(count)).all()
    states = thing.states(np.random.default_rng(0), 3)
    np.testing.assert_allclose(states, np.broadcast_to(thing.vertices, states.shape), atol=1e-12)


@pytest.mark.parametrize("name", STILL)
def test_examples_teach_that_nothing_moves(name):
    example = make_example(made(name, 1), np.random.default_rng(2), 512, 4, True)
    assert np.abs(example.moves).max() < 1e-5
    assert (example.bodies.point == 0).all() and not example.bodies.hangs.any()


@pytest.mark.parametrize("name", STILL)
def test_the_same_seed_makes_the_same_object(name):
    first, again, other = made(name, 3), made(name, 3), made(name, 4)
    np.testing.assert_array_equal(first.vertices, again.vertices)
    np.testing.assert_array_equal(first.triangles, again.triangles)
    assert first.vertices.shape != other.vertices.shape or (first.vertices != other.vertices).any()


def test_cushions_fill_their_box():
    from backend.data.families.still_furniture import cushion_piece

    low, high = np.array([0.0, -1.0, 2.0]), np.array([0.5, 1.0, 2.2])
    for turn in range(3):
        for seed in range(6):
            pieces = cushion_piece(np.random.default_rng(seed), np.roll(low, turn), np.roll(high, turn))
            extent = np.ptp(np.concatenate([piece[0] for piece in pieces]), axis=0)
            np.testing.assert_allclose(extent, np.roll(high - low, turn), rtol=0.2)


def test_bodies_of_what_stays_are_one():
    rest = np.random.default_rng(0).normal(size=(50, 3, 3))
    bodies, _ = bodies_from_motion(rest, np.stack([rest] * 4), True)
    assert (bodies.point == 0).all()
