"""An engine whose time, size and failures the tests choose through the provider name and the conditions."""

import ctypes
import sys
import time
from dataclasses import dataclass

import numpy as np

from backend.errors import Cancelled, UserError
from backend.texts import Text


@dataclass(frozen=True)
class Analysis:
    summary: dict
    weights: np.ndarray


@dataclass(frozen=True)
class Frame:
    index: int
    handles: np.ndarray


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
    return Analysis({"provider": provider, "handles": handles, "warnings": []}, weights)


def prepare(analysis, conditions, progress=None):
    unexpected = {"value": ValueError("nothing fits"), "memory": MemoryError()}
    if conditions.get("raise") in unexpected:
        raise unexpected[conditions["raise"]]
    if conditions.get("raise") == "user":
        raise UserError("bad_conditions.missing_key", where="pokes[0].point")
    return Take(analysis, conditions)


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
    """Handles are filled with the index of the frame; a pull from the radius 2 on cannot be solved."""

    def __init__(self, analysis, conditions):
        self.weights, self.summary, self.fps = analysis.weights, analysis.summary, conditions.get("fps", 24.0)
        self.frame = Frame(1, np.ones((2, 3, 4)))

    def step(self, pull, should_cancel):
        if pull is not None and pull["radius"] >= 2.0:
            raise UserError("within.unchanged_object", problem=Text("did_not_converge.step", time=0.5))
        index = self.frame.index + 1
        self.frame = Frame(index, np.full((2, 3, 4), index))
        return self.frame


def begin_live(analysis, conditions, progress=None, parts=1):
    if conditions.get("raise") == "user":
        raise UserError("bad_conditions.missing_key", where="pokes[0].point")
    return Live(analysis, conditions)


def begin_pose(analysis, conditions, progress=None):
    return Posing(analysis)


def prepare_together(analyses, conditions, progress=None):
    return SceneTake([prepare(*each, progress) for each in zip(analyses, conditions, strict=True)])


@dataclass(frozen=True)
class Member:
    body: Analysis
    summary: dict


class SceneTake:
    def __init__(self, takes):
        self.takes = takes
        self.members = [Member(take.body, take.summary) for take in takes]
        self.frame_count, self.fps = takes[0].frame_count, takes[0].fps

    def frames(self, should_cancel):
        for frames in zip(*(take.frames(should_cancel) for take in self.takes), strict=True):
            yield list(frames)

    def report(self):
        return {"frames": self.frame_count, "conditions": [sorted(take.conditions) for take in self.takes]}


class Take:
    def __init__(self, analysis, conditions):
        self.conditions = conditions
        self.body = analysis
        self.weights = analysis.weights
        self.summary = analysis.summary
        self.frame_count = conditions.get("frames", 5)
        self.fps = 24.0

    def frames(self, should_cancel):
        conditions = self.conditions
        shape = tuple(conditions.get("shape", (self.weights.shape[1], 3, 4)))
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
            yield Frame(index, np.full(shape, index, dtype=np.float64))

    def report(self):
        return {"frames": self.frame_count}


def block(how: str, seconds: float) -> None:
    """Keeps the main thread busy in one or more calls that never look at a flag."""
    if how == "sleep":
        time.sleep(seconds)
        return
    until = time.monotonic() + seconds
    matrix = np.random.default_rng(0).random((900, 900))
    while time.monotonic() < until:
        np.linalg.svd(matrix)
