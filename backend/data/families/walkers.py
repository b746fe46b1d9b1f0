"""Robots with rigid links: two-legged, four-legged and more, and hands."""

from __future__ import annotations

import numpy as np

from ..builder import Builder
from ..moving_object import MovingObject
from ..shapes import Piece, aimed, bevelled_box, box, cylinder, moved, revolved, sphere
from .pieces import slab

__all__ = ["hand", "humanoid", "many_legged"]


def _bone(rng: np.random.Generator, start: np.ndarray, end: np.ndarray, thick: float, style: int) -> list[Piece]:
    """One link: a capsule, a box, a bevelled box, a tapered tube, or a rod with balls at its joints."""
    along = end - start
    length = float(np.linalg.norm(along))
    if style == 0:
        arc = np.linspace(0, np.pi / 2, 4)
        lower = np.column_stack([thick * np.sin(arc), -thick * np.cos(arc)])
        profile = np.vstack([lower, lower[::-1] * (1, -1) + (0, length)])
        pieces = [revolved(profile, 10)]
    elif style == 1:
        pieces = [box((-thick, -thick, 0), (thick, thick, length))]
    elif style == 2:
        pieces = [bevelled_box((-thick, -0.8 * thick, -0.2 * thick), (thick, 0.8 * thick, length), 0.5 * thick)]
    elif style == 3:
        pieces = [cylinder(1.2 * thick, 0.0, length, 10, 0.7 * thick)]
    else:
        pieces = [cylinder(0.5 * thick, 0.0, length, 8), sphere(1.1 * thick, 10)]
    if rng.random() < 0.2:  # a cover or a motor on the link
        side = float(rng.choice([-1, 1])) * thick
        pieces.append(
            box((-0.6 * thick, side - 0.3 * thick, 0.2 * length), (0.6 * thick, side + 0.3 * thick, 0.6 * length))
        )
    return [moved(aimed(piece, along), start) for piece in pieces]


def _hinge(
    builder: Builder, rng: np.random.Generator, parent: int, axis: tuple, at: np.ndarray, low: float, high: float
) -> int:
    """A revolute joint with limits in degrees, each a little different for every robot."""
    low, high = np.radians(low * rng.uniform(0.6, 1.1)), np.radians(high * rng.uniform(0.6, 1.1))
    return builder.part(parent, "revolute", axis, at, (low, high))


def _arm(
    builder: Builder,
    same: np.random.Generator,
    trunk: int,
    at: np.ndarray,
    side: float,
    spread: float,
    lengths: tuple[float, float],
    thick: float,
    style: int,
) -> None:
    """An arm of a humanoid from its shoulder: upper arm, forearm and hand, `spread` radians away from the trunk."""
    down = np.array([side * np.sin(spread), 0.0, -np.cos(spread)])
    arm = trunk
    if same.random() < 0.9:
        arm = _hinge(builder, same, arm, (1, 0, 0), at, -70, 120)
    if same.random() < 0.6:
        arm = _hinge(builder, same, arm, (0, -side, 0), at, -20 - np.degrees(spread), 100 - np.degrees(spread))
    elbow = at + lengths[0] * down
    builder.add(arm, _bone(same, at, elbow, 0.7 * thick, style), 3)
    bend = (1.0, 0.0, 0.0) if spread < 0.8 else (0.0, 0.0, side)
    forearm = _hinge(builder, same, arm, bend, elbow, 0, 130)
    wrist = elbow + lengths[1] * down
    builder.add(forearm, _bone(same, elbow, wrist, 0.6 * thick, style), 3)
    palm = _hinge(builder, same, forearm, tuple(down), wrist, -90, 90) if same.random() < 0.3 else forearm
    builder.add(palm, moved(sphere(0.8 * thick, 8), wrist), 4)


def _leg(
    builder: Builder, same: np.random.Generator, side: float, wide: float, hip: float, thick: float, style: int
) -> None:
    """A leg of a humanoid from its hip: thigh, shin and foot."""
    at = np.array([side * wide, 0.0, hip - thick])
    leg = _hinge(builder, same, 0, (1, 0, 0), at, -30, 100)
    if same.random() < 0.5:
        leg = _hinge(builder, same, leg, (0, -side, 0), at, -5, 50)
    knee = np.array([side * wide, 0.0, 0.5 * hip])
    builder.add(leg, _bone(same, at, knee, thick, style), 1)
    shin = _hinge(builder, same, leg, (-1, 0, 0), knee, 0, 130)
    ankle = np.array([side * wide, 0.0, 0.8 * thick])
    builder.add(shin, _bone(same, knee, ankle, 0.8 * thick, style), 1)
    foot = _hinge(builder, same, shin, (1, 0, 0), ankle, -40, 30) if same.random() < 0.6 else shin
    sole = slab(same, (-0.8 * thick, -3 * thick, -0.8 * thick), (0.8 * thick, thick, 0.0))
    builder.add(foot, [moved(piece, ankle) for piece in sole], 4)


