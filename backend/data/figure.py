"""Builder of skinned objects: bones, shells bound to them, and their random motions."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from ..kinematics.base import Array
from .moving_object import MovingObject
from .organic_shapes import Indices
from .random_motion import Draw, Motion, independent, with_slope
from .skeleton import Skeleton, Skin, along_chain, blend_matrix, smoothed
from .true_bones import TrueBones

__all__ = ["Figure"]


class Figure:
    """Collects bones, shells and ways, then makes a `MovingObject` of them."""

    def __init__(self) -> None:
        self._parents: list[int] = []
        self._heads: list[Array] = []
        self._vertices: list[Array] = []
        self._triangles: list[Indices] = []
        self._bones: list[Indices] = []
        self._shares: list[Array] = []
        self._shell: list[Indices] = []
        self._slot: list[Indices] = []
        self._count, self._shells = 0, 0
        self._ways: list[tuple[Indices, Array, float, float, bool]] = []

    @property
    def way_count(self) -> int:
        """How many numbers move the figure so far."""
        return len(self._ways)

    @property
    def shell_count(self) -> int:
        """How many shells there are so far."""
        return self._shells

    def shell_bones(self) -> Indices:
        """For each shell the bone of its first vertex: shell numbers that join what moves together, Int[shells]."""
        return np.array([bones[0, 0] for bones in self._bones])

    def bone(self, parent: int, head: ArrayLike) -> int:
        """Adds a bone (parent -1: none); returns its number."""
        self._parents.append(parent)
        self._heads.append(np.asarray(head, dtype=float))
        return len(self._parents) - 1

    def chain(self, parent: int, points: Array) -> int:
        """Adds bones from each of the points Float[P,3] to the next; returns the first of the P - 1."""
        first = len(self._parents)
        self._parents += [parent, *range(first, first + len(points) - 2)]
        self._heads += list(points[:-1])
        return first

    def add(self, vertices: Array, triangles: Indices, bones: Indices, shares: Array, slot: int = 0) -> None:
        """A shell with two bones Int[V,2] and their shares Float[V,2] for each vertex."""
        self._vertices.append(vertices)
        self._triangles.append(triangles + self._count)
        self._bones.append(bones)
        self._shares.append(shares)
        self._shell.append(np.full(len(vertices), self._shells))
        self._slot.append(np.full(len(triangles), slot))
        self._count += len(vertices)
        self._shells += 1

    def add_rigid(self, vertices: Array, triangles: Indices, bone: int, slot: int = 0) -> None:
        """A shell that follows one bone."""
        bones = np.full((len(vertices), 2), bone)
        self.add(vertices, triangles, bones, np.tile([1.0, 0.0], (len(vertices), 1)), slot)

    def add_along(
        self,
        vertices: Array,
        triangles: Indices,
        first: int,
        count: int,
        place: Array,
        slot: int = 0,
        soft: float = 1.0,
    ) -> None:
        """A shell along a chain of bones; place Float[V] in bones, see `along_chain`."""
        self.add(vertices, triangles, *along_chain(first, count, place, soft), slot)

    def way(self, bones: ArrayLike, vectors: ArrayLike, low: float, high: float, slides: bool = False) -> int:
        """One number that turns bones about vectors Float[3] or Float[b,3] (radians at 1), or slides them along.

        It goes from `low` to `high` times the vectors. Returns its index.
        """
        bones = np.atleast_1d(np.asarray(bones, dtype=np.int64))
        vectors = np.broadcast_to(np.asarray(vectors, dtype=float), (len(bones), 3))
        self._ways.append((bones, vectors, low, high, slides))
        return len(self._ways) - 1

    def also(self, number: int, bones: ArrayLike, vectors: ArrayLike) -> None:
        """The number of a way turns or slides these bones too."""
        before, moved, *rest = self._ways[number]
        bones = np.atleast_1d(np.asarray(bones, dtype=np.int64))
        vectors = np.broadcast_to(np.asarray(vectors, dtype=float), (len(bones), 3))
        self._ways[number] = (np.concatenate([before, bones]), np.concatenate([moved, vectors]), *rest)

    def finish(
        self,
        name: str,
        category: str,
        anchored: bool,
        draw: Draw | None = None,
        freedom: int | None = None,
        smoothing: int = 0,
        shells: Sequence[int] | None = None,
    ) -> MovingObject:
        """The object. draw: how the numbers come (in [-1,1]); without, each by itself, and `freedom` is their count.

        smoothing: rounds of averaging the weights over edges. shells: shell numbers to use instead of the own ones.
        """
        vertices, triangles = np.concatenate(self._vertices), np.concatenate(self._triangles)
        weights = blend_matrix(self._bones, self._shares, len(self._parents))
        if smoothing:
            weights = smoothed(weights, triangles, smoothing)
        skin = Skin(Skeleton(np.array(self._parents), np.array(self._heads)), vertices, weights)
        shell = np.concatenate(self._shell)
        if shells is not None:
            shell = np.unique(np.asarray(shells)[shell], return_inverse=True)[1]
        slot = np.unique(np.concatenate(self._slot), return_inverse=True)[1]
        motion = self._motion(skin, draw, freedom)
        still = np.tile(np.eye(3, 4), (1, len(skin.skeleton.heads), 1, 1))
        bones = TrueBones(skin.skeleton.parents, skin.skeleton.heads, still, weights.toarray())
        return MovingObject(
            name,
            category,
            vertices,
            triangles,
            shell,
            slot,
            motion.states,
            anchored,
            motion.freedom,
            bones=bones,
        )

    def _motion(self, skin: Skin, draw: Draw | None, freedom: int | None) -> Motion:
        width, bones = len(self._ways), len(self._parents)
        table = np.zeros((2, width, bones, 3))
        for number, (which, vectors, _, _, slides) in enumerate(self._ways):
            np.add.at(table[int(slides), number], which, vectors)
        low = np.array([way[2] for way in self._ways])
        high = np.array([way[3] for way in self._ways])
        sliding = any(way[4] for way in self._ways)

        def pose(values: Array) -> Array:
            scaled = with_slope(values, low, high)
            turns = (scaled @ table[0].reshape(width, 3 * bones)).reshape(-1, bones, 3)
            shifts = (scaled @ table[1].reshape(width, 3 * bones)).reshape(-1, bones, 3) if sliding else None
            return skin.posed(turns, shifts)

        if draw is None:
            return Motion(width, width, independent(width), pose)
        return Motion(width, freedom, draw, pose)
