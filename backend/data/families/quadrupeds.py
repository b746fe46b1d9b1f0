"""Animals on four legs."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...kinematics.base import Array
from ..creature import Creature
from ..moving_object import MovingObject
from ..organic_shapes import spindle, sweep, sweep_triangles, vector

__all__ = ["LegStyle", "cone", "leg", "leg_style", "quadruped", "spine_ways", "trimmings"]

_PITCH, _YAW, _ROLL = np.array([0.0, 1.0, 0.0]), np.array([0.0, 0.0, 1.0]), np.array([1.0, 0.0, 0.0])

# When each leg is due in a cycle: hind left, hind right, front left, front right.
_GAITS = np.array([[0.0, 0.5, 0.25, 0.75], [0.0, 0.5, 0.5, 0.0], [0.0, 0.08, 0.45, 0.55], [0.0, 0.5, 0.0, 0.5]])


def cone(base: Array, tip: Array, radius: float, sides: int = 4) -> tuple[Array, Array]:
    """A horn, ear, spike or tooth."""
    base, tip = np.asarray(base, dtype=float), np.asarray(tip, dtype=float)
    line = base + np.array([0.0, 0.5, 1.0])[:, None] * (tip - base)
    radii = radius * np.repeat(np.array([[1.0], [0.65], [0.05]]), 2, axis=1)
    return sweep(line, radii, sides), sweep_triangles(3, sides)


def quadruped(rng: np.random.Generator) -> MovingObject:
    """Dog, cat, horse, cow, deer, rat, frog, long-necked or plated dinosaur: whatever the proportions make it."""
    length, tall = 1.0, rng.uniform(0.25, 1.0)
    girth = rng.uniform(0.1, 0.24)
    neck, neck_up = rng.uniform(0.12, 0.6), rng.uniform(-0.2, 1.3)
    head, head_down = rng.uniform(0.15, 0.4), rng.uniform(-0.1, 0.9)
    tail, tail_up = rng.uniform(0.05, 1.0), rng.uniform(-1.2, 0.7)
    tails, necks = int(rng.choice([2, 3, 4, 5])), int(rng.choice([1, 2, 2, 3]))
    arch = rng.normal(0.0, 0.06)

    hip, chest = np.array([-0.5 * length, 0.0, tall]), np.array([0.5 * length, 0.0, tall + rng.normal(0.0, 0.06)])
    back = np.linspace(hip, chest, 4) + np.array([0.0, arch, arch, 0.0])[:, None] * [0.0, 0.0, 1.0]
    t = np.linspace(1.0, 0.0, tails + 1)[:-1, None]
    curl = rng.normal(0.0, 0.3)
    trail = hip + tail * (t * [-np.cos(tail_up), 0.0, np.sin(tail_up)] + curl * t**2 * [0.0, 0.0, 1.0])
    t = np.linspace(0.0, 1.0, necks + 1)[1:, None]
    throat = chest + neck * t * [np.cos(neck_up), 0.0, np.sin(neck_up)]
    nose = throat[-1] + head * np.array([[0.45, 0.0, 0.05], [1.0, 0.0, 0.0]]) * [1.0, 1.0, 1.0]
    nose[:, 2] -= head_down * head * np.array([0.3, 0.7])
    spine = np.concatenate([trail, back, throat, nose])

    thin = girth * rng.uniform(0.08, 0.35)
    bushy = rng.random() < 0.3
    tail_size = np.linspace(thin * rng.uniform(0.3, 1.0), girth * 0.4, tails)
    if bushy:
        tail_size = thin + girth * 0.45 * np.sin(np.linspace(0.5, 2.6, tails))
    waist = rng.uniform(0.7, 1.15)
    neck_size = np.linspace(0.75, rng.uniform(0.4, 0.6), necks) * girth * rng.uniform(0.7, 1.1)
    head_size = rng.uniform(0.5, 0.95) * girth
    muzzle = head_size * np.array([1.0, rng.uniform(0.2, 0.6)])
    radius = np.concatenate([tail_size, girth * np.array([0.85, waist, 1.0, 0.95]), neck_size, muzzle])
    radii = np.stack([radius, radius * rng.uniform(0.7, 1.05)], axis=1)
    creature = Creature(rng, spine, radii, root=tails + 1, welded=rng.random() < 0.75)

    gait = 2.0 * np.pi * _GAITS[rng.integers(len(_GAITS))]
    style = leg_style(rng, girth, tall)
    for number, phase in enumerate(gait):
        hind, sign = number < 2, 1.0 if number % 2 == 0 else -1.0
        root = spine[tails] * (0.9, 1.0, 1.0) + [0.05, 0.0, 0.0] if hind else spine[tails + 3] - [0.05, 0.0, 0.0]
        leg(rng, creature, style, tails + (0.3 if hind else 2.7), root, girth, sign, hind, phase)
    spine_ways(rng, creature, tails, necks)
    trimmings(rng, creature, spine, head_size, radius)
    return creature.finish("quadruped", "animal")


@dataclass(frozen=True)
class LegStyle:
    """Proportions and reach that the legs of an animal share; lengths in units of the body's."""

    stance: float
    thick: float
    slim: float
    crouch: float
    foot: float
    swing: float  # radians to each side
    spread: float
    bend: float
    spreads: bool
    feet: bool


