"""Shortcuts: they are there, take no key from Blender, and go without a trace."""

import importlib.util
import sys
from pathlib import Path

import bpy
import pytest

# What Blender asks for a key in the 3D view in object mode, besides keymaps of tools and of what is open in it.
ASKED = (
    "Window",
    "Screen",
    "Screen Editing",
    "User Interface",
    "View2D Buttons List",
    "Frames",
    "Animation",
    "3D View",
    "3D View Generic",
    "Object Mode",
    "Object Non-modal",
)
DEFAULTS = ("blender_default", "industry_compatible_data")


def items() -> list[bpy.types.KeyMapItem]:
    from neurok_blender.operators.keymaps import KEYMAP

    keymap = bpy.context.window_manager.keyconfigs.addon.keymaps.get(KEYMAP)
    return [item for item in keymap.keymap_items if item.idname.startswith("neurok.")] if keymap else []


def keys_of(name: str) -> dict[str, set[tuple]]:
    """(key, Ctrl, Alt, Shift, OS) that one of Blender's own keymaps uses, by the part of it."""
    (folder,) = (path for path in bpy.utils.preset_paths("keyconfig") if (Path(path) / "keymap_data").is_dir())
    spec = importlib.util.spec_from_file_location(f"keys_{name}", Path(folder) / "keymap_data" / f"{name}.py")
    module = sys.modules[spec.name] = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
        found = {}
        for keymap, _where, content in module.generate_keymaps(module.Params()):
            for _operator, event, _properties in content["items"]:
                every = (-1,) * 4
                held = (
                    every if event.get("any") else tuple(event.get(key, 0) for key in ("ctrl", "alt", "shift", "oskey"))
                )
                found.setdefault(keymap, set()).add((event["type"], *held))
        return found
    finally:
        del sys.modules[spec.name]


def meets(ours: tuple, theirs: tuple) -> bool:
    """Whether one press of keys is both; -1 stands for held or not."""
    return ours[0] == theirs[0] and all(a == int(b) or b == -1 for a, b in zip(ours[1:], theirs[1:], strict=True))


def test_every_shortcut_is_there_once_and_works(addon):
    from neurok_blender.operators.keymaps import SHORTCUTS

    assert sorted(item.idname for item in items()) == sorted(shortcut.operator for shortcut in SHORTCUTS)
    assert all(item.active and item.ctrl and item.alt and not item.shift for item in items())
    for item in items():
        module, name = item.idname.split(".")
        assert getattr(getattr(bpy.ops, module), name).get_rna_type().name


@pytest.mark.parametrize("name", DEFAULTS)
def test_no_shortcut_takes_a_key_from_blender(addon, name):
    theirs = keys_of(name)
    assert "Object Mode" in theirs and sum(keymap in theirs for keymap in ASKED) >= 8
    for item in items():
        ours = (item.type, *map(int, (item.ctrl, item.alt, item.shift, item.oskey)))
        taken = [keymap for keymap in ASKED for key in theirs.get(keymap, ()) if meets(ours, key)]
        assert taken == [], item.idname


def test_a_taken_key_would_be_noticed(addon):
    assert any(meets(("G", 1, 1, 0, 0), key) for key in keys_of("blender_default")["Object Mode"])


def test_leaving_takes_the_shortcuts_away(addon):
    present = len(items())
    for _round in range(3):
        addon.unregister()
        assert items() == []
        addon.register()
        assert len(items()) == present


def test_shortcuts_of_others_stay(addon):
    from neurok_blender.operators.keymaps import KEYMAP

    keymap = bpy.context.window_manager.keyconfigs.addon.keymaps[KEYMAP]
    other = keymap.keymap_items.new("object.delete", "F19", "PRESS")
    addon.unregister()
    assert [item.idname for item in keymap.keymap_items] == ["object.delete"]
    addon.register()
    keymap.keymap_items.remove(other)
