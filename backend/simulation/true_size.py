"""Size: an object simulated as if its longest side were so many metres, and its frames in the scale of the drawing.

Everything that is placed or moves in the drawing is scaled with it about the origin; gravity, wind and materials are
those of the world.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..bodies.body import Body
from ..dynamics.conditions import Collider, Conditions, MotionKey
from ..dynamics.solver import Frame
from ..errors import UserError
from ..kinematics.motion import MotionFrame, ObjectMotion
from ..understanding.analysis import Analysis, Progress, analyze
from .take import Moving

__all__ = ["DrawnMember", "drawn", "enlarged", "with_size"]


def with_size(
    analysis: Analysis, conditions: Conditions, progress: Progress | None, several: bool = False
) -> tuple[Analysis, Conditions, float]:
    """The object and its conditions at the size at which it is simulated, and how many times the drawing that is.

    Raises UserError for one of `several` objects, and for what has joints whose places are known in metres.
    """
    if conditions.size is None:
        return analysis, conditions, 1.0
    if several:
        raise UserError("bad_conditions.size_of_several")
    if conditions.joints is not None or analysis.model.jointed is not None or analysis.rig is not None:
        raise UserError("bad_conditions.size_and_joints")
    scale = conditions.size / float(np.ptp(analysis.mesh.vertices, axis=0).max())
    if conditions.size not in analysis.sized:
        analysis.sized.clear()  # the last one is kept, for the next take
        analysis.sized[conditions.size] = _enlarged_analysis(analysis, scale, progress)
    return analysis.sized[conditions.size], enlarged(conditions, scale), scale


def _enlarged_analysis(analysis: Analysis, scale: float, progress: Progress | None) -> Analysis:
    mesh = analysis.mesh
    asked = {} if analysis.automatic else {"provider": analysis.provider}
    found = analyze(
        scale * mesh.vertices,
        mesh.triangles,
        progress=progress,
        slots=mesh.slots,
        labels=mesh.labels,
        name=analysis.name,
        **asked,
    )
    return replace(found, energies=analysis.energies)


def enlarged(conditions: Conditions, scale: float) -> Conditions:
    """Conditions of a drawing for one that is `scale` times as large."""
    ground, pose = conditions.ground, conditions.pose
    return replace(
        conditions,
        size=None,
        pose=None if pose is None else scale * pose,
        ground=None if ground is None else replace(ground, height=scale * ground.height),
        pokes=tuple(
            replace(
                each,
                point=scale * each.point,
                radius=scale * each.radius,
                speed=None if each.speed is None else scale * each.speed,
            )
            for each in conditions.pokes
        ),
        velocities=tuple(replace(each, linear=scale * each.linear) for each in conditions.velocities),
        pins=tuple(replace(each, motion=_enlarged_keys(each.motion, scale)) for each in conditions.pins),
        drags=tuple(
            replace(
                each,
                point=scale * each.point,
                radius=scale * each.radius,
                path=tuple(replace(key, position=scale * key.position) for key in each.path),
            )
            for each in conditions.drags
        ),
        follows=None if conditions.follows is None else _enlarged_keys(conditions.follows, scale),
        colliders=tuple(_enlarged_collider(each, scale) for each in conditions.colliders),
    )


def _enlarged_keys(keys: tuple[MotionKey, ...], scale: float) -> tuple[MotionKey, ...]:
    return tuple(replace(key, location=scale * key.location) for key in keys)


def _enlarged_collider(collider: Collider, scale: float) -> Collider:
    vertices = None if collider.vertices is None else scale * collider.vertices
    return replace(collider, vertices=vertices, motion=_enlarged_keys(collider.motion, scale))


def drawn(frame: MotionFrame, scale: float) -> MotionFrame:
    """A frame of what is simulated `scale` times as large, in the scale of the drawing.

    x = A [scale X; 1] / scale: what turns and stretches stays, translations shrink.
    """
    if scale == 1.0:
        return frame
    handles = frame.handles
    if handles is not None:
        handles = handles.copy()
        handles[..., 3] /= scale
    return replace(frame, handles=handles, points=None if frame.points is None else frame.points / scale)


@dataclass(frozen=True)
class DrawnMember:
    """An object of a take that is simulated `scale` times as large as it is drawn."""

    inner: Moving
    scale: float

    @property
    def motion(self) -> ObjectMotion:
        return self.inner.motion

    @property
    def summary(self) -> dict[str, Any]:
        return self.inner.summary

    @property
    def bodies(self) -> tuple[Body | None, ...]:
        return self.inner.bodies

    def frame(self, solved: Sequence[Frame], handles: Sequence[NDArray[np.float64] | None]) -> MotionFrame:
        """One frame, in the scale of the drawing."""
        return drawn(self.inner.frame(solved, handles), self.scale)
