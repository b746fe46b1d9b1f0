"""Every jointed family: sound meshes, true joints, the same object for the same seed."""

from __future__ import annotations

import numpy as np
import pytest

from backend.data.example import make_example
from backend.data.families.jointed_families import JOINTED
from backend.data.moving_object import MovingObject
from backend.geometry.mesh import triangle_areas
from tests.sweeps import sweep

SEEDS = range(6)


def made(name: str, seed: int) -> MovingObject:
    return JOINTED[name].make(np.random.default_rng(seed))


@pytest.mark.parametrize("name", JOINTED)
@pytest.mark.parametrize("seed", sweep(SEEDS, 1))
def test_meshes_are_sound(name, seed):
    thing = made(name, seed)
    count = len(thing.vertices)
    assert thing.name == name and thing.anchored and thing.freedom == thing.joints.joint_count > 0
    assert np.isfinite(thing.vertices).all()
    assert thing.triangles.min() >= 0 and thing.triangles.max() < count
    assert 16 <= count <= 4000
    assert triangle_areas(thing.vertices, thing.triangles).sum() > 0.0
    assert set(thing.shell) == set(range(thing.shell.max() + 1)) and len(thing.shell) == count
    assert set(thing.slot) == set(range(thing.slot.max() + 1)) and len(thing.slot) == len(thing.triangles)
    corners = thing.triangles
    assert (thing.joints.part[corners] == thing.joints.part[corners[:, :1]]).all()
    assert (thing.shell[corners] == thing.shell[corners[:, :1]]).all()
    np.testing.assert_allclose(np.linalg.norm(thing.joints.axes, axis=1), 1.0, atol=1e-12)
    assert (np.unique(corners) == np.arange(count)).all()


@pytest.mark.parametrize("name", JOINTED)
@pytest.mark.parametrize("seed", sweep(SEEDS, 1))
def test_parts_move_rigidly_by_their_joints_and_the_base_stands(name, seed):
    thing = made(name, seed)
    tree = thing.joints
    size = np.ptp(thing.vertices, axis=0).max()
    rest = tree.posed(thing.vertices, np.zeros((1, tree.joint_count)))[0]
    np.testing.assert_allclose(rest, thing.vertices, atol=1e-12 * size)
    lower, upper = tree.limits
    assert (lower <= 1e-12).all() and (upper >= -1e-12).all()  # the drawn state is one of the possible ones
    assert (upper > lower).all()
    states = thing.states(np.random.default_rng(1), 4)
    base = tree.part == 0
    assert base.any()
    np.testing.assert_array_equal(states[:, base], np.broadcast_to(thing.vertices[base], (4, base.sum(), 3)))
    moved = np.linalg.norm(states - thing.vertices, axis=2).max(axis=0)
    for part in np.unique(tree.part):
        mine = np.flatnonzero(tree.part == part)[:12]
        gaps = np.linalg.norm(thing.vertices[mine][:, None] - thing.vertices[mine], axis=2)
        for state in states:
            now = np.linalg.norm(state[mine][:, None] - state[mine], axis=2)
            np.testing.assert_allclose(now, gaps, atol=1e-11 * size)
    assert moved.max() > 2e-3 * size


@pytest.mark.parametrize("name", JOINTED)
@pytest.mark.parametrize("seed", sweep(SEEDS, 1))
def test_every_joint_moves_something(name, seed):
    thing = made(name, seed)
    tree = thing.joints
    lower, upper = tree.limits
    values = np.diag(np.where(np.abs(lower) > np.abs(upper), lower, upper) * 0.37)
    motion = np.abs(tree.posed(thing.vertices, values) - thing.vertices).max(axis=(1, 2))
    assert (motion > 0.0).all(), np.flatnonzero(motion == 0.0)


@pytest.mark.parametrize("name", JOINTED)
@pytest.mark.parametrize("seed", sweep(SEEDS, 1))
def test_moving_parts_are_near_what_they_move_on(name, seed):
    """At rest each part touches its parent, or nearly: no floating doors."""
    thing = made(name, seed)
    part = thing.joints.part
    size = np.ptp(thing.vertices, axis=0).max()
    boxes = {
        int(each): (thing.vertices[part == each].min(axis=0), thing.vertices[part == each].max(axis=0))
        for each in np.unique(part)
    }
    for each, (low, high) in boxes.items():
        gap = min(
            np.linalg.norm(np.maximum(0.0, np.maximum(low - other[1], other[0] - high)))
            for number, other in boxes.items()
            if number != each
        )
        assert gap < 0.08 * size, (each, gap / size)


@pytest.mark.parametrize("name", JOINTED)
def test_the_same_seed_makes_the_same_object(name):
    first, again = made(name, 3), made(name, 3)
    np.testing.assert_array_equal(first.vertices, again.vertices)
    np.testing.assert_array_equal(first.triangles, again.triangles)
    np.testing.assert_array_equal(first.shell, again.shell)
    np.testing.assert_array_equal(first.states(np.random.default_rng(0), 2), again.states(np.random.default_rng(0), 2))
    other = made(name, 4)
    assert first.vertices.shape != other.vertices.shape or (first.vertices != other.vertices).any()


def test_examples_are_cheap():
    """Vertices are what an example costs."""
    things = [family.make(np.random.default_rng(11)) for family in JOINTED.values()]
    assert max(thing.joints.joint_count for thing in things) <= 120
    assert np.mean([len(thing.vertices) for thing in things]) < 1200


@pytest.mark.parametrize("name", JOINTED)
def test_examples_can_be_made_of_them(name):
    example = make_example(made(name, 11), np.random.default_rng(12), 1024, 6, True)
    assert np.isfinite(example.moves).all() and example.moves.shape == (6, 1024, 3)
