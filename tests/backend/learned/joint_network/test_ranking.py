"""The network in the search: it decides kinds, shares places with the fitted score, and names joints by itself."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch
from scipy.special import log_softmax

from backend.data.families.jointed_families import JOINTED
from backend.geometry.mesh import Mesh
from backend.joint_search import find_joints
from backend.joint_search.choosing import likelihoods
from backend.joint_search.parted_shape import parted_shape
from backend.learned.infer.joint_network.joint_model import JointNetwork
from backend.learned.infer.joint_network.joint_prediction import cached_engine
from backend.learned.infer.joint_network.part_cloud import cloud_of, part_cloud
from backend.learned.train.checkpoint import save_model
from backend.learned.train.joint_network.joint_training_config import JOINT_CONFIGS
from backend.learned.train.joint_network.objects import LabelledMesh, still_mesh
from backend.understanding import candidate_ranking
from backend.understanding.candidate_ranking import network_parents, network_ranking
from backend.understanding.network_joints import predicted_joints, ranked_joints


@pytest.fixture(scope="module")
def weights(tmp_path_factory: pytest.TempPathFactory) -> Path:
    torch.manual_seed(0)
    network = JointNetwork(JOINT_CONFIGS["joints/tiny"].model)
    path = tmp_path_factory.mktemp("weights") / "joints.safetensors"
    save_model(path, network.config, network.state_dict(), {})
    return path


@pytest.fixture(scope="module")
def labelled() -> LabelledMesh:
    return still_mesh(JOINTED["oven"].make(np.random.default_rng(2)))


@pytest.fixture(scope="module")
def mesh(labelled: LabelledMesh) -> Mesh:
    return Mesh(labelled.vertices, labelled.triangles, np.zeros(len(labelled.triangles), dtype=np.int64))


def test_what_the_network_says_of_kinds_counts_most(
    weights: Path, labelled: LabelledMesh, mesh: Mesh, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing is left of a kind that the network rules out, whatever the score says."""
    found = find_joints(mesh, labelled.part, parents=network_parents(weights)).candidates

    def only_sliding(candidates, _engine):
        odds = {}
        for part in candidates.parts:
            turns = part.motion.proposals.turns
            odds[part.part] = log_softmax(np.append(np.where(turns, -60.0, 0.0), -60.0))
        return odds

    monkeypatch.setattr(candidate_ranking, "_all_odds", only_sliding)
    for part, odds in zip(found.parts, likelihoods(found, [network_ranking(weights)]), strict=True):
        turns = part.motion.proposals.turns
        assert np.exp(odds).sum() == pytest.approx(1.0)
        if not turns.all():
            assert np.exp(odds[:-1][~turns]).sum() > 0.999


def test_joints_are_found_with_the_network_and_the_same_ones_again(
    weights: Path, labelled: LabelledMesh, mesh: Mesh
) -> None:
    count = len(labelled.parent)
    one, two = (ranked_joints(mesh, labelled.part, weights=weights) for _ in range(2))
    assert len(one.tree.parts) == count and len(one.choices) == count - 1
    for part, choice in one.choices.items():
        again = two.choices[part]
        assert (choice.kind, choice.parent, choice.candidate) == (again.kind, again.parent, again.candidate)


def test_joints_that_the_network_names_alone_make_a_tree(weights: Path, labelled: LabelledMesh, mesh: Mesh) -> None:
    found = predicted_joints(mesh, labelled.part, weights)
    count = len(labelled.parent)
    assert len(found.choices) == count - 1 and len(found.tree.joints) == count - 1
    for choice in found.choices.values():
        assert np.linalg.norm(choice.axis) == pytest.approx(1.0, abs=0.01)
        assert choice.lower <= choice.upper and sum(choice.odds.values()) == pytest.approx(1.0)
    parents = network_parents(weights)(found.candidates.shape)
    assert (parents < 0).sum() == 1 and np.array_equal(parents, found.candidates.parents)


def test_points_of_the_search_are_those_of_the_mesh(labelled: LabelledMesh) -> None:
    """What is learnt from is what is judged: boxes, areas, gaps and surroundings agree but for sampling."""
    shape = parted_shape(labelled.vertices, labelled.triangles, labelled.part)
    here = cloud_of(shape)
    there = part_cloud(shape.to_frame(labelled.vertices), labelled.triangles, labelled.part)
    assert np.allclose(here.boxes, there.boxes, atol=1e-6)
    assert np.allclose(here.areas, there.areas, rtol=1e-6)
    assert np.abs(here.gaps - there.gaps).max() < 0.06
    assert np.allclose(here.frame[0], there.frame[0], atol=1e-6) and here.frame[1] == pytest.approx(there.frame[1])


def test_the_engine_is_loaded_once(weights: Path) -> None:
    assert cached_engine(weights) is cached_engine(weights)
