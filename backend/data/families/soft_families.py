"""The families that bend: each name with its maker and its share."""

from __future__ import annotations

from collections.abc import Mapping

from ..habits import habitual
from ..source import Family, Maker
from .bags import bag, balloon, cushion
from .bipeds import person, runner
from .characters import blocky_character, walking_machine
from .cloth import banner, curtain, draped, flag, free_sheet, hung_cloth, table_cloth
from .crawlers import bird, insect
from .mixtures import chest_with_rope, cloth_on_hinge, lamp_with_cable, lidded_soft, soft_in_drawer, toy_on_wheels
from .plants import flower, grass_tuft, potted_plant, tree
from .quadrupeds import quadruped
from .ropes import key_ring, ring_chain, rope, tentacles
from .soft_solids import jelly, soft_solid
from .swimmers import fish, ray, snake

__all__ = ["SOFT"]

_SHARES: Mapping[Maker, float] = {
    potted_plant: 0.8,
    tree: 0.5,
    grass_tuft: 0.3,
    flower: 0.4,
    rope: 0.7,
    ring_chain: 0.4,
    key_ring: 0.3,
    tentacles: 0.4,
    person: 1.0,
    runner: 0.5,
    bird: 0.5,
    insect: 0.5,
    fish: 0.6,
    ray: 0.2,
    snake: 0.4,
    blocky_character: 0.8,
    walking_machine: 0.6,
    banner: 0.4,
    hung_cloth: 0.5,
    flag: 0.5,
    curtain: 0.3,
    table_cloth: 0.3,
    draped: 0.3,
    free_sheet: 0.3,
    soft_solid: 0.8,
    jelly: 0.4,
    bag: 0.4,
    cushion: 0.3,
    balloon: 0.3,
    soft_in_drawer: 0.5,
    cloth_on_hinge: 0.3,
    lamp_with_cable: 0.3,
    chest_with_rope: 0.3,
    lidded_soft: 0.3,
    toy_on_wheels: 0.3,
    quadruped: 1.6,
}

SOFT: Mapping[str, Family] = {make.__name__: Family(habitual(make), share) for make, share in _SHARES.items()}
