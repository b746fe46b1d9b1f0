"""Export joints as robot files, and import robots as objects with joints."""

from __future__ import annotations

from pathlib import Path

import bpy
import numpy as np
from bpy.app.translations import pgettext_rpt as rpt_
from bpy.props import BoolProperty, EnumProperty, StringProperty
from bpy.types import Operator
from bpy_extras.io_utils import ExportHelper, ImportHelper
from mathutils import Matrix

from .. import names
from ..backend.texts import Text, from_wire
from ..errors import Refusal
from ..samples.place import place_object
from ..scene.found_joints import store_joints
from ..scene.joint_parts import face_parts
from ..scene.joint_tree import joints_of
from ..scene.mesh_io import check_object
from ..scene.part_colours import give_colours, part_colours
from ..session.one_shot_request import OneShotRequest
from .feedback import is_idle
from .modal_job import ModalJob, outcome_of
from .rest_shape import drawn_shape

__all__ = ["CLASSES", "add_to_menu", "remove_from_menu"]


class WritingChoices:
    """Settings and poll of both export operators."""

    fixed_base: BoolProperty(
        name="Fixed Base", description="What hangs on nothing is bolted to the world; else it is free", default=True
    )

    @classmethod
    def poll(cls, context):
        obj = context.active_object
        if obj is None or obj.type != "MESH" or obj.mode != "OBJECT" or not len(obj.neurok.joints):
            cls.poll_message_set("Needs an object with joints, in object mode")
            return False
        return is_idle(cls)


class NEUROK_OT_robot_write(WritingChoices, ModalJob, Operator):
    """Write the parts and joints of the active object as a robot: URDF, MuJoCo's MJCF or USD physics, by the ending"""

    bl_idname = names.Operator.ROBOT_WRITE
    bl_label = "Write Robot"
    bl_options = {"REGISTER"}

    filepath: StringProperty(name="File", description="Where it is written: .urdf, .xml or .usda", subtype="FILE_PATH")

    def _make(self, context):
        obj = check_object(context.active_object)
        shape = drawn_shape(context, obj)
        joints = joints_of(obj, Matrix(shape.to_world.tolist()))
        path = Path(bpy.path.abspath(self.filepath))
        self._written_notes: list[Text] = []

        def take(answer, _arrays) -> str:
            self._written_notes = from_wire(answer["notes"])
            return rpt_("The robot is in {}.").format(path)

        header = {
            "type": "write_robot",
            "joints": joints.tree,
            "output": str(path),
            "name": obj.name,
            "density": obj.neurok.density,
            "fixed_base": self.fixed_base,
            "colours": part_colours(obj.data, face_parts(obj.data), len(obj.neurok.joints)),
        }
        arrays = {"vertices": shape.world, "triangles": shape.triangles, "part": joints.part}
        return OneShotRequest(header, arrays, take)

    def _notes(self):
        """Features that the format of the file cannot hold."""
        return self._written_notes


class NEUROK_OT_robot_export(WritingChoices, ExportHelper, Operator):
    """Write the parts and joints of the active object as a robot for simulators"""

    bl_idname = names.Operator.ROBOT_EXPORT
    bl_label = "Export Joints"
    bl_options = {"REGISTER"}

    filename_ext = ".urdf"
    filter_glob: StringProperty(default="*.urdf;*.xml;*.usda", options={"HIDDEN"})
    file_format: EnumProperty(
        name="Format",
        description="File format",
        items=(
            (".urdf", "URDF", "What most programs for robots read (.urdf)", 0),
            (".xml", "MJCF", "For MuJoCo (.xml)", 1),
            (".usda", "USD Physics", "For Isaac Sim and others that read USD (.usda)", 2),
        ),
    )

    def check(self, context):
        """The ending follows the format while the file is chosen."""
        self.filename_ext = self.file_format
        return super().check(context)

    def execute(self, context):
        """The file is chosen; what takes time is the other operator's."""
        path = str(Path(self.filepath).with_suffix(self.file_format))
        return outcome_of(bpy.ops.neurok.robot_write("INVOKE_DEFAULT", filepath=path, fixed_base=self.fixed_base))


class NEUROK_OT_robot_read(ModalJob, Operator):
    """Import a robot as one object: its links become parts, with their joints"""

    bl_idname = names.Operator.ROBOT_READ
    bl_label = "Read Robot"
    bl_options = {"UNDO"}

    filepath: StringProperty(name="File", description="The robot (.urdf)", subtype="FILE_PATH")

    @classmethod
    def poll(cls, context):
        if context.mode != "OBJECT":
            cls.poll_message_set("Leave edit mode first")
            return False
        return is_idle(cls)

    def _make(self, context):
        path = Path(bpy.path.abspath(self.filepath))
        if not path.is_file():
            raise Refusal(rpt_("There is no file {}.").format(path), "Choose a file that exists.")

        def take(answer, arrays) -> str:
            if bpy.context.mode != "OBJECT":
                raise Refusal("The scene is being edited.", "Leave edit mode, and read the robot again.")
            mesh = bpy.data.meshes.new(path.stem)
            mesh.from_pydata(arrays["vertices"], [], arrays["triangles"])
            mesh.update()
            robot = place_object(bpy.context, mesh)
            faces = arrays["part"][arrays["triangles"][:, 0]]
            give_colours(mesh, faces, answer["colours"])
            store_joints(robot, answer, np.ascontiguousarray(faces), Matrix.Identity(4))
            moving = sum(joint.moves for joint in robot.neurok.joints)
            return rpt_("{} parts, {} joints that move.").format(len(robot.neurok.joints), moving)

        return OneShotRequest({"type": "read_robot", "file": str(path)}, {}, take)


class NEUROK_OT_robot_import(ImportHelper, Operator):
    """Import a robot's file as an object, ready to be posed and simulated"""

    bl_idname = names.Operator.ROBOT_IMPORT
    bl_label = "Import Robot"
    bl_options = {"REGISTER"}

    filename_ext = ".urdf"
    filter_glob: StringProperty(default="*.urdf", options={"HIDDEN"})

    @classmethod
    def poll(cls, context):
        return is_idle(cls)

    def execute(self, context):
        """The file is chosen; what takes time is the other operator's."""
        return outcome_of(bpy.ops.neurok.robot_read("INVOKE_DEFAULT", filepath=self.filepath))


def _draw_export(self, _context):
    self.layout.operator(names.Operator.ROBOT_EXPORT, text="NeuROK Joints (.urdf, .xml, .usda)")


def _draw_import(self, _context):
    self.layout.operator(names.Operator.ROBOT_IMPORT, text="NeuROK Robot (.urdf)")


def add_to_menu() -> None:
    bpy.types.TOPBAR_MT_file_export.append(_draw_export)
    bpy.types.TOPBAR_MT_file_import.append(_draw_import)


def remove_from_menu() -> None:
    bpy.types.TOPBAR_MT_file_import.remove(_draw_import)
    bpy.types.TOPBAR_MT_file_export.remove(_draw_export)


CLASSES = (NEUROK_OT_robot_write, NEUROK_OT_robot_export, NEUROK_OT_robot_read, NEUROK_OT_robot_import)
