"""Household things that no joint moves: lamps, vases, tableware, framed pictures, statues, stacks."""

from __future__ import annotations

import numpy as np

from ...kinematics.base import Array
from ..builder import Builder
from ..moving_object import MovingObject
from ..shapes import Piece, aimed, box, cylinder, disc, moved, revolved, scaled, sphere, swept, torus, turned
from ..source import Maker
from .bipeds import person, runner
from .characters import blocky_character
from .crawlers import bird
from .pieces import contents, frame_boards, round_container, slab
from .quadrupeds import quadruped
from .swimmers import fish
from .walkers import humanoid

__all__ = ["framed_picture", "stack", "standing_lamp", "statue", "tableware", "turned_solid", "vase", "wall_lamp"]


def turned_solid(rng: np.random.Generator, radius: float, height: float, segments: int) -> Piece:
    """A solid of revolution on the floor with a random profile: balusters, vases, pawns."""
    count = int(rng.integers(4, 9))
    widths = radius * np.clip(rng.uniform(0.25, 1.0, count), 0.2, 1.0)
    widths[int(rng.integers(count))] = radius
    return revolved(np.column_stack([widths, np.linspace(0.0, height, count)]), segments)


def _shade(rng: np.random.Generator, radius: float, height: float) -> list[Piece]:
    """A lamp shade open below from z = 0 up, with its bulb and socket inside."""
    segments, top = int(rng.choice([8, 12, 20, 24])), rng.uniform(0.35, 1.0) * radius
    if rng.random() < 0.7:
        cover = [cylinder(radius, 0.0, height, segments, top, capped=False)]
        if rng.random() < 0.4:
            cover += [
                torus(radius, 0.03 * radius, segments, 6),
                moved(torus(top, 0.03 * radius, segments, 6), (0, 0, height)),
            ]
    else:
        cover = [moved(scaled(sphere(1.0, 14, -0.1), (radius, radius, 0.9 * height)), (0, 0, 0.1 * height))]
    bulb = 0.3 * min(top, 0.5 * height)
    if rng.random() < 0.7:
        cover.append(moved(sphere(bulb, 10), (0, 0, 0.5 * height)))
        cover.append(cylinder(0.5 * bulb, 0.5 * height + 0.7 * bulb, height, 8))
    if rng.random() < 0.4:
        cover.append(disc(top, 0.98 * height, segments))
    return cover


def standing_lamp(rng: np.random.Generator) -> MovingObject:
    """A floor or table lamp whose shade stays where it is: foot, pole or turned body, shade, bulb."""
    builder = Builder()
    foot, tall = rng.uniform(0.1, 0.3), rng.uniform(0.3, 1.8)
    thick = rng.uniform(0.015, 0.06)
    builder.add(0, cylinder(foot, 0.0, thick, int(rng.choice([4, 12, 20])), rng.uniform(0.7, 1.0) * foot), 0)
    habit = rng.random()
    if habit < 0.45:
        builder.add(0, cylinder(rng.uniform(0.03, 0.12) * foot, thick, tall, 10), 0)
    elif habit < 0.75:
        builder.add(0, moved(turned_solid(rng, 0.8 * foot, tall - thick, 16), (0, 0, thick)), 1)
    else:
        turn = np.linspace(0.0, rng.uniform(0.6, 2.6), 12)
        path = np.stack(
            [0.3 * tall * (1.0 - np.cos(turn)), np.zeros(12), thick + 0.8 * tall * np.sin(0.5 * turn)], axis=1
        )
        builder.add(0, swept(path, 0.06 * foot, 8, up=(0, 1, 0)), 0)
        head = [moved(piece, path[-1] - [0, 0, 0.25]) for piece in _shade(rng, 0.2, 0.25)]
        builder.add(0, head, 2)
        return builder.build(rng, "standing_lamp", "lamp")
    shade = rng.uniform(0.7, 1.8) * foot
    builder.add(0, [moved(piece, (0, 0, 0.9 * tall)) for piece in _shade(rng, shade, rng.uniform(0.8, 1.6) * shade)], 2)
    return builder.build(rng, "standing_lamp", "lamp")


