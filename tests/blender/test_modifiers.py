"""Modifiers that build on the mesh are no obstacle: the base mesh below them is simulated, shown and baked."""

import bpy
import numpy as np
import pytest

from tests.blender.digest import differences, digest
from tests.blender.helpers import add_ball, add_rigid_ball, shown, stored
from tests.blender.test_mesh_io import add_armature_bend, take_snapshot

KINDS = ("SHAPE_KEYS", "COMPRESSED", "ARMATURE", "CACHE")


def nodes(ball) -> None:
    """Geometry Nodes that subdivide."""
    tree = bpy.data.node_groups.new("Finer", "GeometryNodeTree")
    for way in ("INPUT", "OUTPUT"):
        tree.interface.new_socket("Geometry", in_out=way, socket_type="NodeSocketGeometry")
    start, finer, end = (
        tree.nodes.new(kind) for kind in ("NodeGroupInput", "GeometryNodeSubdivideMesh", "NodeGroupOutput")
    )
    tree.links.new(start.outputs[0], finer.inputs[0])
    tree.links.new(finer.outputs[0], end.inputs[0])
    ball.modifiers.new("Nodes", "NODES").node_group = tree


def modifier(kind, **values):
    def add(ball) -> None:
        made = ball.modifiers.new(kind.title(), kind)
        for name, value in values.items():
            setattr(made, name, value)

    add.__name__ = kind
    return add


BUILDERS = [
    modifier("SUBSURF"),
    modifier("SOLIDIFY", thickness=0.2),
    modifier("BEVEL", width=0.02),
    modifier("MIRROR", use_mirror_merge=False),
    modifier("ARRAY"),
    modifier("TRIANGULATE"),
    modifier("SMOOTH", factor=0.9, iterations=30),
    modifier("DISPLACE", strength=0.3),
    nodes,
]


def moved(updates: list) -> list[str]:
    return [name for name, geometry, transform in updates if geometry or transform]


@pytest.fixture
def updates(scene):
    """What Blender says that it has evaluated anew of the artist's scene."""
    seen: list[tuple[str, bool, bool]] = []

    def note(evaluated, depsgraph):
        if evaluated == scene:
            seen.extend(
                (each.id.name, each.is_updated_geometry, each.is_updated_transform) for each in depsgraph.updates
            )

    bpy.app.handlers.depsgraph_update_post.append(note)
    yield seen
    bpy.app.handlers.depsgraph_update_post.remove(note)


@pytest.mark.parametrize("build", BUILDERS)
@pytest.mark.parametrize("posed", [False, True])
def test_the_mesh_below_is_read_and_nothing_changes(scene, updates, build, posed):
    from neurok_blender.scene.mesh_io import look_at

    ball = add_ball()
    if posed:
        add_armature_bend(ball)
    below = shown(ball)
    build(ball)
    bpy.context.view_layer.update()
    before = digest()
    updates.clear()
    shape = look_at(bpy.context, ball)
    bpy.context.view_layer.update()
    assert shape.evaluated.tobytes() == below.tobytes() and len(shape.triangles) == 120
    assert differences(before, digest()) == {} and moved(updates) == ["Scene Collection"] * posed
    snap = take_snapshot(ball)
    assert differences(before, digest()) == {}
    target = below + np.float32([0.0, 0.3, 0.1])
    ball.modifiers[-1].show_viewport = False
    ball.data.attributes["position"].data.foreach_set("vector", snap.storage(target).reshape(-1))
    ball.data.update()
    bpy.context.view_layer.update()
    assert np.abs(shown(ball) - target).max() < 2e-4


def simulated_below(ball, frames=(3, 12)):
    """Coordinates that the modifiers show at some frames of the take of a falling, turning ball."""
    bpy.ops.neurok.condition_add(kind="VELOCITY")
    ball.neurok.conditions[-1].angular = (1.0, 2.0, 0.5)
    assert bpy.ops.neurok.simulate() == {"FINISHED"}
    return seen_at(ball, frames)


def seen_at(ball, frames) -> dict[int, np.ndarray]:
    found = {}
    for frame in frames:
        bpy.context.scene.frame_set(frame)
        found[frame] = shown(ball)
    return found


