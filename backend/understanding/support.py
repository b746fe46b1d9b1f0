"""Support of an object: what it stands on or hangs from, by its names and by where its weight is."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import ConvexHull, QhullError

from ..geometry.mesh import Mesh
from ..materials.words import words_of
from ..texts import Text

__all__ = ["SupportGuess", "guessed_support", "held_by"]

FOOT = 0.02  # of the height: vertices this close to the lowest one stand on the floor
HOLDS = (FOOT, 0.04, 0.08, 0.12, 0.18, 0.25, 0.33)  # of the height: how far up something is held by its base
TOPPLES = 0.1  # slope of a floor on which it falls over: what would is not thought to stand by itself
TALL = 2.0  # height over width of what is thought to be held, where it would topple
FLAT = 0.15  # height over length of a sheet that lies
UPRIGHT = 0.35  # width over the height of a sheet that hangs
SHEET_SHARE = 0.8  # of the mass: an object of sheets

_HUNG = (
    "curtain curtains vorhang rideau cortina tenda hanging hung haengend chandelier kronleuchter pendant ceiling decke "
    "plafond techo windchime swing schaukel mobile keyring"
)
_ROOTED = (
    "tree baum arbre arbol albero palm palme palmier birch birke pine kiefer oak eiche fir tanne bush busch shrub "
    "flower blume fleur grass gras streetlight streetlamp lamppost flagpole signpost pole mast post pfosten poteau "
    "lighthouse mill windmill muehle house haus maison building tower turm fence zaun wall wand mur bridge bruecke"
)


@dataclass(frozen=True)
class SupportGuess:
    """One of `conditions.SUPPORTS`, how sure it is, and why."""

    kind: str
    probability: float
    reason: Text


def guessed_support(
    mesh: Mesh,
    names: Iterable[str],
    masses: NDArray[np.float64],
    centre: NDArray[np.float64],
    sheets: NDArray[np.bool_],
    rigid: bool,
    loose: bool = False,
) -> SupportGuess:
    """Of pieces with masses Float[P] kg and a common centre of mass Float[3] m; `sheets` Bool[P] cannot stand.

    `rigid`: nothing of it bends; `loose`: its loose parts are things of their own.
    """
    low, high = mesh.vertices[mesh.triangles].min(axis=(0, 1)), mesh.vertices[mesh.triangles].max(axis=(0, 1))
    extent = high - low
    for name in names:
        words = set(words_of(name))
        if words & set(_HUNG.split()):
            return SupportGuess("hung", 0.85, Text("support.hung_by_name", name=name))
        if words & set(_ROOTED.split()):
            return SupportGuess("base", 0.85, Text("support.rooted_by_name", name=name))
    if loose and extent[2] > TALL * float(extent[:2].max()):
        return SupportGuess("hung", 0.7, Text("support.links_hang"))
    share = float(masses[sheets].sum() / max(masses.sum(), 1e-300))
    if share > SHEET_SHARE:
        if extent[2] <= FLAT * extent[:2].max():
            return SupportGuess("floor", 0.9, Text("support.lies"))
        if extent[:2].min() <= UPRIGHT * extent[2]:
            return SupportGuess("hung", 0.7, Text("support.sheet_hangs"))
        return SupportGuess("floor", 0.6, Text("support.lies"))
    slope = toppling_slope(mesh, centre)
    if 0.0 <= slope < TOPPLES and rigid and extent[2] < TALL * float(extent[:2].min()):
        return SupportGuess("floor", 0.7, Text("support.rolls"))
    if slope < TOPPLES:
        return SupportGuess("base", 0.6, Text("support.topples"))
    return SupportGuess(
        "floor", min(0.95, 0.7 + slope), Text("support.stands", degrees=float(np.degrees(np.arctan(slope))))
    )


def toppling_slope(mesh: Mesh, centre: NDArray[np.float64], foot_height: float = FOOT) -> float:
    """The slope of a floor on which an object with this centre of mass Float[3] falls over; below 0 where it does so on
    a level one. It stands on what is lower than `foot_height`, of its height.
    """
    used = mesh.vertices[np.unique(mesh.triangles)]
    low, high = used[:, 2].min(), used[:, 2].max()
    foot = used[used[:, 2] <= low + foot_height * (high - low), :2]
    height = max(float(centre[2] - low), 1e-9 * float(high - low), 1e-300)
    try:
        # Each row: normal and offset of a side, n.x + d <= 0 inside.
        sides = ConvexHull(foot).equations
    except (QhullError, ValueError):  # a point or an edge
        return -float(np.linalg.norm(foot - centre[:2], axis=1).min()) / height
    return float(-(sides[:, :2] @ centre[:2] + sides[:, 2]).max()) / height


def held_by(kind: str, mesh: Mesh, centre: NDArray[np.float64]) -> NDArray[np.int64] | None:
    """The vertices Int[n] by which an object with this support is held; None where it is not.

    Its base is held so far up that what is held stands below the centre of mass Float[3] (a fish is held by its belly,
    not by a fin), but no farther than it needs to, and by its foot alone where that never comes about: a pole.
    """
    height = mesh.vertices[:, 2]
    low, extent = height.min(), np.ptp(height)
    if kind == "base":
        enough = (each for each in HOLDS if toppling_slope(mesh, centre, each) >= TOPPLES)
        return np.flatnonzero(height <= low + next(enough, FOOT) * extent)
    if kind == "hung":
        return np.flatnonzero(height >= low + (1.0 - FOOT) * extent)
    return None
