"""What bends, from the network to the state space: the same rotations about the same pivots, the same weights."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
import torch

from backend.kinematics.learned import decode_states
from backend.kinematics.state_space import StateSpace
from backend.learned.infer import encode
from backend.learned.infer.encode import encode_mesh
from backend.learned.infer.rotation_averaging import TURNS, rotated_inputs
from backend.learned.infer.shape_tensors import Surface
from backend.learned.train.latent_fitting import moves_of, skin_basis
from backend.learned.train.torch_screws import screw_motion
from backend.learned.train.training_config import CONFIGS
from backend.learned.train.training_model import load_training_model
from tests.backend.learned.infer.test_encode import two_boxes
from tests.backend.shapes import Arrays

TINY = CONFIGS["tiny"].model


@dataclass(frozen=True)
class NetworkInput:
    """What the network says of a mesh, in single precision: the mean over four sides, each turned back."""

    points: torch.Tensor  # (1,Q,3)
    weights: torch.Tensor  # (1,Q,H)
    covariance: np.ndarray  # Float[H,H,3,3]
    pivots: np.ndarray  # Float[H,H,3]


@torch.no_grad()
def said_of(mesh: Arrays, space: StateSpace, weights_file: Path) -> NetworkInput:
    model = load_training_model(weights_file)
    asked_of = encode._QueriedMesh(space.frame.to_reference(mesh[0]), mesh[1], np.zeros(len(mesh[1]), np.int64))
    sides = rotated_inputs(asked_of.surface(TINY, 0))
    surface = Surface(**{name: torch.from_numpy(values) for name, values in sides.items()})
    first, asked = surface.take(slice(0, TINY.points)), surface.take(slice(TINY.points, None))
    context = model.shape(model.features(first), first)
    weights = model.decoder.skin_weights(context, model.query_features(context, asked), asked)
    bends = model.decoder.bends(context)
    return NetworkInput(
        surface.points[:1, TINY.points :],
        weights.mean(0, keepdim=True),
        np.einsum("via,vhgij,vjb->hgab", TURNS, bends.covariance().numpy(), TURNS) / len(TURNS),
        np.einsum("via,vhgi->hga", TURNS, bends.pivot.numpy()) / len(TURNS),
    )


def handles_of(space: StateSpace, output: NetworkInput) -> np.ndarray:
    """The network's handle for each of the space, where each is a bone of its own; by their weights."""
    apart = np.abs(space.weights[:, :, None] - output.weights[0].numpy()[:, None]).max(axis=0)
    order = apart.argmin(axis=1)
    assert sorted(order.tolist()) == list(range(TINY.handles))
    return order


def test_numpy_decodes_what_the_network_decodes(bending_weights: Path) -> None:
    """Where all bends, and every handle is a bone."""
    mesh = two_boxes()
    space = encode_mesh(*mesh, weights_file=bending_weights)
    output = said_of(mesh, space, bending_weights)
    order = handles_of(space, output)
    z = np.random.default_rng(0).normal(size=(2, space.latent_count))
    twists, numbers = (torch.tensor(each[None], dtype=torch.float32) for each in (space.twists, z))
    moves = moves_of(screw_motion(twists, numbers), skin_basis(output.weights[..., order], output.points)[:, None])
    expected = space.frame.to_reference(mesh[0]) + moves[0].numpy()
    found = space.frame.to_reference(decode_states(space, mesh[0], z).reshape(-1, 3)).reshape(expected.shape)
    assert np.abs(found - expected).max() < 1e-4 * np.abs(moves.numpy()).max()


def spread_of(space: StateSpace, vertices: np.ndarray) -> np.ndarray:
    """Covariance Float[V,3,3] of where vertices are under the prior, to first order about rest."""
    step = 1e-4
    moves = decode_states(space, vertices, step * np.diag(space.prior_scale)) - vertices
    return np.einsum("kvi,kvj->vij", moves, moves) / step**2


@pytest.mark.parametrize("turn", TURNS[1:])
def test_a_mesh_turned_by_a_quarter_bends_as_the_mesh_does(turn: np.ndarray, bending_weights: Path) -> None:
    vertices, triangles = two_boxes()
    one, other = (encode_mesh(each, triangles, weights_file=bending_weights) for each in (vertices, vertices @ turn.T))
    before, after = spread_of(one, vertices), spread_of(other, vertices @ turn.T)
    assert np.sqrt(before.max()) > 0.1
    np.testing.assert_allclose(after, turn @ before @ turn.T, atol=0.02 * before.max())


def test_bones_turn_on_each_other_as_the_network_says_of_their_pieces(bending_weights: Path) -> None:
    """By that covariance, about that pivot: every bone but the one that stands still, on the one that it hangs on."""
    mesh = two_boxes()
    space = encode_mesh(*mesh, weights_file=bending_weights)
    output = said_of(mesh, space, bending_weights)
    order = handles_of(space, output)
    moved = space.twists.any(axis=2)
    assert space.bends is not None and space.bends.all() and not moved[0].any()
    for child in range(1, TINY.handles):
        # Its own axes are those that move no bone which hangs less deep.
        above = [other for other in range(TINY.handles) if (moved[other] <= moved[child]).all() and other != child]
        parent = max(above, key=lambda other: moved[other].sum())
        own = moved[child] & ~moved[parent]
        assert own.sum() == 3
        omega, linear = np.split(space.twists[child, own], 2, axis=1)
        pair = order[child], order[parent]
        covariance = np.einsum("ni,n,nj->ij", omega, space.prior_scale[own] ** 2, omega)
        np.testing.assert_allclose(covariance, output.covariance[pair], atol=0.03 * np.trace(covariance))
        np.testing.assert_allclose(np.cross(omega, output.pivots[pair]) + linear, 0.0, atol=0.02)
