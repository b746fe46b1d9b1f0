"""The initial state: coordinates from drawn poses and rates from velocity fields, against scipy and known answers."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import least_squares
from scipy.spatial.transform import Rotation

from backend.bodies.body import Body
from backend.dynamics.initial import fitted_pose, fitted_rates, velocity_field
from backend.kinematics.base import Kinematics
from tests.backend.dynamics.bodies import body_of
from tests.backend.dynamics.mechanisms import Chain, RandomDecoder
from tests.backend.shapes import bar

HELD = np.flatnonzero(bar()[0][:, 0] == 0.0)


def _body(provider: str, held: np.ndarray | None = None) -> Body:
    return body_of(bar(), provider, held)


def _whole(body: Body) -> tuple[np.ndarray, np.ndarray]:
    """Basis and equal masses of every vertex."""
    count = len(body.mesh.vertices)
    return body.vertex_basis(np.arange(count)), np.full(count, 1.0 / count)


def _bent(vertices: np.ndarray, angle: float = 0.6) -> np.ndarray:
    """The bar's axis on a circle of `angle` radians, unstretched."""
    radius = 1.0 / angle
    around = vertices[:, 0] / radius
    return np.column_stack(
        [
            (radius - vertices[:, 2]) * np.sin(around),
            vertices[:, 1],
            radius - (radius - vertices[:, 2]) * np.cos(around),
        ]
    )


@pytest.mark.parametrize("degrees", [0.0, 40.0, 120.0, 180.0])
@pytest.mark.parametrize("provider", ["rigid", "elastic"])
def test_a_turned_pose_is_found_exactly(provider: str, degrees: float) -> None:
    """Half a turn about a principal axis is where plain Gauss-Newton from the rest stands still."""
    body = _body(provider)
    turn = Rotation.from_rotvec(np.radians(degrees) * np.array([0.0, 0.0, 1.0])).as_matrix()
    wanted = body.mesh.vertices @ turn.T + [3.0, -2.0, 1.0]
    basis, mass = _whole(body)
    q, error = fitted_pose(body.kinematics, basis, mass, wanted)
    assert error < 1e-6
    assert np.abs(basis @ body.kinematics.handles(q) - wanted).max() < 1e-5


def test_a_bent_bar_is_followed_and_the_rest_reported() -> None:
    body = _body("elastic")
    basis, mass = _whole(body)
    wanted = _bent(body.mesh.vertices) @ Rotation.from_rotvec([0.3, 2.0, -0.5]).as_matrix().T
    q, error = fitted_pose(body.kinematics, basis, mass, wanted)
    # No affine map per coordinate does better: the columns of the basis, least squares, coordinate by coordinate.
    best = wanted - basis @ np.linalg.lstsq(basis, wanted, rcond=1e-10)[0]
    assert error == pytest.approx(np.sqrt((best**2).sum(axis=1).mean()), rel=1e-3, abs=1e-7)
    assert error < 0.01
    missed = basis @ body.kinematics.handles(q) - wanted
    assert error == pytest.approx(np.sqrt((missed**2).sum(axis=1).mean()), rel=1e-9)


def test_some_vertices_are_enough_and_the_rest_follows_rigidly() -> None:
    """Three points do not tell how the object is bent: it is moved as it is."""
    body = _body("elastic")
    chosen = np.array([0, 100, 353])
    turn = Rotation.from_rotvec([1.0, 2.0, -0.5]).as_matrix()
    wanted = body.mesh.vertices @ turn.T + [0.0, 0.0, 5.0]
    q, error = fitted_pose(body.kinematics, body.vertex_basis(chosen), np.ones(3), wanted[chosen])
    assert error < 1e-6
    reached = body.vertex_basis(np.arange(len(wanted))) @ body.kinematics.handles(q)
    assert np.abs(reached - wanted).max() < 1e-4


