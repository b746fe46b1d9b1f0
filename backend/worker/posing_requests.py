"""The worker's requests about an object that is posed: `pose`, `coordinates`, `shape`, `poses` and `reach`.

The latest object that was posed is kept for the next of these requests.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from .. import protocol
from ..kinematics.motion import ObjectMotion
from .analyses import Analyses
from .motion_messages import float32, object_entry, weight_arrays
from .pipes import Outlet
from .requests import drags_of, draw_of, object_of, reach_of, values_of

__all__ = ["PosingRequests"]

CHANGING = {"vertices", "targets", "hard", "values", "tips"}  # arrays that are not part of the conditions


@dataclass(frozen=True)
class _Kept:
    """An object that is posed, and what it was made from."""

    analysis: Any
    conditions: tuple[str | bytes, ...]
    object: Any
    sent: np.ndarray | None = None  # the weights that the client has


class PosingRequests:
    """Handlers of the posing requests.

    engine: Gives the engine, for the number of a request.
    progress: Called with the number of a request, a stage, and how much of how much is done.
    """

    def __init__(
        self,
        analyses: Analyses,
        outlet: Outlet,
        engine: Callable[[int], Any],
        progress: Callable[[int, str, int, int], None],
    ) -> None:
        self._analyses, self._outlet = analyses, outlet
        self._engine, self._progress = engine, progress
        self._kept: _Kept | None = None
        self.handlers = {
            "pose": self._pose,
            "coordinates": self._coordinates,
            "shape": self._shape,
            "poses": self._poses,
            "reach": self._reach,
        }

    def _taken(self, message: protocol.Message, job: int) -> _Kept:
        """The kept object if the request is about it as it is, else a new one.

        It is to be kept again after the request: only what came through one unharmed serves the next.
        """
        engine = self._engine(job)
        key, conditions = object_of(message)
        analysis, header = self._analyses.of(key), json.dumps(message.header["conditions"], sort_keys=True)
        wanted = (header, *(message.arrays[name].tobytes() for name in sorted(set(message.arrays) - CHANGING)))
        kept, self._kept = self._kept, None
        if kept is not None and kept.analysis is analysis and kept.conditions == wanted:
            return kept
        self._outlet.begin(job, "analyzing")
        return _Kept(analysis, wanted, engine.begin_pose(analysis, conditions, partial(self._progress, job)))

    def _introduced(self, kept: _Kept) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
        """Header and arrays that say how the object moves; from here on the client knows its weights."""
        motion = ObjectMotion(kept.object.weights)
        self._kept = replace(kept, sent=motion.weights)
        return {"objects": [object_entry(kept.object.summary, motion)]}, weight_arrays([motion])

    def _pose(self, message: protocol.Message, job: int) -> None:
        """One solve, from the last one: a drag is as fast as its steps are small."""
        drags = drags_of(message)
        kept = self._taken(message, job)
        shape = kept.object.solve(drags.vertices, drags.targets.astype(np.float64), drags.hard)
        header, arrays = {}, {}
        if kept.object.weights is kept.sent:
            self._kept = kept
        else:  # new to the client, or of other choices
            header, arrays = self._introduced(kept)
        header |= {"choices": list(shape.choices), "unmet": shape.unmet.tolist(), "converged": shape.converged}
        moved = {"handles_0": shape.handles, "positions": shape.positions, "values": shape.values}
        arrays |= {name: float32(array) for name, array in moved.items()}
        self._outlet.send({"type": "posed", "id": job, **header}, arrays)

    def _coordinates(self, message: protocol.Message, job: int) -> None:
        kept = self._taken(message, job)
        found = kept.object.coordinates
        header, arrays = self._introduced(kept)
        header |= {"names": list(found.names), "kinds": list(found.kinds)}
        header |= {"lower": found.lower.tolist(), "upper": found.upper.tolist()}
        self._outlet.send({"type": "coordinates", "id": job, **header}, arrays)

    def _shape(self, message: protocol.Message, job: int) -> None:
        values = values_of(message)
        kept = self._taken(message, job)
        handles = kept.object.shapes(values)
        self._kept = kept
        self._outlet.send({"type": "shapes", "id": job}, {"handles_0": float32(handles)})

    def _poses(self, message: protocol.Message, job: int) -> None:
        count, seed = draw_of(message)
        kept = self._taken(message, job)
        values, handles = kept.object.poses(count, seed)
        self._kept = kept
        arrays = {"values": float32(values), "handles_0": float32(handles)}
        self._outlet.send({"type": "shapes", "id": job}, arrays)

    def _reach(self, message: protocol.Message, job: int) -> None:
        """Quick as `pose`: whoever moves a target asks for every move."""
        wanted = reach_of(message)
        kept = self._taken(message, job)
        from ..robots.multi_target_ik import Goal

        goals = [Goal(*goal) for goal in zip(wanted.parts, wanted.tips, wanted.turns, wanted.weights, strict=True)]
        found = kept.object.reach(goals, wanted.targets, wanted.start, wanted.search)
        self._kept = kept
        arrays = {name: float32(getattr(found, name)) for name in ("values", "ways", "turns")}
        self._outlet.send({"type": "reached", "id": job}, {"handles_0": float32(found.handles), **arrays})
