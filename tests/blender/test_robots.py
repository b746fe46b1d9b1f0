"""Robots: what their files say is kept in the .blend, obeyed, and written again."""

from itertools import pairwise

import bpy
import numpy as np
import pytest
from mathutils import Vector

from backend.kinematics.articulated import JointTransforms
from backend.robots.urdf_read import read_urdf
from tests.blender.helpers import shown, stored, wait_until
from tests.blender.robot_story import live_through
from tests.blender.robots import ArmShape, write_arm


def brought_in(path) -> bpy.types.Object:
    assert bpy.ops.neurok.robot_read(filepath=str(path)) == {"FINISHED"}
    return bpy.context.active_object


@pytest.fixture
def arm_file(tmp_path):
    return write_arm(tmp_path / "arm.urdf", ArmShape(limits=(-3.07, -0.07)))


def test_what_a_robot_file_says_comes_back_from_blender(scene, arm_file, tmp_path):
    """Masses, centres, inertias, limits, motors, names and joints that follow; the links move alike."""
    brought_in(arm_file)
    path = tmp_path / "again.urdf"
    assert bpy.ops.neurok.robot_write(filepath=str(path)) == {"FINISHED"}
    (_, first), (_, again) = read_urdf(arm_file), read_urdf(path)
    assert again.tree.parts == first.tree.parts and again.bolted
    for one, other in zip(first.inertias, again.inertias, strict=True):
        assert other.mass == pytest.approx(one.mass, rel=1e-6)
        assert np.allclose(other.centre, one.centre, atol=1e-6)
        assert np.allclose(other.tensor, one.tensor, rtol=0.0, atol=1e-6 * np.abs(one.tensor).max())
    for joint in first.tree.joints:
        other = again.tree.joint_of(joint.child)
        assert (other.kind, other.parent, other.name) == (joint.kind, joint.parent, joint.name)
        for field in ("lower", "upper", "friction", "damping", "effort", "velocity"):
            if joint.moves:
                assert getattr(other, field) == pytest.approx(getattr(joint, field), rel=1e-6), (joint.name, field)
    assert [(each.child, each.leader) for each in again.tree.mimics] == [
        (each.child, each.leader) for each in first.tree.mimics
    ]
    assert again.tree.mimics[0].ratio == pytest.approx(first.tree.mimics[0].ratio, rel=1e-6)
    assert len(bpy.data.materials) == 1 and again.colours[0] == pytest.approx((1.0, 0.4, 0.1, 1.0))
    assert len(set(again.colours)) == 1
    low, high = first.tree.limits
    q = low + (high - low) * np.random.default_rng(3).random((50, len(low)))
    ours, theirs = JointTransforms(first.tree)(q), JointTransforms(again.tree)(q)
    assert np.abs(ours - theirs).max() < 1e-6


def test_a_robot_that_is_turned_and_scaled_keeps_what_weighs_and_follows(scene, arm_file):
    from neurok_blender.scene.joint_tree import joints_of

    robot = brought_in(arm_file)
    told = joints_of(robot, robot.matrix_world).tree
    robot.location, robot.rotation_euler, robot.scale = (1.0, 2.0, 3.0), (0.3, 0.2, 0.9), (2.0, 2.0, 2.0)
    bpy.context.view_layer.update()
    now = joints_of(robot, robot.matrix_world).tree
    for part, other in zip(told["parts"], now["parts"], strict=True):
        assert other["mass"] == part["mass"]
        assert np.allclose(other["centre"], robot.matrix_world @ Vector(part["centre"]), atol=1e-5)
        one, two = (
            np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
            for xx, yy, zz, xy, xz, yz in (part["inertia"], other["inertia"])
        )
        assert np.allclose(np.linalg.eigvalsh(two), 4.0 * np.linalg.eigvalsh(one), rtol=1e-5)
    follower = next(entry for entry in now["joints"] if "mimic" in entry)
    assert follower["mimic"]["ratio"] == pytest.approx(1.0) and follower["upper"] == pytest.approx(0.08)


