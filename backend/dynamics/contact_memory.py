"""Contact history: friction bristles, allowed depth and side of a sheet, kept for each contact point between steps."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field, replace

import numpy as np

from ..geometry.near_surface import Features
from ..kinematics.base import Array
from .contact_pairs import ContactPoints

__all__ = ["ContactMemory"]

SOFT = 0.5  # of the margin: where the barrier carries about the weight


@dataclass
class ContactMemory:
    """Arrays Float[count,...] by partners: a row for each point that can be in contact with them."""

    bristles: dict[Hashable, Array] = field(default_factory=dict)
    lifts: dict[Hashable, Array] = field(default_factory=dict)
    sides: dict[Hashable, Array] = field(default_factory=dict)  # normals of what is near a two-sided surface

    def copy(self) -> ContactMemory:
        """As it is now. Only lifts are changed in place."""
        lifts = {key: array.copy() for key, array in self.lifts.items()}
        return ContactMemory(dict(self.bristles), lifts, dict(self.sides))

    def bristle(self, points: ContactPoints) -> Array:
        """Float[c,3] m."""
        kept = self.bristles.get(points.partners)
        return np.zeros((len(points.number), 3)) if kept is None else kept[points.number]

    def keep(self, points: ContactPoints, stretch: Array) -> None:
        """Stores the bristle stretches Float[c,3] (m) of contacts after an accepted step; all others have none."""
        self.bristles.pop(points.partners, None)
        if stretch.any():
            store = np.zeros((points.count, 3))
            store[points.number] = stretch
            self.bristles[points.partners] = store

    def soften(self, points: ContactPoints, struck: np.ndarray, gap: Array, margin: float) -> None:
        """Lets contacts Bool[c] that an impact has pressed deep into the barrier stay there: it would throw them back.

        gap Float[c] m, with the lift they have.
        """
        needed = np.where(struck, np.clip(SOFT * margin - gap, 0.0, SOFT * margin), 0.0)
        if needed.any():
            store = self.lifts.setdefault(points.partners, np.zeros(points.count))
            store[points.number] = np.maximum(store[points.number], needed)

    def on_their_side(self, points: ContactPoints, found: Features, closed: np.ndarray) -> Features:
        """Features as seen from the side of a two-sided surface that each point was on a step ago.

        A sheet does not tell its sides apart: without this a point that was pressed a hair through it would be pushed
        on, not back. `closed` Bool[F] of the surface's faces.
        """
        open_faced = ~closed[found.triangle]
        if not open_faced.any():
            return found
        before = self.sides.get(points.partners)
        normal, gap = found.normal, found.gap
        if before is not None:
            passed = open_faced & (np.einsum("ci,ci->c", normal, before[points.number]) < 0.0)
            normal = np.where(passed[:, None], -normal, normal)
            gap = np.where(passed, -gap, gap)
        store = np.zeros((points.count, 3))
        store[points.number[open_faced]] = normal[open_faced]
        self.sides[points.partners] = store
        return replace(found, normal=normal, gap=gap)

    def depth(self, partners: Hashable, count: int) -> Array:
        """How deep each of `count` points may be for now, Float[count] m: contacts are looked for so much farther."""
        return self.lifts.get(partners, np.zeros(count))

    def lift(self, points: ContactPoints, gap: Array, margin: float, fresh: bool | np.ndarray) -> Array:
        """How much deeper each contact may be than the surface says, Float[c] m.

        What is drawn inside something (or closer than the margin) keeps its depth as floor where it is `fresh`,
        Bool[c], and so does what an impact has pressed in (`soften`); all lose it as they come out.
        """
        needed = np.maximum(0.0, margin - gap)
        deep = np.flatnonzero((needed > 0.0) & fresh)
        if deep.size:
            store = self.lifts.setdefault(points.partners, np.zeros(points.count))
            np.maximum.at(store, points.number[deep], needed[deep])
        if points.partners not in self.lifts:
            return np.zeros_like(needed)
        store = self.lifts[points.partners]
        store[points.number] = np.minimum(store[points.number], needed)
        return store[points.number]
