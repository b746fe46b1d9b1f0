"""Robots as URDF: one link for each part, meshes and convex hulls for collision beside the file."""

from __future__ import annotations

from pathlib import Path
from xml.etree.ElementTree import Element, SubElement

import numpy as np

from ..kinematics.joint_tree import WORLD, Joint
from ..texts import Text
from .robot import Robot
from .robot_files import FOREVER, numbers, write_meshes, write_xml

__all__ = ["write_urdf"]

WORLD_LINK = "world"  # a name that no part has
TIMESTEP = 0.0005  # s
EFFORT, VELOCITY = 1e3, 1e2  # N m or N, rad/s or m/s: the format wants them, also where nothing says what they are


def write_urdf(path: str | Path, robot: Robot) -> list[Text]:
    """Writes a URDF file; no notes.

    What is bolted to the world hangs on a link "world" by a fixed joint; so do the roots where there are several.
    """
    path = Path(path)
    folder, visuals, hulls = write_meshes(path, robot)
    root = Element("robot", name=robot.name)
    # MuJoCo alone reads this: where the meshes are, that fixed links stay links, and steps for what is light.
    compiler = SubElement(root, "mujoco")
    SubElement(compiler, "compiler", meshdir=folder, strippath="true", discardvisual="true", fusestatic="false")
    option = SubElement(compiler, "option", timestep=numbers(TIMESTEP), integrator="implicitfast")
    if robot.overlapping:  # hulls that lie in each other would push the parts apart
        SubElement(option, "flag", contact="disable")
    tree = robot.tree
    bolted = [joint for joint in tree.joints if joint.parent == WORLD]
    loose = [part for part in tree.roots if tree.joint_of(part) is None]
    world = WORLD_LINK if bolted or len(loose) > 1 else None
    if world:
        SubElement(root, "link", name=world)
    for part, name in enumerate(robot.links):
        link = SubElement(root, "link", name=name)
        _inertial(link, robot, part)
        for tag, files in (("visual", visuals), ("collision", hulls)):
            if part in files:
                shape = SubElement(link, tag)
                SubElement(SubElement(shape, "geometry"), "mesh", filename=f"{folder}/{files[part]}")
                colour = robot.jointed.colours[part] if tag == "visual" and robot.jointed.colours else None
                if colour is not None:
                    SubElement(SubElement(shape, "material", name=f"{name}_colour"), "color", rgba=numbers(colour))
    if world:
        for part in loose:
            _fixed(root, f"{robot.links[part]}_to_{world}", world, robot.links[part])
    for part in tree.order:
        joint = tree.joint_of(part)
        if joint is not None:
            _joint(root, robot, joint, world)
    write_xml(path, root)
    return []


def _inertial(link: Element, robot: Robot, part: int) -> None:
    inertia = robot.inertias[part]
    inertial = SubElement(link, "inertial")
    SubElement(inertial, "origin", xyz=numbers(inertia.centre - robot.origin(part)), rpy="0 0 0")
    SubElement(inertial, "mass", value=numbers(inertia.mass))
    names = {"ixx": (0, 0), "ixy": (0, 1), "ixz": (0, 2), "iyy": (1, 1), "iyz": (1, 2), "izz": (2, 2)}
    SubElement(inertial, "inertia", {name: numbers(inertia.tensor[place]) for name, place in names.items()})


def _fixed(root: Element, name: str, parent: str, child: str) -> None:
    joint = SubElement(root, "joint", name=name, type="fixed")
    SubElement(joint, "parent", link=parent)
    SubElement(joint, "child", link=child)
    SubElement(joint, "origin", xyz="0 0 0", rpy="0 0 0")


def _joint(root: Element, robot: Robot, joint: Joint, world: str | None) -> None:
    kind, limited = joint.kind, bool(np.isfinite([joint.lower, joint.upper]).any())
    if kind == "revolute" and not limited:
        kind = "continuous"
    element = SubElement(root, "joint", name=robot.joints[joint.child], type=kind)
    parent = world if joint.parent == WORLD else robot.links[joint.parent]
    SubElement(element, "parent", link=str(parent))
    SubElement(element, "child", link=robot.links[joint.child])
    SubElement(element, "origin", xyz=numbers(robot.place(joint)), rpy="0 0 0")
    if not joint.moves:
        return
    SubElement(element, "axis", xyz=numbers(joint.axis))
    effort, velocity = (
        own if np.isfinite(own) else usual for own, usual in ((joint.effort, EFFORT), (joint.velocity, VELOCITY))
    )
    limit = {"effort": numbers(effort), "velocity": numbers(velocity)}
    if kind != "continuous":
        limit["lower"], limit["upper"] = numbers(max(joint.lower, -FOREVER)), numbers(min(joint.upper, FOREVER))
    SubElement(element, "limit", limit)
    if joint.friction or joint.damping:
        SubElement(element, "dynamics", damping=numbers(joint.damping), friction=numbers(joint.friction))
    for mimic in robot.tree.mimics:
        if mimic.child == joint.child:
            leader = robot.joints[mimic.leader]
            SubElement(element, "mimic", joint=leader, multiplier=numbers(mimic.ratio), offset="0.0")
