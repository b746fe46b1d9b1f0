"""Robots: what their files say is kept in the .blend, obeyed, and written again."""

import bpy
import numpy as np
import pytest
from mathutils import Vector

from backend.io.urdf_read import read_urdf
from backend.kinematics.articulated import JointTransforms
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
    low, high = first.tree.limits
    q = low + (high - low) * np.random.default_rng(3).random((50, len(low)))
    ours, theirs = JointTransforms(first.tree)(q), JointTransforms(again.tree)(q)
    assert np.abs(ours - theirs).max() < 1e-6


def test_a_robot_that_is_turned_and_scaled_keeps_what_weighs_and_follows(scene, arm_file):
    from neurok_blender.scene.joints import joints_of

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
