"""Jointed objects that the tests make: arms, cabinets, fingers, each of boxes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from backend.geometry.mesh import Mesh, validate_mesh
from backend.kinematics.joint_tree import Joint, JointTree, Mimic
from backend.kinematics.jointed import Jointed
from tests.backend.kinematics.spaces import boxes

__all__ = ["arm", "cabinet", "gripper", "jointed_boxes", "pendulum", "random_tree", "told"]


def jointed_boxes(
    places: Sequence[tuple[Sequence[float], Sequence[float]]],
    names: Sequence[str],
    joints: Sequence[Joint],
    mimics: Sequence[Mimic] = (),
) -> tuple[Mesh, Jointed]:
    """One box, by (centre, size) in metres, for each part."""
    vertices, triangles, part = boxes(places)
    tree = JointTree(tuple(names), tuple(joints), tuple(mimics))
    return validate_mesh(vertices, triangles), Jointed(tree, part, (None,) * len(names))


def pendulum(length: float = 0.8, thickness: float = 0.04, **joint: float) -> tuple[Mesh, Jointed]:
    """A rod that hangs at its upper end, at the height of 1 m, from a block that is bolted to the world."""
    ends = {"lower": -np.inf, "upper": np.inf, **joint}
    places = [((0, 0, 1.1), (0.2, 0.2, 0.2)), ((0, 0, 1.0 - length / 2), (thickness, thickness, length))]
    bolt = Joint(0, -1, "fixed", np.zeros(3), np.zeros(3), 0.0, 0.0)
    hinge = Joint(1, 0, "revolute", np.array([0.0, 1.0, 0.0]), np.array([0.0, 0.0, 1.0]), **ends, name="hinge")
    return jointed_boxes(places, ["block", "rod"], [bolt, hinge])


def cabinet() -> tuple[Mesh, Jointed]:
    """A body, not bolted down, with a door that turns, a drawer that slides and a knob that turns on the door."""
    places = [
        ((0.0, 0.2, 0.5), (0.8, 0.4, 1.0)),
        ((-0.2, -0.02, 0.5), (0.4, 0.02, 0.9)),
        ((0.2, -0.02, 0.7), (0.38, 0.02, 0.2)),
        ((-0.05, -0.05, 0.5), (0.04, 0.04, 0.04)),
    ]
    joints = [
        Joint(3, 1, "continuous", np.array([0.0, 1.0, 0.0]), np.array([-0.05, -0.05, 0.5]), 0, 0, name="knob turn"),
        Joint(
            1, 0, "revolute", np.array([0.0, 0.0, 2.0]), np.array([-0.4, -0.02, 0.0]), -1.6, 0.0, 0.05, 0.01, "hinge"
        ),
        Joint(2, 0, "prismatic", np.array([0.0, -1.0, 0.0]), np.zeros(3), 0.0, 0.3, 2.0, 1.0, "rail"),
    ]
    return jointed_boxes(places, ["body", "door", "drawer", "knob"], joints)


def arm(links: int = 3, end: float = 2.5) -> tuple[Mesh, Jointed]:
    """Rods of 0.3 m, one on the other, whose axes take turns; each turns as far as `end` (rad)."""
    places, joints = [((0.0, 0.0, 0.05), (0.2, 0.2, 0.1))], [Joint(0, -1, "fixed", np.zeros(3), np.zeros(3), 0, 0)]
    for number in range(links):
        height = 0.1 + 0.3 * number
        places.append(((0.0, 0.0, height + 0.15), (0.05, 0.06, 0.3)))
        axis = np.eye(3)[[1, 0, 2][number % 3]]
        joints.append(Joint(number + 1, number, "revolute", axis, np.array([0.01, 0.02, height]), -end, end))
    return jointed_boxes(places, ["base", *(f"link {number}" for number in range(links))], joints)


def gripper() -> tuple[Mesh, Jointed]:
    """Two fingers that close together."""
    places = [
        ((0, 0, 0), (0.2, 0.1, 0.05)),
        ((-0.08, 0, 0.1), (0.02, 0.08, 0.15)),
        ((0.08, 0, 0.1), (0.02, 0.08, 0.15)),
    ]
    ends = (0.0, 0.07)
    joints = [
        Joint(1, 0, "prismatic", np.array([1.0, 0.0, 0.0]), np.zeros(3), *ends, name="left"),
        Joint(2, 0, "prismatic", np.array([1.0, 0.0, 0.0]), np.zeros(3), -0.06, 0.0, name="right"),
    ]
    return jointed_boxes(places, ["palm", "left finger", "right finger"], joints, [Mimic(2, 1, -1.0)])


def random_tree(seed: int, count: int = 9) -> JointTree:
    """Parts in a random order, joints of all kinds, one of which follows another."""
    rng = np.random.default_rng(seed)
    order = rng.permutation(count)
    joints = []
    for place, part in enumerate(order[1:], 1):
        kind = ("revolute", "prismatic", "continuous", "fixed")[place % 4] if place > 2 else "revolute"
        parent = int(order[rng.integers(place)])
        joints.append(Joint(int(part), parent, kind, rng.normal(size=3), rng.normal(size=3), -2.0, 2.0))
    names = tuple(f"part {number}" for number in range(count))
    return JointTree(names, tuple(joints), (Mimic(int(order[2]), int(order[1]), -0.7),))


def told(jointed: Jointed) -> dict[str, Any]:
    """The same as the condition 'joints' says it."""
    tree = jointed.tree
    joints = []
    for joint in tree.joints:
        ends = {name: value for name, value in (("lower", joint.lower), ("upper", joint.upper)) if np.isfinite(value)}
        entry = {"child": tree.parts[joint.child], "parent": joint.parent, "type": joint.kind, **ends}
        entry |= {"axis": joint.axis.tolist(), "origin": joint.origin.tolist()}
        entry |= {"friction": joint.friction, "damping": joint.damping}
        follows = [mimic for mimic in tree.mimics if mimic.child == joint.child]
        if follows:
            entry["mimic"] = {"joint": tree.parts[follows[0].leader], "ratio": follows[0].ratio}
        joints.append(entry | ({"name": joint.name} if joint.name else {}))
    parts = [
        {"name": name, "vertices": np.flatnonzero(jointed.part == number).tolist()}
        for number, name in enumerate(tree.parts)
    ]
    return {"parts": parts, "joints": joints}
