"""Real objects made by others, from any folder in the format of the project's shared data.

A jointed object is a folder with `joints.json` (parts, and joints {child, parent, type, axis, origin, lower, upper} in
one object frame at joint value 0) and one mesh file per part. A sequence is an .npz with verts Float[T,V,3], faces
Int[F,3] and `up`, and at times the bones that moved it (`true_bones`). `MANIFEST.json` above them says what each is,
where it comes from and what it may be used for.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import UserError, blamed
from ..geometry.loose_parts import loose_parts
from ..geometry.mesh import validate_mesh
from ..io import read_mesh
from ..kinematics.base import Array
from ..kinematics.joint_tree import KINDS
from .joint_labels import JointLabels
from .moving_object import MovingObject, jointed_object
from .source import Family
from .splits import held_out, is_research_only
from .true_bones import read_bones

__all__ = ["RealItem", "find_items", "read_object", "real_families", "training_items"]

_STILL_SHARE = 0.3  # of the vertices: as many that never move are a base
_TO_Z_UP = {"Z": np.eye(3), "Y": np.array([[1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, 1.0, 0.0]])}
_STILL = 1e-3  # of the size: what moves less stands still


@dataclass(frozen=True)
class RealItem:
    """One jointed object or one clip on disk, not read yet."""

    name: str
    object: str  # clips of one object share this name, and objects with one geometry
    category: str
    path: Path  # the object's folder, or the .npz of the clip
    research_only: bool  # may be measured on, never trained on
    skeleton: Path | None = None  # the file with the bones of a clip, where that is not the clip's own

    @property
    def jointed(self) -> bool:
        return self.path.is_dir()

    @property
    def kept_aside(self) -> bool:
        """Whether no training may see it."""
        return self.research_only or held_out(self.object)


def find_items(folder: Path) -> list[RealItem]:
    """All objects and clips in a folder and below, by name; the folder may also be one object, or one .npz file."""
    folder = Path(folder).resolve()
    if not folder.exists():
        raise UserError("no_data.no_folder", folder=folder)
    paths = [path.parent for path in folder.rglob("joints.json")] if folder.is_dir() else []
    paths += list(folder.rglob("*.npz")) if folder.is_dir() else [folder]
    if not paths:
        raise UserError("no_data.no_objects", folder=folder)
    entries = _manifest(folder)
    return sorted((_item(path, entries.get(path, {})) for path in paths), key=lambda item: item.name)


def _manifest(folder: Path) -> dict[Path, dict[str, Any]]:
    """The entries of the manifest at or above the folder, by the path that each is about."""
    for place in (folder, *folder.parents):
        path = place / "MANIFEST.json"
        if path.is_file():
            value = _read_json(path)
            every = [*value.get("sequences", []), *value.get("articulated", [])]
            return {
                (place / entry.get("file", entry.get("dir", ""))).resolve(): entry | {"at": place} for entry in every
            }
    return {}


def _item(path: Path, entry: dict[str, Any]) -> RealItem:
    try:
        own = _read_json(path / "joints.json") if path.is_dir() else _labels(path)
    except UserError:
        own = {}  # whoever reads it is told so
    name = str(entry.get("name") or own.get("name") or path.stem)
    licence = f"{entry.get('licence', '')} {own.get('licence', '')}"
    return RealItem(
        name=name,
        object=str(entry.get("family") or entry.get("object") or name),
        category=str(entry.get("category") or own.get("category") or "unknown"),
        path=path,
        research_only=is_research_only(str(entry.get("licence_class", "")), licence, path.parts),
        skeleton=entry["at"] / str(entry["skeleton"]) if "skeleton" in entry else None,
    )


def _read_json(path: Path) -> dict[str, Any]:
    try:
        value = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as problem:
        raise UserError("bad_data.unreadable", path=path) from problem
    if not isinstance(value, dict):
        raise UserError("bad_data.not_object", path=path)
    return value


def _labels(path: Path) -> dict[str, str]:
    """What an .npz says of itself."""
    wanted = ("name", "licence", "category", "up")
    try:
        with np.load(path, allow_pickle=False) as archive:
            return {name: str(archive[name]) for name in wanted if name in archive.files}
    except Exception as problem:  # whatever a damaged archive makes NumPy and zipfile say
        raise UserError("bad_data.not_npz", path=path) from problem


def training_items(folder: Path) -> list[RealItem]:
    """What of a folder may train: permissive and not kept aside for judging.

    A folder that holds nothing but research data is refused, so that it never looks like an empty one.
    """
    items = find_items(folder)
    if all(item.research_only for item in items):
        raise UserError("research_only.folder", folder=folder)
    return [item for item in items if not item.kept_aside]


def real_families(folder: Path, share: float) -> dict[str, Family]:
    """The training objects of a folder as families, with `share` of the mixture in all; each object weighs the same,

    however many clips it has. Everything is read at once and kept.
    """
    items = training_items(folder)
    clips = {name: sum(item.object == name for item in items) for name in {item.object for item in items}}
    return {
        f"real/{item.name}": Family(partial(_always, read_object(item)), share / len(clips) / clips[item.object])
        for item in items
    }


def _always(thing: MovingObject, rng: np.random.Generator) -> MovingObject:
    return thing


def read_object(item: RealItem) -> MovingObject:
    """The object with its motion, Z up. Raises UserError."""
    with blamed("within.data_object", name=item.name):
        return _jointed(item) if item.jointed else _sequence(item)


def _jointed(item: RealItem) -> MovingObject:
    value = _read_json(item.path / "joints.json")
    parts = _rows(value, "parts", ("name", "mesh"))
    joints = _rows(value, "joints", ("child", "parent", "type"))
    names = [str(part["name"]) for part in parts]
    if len(set(names)) < len(names):
        raise UserError("bad_joints.data_names")
    meshes = [read_mesh(item.path / str(part["mesh"])) for part in parts]
    counts = [len(mesh.vertices) for mesh in meshes]
    offsets = np.concatenate([[0], np.cumsum(counts)[:-1]]).astype(np.int64)
    vertices = np.concatenate([mesh.vertices for mesh in meshes])
    triangles = np.concatenate([mesh.triangles + offset for mesh, offset in zip(meshes, offsets, strict=True)])
    labels = _joint_labels(np.repeat(np.arange(len(parts)), counts), names, joints)
    return jointed_object(
        item.name,
        item.category,
        vertices,
        triangles,
        loose_parts(vertices, triangles),
        np.zeros(len(triangles), dtype=np.int64),  # the files have no materials, and parts must not show
        labels,
    )


def _rows(value: dict[str, Any], name: str, keys: Sequence[str]) -> list[dict[str, Any]]:
    rows = value.get(name)
    if not isinstance(rows, list) or not rows:
        raise UserError("bad_joints.data_empty", key=name)
    for row in rows:
        missing = [key for key in keys if not isinstance(row, dict) or key not in row]
        if missing:
            raise UserError("bad_joints.data_key", rows=name, key=missing[0])
    return rows


def _joint_labels(part: NDArray[np.int64], names: list[str], joints: list[dict[str, Any]]) -> JointLabels:
    count = len(names)
    parents, types = np.full(count, -1), ["fixed"] * count
    axes, origins = np.tile([0.0, 0.0, 1.0], (count, 1)), np.zeros((count, 3))
    lower, upper = np.full(count, np.nan), np.full(count, np.nan)
    for joint in joints:
        for end in ("child", "parent"):
            if joint[end] not in names:
                raise UserError("bad_joints.data_part", part=joint[end])
        child = names.index(joint["child"])
        if parents[child] >= 0:
            raise UserError("bad_joints.data_parents", part=joint["child"])
        parents[child] = names.index(joint["parent"])
        types[child] = _kind(joint)
        if types[child] != "fixed":
            axes[child], origins[child] = _axis(joint), _numbers(joint, "origin", 3)
            lower[child], upper[child] = _limits(joint)
    labels = JointLabels.of_arrays(part, parents, tuple(types), axes, origins, lower, upper)
    if not labels.joint_count:
        raise UserError("bad_joints.data_fixed")
    return labels


def _kind(joint: dict[str, Any]) -> str:
    kind = joint["type"]
    if kind not in KINDS:
        raise UserError("bad_joints.data_type", type=kind, known=str(KINDS))
    # Zero and zero is what exporters write where nobody set limits: an axle then turns, a slide stays where it is.
    unset = joint.get("lower") == 0.0 and joint.get("upper") == 0.0
    if unset:
        return {"revolute": "continuous", "prismatic": "fixed"}.get(kind, kind)
    return kind


def _limits(joint: dict[str, Any]) -> tuple[float, float]:
    """NaN where there is none."""
    if _kind(joint) == "continuous" or joint.get("lower") is None or joint.get("upper") is None:
        return np.nan, np.nan
    low, high = _numbers(joint, "lower", 1)[0], _numbers(joint, "upper", 1)[0]
    if low > high:
        raise UserError("bad_joints.data_limits", lower=low, upper=high)
    return float(low), float(high)


def _axis(joint: dict[str, Any]) -> Array:
    axis = _numbers(joint, "axis", 3)
    length = float(np.linalg.norm(axis))
    if length < 1e-9:
        raise UserError("bad_joints.data_axis")
    return axis / length


def _numbers(joint: dict[str, Any], key: str, count: int) -> Array:
    try:
        values = np.array(joint.get(key), dtype=np.float64).reshape(count)
    except (TypeError, ValueError) as problem:
        raise UserError("bad_joints.data_numbers", key=key, count=count) from problem
    if not np.isfinite(values).all():
        raise UserError("bad_joints.data_not_finite", key=key)
    return values


def _sequence(item: RealItem) -> MovingObject:
    up = _labels(item.path).get("up", "Z").upper()
    try:
        with np.load(item.path, allow_pickle=False) as archive:
            frames, faces = archive["verts"].astype(np.float64), archive["faces"]
    except Exception as problem:  # as in _labels
        raise UserError("bad_data.no_arrays", path=item.path) from problem
    if frames.ndim != 3 or frames.shape[2:] != (3,) or not len(frames):
        raise UserError("bad_data.shape", shape=str(frames.shape))
    if not np.isfinite(frames).all():
        raise UserError("bad_data.not_finite")
    if up not in _TO_Z_UP:
        raise UserError("bad_data.up", up=up)
    turn = _TO_Z_UP[up]
    frames = frames @ turn.T
    mesh = validate_mesh(frames[0], faces)
    size = float(np.ptp(mesh.vertices, axis=0).max())
    moved = np.linalg.norm(frames - frames[0], axis=2).max(axis=0)
    still = float((moved < _STILL * size).mean())

    def states(rng: np.random.Generator, count: int) -> Array:
        # Every frame once before any comes again; the drawn one, which says nothing, after all others.
        order = np.concatenate([1 + rng.permutation(len(frames) - 1), [0]])
        return frames[order[np.arange(count) % len(order)]]

    return MovingObject(
        name=item.name,
        category=item.category,
        vertices=mesh.vertices,
        triangles=mesh.triangles,
        shell=loose_parts(mesh.vertices, mesh.triangles),
        slot=np.zeros(len(mesh.triangles), dtype=np.int64),
        states=states,
        anchored=still >= _STILL_SHARE,
        freedom=None,
        bones=read_bones(item.skeleton or item.path, turn, *frames.shape[:2]),
    )
