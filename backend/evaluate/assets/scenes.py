"""Scenes for a thing with default settings: dropped from its own height, poked near its top, in a wind.

Or in five motions in which things are often shown: dropped, thrown, let go tilted, dragged by the top, in a wind.
"""

from __future__ import annotations

from dataclasses import dataclass
from time import process_time
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from ... import engine
from ...errors import Cancelled, UserError
from ...kinematics.base import Array
from ...kinematics.decode import decode_frames
from .annotations import Asset

__all__ = ["FPS", "GRAVITY", "MOTIONS", "REST_SECONDS", "SCENES", "Played", "play"]

FPS, GRAVITY, WIND = 24, 9.81, 3.0
REST_SECONDS = 5.0  # after which something that was dropped lies still
SCENES = ("drop", "poke", "wind")
MOTIONS = ("drop", "throw", "tilt", "drag", "wind")
_SECONDS = {"drop": REST_SECONDS + 1.0, "poke": 4.0, "wind": 4.0, "throw": 4.0, "tilt": 4.0, "drag": 4.0}
_TILT = np.radians(35.0)
_DRAGGED = 1.0  # s that the top is dragged for
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
    elif scene == "throw":
        speed = float(np.sqrt(GRAVITY * max(asset.height, 1e-3)))
        conditions["ground"] = {"height": float(low[2] - 0.5 * asset.height)}
        conditions["velocities"] = [{"linear": [speed, 0.0, speed], "angular": [0.0, 2.0, 0.0]}]
    elif scene == "tilt":
        tilted = _tilted(asset.mesh.vertices)
        conditions |= {"ground": {"height": float(tilted[:, 2].min())}, "pose": tilted.tolist()}
    elif scene == "drag":
        top, way = _near_top(asset), asset.size * np.array([0.6, 0.0, 0.2])
        path = [(1, top), (1 + round(_DRAGGED * FPS), top + way)]
        keys = [{"frame": frame, "position": place.tolist()} for frame, place in path]
        conditions["drags"] = [{"point": top.tolist(), "path": keys, "radius": 0.05 * asset.size}]
    else:
        conditions["wind"] = {"velocity": [WIND, 0.0, 0.0]}
    return conditions


def _tilted(vertices: Array) -> Array:
    """Leaning over its narrower side, Float[V,3]."""
    low, high = vertices.min(axis=0), vertices.max(axis=0)
    turn = np.zeros(3)
    turn[int(np.argmax((high - low)[:2]))] = _TILT
    centre = 0.5 * (low + high)
    return Rotation.from_rotvec(turn).apply(vertices - centre) + centre


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
