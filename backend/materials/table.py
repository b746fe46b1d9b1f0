"""The table of materials: commands, conditions and menus know those in it and no others."""

from __future__ import annotations

from typing import Any

from ..errors import UserError
from .hard import HARD
from .living import LIVING
from .material import Material
from .pliable import PLIABLE
from .sources import SOURCES

__all__ = ["material_entries", "material_named", "material_names", "register_material"]

_registered: dict[str, Material] = {}


def register_material(material: Material) -> Material:
    """Adds a material. Raises ValueError where there is one of that name, or a source of it is not known."""
    if material.name in _registered:
        raise ValueError(f"there is a material {material.name!r} already")
    unknown = [source for source in material.sources if source not in SOURCES]
    if unknown:
        raise ValueError(f"{material.name}: no source is called {unknown[0]!r}")
    _registered[material.name] = material
    return material


for _material in (*HARD, *PLIABLE, *LIVING):
    register_material(_material)


def material_names() -> tuple[str, ...]:
    """In the order of registration."""
    return tuple(_registered)


def material_entries() -> list[dict[str, Any]]:
    """What menus say of each (JSON): how a body of it behaves and weighs, kg/m^3."""
    return [
        {
            "name": each.name,
            "label": each.label,
            "behaviour": each.solid.behaviour,
            "density": each.solid.density.typical,
        }
        for each in _registered.values()
    ]


def material_named(name: str) -> Material:
    """Raises UserError."""
    if name not in _registered:
        raise UserError("bad_material.unknown", material=name, known=", ".join(_registered))
    return _registered[name]
