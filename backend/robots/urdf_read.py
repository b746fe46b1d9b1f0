"""Robots from URDF files, everything in the frame of the root link with every joint at zero.

The file is understood by yourdfpy: a small reader that is kept up, whose only needs are lxml and trimesh (which also
reads the meshes that our own readers do not). Meshes are found and read here, because it would guess where they are.
"""

from __future__ import annotations

import logging
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import UserError, blamed
from ..geometry.mesh import Mesh, validate_mesh
from ..io.reading import read_bytes
from ..kinematics.base import Array
from ..kinematics.inertia import Inertia
from ..kinematics.joint_tree import WORLD, Joint, JointTree, Mimic
from ..kinematics.jointed import Jointed
from .robot_files import FOREVER
from .urdf_meshes import link_surface

__all__ = ["read_urdf"]

WORLD_LINK = "world"
_KINDS = ("fixed", "revolute", "prismatic", "continuous", "floating")


def read_urdf(path: str | Path) -> tuple[Mesh, Jointed]:
    """All surfaces as one mesh (a material slot for each link), and the joints. Raises UserError.

    A root link "world" without a surface is the world; a floating joint is what leaves an object free. Friction,
    damping, limits, mass and inertia are those of the file; a link without a mass has that of its surface.
    """
    path = Path(path)
    robot = _parsed(path)
    with blamed("within.robot", file=path.name):
        return _Reader(robot, path.parent).read()


def _parsed(path: Path) -> Any:
    data = read_bytes(path)
    try:
        from lxml import etree
        from yourdfpy import URDF
    except ModuleNotFoundError as problem:
        raise UserError("no_urdf.missing") from problem
    quiet = logging.getLogger("yourdfpy.urdf")
    level = quiet.level
    quiet.setLevel(logging.CRITICAL)
    try:
        # Entities are not looked up: a robot's file has no business with other files than its meshes.
        root = etree.fromstring(data, etree.XMLParser(resolve_entities=False, no_network=True))
        if root.tag != "robot":
            raise ValueError("not a robot")
        text = etree.tostring(root)
        return URDF.load(BytesIO(text), load_meshes=False, build_scene_graph=False).robot
    except Exception as problem:  # whatever lxml and yourdfpy make of a file that is something else
        raise UserError("broken_file.urdf", file=path.name) from problem
    finally:
        quiet.setLevel(level)


class _Reader:
    def __init__(self, robot: Any, folder: Path) -> None:
        self._robot, self._folder = robot, folder
        self._links = {link.name: link for link in robot.links}
        if len(self._links) < len(robot.links):
            raise UserError("bad_joints.links_of_one_name")
        for joint in robot.joints:
            for end in (joint.parent, joint.child):
                if end not in self._links:
                    raise UserError("bad_joints.unknown_link", joint=joint.name, link=end)
            if joint.type not in _KINDS:
                raise UserError("bad_joints.unknown_type", joint=joint.name, type=joint.type, known=", ".join(_KINDS))
        self._above = {joint.child: joint for joint in robot.joints}

    def read(self) -> tuple[Mesh, Jointed]:
        follows = self._followed()
        places = self._places({name: offset for name, (_, _, offset) in follows.items()})
        surfaces = {
            name: link_surface(link.visuals, link.collisions, self._folder) for name, link in self._links.items()
        }
        parts = [name for name in self._links if not self._is_world(name, surfaces)]
        number = {name: place for place, name in enumerate(parts)}
        joints = [
            self._joint(joint, places[joint.child], number, follows.get(joint.name))
            for joint in self._robot.joints
            if joint.type != "floating"
        ]
        child = {joint.name: number[joint.child] for joint in self._robot.joints}
        mimics = [Mimic(child[name], child[leader], ratio) for name, (leader, ratio, _) in follows.items()]
        tree = JointTree(tuple(parts), tuple(joints), tuple(mimics))
        return self._mesh(parts, places, surfaces, tree)

    def _is_world(self, name: str, surfaces: dict[str, Any]) -> bool:
        """Whether a link stands only for the world, or for the parent of a floating joint."""
        below = [joint.type for joint in self._robot.joints if joint.parent == name]
        bare = name not in self._above and not len(surfaces[name][1])
        return bare and bool(below) and (name == WORLD_LINK or "floating" in below)

    def _followed(self) -> dict[str, tuple[str, float, float]]:
        """Of each joint that follows another: the one that moves by itself, the ratio and the offset (rad or m)."""
        given = {joint.name: joint.mimic for joint in self._robot.joints if joint.mimic is not None}
        names = {joint.name for joint in self._robot.joints}
        result = {}
        for name in given:
            leader, ratio, offset = name, 1.0, 0.0
            for _ in range(len(given) + 1):
                mimic = given.get(leader)
                if mimic is None:
                    break
                times, more = _or(mimic.multiplier, 1.0), _or(mimic.offset, 0.0)
                leader, offset, ratio = mimic.joint, offset + ratio * more, ratio * times
            if leader not in names or leader in given:
                raise UserError("bad_joints.leader_moves_not", joint=name, leader=leader)
            result[name] = (leader, ratio, offset)
        return result

    def _places(self, offsets: dict[str, float]) -> dict[str, Array]:
        """Each link's frame Float[4,4] in the root's with every joint at zero (what follows: at its offset)."""
        places: dict[str, Array] = {}
        for name in self._links:
            chain, seen = [name], {name}
            while chain[-1] not in places and chain[-1] in self._above:
                parent = self._above[chain[-1]].parent
                if parent in seen:
                    raise UserError("bad_joints.link_ring", link=name)
                chain.append(parent)
                seen.add(parent)
            places.setdefault(chain[-1], np.eye(4))
            for below in reversed(chain[:-1]):
                joint = self._above[below]
                place = places[joint.parent] @ (np.eye(4) if joint.origin is None else joint.origin)
                places[below] = place @ _moved(joint, offsets.get(joint.name, 0.0))
        return places

    def _joint(
        self, joint: Any, place: Array, number: dict[str, int], follows: tuple[str, float, float] | None
    ) -> Joint:
        """The joint in the root's frame; limits of what follows count from its offset."""
        axis = place[:3, :3] @ _axis(joint)
        lower, upper = _limits(joint)
        offset = 0.0 if follows is None else follows[2]
        dynamics = joint.dynamics
        return Joint(
            number[joint.child],
            number.get(joint.parent, WORLD),
            joint.type,
            axis,
            place[:3, 3],
            lower - offset,
            upper - offset,
            0.0 if dynamics is None else abs(_or(dynamics.friction, 0.0)),
            0.0 if dynamics is None else abs(_or(dynamics.damping, 0.0)),
            joint.name,
            _most(joint, "effort"),
            _most(joint, "velocity"),
        )

    def _mesh(
        self, parts: list[str], places: dict[str, Array], surfaces: dict[str, Any], tree: JointTree
    ) -> tuple[Mesh, Jointed]:
        vertices, triangles, slots, owner, count = [], [], [], [], 0
        for number, name in enumerate(parts):
            points, faces = surfaces[name]
            vertices.append(points @ places[name][:3, :3].T + places[name][:3, 3])
            triangles.append(faces + count)
            slots.append(np.full(len(faces), number))
            owner.append(np.full(len(points), number))
            count += len(points)
        if not count:
            raise UserError("empty_mesh.robot")
        mesh = validate_mesh(np.concatenate(vertices), np.concatenate(triangles), np.concatenate(slots))
        inertias = tuple(_inertia(self._links[name], places[name]) for name in parts)
        known = {each.name: each for each in self._robot.materials}
        colours = tuple(_colour(self._links[name], known) for name in parts)
        return mesh, Jointed(tree, np.concatenate(owner), inertias, colours)


