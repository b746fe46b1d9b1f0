"""Compositions of objects: static pieces, objects that move by themselves, and carriers that move them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from ..kinematics.base import Array
from .moving_object import MovingObject
from .random_motion import Motion, independent
from .shapes import Piece
from .skeleton import rotation_matrices

__all__ = ["Carrier", "carried", "combined", "hinge", "object_of", "placed", "slide", "still"]


@dataclass(frozen=True)
class Carrier:
    """One joint of a rigid thing: numbers Float[n] in [0,1] to transforms Float[n,3,4]; 0 leaves it where it is."""

    transforms: Callable[[Array], Array]


def hinge(axis: ArrayLike, origin: ArrayLike, angle: float) -> Carrier:
    """Turns about an axis through a point by up to `angle` radians."""
    direction = np.asarray(axis, dtype=float) / np.linalg.norm(axis)
    centre = np.asarray(origin, dtype=float)

    def transforms(value: Array) -> Array:
        turn = rotation_matrices(value[:, None] * angle * direction)
        return np.concatenate([turn, (centre - turn @ centre)[..., None]], axis=2)

    return Carrier(transforms)


def slide(way: ArrayLike) -> Carrier:
    """Slides by up to the vector given."""
    offset = np.asarray(way, dtype=float)

    def transforms(value: Array) -> Array:
        result = np.broadcast_to(np.eye(3, 4), (len(value), 3, 4)).copy()
        result[..., 3] = value[:, None] * offset
        return result

    return Carrier(transforms)


def object_of(
    name: str, category: str, vertices: Array, triangles: np.ndarray, motion: Motion, anchored: bool, slot: int = 0
) -> MovingObject:
    """One shell of one material slot with a motion of its own."""
    shell, slots = np.zeros(len(vertices), dtype=np.int64), np.full(len(triangles), slot)
    return MovingObject(name, category, vertices, triangles, shell, slots, motion.states, anchored, motion.freedom)


def still(pieces: Piece | Sequence[Piece], slot: int = 0) -> MovingObject:
    """Pieces that do not move, each a shell of its own."""
    pieces = [pieces] if isinstance(pieces, tuple) else list(pieces)
    sizes = [len(piece[0]) for piece in pieces]
    starts = np.cumsum([0, *sizes[:-1]])
    vertices = np.concatenate([piece[0] for piece in pieces])
    triangles = np.concatenate([piece[1] + start for piece, start in zip(pieces, starts, strict=True)])
    motion = Motion(0, 0, independent(0), lambda values: np.broadcast_to(vertices, (len(values), *vertices.shape)))
    thing = object_of("still", "still", vertices, triangles, motion, True, slot)
    shell = np.repeat(np.arange(len(pieces)), sizes)
    return MovingObject("still", "still", vertices, triangles, shell, thing.slot, thing.states, True, 0)


def placed(thing: MovingObject, scale: float, offset: ArrayLike, turn: float = 0.0) -> MovingObject:
    """The object scaled, turned about up by `turn` radians, and moved."""
    cosine, sine = np.cos(turn), np.sin(turn)
    matrix = scale * np.array([[cosine, sine, 0.0], [-sine, cosine, 0.0], [0.0, 0.0, 1.0]])
    move = np.asarray(offset, dtype=float)

    def states(rng: np.random.Generator, count: int) -> Array:
        return thing.states(rng, count) @ matrix + move

    return MovingObject(
        thing.name,
        thing.category,
        thing.vertices @ matrix + move,
        thing.triangles,
        thing.shell,
        thing.slot,
        states,
        thing.anchored,
        thing.freedom,
    )


def carried(things: Sequence[MovingObject], carrier: Carrier) -> MovingObject:
    """Objects on a joint: they move with it and by themselves."""
    group = _together("carried", "mixture", things, True)

    def states(rng: np.random.Generator, count: int) -> Array:
        value = rng.uniform(0.0, 1.0, count) * (rng.random() < 0.9)
        transforms = carrier.transforms(value)
        return group.states(rng, count) @ transforms[..., :3].transpose(0, 2, 1) + transforms[:, None, :, 3]

    freedom = None if group.freedom is None else group.freedom + 1
    return MovingObject(
        group.name, group.category, group.vertices, group.triangles, group.shell, group.slot, states, True, freedom
    )


def combined(name: str, category: str, things: Sequence[MovingObject], anchored: bool = True) -> MovingObject:
    """Several objects as one; material slots with the same number are the same."""
    thing = _together(name, category, things, anchored)
    return replace(thing, slot=np.unique(thing.slot, return_inverse=True)[1])


def _together(name: str, category: str, things: Sequence[MovingObject], anchored: bool) -> MovingObject:
    """The same with the numbers of slots as they are, so that they can be told apart later."""
    sizes = [len(thing.vertices) for thing in things]
    starts = np.cumsum([0, *sizes[:-1]])
    shells = np.cumsum([0, *(int(thing.shell.max()) + 1 for thing in things[:-1])])

    def states(rng: np.random.Generator, count: int) -> Array:
        return np.concatenate([thing.states(rng, count) for thing in things], axis=1)

    known = all(thing.freedom is not None for thing in things)
    return MovingObject(
        name,
        category,
        np.concatenate([thing.vertices for thing in things]),
        np.concatenate([thing.triangles + start for thing, start in zip(things, starts, strict=True)]),
        np.concatenate([thing.shell + start for thing, start in zip(things, shells, strict=True)]),
        np.concatenate([thing.slot for thing in things]),
        states,
        anchored,
        sum(thing.freedom or 0 for thing in things) if known else None,
    )
