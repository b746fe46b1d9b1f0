"""Transfer: inverse kinematics apart for objects and categories that training has seen and has not."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from ..data.families import FAMILIES
from ..data.real import RealItem, find_items
from .ik import ObjectResult, row_means

__all__ = ["GROUPS", "group_of", "known_categories", "transfer_summary"]

GROUPS = ("object seen", "object never seen", "category never seen")
_SHORTEST = 3  # letters: shorter names are in too many others


def known_categories(items: Iterable[RealItem]) -> set[str]:
    """Names of what trains: categories of real objects that are not kept aside, and the procedural families."""
    return {_plain(name) for name in (*FAMILIES, *(item.category for item in items if not item.kept_aside))}


def trained_items(folder: Path) -> list[RealItem]:
    """All objects of the manifest above a folder; those of the folder itself where there is none."""
    for place in (folder.resolve(), *folder.resolve().parents):
        if (place / "MANIFEST.json").is_file():
            return find_items(place)
    return find_items(folder)


def group_of(item: RealItem, known: set[str]) -> str:
    """A category counts as seen when its name is part of a name that trains, or the other way round."""
    if not item.kept_aside:
        return GROUPS[0]
    own = _plain(item.category)
    seen = any(own in name or name in own for name in known if min(len(own), len(name)) >= _SHORTEST)
    return GROUPS[1] if seen else GROUPS[2]


def _plain(name: str) -> str:
    """Letters only: 'WashingMachine', 'washing_machine' and 'washing machine' are one."""
    return re.sub(r"[^a-z]", "", re.sub(r"\(.*?\)", "", name.lower()))


def transfer_summary(results: Sequence[ObjectResult], groups: dict[str, str]) -> dict[str, Any]:
    """`groups`: the group of each object by its name."""
    found = {}
    for group in GROUPS:
        some = [result for result in results if groups[result.name] == group]
        if some:
            categories = sorted({result.category for result in some})
            found[group] = {"objects": len(some), "categories": categories, "rows": row_means(some)}
    return {"objects": len(results), "groups": found}
