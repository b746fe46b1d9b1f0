"""Every family that bends: sound meshes, states that keep what is connected together, the same object for a seed."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial import cKDTree

from backend.data.example import make_example
from backend.data.families.soft_families import SOFT
from backend.data.families.soft_solids import jelly
from backend.data.habits import habitual
from backend.data.moving_object import MovingObject
from backend.data.random_motion import Motion
from backend.geometry.mesh import triangle_areas
from tests.sweeps import sweep

SEEDS = range(4)

# Relative change of length that at most 5 % and 1 % of the edges may exceed.
STIFF, BENDING, SKINNED, CLOTH, SQUASHED = (1e-9, 1e-9), (0.15, 0.25), (0.25, 0.6), (0.12, 0.25), (0.9, 2.0)
STRETCH = {"plant": BENDING, "rope": BENDING, "cloth": CLOTH, "soft": SQUASHED, "bag": SQUASHED, "animal": SKINNED}
STRETCH |= {"character": SKINNED, "mixture": SQUASHED}
RIGID_PIECES = ("ring_chain", "key_ring", "blocky_character", "walking_machine")
# Pieces that hang together: a leaf on its stem, an ear on its head.
TOGETHER = ("potted_plant", "flower", "tree", "quadruped", "person", "runner", "insect", "bird", "fish")


def made(name: str, seed: int) -> MovingObject:
    return SOFT[name].make(np.random.default_rng([seed, 3]))


def edges_of(thing: MovingObject) -> np.ndarray:
    pairs = np.concatenate([thing.triangles[:, [first, first - 1]] for first in range(3)])
    pairs = np.unique(np.sort(pairs, axis=1), axis=0)
    length = np.linalg.norm(thing.vertices[pairs[:, 0]] - thing.vertices[pairs[:, 1]], axis=1)
    return pairs[length > 1e-4 * np.ptp(thing.vertices, axis=0).max()]


def lengths(places: np.ndarray, edges: np.ndarray) -> np.ndarray:
    return np.linalg.norm(places[..., edges[:, 0], :] - places[..., edges[:, 1], :], axis=-1)


@pytest.mark.parametrize("name", SOFT)
@pytest.mark.parametrize("seed", sweep(SEEDS, 1))
def test_meshes_are_sound(name, seed):
    thing = made(name, seed)
    count = len(thing.vertices)
    assert thing.name == name and thing.joints is None
    assert thing.freedom is None or thing.freedom > 0
    assert 16 <= count <= 5000 and np.isfinite(thing.vertices).all()
    assert thing.triangles.min() >= 0 and thing.triangles.max() < count
    assert triangle_areas(thing.vertices, thing.triangles).sum() > 0.0
    assert set(thing.shell) == set(range(thing.shell.max() + 1)) and len(thing.shell) == count
    assert set(thing.slot) == set(range(thing.slot.max() + 1)) and len(thing.slot) == len(thing.triangles)
    assert (thing.shell[thing.triangles] == thing.shell[thing.triangles[:, :1]]).all()
    assert (np.unique(thing.triangles) == np.arange(count)).all()


@pytest.mark.parametrize("name", SOFT)
@pytest.mark.parametrize("seed", sweep(SEEDS, 1))
def test_states_move_without_tearing(name, seed):
    thing = made(name, seed)
    states = thing.states(np.random.default_rng(seed), 6)
    size = np.ptp(thing.vertices, axis=0).max()
    assert states.shape == (6, *thing.vertices.shape) and np.isfinite(states).all()
    assert np.abs(states - thing.vertices).max() > 0.005 * size
    assert np.abs(states - thing.vertices).max() < 6.0 * size
    if thing.anchored:
        assert np.linalg.norm(states - thing.vertices, axis=2).max(axis=0).min() < 0.01 * size
    edges = edges_of(thing)
    stretch = np.abs(lengths(states, edges) / lengths(thing.vertices, edges) - 1.0)
    most, rarely = STIFF if name in RIGID_PIECES else STRETCH[thing.category]
    assert np.quantile(stretch, 0.95) <= most
    assert np.quantile(stretch, 0.99) <= rarely


def of_one_motion(name: str) -> bool:
    return isinstance(getattr(made(name, 0).states, "__self__", None), Motion)


@pytest.mark.parametrize("name", [name for name in SOFT if of_one_motion(name)])
def test_the_rest_is_a_state(name):
    """Where all numbers are zero the object is where it is drawn; small numbers move it little."""
    thing = made(name, 0)
    motion = thing.states.__self__
    size = np.ptp(thing.vertices, axis=0).max()
    rest = motion.pose(np.zeros((2, motion.width)))
    np.testing.assert_allclose(rest, np.stack([thing.vertices] * 2), atol=1e-9 * size)
    near = motion.pose(np.full((1, motion.width), 1e-4))[0]
    assert np.abs(near - thing.vertices).max() < 0.01 * size


@pytest.mark.parametrize("name", TOGETHER)
@pytest.mark.parametrize("seed", sweep(SEEDS, 1))
def test_pieces_that_touch_stay_together(name, seed):
    thing = made(name, seed)
    size = np.ptp(thing.vertices, axis=0).max()
    states = thing.states(np.random.default_rng(5), 4)
    for shell in range(thing.shell.max() + 1):
        own, others = np.flatnonzero(thing.shell == shell), np.flatnonzero(thing.shell != shell)
        if not len(others):
            continue
        gap, nearest = cKDTree(thing.vertices[others]).query(thing.vertices[own])
        first, second = own[gap.argmin()], others[nearest[gap.argmin()]]
        if gap.min() < 0.02 * size:
            apart = np.linalg.norm(states[:, first] - states[:, second], axis=1)
            assert apart.max() < 0.12 * size


@pytest.mark.parametrize("name", ["potted_plant", "jelly", "soft_in_drawer", "toy_on_wheels", "flag"])
def test_bases_stand_still(name):
    for seed in SEEDS:
        thing = made(name, seed)
        states = thing.states(np.random.default_rng(1), 5)
        still = np.abs(states - thing.vertices).max(axis=(0, 2)) < 1e-9
        assert thing.anchored and still.sum() >= 4


@pytest.mark.parametrize("name", SOFT)
def test_the_same_seed_gives_the_same_object_and_states(name):
    first, second = made(name, 2), made(name, 2)
    assert first.vertices.tobytes() == second.vertices.tobytes()
    assert first.triangles.tobytes() == second.triangles.tobytes()
    one, other = (thing.states(np.random.default_rng(9), 3) for thing in (first, second))
    assert np.asarray(one).tobytes() == np.asarray(other).tobytes()
    different = made(name, 3)
    assert different.vertices.shape != first.vertices.shape or not np.allclose(different.vertices, first.vertices)


@pytest.mark.parametrize("name", SOFT)
def test_examples_can_be_made_of_them(name):
    rng = np.random.default_rng(4)
    example = make_example(made(name, 1), rng, 512, 4, augment=True)
    assert np.isfinite(example.moves).all() and np.isfinite(example.normals).all()
    assert example.moves.shape == (4, 512, 3)


def test_examples_are_cheap():
    """Vertices are what an example costs."""
    shares = np.array([family.share for family in SOFT.values()])
    counts = [np.mean([len(made(name, seed).vertices) for seed in range(4)]) for name in SOFT]
    assert shares @ np.array(counts) / shares.sum() < 1500


def test_habits_change_numbers_but_not_motion():
    plain, seen = jelly(np.random.default_rng(0)), set()
    made_often = habitual(lambda rng: plain)
    for seed in range(40):
        thing = made_often(np.random.default_rng(seed))
        assert thing.vertices is plain.vertices and thing.states is plain.states
        assert len(thing.slot) == len(thing.triangles) in (len(plain.triangles), 2 * len(plain.triangles))
        seen.add((int(thing.shell.max()), int(thing.slot.max()), len(thing.triangles)))
    assert len(seen) >= 4
