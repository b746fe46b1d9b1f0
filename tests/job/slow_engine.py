"""An engine whose time, size and failures the tests choose through the provider name and the conditions."""

import ctypes
import sys
import time
from dataclasses import dataclass

import numpy as np

from backend.errors import Cancelled, UserError
from backend.kinematics.motion import MotionFrame, ObjectMotion


@dataclass(frozen=True)
class Analysis:
    summary: dict
    weights: np.ndarray
    vertices: np.ndarray
    piece: np.ndarray


def analyze(vertices, triangles, provider="auto", progress=None, slots=None):
    if provider == "refused":
        raise UserError("no_faces.mesh")
    if provider == "slow":
        for step in range(100):
            progress("analyzing", step, 100)
            time.sleep(0.1)
    if provider == "deaf":
        time.sleep(60)
    handles = 104_000 if provider == "wide" else 2
    weights = np.full((len(vertices), handles), 1 / handles)
    return Analysis(
        {"provider": provider, "handles": handles, "warnings": []},
        weights,
        vertices,
        np.zeros(len(triangles), np.int32),
    )


def prepare(analyses, conditions, progress=None):
    unexpected = {"value": ValueError("nothing fits"), "memory": MemoryError()}
    for each in conditions:
        if each.get("raise") in unexpected:
            raise unexpected[each["raise"]]
        if each.get("raise") == "user":
            raise UserError("bad_conditions.missing_key", where="pokes[0].point")
    return Take([Member(*each) for each in zip(analyses, conditions, strict=True)])


@dataclass(frozen=True)
class Shape:
    handles: np.ndarray
    positions: np.ndarray
    unmet: np.ndarray
    converged: bool
    choices: tuple
    values: np.ndarray


@dataclass(frozen=True)
class Coordinates:
    names: tuple
    kinds: tuple
    lower: np.ndarray
    upper: np.ndarray


class Posing:
    """Handles are filled with the number of solves so far, those of shapes with the first slider's value."""

    coordinates = Coordinates(("Joint 1", "Bend 2"), ("joint", "bend"), np.array([-1.0, 0.0]), np.array([1.0, 2.0]))

    def __init__(self, analysis):
        self.weights, self.summary, self.solves = analysis.weights, analysis.summary, 0

    def solve(self, vertices, targets, hard):
        if len(vertices) and vertices.max() > 100:
            raise UserError("bad_pose.unknown_vertex", count=101)
        self.solves += 1
        return Shape(
            np.full((2, 3, 4), self.solves), targets, np.flatnonzero(hard), True, (1,), np.array([0.5, self.solves])
        )

    def shapes(self, values):
        if values.shape[1] != 2:
            raise UserError("bad_values.shape", shape=str(values.shape), count=2, most=64)
        return np.multiply.outer(values[:, 0], np.ones((2, 3, 4)))

    def poses(self, count, seed):
        values = np.random.default_rng(seed).normal(size=(count, 2))
        return values, self.shapes(values)


class Live:
    """Handles are filled with the index of the frame; a pull from the radius 2 on takes too much memory."""

    def __init__(self, analysis, conditions):
        self.summary, self.fps = analysis.summary, conditions.get("fps", 24.0)
        self.motion = motion_of(analysis, conditions)
        self.frame = frame_of(self.motion, 1, len(analysis.weights))

    def step(self, pull, should_cancel):
        if pull is not None and pull["radius"] >= 2.0:
            raise UserError("out_of_memory.job")
        count = 0 if self.frame.points is None else len(self.frame.points)
        self.frame = frame_of(self.motion, self.frame.index + 1, count)
        return self.frame


def begin_live(analysis, conditions, progress=None, parts=1):
    if conditions.get("raise") == "user":
        raise UserError("bad_conditions.missing_key", where="pokes[0].point")
    return Live(analysis, conditions)


def begin_pose(analysis, conditions, progress=None):
    return Posing(analysis)


def motion_of(analysis, conditions):
    """The condition "motion" is "skinned", "points" or "both"."""
    kind = conditions.get("motion", "skinned")
    return ObjectMotion(None if kind == "points" else analysis.weights, kind != "skinned")


def frame_of(motion, index, vertex_count, shape=None):
    """Handles and points are filled with the index."""
    handles = None
    if motion.weights is not None:
        handles = np.full((motion.weights.shape[1], 3, 4) if shape is None else tuple(shape), index, dtype=np.float64)
    points = np.full((vertex_count, 3), index, dtype=np.float64) if motion.has_points else None
    return MotionFrame(index, np.zeros(0), np.zeros(3), handles, points)


def waving(motion, vertices, index):
    """Handles move everything along x, points are waves of height and speed of their own for every vertex."""
    wave = np.zeros_like(vertices, dtype=np.float64)
    wave[:, 2] = 0.3 * np.sin(0.5 * (index - 1) * (1.0 + np.arange(len(vertices)) % 3)) * vertices[:, 0]
    handles = None
    if motion.weights is not None:
        handles = np.tile(np.eye(4)[:3], (motion.weights.shape[1], 1, 1))
        handles[:, 0, 3] = 0.1 * (index - 1)
    points = None if not motion.has_points else wave if handles is not None else vertices + wave
    return MotionFrame(index, np.zeros(0), np.zeros(3), handles, points)


class Member:
    def __init__(self, analysis, conditions):
        self.conditions, self.summary = conditions, analysis.summary
        self.motion, self.vertices = motion_of(analysis, conditions), analysis.vertices

    def frame(self, index):
        if self.conditions.get("waves"):
            return waving(self.motion, self.vertices, index)
        return frame_of(self.motion, index, len(self.vertices), self.conditions.get("shape"))


class Take:
    def __init__(self, members):
        self.members, self.conditions = members, members[0].conditions
        self.frame_count, self.fps = self.conditions.get("frames", 5), 24.0
        self.seconds = {"analyze": 0.5, "solve": 1.5}

    def frames(self, should_cancel):
        conditions = self.conditions
        if conditions.get("print"):
            print("a library says hello")
            sys.stdout.flush()
            ctypes.CDLL(None).puts(b"and so does C code")
            ctypes.CDLL(None).fflush(None)
        for index in range(1, self.frame_count + 1):
            if index == conditions.get("block_at"):
                block(conditions["block_how"], conditions["block_seconds"])
            until = time.monotonic() + conditions.get("frame_seconds", 0.0)
            while time.monotonic() < until:
                if should_cancel():
                    raise Cancelled
                time.sleep(0.005)
            if should_cancel():
                raise Cancelled
            if index == conditions.get("die_at"):
                ctypes.string_at(0)
            yield [member.frame(index) for member in self.members]

    def report(self):
        given = [sorted(each.conditions) for each in self.members]
        return {"frames": self.frame_count, "conditions": given, "warnings": []}


def block(how: str, seconds: float) -> None:
    """Keeps the main thread busy in one or more calls that never look at a flag."""
    if how == "sleep":
        time.sleep(seconds)
        return
    until = time.monotonic() + seconds
    matrix = np.random.default_rng(0).random((900, 900))
    while time.monotonic() < until:
        np.linalg.svd(matrix)
