"""How the fuzz test calls each operator of the add-on, or why it does not."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

import bpy

from tests.blender.fuzz_play import MOST_OBJECTS, Play, mesh_objects, note_drawn

__all__ = ["OPERATORS", "call"]

Step = Callable[[Random, Play], None]


def call(idname: str, **options) -> set[str]:
    """As a menu does: with an undo step where the operator makes one."""
    module, name = idname.split(".")
    return getattr(getattr(bpy.ops, module), name)("EXEC_DEFAULT", True, **options)


def _plain(idname: str) -> Step:
    def step(_rng: Random, _play: Play) -> None:
        call(idname)

    return step


def _choosing(idname: str, field: str) -> Step:
    """With one of the choices that the operator's enum `field` has."""

    def step(rng: Random, _play: Play) -> None:
        module, name = idname.split(".")
        choices = getattr(getattr(bpy.ops, module), name).get_rna_type().properties[field].enum_items
        call(idname, **{field: rng.choice([choice.identifier for choice in choices])})

    return step


def _simulating(idname: str) -> Step:
    def step(_rng: Random, play: Play) -> None:
        if play.simulations > 0 and call(idname) == {"FINISHED"}:
            play.simulations -= 1

    return step


def _sample(_rng: Random, play: Play) -> None:
    if play.samples > 0 and len(mesh_objects()) < MOST_OBJECTS:
        play.samples -= 1
        before = set(mesh_objects())
        call("neurok.sample_add", kind="FLAG")
        for obj in set(mesh_objects()) - before:
            note_drawn(obj.data)
        bpy.ops.ed.undo_push(message="Sample noted")


def _bake(rng: Random, _play: Play) -> None:
    """In any kind and place."""
    kinds = ("SHAPE_KEYS", "SHAPE_KEYS", "COMPRESSED", "ARMATURE", "CACHE")
    call(
        "neurok.bake",
        kind=rng.choice(kinds),
        place=rng.choice(("NEW", "REPLACE", "APPEND")),
        step=rng.choice((1, 1, 2)),
    )


def _preset(rng: Random, _play: Play) -> None:
    from neurok_blender.operators.preset_operators import PRESET_FOLDER
    from neurok_blender.setup.paths import PACKAGE_DIRECTORY

    shipped = sorted((PACKAGE_DIRECTORY / "presets" / PRESET_FOLDER).glob("*.py"))
    call("neurok.preset_apply", filepath=str(rng.choice(shipped)))


def _choose_condition(rng: Random, _play: Play) -> None:
    call("neurok.condition_choose", index=rng.randrange(4))


def _piece(idname: str, field: str, choices: tuple[str, ...]) -> Step:
    """Of a piece that is there, or that was when something was said of it."""

    def step(rng: Random, _play: Play) -> None:
        from neurok_blender.session.piece_rows import piece_names

        obj = bpy.context.active_object
        known = [] if obj is None or obj.type != "MESH" else piece_names(obj)
        value = {field: rng.choice(choices)} if field else {}
        call(idname, piece=rng.choice([*known, "Gone"]), **value)

    return step


def _needs_view(idname: str) -> Step:
    """There is no 3D view to work in here, and so no pose mode, which the operator has to notice.

    Real windows are driven in tests/gui.
    """

    def step(_rng: Random, _play: Play) -> None:
        module, name = idname.split(".")
        assert not getattr(getattr(bpy.ops, module), name).poll(), f"{idname} would start without a 3D view"

    return step


# Name -> how often it comes along among 300 steps, and how; or a sentence why it does not.
OPERATORS: dict[str, tuple[float, Step] | str] = {
    "neurok.simulate": (12, _simulating("neurok.simulate")),
    "neurok.cancel": "Without a window Simulate has ended before anybody could cancel it; see `interrupt`.",
    "neurok.bake": (6, _bake),
    "neurok.bake_all": (1, _plain("neurok.bake_all")),
    "neurok.bake_clear": (2, _plain("neurok.bake_clear")),
    "neurok.pointmap": "it writes what a camera sees, which these scenes do not have; test_pointmap.py calls it",
    "neurok.pointmap_export": "It opens the file browser.",
    "neurok.bake_play": (2, _plain("neurok.bake_play")),
    "neurok.discard_take": (2, _plain("neurok.discard_take")),
    "neurok.take_range": (1, _plain("neurok.take_range")),
    "neurok.condition_add": (16, _choosing("neurok.condition_add", "kind")),
    "neurok.condition_remove": (10, _plain("neurok.condition_remove")),
    "neurok.condition_duplicate": (6, _plain("neurok.condition_duplicate")),
    "neurok.condition_move": (6, _choosing("neurok.condition_move", "direction")),
    "neurok.condition_choose": (6, _choose_condition),
    **{
        idname: (0.5, _needs_view(idname))
        for idname in (
            "neurok.poke_place",
            "neurok.pin_brush",
            "neurok.live",
            "neurok.pose",
            "neurok.pose_end",
            "neurok.pose_reset",
            "neurok.pose_random",
            "neurok.pose_explore",
            "neurok.pose_choose",
            "neurok.pose_film",
        )
    },
    "neurok.pose_key": (1, _plain("neurok.pose_key")),
    "neurok.way_next": (1, _plain("neurok.way_next")),
    "neurok.finding": (1, _plain("neurok.finding")),
    "neurok.size": (1, _plain("neurok.size")),
    "neurok.piece_material": (3, _piece("neurok.piece_material", "material", ("AUTO",))),
    "neurok.piece_behaviour": (4, _piece("neurok.piece_behaviour", "behaviour", ("AUTO", "RIGID", "SOFT", "SHEET"))),
    "neurok.piece_reset": (2, _piece("neurok.piece_reset", "", ())),
    "neurok.piece_tie": (1, _piece("neurok.piece_tie", "", ())),
    "neurok.piece_assign": (2, _plain("neurok.piece_assign")),
    "neurok.joints_find": (1, _simulating("neurok.joints_find")),
    "neurok.joint_next": (2, _plain("neurok.joint_next")),
    "neurok.joint_assign": (1, _plain("neurok.joint_assign")),
    "neurok.joint_select": (1, _plain("neurok.joint_select")),
    "neurok.joint_add": (1, _plain("neurok.joint_add")),
    "neurok.joint_remove": (1, _plain("neurok.joint_remove")),
    "neurok.joints_clear": (1, _plain("neurok.joints_clear")),
    "neurok.reach_add": (2, _plain("neurok.reach_add")),
    "neurok.reach_remove": (1, _plain("neurok.reach_remove")),
    "neurok.reach_bake": (1, _simulating("neurok.reach_bake")),
    "neurok.robot_write": "It writes files.",
    "neurok.robot_export": "It opens the file browser.",
    "neurok.robot_read": "It needs a robot's file.",
    "neurok.robot_import": "It opens the file browser.",
    "neurok.backend_check": (1, _plain("neurok.backend_check")),
    "neurok.sample_add": (2, _sample),
    "neurok.preset_apply": (4, _preset),
    "neurok.release_memory": (1, _plain("neurok.release_memory")),
    "neurok.log_open": (1, _plain("neurok.log_open")),
    "neurok.diagnostics_copy": (1, _plain("neurok.diagnostics_copy")),
    "neurok.preset_add": "It writes among the presets of whoever runs the tests.",
    "neurok.log_reveal": "It starts the system's file browser.",
    "neurok.backend_setup": "It downloads packages.",
    "neurok.backend_browse": "It opens the file browser.",
    "neurok.backend_cancel": "Nothing is being set up.",
    "neurok.backend_remove": "It removes what whoever runs the tests has set up.",
}
