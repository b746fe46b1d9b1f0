"""The families that bend: each name with its maker and its share."""

from __future__ import annotations

from collections.abc import Mapping

from ..source import Family
from .bipeds import person, runner
from .characters import blocky_character, walking_machine
from .crawlers import bird, insect
from .plants import flower, grass_tuft, potted_plant, tree
from .quadrupeds import quadruped
from .ropes import ring_chain, rope, tentacles
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
    "quadruped": Family(quadruped, 1.6),
}
