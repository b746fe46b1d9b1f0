"""Motions by handles, by points and by both: positions, and the files that hold them."""

from __future__ import annotations

import json
import struct
from pathlib import Path

import numpy as np
import pytest

from backend.cli.result_files import MovedObject, SolvedTake
from backend.geometry.mesh import validate_mesh
from backend.kinematics.decode import decode_frames
from backend.kinematics.motion import MotionFrame, ObjectMotion
from tests.backend.io.gltf_player import GltfPlayer
from tests.backend.shapes import block
from tests.backend.takes import decode

FRAMES, HANDLES = 5, 2
KINDS = ["skinned", "points", "both"]


def moved(kind: str) -> tuple[MovedObject, np.ndarray]:
    """A box that turns into something else, and where its vertices are, Float[T,V,3]."""
    vertices, triangles = block((0.4, 0.5, 0.6), (2, 2, 2))
    random = np.random.default_rng(3)
    weights = random.dirichlet(np.ones(HANDLES), len(vertices)).astype(np.float32)
    handles = np.eye(4)[:3] + 0.2 * random.normal(size=(FRAMES, HANDLES, 3, 4))
    points = 0.1 * random.normal(size=(FRAMES, len(vertices), 3))
    skinned, has_points = kind != "points", kind != "skinned"
    frames = [
        MotionFrame(
            number + 1,
            np.full(3, float(number)),
            np.zeros(3),
            handles[number] if skinned else None,
            points[number] if has_points else None,
        )
        for number in range(FRAMES)
    ]
    motion = ObjectMotion(weights if skinned else None, has_points)
    expected = (decode(weights, handles, vertices) if skinned else 0.0) + (points if has_points else 0.0)
    positions = decode_frames(vertices, motion.weights, handles, points if has_points else [])
    return MovedObject("", "box", validate_mesh(vertices, triangles), "own", motion, frames, positions), expected


@pytest.mark.parametrize("kind", KINDS)
def test_positions_are_the_sum_of_both_parts(kind: str) -> None:
    each, expected = moved(kind)
    assert each.positions.dtype == np.float32 and np.abs(each.positions - expected).max() < 1e-6


def test_a_motion_needs_weights_or_points() -> None:
    with pytest.raises(ValueError, match="needs points"):
        ObjectMotion(None)


@pytest.mark.parametrize("kind", KINDS)
def test_every_format_shows_the_motion(tmp_path: Path, kind: str) -> None:
    each, expected = moved(kind)
    for name in ("a.npz", "b.npz", "a.pc2", "a.glb"):
        SolvedTake(tmp_path / name, [each], 24.0, {"frames": FRAMES, "warnings": []}, {}).write()
    assert (tmp_path / "a.npz").read_bytes() == (tmp_path / "b.npz").read_bytes()
    with np.load(tmp_path / "a.npz") as archive:
        skinned = {"weights", "handles", "q", "energy"} if kind != "points" else set()
        assert set(archive.files) == {"vertices", "faces", "fps", "provider", "report"} | skinned
        assert np.abs(archive["vertices"] - expected).max() < 1e-6
        assert json.loads(str(archive["report"])) == {"frames": FRAMES, "warnings": []}
    data = (tmp_path / "a.pc2").read_bytes()
    assert struct.unpack_from("<12siiffi", data)[-1] == FRAMES
    assert np.abs(np.frombuffer(data, "<f4", offset=32).reshape(expected.shape) - expected).max() < 1e-6
    player = GltfPlayer(tmp_path / "a.glb")
    for number in range(FRAMES):
        assert np.abs(player.shown(number) - expected[number]).max() < 1e-5


@pytest.mark.parametrize("kind", KINDS)
def test_usd_has_points_at_every_frame(tmp_path: Path, kind: str) -> None:
    usd = pytest.importorskip("pxr.Usd")
    from pxr import UsdGeom

    each, expected = moved(kind)
    SolvedTake(tmp_path / "a.usdc", [each], 24.0, {"warnings": []}, {}).write()
    stage = usd.Stage.Open(str(tmp_path / "a.usdc"))
    (mesh,) = (prim for prim in stage.Traverse() if prim.IsA(UsdGeom.Mesh))
    for number in range(FRAMES):
        shown = np.array(UsdGeom.Mesh(mesh).GetPointsAttr().Get(number + 1))
        assert np.abs(shown - expected[number]).max() < 1e-5
