"""Conditions that objects share which are simulated together: gravity, ground, colliders, frames."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

import numpy as np
from bpy.app.translations import pgettext_rpt as rpt_

from ..errors import Refusal
from .colliders import SceneSurface

__all__ = ["shared_conditions"]

SHARED = ("fps", "frames", "substeps", "gravity", "gravity_keys", "ground", "colliders")


def shared_conditions(
    names: Sequence[str], conditions: Sequence[dict[str, Any]], lowest: float = 0.0
) -> dict[str, Any]:
    """Takes out of the conditions of each of several objects what holds for all, and gives it back as one.

    A floor or colliders of one object are there for the others too. Where there are neither, and not all objects are
    free, they stand on a floor at `lowest` (m), their lowest point. A single object keeps its own. Raises Refusal.
    """
    if len(conditions) == 1:
        return {}
    free = all(each["anchor"] == "none" for each in conditions)
    if any("gravity_keys" in each for each in conditions):
        for each in conditions:
            each.setdefault("gravity_keys", [])
    shared: dict[str, Any] = {}
    owner: dict[str, str] = {}
    for name, each in zip(names, conditions, strict=True):
        for key in SHARED:
            if key not in each:
                continue
            value = each.pop(key)
            if key not in shared:
                shared[key], owner[key] = value, name
            elif not _same(value, shared[key]):
                raise Refusal(
                    _different(key).format(owner[key], name),
                    "Objects that are simulated together share them: keep those of one object, and close the eye on "
                    "the others'.",
                )
    if not (free or "ground" in shared or "colliders" in shared):
        shared["ground"] = {"height": lowest, **asdict(SceneSurface())}
    return shared


def _different(key: str) -> str:
    match key:
        case "gravity" | "gravity_keys":
            return rpt_("{} and {} have different gravity.")
        case "ground":
            return rpt_("{} and {} have different floors.")
        case "colliders":
            return rpt_("{} and {} have different colliders.")
    return rpt_("{} and {} have different settings.")


def _same(one: Any, other: Any) -> bool:
    """Equality of conditions, which may hold arrays."""
    if isinstance(one, np.ndarray) or isinstance(other, np.ndarray):
        return isinstance(one, np.ndarray) and isinstance(other, np.ndarray) and np.array_equal(one, other)
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(_same(one[key], other[key]) for key in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(_same(a, b) for a, b in zip(one, other, strict=True))
    return one == other
