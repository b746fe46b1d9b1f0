"""Joints of an object, as an artist finds and corrects them: stored in the .blend, obeyed by what is simulated."""

import json

import bmesh
import bpy
import numpy as np
import pytest

from tests.blender.helpers import settle, shown, stored, wait_until


def add_box(low, high) -> tuple[list, list]:
    corners = [(x, y, z) for x in (low[0], high[0]) for y in (low[1], high[1]) for z in (low[2], high[2])]
    faces = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    return corners, faces


def add_cupboard() -> bpy.types.Object:
    """An open box of five boards and a door before it, whose hinges are nowhere drawn; loose parts of one material."""
    boards = [
        add_box((-0.5, 0.0, 0.0), (0.5, 0.4, 0.03)),
        add_box((-0.5, 0.0, 0.97), (0.5, 0.4, 1.0)),
        add_box((-0.5, 0.0, 0.03), (-0.47, 0.4, 0.97)),
        add_box((0.47, 0.0, 0.03), (0.5, 0.4, 0.97)),
        add_box((-0.47, 0.37, 0.03), (0.47, 0.4, 0.97)),
        add_box((-0.5, -0.03, 0.0), (0.5, -0.001, 1.0)),
    ]
    vertices, faces = [], []
    for corners, quads in boards:
        faces += [tuple(corner + len(vertices) for corner in quad) for quad in quads]
        vertices += corners
    mesh = bpy.data.meshes.new("Cupboard")
    mesh.from_pydata(vertices, [], faces)
    cupboard = bpy.data.objects.new("Cupboard", mesh)
    bpy.context.collection.objects.link(cupboard)
    bpy.context.view_layer.objects.active = cupboard
    cupboard.select_set(True)
    for name, chosen in (("Body", range(40)), ("Door", range(40, 48))):
        cupboard.vertex_groups.new(name=name).add(list(chosen), 1.0, "REPLACE")
    bpy.context.view_layer.update()
    return cupboard


@pytest.fixture
def cupboard(scene):
    return add_cupboard()


@pytest.fixture
def jointed(cupboard):
    cupboard.neurok.joint_source = "GROUPS"
    assert bpy.ops.neurok.joints_find() == {"FINISHED"}
    return cupboard


def refusal(operator) -> str:
    with pytest.raises(RuntimeError) as refused:
        operator()
    return str(refused.value)


def test_the_door_of_a_cupboard_is_found(jointed):
    settings = jointed.neurok
    assert [joint.name for joint in settings.joints] == ["Body", "Door"]
    body, door = settings.joints
    assert body.parent == -1 and door.parent == 0 and door.parent_name == "Body"
    assert settings.provider == "ARTICULATED" and settings.active_joint == 1
    assert door.kind == "HINGE" and max(abs(value) for value in door.axis) > 0.999
    assert door.upper_angle - door.lower_angle > 1.0
    assert json.loads(door.alternatives)
    parts = np.empty(len(jointed.data.polygons), np.int32)
    jointed.data.attributes[".neurok_part"].data.foreach_get("value", parts)
    assert parts.tolist() == [0] * 30 + [1] * 6


def test_loose_parts_and_refusals(cupboard):
    cupboard.neurok.joint_source = "MATERIALS"
    assert "has no two materials" in refusal(bpy.ops.neurok.joints_find)
    assert not len(cupboard.neurok.joints)
    cupboard.neurok.joint_source = "LOOSE"
    assert bpy.ops.neurok.joints_find() == {"FINISHED"}
    assert len(cupboard.neurok.joints) == 6
    cupboard.vertex_groups.clear()
    cupboard.neurok.joint_source = "GROUPS"
    assert "has no vertex groups" in refusal(bpy.ops.neurok.joints_find)
    assert len(cupboard.neurok.joints) == 6
    assert bpy.ops.neurok.joints_clear() == {"FINISHED"}
    assert not len(cupboard.neurok.joints) and cupboard.neurok.provider == "AUTO"
    assert ".neurok_part" not in cupboard.data.attributes


