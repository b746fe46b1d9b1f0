"""Objects with a jointed part and a soft part."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...kinematics.base import Array
from ..composition import carried, combined, hinge, placed, slide, still
from ..moving_object import MovingObject
from ..organic_shapes import sweep, sweep_triangles, vector
from ..shapes import Piece, box, cylinder, revolved
from ..source import Maker
from .bags import bag, cushion
from .bipeds import person
from .characters import blocky_character
from .cloth import banner, hung_cloth
from .pieces import container, slab
from .plants import flower, grass_tuft, potted_plant
from .quadrupeds import quadruped
from .ropes import ring_chain, rope, tentacles
from .soft_solids import jelly, soft_solid

__all__ = ["chest_with_rope", "cloth_on_hinge", "lamp_with_cable", "lidded_soft", "soft_in_drawer", "toy_on_wheels"]

_X, _Y, _Z = np.eye(3)


def _fitted(thing: MovingObject, low: Array, high: Array, rng: np.random.Generator, touch: bool = True) -> MovingObject:
    """The object scaled into a box, turned at random about up and set on the box's floor (`touch`) or under its top."""
    turned = placed(thing, 1.0, np.zeros(3), rng.uniform(0.0, 6.3))
    first, last = turned.vertices.min(axis=0), turned.vertices.max(axis=0)
    scale = float(((high - low) / np.maximum(last - first, 1e-9)).min())
    middle = 0.5 * (first + last)
    aim = 0.5 * (low + high)
    offset = aim - scale * middle
    offset[2] = low[2] - scale * first[2] if touch else high[2] - scale * last[2]
    return placed(turned, scale, offset)


def soft_in_drawer(rng: np.random.Generator) -> MovingObject:
    """A cabinet with one to three drawers, in or on one of which something soft stands."""
    wide, deep, tall = rng.uniform(0.5, 1.1), rng.uniform(0.4, 0.8), rng.uniform(0.4, 1.0)
    wall, count = rng.uniform(0.015, 0.04), int(rng.integers(1, 4))
    boards = [
        box((-wide / 2, 0, 0), (-wide / 2 + wall, deep, tall)),
        box((wide / 2 - wall, 0, 0), (wide / 2, deep, tall)),
        box((-wide / 2, deep - wall, 0), (wide / 2, deep, tall)),
        box((-wide / 2, 0, 0), (wide / 2, deep, wall)),
    ]
    roof = rng.random() < 0.5
    if roof:
        boards.append(box((-wide / 2, 0, tall - wall), (wide / 2, deep, tall)))
    things = [still(boards)]
    makers = (potted_plant, flower, grass_tuft, jelly, cushion, bag)
    edges = np.linspace(wall, tall - wall * roof, count + 1)
    filled = count - 1 if not roof else int(rng.integers(count))
    for number in range(count):
        low = vector(-wide / 2 + 1.2 * wall, 0.0, edges[number] + 0.01)
        high = vector(wide / 2 - 1.2 * wall, deep - 1.5 * wall, edges[number + 1] - 0.02)
        front = slab(rng, low - vector(0.0, wall, 0.0), high * [1.0, 0.0, 1.0])
        load = [still(container(rng, low, high, wall), 1), still(front, 2)]
        if number == filled:
            inside = low + wall, high - wall
            top = inside[1] + vector(0.0, 0.0, rng.uniform(0.0, 1.0) * (not roof))
            load.append(_fitted(makers[rng.integers(len(makers))](rng), inside[0], top, rng))
        things.append(carried(load, slide(-rng.uniform(0.4, 0.9) * deep * _Y)))
    if roof and rng.random() < 0.5:
        place = vector(-0.4 * wide, 0.1 * deep, tall), vector(0.4 * wide, 0.9 * deep, tall + rng.uniform(0.4, 1.0))
        things.append(_fitted(makers[rng.integers(len(makers))](rng), *place, rng))
    return combined("soft_in_drawer", "mixture", things)


