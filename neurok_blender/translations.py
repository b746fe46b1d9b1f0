"""Translations of the interface, from languages/LOCALE.po: one more file there is one more language.

Blender asks for a text by its context: "Operator" for titles of operators and what stands on their buttons, "*" for all
else. `backend_text` asks for those of "Backend", by the templates of `backend.texts`. The files are of the format of
GNU gettext: msgctxt (none means "*"), msgid, msgstr, and comments.
"""

from __future__ import annotations

import ast
from pathlib import Path

import bpy

from .names import PACKAGE
from .setup.paths import PACKAGE_DIRECTORY

__all__ = ["BACKEND", "LANGUAGES", "Table", "attach", "detach", "read_po", "tables"]

Table = dict[tuple[str, str], str]
"""(context, English) -> the text in the language."""

LANGUAGES = PACKAGE_DIRECTORY / "languages"
DEFAULT_CONTEXT = "*"
BACKEND = "Backend"
"""The context of texts of the backend process."""


def read_po(path: Path) -> Table:
    """The texts of a file that are translated; ValueError where a line is none of the format."""
    table: Table = {}
    for block in path.read_text(encoding="utf-8").split("\n\n"):
        entry: dict[str, str] = {}
        key = ""
        for line in block.splitlines():
            if line.startswith("#") or not line.strip():
                continue
            if not line.startswith('"'):
                key, _, line = line.partition(" ")
            if key not in ("msgctxt", "msgid", "msgstr"):
                raise ValueError(f"{path.name} has a line that begins with {key!r}")
            entry[key] = entry.get(key, "") + ast.literal_eval(line)
        if entry.get("msgid") and entry.get("msgstr"):  # the entry without msgid is the head of the file
            table[entry.get("msgctxt", DEFAULT_CONTEXT), entry["msgid"]] = entry["msgstr"]
    return table


def tables() -> dict[str, Table]:
    """By the locale, which is the name of the file: `de` serves all German ones."""
    return {path.stem: read_po(path) for path in sorted(LANGUAGES.glob("*.po"))}


def attach() -> None:
    bpy.app.translations.register(PACKAGE, tables())


def detach() -> None:
    bpy.app.translations.unregister(PACKAGE)