def test_joints_are_found_where_the_object_stands_and_stay_with_it(cupboard):
    """A turned, scaled, moved object has the same joints in its own frame."""
    from neurok_blender.scene.joint_tree import joints_of

    cupboard.neurok.joint_source = "GROUPS"
    cupboard.location, cupboard.rotation_euler, cupboard.scale = (3.0, -1.0, 0.5), (0.0, 0.0, 0.7), (2.0, 2.0, 2.0)
    bpy.context.view_layer.update()
    assert bpy.ops.neurok.joints_find() == {"FINISHED"}
    door = cupboard.neurok.joints[1]
    assert abs(abs(door.axis[2]) - 1.0) < 1e-5 or abs(abs(door.axis[0]) - 1.0) < 1e-5
    assert -0.6 < door.origin[0] < 0.6 and -0.1 < door.origin[1] < 0.1
    told = joints_of(cupboard, cupboard.matrix_world).tree["joints"][0]
    assert np.allclose(told["origin"], cupboard.matrix_world @ door.origin, atol=1e-6)


def test_what_is_simulated_obeys_the_joint(jointed, scene):
    """A poke at the door: it turns about its axis, and the body stays where it is."""
    door = jointed.neurok.joints[1]
    door.kind, door.axis, door.origin = "HINGE", (0.0, 0.0, 1.0), (-0.5, -0.03, 0.5)
    door.lower_angle, door.upper_angle = -2.0, 0.0
    poke = jointed.neurok.conditions.add()
    poke.kind, poke.location, poke.vector, poke.radius = "POKE", (0.4, -0.03, 0.5), (0.0, -1.0, 0.0), 0.1
    before = stored(jointed.data)
    scene.neurok.frame_count = 12
    assert bpy.ops.neurok.simulate() == {"FINISHED"}
    scene.frame_set(12)
    now = stored(jointed.data)
    assert np.abs(now[:40] - before[:40]).max() < 1e-4
    moved = now[40:] - before[40:]
    assert np.abs(moved[:, 2]).max() < 1e-4 and np.abs(moved[:, 1]).max() > 0.02
    radius = np.hypot(*(now[40:, :2] - (-0.5, -0.03)).T)
    assert np.allclose(radius, np.hypot(*(before[40:, :2] - (-0.5, -0.03)).T), atol=1e-4)
    assert json.loads(jointed.neurok.found)["provider"] == "articulated"
    jointed.vertex_groups.clear()  # their names are those of the parts
    assert bpy.ops.neurok.bake(kind="ARMATURE") == {"FINISHED"}
    rig = next(obj for obj in bpy.data.objects if obj.type == "ARMATURE")
    assert sorted(bone.name for bone in rig.data.bones) == ["Body", "Door"]
    scene.frame_set(12)
    assert np.abs(shown(jointed) - now).max() < 1e-3


def test_a_joint_that_is_switched_off_stays_where_it_is(jointed, scene):
    from neurok_blender.scene.conditions import conditions_of

    door = jointed.neurok.joints[1]
    made = conditions_of(scene, jointed)
    assert made["provider"] == "articulated" and made["joints"]["joints"][0]["type"] == "revolute"
    door.enabled = False
    assert "has no joints that move" in refusal(bpy.ops.neurok.simulate)
    jointed.neurok.provider = "AUTO"
    assert conditions_of(scene, jointed)["provider"] == "auto"
    door.enabled = True
    assert conditions_of(scene, jointed)["provider"] == "articulated"


def test_the_next_way_comes_round_again(jointed):
    door = jointed.neurok.joints[1]
    count = len(json.loads(door.alternatives))

    def way():
        return door.kind, tuple(round(value, 4) for value in (*door.axis, *door.origin))

    first, seen = way(), []
    for _ in range(count + 1):
        assert bpy.ops.neurok.joint_next() == {"FINISHED"}
        seen.append(way())
    assert seen[-1] == first and len(set(seen)) == count + 1


