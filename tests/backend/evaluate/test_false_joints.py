"""False joints by default settings: what counts as the same joint, the figures, and the command."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from backend.__main__ import main
from backend.data.families.jointed_families import JOINTED
from backend.data.joint_claims import JointClaim, claims_of_shape, matched, true_claims
from backend.evaluate.false_joints import FalseJointsResult, false_joints_summary
from backend.evaluate.tables import false_joints_table
from backend.geometry.mesh import Mesh
from backend.kinematics.learned_shape import learned_shape
from backend.understanding import recognition
from tests.backend.io.writers import ply_bytes
from tests.backend.kinematics.spaces import laptop

from .objects import chest, chest_parts, manifest


def _mesh() -> Mesh:
    (vertices, triangles), _ = laptop()
    return Mesh(vertices, triangles, np.zeros(len(triangles), dtype=np.int64))


def test_joints_of_a_space_are_matched_with_the_true_ones() -> None:
    mesh, space = _mesh(), laptop()[1]
    told = claims_of_shape(learned_shape(space, mesh.vertices, mesh.triangles), 0.7)
    assert [claim.turns for claim in told] == [True] and told[0].probability == 0.7
    moved = told[0].moved
    assert 0 < moved.sum() < len(moved)
    assert matched(told, [JointClaim(moved, True, 1.0)], mesh) == [(0, 0)]
    assert matched(told, [JointClaim(~moved, True, 1.0)], mesh) == [(0, 0)]  # the other half stands still
    assert matched(told, [JointClaim(moved, False, 1.0)], mesh) == []  # it turns, it does not slide
    few = np.zeros_like(moved)
    few[np.flatnonzero(moved)[0]] = True
    assert matched(told, [JointClaim(few, True, 1.0)], mesh) == []
    # No joint counts twice.
    assert matched(told * 2, [JointClaim(moved, True, 1.0)], mesh) == [(0, 0)]


def test_true_joints_move_all_that_hangs_on_them() -> None:
    thing = JOINTED["telescope"].make(np.random.default_rng(0))
    claims, joints = true_claims(thing), thing.joints
    assert joints is not None and len(claims) == sum(kind != "fixed" for kind in joints.types)
    states = joints.posed(thing.vertices, np.eye(joints.joint_count) * 0.1)
    moving = np.abs(states - thing.vertices).max(axis=2) > 1e-9
    for claim, states_of in zip(claims, moving, strict=True):
        assert (claim.moved | ~states_of).all()  # points on an axis stay, others that go belong to the joint


def _result(kind: str, sure: tuple[float, ...], right: tuple[bool | None, ...], **more: int) -> FalseJointsResult:
    return FalseJointsResult("thing", "assets", kind, "learned", more.get("true"), more.get("found"), sure, right)


def test_the_figures() -> None:
    results = [
        _result("still", (0.9, 0.6), (False, False), true=0),
        _result("still", (), (), true=0),
        _result("jointed", (), (), true=2, found=0),
        _result("jointed", (0.95, 0.55), (True, False), true=2, found=1),
    ]
    found = false_joints_summary(results)
    group = found["groups"]["assets"]
    assert group["false_in_a_hundred"] == 50.0 and group["jointed_without"] == 1
    assert group["recall"] == 0.25 and group["precision"] == 0.5 and group["precision_with_still"] == 0.25
    rows = {row["from"]: row for row in found["calibration"]["joints"]}
    assert rows[0.5]["claims"] == 2 and rows[0.5]["right"] == 0.0 and rows[0.5]["told"] == pytest.approx(0.575)
    assert rows[0.95]["right"] == 1.0 and rows[0.9]["right"] == 0.0
    assert [row["claims"] for row in found["calibration"]["assets"]] == [1, 1]


@pytest.fixture
def folders(tmp_path: Path) -> list[str]:
    assets = tmp_path / "assets"
    assets.mkdir()
    vertices, triangles = chest_parts()["body"]
    (assets / "box.ply").write_bytes(ply_bytes(vertices, triangles.tolist(), "binary_little_endian"))
    entry = {"name": "box", "file": "box.ply", "joints": 0, "joints_kind": "none"}
    (assets / "assets.json").write_text(json.dumps([entry]))
    chest(tmp_path / "real" / "sea_chest")
    manifest(tmp_path / "real", [], [])
    return [str(assets), str(tmp_path / "real")]


def test_the_command(capsys: pytest.CaptureFixture[str], folders: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recognition, "WEIGHTS", Path("none"))  # nothing was learned: nothing is told
    arguments = ["evaluate", "false-joints", "--count", "1", "--data", *folders]
    assert main([*arguments, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["objects"] == 3 and list(found["groups"]) == ["procedural", "assets", "real"]
    assert found["groups"]["assets"]["still"] == 1 and found["groups"]["assets"]["false_in_a_hundred"] == 0.0
    assert found["groups"]["real"]["recall"] == 0.0 and found["groups"]["real"]["precision"] is None
    assert [each["provider"] for each in found["per_object"]] == ["elastic"] * 3
    text = false_joints_table(found)
    assert "assets: 0 of 1 still things get joints, 0.0 in a hundred" in text
    assert "none on jointed ones: " in text and "sea_chest" in text


def test_assets_that_cannot_be_read_are_named(capsys: pytest.CaptureFixture[str], folders: list[str]) -> None:
    about = Path(folders[0]) / "assets.json"
    about.write_text('[{"name": "box"}]')
    assert main(["evaluate", "false-joints", "--count", "0", "--data", folders[0]]) == 2
    assert "assets.json" in capsys.readouterr().err