def _or(value: float | None, otherwise: float) -> float:
    return otherwise if value is None else float(value)


def _axis(joint: Any) -> Array:
    axis = np.array([1.0, 0.0, 0.0] if joint.axis is None else joint.axis, dtype=np.float64)
    length = np.linalg.norm(axis)
    return axis / length if length > 0.0 else axis


def _limits(joint: Any) -> tuple[float, float]:
    """Limits of a joint: a bound that the limit element leaves out is zero, as in the format."""
    if joint.type in ("continuous", "fixed") or joint.limit is None:
        return -np.inf, np.inf
    lower, upper = _or(joint.limit.lower, 0.0), _or(joint.limit.upper, 0.0)
    if joint.limit.lower is None and joint.limit.upper is None:
        return -np.inf, np.inf
    return (lower if lower > -FOREVER else -np.inf), (upper if upper < FOREVER else np.inf)


def _colour(link: Any, known: dict[str, Any]) -> tuple[float, ...] | None:
    """The colour of a link: of its first visual that has one, by itself or by the name of a material of the robot."""
    for visual in link.visuals:
        material = visual.material
        if material is not None and material.color is None:
            material = known.get(material.name)
        if material is not None and material.color is not None:
            rgba = np.asarray(material.color.rgba, dtype=np.float64).ravel()
            if rgba.shape == (4,) and np.isfinite(rgba).all():
                return tuple(np.clip(rgba, 0.0, 1.0).tolist())
    return None


def _most(joint: Any, what: str) -> float:
    """The effort or velocity limit of a joint; exporters write zero where nobody gave one."""
    given = None if joint.limit is None else getattr(joint.limit, what)
    return float(given) if given is not None and given > 0.0 else np.inf


def _moved(joint: Any, value: float) -> Array:
    """Where a joint at this value takes its child, Float[4,4]."""
    result = np.eye(4)
    if value and joint.type == "prismatic":
        result[:3, 3] = value * _axis(joint)
    elif value and joint.type in ("revolute", "continuous"):
        from scipy.spatial.transform import Rotation

        result[:3, :3] = Rotation.from_rotvec(value * _axis(joint)).as_matrix()
    return result


def _inertia(link: Any, place: Array) -> Inertia | None:
    given = link.inertial
    if given is None or not given.mass or given.mass <= 0.0:
        return None
    own = place if given.origin is None else place @ given.origin
    tensor = np.zeros((3, 3)) if given.inertia is None else np.array(given.inertia, dtype=np.float64)
    if not np.isfinite(tensor).all():
        raise UserError("bad_joints.link_inertia", link=link.name)
    return Inertia(float(given.mass), own[:3, 3], own[:3, :3] @ tensor @ own[:3, :3].T)
