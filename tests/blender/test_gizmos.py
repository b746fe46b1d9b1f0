"""What dragging a handle sets, and which handles there are; the mouse is played, the arithmetic is the add-on's own."""

import math
from types import FunctionType, SimpleNamespace

import bpy
import numpy as np
import pytest
from mathutils import Vector

from tests.blender.helpers import add_ball
from tests.blender.test_arrows import add_child_ball
from tests.blender.views import make_view

CORNER = (1.1, 0.0, 0.8)
OBJECTS = [add_ball, add_child_ball]


@pytest.fixture(params=["ORTHO", "PERSP"])
def view(request, addon):
    return make_view(request.param, CORNER)


def loose(handle: type, **state):
    """The handle's own functions on an object that needs no window."""
    functions = {name: value for name, value in vars(handle).items() if isinstance(value, FunctionType)}
    made = type(handle.__name__, (), functions)()
    for name, value in state.items():
        setattr(made, name, value)
    return made


def play_drag(handle, view, obj, condition, ways: list[Vector], precise: bool = False, snap: bool = False) -> str:
    """Takes hold at the first pixel and goes along the others; returns what the header says last."""
    from neurok_blender.gizmos.mouse_drag import MouseDrag

    context = SimpleNamespace(
        scene=bpy.context.scene,
        evaluated_depsgraph_get=bpy.context.evaluated_depsgraph_get,
        view_layer=bpy.context.view_layer,
    )
    handle.grab(context, view, obj, condition, ways[0])
    drag = MouseDrag(ways[0])
    text = ""
    for mouse in ways[1:]:
        text = handle.drag(context, view, obj, condition, drag.move(mouse, precise, snap))
    return text


def make(add, kind: str):
    obj = add()
    bpy.ops.neurok.condition_add(kind=kind)
    return obj, obj.neurok.conditions[0]


# --- dragging ---


@pytest.mark.parametrize("kind", ["POKE", "VELOCITY", "WIND"])
@pytest.mark.parametrize("add", OBJECTS)
def test_an_arrows_tip_goes_where_the_mouse_goes(scene, view, add, kind):
    from neurok_blender.gizmos.arrow import NEUROK_GT_arrow
    from neurok_blender.gizmos.condition_places import arrow_base, arrow_seconds, arrow_tip, read_speed

    obj, condition = make(add, kind)
    base, start = arrow_base(obj, condition), view.project(arrow_tip(obj, condition))
    text = play_drag(loose(NEUROK_GT_arrow), view, obj, condition, [start, start + Vector((70.0, -30.0))])
    tip = base + read_speed(obj, condition) * arrow_seconds(condition)
    assert (view.project(tip) - start - Vector((70.0, -30.0))).length < 0.1
    assert text == f"{read_speed(obj, condition).length:.4g} m/s"


def test_with_ctrl_an_arrow_takes_the_axis_that_it_nearly_has(scene):
    from neurok_blender.gizmos.arrow import NEUROK_GT_arrow

    obj, condition = make(add_ball, "WIND")
    condition.velocity = (4.03, 0.2, -0.1)
    view = make_view("ORTHO", (0.0, 0.0, 0.0))
    play_drag(loose(NEUROK_GT_arrow), view, obj, condition, [Vector((600.0, 400.0))] * 2, snap=True)
    assert list(condition.velocity) == pytest.approx([4.0, 0.0, 0.0], abs=1e-6)


@pytest.mark.parametrize("add", OBJECTS)
def test_a_pokes_place_stays_on_the_surface_under_the_mouse(scene, view, add):
    from neurok_blender.gizmos.grip import NEUROK_GT_grip

    obj, condition = make(add, "POKE")
    face = max(
        obj.data.polygons,
        key=lambda item: view.towards_viewer(Vector()).dot(
            (obj.matrix_world.to_3x3().inverted().transposed() @ item.normal).normalized()
        ),
    )
    wanted = face.center.copy()
    ways = [view.project(obj.matrix_world @ place) for place in (Vector(condition.location), wanted)]
    play_drag(loose(NEUROK_GT_grip), view, obj, condition, ways)
    assert (Vector(condition.location) - wanted).length < 1e-3
    before = list(condition.location)
    play_drag(loose(NEUROK_GT_grip), view, obj, condition, [ways[1], Vector((2.0, 2.0))])
    assert list(condition.location) == before, "beside the object there is nothing to poke"
    play_drag(loose(NEUROK_GT_grip), view, obj, condition, [ways[1]] * 2, snap=True)
    assert min((Vector(condition.location) - vertex.co).length for vertex in obj.data.vertices) < 1e-6


