"""The split of real objects into training and held-out ones: a fixed choice by name.

Clips of one object share its name, so that no pose of a held-out object is ever seen in training.
"""

from __future__ import annotations

import hashlib

__all__ = ["HELD_OUT_SHARE", "held_out", "is_research_only"]

HELD_OUT_SHARE = 0.2
# The same model, or the same one turned, under two names: both are on one side.
_TWINS = {
    "three_knight": "quat_knightcharacter",
    "metaworld_button_press_topdown": "metaworld_button_press",
    "metaworld_window_horizontal": "metaworld_window",
}
# Licences that allow looking and measuring, but no weights that are given away.
_RESTRICTED = ("non-commercial", "noncommercial", "research", "no redistribution", "cc-by-nc")


def held_out(name: str) -> bool:
    """Whether the object of this name is kept aside: about a fifth of all names, the same ones for ever."""
    digest = hashlib.sha256(_TWINS.get(name, name).encode()).digest()
    return int.from_bytes(digest[:8], "big") < HELD_OUT_SHARE * 2.0**64


def is_research_only(licence_class: str, licence: str, folders: tuple[str, ...]) -> bool:
    """Whether something may only be measured on: by its class in the manifest, its own licence or where it lies."""
    text = f"{licence_class} {licence}".lower()
    return any(word in text for word in _RESTRICTED) or any("research_only" in folder for folder in folders)
