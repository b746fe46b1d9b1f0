"""Conditions completed by the support of an object: the floor that it stands on, or what of it is held."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import cKDTree
from scipy.spatial.transform import Rotation

from ..dynamics.conditions import Conditions, Drag, Ground, MotionKey, Pin, Velocity, checked_vertices
from ..dynamics.targets import RigidMotion
from ..understanding.analysis import Analysis
from ..understanding.providers.composed import Composed
from ..understanding.providers.learned import Learned
from ..understanding.providers.registry import BY_PIECES
from ..understanding.support import held_by

__all__ = ["floor_below", "is_pushed", "with_support"]

_TAKEN = 0.3  # of the size: what is dragged farther by something soft is taken along
_SLIDES = 0.01  # of the size: what slides less far on its floor is not seen to move
RATE_STEP = 0.01  # frames, over which a rate is measured


def with_support(analysis: Analysis, conditions: Conditions, several: bool = False) -> Conditions:
    """For an object of which nobody has said by its anchor what holds it.

    What was found to support it counts only where it is alone, and stands on, hits and flies to nothing; of `several`
    objects those hang that were found to. A support that was given counts in any case, except that one of `several`
    objects brings no floor. Of what follows an animation that goes along by which it is held.
    """
    if conditions.follows:
        return _carried(analysis, conditions)
    if not isinstance(conditions.anchor, str) or conditions.anchor != "auto":
        return conditions
    if conditions.support is None and not _counts(analysis, conditions):
        return conditions
    if conditions.support is None and several and analysis.composition.support.kind != "hung":
        return conditions
    return _BY_KIND[analysis.composition.support.kind](analysis, conditions, several)


def _counts(analysis: Analysis, conditions: Conditions) -> bool:
    """Whether the support that was found does."""
    touched = conditions.ground is not None or conditions.colliders or conditions.velocities or conditions.pins
    if touched or not analysis.automatic:
        return False
    if analysis.provider == Learned.name:  # what moves by joints stays where it is drawn, unless it is pushed itself
        return analysis.composition.support.kind == "floor" and is_pushed(analysis, conditions)
    by_material = conditions.stiffness_hz is None and conditions.young is None
    return by_material and analysis.composition.decides and analysis.provider in BY_PIECES


def _free(analysis: Analysis, conditions: Conditions, several: bool) -> Conditions:
    return replace(conditions, anchor="none")


def _on_floor(analysis: Analysis, conditions: Conditions, several: bool) -> Conditions:
    """By friction, where there is weight; what is found to be rigid below and soft above is held by its base as long as
    nothing pushes it.
    """
    alike = len({behaviour == "rigid" for behaviour in analysis.composition.behaviours}) == 1
    if analysis.model.holdable and not alike and conditions.support is None and not is_pushed(analysis, conditions):
        return _held(analysis, conditions, several)
    if conditions.gravity[2] >= 0.0:
        return conditions
    floor = None if several else floor_below(analysis)
    return replace(conditions, ground=conditions.ground or floor, anchor="none")


def is_pushed(analysis: Analysis, conditions: Conditions) -> bool:
    """Whether some poke or drag moves the whole on its floor, and not only what of it bends or turns.

    With the speed v that a poke gives to all of it, it slides v^2 / (2 mu g).
    """
    if not (conditions.pokes or conditions.drags):
        return False
    mesh, composition = analysis.mesh, analysis.composition
    used = np.unique(mesh.triangles)
    nearest = cKDTree(mesh.vertices[used])

    def vertex(point: NDArray[np.float64]) -> int:
        return int(used[nearest.query(point)[1]])

    stands = _stands(analysis)
    if any(stands[vertex(drag.point)] or _way(drag) > _TAKEN * composition.size for drag in conditions.drags):
        return True
    total = max(float(composition.masses.sum()), 1e-300)
    weight = max(float(np.linalg.norm(conditions.gravity)), 1e-9)
    least = np.sqrt(2.0 * floor_below(analysis).friction * weight * _SLIDES * composition.size)
    for poke in conditions.pokes:
        struck = vertex(poke.point)
        if poke.impulse is not None:
            speed = float(np.linalg.norm(poke.impulse)) / total
        else:
            speed = float(np.linalg.norm(poke.speed))
            if analysis.provider == Composed.name:  # the speed is that of the soft piece, or of all rigid ones
                piece = composition.cut.piece[(mesh.triangles == struck).any(axis=1)][0]
                rigid = np.array([each == "rigid" for each in composition.behaviours])
                moved = np.arange(len(rigid)) == piece if composition.soft[struck] else rigid
                speed *= float(composition.masses[moved].sum()) / total
        if (stands[struck] or composition.soft[struck]) and speed > least:
            return True
    return False


def _way(drag: Drag) -> float:
    """How far a drag ends from where it begins at most, m."""
    places = np.array([key.position for key in drag.path])
    return float(np.linalg.norm(places - places[0], axis=1).max())


def _stands(analysis: Analysis) -> NDArray[np.bool_]:
    """Bool[V]: what carries the rest: no joint moves it, and it does not bend."""
    stands, base = ~analysis.composition.soft, analysis.model.support.base
    if base is not None:
        still = np.zeros(len(stands), dtype=bool)
        still[base] = True
        stands &= still
    return stands


def floor_below(analysis: Analysis) -> Ground:
    """A floor at its lowest point, with the mean friction of its surface."""
    made, mesh = analysis.composition.made, analysis.mesh
    friction = float(np.average([each.friction for each in made], weights=analysis.composition.cut.areas))
    return Ground(float(mesh.vertices[np.unique(mesh.triangles), 2].min()), friction)


def _held(analysis: Analysis, conditions: Conditions, several: bool) -> Conditions:
    """By its base or its top; what moves as a whole only stays where it is drawn, and falls over where it is pushed.

    Several objects share their gravity, so that of several it falls.
    """
    composition = analysis.composition
    if not analysis.model.holdable:
        if several or conditions.support is not None or is_pushed(analysis, conditions):
            return _on_floor(analysis, conditions, several)
        return replace(conditions, anchor="none", gravity=np.zeros(3), gravity_keys=(), wind=None, pokes=())
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


def _carried(analysis: Analysis, conditions: Conditions) -> Conditions:
    """What holds it goes along with its animation, and the rest answers; all of it, where nothing can be held."""
    mesh, found = analysis.mesh, analysis.composition
    kind = "hung" if found.support.kind == "hung" else "base"
    if isinstance(conditions.anchor, np.ndarray):
        held = checked_vertices(conditions.anchor, len(mesh.vertices), "anchor.vertices")
    elif not analysis.model.holdable:
        held = np.arange(len(mesh.vertices))
    else:
        base = analysis.model.support.base if kind == "base" else None
        held = held_by(kind, mesh, found.centre) if base is None else base
    keys = _about(conditions.follows, mesh.vertices.mean(axis=0), mesh.vertices[held].mean(axis=0))
    settled = conditions.settled is None or conditions.settled
    begins = _begins_with(conditions.follows, mesh.vertices.mean(axis=0), found.centre, conditions.fps)
    pins, velocities = (*conditions.pins, Pin(held, None, keys)), (*conditions.velocities, *begins)
    return replace(conditions, anchor="none", settled=settled, pins=pins, velocities=velocities)


def _begins_with(
    keys: tuple[MotionKey, ...], centre: NDArray[np.float64], mass_centre: NDArray[np.float64], fps: float
) -> list[Velocity]:
    """The velocity that an animation has at the first frame which began before it: all of the object has it too."""
    if keys[0].frame >= 1.0:
        return []
    motion, step = RigidMotion(keys, centre, fps), RATE_STEP / fps
    before, after = motion.pose(-step)[0], motion.pose(step)[0]
    angular = Rotation.from_matrix(after @ before.T).as_rotvec() / (2.0 * step)
    there = [motion.positions(mass_centre[None], seconds)[0] for seconds in (-step, step)]
    return [Velocity((there[1] - there[0]) / (2.0 * step), angular, None)]


def _about(
    keys: tuple[MotionKey, ...], centre: NDArray[np.float64], other: NDArray[np.float64]
) -> tuple[MotionKey, ...]:
    """The same motion by turns about another centre Float[3] m."""
    turns = Rotation.from_rotvec([key.rotation for key in keys]).apply(other - centre)
    return tuple(
        replace(key, location=key.location + turned - (other - centre)) for key, turned in zip(keys, turns, strict=True)
    )


def _unchanged(analysis: Analysis, conditions: Conditions, several: bool) -> Conditions:
    return conditions


_BY_KIND: dict[str, Callable[[Analysis, Conditions, bool], Conditions]] = {
    "free": _free,
    "floor": _on_floor,
    "base": _held,
    "hung": _held,
    "follows": _unchanged,
}
