"""The verdict on joints that a state space tells: its features, what it leaves out, and what "auto" makes of it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from backend.geometry.mesh import Mesh
from backend.kinematics.confidence import consistency
from backend.kinematics.learned_shape import LearnedShape, learned_shape
from backend.kinematics.state_space import Choice, StateSpace
from backend.learned.infer.joint_evidence import EVIDENCE, joint_evidence
from backend.understanding import joint_verdict, provider_choice
from backend.understanding.composition import understand
from backend.understanding.joint_choices import told_joints, with_choices
from backend.understanding.joint_features import JOINT_COLUMNS, joint_features
from backend.understanding.joint_verdict import judged, shipped_verdict, with_likely_joints
from backend.understanding.recognition import Recognition
from tests.backend.kinematics.spaces import chain, drawer, laptop
from tests.backend.learned.infer.averaged_outputs import TURNS_ABOUT_Z, averaged_by_hand, joint


def _asked(made: Any) -> tuple[Mesh, StateSpace]:
    """A mesh and its space as a network would have told it."""
    (vertices, triangles), space = made
    evidence = np.zeros((space.latent_count, len(EVIDENCE)))
    return Mesh(vertices, triangles, np.zeros(len(triangles), dtype=np.int64)), replace(space, evidence=evidence)


def _shape(mesh: Mesh, space: StateSpace) -> LearnedShape:
    return learned_shape(space, mesh.vertices, mesh.triangles)


def _column(features: np.ndarray, name: str) -> np.ndarray:
    return features[:, JOINT_COLUMNS.index(name)]


@pytest.fixture
def sure(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """What the verdict says: the probability of each joint, in order."""
    said: dict[str, Any] = {}

    class Verdict:
        def log_odds(self, features: np.ndarray) -> np.ndarray:
            chance = np.asarray(said["sure"], dtype=float)[: len(features)]
            return np.log(chance / (1.0 - chance))

    monkeypatch.setattr(joint_verdict, "shipped_verdict", Verdict)
    return said


def _judged(made: Any) -> tuple[Mesh, LearnedShape]:
    mesh, space = _asked(made)
    shape = _shape(mesh, space)
    return mesh, judged(mesh, shape, shape, consistency(shape, shape, mesh.vertices, mesh.triangles))


def test_features_say_what_a_joint_moves() -> None:
    lids, drawers = [], []
    for made, rows in ((laptop(), lids), (drawer(), drawers)):
        mesh, space = _asked(made)
        shape = _shape(mesh, space)
        rows.append(joint_features(mesh, shape, shape, consistency(shape, shape, mesh.vertices, mesh.triangles)))
    lid, slide = lids[0], drawers[0]
    assert lid.shape == slide.shape == (1, len(JOINT_COLUMNS))
    assert np.isfinite(lid).all() and np.isfinite(slide).all()
    assert _column(lid, "turns") == 1.0 and _column(slide, "turns") == 0.0
    assert 0.3 < _column(lid, "area_share") < 0.6
    assert _column(lid, "loose_parts_cut") == 0.0 and _column(lid, "faces_cut") == 0.0
    assert _column(lid, "again_overlap") == 1.0 and _column(lid, "again_axis") < 1e-6  # the same encoding twice
    assert _column(lid, "comes_off_far") < 0.1  # it turns about the edge by which it hangs
    assert _column(slide, "comes_off_far") < 0.1
    assert _column(lid, "axis_vertical") == pytest.approx(0.0)


def test_a_joint_whose_part_leaves_shows() -> None:
    mesh, space = _asked(laptop())
    away = space.twists.copy()
    away[1, 0] = [0.0, 0.0, 0.0, 0.0, 0.0, 1.0]  # the lid flies up
    shape = _shape(mesh, replace(space, twists=away))
    features = joint_features(mesh, shape, shape, consistency(shape, shape, mesh.vertices, mesh.triangles))
    assert _column(features, "comes_off_far") > 1.0


def test_evidence_is_of_the_own_handles() -> None:
    told = averaged_by_hand(3)
    joint(told, 1, TURNS_ABOUT_Z, 0.4)
    rows = [dict(zip(EVIDENCE, joint_evidence(told, np.array([number])), strict=True)) for number in (1, 2)]
    assert rows[0]["moves_mean"] == 5.0 and rows[1]["moves_mean"] == -5.0
    assert rows[0]["turning_likelihood"] > 0.9 and rows[0]["kind_likelihood"] > 0.9
    assert rows[0]["log_size"] == 0.4 and rows[0]["handles"] == pytest.approx(1.0 / 3.0)


def test_unlikely_joints_are_left_out(sure: dict[str, Any]) -> None:
    sure["sure"] = [0.9, 0.2, 0.8]
    mesh, shape = _judged(chain([0.5, 0.3, 0.2]))
    assert [joint["probability"] for joint in told_joints(shape)] == [0.9, 0.2, 0.8]
    kept = with_likely_joints(mesh, shape)
    assert kept is not None
    told = told_joints(kept)
    assert [(joint["joint"], joint["probability"]) for joint in told] == [(0, 0.9), (2, 0.8)]
    assert not kept.space.twists[:, 1].any()
    sure["sure"] = [0.1, 0.2, 0.3]
    mesh, shape = _judged(chain([0.5, 0.3, 0.2]))
    assert with_likely_joints(mesh, shape) is None


def test_joints_that_the_reduction_left_out_do_not_come_back(sure: dict[str, Any]) -> None:
    sure["sure"] = [0.2, 0.9]
    (vertices, triangles), space = chain([0.5, 0.3])
    small = 1e-3 * space.twists[:, 1:]  # like the second, but hardly moving: the reduction does without it
    twists = np.concatenate([space.twists, small], axis=1)
    whole = replace(space, twists=twists, prior_mean=np.zeros(3), prior_scale=np.ones(3))
    mesh, shape = _judged(((vertices, triangles), whole))
    assert shape.joint_latents.tolist() == [0, 1]
    kept = with_likely_joints(mesh, shape)
    assert kept is not None and kept.joint_latents.tolist() == [1] and not kept.space.twists[:, 2].any()


def test_what_was_judged_stays_so_when_another_way_to_move_is_chosen(sure: dict[str, Any]) -> None:
    sure["sure"] = [0.9]
    arrays, space = laptop()
    other = Choice(0, 0.5 * space.twists[:, 0], 0.4)
    mesh, shape = _judged((arrays, replace(space, choices=(other,))))
    assert told_joints(with_choices(shape, [0], mesh))[0]["probability"] == 0.9
    assert shape.space.without([0]).choices == ()


def test_spaces_of_no_network_are_not_judged() -> None:
    (vertices, triangles), space = laptop()
    mesh = Mesh(vertices, triangles, np.zeros(len(triangles), dtype=np.int64))
    shape = _shape(mesh, space)
    measures = consistency(shape, shape, vertices, triangles)
    assert judged(mesh, shape, shape, measures) is shape and with_likely_joints(mesh, shape) is shape
    assert "probability" not in told_joints(shape)[0]


@pytest.mark.parametrize(("chance", "provider", "confidence"), [(0.8, "learned", 0.8), (0.3, "elastic", 0.1)])
def test_auto_takes_joints_by_the_verdict(
    sure: dict[str, Any], monkeypatch: pytest.MonkeyPatch, chance: float, provider: str, confidence: float
) -> None:
    sure["sure"] = [chance]
    mesh, shape = _judged(laptop())
    monkeypatch.setattr(provider_choice, "recognise_or_not", lambda mesh, progress: Recognition(shape, 0.1, "onnx"))
    composition = understand(mesh)
    assert not composition.decides
    chosen = provider_choice.chosen_provider(mesh, True, lambda *_: None, lambda: composition)
    assert chosen.provider == provider and chosen.recognition.confidence == pytest.approx(confidence)
    if provider == "elastic":
        assert chosen.recognition.shape is None and "no likely joint" in str(chosen.reasons[0])


def test_the_shipped_verdict_is_of_these_columns() -> None:
    verdict = shipped_verdict()
    assert verdict.columns == JOINT_COLUMNS
    assert np.isfinite(verdict.log_odds(np.zeros((2, len(JOINT_COLUMNS))))).all()
