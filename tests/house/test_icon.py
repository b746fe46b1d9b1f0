"""The committed icons are what draw_icon.py draws."""

from __future__ import annotations

import pytest
from PIL import Image, ImageChops

from tests.house.draw_icon import ICONS, SIZES, draw_icon


@pytest.mark.parametrize("size", SIZES)
def test_icon_is_up_to_date(size):
    with Image.open(ICONS / f"neurok_{size}.png") as kept:
        assert ImageChops.difference(kept, draw_icon(size)).getbbox(alpha_only=False) is None
