"""Robots in files: what is written is what was meant, by our own reader and by others; what is read is what is said."""

import json
from pathlib import Path

import mujoco
import numpy as np
import pytest
import trimesh
from yourdfpy import URDF

from backend.errors import UserError
from backend.kinematics.articulated import JointTransforms
from backend.kinematics.joint_tree import WORLD
from backend.robots.joints_file import read_jointed
from backend.robots.robot import Robot
from backend.robots.robot_write import write_robot
from backend.robots.urdf_read import read_urdf
from tests.backend.command_line import backend, write_conditions, write_mesh
from tests.backend.robots.objects import arm, cabinet, gripper, pendulum, told

OBJECTS = {"arm": arm, "cabinet": cabinet, "gripper": gripper, "pendulum": pendulum}


def robot_of(name: str, fixed: bool = True) -> Robot:
    mesh, jointed = OBJECTS[name]()
    return Robot.of(name, mesh, jointed.with_base(fixed))


def poses(robot: Robot, q):
    """Of the links' frames, by name: (turn, place)."""
    moved = JointTransforms(robot.tree)(q)
    return {
        name: (moved[part][:, :3], moved[part][:, :3] @ robot.origin(part) + moved[part][:, 3])
        for part, name in enumerate(robot.links)
    }


def states(robot: Robot, count: int = 4):
    return np.random.default_rng(1).uniform(-0.5, 0.5, size=(count, len(robot.tree.coordinates)))


@pytest.mark.parametrize("name", OBJECTS)
def test_a_robot_comes_back_from_its_urdf(name: str, tmp_path: Path) -> None:
    robot = robot_of(name)
    write_robot(tmp_path / "robot.urdf", robot)
    mesh, jointed = read_urdf(tmp_path / "robot.urdf")
    assert list(jointed.tree.parts) == robot.links
    # A vertex that no face uses is in no file of a link.
    assert len(mesh.triangles) == len(robot.mesh.triangles)
    for part in range(len(robot.links)):
        ours, theirs = (
            each.vertices[owner == part] for each, owner in ((robot.mesh, robot.jointed.part), (mesh, jointed.part))
        )
        np.testing.assert_allclose(theirs, ours, atol=1e-8)
    for joint in robot.tree.joints:
        again = jointed.tree.joint_of(joint.child)
        endless = joint.kind == "revolute" and np.isinf([joint.lower, joint.upper]).all()
        kind = "continuous" if endless else joint.kind
        assert again is not None and again.parent == joint.parent and again.kind == kind
        assert again.name == robot.joints[joint.child]
        if joint.moves:
            np.testing.assert_allclose(again.axis, joint.axis, atol=1e-12)
            np.testing.assert_allclose(again.twist, joint.twist, atol=1e-12)
            limits = (again.lower, again.upper, again.friction, again.damping)
            wanted = (joint.lower, joint.upper, joint.friction, joint.damping)
            assert limits == pytest.approx(wanted, abs=1e-12)
    assert [(each.child, each.leader, each.ratio) for each in jointed.tree.mimics] == [
        (each.child, each.leader, each.ratio) for each in robot.tree.mimics
    ]
    for given, own in zip(jointed.inertias, robot.inertias, strict=True):
        assert given is not None and given.mass == pytest.approx(own.mass, rel=1e-12)
        np.testing.assert_allclose(given.centre, own.centre, atol=1e-12)
        np.testing.assert_allclose(given.tensor, own.tensor, atol=1e-12)


