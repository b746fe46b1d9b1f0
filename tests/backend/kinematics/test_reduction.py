"""The active subspace: true joints stay single coordinates, and nothing else is left."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from backend.kinematics.base import Array
from backend.kinematics.learned import decode_states
from backend.kinematics.reduction import motion_energy, reduced, surface_basis
from backend.kinematics.state_space import StateSpace, normalised_frame
from tests.backend.kinematics.spaces import boxes, chain, hinge_twist, laptop, random_space, space_of


def cabinet() -> tuple[tuple[Array, np.ndarray], StateSpace]:
    """Two doors alike and a flap, a latent that does nothing in between, and one that does what the flap's does."""
    vertices, triangles, part = boxes(
        [
            ((0.0, 0.3, 0.5), (1.0, 0.02, 1.0)),
            ((-0.25, -0.3, 0.5), (0.48, 0.02, 1.0)),
            ((0.25, -0.3, 0.5), (0.48, 0.02, 1.0)),
            ((0.0, 0.0, 1.01), (1.0, 0.6, 0.02)),
        ]
    )
    frame = normalised_frame(vertices)
    twists = np.zeros((4, 5, 6))
    twists[1, 3] = hinge_twist((0.0, 0.0, 1.0), (-0.5, -0.3, 0.0), frame)
    twists[2, 0] = hinge_twist((0.0, 0.0, -1.0), (0.5, -0.3, 0.0), frame)
    flap = hinge_twist((1.0, 0.0, 0.0), (0.0, 0.3, 1.0), frame)
    twists[3, 1], twists[3, 4] = flap, 0.5 * flap
    scale = np.array([0.5, 0.4, 1.0, 0.5, 0.6])
    return (vertices, triangles), space_of(vertices, part, twists, np.array([0.6, 0.3, 0.0, 0.6, 0.0]), scale)


@pytest.mark.parametrize("measure", ["mass", "norm"])
def test_a_one_joint_object_has_one_coordinate(measure: str) -> None:
    (vertices, triangles), space = laptop()
    found = reduced(space, vertices, triangles, measure)
    np.testing.assert_array_equal(found.directions, [[0.5], [0.0]])
    np.testing.assert_allclose(found.mean, [0.6])
    assert found.kept == pytest.approx(1.0, abs=1e-12)
    assert found.energies[1] == 0.0


def test_joints_alike_stay_apart_and_latents_that_do_the_same_become_one() -> None:
    (vertices, triangles), space = cabinet()
    found = reduced(space, vertices, triangles)
    assert found.directions.shape == (5, 3)
    assert found.kept > 0.999
    uses = np.abs(found.directions) > 1e-6
    assert sorted(int(latent) for latent in np.flatnonzero(uses.any(axis=1))) == [0, 1, 3]
    np.testing.assert_array_equal(uses.sum(axis=0), 1)
    # The flap's coordinate has the deviation of the angle that both its latents make together, and its mean.
    flap = int(np.flatnonzero(uses[1])[0])
    assert found.directions[1, flap] == pytest.approx(np.hypot(0.4, 0.3))
    assert found.mean[flap] * found.directions[1, flap] == pytest.approx(0.3)


def test_a_chain_keeps_its_joints_though_they_move_the_same_bars() -> None:
    (vertices, triangles), space = chain([0.5, 0.3, 0.2])
    found = reduced(space, vertices, triangles)
    uses = np.abs(found.directions) > 1e-6
    np.testing.assert_array_equal(uses.sum(axis=0), 1)
    np.testing.assert_array_equal(uses.sum(axis=1), 1)


def test_small_parts_that_move_far_are_kept_and_noise_is_not() -> None:
    """A knob on a door: a ten thousandth of the energy. A latent that shivers all over by as much: nothing."""
    vertices, triangles, part = boxes(
        [
            ((0.0, 0.3, 0.5), (1.0, 0.02, 1.0)),
            ((0.0, -0.3, 0.5), (1.0, 0.02, 1.0)),
            ((0.4, -0.34, 0.5), (0.1, 0.04, 0.1)),
        ]
    )
    frame = normalised_frame(vertices)
    twists = np.zeros((3, 3, 6))
    twists[1:, 0] = hinge_twist((0.0, 0.0, 1.0), (-0.5, -0.3, 0.0), frame)
    twists[2, 1] = hinge_twist((0.0, 1.0, 0.0), (0.4, -0.34, 0.5), frame)
    twists[1:, 2] = 0.01 * np.random.default_rng(0).normal(size=6)
    space = space_of(vertices, part, twists, np.array([0.6, 0.0, 0.0]), np.array([0.5, 0.8, 1.0]))
    found = reduced(space, vertices, triangles)
    np.testing.assert_array_equal(found.directions > 0.0, [[True, False], [False, True], [False, False]])
    assert found.energies[1] < 0.01 * found.energies[0]
    assert found.kept > 0.99


def test_energy_is_the_mean_square_displacement() -> None:
    """The trace for small deviations is what decoded states of the prior move, by other means."""
    vertices, space = random_space(4, 3, vertices=60)
    triangles = np.arange(60).reshape(-1, 3)
    space = replace(space, prior_mean=np.zeros(3), prior_scale=np.full(3, 1e-3))
    basis = surface_basis(space, vertices, triangles)
    energy = motion_energy(space, basis.T @ basis / len(basis))
    corners = np.random.default_rng(0).normal(size=(4000, 3)) * 1e-3
    moved = (decode_states(space, vertices, corners) - vertices) / space.frame.scale
    middle = moved[:, triangles].mean(axis=2)
    # Over each triangle the mean of a linear field's square is that of its corners and its middle, (1, 1, 1, 9) / 12.
    square = ((moved[:, triangles] ** 2).sum(axis=(2, 3)) + 9.0 * (middle**2).sum(axis=2)) / 12.0
    edges = vertices[triangles]
    area = np.linalg.norm(np.cross(edges[:, 1] - edges[:, 0], edges[:, 2] - edges[:, 0]), axis=1)
    expected = float((square @ area).mean() / area.sum())
    assert np.trace(energy) == pytest.approx(expected, rel=0.06)


def test_many_latents_that_all_do_nearly_the_same_are_mixed() -> None:
    """Forty latents with a common motion and a little of their own: no few of them stand for all, their sum does."""
    vertices, space = random_space(20, 40)
    triangles = np.arange(198).reshape(-1, 3)
    rng = np.random.default_rng(1)
    twists = 0.1 * rng.normal(size=(20, 1, 6)) + 0.02 * rng.normal(size=(20, 40, 6))
    twists[0] = 0.0
    space = StateSpace(twists, space.weights, np.full(40, 0.05), np.full(40, 0.1), space.frame)
    found = reduced(space, vertices, triangles)
    again = reduced(space, vertices, triangles)
    np.testing.assert_array_equal(found.directions, again.directions)
    assert found.directions.shape[1] == 5  # single latents would have to be eight
    assert 0.99 <= found.kept < 1.0
    # Orthonormal in deviations, the common motion among them, and the prior's mean seen from there.
    directions = found.directions / 0.1
    np.testing.assert_allclose(directions.T @ directions, np.eye(5), atol=1e-12)
    assert np.linalg.norm(directions.sum(axis=0)) > 0.95 * np.sqrt(40.0)
    np.testing.assert_allclose(found.mean, 0.5 * directions.sum(axis=0))
