"""Requests of a job: objects and their conditions, as headers and arrays of the wire format."""

from __future__ import annotations

import enum
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

__all__ = ["JobRequest", "ObjectRequest", "Task", "wire_key", "with_buffers"]

Arrays = dict[str, np.ndarray]


class Task(enum.Enum):
    ANALYZE = "analyze"
    SIMULATE = "simulate"
    INTERACTIVE = "interactive"  # analyse, then answer requests until the session ends: poses, live steps
    DRAW = "draw"  # pointmaps, which need no analysis
    ONE_SHOT = "one_shot"  # one request that needs no analysis: joints of a mesh, files of robots

    @property
    def is_interactive(self) -> bool:
        """Whether the job stays open and answers requests until it is ended."""
        return self in (Task.INTERACTIVE, Task.DRAW, Task.ONE_SHOT)


def wire_key(key: str, provider: str) -> str:
    """Under what the worker keeps the analysis of a mesh with this key."""
    return f"{key}:{provider}"


def with_buffers(value: Any, arrays: Arrays) -> Any:
    """The same conditions with {"buffer": name} for each array, which is put into `arrays` under that name."""
    if isinstance(value, np.ndarray):
        name = f"buffer_{len(arrays)}"
        arrays[name] = np.ascontiguousarray(value)
        return {"buffer": name}
    if isinstance(value, Mapping):
        return {key: with_buffers(entry, arrays) for key, entry in value.items()}
    if isinstance(value, list | tuple):
        return [with_buffers(entry, arrays) for entry in value]
    return value


@dataclass(frozen=True, eq=False)
class ObjectRequest:
    """One object: its mesh, how it moves, and what acts on it.

    `key` is a hash of the mesh content; `vertices` float32 (V,3) are world metres, `triangles` int32 (F,3);
    `conditions` is the object that `conditions.json` holds, with arrays where it may have numbers in rows; `slots`
    int32 (F,) are the material slots of the triangles, if known; `joints` are parts and joints as the condition of that
    name has them, and `part` int32 (V,) says which part each vertex belongs to, where that is known. `labels` are the
    name of the object and those of its slots with values of their shaders: {"object", "slots": [{"name", "shader",
    "colour"?, "made_of"?}]}; `pieces` is what somebody says of its pieces, as the condition of that name has it.
    """

    key: str
    vertices: np.ndarray
    triangles: np.ndarray
    provider: str
    conditions: Mapping[str, Any] = field(default_factory=dict)
    slots: np.ndarray | None = None
    joints: Mapping[str, Any] | None = None
    part: np.ndarray | None = None
    labels: Mapping[str, Any] | None = None
    pieces: Sequence[Mapping[str, Any]] = ()

    def __post_init__(self) -> None:
        for name, dtype in (("vertices", np.float32), ("triangles", np.int32)):
            array = getattr(self, name)
            if array.dtype != dtype or array.ndim != 2 or array.shape[1] != 3:
                raise ValueError(f"'{name}' must be {np.dtype(dtype).name} (N, 3), not {array.dtype} {array.shape}")
        slots = self.slots
        if slots is not None and (slots.dtype != np.int32 or slots.shape != (len(self.triangles),)):
            raise ValueError(f"'slots' must be int32 ({len(self.triangles)},), not {slots.dtype} {slots.shape}")
        try:
            json.dumps(with_buffers(self.conditions, {}), allow_nan=False)
        except (TypeError, ValueError) as error:
            raise ValueError(f"'conditions' cannot be sent as JSON: {error}") from error

    @property
    def wire_key(self) -> str:
        """What the worker keeps the analysis under: one mesh may be known under several providers."""
        return wire_key(self.key, self.provider)

    def analysis(self) -> tuple[dict[str, Any], Arrays]:
        """Header and arrays of the `analyze` request."""
        header = {"type": "analyze", "key": self.wire_key, "provider": self.provider}
        arrays = {"vertices": self.vertices, "triangles": self.triangles}
        if self.slots is not None:
            arrays["slots"] = self.slots
        if self.joints is not None and self.part is not None:
            header["joints"], arrays["part"] = dict(self.joints), self.part
        if self.labels is not None:
            header["labels"] = dict(self.labels)
        if self.pieces:
            header["pieces"] = with_buffers(self.pieces, arrays)
        return header, arrays

    def entry(self, arrays: Arrays) -> dict[str, Any]:
        """{key, conditions} of a request of the wire; arrays of the conditions go into `arrays`."""
        return {"key": self.wire_key, "conditions": with_buffers(self.conditions, arrays)}


@dataclass(frozen=True, eq=False)
class JobRequest:
    """One job with one or more objects, or none to draw or for a one-shot request.

    `shared` are conditions that all objects have.
    """

    objects: tuple[ObjectRequest, ...]
    task: Task = Task.SIMULATE
    shared: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        most = {Task.INTERACTIVE: 1, Task.DRAW: 0, Task.ONE_SHOT: 0}.get(self.task, len(self.objects))
        if len(self.objects) > most or (not self.objects and self.task not in (Task.DRAW, Task.ONE_SHOT)):
            raise ValueError(f"a job to {self.task.value} cannot have {len(self.objects)} objects")

    def simulation(self) -> tuple[dict[str, Any], Arrays]:
        """Header and arrays of the `simulate` request."""
        arrays: Arrays = {}
        entries = [each.entry(arrays) for each in self.objects]
        return {"type": "simulate", "objects": entries, "shared": with_buffers(self.shared, arrays)}, arrays
