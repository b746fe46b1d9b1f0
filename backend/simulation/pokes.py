"""Pokes: constant forces on a soft disc of the surface for a few frames, by impulse or speed."""

from __future__ import annotations

import numpy as np

from ..bodies.body import Body
from ..dynamics.conditions import Conditions
from ..dynamics.latent_forces import PokeForce
from ..texts import Text
from .soft_discs import SoftDiscs

__all__ = ["pokes_of"]


def pokes_of(body: Body, conditions: Conditions, warnings: list[Text]) -> tuple[PokeForce, ...]:
    if not conditions.pokes:
        return ()
    forces, frame, discs = [], 1.0 / conditions.fps, SoftDiscs(body)
    for number, poke in enumerate(conditions.pokes, 1):
        row, distance = discs.row(poke.point, poke.radius)
        if distance > poke.radius + body.cloud.spacing:
            warnings.append(Text("poke.far", number=number, distance=distance))
        impulse = poke.impulse if poke.impulse is not None else poke.speed * body.struck_mass(row)
        seconds = poke.duration * frame
        force = np.outer(row, impulse) / seconds
        begin = (poke.start - 1) * frame
        if begin >= (conditions.frames - 1) * frame:
            warnings.append(Text("poke.late", number=number, frame=poke.start))
        if not body.moves(row):
            warnings.append(Text("poke.held", number=number))
        forces.append(PokeForce(force, begin, begin + seconds))
    return tuple(forces)
