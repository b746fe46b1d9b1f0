"""Ranges of motion of bones of which no file says any: by their names, their shape, and their animations.

A ball turns by exp(q1 e1) exp(q2 e2) exp(q3 e3) in the axes of its parent bone where the skin was bound, e3 along the
bone: two swings and a twist, each with a range of its own. The middle one stays below a right angle, where the other
two axes would be one. Knees and elbows are hinges, which swing about one axis.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from scipy.spatial.transform import Rotation

from ..materials.words import words_of
from .base import Array

__all__ = ["BallRange", "ball_range", "euler_angles", "kind_of"]

MIDDLE = 75.0  # degrees, at most, of the second swing
BEYOND = 5.0  # degrees that a range reaches beyond what animations show
BENT = 5.0  # degrees: a joint that is drawn bent tells which way it bends
LEADING = 0.8  # share of the turning in animations about one axis that makes it the axis of a hinge
SHOWN = 15.0  # degrees of turning in animations that tell an axis

# First and second swing and twist, degrees either way; a hinge bends by the first number to one side.
_RANGES = {
    "hinge": (130.0, 0.0, 0.0),
    "thigh": (80.0, 60.0, 35.0),
    "upper arm": (90.0, 75.0, 50.0),
    "collar": (15.0, 15.0, 10.0),
    "spine": (25.0, 20.0, 20.0),
    "neck": (35.0, 30.0, 40.0),
    "hand": (60.0, 30.0, 25.0),
    "finger": (50.0, 15.0, 10.0),
    "foot": (40.0, 20.0, 15.0),
    "strand": (45.0, 45.0, 15.0),
    "jaw": (25.0, 5.0, 5.0),
    "": (40.0, 40.0, 25.0),
}
_WORDS: tuple[tuple[str, str], ...] = (
    ("finger", "finger fingers thumb index middle ring pinky toe toes ball phalanx claw"),
    ("hinge", "knee shin calf elbow forearm lowerarm lowerleg foreleg"),
    ("thigh", "thigh upperleg upleg femur hip leg"),
    ("upper arm", "upperarm arm humerus wing"),
    ("collar", "clavicle collar shoulder scapula"),
    ("hand", "hand wrist paw"),
    ("foot", "foot feet ankle hoof"),
    ("neck", "neck head skull"),
    ("spine", "spine chest torso abdomen body back belly pelvis hips waist stomach ribs thorax"),
    ("jaw", "jaw mouth beak lip"),
    ("strand", "tail hair ear ears antenna antennae tentacle rope chain belt strap cape skirt scarf trunk fin braid"),
)


@dataclass(frozen=True, eq=False)
class BallRange:
    """Axes Float[n,3] (rows, in the axes of the parent bone) with lower and upper Float[n], rad, from where it was
    bound; n is 3, or 1 of what only turns about one axis."""

    axes: Array
    lower: Array
    upper: Array


def kind_of(name: str, parent: str | None) -> str:
    """Which of the known kinds a bone is by its name, where `parent` is the kind of its parent; "" if none."""
    words = words_of(name)
    joined = {first + second for first, second in pairwise(words)} | set(words)
    kind = next((kind for kind, known in _WORDS if joined & set(known.split())), "")
    lower = joined & {"lower", "low", "fore"} and kind in ("thigh", "upper arm")
    # Some call the upper arm "arm" and the shin "leg", others the upper leg: the second in a row is the lower one.
    return "hinge" if lower or (kind == parent and kind in ("thigh", "upper arm")) else kind


def euler_angles(turns: Array, axes: Array) -> Array:
    """q Float[...,3] with exp(q1 e1) exp(q2 e2) exp(q3 e3) = turns Float[...,3,3], e the rows of axes."""
    inner = axes @ turns @ axes.T
    flat = Rotation.from_matrix(inner.reshape(-1, 3, 3))
    return flat.as_euler("XYZ").reshape(*turns.shape[:-2], 3)


def ball_range(kind: str, along: Array, bend: Array, start: Array, seen: Array) -> BallRange:
    """Of a bone along the unit vector `along`, in the axes of its parent where the skin was bound.

    `bend` Float[3]: a rotation vector that takes the parent's direction to the bone's there, zero if there is none.
    `start` Float[3,3]: how it is turned where the motion begins, `seen` Float[S,3,3] in animations. Both stay possible,
    but that of its other turns a hinge keeps those that it begins with.
    """
    shown = Rotation.from_matrix(seen).as_rotvec() if len(seen) else np.zeros((0, 3))
    first = _first_axis(kind, along, bend, shown)
    axes = np.stack([first, np.cross(along, first), along])
    swing, sideways, twist = np.radians(_RANGES[kind])
    lower, upper = -np.array([swing, sideways, twist]), np.array([swing, sideways, twist])
    angles = euler_angles(np.concatenate([seen, start[None]]), axes)
    if kind == "hinge":
        lower[0], upper[0] = _hinge_ends(angles[:-1, 0], bend @ first, swing)
    margin = np.radians(BEYOND)
    if len(seen):
        lower = np.minimum(lower, np.quantile(angles[:-1], 0.02, axis=0) - margin)
        upper = np.maximum(upper, np.quantile(angles[:-1], 0.98, axis=0) + margin)
    edge = np.radians(MIDDLE)
    lower[1], upper[1] = max(lower[1], -edge), min(upper[1], edge)
    if kind == "hinge":
        lower[1:] = upper[1:] = angles[-1, 1:]
    lower[[0, 2]], upper[[0, 2]] = np.maximum(lower[[0, 2]], -np.pi), np.minimum(upper[[0, 2]], np.pi)
    return BallRange(axes, np.minimum(lower, angles[-1]), np.maximum(upper, angles[-1]))


def _hinge_ends(seen: Array, bent: float, swing: float) -> tuple[float, float]:
    """Which way it bends: as animations show, or further that way in which it is drawn bent; else either way."""
    slack = np.radians(BENT)
    if len(seen) and np.abs(seen).max() > np.radians(SHOWN):
        return (-slack, swing) if seen[np.abs(seen).argmax()] > 0.0 else (-swing, slack)
    if abs(bent) > slack:
        return (-bent, swing) if bent > 0.0 else (-swing, -bent)
    return -0.5 * swing, 0.5 * swing


def _first_axis(kind: str, along: Array, bend: Array, shown: Array) -> Array:
    """A unit vector across the bone: about which it turns most in animations, or is drawn bent, or any."""
    candidates: Sequence[Array] = ()
    if len(shown) and np.linalg.norm(shown, axis=1).max() > np.radians(SHOWN):
        values, vectors = np.linalg.eigh(shown.T @ shown)
        if values[-1] > LEADING * values.sum() or kind == "hinge":
            candidates = (vectors[:, -1],)
    if np.linalg.norm(bend) > np.radians(BENT):
        candidates = (*candidates, bend)
    for candidate in (*candidates, np.eye(3)[np.abs(along).argmin()]):
        across = candidate - along * (along @ candidate)
        if np.linalg.norm(across) > 0.5 * np.linalg.norm(candidate):
            return across / np.linalg.norm(across)
    raise AssertionError("the last candidate is across the bone")
