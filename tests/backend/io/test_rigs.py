"""Rigs of .glb files: bones, weights and clips, for the vertices that are read of the mesh."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from backend import engine
from backend.cli.object_files import Source, read_source
from backend.dynamics.conditions import RigStart
from backend.errors import UserError
from tests.backend.command_line import backend_here, write_conditions
from tests.backend.io.rigged import rigged_glb
from tests.backend.rigs import figure, figure_bones

FPS = 24.0


def _walk(frames: int = 25) -> np.ndarray:
    """World matrices Float[T,B,4,4]: the arms swing, the knees bend, and the whole goes along -Y at 1 m/s."""
    names, parents, bound = figure_bones()
    poses = np.tile(bound, (frames, 1, 1, 1))
    for frame in range(frames):
        phase = 2.0 * np.pi * frame / 24.0
        turns = {"UpperArm.L": (0.0, 1.0, 0.0), "UpperArm.R": (0.0, 1.0, 0.0), "LowerLeg.L": (-0.6, 0.0, 0.0)}
        for bone, parent in enumerate(parents):
            local = bound[bone] if parent < 0 else np.linalg.inv(bound[parent]) @ bound[bone]
            turn = np.eye(4)
            size = np.sin(phase) if "Arm" in names[bone] else 0.5 - 0.5 * np.cos(phase)
            turn[:3, :3] = Rotation.from_rotvec(size * np.array(turns.get(names[bone], (0.0, 0.0, 0.0)))).as_matrix()
            above = np.eye(4) if parent < 0 else poses[frame, parent]
            poses[frame, bone] = above @ local @ turn
            if parent < 0:
                poses[frame, bone, 1, 3] -= frame / 24.0
    return poses


def _written(path: Path, drawn: int | None = None) -> tuple[Path, np.ndarray]:
    """A walking figure with a knee that is blended, in the pose of a frame; and its vertices where it was bound."""
    vertices, triangles, rig = figure()
    names, parents, bound = figure_bones()
    bones = np.tile(rig.bones, (1, 4))
    weights = np.zeros((len(vertices), 4))
    weights[:, 0] = 1.0
    lower = rig.bones[:, 0] == 8
    bones[lower, 1], weights[lower, 0], weights[lower, 1] = 7, 0.75, 0.25
    poses = _walk()
    shown = None if drawn is None else poses[drawn]
    path.write_bytes(rigged_glb((vertices, triangles), names, parents, bound, (bones, weights), poses, FPS, shown))
    return path, vertices


def _source(folder: Path, drawn: int | None = None) -> Source:
    return read_source(_written(folder / "figure.glb", drawn)[0])


def test_a_rig_is_read_for_the_vertices_of_the_mesh(tmp_path: Path) -> None:
    source = _source(tmp_path)
    rig = source.rig
    assert rig is not None and rig.names == tuple(figure_bones()[0]) and rig.parents.tolist() == figure_bones()[1]
    np.testing.assert_allclose(rig.vertices, source.mesh.vertices, atol=1e-6)
    np.testing.assert_allclose(rig.drawn, figure_bones()[2], atol=1e-6)
    assert [clip.name for clip in source.clips] == ["Move"]
    assert source.clips[0].times[-1] == pytest.approx(1.0)


def test_a_clip_begins_at_its_frame_with_its_motion(tmp_path: Path) -> None:
    """Frame 7 of the clip against linear blend skinning by hand, and velocities against the next frames."""
    source, poses = _source(tmp_path), _walk()
    begun = source.begun(RigStart("Move", 7), FPS)
    rig, bound = source.rig, figure_bones()[2]

    def skinned(frame: int) -> np.ndarray:
        change = (poses[frame] @ np.linalg.inv(bound))[rig.bones]
        places = np.einsum("vnij,vj->vni", change[..., :3, :3], source.mesh.vertices) + change[..., :3, 3]
        return (rig.weights[:, :, None] * places).sum(axis=1)

    np.testing.assert_allclose(begun.mesh.vertices, skinned(6), atol=1e-5)
    rates = begun.rig.rates[rig.bones]
    moving = np.einsum("vnij,vnj->vni", rates[..., :3], begun.rig.places) + rates[..., 3]
    velocity = (rig.weights[:, :, None] * moving).sum(axis=1)
    np.testing.assert_allclose(velocity, 12.0 * (skinned(7) - skinned(5)), atol=0.05)


def test_a_skin_that_is_drawn_bent_is_blended_as_it_was_bound(tmp_path: Path) -> None:
    """Frames of a take that begins bent: what the bones carry is blended from where the skin was bound."""
    source = _source(tmp_path, drawn=12)
    analysis = engine.analyze(source.mesh.vertices, source.mesh.triangles, rig=source.rig)
    assert analysis.provider == "rig"
    body = analysis.body(engine.read_conditions({}), None)
    q = body.kinematics.rest()
    q[6:] += 0.1
    handles = body.frame.world_handles(body.kinematics.handles(q))
    offsets = body.offsets(handles)
    assert offsets is not None
    shown = body.vertex_basis(np.arange(len(source.mesh.vertices))) @ body.kinematics.handles(q)
    by_link = analysis.model.rigged.links.of_bone[source.rig.bones]
    chosen = handles[by_link]
    places = np.einsum("vnij,vnj->vni", chosen[..., :3], source.rig.places) + chosen[..., 3]
    np.testing.assert_allclose(shown, (source.rig.weights[:, :, None] * places).sum(axis=1), atol=1e-6)
    homogeneous = np.column_stack([source.mesh.vertices, np.ones(len(shown))])
    plain = np.einsum("vh,hij,vj->vi", body.weights.astype(float), handles, homogeneous)
    np.testing.assert_allclose(plain + offsets, shown, atol=1e-6)


def test_placed_objects_take_their_rigs_along(tmp_path: Path) -> None:
    source = _source(tmp_path).begun(RigStart(0, 5), FPS)
    turn, shift = Rotation.from_rotvec([0.3, -0.4, 0.5]).as_matrix(), np.array([1.0, 2.0, 3.0])
    placed = source.placed(turn, shift)
    np.testing.assert_allclose(placed.rig.vertices, placed.mesh.vertices, atol=1e-9)
    moving = np.einsum("bij,bj->bi", placed.rig.rates[..., :3], placed.rig.heads) + placed.rig.rates[..., 3]
    before = np.einsum("bij,bj->bi", source.rig.rates[..., :3], source.rig.heads) + source.rig.rates[..., 3]
    np.testing.assert_allclose(moving, before @ turn.T, atol=1e-9)


def test_what_has_no_such_clip_is_one_sentence(tmp_path: Path) -> None:
    source = _source(tmp_path)
    with pytest.raises(UserError, match="no clip Run"):
        source.begun(RigStart("Run", 1), FPS)
    with pytest.raises(UserError, match="no rig"):
        Source(source.mesh).begun(RigStart(0, 1), FPS)


def test_a_figure_falls_on_the_command_line(tmp_path: Path) -> None:
    path, _ = _written(tmp_path / "figure.glb")
    listed = backend_here("analyze", path, "--json")
    assert listed.returncode == 0, listed.stderr
    found = json.loads(listed.stdout)
    assert found["provider"] == "rig" and found["reasons"] == ["Moves by its bones."]
    names = [joint["name"] for joint in found["joints"]]
    assert sorted(names) == sorted(set(figure_bones()[0]) - {"Hips"})
    kinds = {joint["name"]: joint["kind"] for joint in found["joints"]}
    assert kinds["LowerLeg.L"] == "revolute" and kinds["UpperLeg.L"] == "ball"
    conditions = write_conditions(
        tmp_path / "c.json", provider="rig", rig={"clip": "Move", "frame": 13}, ground={"height": 0.0}, frames=4
    )
    fallen = backend_here("simulate", path, "--conditions", conditions, "-o", tmp_path / "out.npz")
    assert fallen.returncode == 0, fallen.stderr
    with np.load(tmp_path / "out.npz") as result:
        frames = result["vertices"]
    speed = (frames[1] - frames[0]).mean(axis=0) * FPS
    assert speed[1] == pytest.approx(-1.0, abs=0.1)  # it goes on as the clip did
    conditions = write_conditions(tmp_path / "d.json", rig={"clip": 3})
    wrong = backend_here("simulate", path, "--conditions", conditions, "-o", tmp_path / "o.npz")
    assert wrong.returncode == 2 and "no clip 3" in wrong.stderr


def test_arms_follow_the_walk_on_the_command_line(tmp_path: Path) -> None:
    """All but the arm plays the clip; the arm lags behind it."""
    path, _ = _written(tmp_path / "figure.glb")
    spring = {"bone": "UpperArm.L", "frequency": 1.0, "damping": 0.5, "gravity": 1.0}
    conditions = write_conditions(tmp_path / "c.json", rig={"clip": "Move", "springs": [spring]}, frames=25)
    done = backend_here("simulate", path, "--conditions", conditions, "-o", tmp_path / "out.npz")
    assert done.returncode == 0, done.stderr
    with np.load(tmp_path / "out.npz") as result:
        frames = result["vertices"]
    source = _source(tmp_path)
    played = np.array([source.rig.skinned(pose) for pose in _walk()])
    bones = source.rig.bones[:, 0]
    arm = np.isin(bones, [3, 4])
    assert np.abs(frames[:, ~arm] - played[:, ~arm]).max() < 1e-4
    assert np.abs(frames[0, arm] - played[0, arm]).max() < 1e-4
    assert np.abs(frames[:, arm] - played[:, arm]).max() > 0.1
