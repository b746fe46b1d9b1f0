"""Draws icons/neurok_32.png and icons/neurok_64.png: a stalk that sways, with the poses it passed left faint.

Run it after changing the drawing; a test compares what it draws with what is in icons.
"""

from __future__ import annotations

import math
from pathlib import Path

from PIL import Image, ImageDraw

__all__ = ["ICONS", "SIZES", "draw_icon"]

ICONS = Path(__file__).resolve().parents[2] / "icons"
SIZES = (32, 64)
FINE = 8  # drawn this many times larger, then shrunk, for smooth edges
GREY, GREEN = (214, 214, 214), (120, 214, 110)
POSES = ((-0.42, 90, GREY), (0.02, 150, GREY), (0.52, 255, GREEN))  # sway, opacity, colour


def draw_icon(size: int) -> Image.Image:
    """The icon at `size` x `size` pixels, on a transparent ground."""
    full = size * FINE
    icon = Image.new("RGBA", (full, full))

    def place(x: float, y: float) -> tuple[float, float]:
        return x * full, (1.0 - y) * full

    for sway, opacity, colour in POSES:
        layer = Image.new("RGBA", icon.size)
        pen = ImageDraw.Draw(layer)
        # A stalk of constant curvature: the tip turns by `sway` radians times two.
        points, x, y, steps = [], 0.46, 0.16, 48
        for step in range(steps + 1):
            points.append(place(x, y))
            angle = 2.0 * sway * step / steps
            x, y = x + 0.62 / steps * math.sin(angle), y + 0.62 / steps * math.cos(angle)
        ink = (*colour, opacity)
        for index, (px, py) in enumerate(points):
            r = full * (0.048 - 0.018 * index / steps)
            pen.ellipse((px - r, py - r, px + r, py + r), fill=ink)
        (px, py), r = points[-1], full * 0.105
        pen.ellipse((px - r, py - r, px + r, py + r), fill=ink)
        icon = Image.alpha_composite(icon, layer)
    left, top = place(0.24, 0.17)
    right, bottom = place(0.68, 0.08)
    ImageDraw.Draw(icon).rounded_rectangle((left, top, right, bottom), radius=full * 0.045, fill=(*GREY, 255))
    return icon.resize((size, size), Image.Resampling.LANCZOS)


if __name__ == "__main__":
    for pixels in SIZES:
        draw_icon(pixels).save(ICONS / f"neurok_{pixels}.png", optimize=True)
