"""Three scenes for a thing: dropped from its own height, poked near its top, in a wind; with default settings."""

from __future__ import annotations

from dataclasses import dataclass
from time import process_time
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ... import engine
from ...errors import Cancelled, UserError
from ...kinematics.base import Array
from ...kinematics.decode import decode_frames
from .annotations import Asset

__all__ = ["FPS", "GRAVITY", "REST_SECONDS", "SCENES", "Played", "play"]

FPS, GRAVITY, WIND = 24, 9.81, 3.0
REST_SECONDS = 5.0  # after which something that was dropped lies still
SCENES = ("drop", "poke", "wind")
_SECONDS = {"drop": REST_SECONDS + 1.0, "poke": 4.0, "wind": 4.0}
_PATIENCE = 120.0  # s of the processor for one scene; nobody waits longer for six seconds of motion


@dataclass(frozen=True, eq=False)
class Played:
    """One scene: positions Float32[T,V,3], of as many frames as could be solved, and what stopped it, if anything."""

    scene: str
    positions: NDArray[np.float32]
    frames: int  # wanted
    problem: str
    floor: float | None  # m
    first_frame: float  # s of the processor from the press to the first solved frame
    summary: dict[str, Any]

    @property
    def finished(self) -> bool:
        return len(self.positions) == self.frames


def conditions_of(scene: str, asset: Asset) -> dict[str, Any]:
    """What acts in a scene; everything else is left as it is by default."""
    low, high = asset.mesh.vertices.min(axis=0), asset.mesh.vertices.max(axis=0)
    conditions: dict[str, Any] = {"fps": FPS, "frames": round(_SECONDS[scene] * FPS) + 1}
    if scene == "drop":
        conditions["ground"] = {"height": float(low[2] - asset.height)}
    elif scene == "poke":
        # Across its narrower side, which is the way that things tip over.
        side = np.eye(3)[int(np.argmin((high - low)[:2]))]
        speed = 0.5 * np.sqrt(GRAVITY * max(asset.height, 1e-3))
        poke = {"point": _near_top(asset).tolist(), "speed": (speed * side).tolist(), "radius": 0.05 * asset.size}
        conditions["pokes"] = [poke]
    else:
        conditions["wind"] = {"velocity": [WIND, 0.0, 0.0]}
    return conditions


def _near_top(asset: Asset) -> Array:
    """The vertex nearest to the middle of the top tenth."""
    vertices = asset.mesh.vertices
    used = np.unique(asset.mesh.triangles)
    top = used[vertices[used, 2] >= vertices[used, 2].max() - 0.1 * asset.height]
    middle = vertices[top].mean(axis=0)
    return vertices[top[np.argmin(np.linalg.norm(vertices[top] - middle, axis=1))]]


def play(scene: str, asset: Asset, analysis: engine.Analysis, analyzed: float) -> Played:
    """Simulates a scene as the product does when nothing else is said; `analyzed` s of the processor were before it."""
    conditions = conditions_of(scene, asset)
    begin = process_time()
    rest = asset.mesh.vertices
    handles, points, problem = [], [], ""
    summary: dict[str, Any] = {}
    weights: NDArray[np.float32] | None = None
    first = float("inf")
    try:
        take = engine.prepare([analysis], [conditions])
        summary = take.members[0].summary
        motion = take.members[0].motion
        weights = motion.weights
        for number, (frame,) in enumerate(take.frames(lambda: process_time() - begin > _PATIENCE)):
            if number == 1:
                first = analyzed + process_time() - begin
            handles.append(frame.handles)
            if motion.has_points:
                points.append(frame.points)
    except Cancelled:
        problem = f"not solved within {_PATIENCE:g} s"
    except UserError as error:
        problem = error.message
    solved = len(handles)
    positions = (
        decode_frames(rest, weights, handles if weights is not None else [], points)
        if solved
        else np.zeros((0, len(rest), 3), dtype=np.float32)
    )
    ground = conditions.get("ground")
    floor = None if ground is None else float(ground["height"])
    return Played(scene, positions, conditions["frames"], problem, floor, first, summary)
