"""The steps of the fuzz test that are Blender's own: what an artist does between two buttons of ours."""

from __future__ import annotations

import time
from random import Random

import bmesh
import bpy

from tests.blender.fuzz_operators import call
from tests.blender.fuzz_play import DRAWN, MOST_OBJECTS, Play, mesh_objects, note_drawn, push_undo, randomize

__all__ = ["FRESH_TAKE", "STEPS", "add_object"]

FRESH_TAKE = "fresh take"

MEDDLING = ("undo", "redo", "delete", "change mode", "change frame", "save", "add object", "duplicate")
MODES = ("OBJECT", "EDIT", "SCULPT", "WEIGHT_PAINT", "VERTEX_PAINT")


def activate(obj: bpy.types.Object) -> None:
    obj.hide_set(False)
    bpy.context.view_layer.objects.active = obj
    obj.select_set(True)


def in_object_mode() -> bool:
    return bpy.context.mode == "OBJECT"


def add_object(rng: Random, _play: Play) -> None:
    if not in_object_mode() or len(mesh_objects()) >= MOST_OBJECTS:
        return
    place = (rng.uniform(-3, 3), rng.uniform(-3, 3), rng.uniform(0, 4))
    if rng.random() < 0.5:
        bpy.ops.mesh.primitive_uv_sphere_add(segments=8, ring_count=6, location=place)
    else:
        bpy.ops.mesh.primitive_cube_add(location=place)
    note_drawn(bpy.context.object.data)
    # What is recognised by the network takes seconds, so that comes only where a random setting asks for it.
    bpy.context.object.neurok.provider = rng.choice(("RIGID", "RIGID", "ELASTIC"))
    push_undo("Add")


def fresh_take(rng: Random, play: Play) -> None:
    """Whatever happened before: an object that is made now can be simulated, and what it shows can be baked."""
    leave_mode(rng, play)
    for obj in mesh_objects()[MOST_OBJECTS - 1 :]:
        bpy.data.objects.remove(obj)
    add_object(rng, play)
    bpy.context.object.neurok.provider, bpy.context.object.neurok.anchor = "RIGID", "NONE"
    bpy.context.scene.neurok.scope = "SELECTED"
    assert call("neurok.simulate") == {"FINISHED"}
    change_frame(rng, play)
    if rng.random() < 0.3:
        assert call("neurok.bake") == {"FINISHED"}


def interrupt(rng: Random, play: Play) -> None:
    """In the middle of a simulation, as a window shows it, something else is done; then it goes on or is cancelled."""
    from neurok_blender.errors import Refusal
    from neurok_blender.session.simulation import Outcome, Simulation
    from neurok_blender.session.state import session

    if play.simulations == 0:
        return
    try:
        simulation = Simulation(bpy.context, [bpy.context.active_object])
    except Refusal:
        return
    play.simulations -= 1
    for _ in range(rng.choice((1, 50, 200))):
        simulation.tick(show_frames=True)
        time.sleep(0.002)
    try:
        STEPS[rng.choice(MEDDLING)][1](rng, play)
        bpy.context.view_layer.update()
    finally:
        if rng.random() < 0.5 and session.simulation is simulation:
            call("neurok.cancel")
        while simulation.tick(0.1, show_frames=True).outcome is Outcome.RUNNING:
            time.sleep(0.002)


def select(rng: Random, _play: Play) -> None:
    objects = mesh_objects()
    if objects and in_object_mode():
        for obj in objects:
            obj.select_set(rng.random() < 0.5)
        activate(rng.choice(objects))
        push_undo("Select")


def select_moving(rng: Random, _play: Play) -> None:
    """Somebody who has simulated goes on with that object."""
    from neurok_blender.session.state import session

    moving = [obj for obj in mesh_objects() if session.take_of(obj) is not None]
    if moving and in_object_mode():
        bpy.ops.object.select_all(action="DESELECT")
        activate(rng.choice(moving))
        push_undo("Select")


