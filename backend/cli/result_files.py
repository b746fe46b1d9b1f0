"""What a take leaves on disk: arrays and a report (.npz), or moving meshes (.glb, .usdc, .pc2)."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np

from ..engine import Frame
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
    weights: np.ndarray  # float32 (V,H)
    frames: Sequence[Frame]
    positions: np.ndarray  # float32 (T,V,3), m
    appearance: Appearance | None = None

    @property
    def handles(self) -> np.ndarray:
        """Float[T,H,3,4]."""
        return np.array([frame.handles for frame in self.frames])

    def moving(self) -> MovingMesh:
        """What an animation shows of it. Without a name, the parts of its file keep theirs."""
        skinning = Skinning(self.mesh.vertices, self.weights, self.handles)
        return MovingMesh(self.name, self.positions, self.mesh.triangles, skinning, self.appearance, self.file)

    def arrays(self) -> dict[str, np.ndarray]:
        """What an archive holds of it, by name."""
        values = {
            "vertices": self.positions,
            "faces": self.mesh.triangles.astype(np.int32),
            "weights": self.weights,
            "handles": self.handles,
            "q": np.array([frame.q for frame in self.frames]),
            "energy": np.array([frame.energy for frame in self.frames]),
            "provider": np.array(self.provider),
        }
        prefix = f"{self.name}/" if self.name else ""
        return {prefix + name: value for name, value in values.items()}


def write_result(output: Path, objects: Sequence[MovedObject], fps: float, report: dict[str, Any]) -> bool:
    """Writes the file that the extension of `output` asks for; false where it holds this result already."""
    if output.suffix.lower() != ".npz":
        write_animation(output, [each.moving() for each in objects], fps)
        return True
    begin = perf_counter()
    arrays: dict[str, np.ndarray] = {"fps": np.array(fps)}
    if any(each.name for each in objects):
        arrays["objects"] = np.array([each.name for each in objects])
    for each in objects:
        arrays.update(each.arrays())
    if _holds_already(output, arrays, report):
        return False

    def final_report() -> np.ndarray:
        stages = {**report["stages"], "write": perf_counter() - begin}
        return np.array(json.dumps({**report, "stages": stages}))

    content: dict[str, np.ndarray | Callable[[], np.ndarray]] = {**arrays, "report": final_report}
    write_npz(output, content)
    return True


def _holds_already(output: Path, arrays: dict[str, np.ndarray], report: dict[str, Any]) -> bool:
    """Whether the file differs from the new result in nothing but the seconds that the stages took.

    The same command twice must give the same bytes, although stage times are part of the report.
    """
    if not output.exists():
        return False
    try:
        with np.load(output, allow_pickle=False) as old:
            old_report = json.loads(str(old["report"]))
            same_report = {**old_report, "stages": None} == {**report, "stages": None}
            return (
                same_report
                and set(old.files) == {*arrays, "report"}
                and all(
                    old[name].dtype == value.dtype and np.array_equal(old[name], value)
                    for name, value in arrays.items()
                )
            )
    except (OSError, ValueError, KeyError, EOFError):
        return False  # not one of our results: it is replaced
