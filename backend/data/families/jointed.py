"""The families with joints: each name with its maker and its share."""

from __future__ import annotations

from collections.abc import Mapping

from ..source import Family
from .boxes import lidded_box, trash_can
from .cabinets import cabinet, desk, drawer_cabinet

__all__ = ["JOINTED"]

JOINTED: Mapping[str, Family] = {
    "lidded_box": Family(lidded_box, 1.0),
    "trash_can": Family(trash_can, 1.0),
    "cabinet": Family(cabinet, 1.5),
    "drawer_cabinet": Family(drawer_cabinet, 1.0),
    "desk": Family(desk, 1.0),
}