def cloth_on_hinge(rng: np.random.Generator) -> MovingObject:
    """A frame that turns on a post, with a cloth that hangs from it: a shop sign, a screen, a clothes horse."""
    arm, tall, thick = rng.uniform(0.6, 1.2), rng.uniform(0.8, 2.0), rng.uniform(0.015, 0.05)
    post = [cylinder(thick * 1.3, 0.0, tall, 8), box((-0.3, -0.3, -0.05), (0.3, 0.3, 0.0))]
    things = [still(post)]
    low, high = vector(0.05 * arm, -0.3, rng.uniform(0.2, 0.5) * tall), vector(0.95 * arm, 0.3, 0.95 * tall)
    makers = (banner, banner, hung_cloth, bag)
    cloth = makers[rng.integers(len(makers))](rng)
    first, last = cloth.vertices.min(axis=0), cloth.vertices.max(axis=0)
    scale = min((high - low)[0] / (last - first)[0], (high - low)[2] / max((last - first)[2], 1e-9))
    offset = vector(
        0.5 * arm - scale * 0.5 * (first + last)[0], -scale * 0.5 * (first + last)[1], high[2] - scale * last[2]
    )
    frame: list[Piece] = [box((0.0, -thick, high[2]), (arm, thick, high[2] + 2 * thick))]
    if rng.random() < 0.5:
        frame.append(box((0.0, -thick, low[2] - 2 * thick), (arm, thick, low[2])))
        frame.append(box((arm - thick, -thick, low[2]), (arm, thick, high[2])))
    load = [still(frame, 1), placed(cloth, scale, offset)]
    angle = rng.uniform(0.8, 2.8) * rng.choice([-1.0, 1.0])
    things.append(carried(load, hinge(_Z, np.zeros(3), angle)))
    return combined("cloth_on_hinge", "mixture", things)


def lamp_with_cable(rng: np.random.Generator) -> MovingObject:
    """A desk lamp or machine with an arm of one or two joints, and a cable that is soft."""
    radius, low = rng.uniform(0.2, 0.4), rng.uniform(0.04, 0.12)
    base = (
        [cylinder(radius, 0.0, low, 12)]
        if rng.random() < 0.7
        else slab(rng, (-radius, -radius, 0), (radius, radius, low))
    )
    first, second, thin = rng.uniform(0.4, 0.9), rng.uniform(0.3, 0.8), rng.uniform(0.015, 0.04)
    lean = rng.uniform(-0.4, 0.4)
    foot = vector(0.0, 0.0, low)
    elbow = foot + first * vector(np.sin(lean), 0.0, np.cos(lean))
    fall = rng.uniform(0.2, 1.6)
    tip = elbow + second * vector(np.sin(fall), 0.0, np.cos(fall))
    shade = revolved(np.array([[0.05, 0.0], [0.07, -0.05], [0.18, -0.2]]), 12, True, False)
    head = still((shade[0][:, :] + tip, shade[1][:, ::-1]), 2)
    upper = carried([still(_rod(elbow, tip, thin), 1), head], hinge(_Y, elbow, rng.uniform(-1.4, 1.4)))
    arm = carried([still(_rod(foot, elbow, thin), 1), upper], hinge(_Y, foot, rng.uniform(-0.9, 0.9)))
    if rng.random() < 0.4:
        arm = carried([arm], hinge(_Z, foot, rng.uniform(0.5, 3.0)))
    things = [still(base), arm]
    makers = (rope, rope, ring_chain)
    for _ in range(int(rng.integers(1, 3))):
        cable = makers[rng.integers(len(makers))](rng)
        scale, turn = rng.uniform(0.3, 0.6), rng.uniform(0.0, 6.3)
        way = vector(np.cos(turn), np.sin(turn), 0.0)
        things.append(placed(cable, scale, radius * way + vector(0.0, 0.0, 0.5 * low), turn))
    return combined("lamp_with_cable", "mixture", things)


def _rod(start: Array, end: Array, thick: float) -> Piece:
    line = start + np.linspace(-0.03, 1.03, 4)[:, None] * (end - start)
    return sweep(line, np.full((4, 2), thick), 6, _X), sweep_triangles(4, 6)


