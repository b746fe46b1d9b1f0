"""Bodies on two legs: people, and dinosaurs that run."""

from __future__ import annotations

import numpy as np

from ...kinematics.base import Array
from ..creature import Creature
from ..moving_object import MovingObject
from ..organic_shapes import block, spindle, sweep, sweep_triangles, vector
from .quadrupeds import cone, leg, leg_style, spine_ways, trimmings

__all__ = ["person", "runner"]

_X, _Y, _Z = np.eye(3)


def person(rng: np.random.Generator) -> MovingObject:
    """A standing figure that looks along +X: child or giant, slim or stout, in a T pose, an A pose or arms down."""
    legs, trunk = rng.uniform(0.5, 1.0), rng.uniform(0.45, 0.7)
    head, neck = rng.uniform(0.2, 0.5), rng.uniform(0.04, 0.12)
    waist = rng.uniform(0.1, 0.2)
    shoulder, belly = waist * rng.uniform(0.9, 1.4), waist * rng.uniform(0.75, 1.3)
    levels = legs + trunk * np.array([-0.12, 0.05, 0.4, 0.8, 1.0])
    heights = np.concatenate([levels, levels[-1:] + neck, levels[-1] + neck + head * np.array([0.35, 0.75, 1.0])])
    lean = rng.normal(0.0, 0.02, len(heights)) * (np.arange(len(heights)) > 2)
    spine = np.stack([lean, 0.0 * heights, heights], axis=1)
    face = head * rng.uniform(0.35, 0.55)
    side = np.array([0.75, 1.0, belly / waist, shoulder / waist, 0.75 * shoulder / waist]) * waist
    side = np.concatenate([side, [0.35 * face + 0.2 * waist], face * np.array([0.95, 1.0, 0.45])])
    flat = np.where(np.arange(len(side)) > 4, 1.0, rng.uniform(0.55, 0.95))
    creature = Creature(rng, spine, np.stack([side * flat, side], axis=1), 1, rng.random() < 0.7, front=_X)
    _arms(rng, creature, legs + 0.86 * trunk, shoulder, legs)
    _walking_legs(rng, creature, legs, waist)
    _upper_ways(rng, creature)
    _outfit(rng, creature, spine, face)
    return creature.finish("person", "character")


def _arms(rng: np.random.Generator, creature: Creature, high: float, shoulder: float, legs: float) -> None:
    """Two arms of three segments; each swings, lifts and bends."""
    reach = rng.uniform(0.6, 1.1) * legs
    down = rng.choice([0.0, rng.uniform(0.5, 1.0), rng.uniform(1.2, 1.45)])
    bent, thick = rng.uniform(0.0, 0.5), shoulder * rng.uniform(0.28, 0.45)
    swing, lift, elbow = rng.uniform(0.5, 1.7), rng.uniform(0.2, 1.3), rng.uniform(0.5, 2.2)
    hands, lifts = rng.random() < 0.4, rng.random() < 0.8
    for sign in (1.0, -1.0):
        root = np.array([0.0, sign * 0.75 * shoulder, high])
        out = np.array([0.0, sign * np.cos(down), -np.sin(down)])
        elbow_place = root + 0.52 * reach * out
        fore = np.cos(bent) * out + np.sin(bent) * _X
        joints = np.stack([root, elbow_place, elbow_place + 0.4 * reach * fore, elbow_place + 0.56 * reach * fore])
        first, _ = creature.limb(
            3.2, (0.5 if sign > 0 else 1.5) * np.pi, joints, thick * np.array([1.1, 0.8, 0.6, 0.5])
        )
        phase = 0.0 if sign > 0 else np.pi
        # The arm swings about the shoulder's sideways axis when it hangs, about the vertical when it is held out.
        axis = np.cross(out, _X)
        creature.way(first, axis, -swing, 0.6 * swing, phase)
        if lifts:
            creature.way(first, -sign * _X, -lift * (down > 0.4), lift, rng.uniform(0.0, 6.3), 0.3)
        creature.way(first + 1, np.cross(out, _X), -0.6 * bent, elbow, phase + 0.5, 0.6)
        if hands:
            creature.way(first + 2, axis, -0.5, 0.5, rng.uniform(0.0, 6.3), 0.4)


