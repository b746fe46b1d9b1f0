"""A rig as a tree of links: ball joints of three hinges in one place, at rest in the pose in which it is drawn.

With the turns of a ball about its head, in the world as drawn, link l moves by A_l = A_parent J_l(q) J_l(q_drawn)^-1:
nothing moves at q_drawn, while the ranges count from where the skin was bound. The constant factors go through the
screws of what hangs on them by their adjoint, Ad_C exp(xi) = exp(Ad_C xi) C, so that A_l is a product of exponentials
again, times one constant C_l.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from .articulated import part_twists
from .base import Array, ReferenceFrame
from .joint_tree import Joint, JointTree
from .learned import LearnedKinematics
from .rig import Rig, turns_of
from .rig_limits import ball_range, euler_angles, kind_of
from .rig_links import RigLinks
from .screws import ScrewProduct, Screws

__all__ = ["RigKinematics", "RiggedLinks", "rigged_links"]

SMALLEST_RANGE = np.radians(0.5)  # what turns less about an axis is locked


@dataclass(frozen=True, eq=False)
class RiggedLinks:
    """L links of a rig as parts `link` Int[L] of a tree of hinges, the other parts of which carry nothing.

    `constant` Float[L,4,4] are the C_l; `drawn` Float[k] are the coordinates of the pose in which the mesh is drawn.
    """

    links: RigLinks
    tree: JointTree
    link: NDArray[np.int64]
    constant: Array
    drawn: Array


def rigged_links(rig: Rig, links: RigLinks) -> RiggedLinks:
    """Ranges of links are those that the rig gives to their topmost bones; the others' are guessed."""
    world, kinds = turns_of(rig.drawn), _kinds(rig, links)
    bound = _bound_turns(rig)
    names, joints = [rig.names[links.main[0]]], []
    values: dict[int, float] = {}  # of the joint of each part
    part, constant = np.zeros(len(links.main), dtype=np.int64), np.tile(np.eye(4), (len(links.main), 1, 1))
    for number in range(1, len(links.main)):
        bone, above = int(links.main[number]), int(links.parent[number])
        carrier = _carrier(rig, links, bone, above)
        # Turns from where the skin was bound, in the axes of the carrier.
        straight = bound[carrier].T @ bound[bone]
        start = world[carrier].T @ world[bone] @ straight.T
        found = rig.ranges.get(bone)
        if found is None:
            seen = rig.seen[:, bone] @ straight.T if carrier == rig.parents[bone] else np.zeros((0, 3, 3))
            along = straight @ _direction(rig, links, number)
            found = ball_range(kinds[number], along, _bend(rig, links, number, along, carrier, bound), start, seen)
        angles = euler_angles(start, found.axes) if len(found.axes) == 3 else _about(start, found.axes[0])
        behind, last = constant[above], int(part[above])
        turn, head, undone = world[carrier], links.places[number], np.eye(4)
        through = behind[:3, :3] @ head + behind[:3, 3]
        for axis, low, high, angle in zip(found.axes, found.lower, found.upper, angles, strict=True):
            place = _about_place(turn @ axis, angle, head)
            if high - low < SMALLEST_RANGE:  # locked: it turns the axes behind it, for ever
                turn = place[:3, :3] @ turn
                continue
            names.append(f"{rig.names[bone]} {len(names)}")
            child = len(names) - 1
            joints.append(
                Joint(child, last, "revolute", behind[:3, :3] @ turn @ axis, through, low, high, name=rig.names[bone])
            )
            values[child], last, undone = float(angle), child, undone @ place
        part[number], constant[number] = last, behind @ np.linalg.inv(undone)
    tree = JointTree(tuple(names), tuple(joints))
    drawn = np.array([values[joint.child] for joint in tree.coordinates])
    return RiggedLinks(links, tree, part, constant, drawn)


