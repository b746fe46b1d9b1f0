"""All families of procedural objects: each name with its maker and its share of the training data."""

from __future__ import annotations

from collections.abc import Mapping

from ..source import Family
from .jointed_families import JOINTED
from .soft_families import SOFT
from .still_families import STILL

__all__ = ["FAMILIES", "MOVING"]

MOVING: Mapping[str, Family] = {**JOINTED, **SOFT}
FAMILIES: Mapping[str, Family] = {**MOVING, **STILL}
