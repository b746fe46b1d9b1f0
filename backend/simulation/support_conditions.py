"""Conditions completed by the support of an object: the floor that it stands on, or what of it is held."""

from __future__ import annotations

from collections.abc import Callable
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
    return _BY_KIND[composition.support.kind](analysis, conditions)


def _free(analysis: Analysis, conditions: Conditions) -> Conditions:
    return replace(conditions, anchor="none")


def _on_floor(analysis: Analysis, conditions: Conditions) -> Conditions:
    """By friction, where there is weight; what is rigid below and soft above is held by its base."""
    alike = len({behaviour == "rigid" for behaviour in analysis.composition.behaviours}) == 1
    if analysis.model.holdable and not alike:
        return _held(analysis, conditions)
    if conditions.gravity[2] >= 0.0:
        return conditions
    made, mesh = analysis.composition.made, analysis.mesh
    friction = float(np.average([each.friction for each in made], weights=analysis.composition.cut.areas))
    lowest = float(mesh.vertices[np.unique(mesh.triangles), 2].min())
    return replace(conditions, ground=Ground(lowest, friction, RESTITUTION), anchor="none")


def _held(analysis: Analysis, conditions: Conditions) -> Conditions:
    """By its base or its top; what cannot be held stands on a floor."""
    composition = analysis.composition
    if not analysis.model.holdable:
        return _on_floor(analysis, conditions)
    # A sheet is never drawn as its own weight would have it.
    sheets = any(behaviour == "sheet" for behaviour in composition.behaviours)
    settled = not sheets if conditions.settled is None else conditions.settled
    kind = "hung" if composition.support.kind == "hung" else "base"
    if kind == "base" and analysis.model.support.base is not None:
        return conditions  # it knows itself what of it stands still
    return replace(conditions, anchor=held_by(kind, analysis.mesh, composition.centre), settled=settled)


def _unchanged(analysis: Analysis, conditions: Conditions) -> Conditions:
    return conditions


_BY_KIND: dict[str, Callable[[Analysis, Conditions], Conditions]] = {
    "free": _free,
    "floor": _on_floor,
    "base": _held,
    "hung": _held,
    "follows": _unchanged,
}
