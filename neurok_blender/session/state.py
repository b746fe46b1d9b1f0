"""What this Blender process holds in memory: the worker, the running simulation, the takes.

All of it can be lost at any moment (a new file, a crash, the add-on switched off) without losing anything
of the artist's: meshes carry their own originals, and a take comes back by pressing Simulate again.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import bpy

from ..backend.texts import Text
from ..job.effects import StoreRegistry
from ..job.process import BackendProcess
from ..job.runner import JobRunner
from ..properties.material_menu import material_menu
from ..properties.provider_menu import menu
from ..scene import preview
from ..scene.bakes.sizes import BakeSizes
from ..scene.takes import SceneTake
from ..setup import paths
from ..setup.environment_job import EnvironmentJob
from ..setup.environment_program.plan import read_environment
from ..setup.extensions import EXTENSIONS_VARIABLE, extensions
from ..setup.worker_python import Candidate, PythonChooser, PythonState, environment_with

if TYPE_CHECKING:
    from ..scene.bakes.base import Bake
    from .ik_targets import ReachTake
    from .interactive_session import InteractiveSession
    from .one_shot_request import OneShotRequest
    from .pointmap_job import Pointmap
    from .pose_session import Pose
    from .simulation import Simulation

__all__ = ["Notice", "Session", "session"]


class Notice:
    """The last message of the panel: a sentence, its remedy, whether it is an error, and what was kept even so."""

    def __init__(self, message: Text | str = "", remedy: Text | str = "", bad: bool = False, kept: str = ""):
        self.message, self.remedy, self.bad, self.kept = message, remedy, bad, kept


def _show_registry(registry: StoreRegistry) -> None:
    menu.learn(registry.providers, registry.problems)
    material_menu.learn(registry.materials)


class Session:
    def __init__(self) -> None:
        self.chooser = PythonChooser()
        self.setup: EnvironmentJob | None = None
        self.simulation: Simulation | None = None
        self.interactive: InteractiveSession | None = None
        self.pose: Pose | None = None
        """Pose mode, which has an interactive session."""
        self.bake: Bake | None = None
        self.pointmap: Pointmap | None = None
        self.one_shot: OneShotRequest | ReachTake | None = None
        self.tested_mesh = 0
        """The session_uid of the mesh on which a joint is tried out by its handle; 0: of none."""
        self.bake_sizes = BakeSizes()
        self.takes: dict[int, SceneTake] = {}
        """Those that play, by the session_uid of the mesh."""
        self.shelf: dict[str, SceneTake] = {}
        """All in memory that are listed, by their identifiers; see `take_list`."""
        self.notice = Notice()
        self.setup_notice: Notice | None = None
        """The result of the latest set-up; the preferences show it until there is a newer notice."""
        self._tried: list[Candidate] = []
        self._runner: JobRunner | None = None
        self._runner_started: tuple[Path, str] | None = None
        """By which Python, and with which extensions."""
        self.log_path: Path | None = None
        """Where the present worker writes its log."""

    # --- the backend's Python ---

    def candidates(self) -> list[Candidate]:
        """Which Pythons may run the backend, best first."""
        found = []
        directory = paths.environments_directory()
        chosen = read_environment(directory)
        if chosen is not None:
            packages = directory / chosen.packages if chosen.packages else None
            python = Path(chosen.python or sys.executable)
            found.append(Candidate("Python of the GPU backend", python, packages, chosen.device))
        found.append(Candidate("Blender's Python", Path(sys.executable), packages=paths.wheels_directory()))
        return found

    def check_python(self) -> None:
        """Starts looking for a usable Python, forgetting what was found before."""
        self.close_runner()
        self._tried = self.candidates()
        self.chooser.begin(self._tried)

    def want_python(self) -> None:
        """Starts looking for a Python unless one was found, or is looked for, among the present candidates."""
        known = self.chooser.status.state in (PythonState.READY, PythonState.CHECKING)
        if not known or self._tried != self.candidates():
            self.check_python()

    # --- the worker ---

    def runner(self, python: Path) -> JobRunner:
        """The runner whose workers are started with this Python."""
        files = extensions()
        kept = self._runner is not None and self._runner_started[0] == python
        # Other extensions take another worker, once this one has nothing to do.
        if not kept or (self._runner_started[1] != files and not self._runner.state.busy):
            self.close_runner()
            command = [str(python), "-m", "backend", "worker"]
            log = self.log_path = paths.backend_log()
            variables = environment_with(self.chooser.status.packages, self.chooser.status.device)
            variables["NUMBA_CACHE_DIR"] = str(paths.compiled_directory())
            if files:
                variables[EXTENSIONS_VARIABLE] = files

            def launch() -> BackendProcess:
                return BackendProcess(command, paths.PACKAGE_DIRECTORY, log, variables)

            self._runner, self._runner_started = JobRunner(launch, _show_registry), (python, files)
        return self._runner

    def close_runner(self) -> None:
        """Ends the worker, if there is one."""
        if self._runner is not None:
            self._runner.close()
        self._runner = self._runner_started = None

    # --- what goes on ---

    @property
    def is_busy(self) -> bool:
        """Whether meshes are moved by a simulation or by hand, baked, drawn as pointmaps, or searched for joints."""
        going_on = (self.simulation, self.interactive, self.bake, self.pointmap, self.one_shot)
        return any(each is not None for each in going_on)

    @property
    def busy_meshes(self) -> set[int]:
        """The session_uid of the meshes that are moved."""
        uids = {self.tested_mesh} if self.simulation is None else {self.tested_mesh, *self.simulation.mesh_uids}
        return uids if self.interactive is None else uids | {self.interactive.mesh_uid}

    def abort(self) -> None:
        """Ends at once what goes on, without waiting for the worker's consent."""
        if self.simulation is not None:
            self.simulation.abort()
        if self.pose is not None:
            self.pose.end()
        if self.interactive is not None:
            self.interactive.end()
        if self.bake is not None:
            self.bake.cancel()
            self.bake = None
        if self.pointmap is not None:
            self.pointmap.abort()
        if self.one_shot is not None:
            self.one_shot.abort()

    # --- takes and what is shown of them ---

    def take_of(self, obj: bpy.types.Object | None) -> SceneTake | None:
        """The take of this very object."""
        if obj is None or obj.type != "MESH" or obj.data is None:
            return None
        found = self.takes.get(obj.data.session_uid)
        return found if found is not None and found.object_uid == obj.session_uid else None

    def stop_playing(self, mesh: bpy.types.Mesh) -> None:
        """Plays no take of the mesh any more, and shows its original shape."""
        self.takes.pop(mesh.session_uid, None)
        preview.restore(mesh)

    def show_takes(self, frame: int) -> None:
        """Makes every mesh show what it should at this frame: its take, or itself."""
        shown = {uid for uid, take in self.takes.items() if take.show(frame)}
        shown |= self.busy_meshes
        for mesh in preview.posed_meshes():
            if mesh.session_uid not in shown:
                self._restore(mesh)

    def drop_orphans(self) -> None:
        """Stops the takes of what was deleted; restores copies of posed meshes, and meshes with new shape keys."""
        for uid, take in list(self.takes.items()):
            mesh = take.mesh
            if mesh is None:
                del self.takes[uid]
            elif take.object is None:
                self.stop_playing(mesh)
        for mesh in preview.posed_meshes():
            if mesh.session_uid in self.busy_meshes:
                continue
            take = self.takes.get(mesh.session_uid)
            if take is None or not take.may_show or preview.is_overtaken(mesh):
                self._restore(mesh)

    def leave_edited(self) -> None:
        """Gives meshes whose object is being edited, sculpted or painted their own shape back."""
        for take in self.takes.values():
            if take.is_edited and preview.is_posed(mesh := take.mesh):
                if mesh.is_editmode:
                    preview.restore_edit_mesh(mesh)
                else:
                    preview.restore(mesh)

    def show_originals(self) -> None:
        """Takes every pose off every mesh."""
        for mesh in preview.posed_meshes():
            self._restore(mesh)

    @staticmethod
    def _restore(mesh: bpy.types.Mesh) -> None:
        """A linked mesh is not ours to write."""
        if mesh.library is None:
            if mesh.is_editmode:
                preview.restore_edit_mesh(mesh)
            else:
                preview.restore(mesh)

    def forget_everything_shown(self) -> None:
        """Drops all takes, and every pose with them."""
        self.show_originals()
        self.takes.clear()
        self.shelf.clear()
        self.notice = Notice()

    # --- ends ---

    def close(self) -> None:
        """Leaves nothing behind: no process, no pose, no memory."""
        self.abort()
        self.close_runner()
        self.chooser.close()
        self.chooser = PythonChooser()
        if self.setup is not None:
            self.setup.close()
            self.setup = None
        if hasattr(bpy.data, "meshes"):  # while Blender ends there may be no file left
            self.forget_everything_shown()


session = Session()