def wall_lamp(rng: np.random.Generator) -> MovingObject:
    """A lamp fixed by its plate to a wall or a ceiling: a bracket or rod, one to six arms with shades, beads."""
    builder = Builder()
    if rng.random() < 0.5:
        builder.add(0, turned(cylinder(rng.uniform(0.06, 0.12), -0.02, 0.0, 16), 0, 0.5 * np.pi), 0)
        reach, rise = rng.uniform(0.15, 0.4), rng.uniform(-0.1, 0.25)
        share = np.linspace(0.0, 1.0, 10)
        path = np.stack([np.zeros(10), -reach * share, rise * np.sin(0.5 * np.pi * share)], axis=1)
        builder.add(0, swept(path, rng.uniform(0.008, 0.02), 8, up=(1, 0, 0)), 0)
        builder.add(0, [moved(piece, path[-1] - [0, 0, 0.15]) for piece in _shade(rng, 0.12, 0.16)], 1)
        return builder.build(rng, "wall_lamp", "lamp")
    drop, arms = rng.uniform(0.2, 0.8), int(rng.integers(1, 7))
    builder.add(0, cylinder(0.08, drop, drop + 0.03, 16), 0)
    builder.add(0, cylinder(0.012, 0.0, drop, 8), 0)
    builder.add(0, sphere(0.04, 10), 0)
    reach = rng.uniform(0.15, 0.4) if arms > 1 else 0.0
    for arm in range(arms):
        angle = 2.0 * np.pi * arm / arms
        out = reach * np.array([np.cos(angle), np.sin(angle), 0.0])
        if arms > 1:
            share = np.linspace(0.0, 1.0, 7)[:, None]
            path = out * share - np.array([0, 0, 0.1]) * np.sin(np.pi * share)
            builder.add(0, swept(path, 0.01, 6), 0)
        shade = _shade(np.random.default_rng(arms), 0.09, 0.12)
        builder.add(0, [moved(piece, out - [0, 0, 0.06]) for piece in shade], 1)
        if rng.random() < 0.3:
            builder.add(0, [moved(sphere(0.012, 6), out - [0, 0, 0.1 + 0.03 * bead]) for bead in range(3)], 2)
    return builder.build(rng, "wall_lamp", "lamp")


def vase(rng: np.random.Generator) -> MovingObject:
    """A vase, jar, urn or pot, with handles, a rim, a liquid inside or pebbles; nothing opens."""
    builder = Builder()
    radius, tall, segments = rng.uniform(0.05, 0.25), rng.uniform(0.1, 0.7), int(rng.choice([8, 12, 16, 24]))
    if rng.random() < 0.3:
        top = rng.uniform(0.7, 1.6) * radius
        builder.add(0, round_container(rng, radius, top, tall, 0.06 * radius, segments), 0)
        if rng.random() < 0.5:
            level = rng.uniform(0.5, 0.95)
            inner = 0.9 * (radius + (top - radius) * level)
            builder.add(0, cylinder(0.85 * radius, 0.1 * tall, level * tall, segments, inner), 1)
    else:
        count = 9
        height = np.linspace(0.0, tall, count)
        width = radius * (0.55 + 0.45 * np.sin(rng.uniform(1.5, 4.5) * height / tall + rng.uniform(0.0, 2.0)))
        wall = 0.06 * radius
        outside = np.column_stack([width, height])
        inside = np.column_stack([np.maximum(width - wall, 0.3 * width), np.maximum(height, wall)])[::-1]
        builder.add(0, revolved(np.concatenate([outside, inside]), segments), 0)
    for side in ((-1, 1), (1,), ())[int(rng.choice(3, p=[0.25, 0.15, 0.6]))]:
        turn = np.linspace(-0.5 * np.pi, 0.5 * np.pi, 9)
        path = np.stack(
            [side * (0.8 * radius + 0.5 * radius * np.cos(turn)), np.zeros(9), 0.6 * tall + 0.2 * tall * np.sin(turn)],
            axis=1,
        )
        builder.add(0, swept(path, 0.08 * radius, 6, up=(0, 1, 0)), 0)
    if rng.random() < 0.3:
        builder.add(0, moved(torus(0.9 * radius, 0.08 * radius, segments, 6), (0, 0, rng.uniform(0.1, 1.0) * tall)), 2)
    return builder.build(rng, "vase", "vase")


def _round_food(rng: np.random.Generator, count: int, reach: float, size: float, level: float) -> list[Piece]:
    """Fruit, olives, sweets, pebbles: balls that lie within a circle."""
    pieces = []
    for _ in range(count):
        angle, out = rng.uniform(0, 2 * np.pi), reach * np.sqrt(rng.random())
        shape = scaled(sphere(size, 8), rng.uniform(0.8, 1.2, 3))
        pieces.append(moved(shape, (out * np.cos(angle), out * np.sin(angle), level + size)))
    return pieces


