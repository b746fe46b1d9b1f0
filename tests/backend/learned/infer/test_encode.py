"""A mesh to its state space: the NumPy side says what the network says, whatever the order of vertices or the size."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from scipy.spatial.distance import pdist

from backend.errors import UserError
from backend.kinematics.learned import decode_states
from backend.kinematics.state_space import StateSpace
from backend.learned.infer import encode
from backend.learned.infer.encode import encode_mesh, encodings
from backend.learned.infer.state_space_model import StateSpaceModel
from backend.learned.train.checkpoint import save_model
from backend.learned.train.training_config import CONFIGS
from tests.backend.shapes import Arrays, box, joined, moved, sheet, sphere

TINY = CONFIGS["tiny"].model


def save_sure(path: Path, firm: bool, seed: int = 1) -> None:
    """A network that knows nothing yet, but is sure that all it sees is of rigid bodies with joints, or bends."""
    torch.manual_seed(seed)
    model = StateSpaceModel(TINY)
    with torch.no_grad():
        model.decoder.joint[-1].bias[-3:-1] = (
            100.0 if firm else -100.0
        )  # whether handles move, and whether they are firm
        model.shape.stiff.bias.fill_(100.0 if firm else -100.0)
    save_model(path, TINY, model.state_dict(), {"step": 0})


@pytest.fixture(scope="module")
def weights(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Everything bends."""
    path = tmp_path_factory.mktemp("weights") / "tiny.safetensors"
    save_sure(path, firm=False)
    yield path


