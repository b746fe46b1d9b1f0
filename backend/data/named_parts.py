"""Weak labels of materials from folders of the project's shared data: parts whose names say what they are made of."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from ..errors import UserError
from ..materials.clues import Clues, PieceShape, Shader
from ..materials.table import material_names
from ..materials.words import words_of

__all__ = ["NamedPart", "PartPrior", "named_parts", "part_priors"]

_LEAVES = {"leaf", "leaves", "treeleaves", "petal", "petals"}


@dataclass(frozen=True)
class NamedPart:
    """A part of somebody's model. `object` is the name of the whole; `word` in some name of it told the material."""

    repository: str
    object: str
    clues: Clues
    material: str
    word: str

    def silent(self) -> NamedPart:
        """The same with names of the object and the node that have lost the word, and no name of a material."""
        node = _without(self.clues.node, self.word, self.material)
        clues = replace(self.clues, node=node, material="")
        return replace(self, object=_without(self.object, self.word, self.material), clues=clues)


@dataclass(frozen=True)
class PartPrior:
    """How often designers let a part of a kind of thing be made of what; `shares` add up to 1."""

    object: str
    part: str
    shares: dict[str, float]


def _without(name: str, word: str, material: str) -> str:
    """The other words of a name."""

    def tells(other: str) -> bool:
        return other in word or word in other or material in other

    return " ".join(each for each in words_of(name) if not tells(each))


def named_parts(folder: Path) -> list[NamedPart]:
    """The parts of materials/named_parts.json in or below a folder. Raises UserError."""
    known = set(material_names())
    parts = [_part(entry) for entry in _read(folder, "named_parts.json")["parts"]]
    return [part for part in parts if part.material in known]


def part_priors(folder: Path) -> Iterator[PartPrior]:
    """Those of materials/part_materials.json in or below a folder. Raises UserError."""
    for thing, parts in _read(folder, "part_materials.json")["fine"].items():
        for part, shares in parts.items():
            yield PartPrior(thing.replace("_", " "), part.replace("_", " "), shares)


def _read(folder: Path, name: str) -> Any:
    paths = sorted(folder.rglob(name))
    if not paths:
        raise UserError("no_data.no_materials", folder=folder, name=name)
    return json.loads(paths[0].read_text(encoding="utf-8"))


def _part(entry: dict[str, Any]) -> NamedPart:
    colour = entry["base_colour"]
    shape = PieceShape(
        size=tuple(entry["size_rel"]),
        centre=tuple(entry["centre_rel"]),
        diagonal=entry["diag_rel"],
        area=entry["surface_share"],
        thinness=entry["thinness"],
        pieces=entry["parts_in_object"],
    )
    shader = Shader(
        metallic=entry["metallic"] or 0.0,
        roughness=0.5 if entry["roughness"] is None else entry["roughness"],
        transmission=entry["transmission"] or 0.0,
        alpha=colour[3] if colour is not None and entry["alpha_mode"] != "OPAQUE" else 1.0,
        colour=None if entry["textured"] or colour is None else (colour[0], colour[1], colour[2]),
    )
    word = entry["material_word"].lower()
    material = "leaf" if word in _LEAVES else entry["material"]
    clues = Clues(shape, entry["part"] or "", entry["material_name"] or "", shader=shader)
    return NamedPart(entry["repo"], entry["object"] or "", clues, material, word)
