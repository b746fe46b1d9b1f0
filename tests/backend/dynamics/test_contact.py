"""Barrier, friction, restitution and the contacts they act at, by themselves."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from backend.dynamics.actor import Actor
from backend.dynamics.barrier import DEEP, barrier_derivatives, barrier_slope
from backend.dynamics.conditions import Ground
from backend.dynamics.contact_memory import ContactMemory
from backend.dynamics.contact_pairs import ContactForces, ContactGroup, ContactLaw, ContactPoints, Contacts
from backend.dynamics.contact_shape import ContactShape
from backend.dynamics.coordinate_step import CoordinateStepRule
from backend.dynamics.detection import Detector
from backend.dynamics.friction import Friction
from backend.dynamics.island_newton import with_restitution
from backend.dynamics.latent_forces import LatentForces
from backend.dynamics.latent_solver import LatentSolver
from backend.dynamics.state import State
from backend.geometry.collision_surface import collision_surface
from backend.geometry.mesh import validate_mesh
from backend.kinematics.base import Array, ReferenceFrame
from backend.kinematics.rigid import RigidKinematics
from tests.backend.differences import numerical_derivative
from tests.backend.shapes import box, moved

MARGIN, STIFFNESS = 2e-3, 5e4
LAW = ContactLaw(MARGIN, STIFFNESS, 0.6, 0.3, 0.1 * MARGIN, 4e-3)
RIGID = RigidKinematics(ReferenceFrame(np.zeros(3), 1.0))


# -- barrier ----------------------------------------------------------------------------------------------------------


def _barrier_energy(gap: Array) -> Array:
    """-k (d - D)^2 ln(d / D), and below DEEP of the margin its second-order expansion there, Float[c] J."""
    share = np.clip(gap / MARGIN, DEEP, 1.0)
    below, away, log = np.minimum(gap / MARGIN - DEEP, 0.0), share - 1.0, np.log(share)
    slope = -2.0 * away * log - away**2 / share
    curvature = -2.0 * log - 4.0 * away / share + (away / share) ** 2
    return STIFFNESS * MARGIN**2 * (-(away**2) * log + slope * below + 0.5 * curvature * below**2)


def _friction_energy(friction: Friction, stretch: Array) -> float:
    """mu f eps F(|s| / eps), F(y) = y^2 (1 - y/3) + 1/3 below one and y above, J."""
    y = np.linalg.norm(stretch, axis=1) / friction.length
    return float((friction.limit * friction.length) @ np.where(y < 1.0, y**2 * (1.0 - y / 3.0) + 1.0 / 3.0, y))


def _barrier(gap: Array) -> tuple[Array, Array, Array]:
    margin, stiffness = np.full(len(gap), MARGIN), np.full(len(gap), STIFFNESS)
    slope, curvature = np.array([barrier_derivatives(*each) for each in zip(gap, margin, stiffness, strict=True)]).T
    assert np.allclose(slope, barrier_slope(gap, margin, stiffness), rtol=1e-12, atol=0.0)
    return _barrier_energy(gap), slope, curvature


@pytest.mark.parametrize("share", [-3.0, 0.0, 0.5 * DEEP, 1.5 * DEEP, 0.2, 0.5, 0.9, 0.999])
def test_barrier_slope_and_curvature_by_differences(share: float) -> None:
    gap = np.array([share * MARGIN])
    _, slope, curvature = _barrier(gap)
    step = 1e-5 * MARGIN
    assert slope == pytest.approx(
        numerical_derivative(lambda at: _barrier(at)[0][0], gap, step), rel=1e-5, abs=1e-6 * STIFFNESS * MARGIN
    )
    assert curvature == pytest.approx(numerical_derivative(lambda at: _barrier(at)[1][0], gap, step), rel=1e-5)
    assert slope[0] < 0.0 < curvature[0]


@pytest.mark.parametrize("share", [DEEP, 1.0])
def test_barrier_is_twice_continuous_where_its_pieces_meet(share: float) -> None:
    sides = [_barrier(np.array([share * (1.0 + sign * 1e-9) * MARGIN])) for sign in (-1.0, 1.0)]
    scales = [STIFFNESS * MARGIN**2, STIFFNESS * MARGIN, STIFFNESS / DEEP**2]
    for below, above, scale in zip(*sides, scales, strict=True):
        assert abs(below - above)[0] < 1e-6 * scale


def test_nothing_acts_outside_the_margin() -> None:
    for values in _barrier(np.array([MARGIN, 1.5 * MARGIN, 1e3])):
        assert not values.any()


def test_barrier_is_finite_and_pushes_harder_the_deeper() -> None:
    gap = np.linspace(-10.0 * MARGIN, 0.999 * MARGIN, 3000)
    value, slope, curvature = _barrier(gap)
    assert np.isfinite([value, slope, curvature]).all()
    assert (np.diff(value) < 0.0).all() and (np.diff(slope) > 0.0).all() and (curvature > 0.0).all()
    assert curvature[0] > 300.0 * _barrier(np.array([0.5 * MARGIN]))[2][0]


# -- friction ---------------------------------------------------------------------------------------------------------


def _tangential(normal: Array) -> Array:
    """Projectors Float[c,3,3] onto the planes across unit normals Float[c,3]."""
    return np.eye(3) - normal[:, :, None] * normal[:, None, :]


def _hessians(forces: ContactForces, count: int) -> Array:
    """Float[count,3,3] of all contacts."""
    blocks = np.zeros((count, 3, 3))
    np.add.at(blocks, forces.of, forces.root[:, :, None] * forces.root[:, None, :])
    return blocks


def _rubbed(friction: Friction, stretch: Array, normal: Array) -> tuple[Array, Array]:
    """Gradient Float[c,3] and Hessian Float[c,3,3] of friction where no barrier pushes."""
    count = len(normal)
    law = replace(LAW, bristle=1.0)
    nothing, far = np.zeros((count, 3)), np.full(count, 10.0 * MARGIN)
    group = ContactGroup(0, None, np.zeros((count, 4)), None, nothing, nothing, normal, far, law, _points(count), ())
    contacts = Contacts((group,), (np.zeros((4, 3)),), stretch)
    forces = contacts.forces((np.zeros((4, 3)),), replace(friction, contacts=np.arange(count)))
    return forces.force, _hessians(forces, count)


@pytest.fixture
def rubbing() -> tuple[Friction, Array, Array]:
    """Three contacts, their normals and unit directions of slip."""
    random = np.random.default_rng(2)
    normal = random.normal(size=(3, 3))
    normal /= np.linalg.norm(normal, axis=1)[:, None]
    direction = np.einsum("cij,cj->ci", _tangential(normal), random.normal(size=(3, 3)))
    direction /= np.linalg.norm(direction, axis=1)[:, None]
    return Friction(np.array([0, 2, 3]), random.uniform(1.0, 5.0, 3), np.array([0.01, 0.02, 0.03])), normal, direction


@pytest.mark.parametrize("share", [0.0, 0.3, 0.9, 2.0, 100.0])  # of the bristle
def test_friction_derivatives_by_differences(rubbing: tuple[Friction, Array, Array], share: float) -> None:
    friction, normal, direction = rubbing
    across, stretch = _tangential(normal), share * friction.length[:, None] * direction
    gradient, hessian = _rubbed(friction, stretch, normal)

    def projected(at: Array) -> Array:
        return np.einsum("cij,cj->ci", across, at)

    slope = numerical_derivative(lambda at: _friction_energy(friction, projected(at)), stretch, 1e-6)
    assert np.allclose(gradient, slope, rtol=1e-5, atol=3e-4 * friction.limit.max())
    curvature = numerical_derivative(lambda at: _rubbed(friction, projected(at), normal)[0], stretch, 1e-6)
    for place, largest in enumerate(friction.limit / friction.length):
        # At no stretch the third derivative jumps: differences are off by step over length there.
        tangent = across[place] @ curvature[place, :, place] @ across[place]
        assert np.allclose(hessian[place], tangent, rtol=1e-4, atol=1e-3 * largest)
        assert np.linalg.eigvalsh(hessian[place])[0] > -1e-9 * largest


def test_friction_opposes_slip_with_the_coulomb_limit_and_no_more(rubbing: tuple[Friction, Array, Array]) -> None:
    friction, normal, direction = rubbing
    for share in (0.1, 0.5, 0.99, 1.0, 50.0):
        gradient, _ = _rubbed(friction, share * friction.length[:, None] * direction, normal)
        strength = np.einsum("ci,ci->c", gradient, direction)
        assert np.allclose(gradient, strength[:, None] * direction)
        assert (strength > 0.0).all() and (strength <= friction.limit * (1.0 + 1e-12)).all()
        if share >= 1.0:
            assert np.allclose(strength, friction.limit)


def test_solving_again_is_for_limits_that_changed() -> None:
    first = Friction(np.array([0, 1]), np.array([10.0, 10.0]), np.full(2, 0.01))
    assert first.differs_from(None)
    assert not replace(first, limit=np.array([10.4, 9.8])).differs_from(first)
    assert replace(first, limit=np.array([15.0, 10.0])).differs_from(first)
    assert replace(first, contacts=np.array([1, 2])).differs_from(first)


# -- contacts of two objects ------------------------------------------------------------------------------------------


def _points(count: int, name: str = "test") -> ContactPoints:
    return ContactPoints((name,), np.arange(count), count)


def _pair(random: np.random.Generator, gap: Array) -> Contacts:
    """Contacts of two objects of one handle each with these gaps (m) at rest."""
    count = len(gap)
    rest = RIGID.handles(np.zeros(6))
    place = random.uniform(-0.5, 0.5, (count, 3))
    normal = random.normal(size=(count, 3))
    normal /= np.linalg.norm(normal, axis=1)[:, None]
    first = np.column_stack([place + gap[:, None] * normal, np.ones(count)])
    second = np.column_stack([place, np.ones(count)])
    nothing = np.zeros((count, 3))
    group = ContactGroup(
        0, 1, first, second, nothing, nothing, normal, np.zeros(count), LAW, _points(count), partner=(1,)
    )
    return Contacts((group,), (rest, rest), random.uniform(-0.03, 0.03, (count, 3)) * MARGIN)


def test_contact_forces_are_the_slope_of_their_energy_for_both_objects() -> None:
    """Energy by its definition: barrier of n . (x1 - x2), friction of the tangential way and what the bristles kept."""
    random = np.random.default_rng(5)
    contacts = _pair(random, np.array([0.3, 0.7, 2.0, 0.05]) * MARGIN)
    (group,) = contacts.groups
    friction = contacts.friction(contacts.start_gaps)
    assert friction is not None and friction.contacts.tolist() == [0, 1, 3]
    across = _tangential(group.normal)
    begin = group.first_basis @ contacts.start[0] - group.second_basis @ contacts.start[1]

    def energy(a: Array) -> float:
        relative = group.first_basis @ a[:4] - group.second_basis @ a[4:]
        gaps = np.einsum("ci,ci->c", relative, group.normal)
        stretch = np.einsum("cij,cj->ci", across, relative - begin + contacts.bristle)[friction.contacts]
        return float(_barrier_energy(gaps).sum()) + _friction_energy(friction, stretch)

    def gradient(a: Array) -> Array:
        forces = contacts.forces((a[:4], a[4:]), friction)
        assert forces is not None
        pushed = [basis.T @ forces.force for basis in (group.first_basis, group.second_basis)]
        return np.vstack([pushed[0], -pushed[1]])

    at = np.vstack(contacts.start) + 0.02 * MARGIN * random.normal(size=(8, 3))
    slope = numerical_derivative(energy, at, 1e-4 * MARGIN)
    assert np.allclose(gradient(at), slope, rtol=1e-4, atol=1e-5 * np.abs(slope).max())

    forces = contacts.forces((at[:4], at[4:]), friction)
    rows = np.hstack([group.first_basis, -group.second_basis])
    hessian = np.einsum("ca,cij,cb->aibj", rows, _hessians(forces, len(rows)), rows)
    curvature = numerical_derivative(gradient, at, 1e-4 * MARGIN)
    assert np.allclose(hessian, curvature, rtol=1e-3, atol=1e-4 * np.abs(curvature).max())


def test_forces_between_two_objects_are_equal_and_opposite() -> None:
    """The energy does not change where both are moved alike."""
    contacts = _pair(np.random.default_rng(6), np.array([0.3, 0.6]) * MARGIN)
    together = np.zeros((4, 3))
    together[3] = [0.3, -0.2, 0.7]
    friction = contacts.friction(contacts.start_gaps)
    here = contacts.forces(contacts.start, friction)
    there = contacts.forces([a + together for a in contacts.start], friction)
    assert np.allclose(here.force, there.force, atol=1e-9 * np.abs(here.force).max())


def test_friction_limits_are_the_coefficient_times_what_the_barrier_pushes() -> None:
    gap = np.array([0.5, 3.0, 0.2]) * MARGIN
    contacts = _pair(np.random.default_rng(7), gap)
    friction = contacts.friction(contacts.start_gaps)
    assert friction.contacts.tolist() == [0, 2]
    push = -barrier_slope(gap[[0, 2]], np.full(2, MARGIN), np.full(2, STIFFNESS))
    assert friction.limit == pytest.approx(LAW.friction * push)
    (group,) = contacts.groups
    smooth = replace(contacts, groups=(replace(group, law=replace(LAW, friction=0.0)),))
    assert smooth.friction(contacts.start_gaps) is None


def test_bristles_keep_what_holds_and_no_more_than_their_length() -> None:
    contacts = replace(_pair(np.random.default_rng(8), np.array([0.5, 0.5, 3.0]) * MARGIN), bristle=np.zeros((3, 3)))
    (group,) = contacts.groups
    friction = contacts.friction(contacts.start_gaps)
    for way in (0.3 * LAW.bristle, 40.0 * LAW.bristle):
        shift = np.zeros((4, 3))
        shift[3, 0] = way
        kept = contacts.kept_bristles((contacts.start[0] + shift, contacts.start[1]), friction)
        slip = way * _tangential(group.normal)[:, :, 0]
        assert not kept[2].any()  # it does not touch
        length = np.linalg.norm(slip[:2], axis=1)
        expected = slip[:2] * np.minimum(1.0, LAW.bristle / length)[:, None]
        assert np.allclose(kept[:2], expected, atol=1e-9 * LAW.bristle)


# -- impacts ----------------------------------------------------------------------------------------------------------


def _falling(gap: Array, law: ContactLaw = LAW) -> Contacts:
    """Contacts of one object with a level plane, at these gaps (m)."""
    count = len(gap)
    basis = np.column_stack([np.arange(count), np.zeros(count), gap, np.ones(count)])
    nothing, up = np.zeros((count, 3)), np.tile([0.0, 0.0, 1.0], (count, 1))
    group = ContactGroup(0, None, basis, None, nothing, nothing, up, np.zeros(count), law, _points(count), partner=())
    return Contacts((group,), (RIGID.handles(np.zeros(6)),), np.zeros((count, 3)))


def _speeds(contacts: Contacts, wanted: list[float]) -> Array:
    """Handle rates Float[4,3] that move the points up at these speeds (m/s)."""
    rates = np.zeros((4, 3))
    rates[:, 2] = np.linalg.lstsq(contacts.groups[0].first_basis, np.array(wanted), rcond=None)[0]
    assert np.allclose(contacts.groups[0].first_basis @ rates, np.column_stack([np.zeros((len(wanted), 2)), wanted]))
    return rates


def _lowered(contacts: Contacts, height: float) -> Array:
    """Handles Float[4,3] that put every point at a height (m)."""
    after = contacts.start[0].copy()
    basis = contacts.groups[0].first_basis
    after[:, 2] = np.linalg.lstsq(basis, np.full(len(basis), height), rcond=None)[0]
    return after


def test_rebound_only_for_fast_and_fresh_touches() -> None:
    """Three points at a time: one comes in fast, one was inside before, one is out of reach or slow."""
    contacts = _falling(np.array([2.0, 0.5, 2.0]) * MARGIN)
    after = contacts.start[0].copy()
    after[:, 2] = np.linalg.lstsq(contacts.groups[0].first_basis, np.array([0.5, 0.4, 2.0]) * MARGIN, rcond=None)[0]
    fast = [_speeds(contacts, [-3.0, -3.0, -3.0])]
    touching, speed, _ = contacts.impacts(fast, fast, [after], 0.01)
    assert touching.tolist() == [0, 1]
    assert speed == pytest.approx([LAW.restitution * 3.0, 0.0])
    slow = -9.0 * LAW.rest_speed
    creeping = [_speeds(contacts, [slow, -3.0, -3.0])]
    _, speed, struck = contacts.impacts(creeping, creeping, [after], 0.01)
    assert not speed.any()
    assert struck.tolist() == [False, True]  # a blow that goes on inside the margin, but nothing to bounce from
    assert contacts.impacts(fast, fast, [contacts.start[0] + 1.0], 0.01) is None


def test_what_falls_strikes_with_the_speed_it_has_by_then() -> None:
    """From 2 m/s to 4 m/s over a step, half way of which (by the mean speed) is the way to the margin."""
    gap, step = 3.0 * MARGIN, 4.0 * MARGIN / 3.0
    contacts = _falling(np.array([gap]))
    begin, end = [_speeds(contacts, [-2.0])], [_speeds(contacts, [-4.0])]
    _, speed, _ = contacts.impacts(begin, end, [_lowered(contacts, 0.5 * MARGIN)], step)
    assert speed == pytest.approx([LAW.restitution * 3.0])


def test_speeds_of_impact_are_relative_to_a_moving_surface() -> None:
    """A surface that comes up at 2 m/s strikes what is at rest."""
    contacts = _falling(np.array([2.0 * MARGIN]))
    step = 1.5 * MARGIN / 2.0
    (group,) = contacts.groups
    moving = replace(contacts, groups=(replace(group, surface_end=np.array([[0.0, 0.0, 2.0 * step]])),))
    assert moving.approach([np.zeros((4, 3))], step) == pytest.approx([-2.0])
    still = [np.zeros((4, 3))]
    touching, speed, _ = moving.impacts(still, still, contacts.start, step)
    assert touching.tolist() == [0]
    assert speed == pytest.approx([LAW.restitution * 2.0])


def _body(mass: float, moment: Array) -> CoordinateStepRule:
    """A rigid body of `mass` (kg) with second moments of its mass Float[3,3] (kg m^2)."""
    matrix = np.zeros((4, 4))
    matrix[:3, :3], matrix[3, 3] = moment, mass
    return CoordinateStepRule(RIGID, matrix, (), (), (), 1e-9, 0.0, 0.0)


@pytest.mark.parametrize("restitution", [0.0, 0.4, 1.0])
def test_two_bodies_that_meet_head_on_part_as_newton_says(restitution: float) -> None:
    """Momentum is kept, and they part at e times the speed at which they met."""
    masses, before = (2.0, 5.0), (3.0, -1.0)
    first, second = np.array([[-1e-3, 0.0, 0.0, 1.0]]), np.array([[0.0, 0.0, 0.0, 1.0]])
    nothing, left = np.zeros((1, 3)), np.array([[-1.0, 0.0, 0.0]])
    group = ContactGroup(0, 1, first, second, nothing, nothing, left, np.zeros(1), LAW, _points(1), partner=(1,))
    rest = RIGID.handles(np.zeros(6))
    contacts = Contacts((group,), (rest, rest), nothing)
    states = [State(np.zeros(6), np.array([speed, 0, 0, 0, 0, 0])) for speed in before]
    problems = [
        _body(mass, 0.1 * mass * np.eye(3)).touching_problem(
            state, None, 0.01, np.zeros((4, 3)), lambda _: None, brisk=False
        )
        for mass, state in zip(masses, states, strict=True)
    ]
    rates = [RIGID.push(state.q, state.rate) for state in states]
    met = np.array([restitution * (before[0] - before[1])])
    after = with_restitution(problems, contacts, np.array([0]), met, states, rates, 0.01)
    speeds = [state.rate[0] for state in after]
    assert speeds[1] - speeds[0] == pytest.approx(restitution * 4.0, abs=1e-6)
    assert np.dot(masses, speeds) == pytest.approx(np.dot(masses, before))
    assert np.abs([state.rate[1:] for state in after]).max() < 1e-9


def test_rebounding_takes_the_least_impulse() -> None:
    """Karush-Kuhn-Tucker: no contact is left too slow, none pulls, and only those at the limit push."""
    random = np.random.default_rng(4)
    count = 5
    root = random.normal(size=(3, 3))
    rule = _body(2.0, root @ root.T)
    state = State(0.3 * random.normal(size=6), random.normal(size=6))
    problem = rule.touching_problem(state, None, 0.01, np.zeros((4, 3)), lambda _: None, brisk=False)
    normal = random.normal(size=(count, 3))
    normal /= np.linalg.norm(normal, axis=1)[:, None]
    basis = np.column_stack([random.uniform(-1.0, 1.0, (count, 3)), np.ones(count)])
    nothing = np.zeros((count, 3))
    group = ContactGroup(0, None, basis, None, nothing, nothing, normal, np.zeros(count), LAW, _points(count), ())
    contacts = Contacts((group,), (RIGID.handles(state.q),), nothing)
    wanted, all_of_them = random.uniform(0.0, 1.0, count), np.arange(count)
    rate = RIGID.push(state.q, state.rate)
    (after,) = with_restitution([problem], contacts, all_of_them, wanted, [state], [rate], 0.01)

    jacobian = RIGID.jacobian(state.q)  # Float[12,6]
    mass = jacobian.T @ np.kron(rule.moment, np.eye(3)) @ jacobian
    rows = np.array([np.kron(one, along) @ jacobian for one, along in zip(basis, normal, strict=True)])
    slack = rows @ after.rate - wanted
    push = mass @ (after.rate - state.rate)
    impulse, *_ = np.linalg.lstsq(rows.T, push, rcond=None)
    assert (rows @ state.rate < wanted).any()
    assert np.allclose(rows.T @ impulse, push, atol=1e-7)
    assert slack.min() > -1e-6
    assert impulse.min() > -1e-6
    assert abs(slack @ impulse) < 1e-5
    (unchanged,) = with_restitution([problem], contacts, all_of_them, rows @ state.rate - 0.1, [state], [rate], 0.01)
    assert np.allclose(unchanged.rate, state.rate)


# -- what a step could touch ------------------------------------------------------------------------------------------


def test_what_is_drawn_inside_keeps_its_depth_and_loses_it_as_it_comes_out() -> None:
    memory, points = ContactMemory(), _points(3)
    gap = np.array([-0.1, 0.5 * MARGIN, 1.0])
    assert not memory.lift(_points(3, "others"), gap, MARGIN, False).any()
    first = memory.lift(points, gap, MARGIN, True)
    assert gap + first == pytest.approx([MARGIN, MARGIN, 1.0])
    assert memory.lift(points, gap - 0.05, MARGIN, False) == pytest.approx(first)  # it does not get deeper
    half = memory.lift(points, gap + 0.06, MARGIN, False)
    assert half == pytest.approx([MARGIN + 0.04, 0.0, 0.0])
    assert memory.lift(points, gap, MARGIN, False) == pytest.approx(half)  # nor back in


def test_bristles_are_found_again_by_the_number_of_their_point() -> None:
    memory = ContactMemory()
    stretch = np.array([[1.0, 0.0, 0.0], [0.0, 2.0, 0.0]])
    memory.keep(ContactPoints("ground", np.array([4, 7]), 9), stretch)
    again = memory.bristle(ContactPoints("ground", np.array([7, 2]), 9))
    assert np.array_equal(again, [[0.0, 2.0, 0.0], [0.0, 0.0, 0.0]])
    memory.keep(ContactPoints("ground", np.array([7]), 9), np.zeros((1, 3)))
    assert not memory.bristle(ContactPoints("ground", np.array([7]), 9)).any()


def _resting(height: float, speed: float) -> Actor:
    """A box, 1 m wide, whose lowest face is at `height` (m), moving up at `speed` (m/s)."""
    vertices, triangles = moved(box(), (0.0, 0.0, height - box()[0][:, 2].min()))
    surface = collision_surface(validate_mesh(vertices, triangles))
    points = vertices[surface.vertices]
    shape = ContactShape(np.column_stack([points, np.ones(len(points))]), surface, points, True)
    rate = np.array([0.0, 0.0, speed, 0.0, 0.0, 0.0])
    solver = LatentSolver(_body(1.0, 0.1 * np.eye(3)), (), shape=shape)
    return Actor(solver, solver.at(State(np.zeros(6), rate)), LatentForces(np.zeros((4, 3))), 1.0, 0.5, 0.2, None)


def _found(actors: list[Actor], ground: Ground | None, step: float) -> list[ContactGroup]:
    detector = Detector(actors, ground, (), 9.81)
    return detector.groups([actor.state for actor in actors], [False] * len(actors), 0.0, step, 1.0)


@pytest.mark.parametrize(
    ("height", "speed", "seen"),
    [(0.5, 0.0, False), (0.5, -1.0, False), (0.5, -60.0, True), (0.5, 60.0, False), (1e-3, 0.0, True)],
)
def test_the_ground_is_looked_for_as_far_as_a_step_goes(height: float, speed: float, seen: bool) -> None:
    groups = _found([_resting(height, speed)], Ground(0.0, 0.4, 0.1), 0.01)
    assert bool(groups) == seen
    for group in groups:
        assert len(group) == 4  # the lower corners
        assert (group.law.friction, group.law.restitution) == (0.4, 0.1)
        gaps = group.first_basis @ RIGID.handles(np.zeros(6))
        assert gaps[:, 2] == pytest.approx([height] * 4)


@pytest.mark.parametrize(("height", "seen"), [(1.002, True), (2.0, False)])
def test_two_boxes_meet_where_their_faces_do(height: float, seen: bool) -> None:
    """Corners of each on the face of the other, and normals from the second to the first."""
    groups = _found([_resting(0.0, 0.0), _resting(height, 0.0)], None, 0.01)
    assert bool(groups) == seen
    for group in groups:
        assert {group.first, group.second} == {0, 1}
        up = 1.0 if group.first == 1 else -1.0
        assert np.allclose(group.normal[:, 2], up, atol=1e-6)
        rest = RIGID.handles(np.zeros(6))
        apart = group.first_basis @ rest - group.second_basis @ rest
        assert np.einsum("ci,ci->c", apart, group.normal) == pytest.approx(np.full(len(group), height - 1.0), abs=1e-9)