def test_faces_are_assigned_in_edit_mode(jointed):
    settings = jointed.neurok
    assert not bpy.ops.neurok.joint_assign.poll()
    bpy.ops.object.mode_set(mode="EDIT")
    edited = bmesh.from_edit_mesh(jointed.data)
    edited.faces.ensure_lookup_table()
    for face in edited.faces:
        face.select_set(face.index in range(24, 30))  # the back
    bmesh.update_edit_mesh(jointed.data)
    settings.active_joint = 1
    assert bpy.ops.neurok.joint_assign() == {"FINISHED"}
    layer = edited.faces.layers.int[".neurok_part"]
    assert [face[layer] for face in edited.faces] == [0] * 24 + [1] * 12
    settings.active_joint = 0
    assert bpy.ops.neurok.joint_add() == {"FINISHED"}
    assert len(settings.joints) == 3 and settings.joints[2].parent == 0 and settings.active_joint == 2
    settings.active_joint = 1
    assert bpy.ops.neurok.joint_select() == {"FINISHED"}
    edited = bmesh.from_edit_mesh(jointed.data)
    assert [face.index for face in edited.faces if face.select] == list(range(30, 36))
    bpy.ops.object.mode_set(mode="OBJECT")
    parts = np.empty(36, np.int32)
    jointed.data.attributes[".neurok_part"].data.foreach_get("value", parts)
    assert parts.tolist() == [0] * 24 + [2] * 6 + [1] * 6
    settings.active_joint = 1
    assert bpy.ops.neurok.joint_remove() == {"FINISHED"}
    assert [joint.name for joint in settings.joints] == ["Body", "Part 2"]
    jointed.data.attributes[".neurok_part"].data.foreach_get("value", parts)
    assert parts.tolist() == [0] * 24 + [1] * 6 + [0] * 6


def test_nothing_hangs_on_itself(jointed):
    body, door = jointed.neurok.joints
    body.parent_name = "Door"
    assert body.parent == -1
    door.parent_name = "Door"
    assert door.parent == 0
    door.parent_name = ""
    assert door.parent == -1 and not door.moves


def test_joints_are_in_the_file(jointed, scene, tmp_path):
    door = jointed.neurok.joints[1]
    kept = door.kind, tuple(door.axis), tuple(door.origin), door.lower_angle, door.upper_angle, door.alternatives
    path = tmp_path / "cupboard.blend"
    bpy.ops.wm.save_as_mainfile(filepath=str(path))
    bpy.ops.wm.read_homefile(use_empty=True)
    bpy.ops.wm.open_mainfile(filepath=str(path))
    door = bpy.data.objects["Cupboard"].neurok.joints[1]
    assert (
        door.kind,
        tuple(door.axis),
        tuple(door.origin),
        door.lower_angle,
        door.upper_angle,
        door.alternatives,
    ) == kept
    assert ".neurok_part" in bpy.data.objects["Cupboard"].data.attributes


def test_the_tree_is_listed_from_the_base_down(scene):
    from neurok_blender.scene.joint_parts import part_subtree, tree_order

    bpy.ops.mesh.primitive_cube_add()
    joints = bpy.context.active_object.neurok.joints
    for parent in (2, 0, -1, 2):
        joints.add().parent = parent
    assert tree_order(joints) == [(2, 0), (0, 1), (1, 2), (3, 1)]
    assert sorted(part_subtree(joints, 0)) == [0, 1] and sorted(part_subtree(joints, 2)) == [0, 1, 2, 3]


@pytest.mark.parametrize("ending", [".urdf", ".xml", ".usda"])
def test_joints_are_exported(jointed, tmp_path, ending):
    path = tmp_path / f"cupboard{ending}"
    assert bpy.ops.neurok.robot_write(filepath=str(path)) == {"FINISHED"}
    text = path.read_text()
    assert "Door" in text and "Body" in text


def test_a_robot_goes_out_and_comes_in_again(jointed, tmp_path):
    from neurok_blender.scene.joint_parts import face_parts

    path = tmp_path / "cupboard.urdf"
    before = jointed.neurok.joints[1]
    kept = before.kind, list(before.axis), before.lower_angle, before.upper_angle
    count = len(jointed.data.polygons)
    assert bpy.ops.neurok.robot_write(filepath=str(path)) == {"FINISHED"}
    assert bpy.ops.neurok.robot_read(filepath=str(path)) == {"FINISHED"}
    robot = bpy.context.active_object
    assert robot != jointed and robot.neurok.provider == "ARTICULATED"
    assert [joint.name for joint in robot.neurok.joints] == ["Body", "Door"]
    after = robot.neurok.joints[1]
    assert after.kind == kept[0] and after.parent == 0
    assert np.allclose(list(after.axis), kept[1], atol=1e-6)
    assert np.allclose((after.lower_angle, after.upper_angle), kept[2:], atol=1e-6)
    assert np.bincount(face_parts(robot.data)).tolist() == [60, 12] and count == 36  # two triangles of each face
    assert "There is no file" in refusal(lambda: bpy.ops.neurok.robot_read(filepath=str(tmp_path / "none.urdf")))


