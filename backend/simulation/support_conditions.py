"""Conditions completed by the support of an object: the floor that it stands on, or what of it is held."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ..dynamics.conditions import Conditions, Ground
from ..understanding.analysis import Analysis
from ..understanding.providers.registry import BY_PIECES
from ..understanding.support import held_by

__all__ = ["with_support"]

RESTITUTION = 0.2


def with_support(analysis: Analysis, conditions: Conditions) -> Conditions:
    """For one object alone, of which nobody has said what holds it or what it stands on or flies to."""
    composition = analysis.composition
    by_material = conditions.stiffness_hz is None and conditions.young is None
    known = by_material and composition.decides and analysis.provider in BY_PIECES
    known = known or conditions.support is not None
    alone = conditions.ground is None and not conditions.colliders and not conditions.velocities
    untouched = isinstance(conditions.anchor, str) and conditions.anchor == "auto" and not conditions.pins
    if not (analysis.automatic and known and alone and untouched):
        return conditions
    kind, mesh, holdable = composition.support.kind, analysis.mesh, analysis.model.holdable
    if kind == "free":
        return replace(conditions, anchor="none")
    # A sheet is never drawn as its own weight would have it.
    sheets = any(behaviour == "sheet" for behaviour in composition.behaviours)
    if kind == "hung" and holdable:
        settled = not sheets if conditions.settled is None else conditions.settled
        return replace(conditions, anchor=held_by("hung", mesh), settled=settled)
    # What is rigid below and soft above is held by its base.
    stands = kind == "floor" and len({behaviour == "rigid" for behaviour in composition.behaviours}) == 1
    if (stands or not holdable) and conditions.gravity[2] < 0.0:
        friction = float(np.average([each.friction for each in composition.made], weights=composition.cut.areas))
        lowest = float(mesh.vertices[np.unique(mesh.triangles), 2].min())
        return replace(conditions, ground=Ground(lowest, friction, RESTITUTION), anchor="none")
    return replace(conditions, settled=False) if sheets and conditions.settled is None else conditions
