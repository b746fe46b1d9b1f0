"""Draws icons/NAME_16.png, _32 and _64 from each icons/NAME.svg.

Run it after changing a drawing; a test compares what it draws with what is in icons. Of SVG it knows what the drawings
need: `g`, `path` (M L C Z, capital letters), `circle`, `ellipse`, `rect` and `line`; fill, stroke and opacity; ends and
corners of strokes are round.
"""

from __future__ import annotations

import itertools
import re
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from PIL import Image, ImageColor, ImageDraw

__all__ = ["ICONS", "SIZES", "draw_icon", "icon_names"]

ICONS = Path(__file__).resolve().parents[2] / "icons"
SIZES = (16, 32, 64)
FINE = 512  # pixels a side while drawing, then shrunk, for smooth edges
CURVE_STEPS = 24
CIRCLE_STEPS = 96

Outline = tuple[np.ndarray, bool]
"""Points Float[N,2] in pixels of the fine drawing, and whether the last is joined to the first."""


@dataclass(frozen=True)
class Style:
    """How an element is painted; colours as SVG writes them, width in pixels of the fine drawing."""

    fill: str = "none"
    stroke: str = "none"
    width: float = 0.0
    opacity: float = 1.0

    def of(self, element: ElementTree.Element, scale: float) -> Style:
        """What the element inherits, and its own."""
        own = element.attrib
        width = float(own["stroke-width"]) * scale if "stroke-width" in own else self.width
        opacity = self.opacity * float(own.get("opacity", 1.0))
        return replace(
            self, fill=own.get("fill", self.fill), stroke=own.get("stroke", self.stroke), width=width, opacity=opacity
        )


def icon_names() -> list[str]:
    return sorted(path.stem for path in ICONS.glob("*.svg"))


def _curve(points: np.ndarray) -> np.ndarray:
    """A cubic Bezier curve of four control points [4,2], without its first point."""
    t = np.linspace(0.0, 1.0, CURVE_STEPS + 1)[1:, None]
    a, b, c, d = points
    return (1 - t) ** 3 * a + 3 * (1 - t) ** 2 * t * b + 3 * (1 - t) * t**2 * c + t**3 * d


def _path(data: str) -> Iterator[Outline]:
    points: list[np.ndarray] = []
    for letter, text in re.findall(r"([A-Za-z])([^A-Za-z]*)", data):
        numbers = np.array([float(number) for number in re.findall(r"-?[\d.]+", text)]).reshape(-1, 2)
        match letter:
            case "M":
                if points:
                    yield np.array(points), False
                points = list(numbers)
            case "L":
                points += list(numbers)
            case "C":
                for controls in numbers.reshape(-1, 3, 2):
                    points += list(_curve(np.array([points[-1], *controls])))
            case "Z":
                yield np.array(points), True
                points = []
            case _:
                raise ValueError(f"paths with {letter} are not known here")
    if points:
        yield np.array(points), False


def _ellipse(x: float, y: float, rx: float, ry: float) -> Outline:
    angle = np.linspace(0.0, 2.0 * np.pi, CIRCLE_STEPS, endpoint=False)
    return np.stack([x + rx * np.cos(angle), y + ry * np.sin(angle)], axis=1), True


def _outlines(element: ElementTree.Element) -> Iterator[Outline]:
    def of(*names: str) -> list[float]:
        return [float(element.get(name, 0.0)) for name in names]

    match element.tag.rpartition("}")[2]:
        case "path":
            yield from _path(element.attrib["d"])
        case "circle":
            x, y, r = of("cx", "cy", "r")
            yield _ellipse(x, y, r, r)
        case "ellipse":
            yield _ellipse(*of("cx", "cy", "rx", "ry"))
        case "line":
            yield np.array(of("x1", "y1", "x2", "y2")).reshape(2, 2), False
        case "rect":
            x, y, width, height = of("x", "y", "width", "height")
            yield np.array([(x, y), (x + width, y), (x + width, y + height), (x, y + height)]), True
        case tag:
            raise ValueError(f"elements {tag} are not known here")


def _paint(icon: Image.Image, mask: Image.Image, colour: str, opacity: float) -> Image.Image:
    layer = Image.new("RGBA", icon.size, (*ImageColor.getrgb(colour), 0))
    layer.putalpha(mask.point(lambda value: round(value * opacity)))
    return Image.alpha_composite(icon, layer)


def _stroke(pen: ImageDraw.ImageDraw, points: np.ndarray, width: float) -> None:
    r = width / 2.0
    for x, y in points:
        pen.ellipse((x - r, y - r, x + r, y + r), fill=255)
    for start, end in itertools.pairwise(points):
        along = end - start
        length = np.hypot(*along)
        if length > 0.0:
            side = np.array([-along[1], along[0]]) * r / length
            pen.polygon([tuple(corner) for corner in (start + side, end + side, end - side, start - side)], fill=255)


def _draw(icon: Image.Image, element: ElementTree.Element, style: Style, scale: float) -> Image.Image:
    style = style.of(element, scale)
    if element.tag.rpartition("}")[2] in ("svg", "g"):
        for child in element:
            icon = _draw(icon, child, style, scale)
        return icon
    outlines = [(points * scale, closed) for points, closed in _outlines(element)]
    if style.fill != "none":
        mask = Image.new("L", icon.size)
        for points, _closed in outlines:
            ImageDraw.Draw(mask).polygon([tuple(point) for point in points], fill=255)
        icon = _paint(icon, mask, style.fill, style.opacity)
    if style.stroke != "none":
        mask = Image.new("L", icon.size)
        for points, closed in outlines:
            _stroke(ImageDraw.Draw(mask), np.concatenate([points, points[:1]]) if closed else points, style.width)
        icon = _paint(icon, mask, style.stroke, style.opacity)
    return icon


def draw_icon(name: str, size: int) -> Image.Image:
    """The icon at `size` x `size` pixels, on a transparent ground."""
    root = ElementTree.parse(ICONS / f"{name}.svg").getroot()
    scale = FINE / float(root.attrib["viewBox"].split()[2])
    icon = _draw(Image.new("RGBA", (FINE, FINE)), root, Style(), scale)
    return icon.resize((size, size), Image.Resampling.BOX)


if __name__ == "__main__":
    for drawing in icon_names():
        for pixels in SIZES:
            draw_icon(drawing, pixels).save(ICONS / f"{drawing}_{pixels}.png", optimize=True)
