"""Bodies with limbs: a tube along the spine, limbs grown out of holes in it or stuck into it, bones inside."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from ..kinematics.base import Array
from .figure import Figure
from .moving_object import MovingObject
from .organic_shapes import graft, resampled, sweep, sweep_place, sweep_triangles
from .random_motion import Draw, any_of, independent, looping, woven
from .shapes import Piece
from .skeleton import along_chain

__all__ = ["Creature"]


class Creature:
    """A body with one number for each way in which its joints turn.

    The spine's points run from the tail's tip to the nose; segment k lies between point k and point k + 1 and has a
    bone of its own. The bone of the `root` segment holds all others.
    """

    def __init__(
        self,
        rng: np.random.Generator,
        spine: Array,
        radii: Array,
        root: int,
        welded: bool,
        front: ArrayLike = (0.0, 0.0, 1.0),
    ) -> None:
        """spine Float[P,3]; radii Float[P,2] along `front` and across; welded: limbs share one skin with the body.

        front: what the angles of limbs are counted from, for a body that lies along X the top.
        """
        self.figure = Figure()
        self._rng, self.welded = rng, welded
        self.sides = int(rng.choice([8, 8, 10, 12]))
        self.fine = int(rng.choice([2, 2, 3]))
        segments = len(spine) - 1
        self.segment_bone = np.empty(segments, dtype=np.int64)
        self.segment_bone[root] = self.figure.bone(-1, 0.5 * (spine[root] + spine[root + 1]))
        for segment in range(root + 1, segments):
            self.segment_bone[segment] = self.figure.bone(int(self.segment_bone[segment - 1]), spine[segment])
        for segment in range(root - 1, -1, -1):
            self.segment_bone[segment] = self.figure.bone(int(self.segment_bone[segment + 1]), spine[segment + 1])
        rings = self.fine * segments + 1
        line = resampled(spine, rings)
        wide = np.maximum(resampled(np.pad(radii, ((0, 0), (0, 1))), rings)[:, :2], 0.15 * radii.min())
        self._skin = sweep(line, wide, self.sides, front)
        self._faces = sweep_triangles(rings, self.sides)
        self._removed = np.zeros(len(self._faces), dtype=bool)
        place = sweep_place(rings, self.sides) / self.fine
        order, shares = along_chain(0, segments, place, rng.uniform(0.6, 1.0))
        self._bones, self._shares = [self.segment_bone[order]], [shares]
        self._quads = (rings - 1) * self.sides
        self._phase: list[float] = []
        self._strength: list[float] = []

    def limb(
        self, place: float, angle: float, joints: Array, radii: ArrayLike, wide: int = 2, flat: float = 1.0
    ) -> tuple[int, int]:
        """A limb at `place` (in spine points) and `angle` (radians from the front, counter-clockwise seen from the
        nose's end) of the body.

        joints Float[J,3] from inside the body to the tip, radii Float[J]; flat: width of its section over its
        height. Returns its first bone and how many it has.
        """
        joints, radii = np.asarray(joints, dtype=float), np.asarray(radii, dtype=float)
        segment = int(np.clip(place, 0, len(self.segment_bone) - 1))
        first = self.figure.chain(int(self.segment_bone[segment]), joints)
        count = len(joints) - 1
        # Rings crowd around the joints, as in a modelled mesh.
        offsets = np.array([-0.2, 0.0, 0.2, 0.5])
        where = np.unique(np.clip((np.arange(1, count + 1)[:, None] + offsets).ravel(), 0.0, count))
        where = np.concatenate([[0.5], where]) if self.welded else np.concatenate([[0.0, 0.5], where])
        index = np.minimum(where.astype(np.int64), count - 1)
        part = (where - index)[:, None]
        line = joints[index] * (1.0 - part) + joints[index + 1] * part
        thick = radii[index] * (1.0 - part[:, 0]) + radii[index + 1] * part[:, 0]
        thick = np.stack([thick, thick * flat], axis=1)
        softness = float(self._rng.uniform(0.4, 0.9))
        if self.welded:
            loop = self._open(round(place * self.fine), angle, wide)
            self._skin, faces, ring = graft(self._skin, self._faces, loop, line, thick)
            self._removed = np.concatenate([self._removed, np.zeros(len(faces) - len(self._faces), dtype=bool)])
            self._faces = faces
            bones, shares = along_chain(first, count, where[ring], softness)
            self._bones.append(bones)
            self._shares.append(shares)
        else:
            sides = int(self._rng.choice([5, 6, 8]))
            along = where[sweep_place(len(where), sides).astype(np.int64)]
            faces = sweep_triangles(len(where), sides)
            self.figure.add_along(sweep(line, thick, sides), faces, first, count, along, 0, softness)
        return first, count

    def _open(self, ring: int, angle: float, wide: int) -> np.ndarray:
        """Removes two rows of `wide` quads about a ring and an angle; returns the loop around the hole."""
        sides = self.sides
        ring = int(np.clip(ring - 1, 1, self._quads // sides - 3))
        start = round(angle / (2.0 * np.pi) * sides - 0.5 * wide)
        across = (start + np.arange(wide + 1)) % sides
        rows = ring + np.arange(3)
        quads = (rows[:2, None] * sides + across[None, :-1]).ravel()
        self._removed[np.concatenate([quads, quads + self._quads])] = True
        low, high = rows[0] * sides + across, rows[2] * sides + across
        sideways = rows[1] * sides
        return np.concatenate([low, [sideways + across[-1]], high[::-1], [sideways + across[0]]])

    def stick(self, piece: Piece, bone: int, slot: int = 1) -> None:
        """A rigid shell on a bone: eyes, horns, armour, wheels."""
        self.figure.add_rigid(*piece, bone, slot)

    def way(
        self, bones: ArrayLike, vectors: ArrayLike, low: float, high: float, phase: float = 0.0, strength: float = 1.0
    ) -> None:
        """A joint turns from `low` to `high` radians times the vectors; phase and strength are those of its gait."""
        self.figure.way(bones, vectors, low, high)
        self._phase.append(phase)
        self._strength.append(strength)

    def finish(self, name: str, category: str) -> MovingObject:
        """The object, free to move about."""
        used = np.unique(self._faces[~self._removed])
        number = np.full(len(self._skin), -1)
        number[used] = np.arange(len(used))
        bones, shares = np.concatenate(self._bones)[used], np.concatenate(self._shares)[used]
        # The last shell in the list is the body; smoothing works over edges, so its place does not matter.
        self.figure.add(self._skin[used], number[self._faces[~self._removed]], bones, shares, 0)
        draw, freedom = self._draw()
        shells = None
        if self._rng.random() < 0.15:
            shells = np.zeros(self.figure.shell_count, dtype=np.int64)
        smoothing = int(self._rng.integers(0, 3)) if self.welded else 0
        return self.figure.finish(name, category, False, draw, freedom, smoothing, shells)

    def _draw(self) -> tuple[Draw | None, int | None]:
        """How the joints go together: a gait, several clips, a few hidden numbers, or each by itself."""
        rng, width = self._rng, self.figure.way_count
        phase, strength = np.array(self._phase), np.array(self._strength)
        gait = looping(phase, strength * rng.uniform(0.8, 1.0, width))
        kind = rng.random()
        if kind < 0.25:
            return gait, 2
        if kind < 0.5:
            others = [woven(rng, width, 2) if rng.random() < 0.6 else _clip(rng, phase, strength) for _ in range(2)]
            return any_of([gait, *others]), None
        if kind < 0.75:
            threads = int(rng.integers(1, 6))
            return woven(rng, width, threads), threads
        return independent(width), width


def _clip(rng: np.random.Generator, phase: Array, strength: Array) -> Draw:
    """Another way of going: some joints stay still, the others are out of step."""
    active = rng.random(len(phase)) < 0.6
    return looping(phase + rng.normal(0.0, 0.8, len(phase)), strength * active * rng.uniform(0.4, 1.0, len(phase)))
