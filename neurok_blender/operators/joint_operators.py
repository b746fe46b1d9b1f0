"""Find the joints of an object, and edit the list of parts."""

from __future__ import annotations

import json

import bmesh
import bpy
import numpy as np
from bpy.app.translations import pgettext_rpt as rpt_
from bpy.types import Operator
from mathutils import Matrix

from .. import names
from ..backend.texts import from_wire
from ..errors import Refusal
from ..scene.found_joints import forget_joints, set_joint_motion, store_joints
from ..scene.joint_parts import PART_ATTRIBUTE, face_parts, triangle_faces, write_face_parts
from ..scene.mesh_io import check_object
from ..scene.part_sources import parts_request
from ..scene.takes import find_by_uid
from ..session.backend_text import backend_report
from ..session.background_analysis import background_analysis
from ..session.one_shot_request import OneShotRequest
from .feedback import is_idle
from .modal_job import ModalJob
from .rest_shape import drawn_shape

__all__ = [
    "CLASSES",
    "NEUROK_OT_joint_add",
    "NEUROK_OT_joint_assign",
    "NEUROK_OT_joint_next",
    "NEUROK_OT_joint_remove",
    "NEUROK_OT_joint_select",
    "NEUROK_OT_joints_clear",
    "NEUROK_OT_joints_find",
]

MOTION_FIELDS = ("kind", "axis", "origin", "lower_angle", "upper_angle", "lower_distance", "upper_distance")


class NEUROK_OT_joints_find(ModalJob, Operator):
    """Find out which parts of the object can turn or slide, about which axes and how far"""

    bl_idname = names.Operator.JOINTS_FIND
    bl_label = "Find Joints"
    bl_options = {"UNDO"}

    @classmethod
    def poll(cls, context):
        obj = context.active_object
        if obj is None or obj.type != "MESH" or obj.mode != "OBJECT":
            cls.poll_message_set("Needs an active mesh object in object mode")
            return False
        return is_idle(cls)

    def _make(self, context):
        obj = check_object(context.active_object)
        shape = drawn_shape(context, obj)
        header, arrays = parts_request(obj, shape, obj.neurok.joint_source)
        arrays = {"vertices": shape.world, "triangles": shape.triangles, "slots": shape.slots, **arrays}
        uid, mesh_uid, counts = obj.session_uid, obj.data.session_uid, _counts(obj.data)
        to_world = Matrix(shape.to_world.tolist())

        def take(answer, found) -> str:
            now = find_by_uid(bpy.data.objects, uid)
            same = now is not None and now.data is not None and now.data.session_uid == mesh_uid
            if not same or now.mode != "OBJECT" or _counts(now.data) != counts:
                raise Refusal("The object was changed while its joints were looked for.", "Look for them again.")
            faces = np.zeros(len(now.data.polygons), np.int32)
            faces[triangle_faces(now.data)] = found["labels"]
            store_joints(now, answer, faces, to_world)
            background_analysis.changed()
            moving = sum(joint.moves for joint in now.neurok.joints)
            text = rpt_("{} parts, {} joints that move.").format(len(now.neurok.joints), moving)
            return " ".join([text, *map(backend_report, from_wire(answer["warnings"]))])

        return OneShotRequest({"type": "joints", **header}, arrays, take)


def _counts(mesh) -> tuple[int, int, int]:
    return len(mesh.vertices), len(mesh.loops), len(mesh.polygons)


class _OnJoints:
    """Mix-in of operators on the joints of the active object."""

    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context):
        obj = context.active_object
        if obj is None or obj.type != "MESH" or obj.library is not None or not len(obj.neurok.joints):
            cls.poll_message_set("Needs an object with joints")
            return False
        return is_idle(cls)

    @staticmethod
    def _active(context):
        """The active joint; None where the list has none."""
        settings = context.active_object.neurok
        number = settings.active_joint
        return settings.joints[number] if 0 <= number < len(settings.joints) else None


class _OnParts(_OnJoints):
    """Mix-in of operators that change the parts of faces: in object mode."""

    @classmethod
    def poll(cls, context):
        if not super().poll(context):
            return False
        if context.active_object.mode != "OBJECT":
            cls.poll_message_set("Leave edit mode first")
            return False
        return True


class _OnSelectedFaces(_OnJoints):
    """Mix-in of operators on the faces that are selected in edit mode."""

    @classmethod
    def poll(cls, context):
        if not super().poll(context):
            return False
        if context.active_object.mode != "EDIT":
            cls.poll_message_set("Select the faces of the part in edit mode")
            return False
        return True


class NEUROK_OT_joint_next(_OnJoints, Operator):
    """Let the part move in its next likely way: about another edge, or sliding instead of turning"""

    bl_idname = names.Operator.JOINT_NEXT
    bl_label = "Next Suggestion"

    @classmethod
    def poll(cls, context):
        if not super().poll(context):
            return False
        joint = cls._active(context)
        if joint is None or not joint.alternatives:
            cls.poll_message_set("No other way to move was found for this part")
            return False
        return True

    def execute(self, context):
        joint = self._active(context)
        others = json.loads(joint.alternatives)
        now = {field: getattr(joint, field) for field in MOTION_FIELDS}
        kept = {field: value if isinstance(value, str | float) else list(value) for field, value in now.items()}
        set_joint_motion(joint, others[0])
        joint.alternatives = json.dumps([*others[1:], kept])
        joint.enabled = True
        return {"FINISHED"}