@pytest.fixture(scope="module")
def firm_weights(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Every loose part is a body with a joint, but for one that stands still."""
    path = tmp_path_factory.mktemp("firm") / "tiny.safetensors"
    save_sure(path, firm=True)
    yield path


def two_boxes() -> Arrays:
    return joined(box((2.0, 1.0, 0.3)), box((0.3, 1.0, 1.5), (0.8, 0.0, 1.0)))


def shapes(space: StateSpace, mesh: Arrays) -> np.ndarray:
    z = np.random.default_rng(0).normal(size=(2, space.latent_count))
    return decode_states(space, mesh[0], z)


@pytest.mark.parametrize("firm", [False, True])
def test_the_rest_shape_is_the_mesh_to_rounding(firm: bool, weights: Path, firm_weights: Path) -> None:
    mesh = moved(two_boxes(), (100.0, -3.0, 7.0))
    space = encode_mesh(*mesh, weights_file=firm_weights if firm else weights)
    rest = decode_states(space, mesh[0], np.zeros((1, space.latent_count)))[0]
    np.testing.assert_allclose(rest, mesh[0], atol=1e-6)
    # One bone of those that bend stands still.
    assert space.handle_count == (2 if firm else TINY.handles) and not space.twists[0].any()
    assert space.latent_count == (1 if firm else 3 * (TINY.handles - 1))
    np.testing.assert_array_equal(space.bends, np.full(space.latent_count, not firm))
    assert (space.prior_scale > 0.0).all() and np.isfinite(space.weights).all()


def test_stiff_parts_are_exactly_rigid_and_each_moves_by_itself(firm_weights: Path) -> None:
    """But for one that stands still: whichever that is, as the network knows nothing."""
    mesh = joined(*(box(size, (x, 0.0, 0.0)) for x, size in enumerate([(0.8, 1.0, 0.3), (0.3, 1.0, 1.5), (0.5,) * 3])))
    space = encode_mesh(*mesh, weights_file=firm_weights)
    part = np.arange(len(mesh[0])) // 8
    assert space.twists.shape == (3, 2, 6)
    body = space.weights.argmax(axis=1)
    np.testing.assert_array_equal(space.weights, np.eye(3)[body])
    own = body[::8]
    np.testing.assert_array_equal(body, own[part])
    assert sorted(own) == [0, 1, 2]
    shapes_there = decode_states(space, mesh[0], np.array([[0.7, 0.0], [0.0, 0.7], [0.7, -0.4]]))
    for shape in shapes_there:
        for number in range(3):
            np.testing.assert_allclose(pdist(shape[part == number]), pdist(mesh[0][part == number]), atol=1e-6)
    moving = np.abs(shapes_there - mesh[0]).max(axis=2).reshape(3, 3, 8).max(axis=2) > 1e-3
    moving = moving[:, own.argsort()]  # by bodies, what stands still first
    assert sorted(moving[:2].tolist()) == [[False, False, True], [False, True, False]]
    np.testing.assert_array_equal(moving[2], [False, True, True])


def test_what_is_left_open_goes_with_the_space(firm_weights: Path) -> None:
    """A network that knows nothing leaves much open."""
    space = encode_mesh(*two_boxes(), weights_file=firm_weights)
    assert len(space.choices) == 4 and {choice.latent for choice in space.choices} == {0}
    for choice in space.choices:
        assert 0.0 <= choice.nats < 3.0
        assert np.abs(choice.twists - space.twists[:, 0]).max() > 0.01
        chosen = space.chosen([choice])
        assert np.abs(shapes(chosen, two_boxes()) - shapes(space, two_boxes())).max() > 0.01


def test_an_untrained_network_may_say_that_nothing_moves(tmp_path: Path) -> None:
    torch.manual_seed(1)
    model = StateSpaceModel(TINY)
    with torch.no_grad():
        model.decoder.joint[-1].bias[-3:-1] = torch.tensor([-100.0, 100.0])
    save_model(tmp_path / "still.safetensors", TINY, model.state_dict(), {})
    mesh = two_boxes()
    space = encode_mesh(*mesh, weights_file=tmp_path / "still.safetensors")
    assert space.twists.shape == (1, 1, 6) and space.weights.shape == (len(mesh[0]), 1)
    np.testing.assert_allclose(decode_states(space, mesh[0], np.ones((1, 1)))[0], mesh[0], atol=1e-6)


def test_screws_that_a_deformation_encoder_was_trained_with_give_no_space(tmp_path: Path) -> None:
    """Nothing told these what bends."""
    config, path = replace(TINY, posterior="encoder"), tmp_path / "encoder.safetensors"
    assert config.decoder == "screws"
    save_model(path, config, StateSpaceModel(config).state_dict(), {})
    with pytest.raises(UserError) as refused:
        encode_mesh(*two_boxes(), weights_file=path)
    assert refused.value.code == "no_screws"
    assert "encoder" in refused.value.message and "encoder" in refused.value.remedy


def test_the_same_mesh_gives_the_same_space_and_another_seed_another(weights: Path) -> None:
    one, again, other = (encode_mesh(*two_boxes(), weights_file=weights, seed=seed) for seed in (0, 0, 1))
    for name in ("twists", "weights", "prior_mean", "prior_scale"):
        np.testing.assert_array_equal(getattr(one, name), getattr(again, name))
    assert not np.array_equal(one.twists, other.twists)


def test_where_and_how_large_it_is_does_not_matter(weights: Path) -> None:
    mesh = two_boxes()
    other = (1e-3 * mesh[0] + np.array([5.0, 2.0, -1.0]), mesh[1])
    one, two = (shapes(encode_mesh(*each, weights_file=weights), each) for each in (mesh, other))
    np.testing.assert_allclose(two, 1e-3 * one + np.array([5.0, 2.0, -1.0]), atol=1e-5)


@pytest.mark.parametrize("most", [400, 10_000])
def test_told_weights_stay_within_their_part_and_lines_stay_lines(most: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two sheets side by side, each with weights of its own that change along it: nothing comes across.

    Once the network is asked for every vertex, once for an eighth of them.
    """
    monkeypatch.setattr(encode, "MOST_QUERIES", most)
    left, right = (moved(sheet(55, 55), (x, -0.5, 0.0)) for x in (-1.001, 0.001))
    mesh = joined(left, right)
    asked = encode._QueriedMesh(*mesh, np.zeros(len(mesh[1]), np.int64))
    part = (np.arange(len(mesh[0])) >= len(left[0])).astype(int)
    np.testing.assert_array_equal(asked.part, part)
    assert min(most, len(part)) <= len(asked.queries) <= most + 2
    share = 0.5 + 0.8 * mesh[0][:, 1]
    true = np.zeros((len(part), 4), np.float32)
    true[np.arange(len(part)), 2 * part], true[np.arange(len(part)), 2 * part + 1] = share, 1.0 - share
    found = asked.spread(true[asked.queries])
    np.testing.assert_allclose(found.sum(axis=1), 1.0, atol=1e-5)
    assert np.abs(found - true).max() < 2e-2
    assert not found[part == 0][:, 2:].any() and not found[part == 1][:, :2].any()


def test_what_is_told_with_noise_is_smooth_on_a_fine_mesh(monkeypatch: pytest.MonkeyPatch) -> None:
    """Noise of 0.002 in weights would show as dents: from vertex to vertex most of it is gone.

    Here the network is asked for every vertex.
    """
    monkeypatch.setattr(encode, "MOST_QUERIES", 14_400)
    mesh = moved(sheet(120, 120, 2.0, 2.0), (-1.0, -1.0, 0.0))
    asked = encode._QueriedMesh(*mesh, np.zeros(len(mesh[1]), np.int64))
    bend = 0.5 + 0.4 * np.sin(3.0 * mesh[0][:, 0])
    noise = np.random.default_rng(0).normal(0.0, 0.002, len(bend))
    told = np.column_stack([bend + noise, 1.0 - bend - noise]).astype(np.float32)
    found = asked.spread(told)[:, 0]
    steps, noisy_steps = (np.diff(each.reshape(120, 120), axis=0).std() for each in (found - bend, noise))
    assert steps < 0.2 * noisy_steps
    assert np.abs(found - bend).max() < 0.004


def test_coarse_meshes_have_exactly_what_was_told() -> None:
    """Corners of a box are far apart: smoothing has no business there."""
    mesh = two_boxes()
    asked = encode._QueriedMesh(*mesh, np.zeros(len(mesh[1]), np.int64))
    told = np.random.default_rng(0).dirichlet(np.ones(5), len(mesh[0])).astype(np.float32)
    np.testing.assert_allclose(asked.spread(told), told, atol=1e-6)


def test_seams_do_not_open(weights: Path) -> None:
    """Files give corners on seams a vertex for each face: these have one place and one part, so they move as one."""
    vertices, triangles = box((1.0, 0.6, 0.4))
    apart = vertices[triangles.ravel()], np.arange(triangles.size).reshape(-1, 3)
    space = encode_mesh(*apart, weights_file=weights)
    for corner in range(len(vertices)):
        same = space.weights[triangles.ravel() == corner]
        np.testing.assert_allclose(same, np.broadcast_to(same[:1], same.shape), atol=1e-6)


def test_large_meshes_are_encoded_whole(weights: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(encode, "MOST_QUERIES", 300)
    mesh = joined(sphere(900), *(moved(box((0.1, 0.1, 0.1)), (1.0 + 0.2 * x, 0.0, 0.0)) for x in range(5)))
    space = encode_mesh(*mesh, weights_file=weights)
    assert space.weights.shape == (len(mesh[0]), TINY.handles)
    assert space.weights.dtype == np.float32
    assert space.weights.min() >= 0.0 and np.abs(space.weights.sum(axis=1) - 1.0).max() < 1e-5


def test_more_loose_parts_than_can_be_asked_follow_their_neighbours(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leaves in a row, weights that change along it; whole leaves are asked for nothing."""
    monkeypatch.setattr(encode, "MOST_QUERIES", 200)
    leaf = box((0.004, 0.02, 0.02))
    mesh = joined(*(moved(leaf, (x, 0.0, 0.0)) for x in np.linspace(-1.0, 1.0, 150)))
    asked = encode._QueriedMesh(*mesh, np.zeros(len(mesh[1]), np.int64))
    assert len(asked.queries) <= 250
    assert len(set(asked.part[asked.queries].tolist())) < 150
    share = (0.5 + 0.4 * mesh[0][:, 0]).astype(np.float32)
    found = asked.spread(np.column_stack([share, 1.0 - share])[asked.queries])
    assert np.abs(found[:, 0] - share).max() < 0.04
    np.testing.assert_allclose(found.sum(axis=1), 1.0, atol=1e-5)


def test_several_encodings_at_once_are_those_one_by_one(weights: Path) -> None:
    mesh = two_boxes()
    for seed, found in enumerate(encodings(*mesh, weights_file=weights, seeds=(0, 1))):
        alone = encode_mesh(*mesh, weights_file=weights, seed=seed)
        np.testing.assert_array_equal(found.twists, alone.twists)
        np.testing.assert_array_equal(found.weights, alone.weights)


def test_material_slots_are_told_apart_and_may_have_gaps(weights: Path) -> None:
    mesh = two_boxes()
    slots = np.repeat([0, 7], len(mesh[1]) // 2)
    asked = encode._QueriedMesh(*mesh, slots)
    for slot in (0, 7):
        corners = mesh[0][mesh[1][slots == slot].ravel()]
        expected = np.concatenate([corners.min(axis=0), corners.max(axis=0)])
        np.testing.assert_allclose(asked.boxes_of_slots[slot], expected, atol=1e-6)
    plain, told = (encode_mesh(*mesh, each, weights_file=weights) for each in (None, slots))
    assert not np.array_equal(plain.twists, told.twists)


def test_vertices_take_the_largest_of_their_faces() -> None:
    """A fan of triangles about vertex 0 that grow; a vertex without faces gets face 0."""
    angle = np.linspace(0.0, 3.0, 7)
    rim = np.column_stack([np.cos(angle), np.sin(angle), np.zeros(7)]) * np.linspace(1.0, 2.0, 7)[:, None]
    vertices = np.vstack([np.zeros(3), rim, [5.0, 5.0, 5.0]])
    triangles = np.column_stack([np.zeros(6, int), np.arange(1, 7), np.arange(2, 8)])
    found = encode._largest_faces(vertices, triangles, np.array([0, 1, 2, 7, 8]))
    np.testing.assert_array_equal(found, [5, 0, 1, 5, 0])


def test_vertices_without_faces_and_bad_faces_are_accepted(weights: Path) -> None:
    vertices, triangles = two_boxes()
    vertices = np.vstack([vertices, [[0.0, 0.0, 0.5]]])
    triangles = np.vstack([triangles, [[0, 0, 1]], triangles[:1]])
    space = encode_mesh(vertices, triangles, weights_file=weights)
    assert len(space.weights) == len(vertices)
