"""Plants that sway: potted plants, trees, grass tufts and flowers."""

from __future__ import annotations

import numpy as np

from ...kinematics.base import Array
from ..figure import Figure
from ..moving_object import MovingObject
from ..organic_shapes import grid_triangles, resampled, ribbon, spindle, sweep, sweep_place, sweep_triangles
from ..random_motion import woven
from ..shapes import cylinder, revolved, torus

__all__ = ["flower", "grass_tuft", "potted_plant", "tree"]

_BENDS = np.array([[0.0, 1.0, 0.0], [-1.0, 0.0, 0.0]])  # turning about these leans towards +X and +Y


def _pot(rng: np.random.Generator, figure: Figure, height: float, radius: float) -> float:
    """A pot with its rim at z = 0 on the still bone 0; returns the radius of the earth in it."""
    shape = rng.random()
    foot = radius * rng.uniform(0.55, 1.0)
    sides = int(rng.choice([4, 6, 8, 12, 16]))
    wall = radius * rng.uniform(0.06, 0.15)
    outer = [[foot, -height], [radius, 0.0]]
    if shape < 0.4:
        rim = height * rng.uniform(0.1, 0.25)
        outer = [[foot, -height], [radius * 0.93, -rim], [radius, -rim], [radius, 0.0]]
    elif shape < 0.6:
        outer = [[foot * 0.7, -height], [radius * 1.1, -0.55 * height], [radius, 0.0]]
    earth = -height * rng.uniform(0.03, 0.15)
    inner = [[radius - wall, 0.0], [radius - wall, earth]]
    figure.add_rigid(*revolved(np.array([*outer, *inner]), sides, True, True), 0, 0)
    if rng.random() < 0.4:
        figure.add_rigid(*cylinder(radius - wall, earth - 0.02 * height, earth + 0.01 * height, sides), 0, 1)
    if rng.random() < 0.25:
        figure.add_rigid(*cylinder(radius * 1.2, -height * 1.06, -height, sides), 0, 0)
    return radius - wall


def _stem(
    rng: np.random.Generator,
    figure: Figure,
    parent: int,
    base: Array,
    reach: Array,
    thick: float,
    bones: int,
    slot: int,
    droop: float = 0.0,
) -> tuple[int, Array]:
    """A tapering tube along a chain of bones, from `base` by about `reach`; returns its first bone and its points."""
    length = float(np.linalg.norm(reach))
    t = np.linspace(0.0, 1.0, 4)[:, None]
    wander = rng.normal(0.0, 0.05 * length, (4, 3)) * t * (1.0 - t) * 4.0
    points = resampled(base + t * reach + wander + droop * length * t**2 * np.array([0.0, 0.0, -1.0]), bones + 1)
    first = figure.chain(parent, points)
    sides, tip = int(rng.choice([4, 5, 6, 8])), rng.uniform(0.25, 0.8)
    rings = 2 * bones + 1
    radii = np.repeat((thick * np.linspace(1.0, tip, rings))[:, None], 2, axis=1)
    place = sweep_place(rings, sides) * 0.5
    figure.add_along(
        sweep(resampled(points, rings), radii, sides), sweep_triangles(rings, sides), first, bones, place, slot
    )
    return first, points


def _sway(
    figure: Figure,
    first: int,
    bones: int,
    angle: float,
    power: float,
    turns: Array = _BENDS,
    same: list[int] | None = None,
) -> list[int]:
    """A number for each of `turns`: the whole chain leans by `angle` radians, its tip more than its foot.

    same: numbers of other chains that move this one too. Returns the numbers.
    """
    share = (np.arange(bones) + 0.5) ** power
    share *= angle / share.sum()
    chain = first + np.arange(bones)
    if same:
        for number, turn in zip(same, turns, strict=False):
            figure.also(number, chain, share[:, None] * turn)
        return same
    return [figure.way(chain, share[:, None] * turn, -1.0, 1.0) for turn in turns]


