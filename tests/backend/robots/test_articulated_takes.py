"""Jointed objects in the solver: swings, energy, limits, friction that holds, damping, bases, pokes and the ground."""

import numpy as np
import pytest
from scipy.special import ellipk

from backend.engine import analyze, begin_pose, prepare
from backend.errors import UserError
from backend.geometry.part_clouds import part_clouds
from backend.kinematics.inertia import Inertia, inertia_of
from backend.robots.robot import Robot

from .objects import arm, cabinet, gripper, pendulum, told

SIDEWAYS = [9.81, 0.0, 0.0]


def analysed(thing):
    mesh, jointed = thing
    return analyze(mesh.vertices, mesh.triangles, joints=jointed)


def run(thing, **conditions):
    """q Float[T,k], energy Float[T,3] and the report."""
    take = prepare([analysed(thing)], [{"frames": 48, **conditions}])
    frames = [frame for (frame,) in take.frames(lambda: False)]
    return np.array([frame.q for frame in frames]), np.array([frame.energy for frame in frames]), take.report()


def test_a_rod_swings_with_the_period_of_the_closed_form() -> None:
    length, thickness, tilt = 0.8, 0.04, 0.5
    gravity = [9.81 * np.sin(tilt), 0.0, -9.81 * np.cos(tilt)]
    q, energy, report = run(pendulum(length, thickness), frames=150, undamped=True, gravity=gravity)
    assert report["kinematics"]["provider"] == "articulated"
    inertia = length**2 / 3.0 + thickness**2 / 12.0  # over the mass
    period = 4.0 * ellipk(np.sin(tilt / 2.0) ** 2) * np.sqrt(inertia / (9.81 * length / 2.0))
    away = q[:, 0] - 0.5 * (q.min() + q.max())
    assert abs(q).max() == pytest.approx(2.0 * tilt, rel=2e-3)
    before = np.flatnonzero((away[:-1] > 0) & (away[1:] <= 0))
    crossing = before + away[before] / (away[before] - away[before + 1])
    assert np.diff(crossing).mean() / 24.0 == pytest.approx(period, rel=0.005)
    total = energy[:, 2]
    assert np.ptp(total) < 1e-3 * energy[:, 0].max()


@pytest.mark.parametrize(("end", "lost"), [(np.inf, 0.003), (2.5, 0.03)])
def test_an_arm_of_three_joints_keeps_its_energy(end, lost) -> None:
    """Also where it bounces off its limits at full speed."""
    q, energy, _ = run(arm(3, end), frames=72, undamped=True, gravity=[4.0, 2.0, -1.0])
    assert (np.abs(q).max(axis=0) > 0.5).all() and np.abs(q).max() > 2.5
    assert np.abs(energy[:, 2] - energy[0, 2]).max() < lost * energy[:, 0].max()


def test_parts_of_a_free_object_fall_together_and_turn_about_each_other() -> None:
    """Momentum of the whole is conserved: its centre falls like a stone whatever the joints do."""
    mesh, jointed = cabinet()
    analysis = analysed((mesh, jointed))
    # The door opens: it turns about its hinge, 0.2 m from its middle.
    spin = {"angular": [0.0, 0.0, -4.0], "linear": [0.0, -0.8, 0.0]}
    spin["vertices"] = np.flatnonzero(jointed.part == 1).tolist()
    take = prepare([analysis], [{"frames": 13, "undamped": True, "velocities": [spin], "gravity": [0, 0, 0]}])
    assert take.members[0].summary["anchored"] is False and take.members[0].summary["degrees_of_freedom"] == 9
    body = take.members[0].body
    mass, basis = body.material.mass, body.material.basis
    frames = [frame for (frame,) in take.frames(lambda: False)]
    centres = np.array([mass @ basis @ body.kinematics.handles(frame.q) / mass.sum() for frame in frames])
    speeds = np.diff(centres, axis=0) * 24.0
    assert np.linalg.norm(speeds[0]) > 0.001
    np.testing.assert_allclose(speeds, np.broadcast_to(speeds[0], speeds.shape), atol=1e-9)
    assert frames[-1].q[6] < -0.3


