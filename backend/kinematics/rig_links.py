"""Links of a rig: bones that move as one, by what they carry, and where each link hangs on another.

Bones that carry next to nothing go along with their parents (controls, twists, the last ones of fingers), and so do
the lightest ones of a rig with many. Exporters hang feet on the root of a rig, where constraints kept them at the legs:
a link that shares no skin with its parent but with others hangs where it shares most.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..materials.words import words_of
from .base import Array
from .rig import Rig

__all__ = ["MOST_LINKS", "RigLinks", "rig_links"]

LIGHT = 0.003  # of the mass: what carries less goes along with its parent
MOST_LINKS = 28
SAME_HEAD = 0.01  # of the size: heads nearer than this are of bones on top of each other
SHARED = 0.05  # a weight from which a vertex belongs to a bone too
_WELDED = frozenset(("twist", "roll", "helper", "corrective", "pole", "ctrl"))


@dataclass(frozen=True, eq=False)
class RigLinks:
    """L links, parents first: the topmost bone of each and the one that carries most, its parent link (-1: the root,
    which is the first), the place Float[L,3] (m) at which it hangs, and the link Int[B] of every bone."""

    main: NDArray[np.int64]
    heaviest: NDArray[np.int64]
    parent: NDArray[np.int64]
    places: Array
    of_bone: NDArray[np.int64]


def rig_links(rig: Rig, masses: Array, shares: Array, most: int = MOST_LINKS) -> RigLinks:
    """masses Float[B]: what each bone carries, kg; shares Float[P,B]: weights of vertices."""
    group = np.arange(len(rig.names))
    parents = rig.parents.copy()
    size = float(np.ptp(rig.vertices, axis=0).max())
    _weld_light(group, parents, rig, masses, size)
    _one_root(group, parents, masses)
    mass = _mass_of(group, masses)
    while len(alive := np.unique(group)) > most:
        lightest = min((each for each in alive if parents[each] >= 0), key=lambda each: mass[each])
        _merge(group, parents, lightest, int(parents[lightest]))
        mass = _mass_of(group, masses)
    places = rig.heads.copy()
    _hang_on_skin(group, parents, places, rig, shares)
    return _in_order(group, parents, places, masses)


def _mass_of(group: NDArray[np.int64], masses: Array) -> Array:
    return np.bincount(group, weights=masses, minlength=len(group))


def _merge(group: NDArray[np.int64], parents: NDArray[np.int64], gone: int, kept: int) -> None:
    """Group `gone` becomes part of `kept`, and what hung on it hangs there. Groups go by their topmost bone."""
    group[group == gone] = kept
    parents[parents == gone] = kept
    if parents[kept] == kept:
        parents[kept] = parents[gone]
    parents[gone] = kept


def _weld_light(group: NDArray[np.int64], parents: NDArray[np.int64], rig: Rig, masses: Array, size: float) -> None:
    total = float(masses.sum())
    for bone in reversed(range(len(group))):  # children before their parents
        own = float(masses[group == bone].sum())
        welded = _WELDED & set(words_of(rig.names[bone]))
        if (own >= LIGHT * total and not welded) or group[bone] != bone:
            continue
        children = [each for each in np.flatnonzero(parents == bone) if group[each] == each]
        near = [each for each in children if np.linalg.norm(rig.heads[each] - rig.heads[bone]) < SAME_HEAD * size]
        if near:
            _merge(group, parents, max(near, key=lambda each: masses[group == each].sum()), bone)
        elif parents[bone] >= 0:
            _merge(group, parents, bone, int(parents[bone]))


def _one_root(group: NDArray[np.int64], parents: NDArray[np.int64], masses: Array) -> None:
    """The heaviest root is the one; a root that carries nothing is one with its heaviest child."""
    while True:
        mass, alive = _mass_of(group, masses), np.unique(group)
        roots = [each for each in alive if parents[each] < 0]
        empty = next((each for each in roots if mass[each] < LIGHT * mass.sum()), None)
        if empty is None or len(alive) == 1:
            break
        children = [each for each in alive if parents[each] == empty]
        if children:
            _merge(group, parents, max(children, key=lambda each: _below(parents, alive, mass, each)), empty)
        else:
            _merge(group, parents, empty, next(each for each in alive if each != empty))
    alive = np.unique(group)
    roots = [each for each in alive if parents[each] < 0]
    main = max(roots, key=lambda each: _below(parents, alive, _mass_of(group, masses), each))
    for each in roots:
        if each != main:
            parents[each] = main


def _below(parents: NDArray[np.int64], alive: NDArray[np.int64], mass: Array, top: int) -> float:
    """The mass of a group and all that hangs on it."""
    return float(mass[top]) + sum(_below(parents, alive, mass, each) for each in alive if parents[each] == top)


def _hang_on_skin(group: NDArray[np.int64], parents: NDArray[np.int64], places: Array, rig: Rig, shares: Array) -> None:
    alive = np.unique(group)
    column = {int(each): number for number, each in enumerate(alive)}
    carried = np.zeros((len(shares), len(alive)))
    np.add.at(carried.T, np.array([column[int(each)] for each in group]), shares.T)
    both = np.minimum(carried, 1.0) * (carried > SHARED)
    shared = both.T @ both
    for bone in alive:
        parent, own = int(parents[bone]), column[int(bone)]
        if parent < 0 or shared[own, column[parent]] > 0.0:
            continue
        below = _descendants(parents, alive, int(bone))
        others = [each for each in alive if each not in below]
        best = max(others, key=lambda each: shared[own, column[int(each)]])
        if shared[own, column[int(best)]] <= 0.0:
            continue
        parents[bone] = best
        weight = both[:, own] * both[:, column[int(best)]]
        places[bone] = _mean_place(rig, weight)


def _mean_place(rig: Rig, weight: Array) -> Array:
    return weight @ rig.vertices / weight.sum()


def _descendants(parents: NDArray[np.int64], alive: NDArray[np.int64], top: int) -> set[int]:
    found = {top}
    while more := {int(each) for each in alive if int(parents[each]) in found} - found:
        found |= more
    return found


def _in_order(group: NDArray[np.int64], parents: NDArray[np.int64], places: Array, masses: Array) -> RigLinks:
    alive = np.unique(group)
    root = next(int(each) for each in alive if parents[each] < 0)
    order = [root]
    for bone in order:
        order += [int(each) for each in alive if parents[each] == bone]
    number = {bone: place for place, bone in enumerate(order)}
    parent = np.array([number.get(int(parents[bone]), -1) for bone in order])
    heaviest = np.array([max(np.flatnonzero(group == bone), key=lambda each: masses[each]) for bone in order])
    return RigLinks(np.array(order), heaviest, parent, places[order], np.array([number[int(each)] for each in group]))
