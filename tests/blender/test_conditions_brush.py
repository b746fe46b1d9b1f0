"""The brush for pins: what it touches, what it leaves; working it needs a window."""

import time

import bpy
import numpy as np
import pytest
from mathutils import Matrix, Vector

from tests.blender.helpers import add_ball

WIDTH, HEIGHT = 800, 600


def camera(eye, target=(0, 0, 0), perspective=True):
    """A view from `eye` to `target` of 60 degrees, or 6 m wide."""
    from neurok_blender.scene.brush_view import Camera

    look = (Vector(target) - Vector(eye)).to_track_quat("-Z", "Y")
    view = Matrix.LocRotScale(Vector(eye), look, None).inverted()
    aspect, near, far = WIDTH / HEIGHT, 0.01, 1000.0
    if perspective:
        f = 1.0 / np.tan(np.radians(30.0))
        window = [[f, 0, 0, 0], [0, f * aspect, 0, 0]]
        window += [[0, 0, -(far + near) / (far - near), -2 * far * near / (far - near)], [0, 0, -1, 0]]
    else:
        window = [[1 / 3, 0, 0, 0], [0, aspect / 3, 0, 0], [0, 0, -2 / (far - near), 0], [0, 0, 0, 1]]
    projection = np.array(window, dtype=np.float64) @ np.array(view)
    return Camera(projection, np.array(view, dtype=np.float64), perspective, WIDTH, HEIGHT)


def view_of(obj, seen_by):
    from neurok_blender.scene.brush_view import BrushSurface, BrushView

    return BrushView(BrushSurface.of(bpy.context, obj), seen_by)


MIDDLE = (WIDTH / 2, HEIGHT / 2)


@pytest.mark.parametrize("perspective", [True, False])
@pytest.mark.parametrize("scale", [(1, 1, 1), (-1, 1, 1), (1, 2, 0.5)])
def test_a_brush_over_everything_touches_what_faces_the_viewer(scene, perspective, scale):
    ball = add_ball(scale=scale)
    eye = Vector((0, -6, 0))
    found = set(view_of(ball, camera(eye, perspective=perspective)).touched(MIDDLE, MIDDLE, 1000.0).tolist())
    faces = set()
    for vertex in ball.data.vertices:
        outward = ball.matrix_world.to_3x3().inverted().transposed() @ vertex.normal
        place = ball.matrix_world @ vertex.co
        toward = (eye - place).normalized() if perspective else Vector((0, -1, 0))
        if outward.normalized().dot(toward) > 1e-4:
            faces.add(vertex.index)
        elif outward.normalized().dot(toward) > -1e-4:
            found.discard(vertex.index)  # at the very rim either is right
    assert found == faces and 0 < len(found) < len(ball.data.vertices)


def test_a_small_brush_touches_what_is_under_it(scene):
    ball = add_ball()
    view = view_of(ball, camera((0, -6, 0)))
    for vertex in (v for v in ball.data.vertices if v.co.y < -0.5):
        depth = vertex.co.y + 6.0
        unit = 0.5 * WIDTH / np.tan(np.radians(30.0)) / depth
        pixel = (MIDDLE[0] + vertex.co.x * unit, MIDDLE[1] + vertex.co.z * unit)
        assert view.touched(pixel, pixel, 3.0).tolist() == [vertex.index]
    assert len(view.touched((5, 5), (5, 5), 3.0)) == 0


def test_a_stroke_touches_what_lies_between_two_moves(scene):
    bpy.ops.mesh.primitive_uv_sphere_add(segments=64, ring_count=33)
    view = view_of(bpy.context.active_object, camera((0, -6, 0)))
    left, right = (MIDDLE[0] - 100, MIDDLE[1]), (MIDDLE[0] + 100, MIDDLE[1])
    stroke = set(view.touched(left, right, 20.0).tolist())
    ends = set(view.touched(left, left, 20.0).tolist()) | set(view.touched(right, right, 20.0).tolist())
    middle = set(view.touched(MIDDLE, MIDDLE, 20.0).tolist())
    assert middle and middle.isdisjoint(ends) and (ends | middle) < stroke


def test_another_part_behind_the_first_is_left_alone(scene):
    bpy.ops.mesh.primitive_grid_add(x_subdivisions=20, y_subdivisions=20, size=3, location=(0, 3, 0))
    behind = bpy.context.active_object
    behind.rotation_euler = (np.pi / 2, 0, 0)
    bpy.ops.mesh.primitive_cube_add(size=1)
    behind.select_set(True)
    bpy.ops.object.join()
    both = bpy.context.active_object
    bpy.context.view_layer.update()
    view = view_of(both, camera((0, -4, 0), perspective=False))
    # The cube has no vertex under the brush, and the sheet behind it has.
    assert len(view.touched(MIDDLE, MIDDLE, 30.0)) == 0
    beside = (MIDDLE[0] + 120, MIDDLE[1])
    assert len(view.touched(beside, beside, 30.0)) > 0


