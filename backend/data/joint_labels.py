"""A tree of joints: which part each vertex belongs to, how each part moves on its parent, and forward kinematics."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..errors import UserError
from ..kinematics.base import Array

__all__ = ["JOINT_TYPES", "JointTree"]

JOINT_TYPES = ("fixed", "revolute", "prismatic", "continuous")


@dataclass(frozen=True)
class JointTree:
    """P parts, each on its parent by one joint; everything in the object frame at joint value 0.

    A part may follow another one's joint (gears, the two blades of scissors): its value is `ratio` times the value
    of the part that it follows. J counts the joints that move and follow no other, in the order of their parts;
    `values` Float[n,J] are radians, or the object's unit of length for prismatic ones.
    """

    part: NDArray[np.int64]  # Int[V], the part of each vertex
    parents: NDArray[np.int64]  # Int[P], -1 for roots
    types: tuple[str, ...]  # P of JOINT_TYPES
    axes: Array  # Float[P,3], unit
    origins: Array  # Float[P,3], a point of each axis
    lower: Array  # Float[P], NaN where there is no limit
    upper: Array  # Float[P]
    follows: NDArray[np.int64] | None = None  # Int[P], the part whose value is taken; None: each its own
    ratio: Array | None = None  # Float[P]

    def __post_init__(self) -> None:
        unknown = sorted(set(self.types) - set(JOINT_TYPES))
        if unknown:
            raise UserError("unknown_joint.type", type=unknown[0], known=str(JOINT_TYPES))
        unlimited = np.array([kind == "prismatic" for kind in self.types]) & ~np.isfinite(self.lower + self.upper)
        if unlimited[self.columns].any():
            raise UserError("no_limits.prismatic")
        leaders = self._follows[self._follows != np.arange(len(self.types))]
        if not np.isin(leaders, self.columns).all():
            raise UserError("bad_follower.leader")

    @cached_property
    def columns(self) -> NDArray[np.int64]:
        """Int[J]: the part that each column of `values` moves."""
        moving = np.array([kind != "fixed" for kind in self.types])
        own = np.arange(len(self.types)) == self._follows
        return np.flatnonzero(moving & own)

    @property
    def joint_count(self) -> int:
        """J, the degrees of freedom."""
        return len(self.columns)

    @cached_property
    def limits(self) -> tuple[Array, Array]:
        """Lower and upper limit of each column, Float[J]; where one or both are missing, a whole turn apart."""
        lower, upper = self.lower[self.columns], self.upper[self.columns]
        has_lower, has_upper = np.isfinite(lower), np.isfinite(upper)
        turn = 2.0 * np.pi
        low = np.where(has_lower, lower, np.where(has_upper, upper - turn, -0.5 * turn))
        return low, np.where(has_upper, upper, low + turn)

    def random_values(self, rng: np.random.Generator, count: int) -> Array:
        """Float[count,J], uniform within the limits."""
        lower, upper = self.limits
        return lower + (upper - lower) * rng.random((count, self.joint_count))

    def transforms(self, values: ArrayLike) -> Array:
        """values Float[n,J] -> Float[n,P,3,4]: what each part's rest vertices are multiplied by."""
        values = np.asarray(values, dtype=float)
        still = np.zeros((len(values), 1))  # the column of parts that are fixed
        result = self._local(np.concatenate([values, still], axis=1)[:, self._column] * self._ratio)
        for level in self._levels[1:]:  # parents are done before their children
            above = result[:, self.parents[level]]
            below = result[:, level]
            offset = above[..., :3] @ below[..., 3:]
            offset[..., 0] += above[..., 3]
            result[:, level] = np.concatenate([above[..., :3] @ below[..., :3], offset], axis=-1)
        return result

    def posed(self, vertices: ArrayLike, values: ArrayLike) -> Array:
        """vertices Float[V,3] at value 0, values Float[n,J] -> Float[n,V,3]."""
        return self.posed_parts(vertices, self.part, values)

    def posed_parts(self, points: ArrayLike, part: NDArray[np.int64], values: ArrayLike) -> Array:
        """The same for any points Float[N,3] whose parts Int[N] are given."""
        points = np.asarray(points, dtype=float)
        transforms = self.transforms(values)[:, part]
        moved = np.einsum("nvij,vj->nvi", transforms[..., :3], points)
        return moved + transforms[..., 3]

    def mapped(self, matrix: Array) -> JointTree:
        """The tree of the object whose rest shape X is replaced by `matrix` X, Float[3,3]: lines stay on the shape."""
        axes = self.axes @ matrix.T
        length = np.linalg.norm(axes, axis=1)
        sliding = np.array([kind == "prismatic" for kind in self.types])
        reach = np.where(sliding, length, 1.0)  # strokes grow with the object, angles do not
        ratio = self._ratio * reach / reach[self._follows]
        return replace(
            self,
            axes=axes / length[:, None],
            origins=self.origins @ matrix.T,
            lower=self.lower * reach,
            upper=self.upper * reach,
            ratio=ratio,
        )

    @cached_property
    def _follows(self) -> NDArray[np.int64]:
        return np.arange(len(self.types)) if self.follows is None else self.follows

    @cached_property
    def _ratio(self) -> Array:
        return np.ones(len(self.types)) if self.ratio is None else self.ratio

    @cached_property
    def _column(self) -> NDArray[np.int64]:
        """Int[P]: the column of `values` that moves each part, J for fixed ones."""
        column = np.full(len(self.types), self.joint_count)
        column[self.columns] = np.arange(self.joint_count)
        return np.where([kind == "fixed" for kind in self.types], self.joint_count, column[self._follows])

    @cached_property
    def _levels(self) -> list[NDArray[np.int64]]:
        """Parts by their distance from the root."""
        depth = np.zeros(len(self.parents), dtype=np.int64)
        above = self.parents
        while (above >= 0).any():
            depth += above >= 0
            above = np.where(above >= 0, self.parents[above], -1)
            if depth.max() > len(depth):
                raise UserError("joint_loop.parents")
        return [np.flatnonzero(depth == level) for level in range(depth.max() + 1)]

    @cached_property
    def _sliding(self) -> NDArray[np.bool_]:
        return np.array([kind == "prismatic" for kind in self.types])

    @cached_property
    def _crosses(self) -> Array:
        """Float[P,3,3]: the matrix of `axis x`."""
        x, y, z = self.axes.T
        zero = np.zeros_like(x)
        return np.stack([zero, -z, y, z, zero, -x, -y, x, zero], axis=1).reshape(-1, 3, 3)

    def _local(self, amount: Array) -> Array:
        """Joint values Float[n,P] -> motion of each part on its parent, Float[n,P,3,4]."""
        angle = np.where(self._sliding, 0.0, amount)[..., None, None]
        slide = np.where(self._sliding, amount, 0.0)[..., None]
        turn = np.eye(3) + np.sin(angle) * self._crosses + (1.0 - np.cos(angle)) * (self._crosses @ self._crosses)
        offset = self.origins - np.einsum("npij,pj->npi", turn, self.origins) + slide * self.axes
        return np.concatenate([turn, offset[..., None]], axis=-1)