def _walking_legs(rng: np.random.Generator, creature: Creature, legs: float, waist: float) -> None:
    """Two legs with knees and feet."""
    thick, foot = waist * rng.uniform(0.4, 0.55), legs * rng.uniform(0.12, 0.3)
    apart = waist * rng.uniform(0.45, 0.7)
    swing, knee, spread = rng.uniform(0.5, 1.4), rng.uniform(0.6, 2.0), rng.uniform(0.0, 0.5)
    spreads, feet = rng.random() < 0.5, rng.random() < 0.6
    for sign in (1.0, -1.0):
        root = np.array([0.0, sign * apart, 0.97 * legs])
        splay = np.array([0.0, sign * rng.uniform(0.0, 0.15) * legs, 0.0])
        joints = root + np.array([[0.0], [0.5], [1.0], [1.0]]) * splay
        joints[:, 2] -= legs * np.array([0.0, 0.45, 0.9, 0.93])
        joints[:, 0] += [0.0, 0.02 * legs, -0.02 * legs, foot]
        angle = (0.5 if sign > 0 else 1.5) * np.pi
        widths = thick * np.array([1.1, 0.8, 0.55, 0.45])
        first, _ = creature.limb(0.9, angle, joints, widths)
        phase = np.pi if sign > 0 else 0.0
        creature.way(first, -_Y, -0.6 * swing, swing, phase)
        if spreads:
            creature.way(first, sign * _X, 0.0, spread, rng.uniform(0.0, 6.3), 0.2)
        creature.way(first + 1, _Y, -0.05, knee, phase + 1.2, 0.8)
        if feet:
            creature.way(first + 2, -_Y, -0.6, 0.4, phase + 0.8, 0.6)


def _upper_ways(rng: np.random.Generator, creature: Creature) -> None:
    """The trunk bends and twists, the head nods and turns."""
    bone = creature.segment_bone
    trunk, skull = bone[[2, 3]], int(bone[5])
    bend = rng.uniform(0.1, 0.7)
    creature.way(trunk, 0.5 * _Y, -0.4 * bend, bend, rng.uniform(0.0, 6.3), 0.3)
    creature.way(trunk, 0.5 * _Z, -bend, bend, 0.5 * np.pi, 0.4)
    if rng.random() < 0.5:
        creature.way(trunk, 0.5 * _X, -0.5 * bend, 0.5 * bend, rng.uniform(0.0, 6.3), 0.3)
    turn = rng.uniform(0.2, 0.9)
    creature.way(skull, _Z, -turn, turn, rng.uniform(0.0, 6.3), 0.3)
    creature.way(skull, _Y, -0.4, 0.5, rng.uniform(0.0, 6.3), 0.3)


def _outfit(rng: np.random.Generator, creature: Creature, spine: Array, face: float) -> None:
    """Hat, hair, eyes, backpack, sword or shield: rigid shells on bones."""
    skull, chest = int(creature.segment_bone[6]), int(creature.segment_bone[3])
    crown = spine[7]
    if rng.random() < 0.4:
        for sign in (1.0, -1.0):
            eye, faces = block(np.full(3, 0.2 * face), (2, 2, 2), 0.09 * face)
            creature.stick((eye + crown + vector(0.85 * face, sign * 0.4 * face, -0.1 * face), faces), skull)
    if rng.random() < 0.4:
        body = spindle(6, 0.4)
        line = crown + np.array([0.0, 0.0, 1.0]) * (body[:, :1] - 0.2) * face * rng.uniform(0.6, 1.6)
        radii = np.repeat(body[:, 1:] * face * rng.uniform(0.9, 1.5), 2, axis=1)
        creature.stick((sweep(line, radii, 8, _X), sweep_triangles(6, 8)), skull, 2)
    if rng.random() < 0.25:
        pack, faces = block(face * rng.uniform(0.6, 1.3, 3), (2, 2, 2))
        creature.stick((pack + spine[3] - [1.2 * face, 0.0, 0.0], faces), chest, 3)
    if rng.random() < 0.2:
        for sign in (1.0, -1.0):
            base = crown + vector(0.0, 0.5 * sign * face, 0.6 * face)
            creature.stick(cone(base, base + vector(0.0, 0.2 * sign * face, face), 0.25 * face), skull, 2)


