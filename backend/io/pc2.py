"""PC2 point caches, as Blender's Mesh Cache modifier and 3ds Max read them."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from .atomic_write import atomic_write
from .moving_mesh import MovingMesh

__all__ = ["write_pc2"]


def write_pc2(path: str | Path, objects: Sequence[MovingMesh], _fps: float) -> None:
    """The positions of a single object, one sample a frame from frame 1 on; the format has no frame rate."""
    (frames,) = (each.frames for each in objects)
    frame_count, vertex_count, _ = frames.shape
    with atomic_write(path) as stream:
        # Signature, version, points, first frame, frames a sample, samples.
        stream.write(struct.pack("<12siiffi", b"POINTCACHE2", 1, vertex_count, 1.0, 1.0, frame_count))
        for frame in frames:
            stream.write(np.ascontiguousarray(frame, dtype="<f4").tobytes())