def test_what_is_simulated_weighs_what_the_file_says(scene, arm_file):
    from neurok_blender import api

    robot = brought_in(arm_file)
    _, jointed = read_urdf(arm_file)
    assert api.analyse(robot)["mass"] == pytest.approx(sum(each.mass for each in jointed.inertias), rel=1e-5)
    assert api.analyse(robot)["degrees_of_freedom"] == 6 + 7  # of a free one; one finger follows the other
    for joint in robot.neurok.joints:
        joint.weighed = False
    by_density = api.analyse(robot)["mass"]
    robot.neurok.density = 2000.0
    assert api.analyse(robot)["mass"] == pytest.approx(by_density)  # of the reference density
    assert by_density != pytest.approx(sum(each.mass for each in jointed.inertias), rel=1e-3)


def reached(seconds: float = 30.0) -> None:
    """Until the robot has followed its targets, and the pose is kept."""
    from neurok_blender.session.ik_targets import follower

    assert wait_until(lambda: (follower.tick(), not follower.is_active)[1], seconds)


def with_target(robot: bpy.types.Object, part: str = "link6") -> bpy.types.Object:
    bpy.context.view_layer.objects.active = robot
    robot.neurok.active_joint = robot.neurok.joints.find(part)
    assert bpy.ops.neurok.reach_add() == {"FINISHED"}
    bpy.context.view_layer.update()
    return bpy.context.active_object


def tip_place(robot: bpy.types.Object, part: str = "link6") -> np.ndarray:
    """The middle of the box around a part as it is shown, in the world."""
    from neurok_blender.scene.joint_parts import face_parts, vertex_parts

    mesh = robot.data
    chosen = vertex_parts(mesh, face_parts(mesh), len(robot.neurok.joints)) == robot.neurok.joints.find(part)
    places = stored(mesh)[chosen] @ np.array(robot.matrix_world.to_3x3()).T + np.array(robot.matrix_world.translation)
    return places.mean(axis=0)


@pytest.fixture
def robot(scene, tmp_path):
    return brought_in(write_arm(tmp_path / "arm.urdf"))


def test_a_target_stands_where_the_part_is(robot):
    from neurok_blender.session.state import session

    target = with_target(robot)
    assert target.type == "EMPTY" and target.empty_display_type == "ARROWS" and target.select_get()
    (entry,) = robot.neurok.reaches
    assert entry.target == target and entry.part_name == "link6"
    assert np.allclose(target.matrix_world.translation, tip_place(robot), atol=1e-5)
    drawn = stored(robot.data).tobytes()
    reached()
    assert session.take_of(robot) is None and stored(robot.data).tobytes() == drawn  # nothing is made of that


def test_the_robot_follows_a_target_that_is_moved(robot):
    """To a millimetre and half a degree, turned as the target is, within the limits; undo of nothing else."""
    from neurok_blender.session.state import session

    drawn = stored(robot.data)
    target = with_target(robot)
    start = target.location.copy()
    target.location = start + Vector((0.35, 0.2, -0.5))
    target.rotation_euler = (0.4, 0.9, 0.3)
    bpy.context.view_layer.update()
    reached()
    assert np.allclose(tip_place(robot), target.location, atol=1e-3)
    (entry,) = robot.neurok.reaches
    assert entry.missing < 1e-3 and entry.missing_angle < np.radians(0.5)
    assert session.take_of(robot).frame_count == 1 and not session.is_busy
    for slider in robot.neurok.coordinates:
        assert slider.lower - 1e-6 <= slider.coordinate <= slider.upper + 1e-6
    assert [slider.name for slider in robot.neurok.coordinates][:2] == ["joint1", "joint2"]
    # The links are rigid: the part is turned as the target is.
    handle = np.asarray(session.take_of(robot).motion.shapes[0].handles[robot.neurok.joints.find("link6")])
    assert np.allclose(handle[:, :3], target.matrix_world.to_3x3(), atol=np.radians(0.5))
    target.location = start
    target.rotation_euler = (0.0, 0.0, 0.0)
    bpy.context.view_layer.update()
    reached()
    assert np.allclose(tip_place(robot), start, atol=1e-3)
    session.stop_playing(robot.data)
    assert stored(robot.data).tobytes() == drawn.tobytes()


