"""A tree of joints: rigid parts, and how each moves relative to its parent.

Frames are those of the mesh as drawn, where the value of every joint is zero. The value of a joint is an angle (rad) or
a displacement (m); a coordinate is the value of a joint that follows no other.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from ..errors import UserError
from ..texts import Text
from .base import Array

__all__ = ["KINDS", "WORLD", "Joint", "JointTree", "Mimic"]

KINDS = ("fixed", "revolute", "prismatic", "continuous")
WORLD = -1  # the parent of what is fixed to the world, and of the root of a free object
SHORTEST_AXIS = 1e-9


@dataclass(frozen=True, eq=False)
class Joint:
    """How one part moves against another; all in the object's frame where the mesh is drawn, metres and radians."""

    child: int
    parent: int  # WORLD: a fixed base, or the root of what is free
    kind: str
    axis: Array  # Float[3], made a unit vector
    origin: Array  # Float[3], a point of the axis
    lower: float
    upper: float  # infinite where nothing ends it
    friction: float = 0.0  # N m, or N where it slides
    damping: float = 0.0  # N m s, or N s/m
    name: str = ""
    effort: float = np.inf  # N m, or N: what its motor can do; nothing here drives it, files keep it
    velocity: float = np.inf  # rad/s, or m/s: the same

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise UserError("bad_joints.unknown_kind", joint=self._title, kind=self.kind, known=", ".join(KINDS))
        axis, origin = (np.array(each, dtype=np.float64) for each in (self.axis, self.origin))
        for what, vector in (("axis", axis), ("origin", origin)):
            if vector.shape != (3,) or not np.isfinite(vector).all():
                raise UserError("bad_joints.not_three_numbers", joint=self._title, what=what)
        length = float(np.linalg.norm(axis))
        if self.moves and length < SHORTEST_AXIS:
            raise UserError("bad_joints.axis_without_length", joint=self._title)
        unit = axis / length if length >= SHORTEST_AXIS else np.array([0.0, 0.0, 1.0])
        if np.isnan([self.lower, self.upper]).any() or self.lower > self.upper:
            raise UserError("bad_joints.limits", joint=self._title, lower=self.lower, upper=self.upper)
        if not (0.0 <= self.friction < np.inf and 0.0 <= self.damping < np.inf):
            raise UserError("bad_joints.friction_or_damping", joint=self._title)
        if not (self.effort > 0.0 and self.velocity > 0.0):
            raise UserError("bad_joints.effort_or_velocity", joint=self._title)
        if self.parent == self.child:
            raise UserError("bad_joints.own_parent", joint=self._title)
        if self.kind == "continuous":
            object.__setattr__(self, "lower", -np.inf)
            object.__setattr__(self, "upper", np.inf)
        for vector in (unit, origin):
            vector.setflags(write=False)
        object.__setattr__(self, "axis", unit)
        object.__setattr__(self, "origin", origin)

    @property
    def _title(self) -> Text:
        """What errors call it."""
        return Text("joint.named", name=self.name) if self.name else Text("joint.of_part", part=self.child)

    @property
    def moves(self) -> bool:
        """Whether the joint is not fixed."""
        return self.kind != "fixed"

    @property
    def turns(self) -> bool:
        """Whether the value is an angle (rad), not a displacement (m)."""
        return self.kind in ("revolute", "continuous")

    @property
    def twist(self) -> Array:
        """(omega, v) of the value's rate one, Float[6]: x moves with omega x x + v; zero where it is fixed."""
        if self.turns:
            return np.concatenate([self.axis, np.cross(self.origin, self.axis)])
        return np.concatenate([np.zeros(3), self.axis * (1.0 if self.kind == "prismatic" else 0.0)])


@dataclass(frozen=True)
class Mimic:
    """The joint of part `child` always has `ratio` times the value of the joint of part `leader`."""

    child: int
    leader: int
    ratio: float


