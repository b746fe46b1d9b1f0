"""A plush bear, 0.4 m tall: one blobby closed body with sewn-on closed parts; it falls and spins."""

from __future__ import annotations

import bpy
import numpy as np
from mathutils import Euler

from ..scene.materials import material
from .meshes import Array, Part, ellipsoid, make_mesh, torus, tube
from .place import add_condition, place_object

__all__ = ["build"]

VOXEL = 0.0080  # metres; gives the body about 7,000 vertices
DROP = 0.38  # metres between the floor and the lowest point


def _turn(*degrees: float) -> Array:
    return np.array(Euler(np.radians(degrees)).to_matrix())


def _both_sides(
    centre: tuple[float, float, float],
    radii: tuple[float, float, float],
    name: str,
    degrees: tuple[float, float, float] = (0.0, 0.0, 0.0),
    **detail: int,
) -> list[Part]:
    """The same ellipsoid on the bear's left and, mirrored in x, on its right."""
    x, y, z = centre
    tilt, roll, swing = degrees
    return [
        ellipsoid((side * x, y, z), radii, name, _turn(tilt, side * roll, side * swing), **detail)
        for side in (1.0, -1.0)
    ]


def _body_parts() -> list[Part]:
    """The overlapping solids that become the body's one surface. The bear sits and looks along -Y."""
    return [
        ellipsoid((0.0, 0.005, 0.125), (0.098, 0.088, 0.115), "Fur", rings=24, segments=40),
        ellipsoid((0.0, -0.008, 0.290), (0.094, 0.083, 0.082), "Fur", rings=24, segments=40),
        *_both_sides((0.070, 0.002, 0.363), (0.034, 0.020, 0.034), "Fur", (0, 20, 0)),
        *_both_sides((0.106, -0.038, 0.158), (0.035, 0.036, 0.078), "Fur", (38, -30, 0)),
        *_both_sides((0.074, -0.105, 0.046), (0.045, 0.090, 0.044), "Fur", (0, 0, 14)),
        *_both_sides((0.093, -0.180, 0.056), (0.045, 0.030, 0.055), "Fur", (-8, 0, 14)),
        ellipsoid((0.0, 0.095, 0.060), (0.032, 0.030, 0.030), "Fur"),
    ]


def _sewn_on() -> list[Part]:
    """Muzzle, pads, eyes and scarf: closed parts that reach a little into the body."""
    mouth = np.linspace(-1.0, 1.0, 15)
    smile = np.stack([0.017 * mouth, -0.1215 + 0.006 * mouth**2, 0.2545 + 0.006 * mouth**2], axis=1)
    return [
        ellipsoid((0.0, -0.080, 0.270), (0.043, 0.042, 0.034), "Cream"),
        ellipsoid((0.0, -0.120, 0.285), (0.015, 0.009, 0.011), "Dark"),
        tube(smile, np.full(15, 0.0016), 6, "Dark"),
        *_both_sides((0.036, -0.0825, 0.312), (0.0105, 0.006, 0.0120), "Dark", (-15, 0, 22)),
        *_both_sides((0.0335, -0.0885, 0.3165), (0.003, 0.002, 0.003), "Glint", rings=6, segments=10),
        *_both_sides((0.071, -0.0105, 0.365), (0.021, 0.0125, 0.021), "Cream", (0, 20, 0)),
        ellipsoid((0.0, -0.046, 0.118), (0.066, 0.044, 0.078), "Cream"),
        *_both_sides((0.098, -0.206, 0.058), (0.028, 0.008, 0.034), "Cream", (-8, 0, 14)),
        torus((0.0, -0.004, 0.218), 0.070, 0.019, 0.75, "Scarf"),
        ellipsoid((0.032, -0.082, 0.213), (0.019, 0.015, 0.017), "Scarf"),
        ellipsoid((0.050, -0.094, 0.172), (0.020, 0.0085, 0.042), "Scarf", _turn(14, -22, 10)),
        ellipsoid((0.018, -0.098, 0.170), (0.019, 0.0085, 0.040), "Scarf", _turn(14, 14, 0)),
    ]


def _fuse(context: bpy.types.Context, parts: list[Part]) -> Part:
    """One closed, smoothed surface around the union of `parts`."""
    mesh = make_mesh("NeuROK Fuse", parts, {"Fur": None})
    source = bpy.data.objects.new(mesh.name, mesh)
    context.scene.collection.objects.link(source)
    remesh = source.modifiers.new("Remesh", "REMESH")
    remesh.mode = "VOXEL"
    remesh.voxel_size = VOXEL
    smooth = source.modifiers.new("Smooth", "SMOOTH")
    smooth.iterations = 10
    depsgraph = context.evaluated_depsgraph_get()
    fused = source.evaluated_get(depsgraph).to_mesh()
    vertices = np.empty(3 * len(fused.vertices))
    fused.vertices.foreach_get("co", vertices)
    faces = [tuple(polygon.vertices) for polygon in fused.polygons]
    bpy.data.objects.remove(source)
    bpy.data.meshes.remove(mesh)
    return Part(vertices.reshape(-1, 3), faces, "Fur")


def build(context: bpy.types.Context) -> bpy.types.Object:
    """Adds the bear above the floor, tilted and spinning, with a ground condition, and returns it."""
    materials = {
        "Fur": material("Bear Fur", (0.46, 0.215, 0.075), 0.9),
        "Cream": material("Bear Cream", (0.80, 0.62, 0.40), 0.9),
        "Dark": material("Bear Dark", (0.018, 0.012, 0.010), 0.25),
        "Glint": material("Bear Glint", (0.95, 0.95, 0.95), 0.2),
        "Scarf": material("Bear Scarf", (0.62, 0.045, 0.055), 0.8),
    }
    bear = place_object(context, make_mesh("Soft Toy", [_fuse(context, _body_parts()), *_sewn_on()], materials))
    bear.rotation_euler = (0.12, -0.34, 0.25)
    turned = np.array([bear.rotation_euler.to_matrix() @ vertex.co for vertex in bear.data.vertices])
    bear.location.z = DROP - turned[:, 2].min()

    bear.neurok.anchor = "NONE"
    bear.neurok.settled = False
    bear.neurok.density = 120.0
    bear.neurok.stiffness_hz = 4.0
    bear.neurok.settle_seconds = 2.5
    spin = add_condition(bear, "VELOCITY", "Toss")
    spin.linear = (0.0, 0.0, 0.0)
    spin.angular = (-0.3, -1.8, 1.5)
    ground = add_condition(bear, "GROUND", "Floor")
    ground.height = 0.0
    ground.friction = 0.9
    ground.restitution = 0.5
    return bear
