"""Jointed objects as robots: their files in MuJoCo, swings in both solvers, forward and inverse kinematics.

Rows: "exports" (all objects), "swing" (what has a joint that turns), "forward" and "inverse" (chains of joints).
"""

from __future__ import annotations

import logging
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np
from scipy.special import ellipk

from .. import engine
from ..data.real import RealItem
from ..kinematics.articulated import JointTransforms
from ..kinematics.base import Array
from ..kinematics.joint_tree import Joint
from ..robots.joints_file import read_jointed
from ..robots.link_ik import LinkSolver
from ..robots.robot import Robot
from .mujoco_runs import MujocoRobot

__all__ = ["measure_robot", "robots_summary"]

STAND_SECONDS = 10.0
AMPLITUDE = np.radians(30.0)
SWINGS = 3
FRAMES_A_SWING = 40
FALL_SECONDS = 0.25
TARGETS = 1000
PATHS, PATH_STEPS = 10, 20
NEAR_METRES, NEAR_RADIANS = 1e-3, np.radians(0.5)
LEAST_CHAIN = 2  # joints


def measure_robot(item: RealItem, targets: int = TARGETS) -> dict[str, Any]:
    """All figures of one jointed object, its base fixed."""
    mesh, jointed = read_jointed(item.path / "joints.json")
    robot = Robot.of(item.name, mesh, jointed.with_base(True))
    tree = robot.tree
    lower, upper = _ranges(robot)
    rest = np.clip(np.zeros(len(lower)), lower, upper)
    states = lower + (upper - lower) * np.random.default_rng(0).random((20, len(lower)))
    result: dict[str, Any] = {"links": len(tree.parts), "joints": len(tree.moving)}
    with tempfile.TemporaryDirectory() as folder:
        there = MujocoRobot(robot, Path(folder))
        stood = there.stand(rest, STAND_SECONDS)
        definite = all(np.linalg.eigvalsh(each.tensor).min() > 0.0 and each.mass > 0.0 for each in robot.inertias)
        result["exports"] = {
            "loads": there.same_joints and there.same_mass,
            "stable": stood.stable,
            "beyond_limits": stood.beyond,
            "energy_gained": stood.gained,
            "inertia_definite": definite,
        }
        result["forward"] = {"mujoco": there.forward_error(states), "yourdfpy": _yourdfpy_error(there, states)}
    swing = _swing(robot)
    if swing is not None:
        result["swing"] = swing
    chains = tree.reaches.sum(axis=1)
    if chains.max() >= LEAST_CHAIN:
        result["inverse"] = _inverse(robot, int(chains.argmax()), targets)
    return result


def _ranges(robot: Robot) -> tuple[Array, Array]:
    """Of random states, Float[k] each: a turn or a size where there is no limit."""
    lower, upper = robot.tree.limits
    size = float(np.ptp(robot.mesh.vertices, axis=0).max())
    wide = np.array([np.pi if joint.turns else size for joint in robot.tree.coordinates])
    low = np.where(np.isfinite(lower), lower, np.where(np.isfinite(upper), upper - 2.0 * wide, -wide))
    return low, np.where(np.isfinite(upper), upper, low + 2.0 * wide)


def _yourdfpy_error(there: MujocoRobot, states: Array) -> float:
    """The same by the URDF file and yourdfpy."""
    from yourdfpy import URDF

    logging.getLogger("yourdfpy.urdf").setLevel(logging.CRITICAL)
    robot, worst = there.robot, 0.0
    read, ours = URDF.load(str(there.urdf), load_meshes=False), JointTransforms(there.robot.tree)
    names = [robot.joints[joint.child] for joint in robot.tree.coordinates]
    for q in states:
        read.update_cfg(dict(zip(names, q.tolist(), strict=True)))
        for part, moved in enumerate(ours(q)):
            pose = read.get_transform(robot.links[part])
            place = moved[:, :3] @ robot.origin(part) + moved[:, 3]
            worst = max(
                worst, float(np.abs(pose[:3, 3] - place).max()), float(np.abs(pose[:3, :3] - moved[:, :3]).max())
            )
    return worst


def _bare(joint: Joint) -> Joint:
    """Without limits, friction and damping."""
    return replace(joint, lower=-np.inf, upper=np.inf, friction=0.0, damping=0.0)


