"""Random variations of real assets that do not depend on how a thing moves."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from .moving_object import MovingObject
from .source import Maker

__all__ = ["habitual"]

_ONE_SLOT = 0.35  # a single material
_SLOT_PER_SHELL = 0.1  # a material for each loose part
_DOUBLED = 0.1  # every face twice, once for each side
_ONE_SHELL = 0.08  # all loose parts are one, as after a boolean union


def habitual(make: Maker) -> Maker:
    """The maker, whose objects have now and then the habits of real assets."""

    def made(rng: np.random.Generator) -> MovingObject:
        thing = make(rng)
        shells, slots, faces = rng.random(3)
        if shells < _ONE_SHELL:
            thing = replace(thing, shell=np.zeros_like(thing.shell))
        if slots < _ONE_SLOT:
            thing = replace(thing, slot=np.zeros_like(thing.slot))
        elif slots < _ONE_SLOT + _SLOT_PER_SHELL:
            thing = replace(thing, slot=thing.shell[thing.triangles[:, 0]])
        if faces < _DOUBLED:
            triangles = np.concatenate([thing.triangles, thing.triangles[:, ::-1]])
            thing = replace(thing, triangles=triangles, slot=np.tile(thing.slot, 2))
        return thing

    return made