@pytest.mark.parametrize("kind", KINDS)
def test_every_bake_plays_below_the_modifiers(scene, tmp_path, kind):
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "film.blend"))
    ball = add_rigid_ball(location=(1.0, 2.0, 3.0), rotation_euler=(0.3, 0.2, 0.1))
    ball.modifiers.new("Weight", "VERTEX_WEIGHT_EDIT").vertex_group = ball.vertex_groups.new(name="Mine").name
    ball.modifiers.new("Smooth Surface", "SUBSURF").levels = 2
    nodes(ball)
    drawn = shown(ball)
    take = simulated_below(ball)
    assert len(take[3]) == len(drawn) > 1000
    # A rigid motion of the vertices is one of the smooth surface: all of it moves, and nothing is stretched.
    for positions in take.values():
        assert np.linalg.norm(positions - drawn, axis=1).min() > 0.01
        assert (
            np.abs(
                np.linalg.norm(np.diff(positions, axis=0), axis=1) - np.linalg.norm(np.diff(drawn, axis=0), axis=1)
            ).max()
            < 1e-4
        )
    assert bpy.ops.neurok.bake(kind=kind, tolerance=1e-4) == {"FINISHED"}
    names = [each.name for each in ball.modifiers]
    ours = ["NeuROK"] if kind in ("ARMATURE", "CACHE") else []
    assert names == ["Weight", *ours, "Smooth Surface", "Nodes"]
    for frame, positions in seen_at(ball, take).items():
        assert np.abs(positions - take[frame]).max() < 1e-5
    bpy.ops.wm.save_mainfile()
    bpy.ops.wm.open_mainfile(filepath=bpy.data.filepath)
    ball = bpy.context.active_object
    for frame, positions in seen_at(ball, take).items():
        assert np.abs(positions - take[frame]).max() < 1e-5
    assert bpy.ops.neurok.bake_clear() == {"FINISHED"}
    assert np.abs(shown(ball) - drawn).max() == 0.0 and [each.name for each in ball.modifiers] == names[:1] + names[-2:]


def test_a_modifier_that_builds_may_come_after_the_take(scene):
    ball = add_rigid_ball()
    simulated_below(ball)
    ball.modifiers.new("Smooth Surface", "SUBSURF")
    preview = seen_at(ball, (3, 12))
    assert bpy.ops.neurok.bake() == {"FINISHED"}
    for frame, positions in seen_at(ball, preview).items():
        assert np.abs(positions - preview[frame]).max() < 1e-5


def test_the_smooth_surface_comes_back_by_undo(scene):
    ball = add_rigid_ball()
    ball.modifiers.new("Smooth Surface", "SUBSURF")
    bpy.ops.ed.undo_push(message="before")
    original, before = stored(ball.data).tobytes(), shown(ball)
    take = simulated_below(ball)
    bpy.ops.ed.undo_push(message="simulated")
    assert np.abs(take[12] - before).max() > 0.1
    bpy.ops.neurok.bake()
    bpy.ops.ed.undo_push(message="baked")
    bpy.ops.ed.undo()
    bpy.ops.ed.undo()
    ball = bpy.data.objects["Ball"]
    from neurok_blender.session.state import session

    session.show_originals()
    bpy.context.view_layer.update()
    assert stored(ball.data).tobytes() == original and np.abs(shown(ball) - before).max() == 0.0


def test_objects_that_are_all_modifier_are_refused_with_a_remedy(scene):
    ball = add_ball()
    ball.data.clear_geometry()
    ball.data.from_pydata([(1, 0, -1), (1, 0, 1)], [(0, 1)], [])
    ball.modifiers.new("Lathe", "SCREW")
    bpy.context.view_layer.update()
    with pytest.raises(RuntimeError, match=r"The faces of Ball are made by its modifiers\. Apply them first"):
        bpy.ops.neurok.simulate()


def test_a_mesh_read_from_a_file_with_other_vertices_is_refused(scene, tmp_path):
    ball, finer = add_ball(), add_ball("Finer", location=(5, 0, 0))
    finer.modifiers.new("Subdivision", "SUBSURF")
    bpy.ops.wm.alembic_export(filepath=str(tmp_path / "finer.abc"), selected=True, apply_subdiv=True)
    bpy.ops.object.delete()
    bpy.ops.wm.alembic_import(filepath=str(tmp_path / "finer.abc"), always_add_cache_reader=True)
    reader = bpy.context.active_object.modifiers[0]
    bpy.context.view_layer.objects.active = ball
    made = ball.modifiers.new("From File", "MESH_SEQUENCE_CACHE")
    made.cache_file, made.object_path = reader.cache_file, reader.object_path
    bpy.context.view_layer.update()
    with pytest.raises(RuntimeError, match=r"The modifiers of Ball change its number.*turn them off in the viewport"):
        bpy.ops.neurok.simulate()
