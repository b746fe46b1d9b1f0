"""Object files: a mesh with its appearance and its rig, or a robot with its joints."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from ..dynamics.conditions import RigStart
from ..errors import UserError
from ..geometry.mesh import Mesh
from ..io import Appearance, read_model
from ..io.reading import read_rig
from ..kinematics.base import Array
from ..kinematics.jointed import Jointed
from ..kinematics.rig import Rig, RigClip, moved_rig, placed_rig, rig_of_file
from ..robots.robot_read import ROBOT_EXTENSIONS, read_robot
from ..understanding.providers.registry import AUTOMATIC, understands

__all__ = ["Source", "read_source", "with_joints_of"]


@dataclass(frozen=True, eq=False)
class Source:
    """What an object file holds: a mesh, and what it knows of how it looks and moves."""

    mesh: Mesh
    appearance: Appearance | None = None
    jointed: Jointed | None = None
    rig: Rig | None = None
    clips: tuple[RigClip, ...] = ()

    def begun(self, start: RigStart | None, fps: float) -> Source:
        """The same in the pose and the motion of a clip at a frame, counted from 1. Raises UserError."""
        if start is None:
            return self
        if self.rig is None:
            raise UserError("bad_rig.none")
        if not self.clips:
            raise UserError("bad_rig.no_clips")
        clip = self._clip(start.clip)
        time = clip.times[0] + (start.frame - 1.0) / fps
        rig = replace(moved_rig(self.rig, clip.at(time), clip.rates(time)), motion=clip.beginning(time))
        return replace(self, mesh=replace(self.mesh, vertices=rig.vertices), rig=rig)

    def _clip(self, wanted: str | int) -> RigClip:
        if isinstance(wanted, int) and wanted < len(self.clips):
            return self.clips[wanted]
        found = next((clip for clip in self.clips if clip.name == wanted), None)
        if found is None:
            known = ", ".join(f"{number} {clip.name}" for number, clip in enumerate(self.clips))
            raise UserError("bad_rig.unknown_clip", clip=wanted, known=known)
        return found

    def placed(self, turn: Array, shift: Array) -> Source:
        """The same turned by Float[3,3] about the origin, and then moved by Float[3] m; joints stay as they are."""
        return replace(
            self,
            mesh=replace(self.mesh, vertices=self.mesh.vertices @ turn.T + shift),
            appearance=None if self.appearance is None else self.appearance.turned(turn),
            rig=None if self.rig is None else placed_rig(self.rig, turn, shift),
        )


def read_source(path: Path) -> Source:
    """A mesh file, or a robot with the meshes that its file names. Raises UserError."""
    if path.suffix.lower() in ROBOT_EXTENSIONS:
        mesh, jointed = read_robot(path)
        return Source(mesh, jointed=jointed)
    mesh, appearance = read_model(path)
    file = read_rig(path)
    if file is None:
        return Source(mesh, appearance)
    rig, clips = rig_of_file(file)
    return Source(mesh, appearance, None, rig, clips)


def with_joints_of(conditions: Any, jointed: Jointed | None) -> Any:
    """Conditions (JSON) in which the joints are those of the object's own file, if they ask for no others."""
    if jointed is None or not isinstance(conditions, dict) or conditions.get("joints") is not None:
        return conditions
    if not understands(conditions.get("provider", AUTOMATIC), "joints"):
        return conditions
    return {**conditions, "joints": jointed}
