"""Names of an object and of its materials, and what is said of its pieces, as a request of the worker has them."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import protocol
from ..dynamics.piece_conditions import PieceOverride, piece_override
from ..errors import UserError
from ..geometry.labels import SHADER_VALUES, Labels, SlotLabel
from .requests import given_conditions

__all__ = ["labels_of", "pieces_of"]


def labels_of(message: protocol.Message) -> dict[str, Any]:
    """The names of an `analyze` request, as `engine.analyze` takes them. Raises UserError.

    {"object": name, "slots": [{"name", "shader": {value: number}, "colour": [r, g, b]?, "made_of"?}]} under "labels".
    """
    told = message.header["labels"]
    try:
        slots = {number: _slot_label(entry) for number, entry in enumerate(told["slots"])}
        name = str(told["object"])
    except (AttributeError, KeyError, TypeError, ValueError) as problem:
        raise UserError("bad_request.labels", request=message.type) from problem
    faces = len(message.arrays["triangles"])
    return {"labels": Labels(np.zeros(faces, dtype=np.int64), (name,), slots), "name": name}


def pieces_of(message: protocol.Message) -> tuple[PieceOverride, ...]:
    """What is said of pieces under "pieces", as the condition of that name has it. Raises UserError."""
    said = given_conditions(message, {"pieces": message.header["pieces"]})["pieces"]
    if not isinstance(said, list):
        raise UserError("bad_request.pieces", request=message.type)
    return tuple(piece_override(f"pieces[{number}]", each) for number, each in enumerate(said))


def _slot_label(entry: dict[str, Any]) -> SlotLabel:
    shader = {name: float(entry["shader"][name]) for name in SHADER_VALUES if name in entry["shader"]}
    colour = entry.get("colour")
    plain = None if colour is None else (float(colour[0]), float(colour[1]), float(colour[2]))
    return SlotLabel(str(entry["name"]), shader, plain, str(entry.get("made_of", "")))
