"""Robots as MuJoCo's own XML (MJCF): bodies in one another, meshes and convex hulls for collision beside the file."""

from __future__ import annotations

from pathlib import Path
from xml.etree.ElementTree import Element, SubElement

import numpy as np

from ..kinematics.joint_tree import WORLD, Joint
from ..texts import Text
from .robot import Robot
from .robot_files import FOREVER, numbers, write_meshes, write_xml

__all__ = ["write_mjcf"]

TIMESTEP = 0.0005  # s
LIMIT_SECONDS = 0.001  # in which a limit brings a joint back: MuJoCo's own 0.02 lets a falling arm go far beyond
SEEN, FELT = "2", "3"  # groups of geoms, as viewers expect them


def write_mjcf(path: str | Path, robot: Robot) -> list[Text]:
    """Writes an MJCF file; no notes.

    A root that nothing bolts to the world has a free joint. Hulls that meet where they are drawn do not collide.
    """
    path = Path(path)
    folder, visuals, hulls = write_meshes(path, robot)
    root = Element("mujoco", model=robot.name)
    SubElement(root, "compiler", angle="radian", meshdir=folder, autolimits="true")
    SubElement(root, "option", timestep=numbers(TIMESTEP), integrator="implicitfast")
    SubElement(SubElement(root, "default"), "joint", solreflimit=f"{numbers(LIMIT_SECONDS)} 1")
    assets = SubElement(root, "asset")
    for part, file in visuals.items():
        # What is only seen may be open and wound any way: as a shell, nobody asks for its volume.
        SubElement(assets, "mesh", name=f"{robot.links[part]}_seen", file=file, inertia="shell")
    for part, file in hulls.items():
        SubElement(assets, "mesh", name=f"{robot.links[part]}_hull", file=file, inertia="convex")
    world = SubElement(root, "worldbody")
    bodies: dict[int, Element] = {WORLD: world}
    for part in robot.tree.order:
        joint = robot.tree.joint_of(part)
        place = robot.origin(part) if joint is None else robot.place(joint)
        body = SubElement(bodies[robot.tree.parent(part)], "body", name=robot.links[part], pos=numbers(place))
        bodies[part] = body
        _inertial(body, robot, part)
        if joint is None:
            SubElement(body, "freejoint", name=f"{robot.links[part]}_root")
        elif joint.moves:
            _joint(body, robot, joint)
        if part in visuals:
            free = {"contype": "0", "conaffinity": "0", "group": SEEN}
            SubElement(body, "geom", {"type": "mesh", "mesh": f"{robot.links[part]}_seen", **free})
        if part in hulls:
            SubElement(body, "geom", type="mesh", mesh=f"{robot.links[part]}_hull", group=FELT)
    if robot.overlapping:
        contact = SubElement(root, "contact")
        for one, other in robot.overlapping:
            SubElement(contact, "exclude", body1=robot.links[one], body2=robot.links[other])
    if robot.tree.mimics:
        equality = SubElement(root, "equality")
        for mimic in robot.tree.mimics:
            pair = {"joint1": robot.joints[mimic.child], "joint2": robot.joints[mimic.leader]}
            SubElement(equality, "joint", pair, polycoef=f"0 {numbers(mimic.ratio)} 0 0 0")
    write_xml(path, root)
    return []


def _inertial(body: Element, robot: Robot, part: int) -> None:
    inertia = robot.inertias[part]
    t = inertia.tensor
    full = [t[0, 0], t[1, 1], t[2, 2], t[0, 1], t[0, 2], t[1, 2]]
    centre = inertia.centre - robot.origin(part)
    SubElement(body, "inertial", pos=numbers(centre), mass=numbers(inertia.mass), fullinertia=numbers(full))


def _joint(body: Element, robot: Robot, joint: Joint) -> None:
    values = {
        "name": robot.joints[joint.child],
        "type": "slide" if joint.kind == "prismatic" else "hinge",
        "axis": numbers(joint.axis),
    }
    if np.isfinite([joint.lower, joint.upper]).any():
        low, high = max(joint.lower, -FOREVER), min(joint.upper, FOREVER)
        if low == high:  # a range of no width is none to MuJoCo
            low, high = low - 1e-6, high + 1e-6
        values["range"] = numbers([low, high])
    for name, value in (("damping", joint.damping), ("frictionloss", joint.friction)):
        if value:
            values[name] = numbers(value)
    SubElement(body, "joint", values)
