"""The elastic provider: mass, coordinates, anchors, and the pieces that its constants are made of."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

from backend.bodies.body import Body
from backend.bodies.elastic_body import build_elastic_body
from backend.bodies.rigid_body import build_rigid_body
from backend.dynamics.energies import StableNeoHookean
from backend.geometry import sample_material, validate_mesh
from backend.kinematics.compliance import softest_modes
from backend.kinematics.eigenmodes import nodal_gradients, skinning_eigenmodes
from backend.kinematics.elastic import ElasticKinematics, material_basis, material_points
from backend.kinematics.interpolation import interpolate
from backend.kinematics.node_material import MadeOf
from tests.backend.differences import numerical_derivative
from tests.backend.shapes import Arrays, bar, box, scissors, sheet, soup, sphere, torus
from tests.backend.takes import analysed, run

DENSITY = 700.0


def _body(mesh: Arrays, provider: str = "elastic", held: np.ndarray | None = None) -> Body:
    analysis = analysed(mesh, provider)
    if provider == "rigid":
        return build_rigid_body(analysis.mesh, analysis.cloud, MadeOf(DENSITY))
    return build_elastic_body(analysis.mesh, analysis.cloud, MadeOf(DENSITY), held)


SHAPES = {"bar": bar(), "sphere": sphere(1000), "sheet": sheet(20, 20), "soup": soup(40), "scissors": scissors()}


@dataclass(frozen=True)
class Made:
    """A free body of a named shape."""

    mesh: Arrays
    body: Body
    kinematics: ElasticKinematics


@pytest.fixture(scope="module", params=SHAPES)
def made(request: pytest.FixtureRequest) -> Made:
    mesh = SHAPES[request.param]
    body = _body(mesh)
    assert isinstance(body.kinematics, ElasticKinematics)
    return Made(mesh, body, body.kinematics)


def test_the_rest_coordinates_decode_to_the_drawn_shape(made: Made) -> None:
    rest = made.body.kinematics.handles(made.body.kinematics.rest())
    decoded = made.body.vertex_basis(np.arange(len(made.mesh[0]))) @ rest
    assert np.abs(decoded - made.mesh[0]).max() < 1e-6 * made.body.size


def test_coordinates_are_mass_orthonormal(made: Made) -> None:
    reduction = made.kinematics.reduction
    metric = reduction.T @ made.body.moment @ reduction
    assert np.abs(metric - np.eye(len(metric))).max() < 1e-8


def test_free_coordinates_hold_every_affine_motion(made: Made) -> None:
    """Rigid motion and uniform stretch are exactly representable: their projection loses nothing."""
    affine = np.zeros((len(made.body.moment), 4))
    affine[:4] = np.eye(4)
    reduction, moment = made.kinematics.reduction, made.body.moment
    kept = reduction @ (reduction.T @ moment @ affine)
    lost = affine - kept
    assert np.einsum("ai,ab,bi->i", lost, moment, lost).max() < 1e-10 * made.body.total_mass


def test_maps_of_the_coordinates(made: Made) -> None:
    random = np.random.default_rng(0)
    kinematics = made.kinematics
    q, rate = random.normal(size=(2, kinematics.dof))
    force = random.normal(size=kinematics.handles(q).shape)
    jacobian = kinematics.jacobian(q)
    assert np.allclose(kinematics.push(q, rate).ravel(), jacobian @ rate)
    assert np.allclose(kinematics.pull(q, force), jacobian.T @ force.ravel())
    some = np.arange(3)  # the rest of the columns are the same matrix
    slope = numerical_derivative(lambda part: kinematics.handles(np.concatenate([part, q[3:]])).ravel(), q[some])
    assert np.abs(jacobian[:, some] - slope).max() < 1e-6 * np.abs(jacobian).max()
    assert not kinematics.acceleration(q, rate).any()


def test_cubature_keeps_the_energy_of_soft_motions(made: Made) -> None:
    """Random mixtures of the ten softest modes cost what they cost summed over all material points."""
    body = made.body
    points = material_points(body.cloud)
    gradients = material_basis(body.cloud, points, body.frame, body.nodal_weights, body.nodal_gradients)[1]
    rest = made.kinematics.handles(made.kinematics.rest())
    # Sheets have the moduli of plane stress: lambda* = 2 mu lambda / (lambda + 2 mu).
    solid = body.cloud.solid[points.node]
    poisson = np.where(solid, 0.3, 0.3 / 1.3)
    whole = StableNeoHookean(gradients, points.volume, 1e5 * np.where(solid, 1.0, 1.6 / 1.3**2), poisson)
    material = body.material
    few = StableNeoHookean(material.gradients, material.cubature_volume, 1e5 * material.stiffness, material.poisson)
    assert len(few.volume) < 0.5 * len(whole.volume)
    assert few.volume.min() > 0.0
    modes = softest_modes(whole.hessian(rest), made.kinematics.reduction, 6, 10)[1]
    # Mass-orthonormal: this mixture moves the object by a thousandth of its size (RMS), where the energy is quadratic.
    random = np.random.default_rng(1)
    for _ in range(6):
        share = random.normal(size=10)
        share *= 1e-3 * body.size * np.sqrt(body.total_mass) / np.linalg.norm(share)
        move = modes @ share
        assert few.value(rest + move) == pytest.approx(whole.value(rest + move), rel=0.05)


CLOSED_FORMS = {
    "box": (box((1.0, 2.0, 0.5)), 1.0),
    "bar": (bar(), 0.01),
    "sphere": (sphere(6000), 4.0 / 3.0 * np.pi * 0.5**3),
    "torus": (torus(120, 60), 2.0 * np.pi**2 * 0.35**2),
    "sheet": (sheet(20, 20, 1.0, 0.5), 0.5 * 0.02),  # open: 2 % of the longest side thick
}


@pytest.mark.parametrize("name", CLOSED_FORMS)
def test_volume_and_mass(name: str) -> None:
    """Within what the faceted mesh itself lacks of the curved one (0.3 % for the torus)."""
    mesh, volume = CLOSED_FORMS[name]
    for provider in ("elastic", "rigid"):
        body = _body(mesh, provider)
        assert body.total_mass == pytest.approx(DENSITY * volume, rel=4e-3)
        assert body.moment[3, 3] == pytest.approx(body.total_mass)


@pytest.mark.parametrize("size", [(1.0, 1.0, 1.0), (1.0, 2.0, 0.5)])
def test_rigid_inertia_of_a_box(size: tuple[float, float, float]) -> None:
    """Second moments m/12 size^2 about the centre; the products vanish."""
    body = _body(box(size), "rigid")
    mass = DENSITY * np.prod(size)
    second = body.moment[:3, :3] * body.frame.scale**2
    assert np.allclose(np.diag(second), mass / 12.0 * np.array(size) ** 2, rtol=0.05)
    assert np.abs(second - np.diag(np.diag(second))).max() < 0.005 * mass * max(size) ** 2 / 12.0
    assert np.abs(body.frame.centre).max() < 0.005 * max(size)


def test_gradients_and_interpolation_are_exact_for_linear_fields() -> None:
    mesh = validate_mesh(*torus(40, 16))
    cloud = sample_material(mesh)
    slope = np.array([[1.0, -2.0], [0.3, 4.0], [-0.7, 0.1]])
    field = cloud.position @ slope + 3.0
    gradients = nodal_gradients(cloud, field, np.ones(len(field)))
    assert np.allclose(gradients, slope, atol=1e-9)
    at_vertices = interpolate(cloud, mesh.vertices, cloud.vertex_node, field, gradients)
    assert np.allclose(at_vertices, mesh.vertices @ slope + 3.0, atol=1e-5)


def test_gradients_on_a_sheet_are_tangential() -> None:
    cloud = sample_material(validate_mesh(*sheet(20, 20)))
    gradients = nodal_gradients(cloud, cloud.position @ np.array([[1.0], [2.0], [5.0]]), np.ones(len(cloud.position)))
    assert np.allclose(gradients[:, :, 0], [1.0, 2.0, 0.0], atol=1e-9)


def test_eigenmodes_are_orthogonal_free_of_the_constant_and_zero_where_held() -> None:
    cloud = sample_material(validate_mesh(*bar()))
    same = np.ones(len(cloud.position))
    free = skinning_eigenmodes(cloud, np.zeros(len(cloud.position), dtype=bool), same)
    gram = free.T @ (cloud.volume[:, None] * free)
    norm = np.sqrt(np.diag(gram))
    assert np.abs(gram / np.outer(norm, norm) - np.eye(len(gram))).max() < 1e-6
    assert np.abs(cloud.volume @ free).max() < 1e-6 * cloud.volume.sum()
    # The softest field along a bar is half a cosine wave.
    wave = np.cos(np.pi * cloud.position[:, 0])
    assert abs(np.corrcoef(wave, free[:, 0])[0, 1]) > 0.999
    held = cloud.position[:, 0] < 0.1
    assert not skinning_eigenmodes(cloud, held, same)[held].any()


@pytest.mark.parametrize("shape", ["bar", "sheet"])
def test_anchored_vertices_stay_exactly_where_they_are(shape: str) -> None:
    vertices, triangles = SHAPES[shape]
    held = np.flatnonzero(vertices[:, 0] < 0.2)
    point = vertices[vertices[:, 0].argmax()].tolist()
    take = run(
        (vertices, triangles),
        anchor={"vertices": held.tolist()},
        frames=24,
        pokes=[{"point": point, "speed": [0.5, 2.0, 1.0], "radius": 0.2}],
    )
    assert np.linalg.norm(take.positions - vertices, axis=2).max() > 0.15
    assert np.abs(take.positions[:, held] - vertices[held]).max() < 1e-9


def test_a_held_face_is_held_between_its_corners() -> None:
    """The cube has eight vertices: its whole base is held, not four points of it."""
    body = _body(box(), held=np.flatnonzero(box()[0][:, 2] < 0.0))
    base = body.cloud.surface & (body.cloud.position[:, 2] < -0.5 + 1e-9)
    assert base.sum() > 20
    assert not body.nodal_weights[base, 1:].any()
    assert np.abs(body.nodal_weights[~base, 1:]).max() > 0.5
