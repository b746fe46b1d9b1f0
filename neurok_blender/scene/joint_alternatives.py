"""Alternatives of the joints of a recognised object that were chosen, kept in the .blend.

The backend numbers the alternatives of all joints as choices; a joint without one moves as is likeliest.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import bpy

__all__ = ["keep_alternatives", "kept_alternatives", "next_alternative", "open_joints"]

Choice = Mapping[str, Any]


def kept_alternatives(obj: bpy.types.Object, form: str) -> list[int]:
    """The choices that were kept for a mesh of this form; none where it has changed since."""
    kept = json.loads(obj.neurok.ways) if obj.neurok.ways else {}
    return list(kept["choices"]) if kept.get("form") == form else []


def keep_alternatives(obj: bpy.types.Object, form: str, choices: Sequence[int]) -> None:
    obj.neurok.ways = json.dumps({"form": form, "choices": sorted(choices)}) if choices else ""


def open_joints(choices: Sequence[Choice]) -> dict[int, list[int]]:
    """For each joint with alternatives their numbers."""
    joints: dict[int, list[int]] = {}
    for number, choice in enumerate(choices):
        joints.setdefault(int(choice["joint"]), []).append(number)
    return joints


def next_alternative(choices: Sequence[Choice], kept: Sequence[int], joint: int) -> list[int]:
    """The choices with the next alternative of this joint; after the last comes the likeliest motion again."""
    others = open_joints(choices)[joint]
    now = next((number for number in kept if number in others), None)
    place = 0 if now is None else others.index(now) + 1
    rest = [number for number in kept if number not in others]
    return sorted(rest + others[place : place + 1])