def tableware(rng: np.random.Generator) -> MovingObject:
    """A cup on its saucer, a goblet, a bowl or plate of round things, a tray with vessels, a cake."""
    builder = Builder()
    habit, segments = rng.random(), int(rng.choice([12, 16, 24]))
    radius = rng.uniform(0.08, 0.2)
    plate = revolved(np.array([[0.6, 0.0], [1.0, 0.12], [0.98, 0.15], [0.55, 0.05]]) * radius, segments)
    if habit < 0.3:  # cup and saucer
        builder.add(0, plate, 0)
        cup = round_container(rng, 0.35 * radius, 0.55 * radius, 0.8 * radius, 0.04 * radius, segments)
        builder.add(0, [moved(piece, (0, 0, 0.06 * radius)) for piece in cup], 0)
        turn = np.linspace(-0.5 * np.pi, 0.5 * np.pi, 9)
        path = np.stack(
            [(0.45 + 0.3 * np.cos(turn)) * radius, np.zeros(9), (0.45 + 0.25 * np.sin(turn)) * radius], axis=1
        )
        builder.add(0, swept(path, 0.05 * radius, 6, up=(0, 1, 0)), 0)
        if rng.random() < 0.5:
            builder.add(0, disc(0.48 * radius, 0.6 * radius, segments), 1)
    elif habit < 0.5:  # goblet
        rows = [
            [0.8, 0],
            [0.8, 0.08],
            [0.12, 0.2],
            [0.12, 1.2],
            [0.8, 1.6],
            [0.9, 2.4],
            [0.85, 2.4],
            [0.7, 1.65],
            [0.05, 1.3],
        ]
        builder.add(0, revolved(np.array(rows) * radius, segments), 0)
    elif habit < 0.8:  # bowl or plate with contents
        bowl = round_container(rng, 0.5 * radius, radius, rng.uniform(0.15, 0.6) * radius, 0.05 * radius, segments)
        builder.add(0, bowl, 0)
        builder.add(
            0,
            _round_food(rng, int(rng.integers(2, 30)), 0.5 * radius, rng.uniform(0.08, 0.25) * radius, 0.1 * radius),
            1,
        )
    elif habit < 0.9:  # tray
        builder.add(0, slab(rng, (-radius, -0.7 * radius, 0), (radius, 0.7 * radius, 0.08 * radius)), 0)
        low = (-0.9 * radius, -0.5 * radius, 0.08 * radius)
        builder.add(0, contents(rng, low, (0.9 * radius, 0.5 * radius, rng.uniform(0.3, 1.2) * radius)), 1)
    else:  # cake or ring with icing and sprinkles
        ring = scaled(torus(0.7 * radius, 0.3 * radius, segments, 10), (1, 1, rng.uniform(0.6, 1.0)))
        builder.add(0, ring if rng.random() < 0.5 else cylinder(radius, -0.2 * radius, 0.25 * radius, segments), 0)
        builder.add(0, _round_food(rng, int(rng.integers(4, 25)), 0.85 * radius, 0.05 * radius, 0.25 * radius), 1)
    return builder.build(rng, "tableware", "tableware")


def framed_picture(rng: np.random.Generator) -> MovingObject:
    """A picture, mirror, sign or screen in a frame, flat or leaning on a strut; or a sign on its post."""
    builder = Builder()
    width, tall, thick = rng.uniform(0.2, 1.2), rng.uniform(0.2, 1.2), rng.uniform(0.01, 0.05)
    border = rng.uniform(0.03, 0.15) * min(width, tall)
    pieces = [*frame_boards((-width / 2, 0), (width / 2, tall), border, 0.0, thick)]
    pieces.append(box((-width / 2 + border, border, 0.3 * thick), (width / 2 - border, tall - border, 0.6 * thick)))
    lift, lean = rng.choice([0.0, rng.uniform(0.3, 1.5)]), rng.choice([0.0, rng.uniform(0.05, 0.3)])
    builder.add(0, [moved(turned(piece, 0, 0.5 * np.pi - lean), (0, 0, lift)) for piece in pieces], 0)
    if lift:
        builder.add(0, cylinder(0.5 * border + 0.01, 0.0, lift, 10), 1)
        builder.add(0, slab(rng, (-0.2 * width, -0.15, -0.02), (0.2 * width, 0.15, 0.02)), 1)
    elif lean:
        builder.add(
            0, moved(aimed(box((-0.02, -0.01, 0), (0.02, 0.01, 0.8 * tall)), (0, -0.4, 1)), (0, 0.45 * tall, 0)), 1
        )
    return builder.build(rng, "framed_picture", "picture")