def chest_with_rope(rng: np.random.Generator) -> MovingObject:
    """A chest whose lid turns, with ropes, chains or tentacles on its sides, its lid, or hanging over its edge."""
    wide, deep, tall, wall = (
        rng.uniform(0.6, 1.1),
        rng.uniform(0.4, 0.8),
        rng.uniform(0.25, 0.7),
        rng.uniform(0.02, 0.05),
    )
    low, high = vector(-wide / 2, -deep / 2, 0.0), vector(wide / 2, deep / 2, tall)
    things = [still(container(rng, low, high, wall))]
    lid = [still(slab(rng, low + tall * _Z, high + rng.uniform(0.02, 0.1) * _Z), 1)]
    makers = (rope, ring_chain, tentacles)
    if rng.random() < 0.4:
        place = vector(rng.uniform(-0.3, 0.3) * wide, -deep / 2, tall + 0.02)
        lid.append(placed(makers[rng.integers(2)](rng), rng.uniform(0.15, 0.35), place, rng.uniform(0.0, 6.3)))
    angle = rng.uniform(0.8, 2.2)
    things.append(carried(lid, hinge(-_X, vector(0.0, deep / 2, tall), angle)))
    for sign in (1.0, -1.0) if rng.random() < 0.5 else (1.0,):
        place = vector(sign * wide / 2, rng.uniform(-0.3, 0.3) * deep, rng.uniform(0.5, 0.9) * tall)
        things.append(placed(makers[rng.integers(2)](rng), rng.uniform(0.15, 0.5), place, rng.uniform(0.0, 6.3)))
    if rng.random() < 0.25:
        things.append(_fitted(tentacles(rng), low + wall, high + vector(0.0, 0.0, 0.3), rng))
    return combined("chest_with_rope", "mixture", things)


def lidded_soft(rng: np.random.Generator) -> MovingObject:
    """A soft body in a rigid bin or on a rigid stand, with a rigid lid that turns or lifts off."""
    wide, tall = rng.uniform(0.4, 0.9), rng.uniform(0.2, 0.6)
    low, high = vector(-wide / 2, -wide / 2, 0.0), vector(wide / 2, wide / 2, tall)
    floor = tall
    if rng.random() < 0.5:
        body = [still(container(rng, low, high, 0.03))]
        floor = 0.03
    else:
        body = [still(cylinder(wide / 2, 0.0, tall, 16))]
    makers = (jelly, soft_solid, cushion, grass_tuft)
    soft = _standing(makers, rng)
    top = vector(0.42 * wide, 0.42 * wide, tall + rng.uniform(0.2, 0.9))
    body.append(_fitted(soft, vector(-0.42 * wide, -0.42 * wide, floor), top, rng))
    crest = float(body[-1].vertices[:, 2].max())
    plate = slab(rng, (-wide / 2, -wide / 2, crest + 0.01), (wide / 2, wide / 2, crest + rng.uniform(0.03, 0.1)))
    moves = hinge(-_X, vector(0.0, wide / 2, crest), rng.uniform(0.6, 2.0)) if rng.random() < 0.6 else slide(0.6 * _Z)
    body.append(carried([still(plate, 1)], moves))
    return combined("lidded_soft", "mixture", body)


def _standing(makers: Sequence[Maker], rng: np.random.Generator) -> MovingObject:
    """An object that stands still on its base, from the first maker in luck."""
    for _ in range(4):
        thing = makers[rng.integers(len(makers))](rng)
        if thing.anchored:
            return thing
    return jelly(rng)


def toy_on_wheels(rng: np.random.Generator) -> MovingObject:
    """An animal or a figure on a board, in a cart or on a plinth, with wheels that turn."""
    makers = (quadruped, person, blocky_character, potted_plant, soft_solid)
    wide, deep = rng.uniform(0.4, 0.9), rng.uniform(0.3, 0.6)
    radius, thick = rng.uniform(0.06, 0.18), rng.uniform(0.03, 0.08)
    board = slab(rng, (-wide / 2, -deep / 2, radius), (wide / 2, deep / 2, radius + rng.uniform(0.03, 0.1)))
    top = max(float(piece[0][:, 2].max()) for piece in board)
    things = [still(board)]
    for x in (-0.35, 0.35):
        for sign in (1.0, -1.0):
            wheel, faces = cylinder(radius, -thick / 2, thick / 2, 12)
            centre = vector(x * wide, sign * (deep / 2 + 0.6 * thick), radius)
            # Spokes or a cross show that it turns.
            cross = box((-0.8 * radius, -0.15 * radius, -0.7 * thick), (0.8 * radius, 0.15 * radius, 0.7 * thick))
            pieces = [(piece[:, [0, 2, 1]] * [1, -1, 1] + centre, tri) for piece, tri in ((wheel, faces), cross)]
            things.append(carried([still(pieces, 1)], hinge(_Y, centre, rng.uniform(1.0, 3.0))))
    low = vector(-0.4 * wide, -0.45 * deep, top)
    rider = makers[rng.integers(len(makers))](rng)
    things.append(_fitted(rider, low, vector(0.4 * wide, 0.45 * deep, top + rng.uniform(0.4, 1.0)), rng))
    return combined("toy_on_wheels", "mixture", things)
