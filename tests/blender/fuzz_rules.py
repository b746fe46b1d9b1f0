"""What must hold after every step of the fuzz test, as an artist would see it."""

from __future__ import annotations

from itertools import pairwise

import bpy
import numpy as np

from tests.blender.fuzz_play import kept_shape, mesh_objects, push_undo, shape_in_blender

__all__ = ["check_history", "check_rules", "look"]


_wholes: set[int] = set()  # meshes with an image that nobody has drawn, whether their objects are still there or not


def check_rules() -> None:
    """Raises AssertionError with what does not hold."""
    from neurok_blender.session.state import session

    assert session.simulation is None, "a simulation is still running"
    for obj in bpy.data.objects:
        settings = obj.neurok
        last = max(len(settings.conditions) - 1, 0)
        assert 0 <= settings.active_condition <= last, f"{obj.name}: condition {settings.active_condition} of {last}"
    for uid, take in session.takes.items():
        assert take.mesh is not None and take.mesh.session_uid == uid, "a take of a mesh that is gone"
        assert take.object is not None, f"a take of {take.mesh.name}, whose object is gone or has another mesh"
        assert take.frame_count > 0, f"the take of {take.mesh.name} has no frames"
    for mesh in bpy.data.meshes:
        _check_mesh(mesh)
    for obj in mesh_objects():
        _check_bakes(obj)


def _check_mesh(mesh: bpy.types.Mesh) -> None:
    from neurok_blender.scene import preview
    from neurok_blender.session.state import session

    now = shape_in_blender(mesh)
    if any(obj.data == mesh and obj.neurok.half is not None for obj in bpy.data.objects):
        _wholes.add(mesh.session_uid)
    drawn = None if mesh.session_uid in _wholes else kept_shape(mesh)
    key = None if mesh.shape_keys is None else mesh.shape_keys.key_blocks.get(preview.PREVIEW_KEY)
    if key is not None:
        assert np.array_equal(now, drawn) or drawn is None, f"{mesh.name} has lost its drawn shape under a pose"
        assert key.mute or not mesh.is_editmode, f"{mesh.name} shows a pose in edit mode"
        if key.mute:
            return
        now = np.empty_like(now)
        key.points.foreach_get("co", now.reshape(-1))
    if not preview.is_posed(mesh) or mesh.is_editmode:
        assert drawn is None or np.array_equal(now, drawn), f"{mesh.name} shows no pose and is not as it was drawn"
        return
    original = preview.original_coordinates(mesh)
    assert drawn is None or np.array_equal(original, drawn), f"the original under the pose of {mesh.name} is another"
    take = session.takes.get(mesh.session_uid)
    assert take is not None, f"{mesh.name} is posed without a take"
    assert take.object.mode == "OBJECT", f"{mesh.name} is posed in the mode {take.object.mode}"
    assert take.fits(mesh), f"{mesh.name} shows a take that does not fit it"
    shape = take.shape(take.index_at(bpy.context.scene.frame_current))
    assert np.array_equal(now, shape), f"{mesh.name} shows another frame than the timeline's"


def _check_bakes(obj: bpy.types.Object) -> None:
    """Baked takes that play have frames of their own, and each still has what was made for it or is cleared."""
    playing = sorted((each.frame_start, each.frame_end) for each in obj.neurok.bakes if each.used)
    for (_start, end), (start, _end) in pairwise(playing):
        assert end < start, f"{obj.name} plays two takes at frame {start}"
    assert all(each.complete for each in obj.neurok.bakes), f"{obj.name} has half a baked take"


def look() -> dict[str, object]:
    """All that undo has to bring back, by object."""
    return {
        "scene": _values(bpy.context.scene.neurok),
        **{
            obj.name: (
                obj.data.name,
                obj.mode,
                [tuple(row) for row in obj.matrix_basis],
                (kept := kept_shape(obj.data)) is not None and kept.tobytes(),
                _values(obj.neurok),
                [_values(condition) for condition in obj.neurok.conditions],
            )
            for obj in mesh_objects()
        },
    }


def _values(group: bpy.types.bpy_struct) -> dict[str, object]:
    simple = ("FLOAT", "INT", "BOOLEAN", "ENUM", "STRING")
    found = {}
    for item in group.bl_rna.properties:
        if item.type in simple:
            value = getattr(group, item.identifier)
            found[item.identifier] = tuple(value) if getattr(item, "is_array", False) else value
    return found


def check_history() -> None:
    """One step back and forth again leaves everything as it was.

    In object mode, because Blender's other modes take back what was done to the mesh, and no settings.
    """
    if bpy.context.mode != "OBJECT":
        return
    push_undo("Before")
    if obj := bpy.context.object:
        obj.neurok.density += 1.0
    push_undo("After")
    before = look()
    assert bpy.ops.ed.undo() == {"FINISHED"}
    bpy.context.view_layer.update()
    check_rules()
    assert obj is None or look() != before, "undo has done nothing"
    assert bpy.ops.ed.redo() == {"FINISHED"}
    bpy.context.view_layer.update()
    after = look()
    other = [name for name in {**before, **after} if before.get(name) != after.get(name)]
    assert not other, f"undo and redo do not bring back {[(before.get(name), after.get(name)) for name in other]}"
