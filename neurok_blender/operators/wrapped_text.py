"""Sentences wrapped to the width of a panel or a dialog."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable

import bpy

from ..backend.texts import Text
from ..session.backend_text import backend_text

__all__ = ["LINE_SCALE", "draw_lines", "draw_text"]

# Letters of Blender's interface font are about this wide, in pixels at interface scale 1.
LETTER_PIXELS = 6.5
# What a panel's margins and the icon take from a line.
MARGIN_PIXELS = 60
# What the frame of a box takes besides.
BOX_PIXELS = 20

LINE_SCALE = 0.8  # of the height of a button


def _lines(text: str, letters: int) -> list[str]:
    """The text in lines; a path that is too long for one is cut after its slashes."""
    cuttable = [re.sub(r"([/\\])", "\\1 ", word) if len(word) > letters else word for word in text.split()]
    lines = textwrap.wrap(" ".join(cuttable), letters, break_on_hyphens=False)
    return [re.sub(r"([/\\]) ", r"\1", line) for line in lines]


def draw_text(
    layout: bpy.types.UILayout,
    context: bpy.types.Context,
    text: Text | str,
    icon: str = "NONE",
    width: int = 0,
    boxed: bool = False,
) -> None:
    """A sentence, in the artist's language, over as many lines as the sidebar's width asks for.

    A dialog is `width` pixels wide at interface scale 1, wherever it has opened. `boxed`: the layout is a box's.
    """
    letters = _letters(context, width, MARGIN_PIXELS + (BOX_PIXELS if boxed else 0))
    column = layout.column(align=True)
    column.scale_y = LINE_SCALE
    for number, line in enumerate(_lines(backend_text(text), letters)):
        shown = icon if number == 0 else ("NONE" if icon == "NONE" else "BLANK1")
        column.label(text=line, icon=shown, translate=False)


def draw_lines(
    layout: bpy.types.UILayout,
    context: bpy.types.Context,
    entries: Iterable[tuple[Text | str, str]],
    count: int,
    whole: bool = False,
) -> None:
    """(sentence, icon) in a room of `count` lines, whatever there is to say: what lies below keeps its place.

    What has no room is cut, unless the `whole` has to be read; the tooltip of what stands beside it should have it.
    """
    letters = _letters(context, 0, MARGIN_PIXELS + BOX_PIXELS)
    lines = [
        (line, "BLANK1" if number else icon)
        for text, icon in entries
        for number, line in enumerate(_lines(backend_text(text), letters))
    ]
    if len(lines) > count and not whole:
        lines = [*lines[: count - 1], (f"{lines[count - 1][0]} ...", lines[count - 1][1])]
    column = layout.column(align=True)
    column.scale_y = LINE_SCALE
    for line, icon in [*lines, *[("", "BLANK1")] * (count - len(lines))]:
        column.label(text=line, icon=icon, translate=False)


def _letters(context: bpy.types.Context, width: int, margin: int) -> int:
    """How many letters a line has room for."""
    pixels = width or context.region.width / context.preferences.system.ui_scale
    return max(16, int((pixels - margin) / LETTER_PIXELS))