def delete(_rng: Random, _play: Play) -> None:
    if len(mesh_objects()) > 1:
        call("object.delete")


def duplicate(rng: Random, _play: Play) -> None:
    if len(mesh_objects()) < MOST_OBJECTS:
        call("object.duplicate", linked=rng.random() < 0.3)


def make_single(_rng: Random, _play: Play) -> None:
    call("object.make_single_user", object=True, obdata=True)


def rename(rng: Random, _play: Play) -> None:
    if obj := bpy.context.object:
        obj.name = rng.choice(("Ball", "Cube", "Äpfel", "x" * 60))
        obj.data.name = obj.name
        push_undo("Rename")


def move(rng: Random, _play: Play) -> None:
    if obj := bpy.context.object:
        obj.location = [rng.uniform(-3, 3) for _ in range(3)]
        obj.rotation_euler = [rng.uniform(-3, 3) for _ in range(3)]
        obj.scale = [rng.choice((0.5, 1.0, 2.0)) for _ in range(3)]
        push_undo("Move")


def hide(_rng: Random, _play: Play) -> None:
    if obj := bpy.context.object:
        obj.hide_set(not obj.hide_get())
        push_undo("Hide")


def parent(rng: Random, _play: Play) -> None:
    call("object.parent_set" if rng.random() < 0.6 else "object.parent_clear")


def modifier(rng: Random, _play: Play) -> None:
    if not (obj := bpy.context.object) or obj.type != "MESH":
        return
    if obj.modifiers and rng.random() < 0.6:
        obj.modifiers.clear()
    else:
        obj.modifiers.new("Fuzz", rng.choice(("SUBSURF", "CAST", "WEIGHTED_NORMAL", "COLLISION")))
    push_undo("Modifier")


def half(_rng: Random, play: Play) -> None:
    """What is drawn is one half that a Mirror modifier joins to its image."""
    if len(mesh_objects()) >= MOST_OBJECTS or not in_object_mode():
        return
    add_object(Random(0), play)
    cut, mesh = bmesh.new(), bpy.context.object.data
    cut.from_mesh(mesh)
    everything = cut.verts[:] + cut.edges[:] + cut.faces[:]
    bmesh.ops.bisect_plane(cut, geom=everything, plane_co=(0, 0, 0), plane_no=(1, 0, 0), clear_inner=True)
    cut.to_mesh(mesh)
    note_drawn(mesh)
    bpy.context.object.modifiers.new("Mirror", "MIRROR")
    push_undo("Half")


def scene_setting(rng: Random, _play: Play) -> None:
    push_undo(randomize(rng, bpy.context.scene.neurok, frozenset({"frame_count", "frame_start"})))


def vertex_group(rng: Random, _play: Play) -> None:
    if (obj := bpy.context.object) and obj.type == "MESH" and in_object_mode():
        group = obj.vertex_groups.get("Fuzz") or obj.vertex_groups.new(name="Fuzz")
        group.add([vertex.index for vertex in obj.data.vertices if rng.random() < 0.3], rng.random(), "REPLACE")
        obj.neurok.anchor_group = "Fuzz"
        push_undo("Vertex Group")


def material(_rng: Random, _play: Play) -> None:
    call("object.material_slot_add")


def shape_key(rng: Random, _play: Play) -> None:
    if rng.random() < 0.3:
        call("object.shape_key_add")
    else:
        call("object.shape_key_remove", all=True)


def change_mode(rng: Random, _play: Play) -> None:
    if bpy.context.object:
        call("object.mode_set", mode=rng.choice((*MODES, "OBJECT", "OBJECT")))


def leave_mode(_rng: Random, _play: Play) -> None:
    if bpy.context.object:
        call("object.mode_set", mode="OBJECT")


