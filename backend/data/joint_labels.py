"""Joint labels of a mesh: its joint tree, the part of each vertex, and the limits that random states keep."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..errors import UserError
from ..kinematics.articulated import JointTransforms
from ..kinematics.base import Array
from ..kinematics.joint_tree import Joint, JointTree, Mimic

__all__ = ["JointLabels"]


@dataclass(frozen=True, eq=False)
class JointLabels:
    """P parts, each on its parent by one joint; everything in the object frame at joint value 0.

    J counts the joints that move and follow no other, in the order of their parts; `values` Float[n,J] are radians, or
    the object's unit of length for prismatic ones.
    """

    tree: JointTree
    part: NDArray[np.int64]  # Int[V], the part of each vertex
    lower: Array  # Float[P], NaN where there is no limit; of continuous joints the range of random states
    upper: Array  # Float[P]

    def __post_init__(self) -> None:
        unlimited = np.array([kind == "prismatic" for kind in self.types]) & ~np.isfinite(self.lower + self.upper)
        if unlimited[self.columns].any():
            raise UserError("no_limits.prismatic")

    @classmethod
    def of_arrays(
        cls,
        part: NDArray[np.int64],
        parents: NDArray[np.int64],
        types: tuple[str, ...],
        axes: Array,
        origins: Array,
        lower: Array,
        upper: Array,
        follows: NDArray[np.int64] | None = None,
        ratio: Array | None = None,
    ) -> JointLabels:
        """By part: `parents` Int[P], -1 for roots; `types` the kinds of joints; `axes` and `origins` Float[P,3].

        A part may follow another one's joint (gears, the two blades of scissors): `follows` Int[P] is the part whose
        value it takes, `ratio` Float[P] times; None: each its own. Raises UserError.
        """
        joints, mimics = [], []
        for number, kind in enumerate(types):
            low, high = (-np.inf if np.isnan(lower[number]) else lower[number]), upper[number]
            ends = (0.0, 0.0) if kind == "fixed" else (float(low), float(np.inf if np.isnan(high) else high))
            joints.append(Joint(number, int(parents[number]), kind, axes[number], origins[number], *ends))
            if follows is not None and follows[number] != number and kind != "fixed":
                mimics.append(Mimic(number, int(follows[number]), 1.0 if ratio is None else float(ratio[number])))
        names = tuple(f"part_{number}" for number in range(len(types)))
        return cls(JointTree(names, tuple(joints), tuple(mimics)), part, lower, upper)

    @cached_property
    def parents(self) -> NDArray[np.int64]:
        """Int[P], -1 for roots."""
        return np.array([self._joint(part).parent for part in range(len(self.tree.parts))])

    @cached_property
    def types(self) -> tuple[str, ...]:
        """Kinds of the joints, P."""
        return tuple(self._joint(part).kind for part in range(len(self.tree.parts)))

    @cached_property
    def axes(self) -> Array:
        """Float[P,3], unit."""
        return np.array([self._joint(part).axis for part in range(len(self.tree.parts))])

    @cached_property
    def origins(self) -> Array:
        """Float[P,3], a point of each axis."""
        return np.array([self._joint(part).origin for part in range(len(self.tree.parts))])

    @cached_property
    def leaders(self) -> NDArray[np.int64]:
        """Int[P], the part whose joint value a part takes: mostly its own."""
        leaders = np.arange(len(self.tree.parts))
        for mimic in self.tree.mimics:
            leaders[mimic.child] = mimic.leader
        return leaders

    @cached_property
    def ratios(self) -> Array:
        """Float[P], the joint value of a part over that of its leader."""
        ratios = np.ones(len(self.tree.parts))
        for mimic in self.tree.mimics:
            ratios[mimic.child] = mimic.ratio
        return ratios

    @cached_property
    def columns(self) -> NDArray[np.int64]:
        """Int[J]: the part that each column of `values` moves."""
        return np.sort(np.array([joint.child for joint in self.tree.coordinates], dtype=np.int64))

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
        if not self.joint_count:
            return np.tile(np.eye(3, 4), (len(values), len(self.tree.parts), 1, 1))
        order = np.searchsorted(self.columns, [joint.child for joint in self.tree.coordinates])
        return self._kinematics(values[:, order])

    def posed(self, vertices: ArrayLike, values: ArrayLike) -> Array:
        """vertices Float[V,3] at value 0, values Float[n,J] -> Float[n,V,3]."""
        transforms = self.transforms(values)[:, self.part]
        moved = np.einsum("nvij,vj->nvi", transforms[..., :3], np.asarray(vertices, dtype=float))
        return moved + transforms[..., 3]

    def mapped(self, matrix: Array) -> JointLabels:
        """Labels of the object whose rest shape X is replaced by `matrix` X, Float[3,3]: lines stay on the shape."""
        axes = self.axes @ matrix.T
        length = np.linalg.norm(axes, axis=1)
        sliding = np.array([kind == "prismatic" for kind in self.types])
        reach = np.where(sliding, length, 1.0)  # strokes grow with the object, angles do not
        return JointLabels.of_arrays(
            self.part,
            self.parents,
            self.types,
            axes / length[:, None],
            self.origins @ matrix.T,
            self.lower * reach,
            self.upper * reach,
            self.leaders,
            self.ratios * reach / reach[self.leaders],
        )

    @cached_property
    def _kinematics(self) -> JointTransforms:
        return JointTransforms(self.tree)

    def _joint(self, part: int) -> Joint:
        joint = self.tree.joint_of(part)
        assert joint is not None  # every part has one, roots a fixed one
        return joint
