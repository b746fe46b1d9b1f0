"""The families that bend: each name with its maker and its share."""

from __future__ import annotations

from collections.abc import Mapping

from ..source import Family
from .bags import bag, balloon, cushion
from .bipeds import person, runner
from .characters import blocky_character, walking_machine
from .cloth import banner, curtain, flag, free_sheet, hung_cloth, table_cloth
from .crawlers import bird, insect
from .mixtures import (
    chest_with_rope,
    cloth_on_hinge,
    lamp_with_cable,
    lidded_soft,
    soft_in_drawer,
    toy_on_wheels,
)
from .plants import flower, grass_tuft, potted_plant, tree
from .quadrupeds import quadruped
from .ropes import ring_chain, rope, tentacles
from .soft_solids import jelly, soft_solid
from .swimmers import fish, ray, snake

__all__ = ["SOFT"]

SOFT: Mapping[str, Family] = {
    "potted_plant": Family(potted_plant, 0.8),
    "tree": Family(tree, 0.5),
    "grass_tuft": Family(grass_tuft, 0.3),
    "flower": Family(flower, 0.4),
    "rope": Family(rope, 0.7),
    "ring_chain": Family(ring_chain, 0.4),
    "tentacles": Family(tentacles, 0.4),
    "person": Family(person, 1.0),
    "runner": Family(runner, 0.5),
    "bird": Family(bird, 0.5),
    "insect": Family(insect, 0.5),
    "fish": Family(fish, 0.6),
    "ray": Family(ray, 0.2),
    "snake": Family(snake, 0.4),
    "blocky_character": Family(blocky_character, 0.8),
    "walking_machine": Family(walking_machine, 0.6),
    "banner": Family(banner, 0.4),
    "hung_cloth": Family(hung_cloth, 0.5),
    "flag": Family(flag, 0.5),
    "curtain": Family(curtain, 0.3),
    "table_cloth": Family(table_cloth, 0.3),
    "free_sheet": Family(free_sheet, 0.3),
    "soft_solid": Family(soft_solid, 0.8),
    "jelly": Family(jelly, 0.4),
    "bag": Family(bag, 0.4),
    "cushion": Family(cushion, 0.3),
    "balloon": Family(balloon, 0.3),
    "soft_in_drawer": Family(soft_in_drawer, 0.5),
    "cloth_on_hinge": Family(cloth_on_hinge, 0.3),
    "lamp_with_cable": Family(lamp_with_cable, 0.3),
    "chest_with_rope": Family(chest_with_rope, 0.3),
    "lidded_soft": Family(lidded_soft, 0.3),
    "toy_on_wheels": Family(toy_on_wheels, 0.3),
    "quadruped": Family(quadruped, 1.6),
}
