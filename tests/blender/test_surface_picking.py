"""What is seen under the mouse, held against Blender's own ray cast."""

import bpy
import numpy as np
from mathutils import Euler, Vector


def world_arrays(obj):
    mesh = obj.data
    mesh.calc_loop_triangles()
    triangles = np.array([triangle.vertices[:] for triangle in mesh.loop_triangles], np.int32)
    return np.array([obj.matrix_world @ vertex.co for vertex in mesh.vertices], np.float64), triangles


def blenders_hit(obj, origin, direction):
    inverse = obj.matrix_world.inverted()
    hit, place, _normal, _face = obj.ray_cast(inverse @ origin, (inverse.to_3x3() @ direction).normalized())
    return obj.matrix_world @ place if hit else None


def test_a_line_of_sight_meets_what_blenders_ray_meets(scene):
    from neurok_blender.scene.surface_picking import hold_under, nearest_vertex

    bpy.ops.mesh.primitive_monkey_add(location=(1, -2, 0.5), rotation=Euler((0.3, 0.2, 2.0)))
    head = bpy.context.active_object
    head.scale = (1.0, -2.0, 0.7)  # mirrored as well
    bpy.context.view_layer.update()
    positions, triangles = world_arrays(head)
    generator, met = np.random.default_rng(4), 0
    for _ in range(400):
        origin = head.location + Vector(generator.normal(size=3)).normalized() * 6.0
        aim = Vector(positions[generator.integers(len(positions))]) + Vector(generator.normal(size=3) * 0.3)
        direction = (aim - origin).normalized()
        expected, found = blenders_hit(head, origin, direction), hold_under(positions, triangles, origin, direction)
        assert (found is None) == (expected is None)
        if found is not None:
            met += 1
            assert (found.place - expected).length < 1e-4
            assert (found.on(positions) - expected).length < 1e-4
            assert abs(sum(found.shares) - 1.0) < 1e-9 and min(found.shares) >= 0.0
            assert found.shares[found.vertices.index(nearest_vertex(found))] == max(found.shares)
    assert 100 < met < 400


def test_what_is_behind_the_viewer_is_not_seen(scene):
    from neurok_blender.scene.surface_picking import hold_under

    bpy.ops.mesh.primitive_uv_sphere_add()
    positions, triangles = world_arrays(bpy.context.active_object)
    assert hold_under(positions, triangles, Vector((0.1, 5.0, 0.0)), Vector((0.0, 1.0, 0.0))) is None
    within = hold_under(positions, triangles, Vector((0.1, 0.0, 0.05)), Vector((0.0, 1.0, 0.0)))
    assert within.place.y > 0.9  # from inside one sees the far side alone
