"""The families that no joint moves: each name with its maker and its share; and several such things side by side."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from ..composition import combined, placed
from ..moving_object import MovingObject
from ..source import Family, Maker
from .still_devices import device, drum, footwear, hand_tool, shield, string_instrument
from .still_furniture import bed, bookshelf, chair, sofa, stool, table
from .still_household import framed_picture, stack, standing_lamp, statue, tableware, vase, wall_lamp
from .still_outdoors import aircraft, boat, building, fence, rock, vehicle_body

__all__ = ["STILL", "side_by_side"]

_SHARES: Mapping[Maker, float] = {
    chair: 1.4,
    stool: 0.5,
    sofa: 1.2,
    table: 1.0,
    bed: 0.7,
    bookshelf: 0.8,
    standing_lamp: 0.9,
    wall_lamp: 0.5,
    vase: 0.6,
    tableware: 0.8,
    framed_picture: 0.4,
    statue: 1.0,
    stack: 0.8,
    boat: 0.4,
    aircraft: 0.4,
    vehicle_body: 0.5,
    building: 0.6,
    fence: 0.4,
    rock: 0.3,
    hand_tool: 0.7,
    shield: 0.4,
    drum: 0.4,
    string_instrument: 0.3,
    device: 0.7,
    footwear: 0.4,
}


def side_by_side(rng: np.random.Generator) -> MovingObject:
    """Two to five things in one mesh that have nothing to do with each other: a row, or some before one another."""
    makers = list(_SHARES)
    things, edge = [], 0.0
    for number in range(int(rng.integers(2, 6))):
        thing = makers[int(rng.integers(len(makers)))](rng) if number == 0 or rng.random() < 0.7 else things[-1]
        low, high = thing.vertices.min(axis=0), thing.vertices.max(axis=0)
        scale = rng.uniform(0.4, 1.0) / max(float((high - low).max()), 1e-9)
        turned = placed(thing, scale, np.zeros(3), rng.choice([0.0, rng.uniform(0.0, 6.3)]))
        low, high = turned.vertices.min(axis=0), turned.vertices.max(axis=0)
        offset = np.array([edge - low[0], rng.uniform(-0.2, 0.2) - 0.5 * (low + high)[1], -low[2]])
        things.append(placed(turned, 1.0, offset))
        edge += float(high[0] - low[0]) + rng.choice([0.0, rng.uniform(0.0, 0.4)])
    return combined("side_by_side", "several", things)


STILL: Mapping[str, Family] = {
    **{make.__name__: Family(make, share) for make, share in _SHARES.items()},
    "side_by_side": Family(side_by_side, 1.0),
}
