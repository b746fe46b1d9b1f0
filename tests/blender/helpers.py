"""Objects to work on, and shorthands for reading them."""

import time

import bpy
import numpy as np

from tests.waiting import BUSY


def add_ball(name: str = "Ball", **transform) -> bpy.types.Object:
    """A sphere of 62 vertices at the active object's place; `transform` are object properties."""
    bpy.ops.mesh.primitive_uv_sphere_add(segments=10, ring_count=7)
    ball = bpy.context.active_object
    ball.name = name
    for field, value in transform.items():
        setattr(ball, field, value)
    bpy.context.view_layer.update()
    return ball


def add_rigid_ball(**transform) -> bpy.types.Object:
    """A ball that falls: the quickest real simulation."""
    ball = add_ball(**transform)
    ball.neurok.provider = "RIGID"
    ball.neurok.anchor = "NONE"
    return ball


def add_elastic_ball() -> bpy.types.Object:
    """A ball held by the vertices of its lower half and poked."""
    ball = add_ball()
    ball.neurok.provider = "ELASTIC"
    ball.neurok.anchor = "GROUP"
    ball.neurok.anchor_group = "Base"
    base = ball.vertex_groups.new(name="Base")
    base.add([vertex.index for vertex in ball.data.vertices if vertex.co.z < -0.4], 1.0, "REPLACE")
    bpy.ops.neurok.condition_add(kind="POKE")
    return ball


def stored(mesh: bpy.types.Mesh) -> np.ndarray:
    """Coordinates as they are in the mesh, Float32[V,3]."""
    coordinates = np.empty((len(mesh.vertices), 3), np.float32)
    mesh.vertices.foreach_get("co", coordinates.reshape(-1))
    return coordinates


def shown(obj: bpy.types.Object) -> np.ndarray:
    """Coordinates after shape keys and modifiers, Float32[V,3], object space."""
    return stored(obj.evaluated_get(bpy.context.evaluated_depsgraph_get()).data)


def is_alive(pid: int) -> bool:
    """Whether the process runs; one that only waits to be collected does not."""
    try:
        with open(f"/proc/{pid}/stat", encoding="ascii") as stream:
            return stream.read().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def wait_until(condition, seconds: float) -> bool:
    """Whether `condition()` became true in time; `seconds` are those of a quiet machine."""
    until = time.monotonic() + BUSY * seconds
    while time.monotonic() < until:
        if condition():
            return True
        time.sleep(0.01)
    return False


def settle(pose) -> None:
    """Until nothing is asked any more."""
    quiet = 0

    def is_quiet() -> bool:
        nonlocal quiet
        quiet = quiet + 1 if not pose.tick() and not pose.interactive.is_waiting else 0
        return quiet > 3

    assert wait_until(is_quiet, 30.0)
