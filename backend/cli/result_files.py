"""What a take leaves on disk: arrays and a report (.npz), or moving meshes (.glb, .usdc, .pc2)."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np

from ..engine import MotionFrame, ObjectMotion
from ..geometry.mesh import Mesh
from ..io import Appearance, MovingMesh, Skinning, write_animation, write_npz

__all__ = ["MovedObject", "SolvedTake"]


@dataclass(frozen=True)
class MovedObject:
    """One object of a solved take. `name` is "" where the take has one object; `file` is never empty."""

    name: str
    file: str  # the name of its file, without the extension
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
        """The object in an animation. Without a name, the parts of its file keep theirs."""
        vertices, skinning = self.mesh.vertices, None
        if not self.motion.has_points:  # with points no skeleton is exact
            skinning = Skinning(vertices, self.motion.weights, self.handles())
        return MovingMesh(
            self.name, self.positions, self.mesh.triangles, skinning, self.appearance, self.file, vertices
        )

    def arrays(self) -> dict[str, np.ndarray]:
        """The arrays of an archive, by name."""
        values = {"vertices": self.positions, "faces": self.mesh.triangles.astype(np.int32)}
        if self.motion.weights is not None:
            values |= {"weights": self.motion.weights, "handles": self.handles()}
            values |= {name: np.array([getattr(frame, name) for frame in self.frames]) for name in ("q", "energy")}
        values["provider"] = np.array(self.provider)
        prefix = f"{self.name}/" if self.name else ""
        return {prefix + name: value for name, value in values.items()}


@dataclass(frozen=True)
class SolvedTake:
    """A solved take, before it is written.

    seconds: Clock time of each stage; `write` adds its own. No result file has it, so that equal takes are equal files.
    """

    output: Path
    objects: Sequence[MovedObject]
    fps: float
    report: dict[str, Any]
    seconds: dict[str, float]

    @property
    def notes(self) -> list[str]:
        """Warnings for the user, as sentences."""
        return self.report["warnings"]

    def write(self) -> str:
        """Writes the file that the extension of `output` asks for; one line about it. Raises UserError."""
        begin, objects = perf_counter(), self.objects
        if self.output.suffix.lower() != ".npz":
            write_animation(self.output, [each.moving() for each in objects], self.fps)
        else:
            arrays: dict[str, np.ndarray] = {"fps": np.array(self.fps)}
            if any(each.name for each in objects):
                arrays["objects"] = np.array([each.name for each in objects])
            for each in objects:
                arrays.update(each.arrays())
            write_npz(self.output, {**arrays, "report": np.array(json.dumps(self.report))})
        self.seconds["write"] = perf_counter() - begin
        frames, vertices = len(objects[0].positions), sum(len(each.mesh.vertices) for each in objects)
        several = f" in {len(objects)} objects" if len(objects) > 1 else ""
        return f"{self.output}: {frames} frames of {vertices:,} vertices{several}."