def _about(turn: Array, axis: Array) -> Array:
    """The angle Float[1] of a rotation about an axis, what is left over being none of it (swing and twist)."""
    x, y, z, w = Rotation.from_matrix(turn).as_quat()
    angle = 2.0 * np.arctan2(axis @ np.array([x, y, z]), w)
    return np.array([(angle + np.pi) % (2.0 * np.pi) - np.pi])


def _about_place(axis: Array, angle: float, place: Array) -> Array:
    matrix = np.eye(4)
    matrix[:3, :3] = Rotation.from_rotvec(angle * axis).as_matrix()
    matrix[:3, 3] = place - matrix[:3, :3] @ place
    return matrix


def _bound_turns(rig: Rig) -> Array:
    """Float[B,3,3]: the bones where the skin was bound, the roots as they are drawn."""
    turns = turns_of(rig.drawn)
    for bone, parent in enumerate(rig.parents):
        if parent >= 0:
            turns[bone] = turns[parent] @ rig.straight[bone]
    return turns


def _carrier(rig: Rig, links: RigLinks, bone: int, above: int) -> int:
    """The bone of the parent link that counts as the parent: the nearest one above, or the one that carries most."""
    other = int(rig.parents[bone])
    while other >= 0:
        if links.of_bone[other] == above:
            return other
        other = int(rig.parents[other])
    return int(links.heaviest[above])


def _kinds(rig: Rig, links: RigLinks) -> list[str]:
    kinds: list[str] = []
    for bone, above in zip(links.main, links.parent, strict=True):
        kinds.append(kind_of(rig.names[bone], kinds[above] if above >= 0 else None))
    return kinds


def _direction(rig: Rig, links: RigLinks, number: int) -> Array:
    """Where a link points, a unit vector in the axes of its topmost bone: to what hangs on it, or what it carries."""
    hanging = np.flatnonzero(links.parent == number)
    place = links.places[number]
    if len(hanging):
        target = links.places[hanging].mean(axis=0)
    else:
        carried = (rig.weights * (links.of_bone[rig.bones] == number)).sum(axis=1)
        target = carried @ rig.vertices / max(float(carried.sum()), 1e-300)
    turn = turns_of(rig.drawn[links.main[number]])
    away = turn.T @ (target - place)
    length = float(np.linalg.norm(away))
    return away / length if length > 1e-9 else np.array([0.0, 1.0, 0.0])


def _bend(rig: Rig, links: RigLinks, number: int, along: Array, carrier: int, bound: Array) -> Array:
    """The rotation vector from the direction of the parent link to that of the link where the skin was bound."""
    above = int(links.parent[number])
    if links.parent[above] < 0:
        return np.zeros(3)  # a root has no direction
    before = bound[carrier].T @ bound[links.main[above]] @ _direction(rig, links, above)
    across = np.cross(before, along)
    sine = float(np.linalg.norm(across))
    return across / sine * np.arctan2(sine, before @ along) if sine > 1e-6 else np.zeros(3)


class RigKinematics(LearnedKinematics):
    """The links' handles in the angles q Float[k] of their balls, without a root; still at `drawn`, not at zero."""

    name = "rig"

    def __init__(self, rigged: RiggedLinks, frame: ReferenceFrame) -> None:
        twists = part_twists(rigged.tree, frame)[rigged.link]
        super().__init__(twists, frame, rigged.tree.coupling)
        self._drawn = rigged.drawn
        # x = centre + scale y: the constants as they act on reference coordinates.
        constant = rigged.constant.copy()
        shift = constant[:, :3, :3] @ frame.centre + constant[:, :3, 3] - frame.centre
        constant[:, :3, 3] = shift / frame.scale
        self._screws = _Behind(self._screws, constant)

    def rest(self) -> Array:
        return self._drawn.copy()


class _Behind:
    """Products of exponentials, each with a constant Float[H,4,4] behind it."""

    def __init__(self, screws: Screws, constant: Array) -> None:
        self._screws, self._constant = screws, constant

    def product(self, z: Array) -> ScrewProduct:
        product = self._screws.product(z)
        return replace(product, transforms=product.transforms @ self._constant)