def test_two_robots_that_reach_for_one_target_follow_one_after_the_other(robot, tmp_path):
    from neurok_blender.session.state import session

    target = with_target(robot)
    other = brought_in(write_arm(tmp_path / "other.urdf"))
    other.location.x = 0.2
    with_target(other)
    bpy.context.view_layer.update()
    entry = other.neurok.reaches[0]
    bpy.data.objects.remove(entry.target)
    entry.target = target
    target.location = (0.4, 0.3, 1.2)
    bpy.context.view_layer.update()
    reached()
    for each in (robot, other):
        assert np.allclose(tip_place(each), target.location, atol=1e-3)
        assert session.take_of(each).frame_count == 1


def test_what_is_out_of_reach_is_told_and_a_place_alone_is_easier(robot):
    target = with_target(robot)
    (entry,) = robot.neurok.reaches
    target.location = (4.0, 0.0, 0.5)
    bpy.context.view_layer.update()
    reached()
    shoulder = np.array([0.0, 0.0, 0.4])
    length = np.linalg.norm(tip_place(robot) - shoulder)
    assert entry.missing == pytest.approx(np.linalg.norm(tip_place(robot) - target.location), abs=2e-3)
    entry.turns = False  # the robot follows that too
    reached()
    # The straight arm points at it.
    along, away = tip_place(robot) - shoulder, np.array(target.location) - tip_place(robot)
    assert np.linalg.norm(along) >= length - 1e-3 and entry.missing > 1.0
    assert along @ away > 0.999 * np.linalg.norm(along) * np.linalg.norm(away)


def test_baked_targets_are_a_take(robot, scene):
    """Two keys of the target; the tip is on its way at every frame, and the take bakes as bones."""
    from neurok_blender.scene.object_motion import action_curves
    from neurok_blender.session.state import session

    target = with_target(robot)
    scene.neurok.frame_count = 24
    for frame, shift in ((1, (0.0, 0.0, 0.0)), (24, (0.5, 0.2, -0.6))):
        target.location = target.location.copy() if frame == 1 else target.location + Vector(shift)
        target.keyframe_insert("location", frame=frame)
    scene.frame_set(5)
    assert bpy.ops.neurok.reach_bake(keys=True) == {"FINISHED"}
    assert scene.frame_current == 5 and not session.is_busy
    take = session.take_of(robot)
    assert take.frame_count == 24
    for frame in (1, 12, 24):
        scene.frame_set(frame)
        assert np.allclose(tip_place(robot), target.matrix_world.translation, atol=1e-3), frame
    shapes = [take.shape(number) for number in range(24)]
    assert max(np.abs(b - a).max() for a, b in pairwise(shapes)) < 0.2  # no jumps
    assert len(list(action_curves(robot.animation_data))) == 7
    scene.frame_set(12)
    now = stored(robot.data)
    bpy.context.view_layer.objects.active = robot
    assert bpy.ops.neurok.bake(kind="ARMATURE") == {"FINISHED"}
    scene.frame_set(12)
    assert np.abs(shown(robot) - now).max() < 1e-3


def test_a_bake_of_targets_that_is_cancelled_leaves_everything(robot, scene):
    from neurok_blender.session.ik_targets import ReachTake
    from neurok_blender.session.simulation import Outcome
    from neurok_blender.session.state import session

    target = with_target(robot)
    target.keyframe_insert("location", frame=1)
    drawn, scene.neurok.frame_count = stored(robot.data).tobytes(), 200
    scene.frame_set(3)
    made = ReachTake(bpy.context, robot)
    assert wait_until(lambda: made.tick().done > 8 and made.progress.stage == "following the targets", 30.0)
    made.cancel()
    assert made.progress.outcome is Outcome.CANCELLED and not session.is_busy
    assert scene.frame_current == 3 and session.take_of(robot) is None
    assert stored(robot.data).tobytes() == drawn
    scene.neurok.frame_count = 3
    bpy.context.view_layer.objects.active = robot
    assert bpy.ops.neurok.reach_bake() == {"FINISHED"}


def test_targets_are_in_the_file_and_go_with_their_empties(robot, scene, tmp_path):
    with_target(robot)
    path, name = tmp_path / "robot.blend", robot.name
    bpy.ops.wm.save_as_mainfile(filepath=str(path))
    bpy.ops.wm.open_mainfile(filepath=str(path))
    robot = bpy.data.objects[name]
    (entry,) = robot.neurok.reaches
    assert entry.target.name == "link6 Target" and entry.part_name == "link6"
    bpy.context.view_layer.objects.active = entry.target
    assert bpy.ops.neurok.reach_remove(number=0) == {"FINISHED"}
    assert "link6 Target" not in bpy.data.objects and not len(robot.neurok.reaches)
    robot.neurok.active_joint = robot.neurok.joints.find("pedestal")
    with pytest.raises(RuntimeError, match="No joint moves the chosen part"):
        bpy.ops.neurok.reach_add()


