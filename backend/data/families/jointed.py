"""The families with joints: each name with its maker and its share."""

from __future__ import annotations

from collections.abc import Mapping

from ..source import Family
from .appliances import dishwasher, microwave, oven, refrigerator, safe, washing_machine
from .boxes import lidded_box, trash_can
from .cabinets import cabinet, desk, drawer_cabinet
from .folding import flip_phone, laptop, suitcase
from .hand_tools import eyeglasses, knife, pliers, scissors, stapler
from .openings import door, window

__all__ = ["JOINTED"]

JOINTED: Mapping[str, Family] = {
    "lidded_box": Family(lidded_box, 1.0),
    "trash_can": Family(trash_can, 1.0),
    "cabinet": Family(cabinet, 1.5),
    "drawer_cabinet": Family(drawer_cabinet, 1.0),
    "desk": Family(desk, 1.0),
    "microwave": Family(microwave, 0.7),
    "oven": Family(oven, 0.8),
    "dishwasher": Family(dishwasher, 0.6),
    "washing_machine": Family(washing_machine, 0.7),
    "refrigerator": Family(refrigerator, 0.9),
    "safe": Family(safe, 0.4),
    "door": Family(door, 1.0),
    "window": Family(window, 1.0),
    "laptop": Family(laptop, 0.8),
    "flip_phone": Family(flip_phone, 0.4),
    "suitcase": Family(suitcase, 0.8),
    "scissors": Family(scissors, 0.6),
    "pliers": Family(pliers, 0.5),
    "stapler": Family(stapler, 0.6),
    "knife": Family(knife, 0.6),
    "eyeglasses": Family(eyeglasses, 0.7),
}
