"""Composed bodies against closed forms: beams on hinges, a pendulum, a free body of rigid and soft pieces."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import pytest
from scipy.linalg import eigh

from backend.bodies.body import Body
from backend.bodies.composed_body import Links, build_composed_body
from backend.dynamics.soft_energy import SoftEnergy
from backend.dynamics.state import State, Statistics
from backend.dynamics.variational import mass_matrix, variational_step
from backend.geometry.material import MaterialCloud, sample_material
from backend.geometry.mesh import Mesh, validate_mesh
from backend.kinematics.elastic import ElasticKinematics
from backend.kinematics.joint_tree import Joint, JointTree
from backend.kinematics.jointed import Jointed
from backend.kinematics.node_material import MadeOf, nearest_vertices
from backend.understanding.providers.composed_forces import soft_energies
from tests.backend.shapes import Arrays, block, moved, sphere

DENSITY, YOUNG = 1000.0, 1e6
STUFF = MadeOf(DENSITY)
UP, ACROSS = np.array([0.0, 0.0, 1.0]), np.array([0.0, 1.0, 0.0])


def together(*parts: Arrays) -> tuple[Mesh, np.ndarray]:
    """One mesh of several, and the number of each vertex's part."""
    counts = [len(part[0]) for part in parts]
    starts = np.cumsum([0, *counts[:-1]])
    triangles = np.concatenate([np.asarray(part[1]) + start for part, start in zip(parts, starts, strict=True)])
    mesh = validate_mesh(np.concatenate([part[0] for part in parts]), triangles)
    return mesh, np.repeat(np.arange(len(parts)), counts)


def links_of(mesh: Mesh, cloud: MaterialCloud, jointed: Jointed) -> Links:
    return Links(jointed, jointed.part[nearest_vertices(mesh, cloud)])


def frequencies(body: Body, energies: list[SoftEnergy]) -> np.ndarray:
    """Hz, of small swings about rest without gravity."""
    rest = body.kinematics.rest()
    mass = mass_matrix(body.kinematics, body.moment, rest, rest)
    stiffness = sum(energy.hessian(rest) for energy in energies)
    return np.sqrt(np.maximum(eigh(stiffness, mass, eigvals_only=True), 0.0)) / (2.0 * np.pi)


def beam(wave_number: float, length: float, width: float) -> float:
    """Hz, of an Euler-Bernoulli beam of square section: beta L is the root of its equation."""
    inertia, area = width**4 / 12.0, width**2
    return wave_number**2 * np.sqrt(YOUNG * inertia / (DENSITY * area * length**4)) / (2.0 * np.pi)


@lru_cache(maxsize=1)
def hinged_beam() -> Body:
    """A soft beam of 1 m along X with a rigid end of 2 cm, on a hinge through that end, across a rigid post."""
    bar = moved(block((1.02, 0.05, 0.05), (51, 2, 2)), (0.5, 0.0, 0.0))
    post = moved(block((0.1, 0.1, 0.5), (2, 2, 8)), (-0.01, 0.0, -0.5))
    mesh, part = together(post, bar)
    soft = (part == 1) & (mesh.vertices[:, 0] > 0.011)
    hinge = Joint(1, 0, "continuous", ACROSS, np.array([0.0, 0.0, 0.0]), 0.0, 0.0)
    jointed = Jointed(JointTree(("post", "beam"), (hinge,)), part, (None, None))
    post_vertices = np.flatnonzero(part == 0)
    cloud = sample_material(mesh)
    return build_composed_body(mesh, cloud, soft, STUFF, post_vertices, 18, links_of(mesh, cloud, jointed))


def test_a_soft_beam_on_a_hinge_has_the_frequencies_of_a_beam():
    body = hinged_beam()
    found = frequencies(body, soft_energies(body, YOUNG))
    assert found[0] < 1e-3 * found[1]  # it turns freely
    # About the hinge it is pinned at one end and free at the other; along the hinge's axis it is clamped and free.
    for wave_number in (1.8751, 3.9266, 4.6941):
        expected = beam(wave_number, 1.0, 0.05)
        assert found[np.abs(found - expected).argmin()] == pytest.approx(expected, rel=0.03), wave_number


