"""Meshes as artists have them, in a real window: under modifiers that build on the mesh, with keys."""

from collections.abc import Callable
from functools import partial

from scene import Scene

__all__ = ["CHAPTERS"]

LOOKED_AT = (4, 8, 16)
MOST_CLICKS_TO_TAKE, MOST_CLICKS_TO_BAKE = 2, 3

SUBSURF = "bpy.context.object.modifiers.new('Subdivision', 'SUBSURF').levels = 2"
NODES = """
                tree = bpy.data.node_groups.new('Finer', 'GeometryNodeTree')
                for way in ('INPUT', 'OUTPUT'):
                    tree.interface.new_socket('Geometry', in_out=way, socket_type='NodeSocketGeometry')
                nodes = [tree.nodes.new(kind) for kind in
                         ('NodeGroupInput', 'GeometryNodeSubdivisionSurface', 'NodeGroupOutput')]
                tree.links.new(nodes[0].outputs[0], nodes[1].inputs[0])
                tree.links.new(nodes[1].outputs[0], nodes[2].inputs[0])
                bpy.context.object.modifiers.new('Nodes', 'NODES').node_group = tree
"""

MIRROR = f"""
                import bmesh
                half = bmesh.new()
                half.from_mesh(bpy.context.object.data)
                everything = half.verts[:] + half.edges[:] + half.faces[:]
                bmesh.ops.bisect_plane(half, geom=everything, plane_co=(0, 0, 0), plane_no=(1, 0, 0), clear_inner=True)
                half.to_mesh(bpy.context.object.data)
                bpy.context.object.modifiers.new('Mirror', 'MIRROR')
                {SUBSURF}
"""

KEYS = f"""
                {SUBSURF}
                thing = bpy.context.object
                thing.shape_key_add(name='Basis')
                ears = thing.shape_key_add(name='Ears', from_mix=False)
                for vertex, point in zip(thing.data.vertices, ears.data):
                    point.co.x *= 1.4 if abs(vertex.co.x) > 0.8 else 1.0
                driver = ears.driver_add('value').driver
                driver.type, driver.expression = 'SCRIPTED', 'frame / 40'
"""


def under(scene: Scene, name: str, build: str) -> None:
    """Suzanne under modifiers that `build` adds (Python): simulated and baked by the buttons alone."""
    window, check = scene.window, scene.check
    scene.begin(f"bpy.ops.mesh.primitive_monkey_add()\n                {build}")
    original, drawn = scene.stored(), scene.drawn()
    window.ask(f"rest_shape = drawn_shape({scene.name!r})")
    check(scene.object("len(rest_shape) > len(object.data.vertices)"), "the modifiers make vertices")
    window.screenshot(f"under-{name}-0-begin")
    scene.take(120)
    clicks = 1
    check(clicks <= MOST_CLICKS_TO_TAKE, f"{clicks} click is enough for a take")
    window.ask("kept = {}")
    for frame in LOOKED_AT:
        window.ask(f"bpy.context.scene.frame_set({frame}); kept[{frame}] = drawn_shape({scene.name!r})")
        window.settle()
        window.screenshot(f"under-{name}-1-take-{frame}")
    most = max(
        scene.object(f"float(abs(kept[{frame}] - rest_shape).max() / max(object.dimensions))") for frame in LOOKED_AT
    )
    check(most > 0.02, f"the surface above the modifiers moves by {most:.0%} of the object's size")
    scene.sidebar.click("neurok.bake(")
    clicks += 1
    window.wait_for("the bake", "answer = addon('session.state').session.bake is None", 60)
    check(not scene.notice()["bad"], scene.notice()["message"])
    check(clicks <= MOST_CLICKS_TO_BAKE, f"{clicks} clicks are enough for a bake")
    for frame in LOOKED_AT:
        window.ask(f"bpy.context.scene.frame_set({frame})")
        error = scene.object(f"float(abs(drawn_shape(object.name) - kept[{frame}]).max() / max(object.dimensions))")
        check(error < 1e-5, f"frame {frame} of the bake is that of the take")
    window.screenshot(f"under-{name}-2-baked")
    scene.sidebar.click("neurok.bake_clear")
    window.ask("bpy.context.scene.frame_set(1)")
    scene.discard()
    check(
        scene.stored() == original and scene.drawn() == drawn, "Clear and Discard leave mesh and surface as they were"
    )


CHAPTERS: dict[str, Callable[[Scene], None]] = {
    "under-subdivision": partial(under, name="subdivision", build=SUBSURF),
    "under-keys": partial(under, name="keys", build=KEYS),
    "under-mirror": partial(under, name="mirror", build=MIRROR),
    "under-nodes": partial(under, name="nodes", build=NODES),
}
