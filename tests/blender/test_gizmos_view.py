"""From the mouse to the world and back, for views that look at the object from all sides."""

import itertools
import math

import pytest
from mathutils import Vector

from tests.blender.views import VIEWS, make_view

PLACE = Vector((0.4, -0.3, 0.6))


@pytest.fixture(params=VIEWS, ids=lambda setting: f"{setting[0]}-{setting[1]}")
def view(request, addon):
    return make_view(*request.param)


def test_pixels_are_as_long_as_places_seen_so_far_apart(view):
    mouse = view.project(PLACE)
    beside = view.across(mouse + Vector((100.0, 0.0)), PLACE)
    assert (beside - view.across(mouse, PLACE)).length == pytest.approx(100.0 * view.pixel(PLACE), rel=1e-3)


def test_a_place_on_a_plane_is_found_again(view):
    normal = Vector((0.2, -0.3, 0.9)).normalized()
    wanted = PLACE + normal.cross(Vector((1.0, 0.2, 0.0))) * 0.5
    assert (view.on_plane(view.project(wanted), PLACE, normal) - wanted).length < 1e-4


def test_a_place_on_a_line_is_found_again(view):
    axis = Vector((0.1, 0.2, 0.97)).normalized()
    if abs(view.towards_viewer(PLACE).dot(axis)) > 0.9:
        pytest.skip("one looks along the line")
    for wanted in (-0.7, 0.0, 1.3):
        assert view.along(view.project(PLACE + wanted * axis), PLACE, axis) == pytest.approx(wanted, abs=1e-4)


def test_where_one_looks_along_a_line_up_the_screen_is_along_it(view):
    axis = view.towards_viewer(PLACE)
    mouse = view.project(PLACE)
    moved = view.along(mouse + Vector((0.0, 50.0)), PLACE, axis) - view.along(mouse, PLACE, axis)
    assert moved == pytest.approx(50.0 * view.pixel(PLACE), rel=1e-2)


def test_a_place_on_a_ball_is_found_again_on_either_side(view):
    for direction in (Vector((0.3, -0.5, 0.8)), Vector((-0.7, 0.1, -0.2)), Vector((0.1, 0.9, 0.3))):
        direction.normalize()
        wanted = PLACE + 0.8 * direction
        # In a perspective the rim that one sees is a little nearer than the middle.
        slope = direction.dot(view.towards_viewer(wanted))
        if abs(slope) > 0.1:
            found = view.on_ball(view.project(wanted), PLACE, 0.8, far_side=slope < 0.0)
            assert (found - direction).length < 1e-3


def test_beside_a_ball_its_rim_is_found(view):
    found = view.on_ball(view.project(PLACE) + Vector((300.0, 0.0)), PLACE, 0.1, far_side=False)
    assert found.length == pytest.approx(1.0, abs=1e-5)
    right = view.region_3d.view_matrix.inverted().col[0].to_3d()
    assert found.dot(right) > 0.9


def test_going_round_adds_up_to_the_turns_that_were_made(view):
    from neurok_blender.gizmos.dial import swept_angle

    axis = Vector((0.3, 0.2, 0.9)).normalized()
    if view.is_edge_on(PLACE, axis):
        pytest.skip("the dial is seen edge-on")
    across = axis.orthogonal().normalized()
    steps = 60
    angles = [2.5 * 2.0 * math.pi * step / steps for step in range(steps + 1)]
    mice = [
        view.project(PLACE + 0.7 * (math.cos(angle) * across + math.sin(angle) * axis.cross(across)))
        for angle in angles
    ]
    swept = sum(swept_angle(view, PLACE, axis, 0.7, *pair) for pair in itertools.pairwise(mice))
    assert swept == pytest.approx(5.0 * math.pi, abs=1e-3)


def test_an_edge_on_dial_goes_along_with_the_mouse(view):
    from neurok_blender.gizmos.dial import swept_angle

    # The axis is up the screen, so the near side moves to the right in a turn counted positive.
    axis = view.region_3d.view_matrix.inverted().col[1].to_3d()
    place = view.across(Vector((view.region.width / 2.0, view.region.height / 2.0)), PLACE)
    assert view.is_edge_on(place, axis)
    mouse = view.project(place)
    moved = 60.0 * view.pixel(place)
    swept = swept_angle(view, place, axis, 0.7, mouse, mouse + Vector((60.0, 0.0)))
    assert swept == pytest.approx(moved / 0.7, rel=1e-2)


def test_near_the_middle_a_dial_is_deaf(view):
    from neurok_blender.gizmos.dial import swept_angle

    axis = view.towards_viewer(PLACE)
    middle = view.project(PLACE)
    assert swept_angle(view, PLACE, axis, 0.7, middle + Vector((2.0, 0.0)), middle + Vector((-2.0, 1.0))) == 0.0
