"""Add a sample scene."""

import bpy
from bpy.props import EnumProperty
from bpy.types import Menu, Operator

from .. import names
from ..samples import SAMPLES, add_sample

__all__ = ["CLASSES", "NEUROK_MT_sample_add", "NEUROK_OT_sample_add", "add_to_menu", "remove_from_menu"]


class NEUROK_OT_sample_add(Operator):
    """Add an object that is ready to simulate, with its conditions set"""

    bl_idname = names.Operator.SAMPLE_ADD
    bl_label = "Add NeuROK Sample"
    bl_options = {"REGISTER", "UNDO"}

    kind: EnumProperty(
        name="Sample",
        description="Which sample to add",
        items=[(kind, sample.label, f"Add the sample: {sample.label}") for kind, sample in SAMPLES.items()],
    )

    @classmethod
    def poll(cls, context):
        return context.mode == "OBJECT"

    def execute(self, context):
        add_sample(context, self.kind)
        return {"FINISHED"}


class NEUROK_MT_sample_add(Menu):
    bl_idname = names.Menu.SAMPLE_ADD
    bl_label = "NeuROK Sample"

    def draw(self, _context):
        self.layout.operator_enum(names.Operator.SAMPLE_ADD, "kind")


def _draw_menu(self, context):
    if context.mode == "OBJECT":
        self.layout.menu(names.Menu.SAMPLE_ADD, icon="PHYSICS")


def add_to_menu() -> None:
    bpy.types.VIEW3D_MT_mesh_add.append(_draw_menu)


def remove_from_menu() -> None:
    bpy.types.VIEW3D_MT_mesh_add.remove(_draw_menu)


CLASSES = (NEUROK_OT_sample_add, NEUROK_MT_sample_add)
