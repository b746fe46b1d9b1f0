"""Add, remove and bake IK targets."""

from __future__ import annotations

import bpy
import numpy as np
from bpy.app.translations import pgettext_rpt as rpt_
from bpy.props import BoolProperty, IntProperty
from bpy.types import Operator
from mathutils import Matrix

from .. import names
from ..properties.provider_menu import JOINTED
from ..scene.ik_goals import owner_of, part_tip
from ..scene.joint_tree import has_joints
from ..session.ik_targets import ReachTake, follower
from ..session.state import session
from .feedback import is_idle
from .modal_job import ModalJob

__all__ = ["CLASSES", "NEUROK_OT_reach_add", "NEUROK_OT_reach_bake", "NEUROK_OT_reach_remove", "ik_object"]

EMPTY_SIZE = 0.15  # of the object


def ik_object(context) -> bpy.types.Object | None:
    """The active object, or the one whose target is active."""
    obj = context.active_object
    if obj is None or obj.type == "MESH":
        return obj
    return owner_of(obj)


class NEUROK_OT_reach_add(Operator):
    """Add an empty where the chosen part is: move it, and the joints bring the part to it"""

    bl_idname = names.Operator.REACH_ADD
    bl_label = "Add IK Target"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context):
        obj = ik_object(context)
        if obj is None or obj.library is not None or not has_joints(obj):
            cls.poll_message_set("Needs an object with joints that move")
            return False
        if context.mode != "OBJECT":
            cls.poll_message_set("Leave edit mode first")
            return False
        return is_idle(cls)

    def execute(self, context):
        obj = ik_object(context)
        settings, number = obj.neurok, obj.neurok.active_joint
        if not 0 <= number < len(settings.joints) or not _moves(settings.joints, number):
            self.report({"ERROR"}, "No joint moves the chosen part. Choose another one in the list.")
            return {"CANCELLED"}
        name, own = settings.joints[number].name, part_tip(obj, number)
        target = bpy.data.objects.new(rpt_("{} Target").format(name), None)
        target.empty_display_type = "ARROWS"
        target.empty_display_size = EMPTY_SIZE * max(obj.dimensions)
        collection = obj.users_collection[0] if obj.users_collection else context.collection
        collection.objects.link(target)
        target.matrix_world = _shown_place(obj, number, own)
        entry = settings.reaches.add()
        entry.name, entry.target, entry.part = target.name, target, number
        entry.tip = [value for row in own for value in row]
        settings.provider = JOINTED.upper()
        context.view_layer.update()  # or the layer's list does not have it yet
        for other in context.view_layer.objects:
            other.select_set(other == target)
        context.view_layer.objects.active = target
        return {"FINISHED"}


def _moves(joints, number: int) -> bool:
    """Whether any joint between a part and the base moves."""
    seen = 0
    while 0 <= number < len(joints) and seen <= len(joints):
        if joints[number].moves:
            return True
        number, seen = joints[number].parent, seen + 1
    return False


def _shown_place(obj: bpy.types.Object, number: int, own: Matrix) -> Matrix:
    """Where a frame of a part is that is given where the part is drawn: nothing moves until the target does."""
    place, turn, _scale = (obj.matrix_world @ own).decompose()
    rest = Matrix.LocRotScale(place, turn, None)
    take = session.take_of(obj)
    if take is None or not take.frame_count:
        return rest
    handles = take.motion.shapes[take.index_at(bpy.context.scene.frame_current)].handles
    if handles is None or number >= len(handles):
        return rest
    moved = Matrix([*np.asarray(handles[number], dtype=np.float64).tolist(), [0.0, 0.0, 0.0, 1.0]])
    return moved @ rest


class NEUROK_OT_reach_remove(Operator):
    """Take the target away, with its empty"""

    bl_idname = names.Operator.REACH_REMOVE
    bl_label = "Remove IK Target"
    bl_options = {"REGISTER", "UNDO"}

    number: IntProperty(name="Number", description="Which of the targets in the list", default=0, min=0)

    @classmethod
    def poll(cls, context):
        obj = ik_object(context)
        if obj is None or obj.library is not None or not len(obj.neurok.reaches):
            cls.poll_message_set("Needs an object with an IK target")
            return False
        return is_idle(cls)

    def execute(self, context):
        obj = ik_object(context)
        if self.number >= len(obj.neurok.reaches):
            self.report({"ERROR"}, "There is no such target.")
            return {"CANCELLED"}
        target = obj.neurok.reaches[self.number].target
        obj.neurok.reaches.remove(self.number)
        if target is not None and target.type == "EMPTY" and owner_of(target) is None:
            bpy.data.objects.remove(target)
        obj.select_set(True)
        context.view_layer.objects.active = obj
        return {"FINISHED"}


class NEUROK_OT_reach_bake(ModalJob, Operator):
    """Make a take of the object following its targets, frame by frame, that plays and can be baked"""

    bl_idname = names.Operator.REACH_BAKE
    bl_label = "Bake IK Targets"
    bl_options = {"REGISTER"}

    keys: BoolProperty(
        name="Key Joints Too",
        description="Key the sliders of the joints at every frame, to edit them or make the take anew",
        default=False,
    )

    @classmethod
    def poll(cls, context):
        obj = ik_object(context)
        if obj is None or not len(obj.neurok.reaches):
            cls.poll_message_set("Press Add IK Target first")
            return False
        if context.mode != "OBJECT":
            cls.poll_message_set("Leave edit mode first")
            return False
        return follower.is_following or is_idle(cls)

    def _make(self, context):
        if follower.is_following:
            follower.finish()
        return ReachTake(context, ik_object(context), self.keys)


CLASSES = (NEUROK_OT_reach_add, NEUROK_OT_reach_remove, NEUROK_OT_reach_bake)