STATUES: tuple[Maker, ...] = (quadruped, person, runner, bird, fish, blocky_character, humanoid)


def _plinth(rng: np.random.Generator, half: float, height: float) -> list[Piece]:
    if rng.random() < 0.5:
        return [
            box((-half, -half, 0), (half, half, 0.7 * height)),
            *slab(rng, (-1.1 * half, -1.1 * half, 0.7 * height), (1.1 * half, 1.1 * half, height)),
        ]
    return [moved(turned_solid(rng, half, height, 16), (0, 0, 0)), cylinder(half, 0.9 * height, height, 16)]


def statue(rng: np.random.Generator) -> MovingObject:
    """An animal or figure of stone or metal, in one piece with or standing on its plinth."""
    model = STATUES[int(rng.integers(len(STATUES)))](rng)
    vertices: Array = model.states(rng, 1)[0] if rng.random() < 0.5 else model.vertices
    low, high = vertices.min(axis=0), vertices.max(axis=0)
    size = float((high - low).max())
    half, height = 0.5 * float((high - low)[:2].max()), rng.uniform(0.05, 0.6) * size
    builder = Builder()
    builder.add(0, _plinth(rng, rng.uniform(0.5, 1.1) * half, height), 0)
    offset = np.array([*(-0.5 * (low + high))[:2], height - low[2] - rng.uniform(0.0, 0.03) * size])
    for shell in range(int(model.shell.max()) + 1):
        faces = model.triangles[model.shell[model.triangles[:, 0]] == shell]
        used, corners = np.unique(faces, return_inverse=True)
        builder.add(0, (vertices[used] + offset, corners.reshape(-1, 3)), 1)
    return builder.build(rng, "statue", "statue")


def stack(rng: np.random.Generator) -> MovingObject:
    """Things piled on one another: books, boxes, stones, rings, balls of snow with a hat."""
    builder = Builder()
    habit, level = rng.random(), 0.0
    size = rng.uniform(0.2, 0.5)
    for number in range(int(rng.integers(2, 9))):
        shift = rng.uniform(-0.08, 0.08, 2) * size
        if habit < 0.35:
            thick, sides = rng.uniform(0.05, 0.2) * size, rng.uniform(0.6, 1.0, 2) * size
            piece = turned(box((*(-0.5 * sides), 0), (*(0.5 * sides), thick)), 2, rng.uniform(-0.4, 0.4))
        elif habit < 0.55:
            thick, side = rng.uniform(0.3, 0.6) * size, rng.uniform(0.5, 1.0) * size
            piece = turned(
                slab(rng, (-side / 2, -side / 2, 0), (side / 2, side / 2, thick))[0], 2, rng.uniform(-0.4, 0.4)
            )
        elif habit < 0.75:
            radius = size * 0.8**number
            thick = 1.6 * radius
            piece = moved(sphere(radius, 12), (0, 0, 0.8 * radius))
            shift = shift * 0.3
        else:
            radius, thick = size * rng.uniform(0.5, 1.0), rng.uniform(0.1, 0.3) * size
            piece = (
                cylinder(radius, 0.0, thick, 14)
                if rng.random() < 0.6
                else moved(torus(radius, 0.5 * thick, 16, 8), (0, 0, 0.5 * thick))
            )
        builder.add(0, moved(piece, (*shift, level)), int(rng.integers(4)))
        level += thick
    if 0.55 <= habit < 0.75:
        for place, way in (((0, -0.9, 0.6), (0, -1, 0)), ((0.9, 0, 0.9), (1, 0, 0.3)), ((-0.9, 0, 0.9), (-1, 0, 0.3))):
            builder.add(
                0, moved(aimed(cylinder(0.05 * size, 0, 0.6 * size, 8, 0.02 * size), way), np.array(place) * size), 5
            )
        builder.add(
            0, [cylinder(0.4 * size, level, level + 0.03, 14), cylinder(0.25 * size, level, level + 0.4 * size, 14)], 6
        )
    return builder.build(rng, "stack", "stack")