def _locked(robot: Robot, only: int) -> Robot:
    """The robot in which one joint alone is left to move."""
    joints = tuple(_bare(joint) if joint.child == only else replace(joint, kind="fixed") for joint in robot.tree.joints)
    jointed = replace(robot.jointed, tree=replace(robot.tree, joints=joints, mimics=()))
    return Robot(robot.name, robot.mesh, jointed, robot.inertias)


def _pendulum(robot: Robot) -> tuple[Joint, Array, float] | None:
    """The joint with the largest swinging mass times length, its lever Float[3] (kg m) and inertia (kg m²)."""
    best = None
    for number, joint in enumerate(robot.tree.moving):
        if not joint.turns:
            continue
        carried = [robot.inertias[part] for part in np.flatnonzero(robot.tree.reaches[:, number])]
        lever, inertia = np.zeros(3), 0.0
        for each in carried:
            away = each.centre - joint.origin
            away = away - (away @ joint.axis) * joint.axis
            lever += each.mass * away
            inertia += each.mass * float(away @ away) + float(joint.axis @ each.tensor @ joint.axis)
        # A wheel has no lever to speak of: what is left of it is rounding.
        mass = sum(each.mass for each in carried)
        if np.linalg.norm(lever) > 0.05 * np.sqrt(mass * inertia) and (
            best is None or np.linalg.norm(lever) > np.linalg.norm(best[1])
        ):
            best = joint, lever, inertia
    return best


def _ours(robot: Robot, gravity: Array, fps: float, frames: int) -> Array:
    """Coordinates Float[T,k] of our solver, undamped, from rest."""
    jointed = replace(robot.jointed, inertias=robot.inertias)
    analysis = engine.analyze(robot.mesh.vertices, robot.mesh.triangles, "articulated", joints=jointed)
    conditions = {"frames": frames, "fps": fps, "gravity": gravity.tolist(), "undamped": True}
    take = engine.prepare([analysis], [conditions])
    return np.array([frame.q for (frame,) in take.frames(lambda: False)])


def _period(times: Array, values: Array) -> float:
    """Of a swing about its middle, from the first crossing downwards to the last one."""
    away = values - 0.5 * (values.min() + values.max())
    before = np.flatnonzero((away[:-1] > 0.0) & (away[1:] <= 0.0))
    crossings = [_crossing(times, away, place) for place in before]
    return (crossings[-1] - crossings[0]) / (len(crossings) - 1)


def _crossing(times: Array, away: Array, place: int) -> float:
    """Where a cubic through four samples is zero."""
    chosen = slice(max(place - 1, 0), place + 3)
    cubic = np.polyfit(times[chosen] - times[place], away[chosen], len(times[chosen]) - 1)
    roots = np.roots(cubic)
    real = roots[np.abs(roots.imag) < 1e-9].real
    middle = 0.5 * (times[place + 1] - times[place])
    return float(times[place] + real[np.abs(real - middle).argmin()])


def _swing(robot: Robot) -> dict[str, float] | None:
    """The period of the largest pendulum among the joints, the others held, and a fall with all of them free.

    Gravity lies across the axis, so that doors swing as well, 30 degrees from where the joint begins.
    """
    found = _pendulum(robot)
    if found is None:
        return None
    joint, lever, inertia = found
    length = float(np.linalg.norm(lever))
    across = np.cross(joint.axis, lever / length)
    down = np.cos(AMPLITUDE) * lever / length + np.sin(AMPLITUDE) * across
    true = 4.0 * float(ellipk(np.sin(AMPLITUDE / 2.0) ** 2)) * np.sqrt(inertia / (9.81 * length))
    fps = float(np.clip(FRAMES_A_SWING / true, 1.0, 1000.0))
    frames = int(np.ceil((SWINGS + 0.6) * true * fps)) + 1
    times = np.arange(frames) / fps
    locked = _locked(robot, joint.child)
    ours = _ours(locked, 9.81 * down, fps, frames)[:, 0]
    free = Robot(
        robot.name,
        robot.mesh,
        replace(robot.jointed, tree=replace(robot.tree, joints=tuple(_bare(each) for each in robot.tree.joints))),
        robot.inertias,
    )
    short = np.linspace(0.0, FALL_SECONDS, 26)
    falling = _ours(free, 9.81 * down, 1.0 / short[1], len(short))
    with tempfile.TemporaryDirectory() as folder:
        theirs = MujocoRobot(locked, Path(folder)).passive(np.zeros(1), 9.81 * down, times)[:, 0]
    with tempfile.TemporaryDirectory() as folder:
        fell = MujocoRobot(free, Path(folder)).passive(np.zeros(len(free.tree.coordinates)), 9.81 * down, short)
    periods = _period(times, ours), _period(times, theirs)
    apart = np.abs(falling @ free.tree.coupling.T - fell).max()
    return {
        "period": periods[0],
        "period_error": abs(periods[0] / periods[1] - 1.0),
        "closed_form_error": abs(periods[0] / true - 1.0),
        "fall_error": float(apart / max(np.abs(fell).max(), 1e-12)),
    }