def edit_mesh(rng: Random, _play: Play) -> None:
    """Moves or deletes vertices in edit mode, and what is kept of them likewise."""
    obj = bpy.context.object
    if obj is None or obj.mode != "EDIT":
        return
    edited = bmesh.from_edit_mesh(obj.data)
    layer = edited.verts.layers.float_vector.get(DRAWN)
    if layer is None or len(edited.verts) < 8:
        return
    edited.verts.ensure_lookup_table()
    if rng.random() < 0.25:
        bmesh.ops.delete(edited, geom=[rng.choice(edited.verts)], context="VERTS")
    else:
        for vertex in rng.sample(list(edited.verts), 3):
            vertex.co.z += 0.25
            vertex[layer] = vertex.co
    bmesh.update_edit_mesh(obj.data)
    push_undo("Edit")


def change_frame(rng: Random, _play: Play) -> None:
    bpy.context.scene.frame_set(rng.randint(-2, 14))


def object_setting(rng: Random, _play: Play) -> None:
    if obj := bpy.context.object:
        # Lists choose among what they have, and what is kept of a half nobody sets.
        push_undo(randomize(rng, obj.neurok, frozenset({"active_condition", "active_take", "half_renders"})))


def condition_setting(rng: Random, _play: Play) -> None:
    if (obj := bpy.context.object) and len(obj.neurok.conditions):
        # What kind a condition is, nobody changes: there is no button for it.
        push_undo(randomize(rng, rng.choice(obj.neurok.conditions), frozenset({"kind"})))


def choose_condition(rng: Random, _play: Play) -> None:
    if (obj := bpy.context.object) and len(obj.neurok.conditions):
        obj.neurok.active_condition = rng.randrange(len(obj.neurok.conditions))
        push_undo("Choose")


def take_length(rng: Random, _play: Play) -> None:
    frames = bpy.context.scene.neurok
    frames.frame_count, frames.frame_start = rng.randint(2, 6), rng.randint(0, 4)
    push_undo("Frames")


def undo(rng: Random, _play: Play) -> None:
    for _ in range(rng.choice((1, 1, 1, 2, 5))):
        bpy.ops.ed.undo()


def redo(rng: Random, _play: Play) -> None:
    for _ in range(rng.choice((1, 1, 2))):
        bpy.ops.ed.redo()


def undo_and_redo(rng: Random, _play: Play) -> None:
    for _ in range(rng.choice((1, 2, 4))):
        bpy.ops.ed.undo()
        bpy.context.view_layer.update()
    for _ in range(rng.choice((1, 2, 4))):
        bpy.ops.ed.redo()
        bpy.context.view_layer.update()


def save(_rng: Random, play: Play) -> None:
    bpy.ops.wm.save_as_mainfile(filepath=str(play.folder / "fuzz.blend"), copy=True)


def save_and_reopen(_rng: Random, play: Play) -> None:
    path = str(play.folder / "fuzz.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    bpy.ops.wm.open_mainfile(filepath=path)
    push_undo("Opened")


# How often each comes along among 300 steps, and what it does.
STEPS = {
    "add object": (10, add_object),
    FRESH_TAKE: (0, fresh_take),  # not by chance, but at equal distances
    "interrupt": (4, interrupt),
    "select": (16, select),
    "select moving": (14, select_moving),
    "delete": (5, delete),
    "duplicate": (8, duplicate),
    "make single user": (4, make_single),
    "rename": (5, rename),
    "move": (8, move),
    "hide": (3, hide),
    "parent": (3, parent),
    "modifier": (5, modifier),
    "half": (4, half),
    "scene setting": (4, scene_setting),
    "vertex group": (6, vertex_group),
    "material": (2, material),
    "shape key": (3, shape_key),
    "change mode": (14, change_mode),
    "leave mode": (14, leave_mode),
    "edit mesh": (12, edit_mesh),
    "change frame": (24, change_frame),
    "object setting": (14, object_setting),
    "condition setting": (18, condition_setting),
    "choose condition": (6, choose_condition),
    "take length": (5, take_length),
    "undo": (22, undo),
    "redo": (8, redo),
    "undo and redo": (16, undo_and_redo),
    "save": (3, save),
    "save and reopen": (4, save_and_reopen),
}