def test_a_drawer_that_was_cut_wrongly_is_put_together_and_found_anew(scene):
    """The sample cabinet: the door is found at once; the drawer once its front is given back to it."""
    bpy.ops.neurok.sample_add(kind="CABINET")
    cabinet = bpy.context.active_object
    settings = cabinet.neurok
    assert bpy.ops.neurok.joints_find() == {"FINISHED"}
    doors = [joint for joint in settings.joints if joint.kind == "HINGE" and abs(joint.axis[2]) > 0.99]
    assert len(doors) == 1 and abs(doors[0].origin[0] + 0.209) < 2e-3  # hinged on the left, where no handle is
    attribute = cabinet.data.attributes[".neurok_part"]
    middles = np.array([face.center for face in cabinet.data.polygons])

    def part_at(*place) -> int:
        return attribute.data[int(np.linalg.norm(middles - place, axis=1).argmin())].value

    parts = np.empty(len(cabinet.data.polygons), np.int32)
    attribute.data.foreach_get("value", parts)
    tray, body = part_at(0.0, 0.16, 0.66), part_at(0.0, 0.17, 0.17)
    # All before the body and above the door belongs to the tray behind it, and the top to the body.
    parts[(middles[:, 1] < -0.001) & (middles[:, 2] > 0.625) & (middles[:, 2] < 0.7795)] = tray
    parts[middles[:, 2] > 0.781] = body
    attribute.data.foreach_set("value", parts)
    for number in reversed(range(len(settings.joints))):
        if not (parts == number).any():
            settings.active_joint = number
            assert bpy.ops.neurok.joint_remove() == {"FINISHED"}
            attribute.data.foreach_get("value", parts)
    tray = part_at(0.0, 0.16, 0.66)
    settings.joint_source = "LISTED"
    name = settings.joints[tray].name
    assert bpy.ops.neurok.joints_find() == {"FINISHED"}
    drawer = settings.joints[name]
    assert drawer.kind == "SLIDE" and abs(drawer.axis[1]) > 0.999
    assert max(-drawer.lower_distance, drawer.upper_distance) > 0.15


def test_a_slider_has_the_name_of_its_joint_and_opens_the_door(jointed):
    from neurok_blender.session.pose_session import Pose

    door = jointed.neurok.joints[1]
    door.kind, door.axis, door.origin = "HINGE", (0.0, 0.0, 1.0), (-0.5, -0.03, 0.5)
    door.lower_angle, door.upper_angle = -1.5, 0.0
    before = stored(jointed.data)
    pose = Pose(bpy.context, jointed)
    assert wait_until(lambda: (pose.tick(), pose.is_ready)[1], 30.0), pose.interactive.message
    settle(pose)
    (slider,) = jointed.neurok.coordinates
    assert slider.name == "Door" and slider.kind == "TURN"
    assert slider.lower == pytest.approx(-1.5, abs=1e-5)
    slider.angle = -9.0  # it ends at its end
    assert slider.value == -1.0 and slider.angle == pytest.approx(-1.5, abs=1e-5)
    settle(pose)
    now = stored(jointed.data)
    assert np.abs(now[:40] - before[:40]).max() < 1e-5
    x, y = (before[40:, :2] - (-0.5, -0.03)).T
    turned = np.stack([np.cos(1.5) * x + np.sin(1.5) * y, np.cos(1.5) * y - np.sin(1.5) * x], axis=1)
    assert np.abs(now[40:, :2] - (-0.5, -0.03) - turned).max() < 1e-4
    pose.end()
    assert stored(jointed.data).tobytes() == before.tobytes()


def test_a_search_that_is_cancelled_leaves_everything_as_it_was(cupboard):
    from neurok_blender.scene.mesh_io import look_at
    from neurok_blender.session.one_shot_request import OneShotRequest
    from neurok_blender.session.simulation import Outcome
    from neurok_blender.session.state import session

    shape = look_at(bpy.context, cupboard)
    arrays = {"vertices": shape.world, "triangles": shape.triangles}
    taken = []
    one_shot = OneShotRequest(
        {"type": "joints", "parts": "auto"}, arrays, lambda told, _found: taken.append(told) or ""
    )
    assert session.is_busy and not bpy.ops.neurok.joints_find.poll() and not bpy.ops.neurok.simulate.poll()
    assert wait_until(lambda: one_shot.tick().stage in ("finding parts", "finding joints", "importing"), 30.0)
    one_shot.cancel()
    assert wait_until(lambda: one_shot.tick().outcome is not Outcome.RUNNING, 5.0)
    assert one_shot.progress.outcome is Outcome.CANCELLED and not session.is_busy and not taken
    cupboard.neurok.joint_source = "GROUPS"
    assert bpy.ops.neurok.joints_find() == {"FINISHED"}  # and the next one works