@pytest.mark.parametrize("substeps", ["auto", 2])
def test_friction_holds_for_good_and_lets_go_above_its_limit(substeps) -> None:
    weight = 0.8 * 0.04**2 * 1000.0 * 9.81 * 0.4  # N m on the hinge when the rod lies across gravity
    held, _, _ = run(pendulum(friction=1.05 * weight), gravity=SIDEWAYS, frames=120, substeps=substeps)
    assert np.abs(held).max() < 1e-5
    slips, _, _ = run(pendulum(friction=0.9 * weight), gravity=SIDEWAYS, frames=48, substeps=substeps)
    assert np.abs(slips[-1]) > 0.1


def test_damping_is_that_of_the_joint() -> None:
    """I q'' = -d q' without gravity: it goes w0 I / d far, and no other loss is added."""
    length, thickness, damping, speed = 0.8, 0.04, 0.05, 1.0
    mass = length * thickness**2 * 1000.0
    inertia = mass * (length**2 / 3.0 + thickness**2 / 12.0)
    mesh, jointed = pendulum(length, thickness, damping=damping)
    velocity = {"linear": [-0.4 * speed, 0.0, 0.0], "angular": [0.0, speed, 0.0]}
    velocity["vertices"] = np.flatnonzero(jointed.part == 1).tolist()
    q, _, _ = run((mesh, jointed), gravity=[0, 0, 0], frames=97, velocities=[velocity])
    time = np.arange(97) / 24.0
    wanted = speed * inertia / damping * (1.0 - np.exp(-damping / inertia * time))
    np.testing.assert_allclose(q[:, 0], wanted, atol=0.01 * wanted.max())


def test_limits_stop_a_joint_and_settling_brings_it_to_rest() -> None:
    q, _, _ = run(pendulum(lower=-0.5, upper=0.3), gravity=SIDEWAYS, frames=120)
    end = q[-1, 0]
    assert -0.52 < end < -0.49 or 0.29 < end < 0.32
    assert np.abs(q).max() < 0.6
    assert np.ptp(q[-24:]) < 1e-3


def test_what_hangs_by_a_moving_part_settles_as_a_whole() -> None:
    """Held by the end of its last part, an arm has no base: it falls over, and its swing about the hold dies away."""
    mesh, jointed = arm(2)
    last = np.flatnonzero(jointed.part == jointed.part.max())
    top = last[mesh.vertices[last, 2] > mesh.vertices[last, 2].max() - 1e-9]
    held = {"anchor": {"vertices": top[:2].tolist()}, "settled": False}
    take = prepare([analysed((mesh, jointed))], [{"frames": 121, "gravity": [3.0, 0.0, -9.0], **held}])
    assert take.members[0].summary["degrees_of_freedom"] == 8
    kinetic = np.array([frame.energy[0] for (frame,) in take.frames(lambda: False)])
    assert kinetic[:48].max() > 0.2
    assert kinetic[-24:].max() < 1e-3 * kinetic.max()


def test_what_follows_moves_with_what_it_follows() -> None:
    mesh, jointed = gripper()
    q, _, _ = run((mesh, jointed), frames=24, gravity=[3.0, 0.0, 0.0], anchor={"vertices": [0]})
    assert q.shape[1] == 1
    # Both have the same mass, and gravity pulls one way: what pushes one finger holds the other.
    assert np.abs(q).max() < 1e-6
    poke = {"point": [-0.09, 0.0, 0.1], "impulse": [0.02, 0.0, 0.0], "radius": 0.1}
    moved, _, _ = run((mesh, jointed), frames=24, gravity=[0, 0, 0], anchor={"vertices": [0]}, pokes=[poke])
    assert moved[-1, 0] > 1e-3
    assert moved.max() < 0.06 + 0.01  # the other's end


