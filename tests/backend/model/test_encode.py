"""A mesh to its state space: the NumPy side says what the network says, whatever the order of vertices or the size."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
import torch

from backend.errors import UserError
from backend.kinematics.learned import decode_states
from backend.kinematics.state_space import StateSpace
from backend.model import encode
from backend.model.checkpoint import load_model, save_model
from backend.model.config import CONFIGS
from backend.model.encode import encode_mesh
from backend.model.network import StateSpaceModel
from tests.backend.shapes import Arrays, box, joined, moved, sphere

TINY = CONFIGS["tiny"].model


@pytest.fixture(scope="module")
def weights(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A network that knows nothing yet, as a file."""
    torch.manual_seed(1)
    path = tmp_path_factory.mktemp("weights") / "tiny.safetensors"
    save_model(path, TINY, StateSpaceModel(TINY).state_dict(), {"step": 0})
    yield path


def two_boxes() -> Arrays:
    return joined(box((2.0, 1.0, 0.3)), box((0.3, 1.0, 1.5), (0.8, 0.0, 1.0)))


def shapes(space: StateSpace, mesh: Arrays) -> np.ndarray:
    z = np.random.default_rng(0).normal(size=(2, space.latent_count))
    return decode_states(space, mesh[0], z)


def test_the_rest_shape_is_the_mesh_to_rounding(weights: Path) -> None:
    mesh = moved(two_boxes(), (100.0, -3.0, 7.0))
    space = encode_mesh(*mesh, weights_file=weights)
    rest = decode_states(space, mesh[0], np.zeros((1, space.latent_count)))[0]
    np.testing.assert_allclose(rest, mesh[0], atol=1e-6)
    assert space.handle_count == TINY.handles + 1 and not space.twists[0].any()


def test_numpy_decodes_what_the_network_decodes(weights: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    mesh = two_boxes()
    space = encode_mesh(*mesh, weights_file=weights)
    model, seen = load_model(weights), []

    original = encode._surface
    monkeypatch.setattr(encode, "_surface", lambda *given: seen.append(original(*given)) or seen[-1])
    encode_mesh(*mesh, weights_file=weights)
    surface = seen[0][0]
    z = np.random.default_rng(0).normal(size=(2, space.latent_count))
    with torch.no_grad():
        context = model.encode(surface.take(slice(0, TINY.points)))
        asked = surface.take(slice(TINY.points, None))
        moves = model.decoder(
            context, model.query_features(context, asked), asked, torch.tensor(z, dtype=torch.float32)[None]
        )
    expected = space.frame.to_reference(mesh[0]) + moves[0].numpy()
    found = space.frame.to_reference(decode_states(space, mesh[0], z).reshape(-1, 3)).reshape(expected.shape)
    # The network runs in bfloat16 there: a part in two hundred of the motion.
    assert np.abs(found - expected).max() < 0.02 * np.abs(moves.numpy()).max()


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


def test_finer_meshes_get_weights_between_those_that_were_asked(weights: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two parts side by side, each with weights of its own that change along it: nothing comes across."""
    monkeypatch.setattr(encode, "MOST_QUERIES", 400)
    rng = np.random.default_rng(0)
    points = np.column_stack([rng.uniform(-1.0, 1.0, (3000, 2)), np.zeros(3000)])
    part = (points[:, 0] > 0.0).astype(np.int64)
    share = 0.5 + 0.4 * points[:, 1]
    true = np.zeros((3000, 4))
    true[np.arange(3000), 2 * part], true[np.arange(3000), 2 * part + 1] = share, 1.0 - share
    known = encode._chosen(points, part, rng)
    assert 400 <= len(known) <= 402
    found = encode._spread(true[known], known, points, part, 2.0)
    np.testing.assert_allclose(found.sum(axis=1), 1.0, atol=1e-5)
    assert np.abs(found - true).max() < 0.08
    assert not found[part == 0][:, 2:].any() and not found[part == 1][:, :2].any()
    space = encode_mesh(*sphere(900), weights_file=weights)
    assert len(space.weights) >= 900


def test_vertices_without_faces_and_bad_faces_are_accepted(weights: Path) -> None:
    vertices, triangles = two_boxes()
    vertices = np.vstack([vertices, [[0.0, 0.0, 0.5]]])
    triangles = np.vstack([triangles, [[0, 0, 1]], triangles[:1]])
    space = encode_mesh(vertices, triangles, weights_file=weights)
    assert len(space.weights) == len(vertices)


def test_weights_that_are_missing_or_damaged_are_told(tmp_path: Path, weights: Path) -> None:
    with pytest.raises(UserError) as missing:
        load_model(tmp_path / "none.safetensors")
    assert missing.value.code == "no_weights"
    damaged = tmp_path / "damaged.safetensors"
    for content in (b"", b"nonsense" * 100, weights.read_bytes()[:5000]):
        damaged.write_bytes(content)
        with pytest.raises(UserError) as refused:
            load_model(damaged)
        assert refused.value.code == "bad_weights"


def test_files_keep_the_network(weights: Path) -> None:
    torch.manual_seed(1)
    original, loaded = StateSpaceModel(TINY), load_model(weights)
    assert loaded.config == TINY
    for (name, before), (again, after) in zip(original.state_dict().items(), loaded.state_dict().items(), strict=True):
        assert name == again
        assert (before - after).abs().max() < 1e-3 * max(float(before.abs().max()), 1e-6)
