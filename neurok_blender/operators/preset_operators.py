"""Presets of an object's physical numbers, in Blender's own preset system.

Those that ship lie in presets/neurok/object; those that an artist saves go to where Blender keeps its users' presets.
"""

import bpy
from bl_operators.presets import AddPresetBase
from bl_ui.utils import PresetPanel
from bpy.props import StringProperty
from bpy.types import Operator, Panel

from .. import names
from ..setup.paths import PACKAGE_DIRECTORY
from .feedback import has_mesh

__all__ = [
    "CLASSES",
    "PRESET_FOLDER",
    "NEUROK_OT_preset_add",
    "NEUROK_OT_preset_apply",
    "NEUROK_PT_object_presets",
    "attach",
    "detach",
]

PRESET_FOLDER = "neurok/object"


class NEUROK_OT_preset_apply(Operator):
    """Apply a preset: sets stiffness, damping time and density"""

    bl_idname = names.Operator.PRESET_APPLY
    bl_label = "Apply Preset"
    bl_options = {"REGISTER", "UNDO", "INTERNAL"}

    filepath: StringProperty(
        name="File",
        description="The file of the preset",
        subtype="FILE_PATH",
        options={"HIDDEN", "SKIP_SAVE"},
    )

    @classmethod
    def poll(cls, context):
        return has_mesh(cls, context)

    def execute(self, context):
        # Blender's operator does the work, but is no step of undo by itself.
        return bpy.ops.script.execute_preset(filepath=self.filepath, menu_idname=names.Panel.OBJECT_PRESETS)


class NEUROK_OT_preset_add(AddPresetBase, Operator):
    """Keep the object's stiffness, settling and density as a preset, or remove one"""

    bl_idname = names.Operator.PRESET_ADD
    bl_label = "Add Preset"
    preset_menu = names.Panel.OBJECT_PRESETS
    preset_subdir = PRESET_FOLDER
    preset_defines = ("settings = bpy.context.active_object.neurok",)
    preset_values = ("settings.density", "settings.stiffness_hz", "settings.settle_seconds")

    @classmethod
    def poll(cls, context):
        return has_mesh(cls, context)


class NEUROK_PT_object_presets(PresetPanel, Panel):
    bl_idname = names.Panel.OBJECT_PRESETS
    bl_label = "Presets"
    preset_subdir = PRESET_FOLDER
    preset_operator = names.Operator.PRESET_APPLY
    preset_add_operator = names.Operator.PRESET_ADD


def attach() -> None:
    bpy.utils.register_preset_path(str(PACKAGE_DIRECTORY))


def detach() -> None:
    bpy.utils.unregister_preset_path(str(PACKAGE_DIRECTORY))


CLASSES = (NEUROK_OT_preset_apply, NEUROK_OT_preset_add, NEUROK_PT_object_presets)
