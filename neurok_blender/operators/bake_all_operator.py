"""Bake All: the takes of all objects of the scene."""

from bpy.types import Operator

from .. import names
from ..properties.bake_properties import BakeChoices
from ..scene.bakes.kinds import BakeOptions
from ..session.bake_all import BakeAll
from .modal_job import ModalJob

__all__ = ["CLASSES", "NEUROK_OT_bake_all"]


class NEUROK_OT_bake_all(ModalJob, BakeChoices, Operator):
    """Bake the takes of all objects of the scene that are not baked yet, as this object's settings say"""

    bl_idname = names.Operator.BAKE_ALL
    bl_label = "Bake All"
    bl_options = {"REGISTER", "UNDO"}
    status = "NeuROK: Esc: Cancel Bake"

    def _make(self, context) -> BakeAll:
        options = BakeOptions(
            kind=self.kind, step=self.step, tolerance=self.tolerance, influences=self.influences, file=""
        )
        return BakeAll(context, options)

    def _passed_on(self):
        return {"RUNNING_MODAL"}  # nothing else may happen to the meshes meanwhile


CLASSES = (NEUROK_OT_bake_all,)
