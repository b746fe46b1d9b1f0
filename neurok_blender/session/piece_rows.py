"""Rows of the list of pieces: those that the last analysis of the shown object found, and what is said of others."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import bpy

from ..scene.pieces import said_of_piece
from .background_analysis import background_analysis

__all__ = ["blender_material", "found_piece", "piece_material", "piece_names", "show_rows"]


def found_piece(obj: bpy.types.Object, name: str) -> Mapping[str, Any] | None:
    """What the analysis tells of the piece of this name; None where it has found none."""
    return next((piece for piece in _found(obj) if piece["name"] == name), None)


def piece_material(obj: bpy.types.Object, name: str) -> str:
    """What the piece is made of, as the backend calls it: what is said, else what was found; empty: not known yet."""
    said, found = said_of_piece(obj, name), found_piece(obj, name)
    if said is not None and said.material:
        return said.material
    return "" if found is None else found["material"]


def blender_material(obj: bpy.types.Object, name: str) -> bpy.types.Material | None:
    """What most of the piece is drawn with; None where that is nothing, or not known yet."""
    finding = background_analysis.finding_of(obj)
    number = next((place for place, piece in enumerate(_found(obj)) if piece["name"] == name), -1)
    if finding is None or not 0 <= number < len(finding.slots):
        return None
    slot = int(finding.slots[number])
    return obj.material_slots[slot].material if slot < len(obj.material_slots) else None


def piece_names(obj: bpy.types.Object) -> list[str]:
    """Those of found pieces, then those of which something is said and that are not there, or not yet."""
    found = [piece["name"] for piece in _found(obj)]
    return [*found, *(entry.name for entry in obj.neurok.pieces if entry.name not in found)]


def show_rows(obj: bpy.types.Object | None) -> bool:
    """Makes the rows those of this object; whether that has changed something. Not while a panel is drawn."""
    view = bpy.context.window_manager.neurok
    names = [] if obj is None or obj.type != "MESH" else piece_names(obj)
    if [row.name for row in view.pieces] == names:
        return False
    view.pieces.clear()
    for name in names:
        view.pieces.add().name = name
    view.active_piece = min(view.active_piece, max(len(names) - 1, 0))
    return True


def _found(obj: bpy.types.Object) -> list[Mapping[str, Any]]:
    finding = background_analysis.finding_of(obj)
    return [] if finding is None or finding.summary is None else list(finding.summary.get("pieces", ()))
