"""The menu of kinematics providers: those of the registry that the worker sends, until then those that ship."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from bpy.app.translations import pgettext_iface as iface_
from bpy.app.translations import pgettext_tip as tip_

from ..backend.texts import Text, from_wire

__all__ = ["AUTOMATIC", "JOINTED", "SHIPPED", "ProviderEntry", "ProviderMenu", "menu"]

AUTOMATIC = "auto"
JOINTED = "articulated"  # that which moves by the joints in the object's list
# From here on numbers are of providers that do not ship. Blender's buttons hold numbers as float32, exact up to 2^24.
OWN_NUMBERS = 1 << 23

Item = tuple[str, str, str, str, int]


@dataclass(frozen=True)
class ProviderEntry:
    """One provider as the backend introduces it; `keys` are conditions that not every provider understands."""

    name: str
    label: str
    description: str
    icon: str = "QUESTION"
    keys: frozenset[str] = frozenset()
    holdable: bool = True

    @property
    def identifier(self) -> str:
        """Of Blender's property."""
        return self.name.upper()

    @property
    def number(self) -> int:
        """What .blend files hold: it never changes."""
        shipped = [entry.name for entry in SHIPPED]
        if self.name in shipped:
            return shipped.index(self.name)
        return OWN_NUMBERS + zlib.crc32(self.name.encode()) % OWN_NUMBERS


_SWINGS = frozenset({"settle_seconds", "stiffness_hz"})
_ELASTIC = _SWINGS | {"damping", "handles", "poisson", "self_contact", "stiffness", "young"}
_LEARNED = _SWINGS | {"choices", "joint_friction", "rest_spring"}
_JOINTED = _SWINGS | {"joint_friction", "joints", "rest_spring"}

# What the menu shows before the first worker is ready. New ones come last: their places are numbers in .blend files.
SHIPPED = (
    ProviderEntry(AUTOMATIC, "Automatic", "Look at the shape and choose", "VIEWZOOM", _ELASTIC | _LEARNED | _JOINTED),
    ProviderEntry("elastic", "Elastic", "Bends and wobbles and comes back to its shape", "MOD_SIMPLEDEFORM", _ELASTIC),
    ProviderEntry("rigid", "Rigid", "Keeps its shape; flies, turns, lands", "RIGID_BODY", holdable=False),
    ProviderEntry(
        "learned",
        "Learned",
        "Doors turn, drawers slide, limbs bend: as others of its kind do. Takes ONNX Runtime, which the "
        "extension brings, or PyTorch",
        "OUTLINER_OB_ARMATURE",
        _LEARNED,
    ),
    ProviderEntry(
        JOINTED,
        "Joints",
        "Rigid parts turn and slide: as the list of joints says, or as is found where it is empty",
        "CONSTRAINT_BONE",
        _JOINTED,
    ),
    ProviderEntry(
        "composed",
        "Pieces",
        "Rigid pieces keep their shape, soft ones bend where they are attached to these",
        "OUTLINER_OB_GROUP_INSTANCE",
        _ELASTIC | _JOINTED,
    ),
    ProviderEntry(
        "sheet",
        "Sheet",
        "Cloth, paper, leaves: drapes, wrinkles and never passes through itself",
        "MOD_CLOTH",
        frozenset({"poisson", "stiffness", "young"}),
    ),
)


class ProviderMenu:
    """The providers of the last worker, and the extensions that it could not load."""

    def __init__(self) -> None:
        self._items: dict[tuple, list[Item]] = {}
        self.forget()

    def forget(self) -> None:
        self.entries: tuple[ProviderEntry, ...] = SHIPPED
        self.problems: tuple[Text, ...] = ()
        """Message and remedy of each extension that cannot be used."""

    def learn(self, providers: Iterable[Mapping[str, Any]], problems: Sequence[Mapping[str, Any]]) -> None:
        """Takes over the registry of a new worker."""
        self.entries = tuple(ProviderEntry(**{**entry, "keys": frozenset(entry["keys"])}) for entry in providers)
        self.problems = tuple(map(from_wire, problems))

    def entry(self, name: str) -> ProviderEntry:
        """The entry of a provider; only its name where no worker has listed it, or its extension is gone."""
        known = (entry for entry in self.entries if entry.name == name)
        return next(known, None) or ProviderEntry(name, name.capitalize(), "Comes from an extension that is not loaded")

    def understands(self, name: str, key: str) -> bool:
        return key in self.entry(name).keys

    def items(self, chosen: str) -> list[Item]:
        """For an enumeration of Blender; the one that is `chosen` is there in any case."""
        entries = list(self.entries)
        if chosen and all(entry.name != chosen for entry in entries):
            entries.append(self.entry(chosen))
        items = tuple(
            (entry.identifier, iface_(entry.label), tip_(entry.description), entry.icon, entry.number)
            for entry in entries
        )
        # Blender keeps no copy of these texts: the same ones have to live on.
        return self._items.setdefault(items, list(items))


menu = ProviderMenu()