def _leaves(
    rng: np.random.Generator,
    figure: Figure,
    hosts: Array,
    bases: Array,
    reaches: Array,
    width: float,
    slot: int,
) -> list[int]:
    """Leaves Float[n,3] long, each with two bones on its host bone; returns the first bone of each."""
    rows, columns = int(rng.integers(4, 7)), int(rng.choice([2, 3, 3]))
    lengths = np.linalg.norm(reaches, axis=1, keepdims=True)
    t = np.linspace(0.0, 1.0, rows)[None, :, None]
    sag = rng.uniform(0.0, 0.5) * lengths
    centres = bases[:, None] + t * reaches[:, None] - (sag * [0.0, 0.0, 1.0])[:, None] * t**2
    side = np.cross(reaches, [0.0, 0.0, 1.0]) + rng.normal(0.0, 0.3, reaches.shape) * lengths
    side -= (side * reaches).sum(axis=1, keepdims=True) / lengths**2 * reaches
    side *= width * lengths / np.maximum(np.linalg.norm(side, axis=1, keepdims=True), 1e-9)
    shape = spindle(rows, rng.uniform(0.35, 0.8))[:, 1]
    widths = (0.08 + 0.92 * shape)[None, :, None] * side[:, None]
    grids = ribbon(centres, widths, columns, rng.uniform(0.0, 0.4))
    triangles = grid_triangles(rows, columns)
    place = np.repeat(np.linspace(0.0, 2.0, rows), columns)
    first = []
    for host, grid, middle in zip(hosts.tolist(), grids, centres, strict=True):
        first.append(figure.chain(host, middle[[0, rows // 2, -1]]))
        figure.add_along(grid, triangles, first[-1], 2, place, slot)
    return first


def _flutter(rng: np.random.Generator, figure: Figure, first: list[int], reaches: Array, angle: float) -> None:
    """Leaves go up and down, in a few groups that move together."""
    groups = rng.integers(0, rng.integers(1, 4), len(first))
    axis = np.cross(reaches, [0.0, 0.0, 1.0])
    axis /= np.maximum(np.linalg.norm(axis, axis=1, keepdims=True), 1e-9)
    roots = np.array(first)
    for group in np.unique(groups):
        own = groups == group
        bones = np.concatenate([roots[own], roots[own] + 1])
        figure.way(bones, 0.5 * np.tile(axis[own], (2, 1)), -angle, angle)


def _shells(rng: np.random.Generator, figure: Figure, still: int) -> Array:
    """Shell numbers: each piece by itself, or everything that grows as one."""
    numbers = np.arange(figure.shell_count)
    if rng.random() < 0.25:
        numbers[still:] = still
    return numbers


def potted_plant(rng: np.random.Generator) -> MovingObject:
    """A pot with one or several stems and their leaves."""
    figure = Figure()
    figure.bone(-1, np.zeros(3))
    radius = rng.uniform(0.2, 0.6)
    earth = _pot(rng, figure, rng.uniform(0.25, 0.7), radius)
    still = figure.shell_count
    stems = int(rng.choice([1, 1, 2, 3, 4, 5]))
    apart, same = rng.random() < 0.6, None
    all_roots, all_reaches = [], []
    for number in range(stems):
        bones = int(rng.integers(4, 8))
        around = 2.0 * np.pi * (number + rng.random()) / stems
        lean = rng.uniform(0.1, 0.6) if stems > 1 else rng.uniform(0.0, 0.2)
        out = np.array([np.cos(around), np.sin(around), 0.0])
        height = rng.uniform(0.5, 1.5)
        base = 0.5 * earth * (stems > 1) * out - [0.0, 0.0, 0.15]
        first, points = _stem(
            rng, figure, 0, base, height * (out * lean + [0, 0, 1]), rng.uniform(0.015, 0.05), bones, 2
        )
        same = _sway(figure, first, bones, rng.uniform(0.2, 0.9), rng.uniform(0.0, 1.5), same=None if apart else same)
        if apart and rng.random() < 0.4:
            bend = np.cos(np.pi * (np.arange(bones) + 0.5) / bones)[:, None] * rng.uniform(0.4, 1.6) / bones
            for turn in _BENDS:
                figure.way(first + np.arange(bones), bend * turn, -1.0, 1.0)
        count = int(rng.integers(2, 8 if stems > 2 else 13))
        where = np.sort(rng.integers(1, bones, count)) if rng.random() < 0.7 else np.full(count, bones - 1)
        angle = rng.uniform(0.0, 2.0 * np.pi) + 2.4 * np.arange(count)
        up = rng.uniform(-0.2, 1.2, count)
        reach = np.stack([np.cos(angle), np.sin(angle), up], axis=1) * rng.uniform(0.2, 0.6)
        roots = _leaves(rng, figure, first + where, points[where + 1], reach, rng.uniform(0.1, 0.35), 3)
        all_roots += roots
        all_reaches.append(reach)
    if rng.random() < 0.6:
        _flutter(rng, figure, all_roots, np.concatenate(all_reaches), rng.uniform(0.2, 0.8))
    return figure.finish("potted_plant", "plant", True, shells=_shells(rng, figure, still))


def tree(rng: np.random.Generator) -> MovingObject:
    """A trunk with branches, and crowns of leaves or clumps at their ends."""
    figure = Figure()
    figure.bone(-1, np.zeros(3))
    if rng.random() < 0.4:
        figure.add_rigid(*cylinder(rng.uniform(0.3, 0.8), -0.05, 0.0, 12), 0, 0)
    still = figure.shell_count
    height, bones = rng.uniform(1.2, 2.5), int(rng.integers(5, 8))
    thick = height * rng.uniform(0.025, 0.07)
    lean = np.append(rng.normal(0.0, 0.1, 2), 1.0)
    first, points = _stem(rng, figure, 0, np.zeros(3), height * lean, thick, bones, 0)
    _sway(figure, first, bones, rng.uniform(0.1, 0.5), rng.uniform(0.0, 1.0))
    count = int(rng.integers(0, 9))
    tips = [(first + bones - 1, points[-1])]
    apart, same = rng.random() < 0.5, None
    for number in range(count):
        host = int(rng.integers(bones // 2, bones))
        angle = 2.4 * number + rng.uniform(0.0, 1.0)
        reach = np.array([np.cos(angle), np.sin(angle), rng.uniform(0.1, 1.0)]) * height * rng.uniform(0.2, 0.45)
        own, ends = _stem(rng, figure, first + host, points[host], reach, 0.45 * thick, 3, 0, rng.uniform(0.0, 0.3))
        turns = _BENDS if rng.random() < 0.6 else _BENDS[:1]
        same = _sway(figure, own, 3, rng.uniform(0.15, 0.5), 0.5, turns, None if apart else same)
        tips.append((own + 2, ends[-1]))
    if rng.random() < 0.5:
        _clumps(rng, figure, tips, height)
    else:
        each = int(rng.integers(3, 8))
        hosts = np.repeat([tip[0] for tip in tips], each)
        bases = np.repeat(np.array([tip[1] for tip in tips]), each, axis=0)
        reach = rng.normal(0.0, 1.0, bases.shape)
        reach[:, 2] += 0.2
        reach *= height * rng.uniform(0.08, 0.25) / np.linalg.norm(reach, axis=1, keepdims=True)
        roots = _leaves(rng, figure, hosts, bases, reach, rng.uniform(0.12, 0.3), 1)
        if rng.random() < 0.4:
            _flutter(rng, figure, roots, reach, rng.uniform(0.2, 0.6))
    return figure.finish("tree", "plant", True, shells=_shells(rng, figure, still))


def _clumps(rng: np.random.Generator, figure: Figure, tips: list[tuple[int, Array]], height: float) -> None:
    """Low-poly balls or stacked cones of foliage at the ends of branches, each on one bone."""
    size = height * rng.uniform(0.12, 0.3)
    for bone, place in tips:
        squash = rng.uniform(0.6, 1.3)
        body = spindle(int(rng.integers(4, 8)), rng.uniform(0.3, 0.6))
        centres = place + np.stack([0 * body[:, 0], 0 * body[:, 0], (2.0 * body[:, 0] - 1.0) * size * squash], axis=1)
        radii = np.repeat(body[:, 1:] * size * rng.uniform(0.7, 1.3), 2, axis=1)
        sides = int(rng.integers(5, 10))
        figure.add_rigid(sweep(centres, radii, sides, (1, 0, 0)), sweep_triangles(len(body), sides), bone, 1)


def grass_tuft(rng: np.random.Generator) -> MovingObject:
    """Many blades that grow from one spot and lean with the wind."""
    figure = Figure()
    figure.bone(-1, np.zeros(3))
    if rng.random() < 0.4:
        figure.add_rigid(*cylinder(rng.uniform(0.2, 0.5), -0.06, 0.0, int(rng.choice([6, 10]))), 0, 0)
    still = figure.shell_count
    count, bones = int(rng.integers(6, 30)), 4
    angle = rng.uniform(0.0, 2.0 * np.pi, count)
    out = np.stack([np.cos(angle), np.sin(angle), np.zeros(count)], axis=1)
    length = rng.uniform(0.5, 1.0, (count, 1)) * rng.uniform(0.5, 1.5)
    base = out * rng.uniform(0.0, 0.25, (count, 1))
    lean, droop = rng.uniform(0.0, 0.5, (count, 1)), rng.uniform(0.0, 0.6, (count, 1))
    rows, columns = 9, int(rng.choice([2, 3]))
    t = np.linspace(0.0, 1.0, rows)[None, :, None]
    curve = base[:, None] + length[:, None] * (
        t * (out * lean + [0.0, 0.0, 1.0])[:, None] + (droop * (out - [0.0, 0.0, 0.4]))[:, None] * t**2
    )
    side = np.cross(out, [0.0, 0.0, 1.0]) * length * rng.uniform(0.015, 0.07)
    blades = ribbon(curve, side[:, None] * (1.02 - t**2), columns, rng.uniform(0.0, 0.5))
    place = np.repeat(np.linspace(0.0, bones, rows), columns)
    triangles = grid_triangles(rows, columns)
    first = []
    for blade, line in zip(blades, curve, strict=True):
        first.append(figure.chain(0, line[::2]))
        figure.add_along(blade, triangles, first[-1], bones, place, 1)
    roots = np.array(first)
    limp = rng.uniform(0.6, 1.4, count)
    share = np.array([0.3, 0.3, 0.25, 0.15])
    strength = rng.uniform(0.3, 1.0)
    for turn in _BENDS:
        bone_list = (roots[:, None] + np.arange(bones)).ravel()
        figure.way(bone_list, (limp[:, None] * share).reshape(-1, 1) * turn, -strength, strength)
    if rng.random() < 0.5:
        # A gust: blades on one side lean while those on the other come back.
        wave = limp * np.sin(angle + rng.uniform(0.0, 6.0))
        figure.way(bone_list, (wave[:, None] * share).reshape(-1, 1) * _BENDS[0], -strength, strength)
    if rng.random() < 0.5:
        spread = (np.stack([-out[:, 1], out[:, 0], np.zeros(count)], axis=1)[:, None] * share[:, None]).reshape(-1, 3)
        figure.way(bone_list, spread, -0.3, 0.6)
    return figure.finish("grass_tuft", "plant", True, shells=_shells(rng, figure, still))


def flower(rng: np.random.Generator) -> MovingObject:
    """A stem with a blossom whose petals open and close, in a pot, a vase or the ground."""
    figure = Figure()
    figure.bone(-1, np.zeros(3))
    if rng.random() < 0.7:
        _pot(rng, figure, rng.uniform(0.3, 0.8), rng.uniform(0.12, 0.35))
    still = figure.shell_count
    stems = int(rng.choice([1, 1, 2, 3]))
    petals, size = int(rng.integers(4, 13)), rng.uniform(0.15, 0.4)
    width, slot_count = rng.uniform(0.15, 0.45), int(rng.integers(2))
    roots, hinges = [], []
    for number in range(stems):
        bones = 6
        angle = 2.0 * np.pi * number / stems + rng.uniform(0.0, 1.0)
        lean = np.array([np.cos(angle), np.sin(angle), 0.0]) * (0.3 if stems > 1 else 0.05) + [0.0, 0.0, 1.0]
        first, points = _stem(
            rng, figure, 0, [0.0, 0.0, -0.1], lean * rng.uniform(0.7, 1.4), rng.uniform(0.015, 0.035), bones, 1
        )
        _sway(figure, first, bones, rng.uniform(0.2, 0.8), rng.uniform(0.0, 1.5))
        ball, faces = (
            torus(0.12 * size, 0.1 * size, 8, 6) if rng.random() < 0.3 else cylinder(0.2 * size, 0, 0.15 * size, 8)
        )
        figure.add_rigid(ball + points[-1], faces, first + bones - 1, 2)
        around = 2.0 * np.pi * np.arange(petals) / petals
        out = np.stack([np.cos(around), np.sin(around), np.full(petals, rng.uniform(0.0, 1.0))], axis=1)
        bases = points[-1] + 0.15 * size * out
        roots += _leaves(rng, figure, np.full(petals, first + bones - 1), bases, out * size, width, 3 + slot_count)
        hinges.append(np.stack([out[:, 1], -out[:, 0], np.zeros(petals)], axis=1))
        count = int(rng.integers(0, 4))
        if count:
            where = rng.integers(1, bones - 1, count)
            turn = rng.uniform(0.0, 6.28, count)
            reach = np.stack([np.cos(turn), np.sin(turn), np.full(count, 0.5)], axis=1) * rng.uniform(0.15, 0.4)
            _leaves(rng, figure, first + where, points[where + 1], reach, 0.2, 1)
    if rng.random() < 0.7:
        bones_list = np.array(roots)
        figure.way(bones_list, np.concatenate(hinges), -rng.uniform(0.3, 0.9), rng.uniform(0.2, 0.6))
    draw, freedom = None, None
    if rng.random() < 0.2 and figure.way_count > 2:
        draw, freedom = woven(rng, figure.way_count, 2), 2
    return figure.finish("flower", "plant", True, draw, freedom, shells=_shells(rng, figure, still))
