"""Set up and remove PyTorch for the backend."""

import sys
from pathlib import Path

import bpy
from bpy.app.translations import pgettext_iface as iface_
from bpy.app.translations import pgettext_rpt as rpt_
from bpy.props import EnumProperty, StringProperty
from bpy.types import Operator

from .. import names
from ..session.backend_text import backend_report
from ..session.screen import redraw_sidebars
from ..session.state import Notice, session
from ..setup import gpu_devices, paths
from ..setup.environment_job import EnvironmentJob
from ..setup.environment_program.plan import RECORD, Plan
from ..setup.gpu_devices import Device
from .backend_operators import start_watching, watch_to_the_end
from .feedback import is_idle, report_error
from .wrapped_text import draw_text

__all__ = [
    "CLASSES",
    "NEUROK_OT_backend_browse",
    "NEUROK_OT_backend_cancel",
    "NEUROK_OT_backend_remove",
    "NEUROK_OT_backend_setup",
]

DIALOG_WIDTH = 460

SOURCES = (
    ("DOWNLOAD", "Download", "Download PyTorch into the extension's own folder"),
    ("FOLDER", "From a Folder of Wheels", "Install PyTorch from files of this computer, without a network"),
    ("PYTHON", "Use This Python", "Use a Python that has PyTorch already, as it is"),
)
DEVICES = (
    ("CPU", "CPU", "The processor"),
    ("CUDA", "CUDA", "A graphics card of NVIDIA; one of AMD with a PyTorch for ROCm"),
    ("MPS", "MPS", "The graphics of Apple's own processors"),
)


class _GpuBackend:
    """Mix-in of setting up and removing."""

    _has_dialog = False

    def _begin(self, plan: Plan) -> set[str]:
        session.notice = Notice()
        try:
            session.setup = EnvironmentJob(Path(sys.executable), plan, paths.setup_log(), backend_report)
        except OSError as error:
            return self._refuse(
                rpt_("The set-up could not be started: {}.").format(error.strerror or error),
                "Look whether Blender's own Python and the folder of the add-on are there.",
            )
        if self._has_dialog and not bpy.app.background:
            start_watching()
            redraw_sidebars()
            return {"FINISHED"}
        watch_to_the_end()
        if session.notice.bad:
            report_error(self, session.notice.message, session.notice.remedy)
            return {"CANCELLED"}
        self.report({"INFO"}, session.notice.message)
        return {"FINISHED"}

    def _refuse(self, message: str, remedy: str) -> set[str]:
        session.notice = session.setup_notice = Notice(message, remedy, bad=True)
        report_error(self, message, remedy)
        return {"CANCELLED"}

    @classmethod
    def poll(cls, context):
        if session.setup is not None:
            cls.poll_message_set("The GPU backend is being set up; wait for its end, or cancel it")
            return False
        return is_idle(cls)


class _Choice(_GpuBackend):
    source: EnumProperty(name="PyTorch", description="Where PyTorch comes from", items=SOURCES)
    device: EnumProperty(name="Device", description="What PyTorch computes on", items=DEVICES)

    def _set_up(self, path: str, index: str = "") -> set[str]:
        device = Device[self.device]
        if reason := gpu_devices.obstacle(device):
            return self._refuse(reason, "Choose another device; CPU works everywhere.")
        plan = {"directory": str(paths.environments_directory()), "package": str(paths.PACKAGE_DIRECTORY)}
        if self.source == "PYTHON":
            if not Path(path).is_file():
                return self._refuse(
                    rpt_("There is no program '{}'.").format(path), "Choose the program of a Python that has PyTorch."
                )
            return self._begin(Plan(**plan, device=device, python=path))
        plan |= {"device": device, "requirements": gpu_devices.REQUIREMENTS}
        if self.source == "FOLDER":
            if not any(Path(path).glob("*.whl")):
                return self._refuse(
                    rpt_("The folder '{}' has no wheels.").format(path),
                    "Choose one with the .whl files of PyTorch and all that it needs.",
                )
            return self._begin(Plan(**plan, wheels=path))
        if not bpy.app.online_access:
            return self._refuse(
                "Online access is off in Blender, so nothing can be downloaded.",
                "Turn on Preferences > System > Network > Allow Online Access, or install from a folder of wheels.",
            )
        room = gpu_devices.UNPACKED * gpu_devices.megabytes(device, index)
        return self._begin(Plan(**plan, index=index, room=room))


