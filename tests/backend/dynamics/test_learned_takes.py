"""The learned provider in the time loop, on state spaces whose truth is known."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.spatial.transform import Rotation

from backend import engine
from backend.dynamics.coordinate_energies import JointLimits, LimitDamping
from backend.dynamics.variational import mass_matrix
from backend.errors import UserError
from backend.kinematics.base import Array
from backend.kinematics.state_space import StateSpace, normalised_frame
from tests.backend.dynamics.learned_takes import Run, analysed, run
from tests.backend.kinematics.spaces import chain, drawer, hinge_twist, laptop
from tests.backend.shapes import Arrays

GRAVITY = 9.81
LOOSE = {"settled": False, "undamped": True, "rest_spring": False}
TOP = {"vertices": list(range(8))}


def angles_of(found: Run, analysis: engine.Analysis) -> Array:
    """z Float[T,K]."""
    return found.q[:, -analysis.model.shape.dof :] @ analysis.model.shape.reduction.directions.T


def test_a_chain_follows_the_reference_equation() -> None:
    """Two bars against DOP853 on G qddot + J^T B D2a[qdot, qdot] = J^T load, all of the engine in between."""
    analysis = analysed(*chain([0.5, 0.3]), every_latent=True)
    spin = [{"angular": [0.0, 4.0, 0.0], "vertices": list(range(8, 24))}]
    conditions = {**LOOSE, "anchor": TOP, "velocities": spin, "frames": 37, "substeps": 60}
    found = run(analysis, conditions)

    body = analysis.body(engine.read_conditions(conditions), np.arange(8))
    kinematics, moment = body.kinematics, body.moment
    load = np.outer(body.material.mass @ body.material.basis, [0.0, 0.0, -GRAVITY])
    first = engine.prepare([analysis], [conditions])._world.actors[0].state.state

    def slope(_: float, both: Array) -> Array:
        q, rate = both[:2], both[2:]
        force = kinematics.pull(q, load - moment @ kinematics.acceleration(q, rate))
        return np.concatenate([rate, np.linalg.solve(mass_matrix(kinematics, moment, q, q), force)])

    times = np.arange(37) / 24.0
    start = np.concatenate([first.q, first.rate])
    wanted = solve_ivp(slope, (0.0, times[-1]), start, method="DOP853", t_eval=times, rtol=1e-11, atol=1e-11).y[:2].T
    assert np.abs(wanted).max() > 0.5
    assert np.abs(found.q - wanted).max() < 2e-3


def test_what_hangs_by_an_edge_settles_as_a_whole() -> None:
    """Held by an edge of what a joint moves, there is no base: the swing about the edge is that of the free root."""
    arrays, space = chain([0.6])
    analysis = analysed(arrays, space)
    sideways, _across, up = arrays[0].T
    edge = [int(each) for each in np.flatnonzero((sideways > sideways[8:].max() - 1e-6) & (up < up.min() + 1e-6))]
    found = run(analysis, {"anchor": {"vertices": edge}, "frames": 121, "settle_seconds": 2.0, "settled": False})
    kinetic = found.energy[:, 0]
    assert len(edge) == 2 and kinetic[:48].max() > 1.0  # it falls, and swings through
    assert kinetic[-24:].max() < 0.01 * kinetic[:48].max()  # amplitudes 5 % after 2 s, energies their squares


def test_a_bar_swings_with_the_period_of_a_physical_pendulum() -> None:
    """2 pi sqrt(I / (m g d)) of a box about its end, for a small swing."""
    arrays, space = chain([0.6])
    analysis = analysed(arrays, space)
    turning = [{"angular": [0.0, 0.15, 0.0], "vertices": list(range(8, 16))}]
    found = run(analysis, {**LOOSE, "anchor": TOP, "velocities": turning, "frames": 120, "substeps": 8})
    length, thick = 0.98 * 0.6, 0.05
    inertia = (length**2 + thick**2) / 12.0 + 0.3**2
    period = 2.0 * np.pi * np.sqrt(inertia / (GRAVITY * 0.3))
    angle = angles_of(found, analysis)[:, 0]
    rising = np.flatnonzero((angle[:-1] < 0.0) & (angle[1:] >= 0.0))
    crossing = rising + angle[rising] / (angle[rising] - angle[rising + 1])
    assert len(crossing) >= 2
    assert np.diff(crossing).mean() / 24.0 == pytest.approx(period, rel=0.01)


def test_undamped_energy_over_ten_seconds() -> None:
    """Three bars swinging wide, within 1 % of the energy that goes to and fro."""
    analysis = analysed(*chain([0.5, 0.3, 0.2]), every_latent=True)
    spin = [{"angular": [0.0, 5.0, 0.0], "vertices": list(range(8, 32))}]
    found = run(analysis, {**LOOSE, "anchor": TOP, "velocities": spin, "frames": 241})
    assert np.ptp(angles_of(found, analysis)[:, 0]) > 1.0
    assert np.ptp(found.energy[:, 2]) < 0.01 * found.energy[:, 0].max()


@pytest.mark.parametrize("speed", [0.3, 0.6])
def test_a_drawer_slides_and_stops_by_friction(speed: float) -> None:
    """v^2 / (2 mu g), and then it stays."""
    arrays, space = drawer()
    analysis = analysed(arrays, space)
    moving = [{"linear": [0.0, -speed, 0.0], "vertices": list(range(32, 40))}]
    found = run(
        analysis,
        {
            "velocities": moving,
            "anchor": TOP,
            "joint_friction": 0.15,
            "settle_seconds": 1e4,
            "frames": 24,
            "substeps": 16,
        },
    )
    way = -(found.positions[:, 32:] - analysis.mesh.vertices[32:])[:, :, 1].mean(axis=1)
    assert way[-1] == pytest.approx(speed**2 / (2.0 * 0.15 * GRAVITY), rel=0.03)
    assert np.ptp(way[-10:]) < 1e-4
    np.testing.assert_array_equal(found.positions[-1, :32], found.positions[0, :32])


def test_a_door_stays_where_it_is_pushed_and_springs_back_if_told() -> None:
    arrays, space = laptop()
    analysis = analysed(arrays, space)
    assert analysis.model.shape.joints.all()
    push = {"pokes": [{"point": [0.0, 0.1, 0.2], "speed": [0.0, -0.08, 0.0]}], "frames": 72}
    left = angles_of(run(analysis, push), analysis)[:, 0]
    assert 0.05 < left[-1] < 1.3
    assert np.ptp(left[-12:]) < 1e-3
    for spring in (True, 4.0):
        back = angles_of(run(analysis, {**push, "rest_spring": spring, "settle_seconds": 0.5}), analysis)[:, 0]
        assert np.abs(back).max() > 0.02
        assert abs(back[-1]) < 0.002


def test_a_rest_spring_has_the_frequency_that_was_asked_for() -> None:
    analysis = analysed(*laptop())
    push = {"pokes": [{"point": [0.0, 0.1, 0.2], "speed": [0.0, -0.01, 0.0], "duration": 1}], "frames": 97}
    found = run(analysis, {**push, "rest_spring": 2.0, "undamped": True, "substeps": 8})
    angle = angles_of(found, analysis)[2:, 0]
    rising = np.flatnonzero((angle[:-1] < 0.0) & (angle[1:] >= 0.0))
    crossing = rising + angle[rising] / (angle[rising] - angle[rising + 1])
    assert 24.0 / np.diff(crossing).mean() == pytest.approx(2.0, rel=0.01)


def test_a_slammed_lid_does_not_leave_what_is_plausible_nor_bounce() -> None:
    analysis = analysed(*laptop())
    found = run(analysis, {"pokes": [{"point": [0.0, 0.1, 0.2], "speed": [0.0, -0.4, 0.0]}], "frames": 72})
    angle = angles_of(found, analysis)[:, 0]
    edge = 0.3 + 2.0 * 0.5
    assert edge < angle.max() < edge + 0.15
    assert angle[24:].min() > edge - 0.1


def test_free_fall_and_angular_momentum_of_a_thing_that_unfolds() -> None:
    """The centre of mass on its parabola, the angular momentum about it constant, while the parts move."""
    arrays, space = laptop()
    analysis = analysed(arrays, space)
    lid = list(range(8, 16))
    found = run(
        analysis,
        {
            "anchor": "none",
            "velocities": [{"linear": [0.2, 0.0, 3.0]}, {"angular": [2.0, 0.5, 1.0], "vertices": lid}],
            "frames": 13,
            "joint_friction": 0.0,
            "substeps": 16,
        },
    )
    assert np.ptp(angles_of(found, analysis)[:, 0]) > 0.1
    body = analysis.body(engine.read_conditions({}), None)
    shapes = [body.material.basis @ body.kinematics.handles(q) for q in found.q]
    mass, times = body.material.mass, np.arange(13) / 24.0
    centre = np.array([np.average(shape, axis=0, weights=mass) for shape in shapes])
    # What the two velocities give the whole: the lid's turning about its own centre moves no mass.
    start, end = centre[0], centre[-1]
    wanted = start + times[-1] * np.array([0.2, 0.0, 3.0]) - 0.5 * GRAVITY * times[-1] ** 2 * np.array([0, 0, 1.0])
    assert np.abs(end - wanted).max() < 0.03
    middle = centre[1:-1] - 0.5 * (centre[:-2] + centre[2:])
    np.testing.assert_allclose(middle, np.tile([0.0, 0.0, 0.5 * GRAVITY / 24.0**2], (11, 1)), atol=2e-5)

    def momentum(at: int) -> Array:
        rate = (shapes[at + 1] - shapes[at - 1]) * 12.0
        away = shapes[at] - centre[at]
        return (mass[:, None] * np.cross(away, rate)).sum(axis=0)

    first = momentum(1)
    for at in (4, 8, 11):
        assert np.linalg.norm(momentum(at) - first) < 0.02 * np.linalg.norm(first)


def test_a_free_thing_lands_and_rests_on_the_ground() -> None:
    analysis = analysed(*laptop())
    found = run(analysis, {"ground": {"height": -0.2}, "velocities": [{"angular": [0.3, 0.0, 0.2]}], "frames": 72})
    assert found.report["contact_steps"] > 0
    lowest = found.positions[:, :, 2].min(axis=1)
    assert lowest.min() > -0.2 - 2e-3
    assert abs(lowest[-1] + 0.2) < 5e-3
    assert np.abs(found.positions[-1] - found.positions[-6]).max() < 2e-3


def test_pins_on_what_moves_are_held_and_the_rest_follows() -> None:
    """A laptop hung by its lid: no part of the held lid moves by more than a spring of 60 Hz gives."""
    analysis = analysed(*laptop())
    lid = list(range(8, 16))
    found = run(analysis, {"pins": [{"vertices": lid}], "frames": 48, "joint_friction": 0.0})
    assert np.abs(found.positions[:, 8:] - analysis.mesh.vertices[8:]).max() < 2e-3
    base = found.positions[:, :8] - analysis.mesh.vertices[:8]
    assert np.abs(base).max() > 0.02


def test_inverse_kinematics_turns_the_joint_to_the_target() -> None:
    analysis = analysed(*laptop())
    posing = engine.begin_pose(analysis, {})
    corner, angle = 15, 0.8
    axis = np.array([0.0, 0.1, 0.02])
    turned = Rotation.from_rotvec([angle, 0.0, 0.0]).apply(analysis.mesh.vertices[corner] - axis)
    shape = posing.solve(np.array([corner]), (axis + turned)[None], np.array([True]))
    assert shape.converged and not len(shape.unmet)
    assert shape.q[0] * analysis.model.shape.reduction.directions[0, 0] == pytest.approx(angle, abs=1e-3)
    # Beyond what is plausible it is held back.
    far = posing.solve(np.array([corner]), (axis + 0.2 * np.array([0.0, -1.0, -3.0]))[None], np.array([False]))
    assert far.q[0] * analysis.model.shape.reduction.directions[0, 0] < 0.3 + 2.0 * 0.5 + 0.1


def test_posing_holds_what_is_pinned_though_it_is_the_part_that_moves() -> None:
    analysis = analysed(*laptop())
    lid = list(range(8, 16))
    posing = engine.begin_pose(analysis, {"pins": [{"vertices": lid}]})
    corner = 0
    axis = np.array([0.0, 0.1, 0.02])
    target = axis + Rotation.from_rotvec([-0.4, 0.0, 0.0]).apply(analysis.mesh.vertices[corner] - axis)
    shape = posing.solve(np.array([corner]), target[None], np.array([False]))
    rest = np.column_stack([analysis.mesh.vertices, np.ones(16)])
    posed = np.einsum("vh,hij,vj->vi", posing.weights.astype(np.float64), shape.handles, rest)
    assert np.linalg.norm(posed[corner] - target) < 0.02
    assert np.abs(posed[8:] - analysis.mesh.vertices[8:]).max() < 5e-3


def test_the_same_take_twice_gives_the_same_bytes() -> None:
    conditions = {"pokes": [{"point": [0.0, 0.1, 0.2], "speed": [0.1, -0.3, 0.0]}], "wind": {"velocity": [0, -3, 0]}}
    first = run(analysed(*laptop()), {**conditions, "frames": 24})
    second = run(analysed(*laptop()), {**conditions, "frames": 24})
    assert first.positions.tobytes() == second.positions.tobytes()


def bending_beam() -> tuple[Arrays, StateSpace]:
    """A tube along x, held at one end by weights that turn smoothly from the first handle to the second."""
    count, around = 25, 12
    along, angle = np.meshgrid(np.linspace(0.0, 1.0, count), np.arange(around) * 2.0 * np.pi / around, indexing="ij")
    vertices = np.stack([along, 0.05 * np.cos(angle), 0.05 * np.sin(angle)], axis=-1).reshape(-1, 3)
    row, column = (each.ravel() for each in np.meshgrid(np.arange(count - 1), np.arange(around), indexing="ij"))
    a, b = row * around + column, row * around + (column + 1) % around
    triangles = np.concatenate([np.column_stack([a, a + around, b + around]), np.column_stack([a, b + around, b])])
    share = vertices[:, 0] ** 2
    frame = normalised_frame(vertices)
    twists = np.zeros((2, 1, 6))
    twists[1, 0] = hinge_twist((0.0, 1.0, 0.0), (0.3, 0.0, 0.0), frame)
    weights = np.column_stack([1.0 - share, share])
    bends = np.array([True])
    return (vertices, triangles), StateSpace(twists, weights, np.zeros(1), np.full(1, 0.4), frame, bends=bends)


def test_what_bends_is_no_joint_and_springs_back() -> None:
    arrays, space = bending_beam()
    analysis = analysed(arrays, space)
    assert not analysis.model.shape.joints.any()
    poke = {"pokes": [{"point": [1.0, 0.0, 0.05], "speed": [0.0, 0.0, -0.2]}], "anchor": "auto", "settle_seconds": 1.0}
    found = run(analysis, {**poke, "frames": 72})
    assert np.abs(found.q).max() > 0.1
    assert np.abs(found.q[-1]).max() < 0.01 * np.abs(found.q).max()


def test_limit_damping_acts_beyond_the_limits_alone() -> None:
    limits = JointLimits(np.array([-1.0, -np.inf]), np.array([1.0, 0.5]), np.array([10.0, 10.0]), 0.1)
    damping = LimitDamping(limits, np.array([3.0, 7.0]))
    inside = damping.at(np.array([0.9, 0.4]), 0.1)
    assert inside.value(np.array([2.0, 2.0])) == 0.0
    beyond = damping.at(np.array([-1.2, 0.6]), 0.1)
    np.testing.assert_allclose(beyond.gradient(np.array([-1.1, 0.6])), [3.0 * 0.1 / 0.1, 0.0], atol=1e-12)


@pytest.mark.parametrize(
    ("condition", "value"),
    [("rest_spring", "yes"), ("rest_spring", 0.0), ("joint_friction", -1.0), ("joint_friction", True)],
)
def test_refused_conditions(condition: str, value: object) -> None:
    with pytest.raises(UserError, match=condition):
        engine.read_conditions({condition: value})


def test_holding_everything_is_refused() -> None:
    with pytest.raises(UserError, match="held"):
        run(analysed(*laptop()), {"anchor": {"vertices": list(range(16))}})


def test_matter_belongs_to_the_part_whose_surface_is_nearest() -> None:
    """Every handle carries the mass of its boxes, to the last material point, though the boxes nearly touch."""
    analysis = analysed(*chain([0.5, 0.3], thick=0.06))
    body = analysis.body(engine.read_conditions({}), None)
    mass = body.moment[3::4, 3::4]
    wanted = 1000.0 * np.array([0.001, 0.06**2 * 0.49, 0.06**2 * 0.294])
    np.testing.assert_allclose(np.diag(mass), wanted, rtol=1e-6)
    assert np.abs(mass - np.diag(np.diag(mass))).max() < 1e-9
    np.testing.assert_array_equal(np.flatnonzero(analysis.model.shape.still), np.arange(8))


def test_what_stands_nearly_still_stands_exactly_still_where_it_is_held() -> None:
    """Weights of the base leak to the lid, as those of a network do: held, it does not move at all; free, it does."""
    arrays, space = laptop()
    weights = space.weights.copy()
    weights[:8] = [0.985, 0.015]
    analysis = analysed(arrays, replace(space, weights=weights))
    poke = {"pokes": [{"point": [0.0, 0.1, 0.2], "speed": [0.0, -0.1, 0.0]}], "frames": 12}
    found = run(analysis, poke)
    assert np.abs(found.positions[-1, 8:] - found.positions[0, 8:]).max() > 0.01
    np.testing.assert_array_equal(found.positions[-1, :8], found.positions[0, :8])
    free = run(analysis, {**poke, "anchor": "none", "gravity": [0.0, 0.0, 0.0]})
    assert free.q.shape[1] == 7