@pytest.mark.parametrize("name", OBJECTS)
def test_others_put_the_links_where_we_do(name: str, tmp_path: Path) -> None:
    robot = robot_of(name)
    for extension in ("urdf", "xml"):
        write_robot(tmp_path / f"robot.{extension}", robot)
    other = URDF.load(str(tmp_path / "robot.urdf"))  # with its meshes
    models = [mujoco.MjModel.from_xml_path(str(tmp_path / f"robot.{extension}")) for extension in ("urdf", "xml")]
    for q in states(robot):
        wanted = poses(robot, q)
        names = [robot.joints[joint.child] for joint in robot.tree.coordinates]
        other.update_cfg(dict(zip(names, q, strict=True)))
        for link, (turn, place) in wanted.items():
            pose = other.get_transform(link)
            np.testing.assert_allclose(pose[:3, :3], turn, atol=1e-12)
            np.testing.assert_allclose(pose[:3, 3], place, atol=1e-12)
        for model in models:
            data = mujoco.MjData(model)
            for joint, value in zip(robot.tree.moving, robot.tree.coupling @ q, strict=True):
                data.qpos[model.joint(robot.joints[joint.child]).qposadr[0]] = value
            mujoco.mj_kinematics(model, data)
            for link, (turn, place) in wanted.items():
                np.testing.assert_allclose(data.body(link).xmat.reshape(3, 3), turn, atol=1e-9)
                np.testing.assert_allclose(data.body(link).xpos, place, atol=1e-9)


def test_mujoco_has_the_masses_limits_friction_and_damping(tmp_path: Path) -> None:
    robot = robot_of("cabinet")
    write_robot(tmp_path / "cabinet.xml", robot)
    model = mujoco.MjModel.from_xml_path(str(tmp_path / "cabinet.xml"))
    for part, name in enumerate(robot.links):
        body, own = model.body(name), robot.inertias[part]
        assert body.mass[0] == pytest.approx(own.mass)
        np.testing.assert_allclose(body.ipos, own.centre - robot.origin(part), atol=1e-9)
        np.testing.assert_allclose(np.sort(body.inertia), np.linalg.eigvalsh(own.tensor), rtol=1e-6)
    hinge, rail = model.joint("hinge"), model.joint("rail")
    np.testing.assert_allclose([*hinge.range, *rail.range], [-1.6, 0.0, 0.0, 0.3])
    assert (hinge.damping[0], rail.damping[0]) == (0.01, 1.0)
    assert (model.dof_frictionloss[hinge.dofadr[0]], model.dof_frictionloss[rail.dofadr[0]]) == (0.05, 2.0)
    assert not model.joint("knob_turn").limited[0]


def test_a_free_base_floats_and_a_fixed_one_does_not(tmp_path: Path) -> None:
    for fixed, joints in ((True, 3), (False, 4)):
        write_robot(tmp_path / "cabinet.xml", robot_of("cabinet", fixed))
        model = mujoco.MjModel.from_xml_path(str(tmp_path / "cabinet.xml"))
        assert model.njnt == joints
        write_robot(tmp_path / "cabinet.urdf", robot_of("cabinet", fixed))
        assert read_urdf(tmp_path / "cabinet.urdf")[1].bolted is fixed


