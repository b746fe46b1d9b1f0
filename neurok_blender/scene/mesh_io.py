"""Meshes for the backend: the base mesh, in world space, triangulated; and the way back."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import bpy
import numpy as np
from bpy.app.translations import pgettext_rpt as rpt_
from numpy.typing import NDArray

from ..errors import Refusal
from ..properties.provider_menu import JOINTED
from . import preview
from .bakes.ledger import foreign_keys
from .base_mesh import BaseCopy, base_mesh
from .coordinates import Latest, placed, read_coordinates, read_corners, read_triangle_faces, read_triangles
from .deformers import StorageMap, measure_storage_map
from .joint_tree import ObjectJoints, joints_of
from .labels import labels_of
from .mirrored import joining_mirror, make_whole, whole_mesh
from .pieces import pieces_of
from .provider import provider_of

__all__ = ["MeshShape", "MeshSnapshot", "check_object", "look_at", "mesh_fingerprint", "snapshot"]


# Two forms are one where no vertex differs by more than this part of the size.
FORM_STEPS = 1000.0


@dataclass(frozen=True, eq=False)
class MeshShape:
    """An object's mesh as the backend gets it."""

    evaluated: NDArray[np.float32]
    """Coordinates of the base mesh, see `base_mesh` [V,3], object space."""
    triangles: NDArray[np.int32]
    """Vertex indices [F,3]."""
    slots: NDArray[np.int32]
    """Material slots of the triangles [F]; all 0 where there are no two to tell apart."""
    to_world: NDArray[np.float64]
    """[4,4]"""
    joints: ObjectJoints | None
    """Where the object moves by them."""
    labels: dict[str, Any]
    """Names of the object and of its materials, see `labels`."""
    pieces: list[dict[str, Any]]
    """What is said of pieces, see `pieces`."""

    @cached_property
    def world(self) -> NDArray[np.float32]:
        """Evaluated coordinates in world space, metres [V,3]."""
        return placed(self.evaluated, self.to_world).astype(np.float32)

    @cached_property
    def form(self) -> str:
        """Names the form as it stands, wherever it stands and however large it is."""
        low = self.world.min(axis=0)
        size = max(float((self.world - low).max()), 1e-30)
        return mesh_fingerprint(np.rint((self.world - low) * (FORM_STEPS / size)).astype(np.int32), self.triangles)

    @cached_property
    def _content(self) -> str:
        said = json.dumps([self.labels, self.pieces], default=np.ndarray.tolist)
        names = np.frombuffer(said.encode(), np.uint8).astype(np.int32)
        return mesh_fingerprint(self.world, self.triangles, self.slots, names)

    def key(self, provider: str) -> str:
        """Names this mesh's analysis in the backend."""
        jointed = f"-{self.joints.fingerprint}" if self.joints is not None and provider == JOINTED else ""
        return f"{self._content}-{provider}{jointed}"


@dataclass(frozen=True, eq=False)
class MeshSnapshot(MeshShape):
    """The same with all that is needed to store a simulated shape back."""

    original: NDArray[np.float32]
    """Stored coordinates [V,3], object space; shape keys are not in them."""
    storage: StorageMap
    has_keys: bool
    """Whether the artist's shape keys play."""
    faces: str
    """Names the faces, however Blender cuts them into triangles, which goes by the shape that the keys show."""

    @cached_property
    def corners(self) -> NDArray[np.float64]:
        """Corners of the bounding box of the base mesh [8,3], object space."""
        low, high = self.evaluated.min(axis=0).astype(np.float64), self.evaluated.max(axis=0)
        return np.array([[x, y, z] for x in (low[0], high[0]) for y in (low[1], high[1]) for z in (low[2], high[2])])

    @cached_property
    def to_object(self) -> NDArray[np.float64]:
        return np.linalg.inv(self.to_world)

    @cached_property
    def fingerprint(self) -> str:
        """Tells whether a mesh is still the one that was simulated, wherever its object stands.

        Materials do not count: a mesh that is painted after a take can still be given its shapes. Neither do shape
        keys, which may be at other values at another frame.
        """
        return f"{mesh_fingerprint(self._named)}-{self.faces}"

    @property
    def _named(self) -> NDArray[np.float32]:
        return self.original if self.has_keys else self.evaluated

    def is_like(self, other: MeshSnapshot) -> bool:
        """Whether both have the same fingerprint."""
        return self.faces == other.faces and np.array_equal(self._named, other._named)


def mesh_fingerprint(*arrays: NDArray[np.float32] | NDArray[np.int32]) -> str:
    digest = hashlib.blake2b(digest_size=16)
    digest.update(np.int64([len(array) for array in arrays]).tobytes())
    for array in arrays:
        digest.update(array.tobytes())
    return digest.hexdigest()


def check_object(obj: bpy.types.Object | None) -> bpy.types.Object:
    """The object, if NeuROK can work on it at all; otherwise a Refusal."""
    if obj is None or obj.type != "MESH":
        raise Refusal("There is no active mesh object.", "Click a mesh object to make it active.")
    mesh = obj.data
    if any(item.library is not None or item.override_library is not None for item in (obj, mesh)):
        raise Refusal(
            rpt_("{} is linked from another file.").format(obj.name),
            "Make it local first (Object > Relations > Make Local > Selected Objects and Data).",
        )
    if mesh.shape_keys is not None and not mesh.shape_keys.use_relative:
        raise Refusal(
            rpt_("The shape keys of {} are absolute, so no others can be added to them.").format(obj.name),
            "Make them relative (Object Data properties > Shape Keys > Relative), or work on a copy.",
        )
    if not obj.visible_get():
        raise Refusal(rpt_("{} is hidden.").format(obj.name), "Show it first (the eye in the Outliner, or Alt H).")
    return obj


