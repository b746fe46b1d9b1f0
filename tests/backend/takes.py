"""Runs a take in this process and decodes it by the defining formula, independently of the backend's own decoder."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from backend import engine

from .shapes import Arrays

__all__ = ["Result", "analysed", "decode", "run", "volume"]


@dataclass(frozen=True)
class Result:
    """What a take gave: positions Float[T,V,3] m, energy Float[T,3] J, handles Float[T,H,3,4], q Float[T,k]."""

    take: engine.Take
    positions: NDArray[np.float64]
    energy: NDArray[np.float64]
    handles: NDArray[np.float64]
    q: NDArray[np.float64]

    @property
    def seconds(self) -> NDArray[np.float64]:
        """Time of each frame, Float[T]."""
        return np.arange(len(self.q)) / self.take.fps

    @property
    def report(self) -> dict[str, Any]:
        return self.take.report()

    def centres(self) -> NDArray[np.float64]:
        """Centre of mass of each frame by the material points, Float[T,3]."""
        material = self.take.members[0].body.material
        mean = material.mass @ material.basis / material.mass.sum()  # Float[4H]
        frame = self.take.members[0].body.frame
        # world handles act on world rest positions: [X; 1] = [scale X_ref + centre; 1]
        turned = self.handles.copy()
        turned[..., 3] += turned[..., :3] @ frame.centre
        turned[..., :3] *= frame.scale
        return np.einsum("hj,thij->ti", mean.reshape(-1, 4), turned)


def decode(weights: NDArray[Any], handles: NDArray[Any], vertices: NDArray[Any]) -> NDArray[np.float64]:
    """x_v = sum_h w_vh A_h [X_v; 1]: weights (V,H), handles (T,H,3,4), vertices (V,3) -> (T,V,3)."""
    homogeneous = np.column_stack([vertices, np.ones(len(vertices))])
    moved = np.einsum("thij,vj->thvi", handles, homogeneous, optimize=True)
    return np.einsum("vh,thvi->tvi", weights.astype(np.float64), moved, optimize=True)


@lru_cache(maxsize=16)
def _analysis(vertices: bytes, triangles: bytes, provider: str) -> engine.Analysis:
    return engine.analyze(
        np.frombuffer(vertices).reshape(-1, 3), np.frombuffer(triangles, np.int64).reshape(-1, 3), provider
    )


def analysed(mesh: Arrays, provider: str = "auto") -> engine.Analysis:
    """The analysis of a mesh, kept for the next test as the worker keeps it for the next take."""
    vertices, triangles = np.asarray(mesh[0], np.float64), np.asarray(mesh[1], np.int64)
    return _analysis(vertices.tobytes(), triangles.tobytes(), provider)


def run(mesh: Arrays, provider: str = "auto", **conditions: Any) -> Result:
    """Analyses and simulates; conditions as in conditions.json."""
    take = engine.prepare([analysed(mesh, provider)], [conditions])
    frames = [frame for (frame,) in take.frames(lambda: False)]
    handles = np.array([frame.handles for frame in frames])
    return Result(
        take,
        decode(take.members[0].motion.weights, handles, mesh[0]),
        np.array([frame.energy for frame in frames]),
        handles,
        np.array([frame.q for frame in frames]),
    )


def volume(positions: NDArray[np.float64], triangles: NDArray[np.int64]) -> NDArray[np.float64]:
    """Enclosed volume m^3 of closed surfaces, positions Float[...,V,3]."""
    a, b, c = (positions[..., triangles[:, corner], :] for corner in range(3))
    return np.einsum("...fi,...fi->...", a, np.cross(b, c)) / 6.0