def _inverse(robot: Robot, link: int, targets: int) -> dict[str, Any]:
    """Random targets from the rest pose, and the same link along paths, each solve from the one before."""
    solver, generator = LinkSolver(robot.tree, link), np.random.default_rng(1)
    lower, upper = _ranges(robot)

    def drawn() -> Array:
        return lower + (upper - lower) * generator.random(len(lower))

    reached, kept, cold, warm, followed = 0, True, [], [], 0
    rest = np.clip(np.zeros(len(lower)), lower, upper)

    def near(target: Array, q: Array) -> bool:
        pose = solver.pose(q)
        turn = target[:3, :3] @ pose[:3, :3].T
        sine = np.linalg.norm([turn[2, 1] - turn[1, 2], turn[0, 2] - turn[2, 0], turn[1, 0] - turn[0, 1]]) / 2.0
        angle = np.arctan2(sine, (np.trace(turn) - 1.0) / 2.0)
        return bool(np.linalg.norm(pose[:3, 3] - target[:3, 3]) < NEAR_METRES and angle < NEAR_RADIANS)

    def inside(q: Array) -> bool:
        return bool((q >= solver.lower).all() and (q <= solver.upper).all())

    for _ in range(targets):
        target = solver.pose(drawn())
        begin = process_time()
        found = solver.solve(target, rest)
        cold.append(process_time() - begin)
        reached += near(target, found.q)
        kept &= inside(found.q)
    q = drawn()
    for _ in range(PATHS):
        other, now = drawn(), q
        for step in range(1, PATH_STEPS + 1):
            target = solver.pose(q + (other - q) * step / PATH_STEPS)
            begin = process_time()
            found = solver.solve(target, now)
            warm.append(process_time() - begin)
            followed += near(target, found.q)
            kept &= inside(found.q)
            now = found.q
        q = now
    return {
        "link": robot.links[link],
        "targets": targets,
        "success": reached / max(targets, 1),
        "path_success": followed / len(warm),
        "limits_kept": kept,
        "cold_ms": 1e3 * float(np.mean(cold)) if cold else 0.0,
        "warm_ms": 1e3 * float(np.mean(warm)),
        "warm_ms_99": 1e3 * float(np.quantile(warm, 0.99)),
    }


def robots_summary(results: Mapping[str, dict[str, Any]]) -> dict[str, Any]:
    """Figures over the objects that have them, and those of every object."""

    def of(row: str) -> list[dict[str, Any]]:
        return [each[row] for each in results.values() if row in each]

    rows: dict[str, dict[str, Any]] = {}
    for row, wanted in _SUMMARY.items():
        found = of(row)
        if found:
            rows[row] = {"objects": len(found)}
            rows[row] |= {name: kind([each[name] for each in found]) for name, kind in wanted.items()}
    return {"objects": len(results), "rows": rows, "each": dict(results)}


def _share(values: Sequence[Any]) -> float:
    return float(np.mean([bool(value) for value in values]))


def _most(values: Sequence[float]) -> float:
    return float(max(values))


def _least(values: Sequence[float]) -> float:
    return float(min(values))


_SUMMARY: dict[str, dict[str, Any]] = {
    "exports": {
        "loads": _share,
        "stable": _share,
        "beyond_limits": _most,
        "energy_gained": _most,
        "inertia_definite": _share,
    },
    "swing": {"period_error": _most, "closed_form_error": _most, "fall_error": _most},
    "forward": {"mujoco": _most, "yourdfpy": _most},
    "inverse": {
        "success": _least,
        "path_success": _least,
        "limits_kept": _share,
        "cold_ms": _most,
        "warm_ms": _most,
        "warm_ms_99": _most,
    },
}
