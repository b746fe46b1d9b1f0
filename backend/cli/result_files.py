"""What a take leaves on disk: arrays and a report (.npz), or moving meshes (.glb, .usdc, .pc2)."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ..engine import MotionFrame, ObjectMotion
from ..geometry.mesh import Mesh
from ..io import Appearance, MovingMesh, Skinning, write_animation, write_npz

__all__ = ["MovedObject", "write_result"]


@dataclass(frozen=True)
class MovedObject:
    """One object of a take that is done. `name` is "" where there is nothing to tell it from; `file` is never empty."""

    name: str
    file: str  # the name of its file, without what follows the dot
    mesh: Mesh
    provider: str
    motion: ObjectMotion
    frames: Sequence[MotionFrame]
    positions: np.ndarray  # float32 (T,V,3), m
    appearance: Appearance | None = None

    def handles(self) -> np.ndarray:
        """Float[T,H,3,4], of an object that is skinned."""
        return np.array([frame.handles for frame in self.frames])

    def moving(self) -> MovingMesh:
        """What an animation shows of it. Without a name, the parts of its file keep theirs."""
        vertices, skinning = self.mesh.vertices, None
        if not self.motion.has_points:  # with points no skeleton is exact
            skinning = Skinning(vertices, self.motion.weights, self.handles())
        return MovingMesh(
            self.name, self.positions, self.mesh.triangles, skinning, self.appearance, self.file, vertices
        )

    def arrays(self) -> dict[str, np.ndarray]:
        """What an archive holds of it, by name."""
        values = {"vertices": self.positions, "faces": self.mesh.triangles.astype(np.int32)}
        if self.motion.weights is not None:
            values |= {"weights": self.motion.weights, "handles": self.handles()}
            values |= {name: np.array([getattr(frame, name) for frame in self.frames]) for name in ("q", "energy")}
        values["provider"] = np.array(self.provider)
        prefix = f"{self.name}/" if self.name else ""
        return {prefix + name: value for name, value in values.items()}


def write_result(output: Path, objects: Sequence[MovedObject], fps: float, report: dict[str, Any]) -> None:
    """Writes the file that the extension of `output` asks for; the same bytes for the same take."""
    if output.suffix.lower() != ".npz":
        write_animation(output, [each.moving() for each in objects], fps)
        return
    arrays: dict[str, np.ndarray] = {"fps": np.array(fps)}
    if any(each.name for each in objects):
        arrays["objects"] = np.array([each.name for each in objects])
    for each in objects:
        arrays.update(each.arrays())
    write_npz(output, {**arrays, "report": np.array(json.dumps(report))})
