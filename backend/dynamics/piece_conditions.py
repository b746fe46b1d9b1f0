"""Pieces in `conditions.json`: what somebody says of a piece of the object, instead of what is found."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..errors import UserError
from ..io.json_values import choice, indices, number, or_none, record, shown, text

__all__ = ["Faces", "PieceOverride", "piece_override"]

_POSITIVE = number(0.0, 1e13, open_low=True)
_VALUES = {
    "density": number(1e-3, 1e6),
    "young": number(1.0, 1e13),
    "poisson": number(0.0, 0.49),
    "yield": _POSITIVE,
    "friction": number(0.0, 10.0),
    "damping": number(0.0, 10.0),
    "thickness": number(0.0, 1e6, open_low=True),
}
_FIELDS = {"yield": "yield_stress"}


@dataclass(frozen=True, eq=False)
class Faces:
    """Faces of a mesh by their numbers Int[n]."""

    numbers: np.ndarray


@dataclass(frozen=True, eq=False)
class PieceOverride:
    """A piece by its name, its number, as the faces between vertices Int[n], or as faces; None: as it was found.

    `values` by the names that `PieceMaterial` has for them; `name` is what a piece of one's own is called.
    """

    which: str | int | np.ndarray | Faces
    material: str | None = None
    behaviour: str | None = None
    values: dict[str, float | None] = field(default_factory=dict)
    name: str | None = None


def _which(where: str, value: Any) -> str | int | np.ndarray | Faces:
    if isinstance(value, dict) and "faces" in value:
        return Faces(record({"faces": indices}, ("faces",))(where, value)["faces"])
    if isinstance(value, dict):
        return record({"vertices": indices}, ("vertices",))(where, value)["vertices"]
    if isinstance(value, str) or type(value) is int:
        return value
    raise UserError("bad_piece.which", where=where, value=shown(value))


def piece_override(where: str, value: Any) -> PieceOverride:
    """One entry of the condition "pieces". Raises UserError."""
    readers = {
        "which": _which,
        "name": or_none(text),
        "material": or_none(text),
        "behaviour": or_none(choice("rigid", "soft", "sheet", "matter")),
        **{name: or_none(reader) for name, reader in _VALUES.items()},
    }
    entry = record(readers, ("which",))(where, value)
    values = {_FIELDS.get(name, name): entry.get(name) for name in _VALUES}
    own = isinstance(entry["which"], np.ndarray | Faces)
    if entry.get("name") is not None and not own:
        raise UserError("bad_piece.renamed", where=where)
    if (
        not own
        and entry.get("material") is None
        and entry.get("behaviour") is None
        and all(each is None for each in values.values())
    ):
        raise UserError("bad_conditions.changes_nothing", where=where)
    return PieceOverride(entry["which"], entry.get("material"), entry.get("behaviour"), values, entry.get("name"))
