"""What pieces of the active object are made of: choose it, go back to what was found, make pieces of selected faces."""

from __future__ import annotations

from typing import Any

import bmesh
from bpy.app.translations import pgettext_rpt as rpt_
from bpy.app.translations import pgettext_tip as tip_
from bpy.props import EnumProperty, StringProperty
from bpy.types import Operator

from .. import names
from ..backend.texts import from_wire
from ..properties.material_menu import AUTOMATIC, material_menu
from ..properties.piece_properties import BEHAVIOURS
from ..scene.pieces import PIECE_ATTRIBUTE, add_piece, forget_piece, say_of_piece
from ..session.backend_text import backend_text
from ..session.background_analysis import background_analysis
from ..session.piece_rows import blender_material, found_piece, piece_material, piece_names, show_rows
from .feedback import has_mesh

__all__ = [
    "CLASSES",
    "NEUROK_OT_piece_assign",
    "NEUROK_OT_piece_behaviour",
    "NEUROK_OT_piece_material",
    "NEUROK_OT_piece_reset",
    "NEUROK_OT_piece_tie",
]

_BEHAVIOUR_NAMES = {identifier.lower(): name for identifier, name, _text, _icon, _number in BEHAVIOURS}


def _materials(_operator, _context):
    return material_menu.items()


def _on_material(value: str) -> str:
    """What a choice of the menu means for the backend."""
    return "" if value == AUTOMATIC else value.lower()


def _described(found: dict[str, Any] | None) -> str:
    """What the analysis says of a piece, and why."""
    if found is None:
        return tip_("Not analyzed yet.")
    reason = from_wire(found["reason"])
    what = tip_("{} ({:.0%} sure), {}, {:,.0f} kg/m³").format(
        material_menu.title(found["material"]),
        found["probability"],
        tip_(_BEHAVIOUR_NAMES.get(found["behaviour"], found["behaviour"])).lower(),
        found["density"],
    )
    return f"{what}. {backend_text(reason)}"


class _OnPiece:
    """Mix-in of operators on a piece of the active object, by its name."""

    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context):
        return has_mesh(cls, context)

    def _changed(self, context) -> set[str]:
        background_analysis.changed()
        show_rows(context.active_object)
        return {"FINISHED"}


class NEUROK_OT_piece_material(_OnPiece, Operator):
    """Choose what the piece is made of"""

    bl_idname = names.Operator.PIECE_MATERIAL
    bl_label = "Piece Material"
    bl_property = "material"

    piece: StringProperty(name="Piece", description="The name of the piece", options={"HIDDEN"})
    material: EnumProperty(name="Material", description="What the piece is made of", items=_materials)

    @classmethod
    def description(cls, context, properties):
        return _described(found_piece(context.active_object, properties.piece))

    def invoke(self, context, _event):
        context.window_manager.invoke_search_popup(self)
        return {"FINISHED"}

    def execute(self, context):
        say_of_piece(context.active_object, self.piece, material=_on_material(self.material))
        return self._changed(context)


class NEUROK_OT_piece_behaviour(_OnPiece, Operator):
    """Choose how the piece behaves"""

    bl_idname = names.Operator.PIECE_BEHAVIOUR
    bl_label = "Piece Behavior"

    piece: StringProperty(name="Piece", description="The name of the piece", options={"HIDDEN"})
    behaviour: EnumProperty(name="Behavior", description="How the piece behaves", items=BEHAVIOURS)

    def execute(self, context):
        say_of_piece(context.active_object, self.piece, behaviour=self.behaviour)
        return self._changed(context)


class NEUROK_OT_piece_reset(_OnPiece, Operator):
    """Use what the analysis finds; faces assigned by hand return to their piece"""

    bl_idname = names.Operator.PIECE_RESET
    bl_label = "Automatic"

    piece: StringProperty(name="Piece", description="The name of the piece", options={"HIDDEN"})

    def execute(self, context):
        forget_piece(context.active_object, self.piece)
        return self._changed(context)


class NEUROK_OT_piece_assign(_OnPiece, Operator):
    """Assign the selected faces to a new piece with a material"""

    bl_idname = names.Operator.PIECE_ASSIGN
    bl_label = "Assign"
    bl_property = "material"

    material: EnumProperty(name="Material", description="What the piece is made of", items=_materials)

    @classmethod
    def poll(cls, context):
        if not has_mesh(cls, context):
            return False
        if context.active_object.mode != "EDIT":
            cls.poll_message_set("Select the faces of the piece in edit mode")
            return False
        return True

    def invoke(self, context, _event):
        context.window_manager.invoke_search_popup(self)
        return {"FINISHED"}

    def execute(self, context):
        obj = context.active_object
        edited = bmesh.from_edit_mesh(obj.data)
        chosen = [face.index for face in edited.faces if face.select]
        if not chosen:
            self.report({"ERROR"}, "No faces are selected.")
            return {"CANCELLED"}
        material = _on_material(self.material)
        name = material_menu.title(material) if material else rpt_("Piece")
        piece = add_piece(obj, name, material, piece_names(obj))
        layer = edited.faces.layers.int.get(PIECE_ATTRIBUTE) or edited.faces.layers.int.new(PIECE_ATTRIBUTE)
        edited.faces.ensure_lookup_table()
        for index in chosen:
            edited.faces[index][layer] = piece.number
        bmesh.update_edit_mesh(obj.data, loop_triangles=False, destructive=False)
        self._changed(context)
        self.report({"INFO"}, rpt_("{} faces belong to {} now.").format(len(chosen), piece.name))
        return {"FINISHED"}


class NEUROK_OT_piece_tie(_OnPiece, Operator):
    """Use the material of this piece for all faces in the file with the same Blender material"""

    bl_idname = names.Operator.PIECE_TIE
    bl_label = "Use for Blender Material"

    piece: StringProperty(name="Piece", description="The name of the piece", options={"HIDDEN"})

    def execute(self, context):
        obj = context.active_object
        shown, made_of = blender_material(obj, self.piece), piece_material(obj, self.piece)
        if shown is None or not made_of:
            self.report({"ERROR"}, "The faces of this piece have no Blender material.")
            return {"CANCELLED"}
        shown.neurok.made_of = "" if shown.neurok.made_of == made_of else made_of
        return self._changed(context)


CLASSES = (
    NEUROK_OT_piece_material,
    NEUROK_OT_piece_behaviour,
    NEUROK_OT_piece_reset,
    NEUROK_OT_piece_assign,
    NEUROK_OT_piece_tie,
)
