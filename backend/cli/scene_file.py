"""Scene files (.json): several objects, each a mesh file with a place and conditions, and what they share."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from scipy.spatial.transform import Rotation

from ..dynamics.conditions import Conditions, read_conditions
from ..errors import UserError, blamed
from ..geometry.mesh import Mesh
from ..io import Appearance
from ..io.json_file import read_json
from ..io.json_values import check_keys, each, record, shown, text, vector
from ..kinematics.base import Array
from ..kinematics.rig import Rig
from .object_files import read_source, with_joints_of
from .referenced_files import with_files, with_meshes, with_pose_file

__all__ = ["SceneObject", "read_scene"]

SHARED = ("fps", "frames", "substeps", "gravity", "ground", "colliders", "seed")
LONGEST_NAME = 100


@dataclass(frozen=True)
class SceneObject:
    """One object of a take: its mesh where it is drawn (world metres) and all its conditions."""

    name: str
    mesh: Mesh
    conditions: Conditions
    appearance: Appearance | None = None
    rig: Rig | None = None


@dataclass(frozen=True)
class _Place:
    """The placement of an object: rotated about its own origin, then translated."""

    location: Array  # Float[3] m
    rotation: Array  # Float[3], rotation vector

    def __call__(self, vertices: Array) -> Array:
        """Float[V,3] m."""
        return Rotation.from_rotvec(self.rotation).apply(vertices) + self.location


def read_scene(path: Path) -> list[SceneObject]:
    """The objects of a scene file; the files that it names are found from its own folder. Raises UserError."""
    value = read_json(path, "scene")
    if not isinstance(value, dict):
        raise UserError("bad_scene.not_object", path=path)
    check_keys(value, dict.fromkeys(("objects", *SHARED)))
    entries = each(_object)("objects", value.get("objects", []))
    if not entries:
        raise UserError("bad_scene.no_objects", path=path)
    names = _names(entries)
    shared = read_conditions({key: value[key] for key in SHARED if key in value})
    shared = replace(shared, colliders=with_meshes(shared.colliders, path.parent))
    common = {key: getattr(shared, key) for key in SHARED}
    objects = []
    for entry, name in zip(entries, names, strict=True):
        with blamed("within.object", name=name):
            placed = _Place(entry.get("location", np.zeros(3)), entry.get("rotation", np.zeros(3)))
            source = read_source(path.parent / entry["mesh"])
            given = with_joints_of(entry.get("conditions", {}), source.jointed)
            own = read_conditions(with_pose_file(given, path.parent, source.mesh, placed))
            own = with_files(own, path.parent, source.mesh, placed)
            source = source.begun(own.rig, shared.fps)
        source = source.placed(Rotation.from_rotvec(placed.rotation).as_matrix(), placed.location)
        objects.append(SceneObject(name, source.mesh, replace(own, **common), source.appearance, source.rig))
    return objects


def _name(where: str, value: Any) -> str:
    """Names are parts of the names of arrays in a result, and those are paths."""
    name = text(where, value)
    if not name.isprintable() or "/" in name or "\\" in name or name.startswith(".") or len(name) > LONGEST_NAME:
        raise UserError("bad_conditions.object_name", where=where, value=shown(value))
    return name


def _own_conditions(where: str, value: Any) -> Any:
    """Checked when the mesh is known, but for what belongs to all objects."""
    if isinstance(value, dict):
        for key in SHARED:
            if key in value:
                raise UserError("bad_conditions.shared_key", where=f"{where}.{key}")
    return value


def _object(where: str, value: Any) -> dict[str, Any]:
    readers = {
        "mesh": text,
        "name": _name,
        "location": vector(1e6),
        "rotation": vector(1e3),
        "conditions": _own_conditions,
    }
    return record(readers, ("mesh",))(where, value)


def _names(entries: Sequence[dict[str, Any]]) -> list[str]:
    """The given names, and the names of the files where there are none; each once."""
    used: set[str] = set()
    for number, entry in enumerate(entries):
        if "name" in entry:
            if entry["name"] in used:
                raise UserError(
                    "bad_conditions.object_name_twice", where=f"objects[{number}].name", value=shown(entry["name"])
                )
            used.add(entry["name"])
    names = []
    for entry in entries:
        name = entry.get("name")
        if name is None:
            stem = Path(entry["mesh"]).stem
            stem = stem[: LONGEST_NAME // 2] if stem.isprintable() and "\\" not in stem else "object"
            name = stem = stem.lstrip(".") or "object"
            number = 2
            while name in used:
                name, number = f"{stem} {number}", number + 1
            used.add(name)
        names.append(name)
    return names
