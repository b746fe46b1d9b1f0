"""Labelled shapes: joints stay true when objects are opened, parts merged and split, and views turned."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from backend.data.families.jointed_families import JOINTED
from backend.data.splits import held_out
from backend.errors import UserError
from backend.learned.train.joint_network.objects import _posed, opened_mesh, still_mesh, true_shape
from backend.learned.train.joint_network.sources import joint_source
from tests.backend.evaluate.objects import chest

NAMES = ("cabinet", "refrigerator", "scissors", "lamp", "swivel_chair", "suitcase")


def moved_by(axis: np.ndarray, origin: np.ndarray, kind: int, amount: float, points: np.ndarray) -> np.ndarray:
    if kind == 2:
        return points + amount * axis
    return Rotation.from_rotvec(amount * axis).apply(points - origin) + origin


@pytest.mark.parametrize("name", NAMES)
def test_joints_of_an_opened_object_move_it_as_its_tree_does(name: str) -> None:
    rng = np.random.default_rng(3)
    thing = JOINTED[name].make(rng)
    tree = thing.joints
    assert tree is not None
    values = tree.random_values(rng, 1)
    mesh = _posed(name, thing.vertices, thing.triangles, tree, values)
    for column, part in enumerate(tree.columns):
        more = values.copy()
        step = 0.05 * (tree.limits[1] - tree.limits[0])[column]
        more[0, column] += step
        expected = tree.posed(thing.vertices, more)[0]
        own = tree.part == part
        found = moved_by(mesh.axis[part], mesh.origin[part], int(mesh.kind[part]), step, mesh.vertices[own])
        assert np.allclose(found, expected[own], atol=1e-9)
        assert mesh.lower[part] == pytest.approx(tree.lower[part] - values[0, column], nan_ok=True)
        assert mesh.upper[part] == pytest.approx(tree.upper[part] - values[0, column], nan_ok=True)


def test_every_part_that_is_left_has_triangles_and_a_parent_that_is_left() -> None:
    for seed in range(60):
        rng = np.random.default_rng(seed)
        names = list(JOINTED)
        mesh = opened_mesh(JOINTED[names[seed % len(names)]].make(rng), rng)
        if mesh is None:
            continue
        count = len(mesh.parent)
        assert (np.bincount(mesh.part, minlength=count) > 0).all() and mesh.part.max() == count - 1
        assert (mesh.parent < count).all() and (mesh.parent != np.arange(count)).all()
        assert (mesh.parent < 0).sum() == 1
        assert np.allclose(np.linalg.norm(mesh.axis, axis=1), 1.0)


def test_loose_pieces_become_parts_fixed_to_what_they_were_of() -> None:
    added = 0
    for seed in range(40):
        thing = JOINTED["cabinet"].make(np.random.default_rng(seed))
        mesh = opened_mesh(thing, np.random.default_rng(seed))
        assert mesh is not None
        split = np.flatnonzero((mesh.kind == 0) & (mesh.parent >= 0))
        added += len(split)
    assert added > 5


def test_a_part_moved_by_two_joints_teaches_nothing() -> None:
    """Its own joint alone would tell half of how it moves."""
    for seed in range(200):
        thing = JOINTED["pen"].make(np.random.default_rng(seed))
        tree = thing.joints
        assert tree is not None
        if len(np.unique(tree.part)) < len(tree.types):
            shape = true_shape(still_mesh(thing))
            assert len(shape.cloud) == len(np.unique(tree.part)) and len(shape.part) < len(shape.cloud)
            return
    pytest.fail("no pen with a cap that slides and turns was drawn")


def test_nothing_that_is_for_measuring_only_or_kept_aside_trains(tmp_path: Path) -> None:
    for number in range(12):
        chest(tmp_path / "permissive" / f"chest_{number}")
    chest(tmp_path / "permissive" / "borrowed", licence="CC-BY-NC-4.0")
    private = chest(tmp_path / "research_only" / "private")
    with pytest.raises(UserError, match="measuring only"):
        joint_source([private.parent])
    families = joint_source([tmp_path]).families
    real = {name.removeprefix("real/") for name in families if name.startswith("real/")}
    assert real == {f"chest_{number}" for number in range(12) if not held_out(f"chest_{number}")}
    assert 0 < len(real) < 12