@pytest.mark.parametrize("extension", ["usda", "usdc"])
def test_usd_has_bodies_joints_and_masses(extension: str, tmp_path: Path) -> None:
    from pxr import Usd, UsdGeom, UsdPhysics

    robot = robot_of("cabinet")
    assert write_robot(tmp_path / f"cabinet.{extension}", robot) == []
    stage = Usd.Stage.Open(str(tmp_path / f"cabinet.{extension}"))
    root = stage.GetDefaultPrim()
    assert root.HasAPI(UsdPhysics.ArticulationRootAPI) and UsdGeom.GetStageUpAxis(stage) == "Z"
    for part, name in enumerate(robot.links):
        prim, own = stage.GetPrimAtPath(root.GetPath().AppendChild(name)), robot.inertias[part]
        assert prim.HasAPI(UsdPhysics.RigidBodyAPI)
        mass = UsdPhysics.MassAPI(prim)
        assert mass.GetMassAttr().Get() == pytest.approx(own.mass, rel=1e-6)
        w = mass.GetPrincipalAxesAttr().Get()
        x, y, z, real = *w.GetImaginary(), w.GetReal()
        turn = trimesh.transformations.quaternion_matrix([real, x, y, z])[:3, :3]
        tensor = turn @ np.diag(mass.GetDiagonalInertiaAttr().Get()) @ turn.T
        np.testing.assert_allclose(tensor, own.tensor, atol=1e-5 * np.abs(own.tensor).max())
        assert stage.GetPrimAtPath(prim.GetPath().AppendChild("collision")).HasAPI(UsdPhysics.CollisionAPI)
    joints = root.GetPath().AppendChild("Joints")
    hinge = UsdPhysics.RevoluteJoint.Get(stage, joints.AppendChild("hinge"))
    assert hinge.GetLowerLimitAttr().Get() == pytest.approx(np.degrees(-1.6), rel=1e-6)
    along = hinge.GetLocalRot0Attr().Get()
    assert tuple(along.Transform((1.0, 0.0, 0.0))) == pytest.approx((0.0, 0.0, 1.0), abs=1e-6)
    rail = UsdPhysics.PrismaticJoint.Get(stage, joints.AppendChild("rail"))
    assert rail.GetUpperLimitAttr().Get() == pytest.approx(0.3)
    assert UsdPhysics.DriveAPI.Get(rail.GetPrim(), "linear").GetDampingAttr().Get() == 1.0
    assert rail.GetPrim().GetAttribute("physxJoint:jointFriction").Get() == 2.0
    found = UsdPhysics.LoadUsdPhysicsFromRange(stage, [root.GetPath()])  # what engines make of it
    kinds = {kind: len(paths) for kind, (paths, _) in found.items()}
    assert kinds[UsdPhysics.ObjectType.RevoluteJoint] == 2 and kinds[UsdPhysics.ObjectType.PrismaticJoint] == 1
    assert kinds[UsdPhysics.ObjectType.FixedJoint] == 1 and kinds[UsdPhysics.ObjectType.RigidBody] == 4


def test_usd_says_that_it_knows_no_followers(tmp_path: Path) -> None:
    (note,) = write_robot(tmp_path / "gripper.usda", robot_of("gripper"))
    assert "right move by themselves" in str(note)


# --- reading what others write ---

ROBOT = """<?xml version="1.0"?>
<robot name="crane">
  <link name="world"/>
  <joint name="bolt" type="fixed"><parent link="world"/><child link="mast"/><origin xyz="0 0 1"/></joint>
  <link name="mast">
    <inertial><origin xyz="0 0 0.5" rpy="0 0 1.5707963267948966"/><mass value="4"/>
      <inertia ixx="1" ixy="0" ixz="0" iyy="2" iyz="0" izz="2.5"/></inertial>
    <visual><origin xyz="0 0 0.5"/><geometry><box size="0.1 0.1 1"/></geometry></visual>
    <collision><geometry><sphere radius="9"/></geometry></collision>
  </link>
  <joint name="boom turn" type="revolute"><parent link="mast"/><child link="boom"/>
    <origin xyz="0 0 1" rpy="0 0 1.5707963267948966"/><axis xyz="1 0 0"/>
    <limit lower="-1" upper="0.5" effort="1" velocity="1"/><dynamics damping="0.3" friction="0.2"/></joint>
  <link name="boom"><visual><geometry>
    <mesh filename="package://crane/meshes/boom.stl" scale="2 1 1"/></geometry></visual></link>
  <joint name="hook slide" type="prismatic"><parent link="boom"/><child link="hook"/>
    <origin xyz="1 0 0"/><axis xyz="0 0 1"/><limit lower="-0.5" upper="0" effort="1" velocity="1"/>
    <mimic joint="boom turn" multiplier="0.5" offset="-0.1"/></joint>
  <link name="hook"><collision><geometry><cylinder radius="0.05" length="0.2"/></geometry></collision></link>
</robot>
"""


@pytest.fixture
def crane(tmp_path: Path) -> Path:
    """A package as others lay it out."""
    folder = tmp_path / "crane"
    (folder / "meshes").mkdir(parents=True)
    (folder / "urdf").mkdir()
    box = trimesh.creation.box(extents=(0.5, 0.1, 0.1))
    (folder / "meshes" / "boom.stl").write_bytes(box.export(file_type="stl"))
    (folder / "urdf" / "crane.urdf").write_text(ROBOT)
    return folder / "urdf" / "crane.urdf"