def test_the_panel_knows_at_once_that_a_joint_has_changed(jointed):
    """What was found of an object with other joints is found anew."""
    from neurok_blender import api

    assert api.analyse(jointed)["provider"] == "articulated"
    jointed.neurok.joints[1].parent_name = ""
    jointed.neurok.provider = "AUTO"
    assert api.analyse(jointed)["provider"] != "articulated"
    jointed.neurok.joints[1].parent_name = "Body"
    found = api.analyse(jointed)
    assert found["provider"] == "articulated" and found["joints"][0]["name"] == "Door"


def test_the_command_line_reads_what_blender_says_of_joints(jointed, scene):
    """The conditions are those that files have."""
    from backend.dynamics.conditions import read_conditions
    from backend.engine import analyze, prepare
    from neurok_blender.scene.conditions import conditions_of
    from neurok_blender.scene.mesh_io import look_at

    shape, conditions = look_at(bpy.context, jointed), conditions_of(scene, jointed)
    conditions["frames"] = 3
    assert json.loads(json.dumps(conditions)) == conditions
    read = read_conditions(conditions)
    take = prepare([analyze(shape.world, shape.triangles, "articulated", joints=read.joints)], [conditions])
    assert take.members[0].summary["degrees_of_freedom"] == 1 and take.members[0].motion.weights.shape == (48, 2)


def test_a_take_stays_while_joints_are_found(jointed, scene):
    """The joints are those of the object as it is drawn."""
    door = jointed.neurok.joints[1]
    first = tuple(door.axis), tuple(door.origin)
    jointed.neurok.anchor = "NONE"
    scene.neurok.frame_count, drawn = 6, stored(jointed.data).tobytes()
    assert bpy.ops.neurok.simulate() == {"FINISHED"}
    scene.frame_set(6)
    fallen = stored(jointed.data).tobytes()
    assert fallen != drawn
    assert bpy.ops.neurok.joints_find() == {"FINISHED"}
    assert stored(jointed.data).tobytes() == fallen
    door = jointed.neurok.joints[1]
    assert (tuple(door.axis), tuple(door.origin)) == first


def test_joints_that_nobody_has_looked_for_are_found_when_they_are_needed(scene):
    """Moves As: Joints, with an empty list. Nothing is stored on the object, and the panel says what it is."""
    from neurok_blender.operators.finding_operator import found_lines
    from tests.backend.joint_search.furniture import trolley

    shape, label = trolley()
    mesh = bpy.data.meshes.new("Trolley")
    mesh.from_pydata(shape.vertices.tolist(), [], shape.triangles.tolist())
    cart = bpy.data.objects.new("Trolley", mesh)
    bpy.context.collection.objects.link(cart)
    bpy.context.view_layer.objects.active = cart
    cart.select_set(True)
    cart.neurok.provider = "ARTICULATED"
    wheel = np.unique(shape.triangles[label == 1])
    others = np.setdiff1d(np.arange(len(shape.vertices)), wheel)
    poke = cart.neurok.conditions.add()
    poke.kind, poke.location, poke.vector, poke.radius = "POKE", (0.12, -0.035, 0.17), (1.0, 0.0, 0.0), 0.05
    before = stored(cart.data)
    scene.neurok.frame_count = 8
    assert bpy.ops.neurok.simulate() == {"FINISHED"}
    scene.frame_set(8)
    moved = np.abs(stored(cart.data) - before).max(axis=1)
    # It is held where it stands, on its wheels, which give way a little.
    assert moved[wheel].min() > 0.01 and moved[others].max() < 0.2 * moved[wheel].min()
    summary = json.loads(cart.neurok.found)
    assert summary["provider"] == "articulated" and found_lines(summary)[0].startswith("Joints, ")
    assert not len(cart.neurok.joints) and ".neurok_part" not in cart.data.attributes
    assert bpy.ops.neurok.bake(kind="ARMATURE") == {"FINISHED"}
    scene.frame_set(8)
    assert np.abs(np.abs(shown(cart) - before).max(axis=1) - moved).max() < 1e-3
