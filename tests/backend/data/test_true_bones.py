"""True bones of rigged clips: what the file says, in either frame, whatever the order of its bones."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from backend.data.real import find_items, read_object
from backend.errors import UserError
from tests.backend.evaluate.objects import manifest, rigged_arm


def written(path: Path, **changes: Any) -> Path:
    np.savez(path, **(rigged_arm() | changes))
    return path


def moved(thing: Any) -> np.ndarray:
    """Vertices of all frames by the bones that were read."""
    points = np.column_stack([thing.vertices, np.ones(len(thing.vertices))])
    return np.einsum("vb,tbij,vj->tvi", thing.bones.weights, thing.bones.motions, points)


@pytest.mark.parametrize("up", ["Z", "Y"])
def test_bones_move_the_vertices_as_the_clip_does(tmp_path: Path, up: str) -> None:
    """Weights are of one bone each here, so that the first frame tells as much as the pose of the rig."""
    arrays = rigged_arm()
    thing = read_object(find_items(written(tmp_path / "arm.npz", up=up))[0])
    frames = arrays["verts"].astype(np.float64)
    if up == "Y":
        frames = np.stack([frames[..., 0], -frames[..., 2], frames[..., 1]], axis=2)
    np.testing.assert_allclose(moved(thing), frames, atol=1e-5)
    # The hand comes first in the file, and after the arm here.
    assert thing.bones.parents.tolist() == [-1, 0, 1]
    np.testing.assert_allclose(thing.bones.weights.sum(axis=1), 1.0)
    np.testing.assert_allclose(np.linalg.norm(np.diff(thing.bones.heads, axis=0), axis=1), 1.0, atol=1e-6)


def test_bones_in_a_file_of_their_own_are_found_by_the_manifest(tmp_path: Path) -> None:
    arrays = rigged_arm()
    np.savez(tmp_path / "arm.npz", **{name: arrays[name] for name in ("verts", "faces", "up")})
    assert read_object(find_items(tmp_path / "arm.npz")[0]).bones is None
    written(tmp_path / "arm.bones.npz")
    manifest(tmp_path, [{"name": "arm", "file": "arm.npz", "skeleton": "arm.bones.npz"}], [])
    thing = read_object(find_items(tmp_path / "arm.npz")[0])
    np.testing.assert_allclose(moved(thing), arrays["verts"], atol=1e-5)


@pytest.mark.parametrize(
    "changes",
    [
        {"bone_parents": np.array([1, 0, -1])},
        {"skin_weight": np.zeros((24, 1), np.float16)},
        {"skin_index": np.full((24, 1), 3, np.int16)},
        {"bone_pose": np.zeros((2, 3, 4, 4))},
        {"bone_pose": np.full((5, 3, 4, 4), np.nan)},
    ],
)
def test_bones_that_do_not_fit_are_refused(tmp_path: Path, changes: dict[str, Any]) -> None:
    with pytest.raises(UserError) as refused:
        read_object(find_items(written(tmp_path / "arm.npz", **changes))[0])
    assert "bones" in refused.value.message and "arm" in refused.value.message