@dataclass(frozen=True, eq=False)
class JointTree:
    """The parts by name, in any order, and the joints, at most one for each part. A part without one is a root."""

    parts: tuple[str, ...]
    joints: tuple[Joint, ...]
    mimics: tuple[Mimic, ...] = field(default=())

    def __post_init__(self) -> None:
        if not self.parts:
            raise UserError("bad_joints.no_parts")
        for joint in self.joints:
            if not (0 <= joint.child < len(self.parts) and WORLD <= joint.parent < len(self.parts)):
                raise UserError(
                    "bad_joints.unknown_parts", parent=joint.parent, child=joint.child, count=len(self.parts)
                )
        children = [joint.child for joint in self.joints]
        twice = next((child for child in children if children.count(child) > 1), None)
        if twice is not None:
            raise UserError("bad_joints.two_parents", part=self.parts[twice])
        for part in range(len(self.parts)):
            if len(self._upwards(part)) > len(self.parts):
                raise UserError("bad_joints.ring", part=self.parts[part])
        followers = {mimic.child for mimic in self.mimics}
        for mimic in self.mimics:
            pair = [
                self.joint_of(part) if 0 <= part < len(self.parts) else None for part in (mimic.child, mimic.leader)
            ]
            if any(joint is None or not joint.moves for joint in pair) or not np.isfinite(mimic.ratio):
                raise UserError("bad_joints.cannot_follow", follower=mimic.child, leader=mimic.leader)
        if len(followers) < len(self.mimics) or any(mimic.leader in followers for mimic in self.mimics):
            raise UserError("bad_joints.follows_two")

    def _upwards(self, part: int) -> list[int]:
        """The part, its parent, and so on; cut where the chain closes a ring."""
        chain = [part]
        while (joint := self.joint_of(chain[-1])) is not None and joint.parent != WORLD:
            chain.append(joint.parent)
            if len(chain) > len(self.parts):
                break
        return chain

    @cached_property
    def _joint_of(self) -> dict[int, Joint]:
        return {joint.child: joint for joint in self.joints}

    def joint_of(self, part: int) -> Joint | None:
        """The joint to the parent of a part; None of a root."""
        return self._joint_of.get(part)

    def parent(self, part: int) -> int:
        """The parent of a part, WORLD of a root."""
        joint = self.joint_of(part)
        return WORLD if joint is None else joint.parent

    def children(self, part: int) -> tuple[int, ...]:
        """The children of a part, or with WORLD the roots, in the order of the parts."""
        return tuple(each for each in range(len(self.parts)) if self.parent(each) == part)

    def ancestors(self, part: int) -> tuple[int, ...]:
        """From the root down to the part itself."""
        return tuple(reversed(self._upwards(part)))

    @cached_property
    def order(self) -> tuple[int, ...]:
        """All parts, each after its parent."""
        depth = [len(self._upwards(part)) for part in range(len(self.parts))]
        return tuple(sorted(range(len(self.parts)), key=lambda part: (depth[part], part)))

    @property
    def roots(self) -> tuple[int, ...]:
        """The parts without a parent."""
        return self.children(WORLD)

    @cached_property
    def moving(self) -> tuple[Joint, ...]:
        """The joints that are not fixed, parents before children: these have values."""
        found = (self.joint_of(part) for part in self.order)
        return tuple(joint for joint in found if joint is not None and joint.moves)

    @cached_property
    def coordinates(self) -> tuple[Joint, ...]:
        """The joints that follow no other, in the order of `moving`: the coordinates q."""
        followers = {mimic.child for mimic in self.mimics}
        return tuple(joint for joint in self.moving if joint.child not in followers)

    @cached_property
    def coupling(self) -> Array:
        """C Float[n,k] with values = C q: of the moving joints from the coordinates."""
        matrix = np.zeros((len(self.moving), len(self.coordinates)))
        column = {joint.child: number for number, joint in enumerate(self.coordinates)}
        follows = {mimic.child: mimic for mimic in self.mimics}
        for row, joint in enumerate(self.moving):
            mimic = follows.get(joint.child)
            if mimic is None:
                matrix[row, column[joint.child]] = 1.0
            else:
                matrix[row, column[mimic.leader]] = mimic.ratio
        return matrix

    @cached_property
    def reaches(self) -> np.ndarray:
        """Bool[H,n]: which of the moving joints carry which part."""
        place = {joint.child: number for number, joint in enumerate(self.moving)}
        result = np.zeros((len(self.parts), len(self.moving)), dtype=bool)
        for part in range(len(self.parts)):
            result[part, [place[each] for each in self._upwards(part) if each in place]] = True
        return result

    @cached_property
    def limits(self) -> tuple[Array, Array]:
        """Lower and upper of the coordinates, Float[k] each, within those of what follows them."""
        lower = np.array([joint.lower for joint in self.coordinates], dtype=np.float64)
        upper = np.array([joint.upper for joint in self.coordinates], dtype=np.float64)
        column = {joint.child: number for number, joint in enumerate(self.coordinates)}
        for mimic in self.mimics:
            joint, number = self.joint_of(mimic.child), column[mimic.leader]
            if joint is None or mimic.ratio == 0.0:
                continue
            ends = sorted((joint.lower / mimic.ratio, joint.upper / mimic.ratio))
            lower[number], upper[number] = max(lower[number], ends[0]), min(upper[number], ends[1])
        # Limits of followers are often rounded: what leaves no place at all is the leader's own.
        crossed = lower > upper
        lower[crossed] = [joint.lower for joint, bad in zip(self.coordinates, crossed, strict=True) if bad]
        upper[crossed] = [joint.upper for joint, bad in zip(self.coordinates, crossed, strict=True) if bad]
        return lower, upper
