"""An engine whose time, size and failures the tests choose through the provider name and the conditions."""

import ctypes
import sys
import time
from dataclasses import dataclass

import numpy as np

from backend.errors import Cancelled, UserError


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
        raise UserError("empty_mesh", "The mesh has no faces.", "Add a face.")
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
        raise UserError("bad_conditions", "The poke has no point.", "Give it one.")
    return Take(analysis, conditions)


@dataclass(frozen=True)
class Shape:
    handles: np.ndarray
    positions: np.ndarray
    unmet: np.ndarray
    converged: bool
    choices: tuple


class Posing:
    """Handles are filled with the number of solves so far."""

    def __init__(self, analysis):
        self.weights, self.summary, self.solves = analysis.weights, analysis.summary, 0

    def solve(self, vertices, targets, hard):
        if len(vertices) and vertices.max() > 100:
            raise UserError("bad_pose", "There is no such vertex.", "Drag another one.")
        self.solves += 1
        return Shape(np.full((2, 3, 4), self.solves), targets, np.flatnonzero(hard), True, (1,))


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