def test_a_sheet_is_painted_from_either_side(scene):
    bpy.ops.mesh.primitive_grid_add(x_subdivisions=10, y_subdivisions=10, size=2)
    sheet = bpy.context.active_object
    for height in (5, -5):
        found = view_of(sheet, camera((0, 0, height))).touched(MIDDLE, MIDDLE, 1000.0)
        assert len(found) == len(sheet.data.vertices)


def test_under_modifiers_that_make_vertices_the_base_mesh_is_painted(scene):
    ball = add_ball()
    plain = view_of(ball, camera((0, -5, 0))).touched(MIDDLE, MIDDLE, 1000.0)
    ball.modifiers.new("Smooth", "SUBSURF").levels = 2
    bpy.context.view_layer.update()
    painted = view_of(ball, camera((0, -5, 0))).touched(MIDDLE, MIDDLE, 1000.0)
    assert len(painted) > 3
    np.testing.assert_array_equal(painted, plain)


def test_the_brush_keeps_up_with_the_mouse_on_200000_vertices(scene):
    from neurok_blender.scene.brush_view import BrushSurface, BrushView

    bpy.ops.mesh.primitive_grid_add(x_subdivisions=446, y_subdivisions=446, size=2, rotation=(1.2, 0, 0))
    sheet = bpy.context.active_object
    assert len(sheet.data.vertices) > 199_000
    surface = BrushSurface.of(bpy.context, sheet)
    seconds = {"view": [], "touch": [], "lengths": []}

    def timed(name, function, *arguments):
        begun = time.process_time()
        result = function(*arguments)
        seconds[name].append(time.process_time() - begun)
        return result

    for step in range(5):
        view = timed("view", BrushView, surface, camera((0, -6, 0.1 * step)))
        assert len(timed("touch", view.touched, MIDDLE, (MIDDLE[0] + 30, MIDDLE[1]), 40.0)) > 100
        timed("lengths", np.linalg.norm, surface.positions, None, 1)
    quickest = {name: min(each) for name, each in seconds.items()}
    assert quickest["view"] < 50.0 * quickest["lengths"], quickest
    assert quickest["touch"] < 25.0 * quickest["lengths"], quickest


def painted(ball, condition) -> list[int]:
    from neurok_blender.scene.painted_group import painted_vertices
    from neurok_blender.scene.pinned_vertices import finished

    return np.flatnonzero(finished(painted_vertices(ball, condition))).tolist()


def paint(ball, condition, vertices):
    from neurok_blender.scene.painted_group import write_painted

    mask = np.zeros(len(ball.data.vertices), dtype=bool)
    mask[vertices] = True
    write_painted(ball, condition, mask)


def test_what_is_painted_is_a_group_of_its_own_that_goes_with_the_pin(scene):
    ball = add_ball()
    ball.vertex_groups.new(name="Mine").add([0], 1.0, "REPLACE")
    bpy.ops.neurok.condition_add(kind="PIN")
    pin = ball.neurok.conditions[0]
    paint(ball, pin, [3, 5, 8])
    assert [group.name for group in ball.vertex_groups] == ["Mine", "Pin"]
    assert ball.vertex_groups.active.name == "Mine"
    assert (pin.pin_source, painted(ball, pin)) == ("PAINTED", [3, 5, 8])
    paint(ball, pin, [5, 9])
    assert painted(ball, pin) == [5, 9] and len(ball.vertex_groups) == 2

    bpy.ops.neurok.condition_duplicate()
    copied = ball.neurok.conditions[1]
    paint(ball, copied, [1])
    assert painted(ball, ball.neurok.conditions[0]) == [5, 9] and painted(ball, copied) == [1]

    for _number in range(2):
        bpy.ops.neurok.condition_remove()
    assert [group.name for group in ball.vertex_groups] == ["Mine"]


def test_a_group_that_something_else_uses_stays(scene):
    ball = add_ball()
    bpy.ops.neurok.condition_add(kind="PIN")
    paint(ball, ball.neurok.conditions[0], [3])
    ball.neurok.anchor, ball.neurok.anchor_group = "GROUP", "Pin"
    bpy.ops.neurok.condition_remove()
    assert "Pin" in ball.vertex_groups