def test_what_is_held_stays_and_the_error_says_so() -> None:
    body = _body("elastic", HELD)
    basis, mass = _whole(body)
    q, error = fitted_pose(body.kinematics, basis, mass, body.mesh.vertices + np.array([0.0, 0.0, 0.2]))
    assert 0.01 < error < 0.2
    reached = basis @ body.kinematics.handles(q)
    assert np.abs(reached[HELD] - body.mesh.vertices[HELD]).max() < 1e-6


MECHANISMS = [(Chain([0.5, 0.4, 0.3]), 1), (RandomDecoder(handles=3, dof=6), 2), (RandomDecoder(2, 4, seed=5), 3)]


@pytest.mark.parametrize(("kinematics", "seed"), MECHANISMS, ids=["chain", "decoder", "small decoder"])
def test_nonlinear_providers_agree_with_scipy(kinematics: Kinematics, seed: int) -> None:
    """Positions that cannot be met exactly; scipy starts from the same guess."""
    random = np.random.default_rng(seed)
    rows = len(kinematics.handles(kinematics.rest()))
    basis, mass = random.normal(size=(30, rows)), random.uniform(0.5, 2.0, size=30)
    guess = 0.5 * random.normal(size=kinematics.dof)
    truth = guess + 0.2 * random.normal(size=kinematics.dof)
    wanted = basis @ kinematics.handles(truth) + 0.05 * random.normal(size=(30, 3))
    q, error = fitted_pose(kinematics, basis, mass, wanted, guess)

    def residual(at: np.ndarray) -> np.ndarray:
        return (np.sqrt(mass)[:, None] * (basis @ kinematics.handles(at) - wanted)).ravel()

    expected = least_squares(residual, guess, xtol=1e-14, ftol=1e-14, gtol=1e-14)
    assert np.allclose(q, expected.x, atol=1e-6)
    assert error == pytest.approx(np.sqrt(2.0 * expected.cost / mass.sum()), rel=1e-9)


def test_rates_of_a_spinning_bar_and_of_one_that_is_held() -> None:
    """A rigid motion is followed exactly by what is free; a held bar misses a part of it."""
    for provider in ("rigid", "elastic"):
        body = _body(provider)
        mass, basis, kinematics = body.material.mass, body.material.basis, body.kinematics
        drawn = basis @ kinematics.handles(kinematics.rest())
        turned = drawn @ Rotation.from_rotvec([0.5, 1.5, 0.2]).as_matrix().T
        q, _ = fitted_pose(kinematics, basis, mass, turned)
        field = velocity_field(turned, mass, np.array([1.0, 2.0, 3.0]), np.array([4.0, -5.0, 6.0]), None)
        rate = fitted_rates(kinematics, q, basis, mass, field)
        assert np.abs(basis @ kinematics.push(q, rate) - field).max() < 1e-6
    body = _body("elastic", HELD)
    mass, basis, kinematics = body.material.mass, body.material.basis, body.kinematics
    field = np.tile([0.0, 0.0, 1.0], (len(mass), 1))
    rate = fitted_rates(kinematics, kinematics.rest(), basis, mass, field)
    missed = field - basis @ kinematics.push(kinematics.rest(), rate)
    assert 0.01 < np.sqrt(mass @ (missed**2).sum(axis=1) / mass.sum()) < 0.5


@pytest.mark.parametrize(("kinematics", "seed"), MECHANISMS, ids=["chain", "decoder", "small decoder"])
def test_rates_of_nonlinear_providers_are_least_squares(kinematics: Kinematics, seed: int) -> None:
    random = np.random.default_rng(seed)
    rows = len(kinematics.handles(kinematics.rest()))
    basis, mass, field = random.normal(size=(30, rows)), random.uniform(0.5, 2.0, size=30), random.normal(size=(30, 3))
    q = random.normal(size=kinematics.dof)
    columns = np.stack([(basis @ kinematics.push(q, unit)).ravel() for unit in np.eye(kinematics.dof)], axis=1)
    weight = np.repeat(np.sqrt(mass), 3)
    expected = np.linalg.lstsq(weight[:, None] * columns, weight * field.ravel(), rcond=None)[0]
    assert np.allclose(fitted_rates(kinematics, q, basis, mass, field), expected)
