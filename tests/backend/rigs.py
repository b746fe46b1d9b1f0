"""Rigs of the tests' own: bars in a row on a block, and a walking figure of boxes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from backend import engine
from backend.kinematics.rig import Rig
from backend.kinematics.rig_limits import BallRange
from tests.backend.shapes import block, moved
from tests.backend.takes import decode

__all__ = ["FIGURE", "GAP", "Fall", "bars", "fall", "figure", "figure_bones"]


@dataclass(frozen=True)
class Fall:
    """Frames of a take: q Float[T,k], energy Float[T,3], handles Float[T,H,3,4], positions Float[T,V,3] m."""

    take: engine.Take
    q: NDArray
    energy: NDArray
    handles: NDArray
    positions: NDArray


def fall(analysis: engine.Analysis, conditions: Mapping[str, Any]) -> Fall:
    take = engine.prepare([analysis], [conditions])
    frames = [frame for (frame,) in take.frames(lambda: False)]
    handles, motion = np.array([frame.handles for frame in frames]), take.members[0].motion
    positions = decode(motion.weights, handles, analysis.mesh.vertices)
    if motion.has_points:
        positions = positions + np.array([frame.points for frame in frames])
    q, energy = np.array([frame.q for frame in frames]), np.array([frame.energy for frame in frames])
    return Fall(take, q, energy, handles, positions)


def rig_of(parts: Sequence[tuple[NDArray, NDArray]], names: Sequence[str], parents: Sequence[int], heads: NDArray):
    """Vertices, triangles and the rig of parts of which each goes along with its own bone."""
    starts = np.cumsum([0, *(len(part[0]) for part in parts)])
    vertices = np.concatenate([part[0] for part in parts])
    triangles = np.concatenate([part[1] + start for part, start in zip(parts, starts, strict=False)])
    bone = np.repeat(np.arange(len(parts)), [len(part[0]) for part in parts])
    drawn = np.tile(np.eye(4), (len(parts), 1, 1))
    drawn[:, :3, 3] = heads
    straight = np.tile(np.eye(3), (len(parts), 1, 1))
    still, unseen = np.zeros((len(parts), 3, 4)), np.zeros((0, len(parts), 3, 3))
    ones = np.ones((len(vertices), 1))
    rig = Rig(tuple(names), np.array(parents), drawn, straight, bone[:, None], ones, vertices[:, None], still, unseen)
    return vertices, triangles, rig


GAP = 0.02  # m


def bars(count: int, length: float = 0.5, hinged: bool = True, reach: float = np.inf):
    """A block and bars that hang on it in a row along X, GAP apart; hinges about Y, or balls, by `reach` rad."""
    parts = [moved(block((0.2, 0.2, 0.2), (1, 1, 1)), (-0.1 - GAP, 0.0, 0.0))]
    heads = [np.zeros(3)]
    for number in range(count):
        parts.append(moved(block((length - GAP, 0.06, 0.06), (4, 1, 1)), ((number + 0.5) * length, 0.0, 0.0)))
        heads.append(np.array([number * length, 0.0, 0.0]))
    vertices, triangles, rig = rig_of(
        parts, ["base", *(f"bar {n}" for n in range(count))], list(range(-1, count)), np.array(heads)
    )
    axes = np.array([[0.0, 1.0, 0.0]]) if hinged else np.array([[0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [1.0, 0.0, 0.0]])
    ends = np.full(len(axes), reach)
    rig.ranges.update({bone: BallRange(axes, -ends, ends) for bone in range(1, count + 1)})
    return vertices, triangles, rig


# Name, parent, head, and the box that it carries: middle and sides, m.
FIGURE = (
    ("Hips", -1, (0.0, 0.0, 1.0), (0.0, 0.0, 1.02), (0.3, 0.18, 0.2)),
    ("Spine", 0, (0.0, 0.0, 1.12), (0.0, 0.0, 1.27), (0.28, 0.16, 0.3)),
    ("Head", 1, (0.0, 0.0, 1.43), (0.0, 0.0, 1.56), (0.18, 0.2, 0.24)),
    ("UpperArm.L", 1, (0.16, 0.0, 1.38), (0.31, 0.0, 1.38), (0.28, 0.09, 0.09)),
    ("LowerArm.L", 3, (0.46, 0.0, 1.38), (0.6, 0.0, 1.38), (0.26, 0.08, 0.08)),
    ("UpperArm.R", 1, (-0.16, 0.0, 1.38), (-0.31, 0.0, 1.38), (0.28, 0.09, 0.09)),
    ("LowerArm.R", 5, (-0.46, 0.0, 1.38), (-0.6, 0.0, 1.38), (0.26, 0.08, 0.08)),
    ("UpperLeg.L", 0, (0.09, 0.0, 0.93), (0.09, 0.0, 0.7), (0.13, 0.14, 0.44)),
    ("LowerLeg.L", 7, (0.09, 0.0, 0.48), (0.09, 0.0, 0.27), (0.11, 0.11, 0.4)),
    ("Foot.L", 8, (0.09, 0.0, 0.07), (0.09, -0.06, 0.035), (0.11, 0.26, 0.07)),
    ("UpperLeg.R", 0, (-0.09, 0.0, 0.93), (-0.09, 0.0, 0.7), (0.13, 0.14, 0.44)),
    ("LowerLeg.R", 10, (-0.09, 0.0, 0.48), (-0.09, 0.0, 0.27), (0.11, 0.11, 0.4)),
    ("Foot.R", 11, (-0.09, 0.0, 0.07), (-0.09, -0.06, 0.035), (0.11, 0.26, 0.07)),
)


def figure_bones() -> tuple[list[str], list[int], NDArray]:
    """Names, parents and world matrices Float[B,4,4] of the figure."""
    matrices = np.tile(np.eye(4), (len(FIGURE), 1, 1))
    matrices[:, :3, 3] = [each[2] for each in FIGURE]
    return [each[0] for each in FIGURE], [each[1] for each in FIGURE], matrices


def figure():
    """Vertices, triangles and rig of a standing figure, 1.7 m high."""
    parts = [moved(block(sides, (1, 1, 1)), middle) for _, _, _, middle, sides in FIGURE]
    names, parents, matrices = figure_bones()
    return rig_of(parts, names, parents, matrices[:, :3, 3])