def leg_style(rng: np.random.Generator, girth: float, tall: float) -> LegStyle:
    """Legs of a random kind for a body of this radius whose spine is `tall` above the ground."""
    return LegStyle(
        stance=rng.uniform(0.45, 0.85) if rng.random() < 0.8 else rng.uniform(1.0, 1.8),
        thick=girth * rng.uniform(0.3, 0.5),
        slim=rng.uniform(0.35, 0.75),
        crouch=rng.uniform(0.02, 0.35),
        foot=rng.uniform(0.02, 0.25) * tall,
        swing=rng.uniform(0.6, 1.3),
        spread=rng.uniform(0.0, 0.35),
        bend=rng.uniform(0.5, 1.6),
        spreads=bool(rng.random() < 0.6),
        feet=bool(rng.random() < 0.6),
    )


def leg(
    rng: np.random.Generator, creature: Creature, style: LegStyle, place: float, root: Array, girth: float, sign: float,
    hind: bool, phase: float,
) -> None:  # fmt: skip
    """A leg of four segments from the spine point `root` down to z = 0, on the side of `sign` Y."""
    drop = root[2] - style.foot * 0.3
    lean = style.crouch if hind else -style.crouch
    out = np.array([0.0, sign * girth * style.stance, 0.0])
    ways = np.array([[0.0, 0.25], [lean * 0.5, 0.5], [-lean * 0.5, 0.8], [0.0, 1.0]])
    joints = root + out * np.array([0.6, 1.0, 1.05, 1.05])[:, None]
    joints[:, 0] += ways[:, 0] * drop
    joints[:, 2] -= np.array([0.2 * girth / drop, *ways[1:, 1]]) * drop
    joints = np.concatenate([joints, joints[-1:] + vector(style.foot, 0.0, -0.02 * drop)])
    widths = style.thick * np.array([1.3, 1.0, style.slim, style.slim * 0.9, style.slim * 0.8])
    angle = (1.38 if sign > 0 else 0.62) * np.pi  # on the flank, a little below the middle
    first, _ = creature.limb(place, angle, joints, widths)
    creature.way(first, _PITCH, -style.swing, style.swing, phase)
    if style.spreads:
        creature.way(first, _ROLL * sign, -0.5 * style.spread, style.spread, rng.uniform(0.0, 6.3), 0.3)
    fold, bend = (1.0 if hind else -1.0), style.bend
    creature.way(first + 1, fold * _PITCH, -0.3 * bend, bend, phase + 1.4, 0.8)
    creature.way(first + 2, -fold * _PITCH, -0.25 * bend, 0.9 * bend, phase + 1.8, 0.8)
    if style.feet:
        creature.way(first + 3, fold * _PITCH, -0.5, 0.7, phase + 2.2, 0.8)