def snapshot(context: bpy.types.Context, obj: bpy.types.Object, with_joints: bool = True) -> MeshSnapshot:
    """Reads the object's mesh as it stands; a pose shown on it is taken off before, and a half made whole.

    `with_joints`: whether it shall be moved by the joints that it has. The object is in object mode.
    Raises Refusal where the mesh cannot be simulated.
    """
    check_object(obj)
    preview.restore(obj.data)
    make_whole(context, obj)
    context.view_layer.update()
    shape = look_at(context, obj, with_joints)
    original = read_coordinates(obj.data)
    has_keys = bool(foreign_keys(obj))
    mixed = _mixed(context.scene, obj) if has_keys else original
    storage = measure_storage_map(context.scene, obj, mixed, shape.evaluated)
    read = (shape.evaluated, shape.triangles, shape.slots, shape.to_world, shape.joints, shape.labels, shape.pieces)
    return MeshSnapshot(*read, original, storage, has_keys, _face_fingerprint(obj.data))


def _face_fingerprint(mesh: bpy.types.Mesh) -> str:
    mesh.calc_loop_triangles()
    faces, vertices = read_triangle_faces(mesh), read_corners(mesh)
    return _faces.of(lambda: _faces_named(faces, vertices, len(mesh.polygons)), faces, vertices)


def _faces_named(faces: NDArray[np.int32], vertices: NDArray[np.int32], count: int) -> str:
    """By the face of each triangle Int[F] and the vertex of each corner Int[C]."""
    corners = np.bincount(faces, minlength=count) + 2  # read from the faces they take ten times as long
    return mesh_fingerprint(corners.astype(np.int32), vertices)


_faces: Latest[str] = Latest()


def _mixed(scene: bpy.types.Scene, obj: bpy.types.Object) -> NDArray[np.float32]:
    """Coordinates [V,3] as the shape keys make them at this frame."""
    with BaseCopy(scene, obj, []) as copy:
        return read_coordinates(copy.evaluated())


def look_at(context: bpy.types.Context, obj: bpy.types.Object, with_joints: bool = True) -> MeshShape:
    """Reads the object's base mesh as it is shown, and changes nothing. Raises Refusal where it cannot be simulated.

    Of a half that is joined to its image it reads the whole.

    `with_joints`: whether it shall be moved by the joints that are in its list.
    """
    check_object(obj)
    depsgraph, mirror = context.evaluated_depsgraph_get(), joining_mirror(obj)
    with base_mesh(depsgraph, obj) if mirror is None else whole_mesh(depsgraph.scene, obj, mirror) as mesh:
        evaluated, triangles, slots = read_coordinates(mesh), read_triangles(mesh), _slots(mesh)
    evaluated_object = obj.evaluated_get(depsgraph)
    _check_geometry(obj, evaluated, triangles, len(evaluated_object.data.polygons))
    to_world = np.array(evaluated_object.matrix_world, dtype=np.float64)
    _check_transform(obj, to_world)
    # Without joints in the file the backend finds them itself.
    jointed = with_joints and provider_of(obj) == JOINTED and len(obj.neurok.joints) > 0
    joints = joints_of(obj, evaluated_object.matrix_world) if jointed else None
    return MeshShape(evaluated, triangles, slots, to_world, joints, labels_of(obj), pieces_of(obj))


def _slots(mesh: bpy.types.Mesh) -> NDArray[np.int32]:
    """The material slot of each triangle of `read_triangles`, as Blender draws it.

    Faces may still name slots that were removed; they are drawn with the last one.
    """
    last = len(mesh.materials) - 1
    polygon, slot = read_triangle_faces(mesh), np.empty(len(mesh.polygons), np.int32)
    # Attributes are copied as they lie in memory; the same numbers read from the faces take a hundred times as long.
    attribute = mesh.attributes.get("material_index")
    if attribute is None or last < 1:
        return np.zeros_like(polygon)
    attribute.data.foreach_get("value", slot)
    return np.clip(slot, 0, last)[polygon]


def _check_geometry(
    obj: bpy.types.Object, vertices: NDArray[np.float32], triangles: NDArray[np.int32], shown_faces: int
) -> None:
    if len(triangles) == 0 and shown_faces:
        raise Refusal(
            rpt_("The faces of {} are made by its modifiers.").format(obj.name),
            "Apply them first (Object > Convert > Mesh).",
        )
    if len(vertices) == 0:
        raise Refusal(rpt_("{} has no vertices.").format(obj.name), "Give it some geometry first.")
    if len(triangles) == 0:
        raise Refusal(rpt_("{} has no faces.").format(obj.name), "Fill it with faces first (Edit Mode, F).")
    if not np.isfinite(vertices).all():
        raise Refusal(
            rpt_("{} has vertices without a real position (NaN or infinite).").format(obj.name),
            "Delete or move those vertices first.",
        )


def _check_transform(obj: bpy.types.Object, to_world: NDArray[np.float64]) -> None:
    stretch = np.linalg.svd(to_world[:3, :3], compute_uv=False) if np.isfinite(to_world).all() else np.zeros(3)
    if not stretch[2] > 1e-6 * stretch[0]:
        raise Refusal(
            rpt_("{} is scaled to nothing along some direction.").format(obj.name),
            "Give it a scale other than zero (N panel > Item > Scale).",
        )