def test_a_free_robot_lands_on_the_ground() -> None:
    mesh, jointed = cabinet()
    ground = {"height": -0.3, "friction": 0.8, "restitution": 0.0}
    take = prepare([analysed((mesh, jointed))], [{"frames": 48, "ground": ground}])
    frames = [frame for (frame,) in take.frames(lambda: False)]
    last = np.einsum(
        "vij,vj->vi", frames[-1].handles[jointed.part], np.column_stack([mesh.vertices, np.ones(len(mesh.vertices))])
    )
    assert last[:, 2].min() == pytest.approx(-0.3, abs=5e-3)
    assert np.isfinite(last).all()


def test_the_base_is_held_where_the_file_bolts_it_and_free_where_asked() -> None:
    assert prepare([analysed(arm())], [{"ground": {"height": -1.0}}]).members[0].summary["anchored"] is True
    assert prepare([analysed(arm())], [{"anchor": "none"}]).members[0].summary["degrees_of_freedom"] == 9
    assert prepare([analysed(cabinet())], [{}]).members[0].summary["anchored"] is True
    assert prepare([analysed(cabinet())], [{"ground": {"height": -1.0}}]).members[0].summary["anchored"] is False


def test_joints_come_as_a_condition_too() -> None:
    mesh, jointed = cabinet()
    analysis = analyze(mesh.vertices, mesh.triangles, "rigid")
    take = prepare([analysis], [{"joints": told(jointed), "frames": 3}])
    assert take.members[0].summary["provider"] == "articulated"
    names = [joint["name"] for joint in take.members[0].summary["joints"]]
    assert names == ["hinge", "rail", "knob turn"]  # each after what it hangs on
    hinge = take.members[0].summary["joints"][0]
    assert hinge["motion"] == "turns" and hinge["axis"] == [0.0, 0.0, 1.0] and hinge["range"] == [-1.6, 0.0]
    assert (hinge["child"], hinge["parent"], hinge["friction"]) == ("door", "body", 0.05)


@pytest.mark.parametrize(
    ("conditions", "words"),
    [
        ({"provider": "elastic", "joints": told(cabinet()[1])}, "says nothing to the provider elastic"),
        ({"joints": "robot.urdf"}, "nobody reads files"),
        ({"joints": 3}, "neither the name of a file"),
        ({"joints": {**told(cabinet()[1]), "joints": []}}, "None of the joints can move"),
        ({"joints": {"parts": [{"name": "a", "vertices": [0, 1]}], "joints": []}}, "belong to no part"),
        (
            {"joints": {"parts": [{"name": "a"}], "joints": [{"child": "b", "parent": "a", "type": "fixed"}]}},
            "names the part 'b'",
        ),
        ({"joints": {"parts": [{"name": "a"}], "joints": [{"child": "a", "parent": None}]}}, "type' is missing"),
    ],
)
def test_what_does_not_fit_is_refused(conditions, words) -> None:
    mesh, _ = cabinet()
    analysis = analyze(mesh.vertices, mesh.triangles, "rigid")
    with pytest.raises(UserError) as refusal:
        prepare([analysis], [conditions])
    assert words in refusal.value.message and refusal.value.remedy


def test_posing_brings_a_door_to_where_it_is_dragged_within_its_limits() -> None:
    mesh, jointed = cabinet()
    posing = begin_pose(analysed((mesh, jointed)), {"anchor": {"vertices": [0]}})
    names = posing.coordinates.names
    assert names == ("hinge", "rail", "knob turn")
    edge = int(np.flatnonzero((jointed.part == 1) & (mesh.vertices[:, 0] > -0.01))[0])
    hinge, away = np.array([-0.4, -0.02, 0.0]), mesh.vertices[edge] - np.array([-0.4, -0.02, 0.0])
    angle = -1.0
    turn = np.array([[np.cos(angle), -np.sin(angle), 0], [np.sin(angle), np.cos(angle), 0], [0, 0, 1]])
    for _ in range(5):
        posed = posing.solve(np.array([edge]), (hinge + turn @ away)[None], np.array([True]))
    assert posed.values[0] == pytest.approx(angle, abs=0.02)
    shapes = posing.shapes(np.array([[-3.0, 0.2, 1.0]]))  # beyond the limit
    opened = shapes[0, 1, :, :3]
    np.testing.assert_allclose(opened[0, 0], np.cos(-1.6), atol=1e-9)


