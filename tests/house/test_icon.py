"""The committed icons are what draw_icon.py draws, and they can be told on any theme of Blender's."""

from __future__ import annotations

import numpy as np
import pytest
from PIL import Image, ImageChops

from tests.house.draw_icon import ICONS, SIZES, draw_icon, icon_names

# Panels of Blender's dark and light themes.
GROUNDS = ((48, 48, 48), (179, 179, 179))


@pytest.mark.parametrize("name", icon_names())
def test_icon_is_up_to_date(name):
    for size in SIZES:
        with Image.open(ICONS / f"{name}_{size}.png") as kept:
            assert kept.size == (size, size)
            assert ImageChops.difference(kept, draw_icon(name, size)).getbbox(alpha_only=False) is None


def test_every_picture_has_its_drawing():
    pictures = {path.stem.rpartition("_")[0] for path in ICONS.glob("*.png")}
    assert pictures == set(icon_names())


@pytest.mark.parametrize("name", icon_names())
@pytest.mark.parametrize("ground", GROUNDS)
def test_icon_stands_out_at_16_pixels(name, ground):
    """A tenth of its pixels at least differ from the ground by 60 of 255 steps."""
    picture = Image.new("RGBA", (16, 16), (*ground, 255))
    picture.alpha_composite(draw_icon(name, 16))
    away = np.abs(np.asarray(picture, int)[..., :3] - ground).max(axis=-1)
    assert (away > 60).sum() >= 26
