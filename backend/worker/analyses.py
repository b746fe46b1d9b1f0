"""The analyses that the worker keeps for later requests, the latest used last."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass
from typing import Any

from ..errors import UserError
from .requests import MOST_OBJECTS

__all__ = ["KEPT_ANALYSES", "KEPT_VERTICES", "Analyses"]

KEPT_ANALYSES = 4  # the latest, of whatever size
KEPT_VERTICES = 1_000_000  # more are kept while their meshes have no more vertices than these together


@dataclass(frozen=True)
class _Kept:
    """An analysis and the size of its mesh."""

    analysis: Any
    vertices: int


class Analyses:
    """A cache by the client's keys: as many as a scene may have objects, and of large meshes fewer."""

    def __init__(self) -> None:
        self._kept: OrderedDict[str, _Kept] = OrderedDict()

    def keep(self, key: str, analysis: Any, vertices: int) -> None:
        """Adds or replaces an analysis; the oldest ones are dropped where there are too many."""
        self._kept[key] = _Kept(analysis, vertices)
        self._kept.move_to_end(key)
        while self._too_many():
            self._kept.popitem(last=False)

    def of(self, key: str) -> Any:
        """The analysis of that key. Raises UserError where there is none any more."""
        if key not in self._kept:
            raise UserError("unknown_mesh.key")
        self._kept.move_to_end(key)
        return self._kept[key].analysis

    def _too_many(self) -> bool:
        count, vertices = len(self._kept), sum(each.vertices for each in self._kept.values())
        return count > MOST_OBJECTS or (count > KEPT_ANALYSES and vertices > KEPT_VERTICES)
