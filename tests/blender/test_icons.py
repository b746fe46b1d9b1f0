"""Icons of our own. Without a window Blender gives them no numbers, so the pictures themselves are looked at."""

from pathlib import Path

import bpy.utils.previews
import pytest

NAMES = ("neurok", "poke", "velocity", "pin", "wind", "ground", "colliders", "follow", "simulate", "live", "pose")


@pytest.mark.parametrize("name", NAMES)
def test_an_icon_is_there_and_is_read(addon, name):
    from neurok_blender.panels import icons

    preview = icons._previews[name]
    assert tuple(preview.image_size) == (32, 32)
    assert any(preview.image_pixels_float[:])


def test_what_is_not_there_is_not_drawn(addon):
    from neurok_blender.panels.icons import icon_value

    assert icon_value("nothing of that name") == 0


def test_twenty_rounds_leave_no_picture_behind(addon, monkeypatch):
    from neurok_blender.panels import icons

    held = set()
    make, remove = bpy.utils.previews.new, bpy.utils.previews.remove

    def count_new():
        collection = make()
        held.add(id(collection))
        return collection

    def count_removed(collection):
        held.discard(id(collection))
        remove(collection)

    icons.detach()
    monkeypatch.setattr(bpy.utils.previews, "new", count_new)
    monkeypatch.setattr(bpy.utils.previews, "remove", count_removed)
    for _round in range(20):
        icons.attach()
        assert len(held) == 1 and set(icons._previews) == set(NAMES)
        icons.detach()
        assert not held and icons.icon_value("neurok") == 0
    icons.attach()


def test_every_drawing_is_shipped(addon):
    from neurok_blender.setup.paths import PACKAGE_DIRECTORY

    folder = Path(PACKAGE_DIRECTORY) / "icons"
    assert {path.stem for path in folder.glob("*.svg")} == set(NAMES)