def test_a_file_of_others_is_read_as_it_is_meant(crane: Path) -> None:
    mesh, jointed = read_urdf(crane)
    tree = jointed.tree
    assert tree.parts == ("mast", "boom", "hook") and jointed.bolted
    bolt, boom, hook = tree.joints
    assert (bolt.child, bolt.parent, bolt.kind) == (0, WORLD, "fixed")
    np.testing.assert_allclose(boom.axis, [0.0, 1.0, 0.0], atol=1e-12)  # the joint's frame is turned
    np.testing.assert_allclose(boom.origin, [0.0, 0.0, 2.0])
    assert (boom.lower, boom.upper, boom.friction, boom.damping, boom.name) == (-1.0, 0.5, 0.2, 0.3, "boom turn")
    # What follows is drawn at its offset, and its limits count from there.
    assert [(each.child, each.leader, each.ratio) for each in tree.mimics] == [(2, 1, 0.5)]
    np.testing.assert_allclose([hook.lower, hook.upper], [-0.4, 0.1])
    lows, highs = (
        np.array([end(mesh.vertices[jointed.part == part]) for part in range(3)])
        for end in (lambda points: points.min(axis=0), lambda points: points.max(axis=0))
    )
    np.testing.assert_allclose([lows[0], highs[0]], [[-0.05, -0.05, 1.0], [0.05, 0.05, 2.0]], atol=1e-9)
    np.testing.assert_allclose(
        [lows[1], highs[1]], [[-0.05, -0.5, 1.95], [0.05, 0.5, 2.05]], atol=1e-7
    )  # twice as long
    np.testing.assert_allclose(0.5 * (lows[2] + highs[2]), [0.0, 1.0, 1.9], atol=1e-9)
    mast, bare, _ = jointed.inertias
    assert mast is not None and mast.mass == 4.0 and bare is None
    np.testing.assert_allclose(mast.centre, [0.0, 0.0, 1.5])
    np.testing.assert_allclose(mast.tensor, np.diag([2.0, 1.0, 2.5]), atol=1e-12)
    assert mesh.slots.max() == 2  # a material slot for each link


def test_yourdfpy_agrees_where_the_vertices_go(crane: Path) -> None:
    """Every link's turned and moved frame, at values that others understand: followers with their offset."""
    jointed = read_urdf(crane)[1]
    other = URDF.load(str(crane), load_meshes=False)
    rest = {name: other.get_transform(name, "world").copy() for name in jointed.tree.parts}
    other.update_cfg({"boom turn": 0.4})
    for part, moved in enumerate(JointTransforms(jointed.tree)(np.array([0.4]))):
        name = jointed.tree.parts[part]
        want = other.get_transform(name, "world") @ np.linalg.inv(rest[name])
        np.testing.assert_allclose(moved, want[:3], atol=1e-12)


@pytest.mark.parametrize(
    ("old", "new", "code", "words"),
    [
        ("meshes/boom.stl", "meshes/bloom.stl", "missing_mesh", "'package://crane/meshes/bloom.stl' is not found"),
        ("package://crane", "https://example.org", "missing_mesh", "lies on the network"),
        ("boom.stl", "boom.dae", "unknown_format", "cannot be read"),
        ('child link="hook"', 'child link="hock"', "bad_joints", "'hock', which there is not"),
        ('type="prismatic"', 'type="planar"', "bad_joints", "'planar'"),
        ('parent link="mast"', 'parent link="hook"', "bad_joints", "hangs on itself"),
        ('mimic joint="boom turn"', 'mimic joint="hook slide"', "bad_joints", "does not move by itself"),
        ('axis xyz="0 0 1"', 'axis xyz="0 0 0"', "bad_joints", "axis of no length"),
        ('lower="-1" upper="0.5"', 'lower="1" upper="0.5"', "bad_joints", "limits 1 to 0.5"),
        ("<robot", "<rowboat", "broken_file", "not a complete .urdf"),
        ("</robot>", "", "broken_file", "not a complete .urdf"),
        ('mass value="4"', 'mass value="four"', "broken_file", "not a complete .urdf"),
    ],
)
def test_what_is_wrong_with_a_file_is_said(crane: Path, old: str, new: str, code: str, words: str) -> None:
    text = ROBOT.replace(old, new).replace("</rowboat>", "</robot>")
    if new.startswith("<rowboat"):
        text = text.replace("</robot>", "</rowboat>")
    crane.write_text(text)
    (crane.parents[1] / "meshes" / "boom.dae").write_text("nothing")
    with pytest.raises(UserError) as refusal:
        read_urdf(crane)
    assert refusal.value.code == code and words in refusal.value.message and refusal.value.remedy


