"""Texts of the backend and the job layer, in the artist's language.

They come as ids and arguments; the template of an id is translated by Blender, which knows which language is wanted,
and whether. In the tables the templates have the context BACKEND.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from bpy.app.translations import pgettext_iface as iface_
from bpy.app.translations import pgettext_rpt as rpt_

from ..backend.texts import STAGES, Text, from_wire, sentence
from ..translations import BACKEND

__all__ = ["backend_report", "backend_text", "kept_texts"]

Translate = Callable[..., str]
"""One of Blender's own: of a text, and of a text in a context."""


def backend_text(text: Text | str) -> str:
    """In the language of the interface; English where there is no translation. Strings are the add-on's own."""
    return _translated(text, iface_)


def backend_report(text: Text | str) -> str:
    """The same for reports and the status bar, which the preferences treat separately."""
    return _translated(text, rpt_)


def kept_texts(entries: Iterable[Any]) -> list[Text | str]:
    """Texts that a file has kept as they came from the worker, without those that are no longer known."""
    found = []
    for entry in entries:
        try:
            found.append(from_wire(entry))
        except KeyError:
            continue  # of another version
    return found


def _translated(text: Text | str, translate: Translate) -> str:
    if isinstance(text, Text):
        return sentence(text, lambda template: translate(template, BACKEND))
    return translate(text, BACKEND) if text in STAGES else translate(text)