@pytest.mark.parametrize("add", OBJECTS)
def test_a_pokes_radius_grows_as_far_as_the_mouse_goes(scene, view, add):
    from neurok_blender.gizmos.ring import NEUROK_GT_ring

    obj, condition = make(add, "POKE")
    ring = loose(NEUROK_GT_ring, _normal_of=None)
    place, normal = ring._place(obj, condition)
    outward = normal.orthogonal().normalized()
    if view.is_edge_on(place, normal):  # then the ring is pulled along the plane of the screen
        outward = Vector(view.region_3d.view_matrix[0][:3])
    ways = [view.project(place + distance * outward) for distance in (condition.radius, 0.9)]
    play_drag(ring, view, obj, condition, ways)
    assert condition.radius == pytest.approx(0.9, abs=1e-4)
    play_drag(ring, view, obj, condition, [ways[1], view.project(place)])
    assert condition.radius < 1e-3, "it shrinks to nothing and never below"
    assert condition.radius > 0.0


@pytest.mark.parametrize("add", OBJECTS)
def test_a_ground_goes_up_and_down_with_the_mouse(scene, view, add):
    from neurok_blender.gizmos.floor import NEUROK_GT_floor

    obj, condition = make(add, "GROUND")
    floor = loose(NEUROK_GT_floor)
    first = condition.height
    front = floor._front(obj, condition)
    wanted = Vector((front.x, front.y, first - 0.35))
    text = play_drag(floor, view, obj, condition, [view.project(front), view.project(wanted)])
    assert condition.height == pytest.approx(first - 0.35, abs=1e-3)
    assert text.endswith("m")


def test_a_spin_is_a_turn_a_second_for_each_turn_of_the_mouse(scene, view):
    from neurok_blender.gizmos.condition_places import dial_axis, dial_frame, dial_radius
    from neurok_blender.gizmos.dial import NEUROK_GT_dial

    obj, condition = make(add_ball, "VELOCITY")
    frame = dial_frame(obj, dial_axis(condition), dial_radius(view, obj))
    dial = loose(NEUROK_GT_dial)

    def ways(turns: float, steps: int = 40) -> list[Vector]:
        angles = np.linspace(0.0, 2.0 * math.pi * turns, steps + 1)
        return [view.project(frame @ Vector((math.cos(angle), math.sin(angle), 0.0))) for angle in angles]

    text = play_drag(dial, view, obj, condition, ways(1.5))
    assert list(condition.angular) == pytest.approx([0.0, 0.0, 3.0 * math.pi], abs=1e-3)
    assert text == "1.50 turns/s (540°/s)"
    play_drag(dial, view, obj, condition, ways(-1.0), precise=True)
    assert condition.angular[2] == pytest.approx(2.0 * math.pi * 1.4, abs=1e-3)
    play_drag(dial, view, obj, condition, ways(-2.0))
    assert condition.angular[2] == pytest.approx(2.0 * math.pi * -0.6, abs=1e-3), "and through nothing to the other way"
    play_drag(dial, view, obj, condition, ways(0.0), snap=True)
    assert Vector(condition.angular).length == pytest.approx(5.0 * math.pi / 4.0, abs=1e-5)


@pytest.mark.parametrize("add", OBJECTS)
def test_the_grip_of_an_axis_turns_it_and_keeps_the_spin(scene, view, add):
    from neurok_blender.gizmos.axis import NEUROK_GT_axis
    from neurok_blender.gizmos.condition_places import dial_axis, dial_radius, middle

    obj, condition = make(add, "VELOCITY")
    condition.angular = (0.3, -0.5, 2.4)
    spin, reach = Vector(condition.angular).length, 1.3 * dial_radius(view, obj)
    wanted = Vector((0.5, -0.6, 0.4)).normalized()
    ways = [view.project(middle(obj) + reach * axis) for axis in (dial_axis(condition), wanted)]
    play_drag(loose(NEUROK_GT_axis), view, obj, condition, ways)
    assert (dial_axis(condition) - wanted).length < 1e-3
    assert Vector(condition.angular).length == pytest.approx(spin, rel=1e-5)
    play_drag(loose(NEUROK_GT_axis), view, obj, condition, [ways[1]] * 2, snap=True)
    assert list(dial_axis(condition)) == pytest.approx([3**-0.5, -(3**-0.5), 3**-0.5], abs=1e-5)


