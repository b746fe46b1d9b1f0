"""Pokes: constant forces on a soft disc of the surface for a few frames, by impulse or speed."""

from __future__ import annotations

import numpy as np

from ..bodies.body import Body
from ..dynamics.conditions import Conditions
from ..dynamics.latent_forces import PokeForce
from .soft_discs import SoftDiscs

__all__ = ["pokes_of"]


def pokes_of(body: Body, conditions: Conditions, warnings: list[str]) -> tuple[PokeForce, ...]:
    if not conditions.pokes:
        return ()
    forces, frame, discs = [], 1.0 / conditions.fps, SoftDiscs(body)
    for number, poke in enumerate(conditions.pokes, 1):
        row, distance = discs.row(poke.point, poke.radius)
        if distance > poke.radius + body.cloud.spacing:
            warnings.append(f"Poke {number} is {distance:.3g} m away from the object; its nearest point is pushed.")
        impulse = poke.impulse if poke.impulse is not None else poke.speed * body.total_mass
        seconds = poke.duration * frame
        force = np.outer(row, impulse) / seconds
        begin = (poke.start - 1) * frame
        if begin >= (conditions.frames - 1) * frame:
            warnings.append(f"Poke {number} starts at frame {poke.start}, after the last frame.")
        if not body.moves(row):
            warnings.append(f"Poke {number} is on a held part and moves nothing.")
        forces.append(PokeForce(force, begin, begin + seconds))
    return tuple(forces)
