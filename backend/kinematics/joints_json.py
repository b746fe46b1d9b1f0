"""Joints as JSON: the condition 'joints' and files like joints.json.

    {"parts": [{"name": "body", "vertices": [..]} | {"name": "body", "mesh": "body.ply"}, ..],
     "joints": [{"child": "door", "parent": "body", "type": "revolute", "axis": [x, y, z], "origin": [x, y, z],
                 "lower": 0.0, "upper": 1.6, "friction": 0.1, "damping": 0.0, "effort": 87.0, "velocity": 2.2,
                 "mimic": {"joint": .., "ratio": 1.0}}, ..]}

A part may have a "mass" (kg), with the "centre" [x, y, z] (m) and the "inertia" [xx, yy, zz, xy, xz, yz] (kg m^2, about
the centre) where it is drawn; else it weighs what its mesh does.
A parent "world" that is no part, -1 or null bolts its child to the world.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import UserError
from ..geometry.mesh import Mesh
from ..geometry.surface_points import closest_surface_points
from ..io.json_values import choice, each, indices, number, or_none, record, text, vector
from .base import Array
from .inertia import Inertia
from .joint_tree import KINDS, WORLD, Joint, JointTree, Mimic
from .jointed import Jointed, assigned_parts

__all__ = ["is_joints", "jointed_mesh", "part_inertia", "parts_near", "read_tree"]

_PLACE, _ANGLE = vector(1e6), number(-1e9, 1e9)


def _any(where: str, value: Any) -> Any:
    return value


def _vertices(where: str, value: Any) -> NDArray[np.int64]:
    """The vertices of a part, Int[n]; a part may have none."""
    return np.zeros(0, dtype=np.int64) if isinstance(value, list) and not value else indices(where, value)


def _six(where: str, value: Any) -> NDArray[np.float64]:
    try:
        found = np.array(value, dtype=np.float64)
    except (TypeError, ValueError):
        found = np.zeros(0)
    if found.shape != (6,) or not np.isfinite(found).all():
        raise UserError("bad_conditions.not_six_numbers", where=where)
    return found


_PART = {
    "name": text,
    "vertices": _vertices,
    "mesh": text,
    "mass": or_none(number(0.0, 1e12)),
    "centre": _PLACE,
    "inertia": _six,
}


def _part(where: str, value: Any) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise UserError("bad_conditions.not_a_part", where=where)
    known = {key: value[key] for key in _PART if key in value}
    return record(_PART, ("name",))(where, known)


def part_inertia(part: Mapping[str, Any]) -> Inertia | None:
    """The inertia of a part; None where the entry has none, or not all of it."""
    mass, centre, inertia = (part.get(key) for key in ("mass", "centre", "inertia"))
    if not mass or centre is None or inertia is None:
        return None
    xx, yy, zz, xy, xz, yz = inertia
    return Inertia(float(mass), np.asarray(centre), np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]))


def _joint(where: str, value: Any) -> dict[str, Any]:
    readers = {
        "child": _any,
        "parent": _any,
        "type": choice(*KINDS),
        "axis": or_none(_PLACE),
        "origin": or_none(_PLACE),
        "lower": or_none(_ANGLE),
        "upper": or_none(_ANGLE),
        "friction": or_none(number(0.0, 1e9)),
        "damping": or_none(number(0.0, 1e9)),
        "effort": or_none(number(0.0, 1e12)),
        "velocity": or_none(number(0.0, 1e12)),
        "name": text,
        "semantic": _any,  # what collections of objects say besides
        "mimic": or_none(record({"joint": _any, "ratio": number(-1e6, 1e6)}, ("joint",))),
    }
    return record(readers, ("child", "parent", "type"))(where, value)


def is_joints(where: str, value: Any) -> Any:
    """Checks what does not need the mesh; the name of a file is left to whoever reads files."""
    if isinstance(value, str):
        return text(where, value)
    if isinstance(value, Jointed):
        return value
    if not isinstance(value, dict):
        raise UserError("bad_conditions.not_joints", where=where)
    try:
        read_tree(value, where)
    except UserError as problem:
        if problem.code == "bad_conditions":
            raise
        raise UserError("bad_conditions.joints", where=where, problem=problem.text) from problem
    return value


def _kind(kind: str, lower: float | None, upper: float | None) -> str:
    """Zero and zero is what exporters write where nobody set limits: an axle then turns, a slide stays where it is."""
    if lower == upper == 0.0:
        return {"revolute": "continuous", "prismatic": "fixed"}.get(kind, kind)
    return kind


def read_tree(value: dict[str, Any], where: str = "joints") -> tuple[JointTree, list[dict[str, Any]]]:
    """The joint tree, and the entry of each part. Raises UserError."""
    if not isinstance(value, dict):
        raise UserError("bad_conditions.no_parts_and_joints", where=where)
    parts = each(_part)(f"{where}.parts", value.get("parts", []))
    entries = each(_joint)(f"{where}.joints", value.get("joints", []))
    names = [part["name"] for part in parts]
    if len(set(names)) < len(names):
        raise UserError("bad_conditions.parts_of_one_name", where=f"{where}.parts")

    def part_of(place: str, given: Any, world: bool) -> int:
        if isinstance(given, str) and given in names:
            return names.index(given)
        if world and (given is None or given == "world" or (given == WORLD and not isinstance(given, bool))):
            return WORLD
        if isinstance(given, int) and not isinstance(given, bool) and 0 <= given < len(names):
            return given
        raise UserError("bad_conditions.unknown_part", where=place, part=repr(given), known=", ".join(names[:12]))

    joints: list[Joint] = []
    mimics: list[Mimic] = []
    by_name: dict[str, int] = {}
    for count, entry in enumerate(entries):
        place = f"{where}.joints[{count}]"
        child, parent = part_of(place, entry["child"], False), part_of(place, entry["parent"], True)
        name = entry.get("name", names[child])
        axis, origin = (entry.get(key) for key in ("axis", "origin"))
        low, high = entry.get("lower"), entry.get("upper")
        kind = _kind(entry["type"], low, high)
        moves = kind != "fixed"
        if moves and (axis is None or (origin is None and entry["type"] != "prismatic")):
            raise UserError("bad_conditions.moves_without_axis", where=place)
        joints.append(
            Joint(
                child,
                parent,
                kind,
                np.array([0.0, 0.0, 1.0]) if axis is None else axis,
                np.zeros(3) if origin is None else origin,
                -np.inf if low is None else low,
                np.inf if high is None else high,
                entry.get("friction") or 0.0,
                entry.get("damping") or 0.0,
                name,
                entry.get("effort") or np.inf,
                entry.get("velocity") or np.inf,
            )
        )
        by_name[name] = child
    for count, entry in enumerate(entries):
        if entry.get("mimic") is not None:
            leader = entry["mimic"]["joint"]
            found = by_name[leader] if isinstance(leader, str) and leader in by_name else None
            found = part_of(f"{where}.joints[{count}].mimic", leader, False) if found is None else found
            mimics.append(Mimic(joints[count].child, found, entry["mimic"].get("ratio", 1.0)))
    return JointTree(tuple(names), tuple(joints), tuple(mimics)), parts


def parts_near(mesh: Mesh, vertices: Array, triangles: NDArray[np.int64], part: NDArray[np.int64]) -> NDArray[np.int64]:
    """For each vertex of a mesh the part Int[V] of the nearest surface, which has a part Int[F] for each triangle."""
    of_one_part = np.zeros(len(mesh.vertices), dtype=np.int64), np.zeros(len(triangles), dtype=np.int64)
    places = closest_surface_points(mesh.vertices, of_one_part[0], vertices, triangles, of_one_part[1])
    return part[places.triangle]


def jointed_mesh(mesh: Mesh, value: Any, read: Callable[[str], Mesh] | None = None) -> Jointed:
    """The jointed mesh of the condition 'joints'; `read` gives the mesh of a file that a part names.

    Raises UserError.
    """
    if isinstance(value, Jointed):
        value.check_fits(mesh)
        return value
    if isinstance(value, str):
        raise UserError("bad_conditions.joints_file", where="joints")
    tree, parts = read_tree(value)
    inertias = tuple(part_inertia(part) for part in parts)
    if all("vertices" in part for part in parts):
        chosen = [part["vertices"] for part in parts]
        return Jointed(tree, assigned_parts(len(mesh.vertices), chosen, tree.parts), inertias)
    if read is None or any("mesh" not in part for part in parts):
        raise UserError("bad_conditions.parts_without_vertices", where="joints.parts")
    meshes = [read(part["mesh"]) for part in parts]
    starts = np.cumsum([0, *(len(each.vertices) for each in meshes)])[:-1]
    triangles = np.concatenate([each.triangles + start for each, start in zip(meshes, starts, strict=True)])
    owner = np.repeat(np.arange(len(parts)), [len(each.triangles) for each in meshes])
    vertices = np.concatenate([each.vertices for each in meshes])
    if np.array_equal(vertices, mesh.vertices):
        owners = np.repeat(np.arange(len(parts)), [len(each.vertices) for each in meshes])
        return Jointed(tree, owners, inertias)
    return Jointed(tree, parts_near(mesh, vertices, triangles, owner), inertias)