class NEUROK_OT_joint_assign(_OnSelectedFaces, Operator):
    """Assign the selected faces to the active part"""

    bl_idname = names.Operator.JOINT_ASSIGN
    bl_label = "Assign Faces"

    def execute(self, context):
        obj = context.active_object
        if self._active(context) is None:
            self.report({"ERROR"}, "No part is chosen in the list.")
            return {"CANCELLED"}
        count = _assign_selected(obj, obj.neurok.active_joint)
        if not count:
            self.report({"ERROR"}, "No faces are selected.")
            return {"CANCELLED"}
        background_analysis.changed()
        self.report({"INFO"}, rpt_("{} faces belong to {} now.").format(count, self._active(context).name))
        return {"FINISHED"}


class NEUROK_OT_joint_select(_OnSelectedFaces, Operator):
    """Select the faces of the part that is chosen in the list"""

    bl_idname = names.Operator.JOINT_SELECT
    bl_label = "Select Faces"

    def execute(self, context):
        mesh, number = context.active_object.data, context.active_object.neurok.active_joint
        edited = bmesh.from_edit_mesh(mesh)
        layer = edited.faces.layers.int.get(PART_ATTRIBUTE)
        for face in edited.faces if layer is not None else ():
            face.select_set(face[layer] == number and not face.hide)
        edited.select_flush_mode()
        bmesh.update_edit_mesh(mesh, loop_triangles=False, destructive=False)
        return {"FINISHED"}


def _assign_selected(obj, number: int) -> int:
    """Gives the faces that are selected in edit mode to a part; how many there were."""
    edited = bmesh.from_edit_mesh(obj.data)
    layer = edited.faces.layers.int.get(PART_ATTRIBUTE) or edited.faces.layers.int.new(PART_ATTRIBUTE)
    chosen = [face for face in edited.faces if face.select]
    for face in chosen:
        face[layer] = number
    bmesh.update_edit_mesh(obj.data, loop_triangles=False, destructive=False)
    return len(chosen)


class NEUROK_OT_joint_add(_OnSelectedFaces, Operator):
    """Make the selected faces a new part, with the active part as its parent"""

    bl_idname = names.Operator.JOINT_ADD
    bl_label = "Add Part"

    def execute(self, context):
        obj = context.active_object
        settings = obj.neurok
        number = len(settings.joints)
        edited = bmesh.from_edit_mesh(obj.data)
        chosen = [face.calc_center_median() for face in edited.faces if face.select]
        if not chosen:
            self.report({"ERROR"}, "No faces are selected.")
            return {"CANCELLED"}
        parent = settings.active_joint if 0 <= settings.active_joint < number else 0
        _assign_selected(obj, number)
        joint = settings.joints.add()
        joint.name, joint.kind, joint.parent = rpt_("Part {}").format(number), "HINGE", parent
        joint.origin = sum(chosen[1:], chosen[0]) / len(chosen)
        settings.active_joint = number
        return {"FINISHED"}


class NEUROK_OT_joint_remove(_OnParts, Operator):
    """Remove the active part; its faces and children go to its parent"""

    bl_idname = names.Operator.JOINT_REMOVE
    bl_label = "Remove Part"

    def execute(self, context):
        obj = context.active_object
        settings, number = obj.neurok, obj.neurok.active_joint
        if self._active(context) is None or len(settings.joints) < 2:
            self.report({"ERROR"}, "The last part cannot be removed. Remove all joints instead.")
            return {"CANCELLED"}
        above = settings.joints[number].parent
        heir = above if above >= 0 else int(number == 0)
        faces = face_parts(obj.data)
        if faces is not None:
            faces[faces == number] = heir
            write_face_parts(obj.data, faces - (faces > number).astype(np.int32))
        for place, joint in enumerate(settings.joints):
            parent = heir if joint.parent == number else joint.parent
            parent = above if parent == place else parent
            joint.parent = parent - (parent > number)
            joint.leader = -1 if joint.leader == number else joint.leader - (joint.leader > number)
        for entry in settings.reaches:
            entry.part = -1 if entry.part == number else entry.part - (entry.part > number)
        settings.joints.remove(number)
        settings.active_joint = max(0, heir - (heir > number))
        background_analysis.changed()
        return {"FINISHED"}


class NEUROK_OT_joints_clear(_OnParts, Operator):
    """Forget all parts and joints of the object"""

    bl_idname = names.Operator.JOINTS_CLEAR
    bl_label = "Remove Joints"

    def execute(self, context):
        forget_joints(context.active_object)
        background_analysis.changed()
        return {"FINISHED"}


CLASSES = (
    NEUROK_OT_joints_find,
    NEUROK_OT_joint_next,
    NEUROK_OT_joint_assign,
    NEUROK_OT_joint_select,
    NEUROK_OT_joint_add,
    NEUROK_OT_joint_remove,
    NEUROK_OT_joints_clear,
)