def test_a_floating_joint_leaves_a_robot_free(crane: Path) -> None:
    crane.write_text(ROBOT.replace('name="bolt" type="fixed"', 'name="bolt" type="floating"'))
    jointed = read_urdf(crane)[1]
    assert not jointed.bolted and jointed.tree.parts == ("mast", "boom", "hook")


def test_files_of_joints_are_read_with_their_meshes(tmp_path: Path) -> None:
    mesh, jointed = cabinet()
    value = told(jointed)
    for number, part in enumerate(value["parts"]):
        faces = mesh.triangles[jointed.part[mesh.triangles[:, 0]] == number]
        del part["vertices"]
        part["mesh"] = f"{part['name']}.obj"
        write_mesh(tmp_path / part["mesh"], (mesh.vertices[jointed.part == number], faces - faces.min()))
    (tmp_path / "joints.json").write_text(json.dumps(value))
    again, read = read_jointed(tmp_path / "joints.json")
    np.testing.assert_allclose(again.vertices, mesh.vertices, atol=1e-9)
    np.testing.assert_array_equal(read.part, jointed.part)
    assert len(read.tree.coordinates) == 3
    # The joints of a mesh that is drawn as one: each vertex belongs to the part that lies there.
    order = np.random.default_rng(0).permutation(len(mesh.vertices))
    write_mesh(tmp_path / "whole.obj", (mesh.vertices[order], np.argsort(order)[mesh.triangles]))
    conditions = write_conditions(tmp_path / "c.json", joints="joints.json", frames=3)
    done = backend("simulate", tmp_path / "whole.obj", "--conditions", conditions, "-o", tmp_path / "out.npz")
    assert done.returncode == 0, done.stderr
    with np.load(tmp_path / "out.npz") as out:
        assert str(out["provider"]) == "articulated"
        np.testing.assert_array_equal(out["weights"].argmax(axis=1), jointed.part[order])


def test_the_command_line_analyses_simulates_and_converts(crane: Path, tmp_path: Path) -> None:
    done = backend("analyze", crane, "--json")
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["provider"] == "articulated" and found["mass"] > 4.0
    assert [joint["name"] for joint in found["joints"]] == ["bolt", "boom turn", "hook slide"]
    assert found["joints"][2]["follows"] == "boom turn"
    conditions = write_conditions(tmp_path / "c.json", frames=12)
    first, second = tmp_path / "first.npz", tmp_path / "second.npz"
    for out in (first, second, tmp_path / "out.glb"):
        done = backend("simulate", crane, "--conditions", conditions, "-o", out)
        assert done.returncode == 0, done.stderr
    with np.load(first) as one, np.load(second) as other:
        np.testing.assert_array_equal(one["vertices"], other["vertices"])
        assert one["q"].shape == (12, 1) and abs(one["q"][-1, 0]) > 0.01
    for extension in ("urdf", "xml", "usda"):
        done = backend("convert", crane, "-o", tmp_path / f"again.{extension}")
        assert done.returncode == 0 and "3 links, 1 joints" in done.stdout, done.stderr
    assert read_urdf(tmp_path / "again.urdf")[1].tree.parts == ("mast", "boom", "hook")
    refused = backend("convert", crane, "-o", tmp_path / "again.blend")
    assert refused.returncode == 2 and ".urdf" in refused.stderr
