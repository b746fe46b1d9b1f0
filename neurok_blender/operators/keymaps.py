"""Keyboard shortcuts in the 3D view's object mode; artists change them in the preferences or in Blender's keymap."""

from __future__ import annotations

from dataclasses import dataclass

import bpy
import rna_keymap_ui

from ..names import Operator

__all__ = ["KEYMAP", "SHORTCUTS", "Shortcut", "attach", "detach", "draw"]

KEYMAP = "Object Mode"


@dataclass(frozen=True)
class Shortcut:
    """A key together with Ctrl and Alt; Blender's own keymaps, 4.2 to 5.2, leave these free."""

    operator: Operator
    key: str


SHORTCUTS = (
    Shortcut(Operator.SIMULATE, "P"),
    Shortcut(Operator.POKE_PLACE, "K"),
    Shortcut(Operator.LIVE, "L"),
    Shortcut(Operator.POSE, "O"),
    Shortcut(Operator.BAKE, "J"),
)


def attach() -> None:
    configuration = bpy.context.window_manager.keyconfigs.addon
    if configuration is None:  # Blender runs without any user interface
        return
    keymap = configuration.keymaps.new(name=KEYMAP, space_type="EMPTY")
    for shortcut in SHORTCUTS:
        keymap.keymap_items.new(shortcut.operator, shortcut.key, "PRESS", ctrl=True, alt=True)


def detach() -> None:
    configuration = bpy.context.window_manager.keyconfigs.addon
    if configuration is None:
        return
    # The keymap itself stays, since other add-ons may have their shortcuts in it.
    for item in _ours(configuration):
        configuration.keymaps[KEYMAP].keymap_items.remove(item)


def draw(layout: bpy.types.UILayout, context: bpy.types.Context) -> None:
    """A row for each shortcut as the artist has it now, to change it."""
    configuration = context.window_manager.keyconfigs.user
    for item in _ours(configuration):
        keymap = configuration.keymaps[KEYMAP]
        layout.context_pointer_set("keymap", keymap)
        rna_keymap_ui.draw_kmi([], configuration, keymap, item, layout, 0)


def _ours(configuration: bpy.types.KeyConfig) -> list[bpy.types.KeyMapItem]:
    keymap = configuration.keymaps.get(KEYMAP)
    operators = {shortcut.operator.value for shortcut in SHORTCUTS}
    return [item for item in keymap.keymap_items if item.idname in operators] if keymap is not None else []
