"""Conditions completed by the support of an object: the floor that it stands on, or what of it is held."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from ..dynamics.conditions import Conditions, Ground
from ..understanding.analysis import Analysis
from ..understanding.providers.registry import BY_PIECES
from ..understanding.support import held_by

__all__ = ["floor_below", "with_support"]

_RESTITUTION = 0.2


def with_support(analysis: Analysis, conditions: Conditions, several: bool = False) -> Conditions:
    """For an object of which nobody has said by its anchor what holds it.

    What was found to support it counts only where it is alone, and stands on, hits and flies to nothing; of `several`
    objects those hang that were found to. A support that was given counts in any case, except that one of `several`
    objects brings no floor.
    """
    if not isinstance(conditions.anchor, str) or conditions.anchor != "auto":
        return conditions
    if conditions.support is None and not _counts(analysis, conditions):
        return conditions
    if conditions.support is None and several and analysis.composition.support.kind != "hung":
        return conditions
    return _BY_KIND[analysis.composition.support.kind](analysis, conditions, several)


def _counts(analysis: Analysis, conditions: Conditions) -> bool:
    """Whether the support that was found does."""
    by_material = conditions.stiffness_hz is None and conditions.young is None
    known = by_material and analysis.composition.decides and analysis.provider in BY_PIECES
    touched = conditions.ground is not None or conditions.colliders or conditions.velocities or conditions.pins
    return analysis.automatic and known and not touched


def _free(analysis: Analysis, conditions: Conditions, several: bool) -> Conditions:
    return replace(conditions, anchor="none")


def _on_floor(analysis: Analysis, conditions: Conditions, several: bool) -> Conditions:
    """By friction, where there is weight; what is found to be rigid below and soft above is held by its base."""
    alike = len({behaviour == "rigid" for behaviour in analysis.composition.behaviours}) == 1
    if analysis.model.holdable and not alike and conditions.support is None:
        return _held(analysis, conditions, several)
    if conditions.gravity[2] >= 0.0:
        return conditions
    floor = None if several else floor_below(analysis)
    return replace(conditions, ground=conditions.ground or floor, anchor="none")


def floor_below(analysis: Analysis) -> Ground:
    """A floor at its lowest point, with the mean friction of its surface."""
    made, mesh = analysis.composition.made, analysis.mesh
    friction = float(np.average([each.friction for each in made], weights=analysis.composition.cut.areas))
    return Ground(float(mesh.vertices[np.unique(mesh.triangles), 2].min()), friction, _RESTITUTION)


def _held(analysis: Analysis, conditions: Conditions, several: bool) -> Conditions:
    """By its base or its top; what cannot be held stands on a floor."""
    composition = analysis.composition
    if not analysis.model.holdable:
        return _on_floor(analysis, conditions, several)
    # A sheet is never drawn as its own weight would have it.
    sheets = any(behaviour == "sheet" for behaviour in composition.behaviours)
    settled = not sheets if conditions.settled is None else conditions.settled
    kind = "hung" if composition.support.kind == "hung" else "base"
    base = analysis.model.support.base if kind == "base" else None
    if base is None:
        base = held_by(kind, analysis.mesh, composition.centre)
    elif conditions.support is None:
        return conditions  # it knows itself what of it stands still
    return replace(conditions, anchor=base, settled=settled)


def _unchanged(analysis: Analysis, conditions: Conditions, several: bool) -> Conditions:
    return conditions


_BY_KIND: dict[str, Callable[[Analysis, Conditions, bool], Conditions]] = {
    "free": _free,
    "floor": _on_floor,
    "base": _held,
    "hung": _held,
    "follows": _unchanged,
}