def test_a_pendulum_with_a_soft_bob_swings_as_one_with_a_bob_on_a_spring():
    """The softer the bob the slower, and as it hardens the period is that of the rigid pendulum, from its own mass."""
    rod = moved(block((0.04, 0.04, 1.0), (2, 2, 20)), (0.0, 0.0, -0.5))
    bob = moved(sphere(300, 0.2), (0.0, 0.0, -1.15))
    post = moved(block((0.1, 0.1, 0.1), (2, 2, 2)), (0.0, 0.2, 0.0))
    mesh, part = together(post, rod, bob)
    link = np.minimum(part, 1)
    hinge = Joint(1, 0, "continuous", ACROSS, np.zeros(3), 0.0, 0.0)
    jointed = Jointed(JointTree(("post", "pendulum"), (hinge,)), link, (None, None))
    cloud = sample_material(mesh)
    links = links_of(mesh, cloud, jointed)
    body = build_composed_body(mesh, cloud, part == 2, STUFF, np.flatnonzero(part == 0), links=links)
    rest = body.kinematics.rest()
    mass = mass_matrix(body.kinematics, body.moment, rest, rest)
    load = np.outer(body.material.mass @ body.material.basis, [0.0, 0.0, -9.81])
    gravity = -body.kinematics.curvature(rest, load)

    def period(young: float) -> float:
        stiffness = gravity + sum(energy.hessian(rest) for energy in soft_energies(body, young))
        return 2.0 * np.pi / np.sqrt(eigh(stiffness, mass, eigvals_only=True)[0])

    # A rod of 1.6 kg and a ball of 33.5 kg, by the closed forms of their moments about the hinge.
    rod_mass, ball_mass = DENSITY * 0.04**2, DENSITY * 4.0 / 3.0 * np.pi * 0.2**3
    inertia = rod_mass * (1.0 + 0.04**2) / 12.0 + rod_mass * 0.25 + ball_mass * (0.4 * 0.04 + 1.15**2)
    torque = 9.81 * (rod_mass * 0.5 + ball_mass * 1.15)
    stiff = period(1e10)
    assert stiff == pytest.approx(2.0 * np.pi * np.sqrt(inertia / torque), rel=0.02)
    # One more spring in series: T^2 = T_rigid^2 + a / E as long as the bob is hardly bent.
    soft, softer = (period(young) ** 2 - stiff**2 for young in (1.6e7, 8e6))
    assert soft > 0.0 and softer / soft == pytest.approx(2.0, rel=0.05)


@lru_cache(maxsize=1)
def free_body() -> Body:
    """A rigid block with a soft bar on it, and a soft ball below."""
    parts = (
        block((0.4, 0.3, 0.2), (4, 3, 2)),
        moved(block((0.1, 0.1, 0.5), (2, 2, 10)), (0.1, 0.05, 0.35)),
        moved(sphere(160, 0.12), (-0.1, 0.0, -0.21)),
    )
    mesh, part = together(*parts)
    return build_composed_body(mesh, sample_material(mesh), part > 0, STUFF, None)


