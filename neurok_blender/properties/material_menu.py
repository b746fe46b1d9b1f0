"""The physical materials of the registry that the worker sends: what a piece of an object can be made of."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from bpy.app.translations import pgettext_iface as iface_
from bpy.app.translations import pgettext_tip as tip_

from ..translations import BACKEND

__all__ = ["AUTOMATIC", "MaterialEntry", "MaterialMenu", "material_menu"]

AUTOMATIC = "AUTO"

Item = tuple[str, str, str]

_BEHAVIOURS = {
    "rigid": "Rigid, {} kg/m³",
    "soft": "Soft, {} kg/m³",
    "sheet": "Sheet, {} kg/m³",
    "matter": "Loose matter, {} kg/m³",
}


@dataclass(frozen=True)
class MaterialEntry:
    """One material as the backend introduces it: how a body of it behaves, and its density in kg/m^3."""

    name: str
    label: str
    behaviour: str
    density: float

    @property
    def title(self) -> str:
        """In the artist's language."""
        return iface_(self.label, BACKEND)


class MaterialMenu:
    """The materials of the last worker."""

    def __init__(self) -> None:
        self.entries: tuple[MaterialEntry, ...] = ()
        self._items: dict[tuple[Item, ...], list[Item]] = {}

    def learn(self, materials: Iterable[Mapping[str, Any]]) -> None:
        """Takes over the registry of a new worker."""
        self.entries = tuple(MaterialEntry(**entry) for entry in materials)

    def title(self, name: str) -> str:
        """What the artist calls it; its name where no worker has listed it."""
        known = (entry.title for entry in self.entries if entry.name == name)
        return next(known, name.capitalize())

    def items(self) -> list[Item]:
        """For an enumeration of Blender; the density stands in the name, which the search shows."""
        items = (
            (AUTOMATIC, iface_("Automatic"), tip_("As its name, its look and its shape tell")),
            *(
                (
                    entry.name.upper(),
                    iface_("{} ({} kg/m³)").format(entry.title, f"{entry.density:,.0f}"),
                    iface_(_BEHAVIOURS[entry.behaviour]).format(f"{entry.density:,.0f}"),
                )
                for entry in self.entries
            ),
        )
        # Blender keeps no copy of these texts: the same ones have to live on.
        return self._items.setdefault(items, list(items))


material_menu = MaterialMenu()
