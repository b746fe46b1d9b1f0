"""What an artist does with any robot: File > Import, an IK target that is moved, 24 frames of gravity."""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path

import bpy
import numpy as np
from mathutils import Matrix

from backend.kinematics.articulated import JointTransforms
from backend.robots.urdf_read import read_urdf

__all__ = ["RobotFigures", "live_through"]

PATIENCE_SECONDS = 120.0
SHARE = 0.6  # of the joints' ranges, about their middle, that targets are drawn from


@dataclass(frozen=True)
class RobotFigures:
    """Of one robot: m and degrees between the part and its target, joints beyond their limits (rad or m), whether all
    frames are finite, and how far any vertex went (over the size)."""

    name: str
    parts: int
    joints: int
    away: float
    turned: float
    beyond: float
    finite: bool
    went: float
    seconds: float

    @property
    def is_right(self) -> bool:
        return self.away < 1e-3 and self.turned < 0.5 and self.beyond < 1e-4 and self.finite and self.went > 0.0

    def __str__(self) -> str:
        return (
            f"{'ok    ' if self.is_right else 'FAILED'} {self.name:28s} {self.parts:3d} parts {self.joints:3d} joints  "
            f"{1e3 * self.away:6.3f} mm {self.turned:6.3f} deg  beyond {self.beyond:.1e}  "
            f"24 frames {'finite' if self.finite else 'broken'}, went {self.went:.2f}  {self.seconds:5.1f} s"
        )


def live_through(path: Path, seed: int = 0) -> RobotFigures:
    """In an empty file; the add-on is registered."""
    from neurok_blender.session.ik_targets import follower
    from neurok_blender.session.state import session

    begun = time.perf_counter()
    assert bpy.ops.neurok.robot_import(filepath=str(path)) == {"FINISHED"}
    robot = bpy.context.active_object
    _, jointed = read_urdf(path)
    tree = jointed.tree
    link = int(tree.reaches.sum(axis=1).argmax())
    robot.neurok.active_joint = robot.neurok.joints.find(tree.parts[link])
    assert bpy.ops.neurok.reach_add() == {"FINISHED"}
    target, (entry,) = bpy.context.active_object, robot.neurok.reaches
    low, high = tree.limits
    middle = np.where(np.isfinite(low + high), 0.5 * (low + high), 0.0)
    half = np.where(np.isfinite(high - low), 0.5 * (high - low), 1.0)
    q = middle + SHARE * half * np.random.default_rng(seed).uniform(-1.0, 1.0, len(low))
    moved = np.vstack([JointTransforms(tree, [link])(q)[0], [0.0, 0.0, 0.0, 1.0]])
    target.matrix_world = Matrix((moved @ np.reshape(entry.tip, (4, 4))).tolist())
    bpy.context.view_layer.update()
    until = time.monotonic() + PATIENCE_SECONDS
    assert follower.is_active
    while follower.is_active and time.monotonic() < until:
        follower.tick()
        time.sleep(0.002)
    values = np.array([slider.coordinate for slider in robot.neurok.coordinates])
    led = np.flatnonzero(tree.reaches[link] @ (tree.coupling != 0.0))  # others stay as drawn, wherever that is
    beyond = max(0.0, float(np.maximum(values - high, low - values)[led].max()))
    bpy.context.view_layer.objects.active = robot
    bpy.context.scene.neurok.frame_count = 24
    robot.neurok.starts_posed = True
    assert bpy.ops.neurok.simulate() == {"FINISHED"}, session.notice.message
    take = session.take_of(robot)
    first, last = take.shape(0), take.shape(23)
    finite = take.frame_count == 24 and all(np.isfinite(shape.handles).all() for shape in take.motion.shapes)
    went = float(np.linalg.norm(last - first, axis=1).max()) / max(robot.dimensions)
    return RobotFigures(
        path.stem,
        len(tree.parts),
        len(tree.coordinates),
        entry.missing,
        float(np.degrees(entry.missing_angle)),
        beyond,
        finite,
        went,
        time.perf_counter() - begun,
    )