@lru_cache(maxsize=1)
def free_links() -> Body:
    """A rigid block with an arm on a hinge, which carries a soft ball; a soft bar stands on the block."""
    parts = (
        block((0.4, 0.3, 0.2), (4, 3, 2)),
        moved(block((0.1, 0.1, 0.5), (2, 2, 10)), (0.1, 0.05, 0.35)),
        moved(block((0.4, 0.05, 0.05), (8, 1, 1)), (0.42, 0.0, 0.0)),
        moved(sphere(160, 0.12), (0.7, 0.0, 0.0)),
    )
    mesh, part = together(*parts)
    hinge = Joint(1, 0, "continuous", np.array([0.3, 1.0, 0.2]), np.array([0.21, 0.0, 0.0]), 0.0, 0.0)
    jointed = Jointed(JointTree(("block", "arm"), (hinge,)), part // 2, (None, None))
    cloud = sample_material(mesh)
    return build_composed_body(mesh, cloud, part % 2 == 1, STUFF, None, links=links_of(mesh, cloud, jointed))


def momenta(body: Body, state: State) -> tuple[np.ndarray, np.ndarray]:
    """Linear and angular momentum about the origin, Float[3] each."""
    material = body.material
    places = material.basis @ body.kinematics.handles(state.q)
    rates = material.basis @ body.kinematics.push(state.q, state.rate)
    return material.mass @ rates, material.mass @ np.cross(places, rates)


@pytest.mark.parametrize("made", [free_body, free_links])
def test_a_free_body_of_rigid_and_soft_pieces_keeps_its_momenta_and_its_energy(made):
    body = made()
    energies = soft_energies(body, 3e4)
    rng, nothing = np.random.default_rng(2), np.zeros((len(body.moment), 3))
    rate = np.concatenate([[0.1, -0.2, 0.3], [1.5, -2.0, 1.0], 0.05 * rng.normal(size=body.kinematics.dof - 6)])
    state = State(body.kinematics.rest(), rate)
    before, potential = momenta(body, state), [0.0]
    kinetic = []
    for _ in range(60):
        moving = body.kinematics.push(state.q, state.rate)
        kinetic.append(0.5 * float(np.vdot(moving, body.moment @ moving)))
        step = (state, 1.0 / 240.0, nothing, 1e-10, Statistics(), energies)
        state = variational_step(body.kinematics, body.moment, (), *step)
        potential.append(sum(energy.value(state.q) for energy in energies))
    after = momenta(body, state)
    np.testing.assert_allclose(after[0], before[0], rtol=1e-6, atol=1e-9)
    np.testing.assert_allclose(after[1], before[1], rtol=1e-6, atol=1e-6 * np.linalg.norm(before[1]))
    assert max(potential) > 0.02 * kinetic[0]  # the soft ones did move
    whole = np.array(kinetic) + potential[:-1]
    assert np.ptp(whole) < 0.02 * whole[0]


def test_what_is_rigid_keeps_its_shape_exactly_and_the_others_bend():
    body = free_body()
    rng = np.random.default_rng(3)
    q = np.concatenate([rng.normal(size=6), 0.1 * rng.normal(size=body.kinematics.dof - 6)])
    every = np.arange(len(body.mesh.vertices))
    drawn, posed = body.mesh.vertices, body.vertex_basis(every) @ body.kinematics.handles(q)
    rigid = body.weights[:, 1:].any(axis=1) == 0
    spans = [np.linalg.norm(places[rigid] - places[rigid][0], axis=1) for places in (drawn, posed)]
    np.testing.assert_allclose(spans[1], spans[0], atol=1e-6)
    bent = [np.linalg.norm(places[~rigid] - places[rigid][0], axis=1) for places in (drawn, posed)]
    assert np.abs(bent[1] - bent[0]).max() > 1e-2


def test_all_soft_pieces_have_handles_of_their_own():
    body = free_body()
    below = body.mesh.vertices[:, 2] < -0.12
    above = body.mesh.vertices[:, 2] > 0.12
    touched = [
        {int(column) for column in np.flatnonzero(np.abs(body.weights[part, 1:]).max(axis=0) > 0.5)}
        for part in (below, above)
    ]
    assert all(touched) and not touched[0] & touched[1]


def test_a_body_that_stands_on_what_is_rigid_is_elastic():
    mesh, part = together(block((0.4, 0.3, 0.2), (4, 3, 2)), moved(block((0.1, 0.1, 0.5), (2, 2, 10)), (0, 0, 0.35)))
    held = np.flatnonzero(mesh.vertices[:, 2] < -0.09)
    body = build_composed_body(mesh, sample_material(mesh), part == 1, STUFF, held)
    assert isinstance(body.kinematics, ElasticKinematics) and not body.root and body.sprung is None
    assert body.total_mass == pytest.approx(DENSITY * (0.024 + 0.005), rel=0.01)


def test_what_is_drawn_against_a_rigid_face_is_clamped_there():
    """A bar of 0.6 m whose end lies on a block, with no vertex in common: the first frequency of a cantilever."""
    bar = moved(block((0.6, 0.05, 0.05), (24, 2, 2)), (0.4995, 0.0, 0.0))
    mesh, part = together(block((0.4, 0.4, 0.4), (4, 4, 4)), bar)
    body = build_composed_body(mesh, sample_material(mesh), part == 1, STUFF, None)
    (energy,) = soft_energies(body, YOUNG)
    rest = body.kinematics.rest()
    found = np.sqrt(eigh(energy.hessian(rest)[6:, 6:], eigvals_only=True)[:2]) / (2.0 * np.pi)
    np.testing.assert_allclose(found, beam(1.8751, 0.6, 0.05), rtol=0.15)


@pytest.mark.parametrize("gap", [0.001, 0.01, 0.02, 0.03])
@pytest.mark.parametrize("tilt", [0.0, 0.5])
def test_a_fin_is_attached_alike_however_near_to_a_rigid_face_it_is_drawn(gap: float, tilt: float) -> None:
    """By a face, by an edge or by nothing that touches: it bends about as a cantilever of its length does."""
    vertices, triangles = block((0.16, 0.01, 0.12), (8, 1, 6))
    turn = np.array([[np.cos(tilt), 0.0, np.sin(tilt)], [0.0, 1.0, 0.0], [-np.sin(tilt), 0.0, np.cos(tilt)]])
    fin = vertices @ turn.T
    fin[:, 0] += 0.2 + gap - fin[:, 0].min()
    mesh, part = together(block((0.4, 0.4, 0.4), (4, 4, 4)), (fin, triangles))
    body = build_composed_body(mesh, sample_material(mesh), part == 1, STUFF, None)
    (energy,) = soft_energies(body, YOUNG)
    lowest = eigh(energy.hessian(body.kinematics.rest())[6:, 6:], eigvals_only=True)[0]
    expected = beam(1.8751, 0.16, 0.01)  # Hz, whatever its width is
    assert 0.5 * expected < np.sqrt(lowest) / (2.0 * np.pi) < 2.0 * expected