def spine_ways(rng: np.random.Generator, creature: Creature, tails: int, necks: int) -> None:
    """Back, neck, head and tail."""
    bone = creature.segment_bone
    flex = rng.uniform(0.1, 0.4)
    trunk = bone[[tails, tails + 2]]
    # Both halves of the trunk turn about its middle, so that the back arches.
    arch = np.array([-0.5 * _PITCH, 0.5 * _PITCH])
    creature.way(trunk, arch, -flex, flex, rng.uniform(0.0, 6.3), rng.uniform(0.2, 1.0))
    if rng.random() < 0.5:
        creature.way(trunk, np.array([-0.5 * _YAW, 0.5 * _YAW]), -flex, flex, rng.uniform(0.0, 6.3), 0.5)
    throat = bone[tails + 3 : tails + 3 + necks]
    nod = rng.uniform(0.3, 1.2)
    creature.way(throat, _PITCH / necks, -0.6 * nod, nod, rng.uniform(0.0, 6.3), 0.5)
    creature.way(throat, _YAW / necks, -nod, nod, rng.uniform(0.0, 6.3), 0.2)
    skull = bone[tails + 3 + necks]
    creature.way(skull, _PITCH, -0.4, 0.5, rng.uniform(0.0, 6.3), 0.4)
    if rng.random() < 0.5:
        creature.way(skull, _YAW, -0.5, 0.5, rng.uniform(0.0, 6.3), 0.2)
    wag, lift = rng.uniform(0.2, 1.2), rng.uniform(0.2, 1.0)
    tail = bone[:tails]
    share = np.linspace(1.4, 0.6, tails)[::-1] / tails
    phase = rng.uniform(0.0, 6.3)
    creature.way(tail, share[:, None] * _YAW, -wag, wag, phase, 0.6)
    creature.way(tail, share[:, None] * _PITCH, -lift, lift, rng.uniform(0.0, 6.3), 0.6)
    if tails > 2 and rng.random() < 0.6:
        wave = np.cos(np.pi * np.linspace(0.0, 1.0, tails))[:, None] / tails * 2.0
        creature.way(tail, wave * _YAW, -wag, wag, phase + 1.5, 0.6)


def trimmings(rng: np.random.Generator, creature: Creature, spine: Array, head: float, radius: Array) -> None:
    """Ears, horns, eyes and plates: shells of their own."""
    bone = creature.segment_bone
    skull, crown = int(bone[-2]), spine[-2]
    slot = int(rng.integers(0, 3))
    if rng.random() < 0.6:
        long, apart = head * rng.uniform(0.5, 2.0), rng.uniform(0.3, 0.7) * head
        tilt = rng.uniform(-0.6, 0.3) * long
        for sign in (-1.0, 1.0):
            base = crown + vector(0.0, sign * apart, 0.6 * head)
            creature.stick(cone(base, base + vector(tilt, sign * 0.3 * long, long), 0.35 * head), skull, slot)
    if rng.random() < 0.3:
        for sign in (-1.0, 1.0):
            body = spindle(5) * [1.0, 0.2 * head]
            centres = np.zeros((5, 3)) + crown + vector(0.3 * head, sign * 0.75 * head, 0.4 * head)
            centres[:, 2] += (body[:, 0] - 0.5) * 0.4 * head
            creature.stick((sweep(centres, body[:, [1, 1]], 6), sweep_triangles(5, 6)), skull, 1 + slot)
    if rng.random() < 0.12:
        for point in range(1, len(spine) - 3):
            top = spine[point] + [0.0, 0.0, 0.8 * radius[point]]
            high = rng.uniform(0.5, 1.5) * radius[point]
            creature.stick(cone(top, top + vector(0.0, 0.0, high), 0.6 * high), int(bone[min(point, len(bone) - 1)]), 2)