def humanoid(rng: np.random.Generator) -> MovingObject:
    """A standing figure of links: pelvis, trunk, head, arms with shoulders and elbows, legs with hips and knees.

    It looks along -Y. The pelvis stands still.
    """
    builder = Builder()
    tall = rng.uniform(0.9, 1.1)
    hip, wide, shoulder = rng.uniform(0.45, 0.55) * tall, rng.uniform(0.07, 0.12) * tall, rng.uniform(0.14, 0.22) * tall
    thick, style = rng.uniform(0.025, 0.05) * tall, int(rng.integers(0, 5))
    neck = hip + rng.uniform(0.28, 0.36) * tall
    builder.add(0, slab(rng, (-wide - thick, -thick, hip - thick), (wide + thick, thick, hip + thick)))
    trunk = 0
    waist = np.array([0.0, 0.0, hip + thick])
    for axis in [(0, 0, 1), (1, 0, 0)][: int(rng.integers(0, 3))]:
        trunk = _hinge(builder, rng, trunk, axis, waist, -35, 35)
    builder.add(
        trunk, slab(rng, (-shoulder + thick, -1.5 * thick, hip + thick), (shoulder - thick, 1.5 * thick, neck)), 1
    )
    head = trunk
    if rng.random() < 0.8:
        head = _hinge(builder, rng, trunk, (0, 0, 1), np.array([0.0, 0.0, neck]), -70, 70)
    top = rng.uniform(0.08, 0.14) * tall
    builder.add(head, cylinder(0.6 * thick, neck, neck + 0.5 * top, 8), 2)
    skull = (
        moved(sphere(0.6 * top, 12), (0, 0, neck + top))
        if rng.random() < 0.5
        else box((-0.5 * top, -0.5 * top, neck + 0.4 * top), (0.5 * top, 0.5 * top, neck + 1.5 * top))
    )
    builder.add(head, skull, 2)
    seed, stance = int(rng.integers(2**32)), rng.random()
    spread = 0.0 if stance < 0.4 else rng.uniform(0.2, 1.55)
    upper, fore = rng.uniform(0.14, 0.2) * tall, rng.uniform(0.14, 0.2) * tall
    for side in (-1.0, 1.0):
        same = np.random.default_rng(seed)
        at = np.array([side * shoulder, 0.0, neck - 1.2 * thick])
        _arm(builder, same, trunk, at, side, spread, (upper, fore), thick, style)
        _leg(builder, same, side, wide, hip, thick, style)
    return builder.build(rng, "humanoid", "robot")


