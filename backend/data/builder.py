"""Builder of jointed objects from mesh pieces, with the habits of real assets."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..geometry.mesh import triangle_areas
from ..kinematics.base import Array
from .joint_labels import JointLabels
from .moving_object import MovingObject, jointed_object
from .shapes import Piece, aimed, box, cylinder, moved, turned

__all__ = ["Builder"]

# How often an object has each habit of real assets.
_ONE_SLOT = 0.3  # a single material
_SLOT_PER_SHELL = 0.1  # a material for each loose part
_WELDED_PARTS = 0.25  # all loose parts of a moving part are one shell, as after a boolean union
_WELDED_JOINT = 0.06  # two parts that move on each other are one shell (living hinges, careless unions)
_DOUBLED = 0.12  # some shells have every face twice, once for each side
_DECORATED = 0.35  # screws, labels, ornaments: small loose parts on the surface of larger ones
_MOST_DECORATIONS = 14


class Builder:
    """Collects parts with their joints, and the pieces of each part; part 0 is the base.

    The object is drawn with every joint at value 0. `rng` decides the habits only, when it is built.
    """

    def __init__(self) -> None:
        self._parents, self._types, self._follows = [-1], ["fixed"], [0]
        self._axes, self._origins, self._limits = [(0.0, 0.0, 1.0)], [(0.0, 0.0, 0.0)], [(0.0, 0.0)]
        self._ratios = [1.0]
        self._pieces: list[tuple[Piece, int, int]] = []

    @property
    def moves(self) -> bool:
        """Whether any part moves so far."""
        return len(self._parents) > 1

    def part(
        self,
        parent: int,
        kind: str,
        axis: ArrayLike,
        origin: ArrayLike = (0.0, 0.0, 0.0),
        limits: tuple[float, float] | None = None,
        follows: int | None = None,
        ratio: float = 1.0,
    ) -> int:
        """A new part on `parent`, moved by a joint; `follows` another part's joint value times `ratio`."""
        self._parents.append(parent)
        self._types.append(kind)
        self._axes.append(np.asarray(axis, dtype=float))
        self._origins.append(np.asarray(origin, dtype=float))
        self._limits.append((np.nan, np.nan) if limits is None else limits)
        self._follows.append(len(self._parents) - 1 if follows is None else follows)
        self._ratios.append(ratio)
        return len(self._parents) - 1

    def add(self, part: int, pieces: Piece | Iterable[Piece], slot: int = 0) -> None:
        """Pieces of a part, each a shell of its own, all of one material slot."""
        for piece in [pieces] if isinstance(pieces, tuple) else pieces:
            self._pieces.append((piece, part, slot))

    def turn(self, axis: int, angle: float) -> None:
        """Turns all that has been made so far about a coordinate axis, radians."""
        self._pieces = [(turned(piece, axis, angle), part, slot) for piece, part, slot in self._pieces]
        ends = np.arange(len(self._axes))
        self._axes = list(turned((np.array(self._axes, dtype=float), ends), axis, angle)[0])
        self._origins = list(turned((np.array(self._origins, dtype=float), ends), axis, angle)[0])

    def build(self, rng: np.random.Generator, name: str, category: str, anchored: bool = True) -> MovingObject:
        """The object so far."""
        if rng.random() < _DECORATED:
            self._decorate(rng)
        pieces, part, slots = zip(*self._pieces, strict=True)
        sizes = np.array([len(piece[0]) for piece in pieces])
        faces = np.array([len(piece[1]) for piece in pieces])
        starts = np.cumsum(sizes) - sizes
        vertices = np.concatenate([piece[0] for piece in pieces])
        triangles = np.concatenate([piece[1] for piece in pieces]) + np.repeat(starts, faces)[:, None]
        face_piece = np.repeat(np.arange(len(pieces)), faces)
        part_of_piece = np.array(part)
        shell = self._shells(rng, part_of_piece)
        slot = _slots(rng, np.array(slots), shell)[face_piece]
        if rng.random() < _DOUBLED:
            again = (rng.random(len(pieces)) < rng.choice([0.3, 1.0]))[face_piece]
            triangles = np.concatenate([triangles, triangles[again, ::-1]])
            slot = np.concatenate([slot, slot[again]])
        return jointed_object(
            name,
            category,
            vertices,
            triangles,
            np.repeat(shell, sizes),
            slot,
            self._labels(np.repeat(part_of_piece, sizes)),
            anchored,
        )

    def _decorate(self, rng: np.random.Generator) -> None:
        """Small solids on random triangles, alike or each its own, that belong to the part they sit on."""
        hosts = self._pieces.copy()
        slot, alike = int(rng.integers(8)), rng.random() < 0.5
        share, height, round_one = rng.uniform(0.05, 0.3), rng.uniform(0.1, 0.8), rng.random() < 0.5
        for _ in range(int(rng.integers(1, _MOST_DECORATIONS + 1))):
            (vertices, triangles), part, _slot = hosts[int(rng.integers(len(hosts)))]
            areas = triangle_areas(vertices, triangles)
            chosen = int(np.searchsorted(np.cumsum(areas), rng.random() * areas.sum()))
            corners = vertices[triangles[min(chosen, len(triangles) - 1)]]
            normal = np.cross(corners[1] - corners[0], corners[2] - corners[0])
            size = 0.5 * share * np.sqrt(np.linalg.norm(normal))
            if size <= 0.0:
                continue
            if not alike:
                share, height, round_one = rng.uniform(0.05, 0.3), rng.uniform(0.1, 0.8), rng.random() < 0.5
            ornament = (
                cylinder(size, -0.1 * size, height * size, 8)
                if round_one
                else box((-size, -0.6 * size, -0.1 * size), (size, 0.6 * size, height * size))
            )
            place = rng.dirichlet((2.0, 2.0, 2.0)) @ corners
            self.add(part, moved(aimed(ornament, normal), place), slot)

    def _labels(self, part: NDArray[np.int64]) -> JointLabels:
        axes: Array = np.array(self._axes, dtype=float)
        limits = np.array(self._limits, dtype=float)
        return JointLabels.of_arrays(
            part,
            np.array(self._parents),
            tuple(self._types),
            axes / np.linalg.norm(axes, axis=1, keepdims=True),
            np.array(self._origins, dtype=float),
            limits[:, 0],
            limits[:, 1],
            np.array(self._follows),
            np.array(self._ratios),
        )

    def _shells(self, rng: np.random.Generator, part: NDArray[np.int64]) -> NDArray[np.int64]:
        """The shell of each piece: its own, or shared where an artist would have welded pieces."""
        shell = np.arange(len(part))
        if rng.random() < _WELDED_PARTS:
            shell = part.copy()
        if rng.random() < _WELDED_JOINT:
            child = int(rng.choice(part))
            parent = self._parents[child]
            if parent >= 0:
                shell[part == child] = shell[part == child].min()
                shell[part == parent] = shell[part == child].min()
        return np.unique(shell, return_inverse=True)[1]


def _slots(rng: np.random.Generator, slot: NDArray[np.int64], shell: NDArray[np.int64]) -> NDArray[np.int64]:
    """The material slot of each piece, numbered 0.. in the order of their first use."""
    habit = rng.random()
    if habit < _ONE_SLOT:
        return np.zeros_like(slot)
    if habit < _ONE_SLOT + _SLOT_PER_SHELL:
        slot = shell
    return np.unique(slot, return_inverse=True)[1]