def test_the_dials_zero_is_at_the_front_and_it_turns_the_right_way(scene):
    from neurok_blender.gizmos.condition_places import dial_frame

    obj = add_ball(location=(1, 2, 3))
    for axis in (
        Vector((0, 0, 1)),
        Vector((0.6, 0.0, -0.8)),
        Vector((0, 1, 0)),
        Vector((0.1, -0.99, 0.1)).normalized(),
    ):
        frame = dial_frame(obj, axis, 2.0)
        assert (frame.translation - obj.location).length < 1e-5
        x, y, z = (frame.col[number].to_3d() / 2.0 for number in range(3))
        assert (z - axis).length < 1e-5
        assert (x.cross(y) - z).length < 1e-5, "a spin is counted by the right hand"
    assert (dial_frame(obj, Vector((0, 0, 1)), 1.0).col[0].to_3d() - Vector((0, -1, 0))).length < 1e-6


# --- the ring's plane ---


@pytest.mark.parametrize("segments", [16, 160])
def test_the_ring_lies_on_the_surface(scene, segments):
    from neurok_blender.gizmos.ring import MANY_VERTICES, surface_normal

    bpy.ops.mesh.primitive_uv_sphere_add(segments=segments, ring_count=segments // 2)
    ball = bpy.context.active_object
    assert (len(ball.data.vertices) > MANY_VERTICES) == (segments == 160)
    for direction in (Vector((0.2, -0.9, 0.3)), Vector((-0.5, 0.5, -0.7))):
        # The faces of the coarse ball lean by as much as they are wide from their middle to a corner.
        assert surface_normal(ball, direction.normalized()).angle(direction) < 1.5 * math.pi / segments


def test_without_a_surface_the_ring_stands_across_the_push(scene):
    from neurok_blender.gizmos.ring import NEUROK_GT_ring, surface_normal

    obj, condition = make(add_ball, "POKE")
    condition.vector = (0.0, 3.0, 0.0)
    obj.data.clear_geometry()
    bpy.context.view_layer.update()
    assert surface_normal(obj, Vector()) is None
    _place, normal = loose(NEUROK_GT_ring, _normal_of=None)._place(obj, condition)
    assert list(normal) == pytest.approx([0.0, 1.0, 0.0])


# --- who shows what ---


def condition(kind: str, enabled: bool = True, linear=(0, 0, 0), angular=(0, 0, 0)):
    return SimpleNamespace(kind=kind, enabled=enabled, linear=linear, angular=angular)


def test_the_chosen_condition_has_its_handles_and_the_others_an_arrow(addon):
    from neurok_blender.gizmos.gizmo_pools import Slot, assign_slots
    from neurok_blender.names import GizmoGroup as Names

    items = [
        condition("POKE"),
        condition("VELOCITY", linear=(1, 0, 0)),
        condition("VELOCITY", angular=(0, 0, 1)),
        condition("GROUND"),
        condition("WIND"),
        condition("PIN"),
        condition("POKE", enabled=False),
    ]
    shared = assign_slots(items, 0)
    assert [slot.index for slot in shared[Names.ARROW]] == [0, 1, 4]
    assert shared[Names.RING] == shared[Names.GRIP] == [Slot(0, True)]
    assert shared[Names.DIAL] == [Slot(2, False)]
    assert shared[Names.FLOOR] == [Slot(3, False)]
    assert shared[Names.AXIS] == []
    shared = assign_slots(items, 2)
    assert shared[Names.AXIS] == [Slot(2, True)]
    assert shared[Names.RING] == shared[Names.GRIP] == []
    shared = assign_slots(items, 1)
    assert shared[Names.DIAL] == [Slot(1, True), Slot(2, False)], "a dial to begin a spin with"
    assert shared[Names.AXIS] == [], "but no axis to turn as long as nothing turns"
    assert assign_slots(items, 6)[Names.GRIP] == [], "its eye is closed"


def test_the_pool_is_large_enough_or_the_chosen_one_comes_first(addon):
    from neurok_blender.gizmos.gizmo_pools import POOLS, assign_slots
    from neurok_blender.names import GizmoGroup as Names

    slots = assign_slots([condition("POKE")] * 40, 33)[Names.ARROW]
    assert len(slots) == POOLS[Names.ARROW]
    assert [slot.index for slot in slots if slot.is_active] == [33]
    assert len(assign_slots([condition("POKE")] * 40, 3)[Names.ARROW]) == POOLS[Names.ARROW]


# --- the mouse ---


def test_shift_in_the_middle_of_a_drag_makes_nothing_jump(addon):
    from neurok_blender.gizmos.mouse_drag import MouseDrag

    drag = MouseDrag(Vector((10.0, 10.0)))
    drag.move(Vector((50.0, 10.0)), precise=False, snap=False)
    assert drag.move(Vector((50.0, 10.0)), precise=True, snap=False).position.x == pytest.approx(50.0)
    assert drag.move(Vector((70.0, 10.0)), precise=True, snap=False).position.x == pytest.approx(52.0)
    assert drag.move(Vector((80.0, 10.0)), precise=False, snap=False).position.x == pytest.approx(62.0)


@pytest.mark.parametrize(
    "least, step", [(0.05, 0.05), (0.051, 0.1), (0.12, 0.2), (1.0, 1.0), (3.0, 5.0), (7e-4, 1e-3), (60.0, 100.0)]
)
def test_steps_are_round(addon, least, step):
    from neurok_blender.gizmos.mouse_drag import nice_step

    assert nice_step(least) == pytest.approx(step)


def test_shift_makes_the_steps_of_ctrl_finer(addon):
    from neurok_blender.gizmos.mouse_drag import Step

    nowhere = Vector((0.0, 0.0))
    assert Step(nowhere, nowhere, nowhere, precise=False, snap=True).snapped(1.234, 0.5) == pytest.approx(1.0)
    assert Step(nowhere, nowhere, nowhere, precise=True, snap=True).snapped(1.234, 0.5) == pytest.approx(1.25)
    assert Step(nowhere, nowhere, nowhere, precise=True, snap=False).snapped(1.234, 0.5) == 1.234


# --- numbers ---


def test_numbers_are_in_the_units_of_the_scene(scene):
    from neurok_blender.gizmos.units import displayed_unit, length_text, speed_text

    assert length_text(scene, 0.25) == "25 cm"
    assert speed_text(scene, 1.5) == "1.5 m/s"
    scene.unit_settings.scale_length = 0.01
    assert length_text(scene, 25.0) == "25 cm"
    assert displayed_unit(scene) == pytest.approx(100.0)
    scene.unit_settings.system = "IMPERIAL"
    scene.unit_settings.scale_length = 1.0
    assert length_text(scene, 0.6096) == "2'"
    assert speed_text(scene, 3.048) == "10 ft/s"
    assert displayed_unit(scene) == pytest.approx(0.3048)
    scene.unit_settings.system = "NONE"
    assert length_text(scene, 0.25) == "0.25"


# --- shapes ---


def volume(triangles: np.ndarray) -> float:
    """Of a closed skin, by the divergence theorem."""
    a, b, c = triangles.reshape(-1, 3, 3).astype(np.float64).transpose(1, 0, 2)
    return float(abs(np.einsum("ij,ij->i", a, np.cross(b, c)).sum()) / 6.0)


def test_shapes_have_the_volumes_of_what_they_stand_for(addon):
    from neurok_blender.gizmos import shapes

    assert volume(shapes.ball()) == pytest.approx(4.0 / 3.0 * math.pi, rel=0.15)
    assert volume(shapes.cone()) == pytest.approx(math.pi * shapes.CONE_LENGTH / 3.0, rel=0.06)
    # A tube of six sides has the cross-section of a hexagon.
    hexagon = 1.5 * math.sqrt(3.0) * 0.05**2
    assert volume(shapes.circle(0.05)) == pytest.approx(2.0 * math.pi * hexagon, rel=0.01)
    assert volume(shapes.square(0.05)) == pytest.approx(8.0 * hexagon, rel=0.35)


def test_an_arc_goes_as_far_as_it_is_told(addon):
    from neurok_blender.gizmos import shapes

    arc = shapes.arc(0.01, -3.0 * math.pi, 0.1)
    end = np.array([-1.15, 0.0, 0.0])
    assert np.linalg.norm(arc[-6:] - end, axis=1).min() < 0.03
    assert arc[:, 1].min() < -1.0
    assert np.abs(arc[:, 2]).max() < 0.011
