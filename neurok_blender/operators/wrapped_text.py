"""Sentences wrapped to the width of a panel or a dialog."""

from __future__ import annotations

import re
import textwrap

import bpy

from ..backend.texts import Text
from ..session.backend_text import backend_text

__all__ = ["draw_text"]

# Letters of Blender's interface font are about this wide, in pixels at interface scale 1.
LETTER_PIXELS = 6.5
# What a panel's margins and the icon take from a line.
MARGIN_PIXELS = 60
# What the frame of a box takes besides.
BOX_PIXELS = 20


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
    pixels = width or context.region.width / context.preferences.system.ui_scale
    margin = MARGIN_PIXELS + (BOX_PIXELS if boxed else 0)
    letters = max(16, int((pixels - margin) / LETTER_PIXELS))
    column = layout.column(align=True)
    column.scale_y = 0.8
    for number, line in enumerate(_lines(backend_text(text), letters)):
        shown = icon if number == 0 else ("NONE" if icon == "NONE" else "BLANK1")
        column.label(text=line, icon=shown, translate=False)