def test_what_is_dragged_leaves_what_other_parts_were_given() -> None:
    """A door that is dragged leaves a drawer where its slider has put it, and the next drag leaves the door."""
    mesh, jointed = cabinet()
    posing = begin_pose(analysed((mesh, jointed)), {"anchor": {"vertices": [0]}})
    posing.shapes(np.array([[0.0, 0.15, 0.0]]))
    edge = int(np.flatnonzero((jointed.part == 1) & (mesh.vertices[:, 0] > -0.01))[0])
    for way in np.linspace(0.05, 0.3, 6):
        posed = posing.solve(np.array([edge]), (mesh.vertices[edge] + [0.0, -way, 0.0])[None], np.array([False]))
    opened = posed.values[0]
    assert opened < -0.3 and posed.values[1] == pytest.approx(0.15, abs=1e-3)
    front = int(np.flatnonzero(jointed.part == 2)[0])
    start = posed.values[1]
    posed = posing.solve(np.array([front]), (mesh.vertices[front] + [0.0, -0.1, 0.0])[None], np.array([False]))
    assert posed.values[0] == pytest.approx(opened, abs=1e-3) and abs(posed.values[1] - start) > 0.02


def test_six_points_have_the_inertia_and_impossible_ones_are_mended() -> None:
    rng = np.random.default_rng(3)
    places = rng.normal(size=(50, 3)) * [1.0, 0.5, 0.2]
    mass = rng.uniform(0.5, 1.5, size=50)
    own = inertia_of(mass, places)
    again = inertia_of(*own.points())
    assert again.mass == pytest.approx(own.mass)
    np.testing.assert_allclose(again.centre, own.centre, atol=1e-12)
    np.testing.assert_allclose(again.tensor, own.tensor, atol=1e-10)
    assert own.possible(1.0) is own
    wrong = Inertia(2.0, np.zeros(3), np.diag([1.0, 1.0, 5.0])).possible(1.0)  # 5 > 1 + 1
    moments = np.linalg.eigvalsh(wrong.tensor)
    assert moments[2] <= moments[0] + moments[1] + 1e-12 and moments[0] > 0.0


def test_boxes_weigh_and_turn_like_boxes() -> None:
    mesh, jointed = cabinet()
    robot = Robot.of("cabinet", mesh, jointed)
    door = robot.inertias[1]
    size = np.array([0.4, 0.02, 0.9])
    mass = 1000.0 * size.prod()
    assert door.mass == pytest.approx(mass, rel=1e-6)
    np.testing.assert_allclose(door.centre, [-0.2, -0.02, 0.5], atol=1e-6)
    wanted = mass / 12.0 * (np.sum(size**2) - size**2)
    np.testing.assert_allclose(door.tensor, np.diag(wanted), atol=5e-3 * wanted.max())


def test_the_clouds_of_parts_do_not_mix_where_they_touch() -> None:
    mesh, jointed = arm(2)
    cloud, node_part = part_clouds(mesh, jointed.part)
    assert (jointed.part == node_part[cloud.vertex_node]).all()
    assert (np.diff(cloud.surface.astype(int)) <= 0).all()  # surface nodes come first
    assert (node_part[cloud.edges[:, 0]] == node_part[cloud.edges[:, 1]]).all()
    assert cloud.volume.sum() == pytest.approx(0.2 * 0.2 * 0.1 + 2 * 0.05 * 0.06 * 0.3, rel=1e-6)