def test_keyed_joint_values_replay_and_bake(robot, scene):
    """Degrees on the sliders, keys at two frames, a take between them; the joints are where the keys say."""
    from neurok_blender.session.pose_session import Pose
    from neurok_blender.session.state import session

    scene.neurok.frame_count = 11
    pose = Pose(bpy.context, robot)
    assert wait_until(lambda: (pose.tick(), pose.is_ready)[1], 30.0), pose.interactive.message
    sliders = robot.neurok.coordinates
    assert [slider.kind for slider in sliders] == ["TURN"] * 6 + ["SLIDE"]
    for frame, angle, width in ((1, 0.0, 0.0), (11, 1.2, 0.03)):
        scene.frame_set(frame)
        sliders["joint2"].angle, sliders["left_slide"].distance = angle, width
        assert bpy.ops.neurok.pose_key() == {"FINISHED"}
    from neurok_blender.scene.pose_keys import keyed_values

    pose.film(keyed_values(scene, robot))
    assert wait_until(lambda: (pose.tick(), pose.film_is_complete)[1], 30.0)
    take = pose.take()
    pose.interactive.keep(take, "Pose")
    pose.end()
    session.takes[robot.data.session_uid] = take
    number = robot.neurok.joints.find
    last = np.asarray(take.motion.shapes[10].handles)
    cosine = np.trace(last[number("link2")][:, :3]) / 2.0 - 0.5
    assert np.arccos(cosine) == pytest.approx(1.2, abs=1e-4)
    fingers = [last[number(f"{side}_finger")] @ [0.0, 0.0, 0.0, 1.0] for side in ("left", "right")]
    assert np.linalg.norm(fingers[0] - fingers[1]) == pytest.approx(0.06, abs=1e-5)  # one follows the other
    assert bpy.ops.neurok.bake(kind="ARMATURE") == {"FINISHED"}


def test_a_robot_falls_as_its_joints_are_damped(robot, scene):
    """Bolted to the world: gravity bends it from a pose to start from, and damping slows it."""
    from neurok_blender.session.pose_session import Pose
    from neurok_blender.session.state import session

    pose = Pose(bpy.context, robot)
    assert wait_until(lambda: (pose.tick(), pose.is_ready)[1], 30.0), pose.interactive.message
    robot.neurok.coordinates["joint2"].angle = 0.8
    pose.end()
    robot.neurok.starts_posed, scene.neurok.frame_count = True, 8
    number, turned = robot.neurok.joints.find("link2"), []
    for damping in (0.0, 1000.0):
        for joint in robot.neurok.joints:
            joint.damping, joint.friction = damping, 0.0
        assert bpy.ops.neurok.simulate() == {"FINISHED"}
        handles = [shape.handles for shape in session.take_of(robot).motion.shapes]
        assert np.abs(np.asarray(handles)[:, 0] - np.eye(4)[:3]).max() < 1e-5  # the pedestal stays
        first, last = (np.asarray(handles[frame])[number][:, :3] for frame in (0, -1))
        turned.append(float(np.arccos(np.clip((np.trace(first.T @ last) - 1.0) / 2.0, -1.0, 1.0))))
    assert turned[0] > 0.1 and turned[1] < 0.2 * turned[0]


SHAPES = {
    "six turns": ArmShape(),
    "a slide at the base": ArmShape("zzyzyz", slides=(0,), gripper=False),
    "never as drawn": ArmShape("zyyzyz", limits=(0.2, 1.4)),
    "seven turns": ArmShape("zyzyzyz"),
    "a plane": ArmShape("yyy", gripper=False),
}


@pytest.mark.parametrize("name", SHAPES)
def test_any_robot_is_imported_led_and_simulated(scene, tmp_path, name):
    figures = live_through(write_arm(tmp_path / "robot.urdf", SHAPES[name]))
    assert figures.is_right, str(figures)