def runner(rng: np.random.Generator) -> MovingObject:
    """A dinosaur or a flightless bird: a level body on two legs, a long tail or none, small arms or none."""
    tall, girth = rng.uniform(0.45, 0.9), rng.uniform(0.12, 0.22)
    tails, necks = int(rng.choice([3, 4, 5])), int(rng.choice([1, 2, 3]))
    tail, tail_up = rng.uniform(0.1, 1.1), rng.uniform(-0.5, 0.4)
    neck, neck_up, head = rng.uniform(0.1, 0.5), rng.uniform(0.2, 1.4), rng.uniform(0.2, 0.45)
    rise = rng.uniform(-0.1, 0.4)
    back = np.array([-0.2, 0.0, tall]) + np.linspace(0.0, 0.55, 4)[:, None] * [np.cos(rise), 0.0, np.sin(rise)]
    t = np.linspace(1.0, 0.0, tails + 1)[:-1, None]
    trail = back[0] + tail * t * [-np.cos(tail_up), 0.0, np.sin(tail_up)]
    t = np.linspace(0.0, 1.0, necks + 1)[1:, None]
    throat = back[-1] + neck * t * [np.cos(neck_up), 0.0, np.sin(neck_up)]
    nose = throat[-1] + head * np.array([[0.4, 0.0, 0.05], [1.0, 0.0, rng.uniform(-0.3, 0.1)]])
    spine = np.concatenate([trail, back, throat, nose])
    skull = girth * rng.uniform(0.4, 0.9)
    radius = np.concatenate(
        [
            np.linspace(0.15, 0.7, tails) * girth,
            girth * np.array([0.95, 1.05, 0.95, 0.8]),
            np.linspace(0.65, 0.5, necks) * girth,
            skull * np.array([1.0, rng.uniform(0.2, 0.7)]),
        ]
    )
    radii = np.stack([radius, radius * rng.uniform(0.6, 1.0)], axis=1)
    creature = Creature(rng, spine, radii, tails + 1, rng.random() < 0.75)
    style = leg_style(rng, girth, tall)
    for sign, phase in ((1.0, 0.0), (-1.0, np.pi)):
        leg(rng, creature, style, tails + 1.0, spine[tails + 1], girth, sign, True, phase)
    if rng.random() < 0.7:
        _small_arms(rng, creature, tails + 2.8, spine[tails + 3], girth)
    spine_ways(rng, creature, tails, necks)
    trimmings(rng, creature, spine, skull, radius)
    return creature.finish("runner", "animal")


def _small_arms(rng: np.random.Generator, creature: Creature, place: float, root: Array, girth: float) -> None:
    reach = girth * rng.uniform(1.0, 2.5)
    for sign in (1.0, -1.0):
        base = root + vector(-0.02, sign * 0.55 * girth, -0.3 * girth)
        joints = base + reach * np.array([[0, 0, 0], [0.0, 0.15 * sign, -0.5], [0.4, 0.15 * sign, -0.7]])
        angle = (1.4 if sign > 0 else 0.6) * np.pi
        first, _ = creature.limb(place, angle, joints, 0.22 * girth * np.array([1.2, 0.9, 0.6]), 1)
        creature.way(first, _Y, -0.7, 0.7, rng.uniform(0.0, 6.3), 0.5)
        creature.way(first + 1, -_Y, -0.4, 0.8, rng.uniform(0.0, 6.3), 0.5)