class NEUROK_OT_backend_setup(_Choice, Operator):
    """Let PyTorch compute learned motion, on a graphics card where there is one; asks before anything is downloaded"""

    bl_idname = names.Operator.BACKEND_SETUP
    bl_label = "Set Up GPU Backend"

    index: StringProperty(
        name="Package Index",
        description="Address of a package index to download from; leave it empty for the usual one",
    )
    path: StringProperty(
        name="Path", description="The folder of wheels, or the program of the Python; asked for if empty"
    )

    def invoke(self, context, event):
        if bpy.app.background:
            return self.execute(context)  # without a window there is no dialog
        self._has_dialog = True
        if not self.properties.is_property_set("device"):
            self.device = gpu_devices.best_device().name
        return context.window_manager.invoke_props_dialog(self, width=DIALOG_WIDTH)

    def draw(self, context):
        layout = self.layout
        column = layout.column()
        column.use_property_split = True
        column.use_property_decorate = False
        column.prop(self, "source")
        column.row().prop(self, "device", expand=True)
        device = Device[self.device]
        for each in Device:
            if reason := gpu_devices.obstacle(each):
                row = layout.column()
                row.alert = each is device
                draw_text(row, context, reason, "ERROR" if each is device else "BLANK1", DIALOG_WIDTH)
        if self.source == "DOWNLOAD":
            column.prop(self, "index")
            self._draw_download(layout, context, device)
        elif self.source == "FOLDER":
            text = "Nothing is downloaded: OK asks for the folder with the .whl files of PyTorch and all that it needs."
            draw_text(layout, context, text, "FILE_FOLDER", DIALOG_WIDTH)
        else:
            text = (
                "Nothing is installed: OK asks for the program of a Python with PyTorch, NumPy, SciPy and safetensors."
            )
            draw_text(layout, context, text, "FILE_SCRIPT", DIALOG_WIDTH)
        if self.source != "PYTHON":
            where = iface_("It goes to {}").format(paths.environments_directory())
            draw_text(layout, context, where, "BLANK1", DIALOG_WIDTH)
        draw_text(layout, context, "It is used once it has computed a test right.", "BLANK1", DIALOG_WIDTH)

    def _draw_download(self, layout, context, device: Device) -> None:
        size = gpu_devices.megabytes(device, self.index.strip())
        text = iface_("Downloads PyTorch {}, NumPy, SciPy and what they need: about {} MB.")
        draw_text(layout, context, text.format(gpu_devices.TORCH, size), "IMPORT", DIALOG_WIDTH)
        if hint := gpu_devices.hint(device, self.index.strip()):
            draw_text(layout, context, hint, "INFO", DIALOG_WIDTH)
        if not bpy.app.online_access:
            column = layout.column()
            column.alert = True
            text = "Online access is off: turn on Preferences > System > Network > Allow Online Access."
            draw_text(column, context, text, "ERROR", DIALOG_WIDTH)

    def execute(self, context):
        path = self.path.strip()
        if self.source != "DOWNLOAD" and not path:
            if not self._has_dialog:
                return self._refuse("No path is given.", "Name the folder of wheels, or the program of the Python.")
            # The file browser cannot open from within the dialog; it takes over from here.
            bpy.ops.neurok.backend_browse("INVOKE_DEFAULT", source=self.source, device=self.device)
            return {"FINISHED"}
        return self._set_up(bpy.path.abspath(path) if path else "", self.index.strip())


class NEUROK_OT_backend_browse(_Choice, Operator):
    """Choose the folder of wheels, or the program of a Python that has PyTorch"""

    bl_idname = names.Operator.BACKEND_BROWSE
    bl_label = "Set Up from Here"
    bl_options = {"INTERNAL"}

    filepath: StringProperty(subtype="FILE_PATH", options={"HIDDEN", "SKIP_SAVE"})
    directory: StringProperty(subtype="DIR_PATH", options={"HIDDEN", "SKIP_SAVE"})

    def invoke(self, context, event):
        self._has_dialog = True
        context.window_manager.fileselect_add(self)
        return {"RUNNING_MODAL"}

    def execute(self, context):
        return self._set_up(self.directory if self.source == "FOLDER" else self.filepath)


class NEUROK_OT_backend_cancel(Operator):
    """Stop setting up the GPU backend; what was in use before stays"""

    bl_idname = names.Operator.BACKEND_CANCEL
    bl_label = "Cancel Set-Up"

    @classmethod
    def poll(cls, context):
        return session.setup is not None

    def execute(self, context):
        session.setup.cancel()
        redraw_sidebars()
        return {"FINISHED"}


class NEUROK_OT_backend_remove(_GpuBackend, Operator):
    """Remove PyTorch from the extension's folder; a Python of yours that was used stays as it is"""

    bl_idname = names.Operator.BACKEND_REMOVE
    bl_label = "Remove GPU Backend"

    @classmethod
    def poll(cls, context):
        if not (paths.environments_directory() / RECORD).is_file():
            cls.poll_message_set("No GPU backend was set up")
            return False
        return super().poll(context)

    def invoke(self, context, event):
        if bpy.app.background:
            return self.execute(context)
        self._has_dialog = True
        return context.window_manager.invoke_confirm(self, event)

    def execute(self, context):
        return self._begin(Plan(directory=str(paths.environments_directory())))


CLASSES = (
    NEUROK_OT_backend_setup,
    NEUROK_OT_backend_browse,
    NEUROK_OT_backend_cancel,
    NEUROK_OT_backend_remove,
)