def many_legged(rng: np.random.Generator) -> MovingObject:
    """A body with four, six or eight legs: dogs (legs below) and spiders (legs beside), with a head at times."""
    builder = Builder()
    length, wide, level = rng.uniform(0.5, 0.9), rng.uniform(0.12, 0.3), rng.uniform(0.3, 0.5)
    tall, thick = rng.uniform(0.08, 0.16), rng.uniform(0.02, 0.04)
    builder.add(0, slab(rng, (-wide, 0, level - tall / 2), (wide, length, level + tall / 2)))
    spider = rng.random() < 0.35
    pairs = 2 if not spider and rng.random() < 0.9 else int(rng.integers(2, 5))
    style, seed = int(rng.integers(0, 5)), int(rng.integers(2**32))
    bend = float(rng.choice([-1.0, 1.0]))
    for pair in range(pairs):
        y = length * (0.06 + 0.88 * pair / (pairs - 1))
        knees = bend if rng.random() < 0.7 or pair == 0 else -bend
        for side in (-1.0, 1.0):
            same = np.random.default_rng(seed)
            hip = np.array([side * (wide + thick), y, level])
            if spider:
                out = np.array([side, 0.5 * (2 * y / length - 1), 0.0])
                out /= np.linalg.norm(out)
                across = np.cross(out, (0.0, 0.0, 1.0))
                leg = _hinge(builder, same, 0, (0, 0, 1), hip, -30, 30)
                knee = hip + out * 0.3 + (0, 0, 0.12)
                leg = _hinge(builder, same, leg, tuple(across), hip, -40, 40) if same.random() < 0.8 else leg
                builder.add(leg, _bone(same, hip, knee, thick, style), 1)
                shin = _hinge(builder, same, leg, tuple(across), knee, -50, 50)
                end = knee + out * 0.15 + (0, 0, -knee[2] + thick)
            else:
                leg = _hinge(builder, same, 0, (0, 1, 0), hip, -25, 25) if same.random() < 0.6 else 0
                if leg:
                    builder.add(leg, moved(aimed(cylinder(1.3 * thick, -thick, thick, 10), (1, 0, 0)), hip), 2)
                leg = _hinge(builder, same, leg, (1, 0, 0), hip, -60, 60)
                knee = hip + np.array([side * 0.5 * thick, knees * 0.3 * level, -0.5 * level])
                builder.add(leg, _bone(same, hip, knee, thick, style), 1)
                limits = (-40, 70) if knees > 0 else (-70, 40)
                shin = _hinge(builder, same, leg, (1, 0, 0), knee, *limits)
                end = np.array([knee[0], hip[1] - knees * 0.05 * level, thick])
            builder.add(shin, _bone(same, knee, end, 0.7 * thick, style), 1)
            builder.add(shin, moved(sphere(thick, 8), end), 3)
    if rng.random() < 0.6:
        neck = np.array([0.0, 0.0, level + 0.3 * tall])
        head = _hinge(builder, rng, 0, (0, 0, 1), neck, -50, 50) if rng.random() < 0.7 else 0
        head = _hinge(builder, rng, head, (1, 0, 0), neck, -40, 40) if rng.random() < 0.7 else head
        nose = neck + np.array([0.0, -0.25, 0.1])
        builder.add(head, _bone(rng, neck, nose, thick, style), 2)
        skull = slab(rng, (-0.06, -0.14, -0.05), (0.06, 0.04, 0.06))
        builder.add(head, [moved(piece, nose) for piece in skull], 4)
    return builder.build(rng, "many_legged", "robot")


def hand(rng: np.random.Generator) -> MovingObject:
    """A palm with two to five fingers of two or three links each, a thumb at times; fingers may bend as one."""
    builder = Builder()
    wide, deep, tall = rng.uniform(0.3, 0.5), rng.uniform(0.08, 0.15), rng.uniform(0.3, 0.5)
    builder.add(0, slab(rng, (-wide / 2, -deep / 2, 0), (wide / 2, deep / 2, tall)))
    if rng.random() < 0.5:
        builder.add(0, cylinder(0.6 * deep, -0.3, 0.0, 12), 3)
    fingers, links = int(rng.integers(2, 6)), int(rng.integers(2, 4))
    thick, style = rng.uniform(0.3, 0.45) * wide / fingers, int(rng.integers(0, 5))
    coupled = rng.random() < 0.4
    spread = rng.random() < 0.3
    for number in range(fingers):
        x = ((number + 0.5) / fingers - 0.5) * (wide - 0.3 * thick)
        lengths = rng.uniform(0.12, 0.2) * np.array([1.2, 0.9, 0.7])
        part, at, first = 0, np.array([x, 0.0, tall]), None
        if spread:
            part = _hinge(builder, rng, part, (0, 1, 0), at, -15, 15)
        for link in range(links):
            limit = np.radians(rng.uniform(60, 100))
            new = builder.part(part, "revolute", (1, 0, 0), at, (0.0, limit), follows=first if coupled else None)
            first = new if first is None else first
            end = at + np.array([0.0, 0.0, lengths[link]])
            builder.add(new, _bone(rng, at, end, thick, style), 1 + link % 2)
            part, at = new, end
    if rng.random() < 0.6:
        side = float(rng.choice([-1.0, 1.0]))
        at = np.array([side * wide / 2, 0.0, 0.4 * tall])
        part = _hinge(builder, rng, 0, (0, 0, 1), at, -50, 50) if rng.random() < 0.6 else 0
        lean = np.array([side * 0.7, -0.2, 0.7])
        axis = np.cross(lean, (0.0, -1.0, 0.0))
        for link in range(2):
            part = _hinge(builder, rng, part, tuple(axis), at, 0, 70)
            end = at + lean * 0.15
            builder.add(part, _bone(rng, at, end, thick, style), 1 + link % 2)
            at = end
    return builder.build(rng, "hand", "robot")
