"""Cloth hung in several ways: from its top edge, from corners, on a pole, on rings, over a table, or lying free."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ...kinematics.base import Array
from ..composition import combined, object_of, still
from ..moving_object import MovingObject
from ..organic_shapes import block, grid_triangles, spindle, sweep, sweep_triangles, vector
from ..random_motion import Motion, independent
from ..shapes import Piece, moved
from ..sheets import Sheet, grid_places, refined, sheet_on

__all__ = ["banner", "curtain", "draped", "flag", "free_sheet", "hung_cloth", "table_cloth"]

_X, _Y, _Z = np.eye(3)
_GRIDS = ((11, 15), (13, 13), (15, 11), (9, 17), (17, 9))  # few, so that the fitted matrices are reused
_SETTLE = 30


def _bar(start: Array, end: Array, thick: float) -> Piece:
    line = start + np.linspace(0.0, 1.0, 2)[:, None] * (end - start)
    return sweep(line, np.full((2, 2), thick), 8), sweep_triangles(2, 8)


def _near(pinned: NDArray[np.bool_], rows: int, columns: int) -> Array:
    """How far each vertex is from the nearest pin, 0 to 1."""
    down, along = grid_places(rows, columns)
    places = np.stack([down, along], axis=1)
    gap = np.linalg.norm(places[:, None] - places[pinned][None], axis=2).min(axis=1)
    return gap / gap.max()


def _waves(rng: np.random.Generator, free: Array, rows: int, columns: int, normal: Array, count: int) -> Array:
    """Smooth fields Float[count,V,3]: low waves along the normal, swaying aside, all zero at the pins (free = 0)."""
    down, along = grid_places(rows, columns)
    fields = []
    for number in range(count):
        if number == 0:
            field = (free * rng.uniform(0.2, 0.9))[:, None] * normal
        elif number == 1 and rng.random() < 0.7:
            field = (free**1.5 * rng.uniform(0.1, 0.5))[:, None] * np.cross(normal, _Z)
        else:
            first, second = rng.uniform(0.0, 2.0, 2)
            wave = np.cos(np.pi * (first * down + second * along) + rng.uniform(0.0, 6.3))
            high = rng.uniform(0.1, 0.45) / np.hypot(1.0, np.hypot(first, second))
            field = (np.sqrt(free) * wave * high)[:, None] * (normal + 0.15 * rng.normal(size=3))
        fields.append(field)
    return np.array(fields)


def _cloth(
    rng: np.random.Generator,
    name: str,
    sheet: Sheet,
    rest: Array,
    fields: Array,
    others: list[Piece],
    anchored: bool = True,
) -> MovingObject:
    """The object whose rest is the sheet at `rest` Float[V,3] and whose numbers move it along `fields` Float[k,V,3]."""
    rows, columns = sheet.rows, sheet.columns
    factor = int(rng.choice([1, 2, 2]))
    resting = sheet.resting(rest)
    flat = fields.reshape(len(fields), -1)

    def pose(values: Array) -> Array:
        wanted = rest + (values @ flat).reshape(len(values), -1, 3)
        return refined(resting.drawn_back(wanted), rows, columns, factor)

    fine = ((rows - 1) * factor + 1, (columns - 1) * factor + 1)
    triangles = grid_triangles(*fine)
    vertices = refined(rest[None], rows, columns, factor)[0]
    width = len(fields)
    motion = Motion(width, width, independent(width), pose)
    if rng.random() < 0.25:
        # Both sides drawn, as assets for one-sided renderers have them.
        count, one_side = len(vertices), pose
        vertices = np.concatenate([vertices, vertices])
        triangles = np.concatenate([triangles, triangles[:, ::-1] + count])
        motion = Motion(width, width, motion.draw, lambda values: np.tile(one_side(values), (1, 2, 1)))
    things = [object_of(name, "cloth", vertices, triangles, motion, anchored)]
    if others:
        things.append(still(others, 1))
    return combined(name, "cloth", things, anchored)


def _settled(rng: np.random.Generator, sheet: Sheet, wanted: Array, noise: float) -> Array:
    """The sheet where it comes to rest near the places wanted, with a few chance folds."""
    down, along = grid_places(sheet.rows, sheet.columns)
    folds = np.zeros_like(wanted)
    for _ in range(3):
        first, second = rng.uniform(0.0, 5.0, 2)
        folds += np.cos(np.pi * (first * down + second * along) + rng.uniform(0.0, 6.3))[:, None] * rng.normal(size=3)
    folds[sheet.pinned] = 0.0
    return sheet.drawn_back((wanted + noise * folds)[None], _SETTLE)[0]


def _upright(rng: np.random.Generator) -> tuple[int, int, Array, float, float]:
    """A grid hung in the plane y = 0 from z = 0 down: rows, columns, places Float[V,3], width, height."""
    rows, columns = _GRIDS[rng.integers(len(_GRIDS))]
    height, width = rng.uniform(0.6, 1.6), rng.uniform(0.5, 1.5)
    down, along = grid_places(rows, columns)
    return rows, columns, np.stack([(along - 0.5) * width, 0.0 * along, -down * height], axis=1), width, height


def banner(rng: np.random.Generator) -> MovingObject:
    """A banner, towel, rug or sail held along its top edge, perhaps on a bar."""
    rows, columns, flat, width, height = _upright(rng)
    pinned = np.arange(rows * columns) < columns
    sheet = sheet_on(flat, rows, columns, pinned)
    rest = _settled(rng, sheet, flat, rng.uniform(0.0, 0.06) * height)
    others = [_bar(vector(-0.55 * width, 0, 0), vector(0.55 * width, 0, 0), 0.02)] if rng.random() < 0.6 else []
    free = _near(pinned, rows, columns)
    return _cloth(rng, "banner", sheet, rest, _waves(rng, free, rows, columns, _Y, int(rng.integers(1, 8))), others)


def hung_cloth(rng: np.random.Generator) -> MovingObject:
    """Cloth that hangs from two corners or from one, or like a hammock from all four."""
    rows, columns, flat, width, height = _upright(rng)
    corners = np.array([0, columns - 1, (rows - 1) * columns, rows * columns - 1])
    kind = int(rng.choice([1, 2, 2, 4]))
    pinned = np.zeros(rows * columns, dtype=bool)
    wanted = flat.copy()
    down, along = grid_places(rows, columns)
    if kind == 1:
        held = corners[:1]
        # Hung by a corner, the cloth lies along its own diagonal.
        drop = np.hypot(down * height, along * width)
        wanted = np.stack([0.35 * (along - down) * width, 0.05 * np.cos(9.0 * (along - down)), -0.95 * drop], axis=1)
        wanted -= wanted[corners[0]]
    elif kind == 2:
        held, pinch = corners[:2], rng.uniform(0.6, 0.97)
        wanted[:, 0] *= pinch
        wanted[:, 2] -= (1.0 - pinch) * width * 4.0 * along * (1.0 - along) * (1.0 - 0.5 * down)
    else:
        held, pinch = corners, rng.uniform(0.75, 0.95)
        sag = 16.0 * along * (1.0 - along) * down * (1.0 - down)
        wanted = np.stack([flat[:, 0] * pinch, -(flat[:, 2]) * pinch, -0.3 * sag], axis=1)
    pinned[held] = True
    sheet = sheet_on(flat, rows, columns, pinned)
    rest = _settled(rng, sheet, wanted, rng.uniform(0.01, 0.06) * height)
    others = [moved(block(np.full(3, 0.06)), place) for place in rest[pinned]] if rng.random() < 0.4 else []
    free = _near(pinned, rows, columns)
    normal = _Z if kind == 4 else _Y
    fields = _waves(rng, free, rows, columns, normal, int(rng.integers(1, 7)))
    return _cloth(rng, "hung_cloth", sheet, rest, fields, others)


def flag(rng: np.random.Generator) -> MovingObject:
    """A flag on a pole: it streams in the wind or hangs, by its whole edge or two rings."""
    rows, columns, flat, width, height = _upright(rng)
    number = np.arange(rows * columns)
    pinned = number % columns == 0
    if rng.random() < 0.3:
        pinned &= (number // columns == 0) | (number // columns == rows - 1)
    down, along = grid_places(rows, columns)
    wanted = flat.copy()
    limp = rng.uniform(0.0, 0.8) ** 2
    wanted[:, 0] = -0.5 * width + along * width * (1.0 - 0.6 * limp)
    wanted[:, 2] -= limp * along * width * 0.7
    waves = rng.uniform(0.5, 2.5)
    wanted[:, 1] = rng.uniform(0.0, 0.2) * along * np.sin(2.0 * np.pi * waves * along + rng.uniform(0.0, 6.3))
    sheet = sheet_on(flat, rows, columns, pinned)
    rest = _settled(rng, sheet, wanted, 0.02)
    free = _near(pinned, rows, columns)
    fields = list(_waves(rng, free, rows, columns, _Y, int(rng.integers(1, 4))))
    # A wave that runs to the free edge: two numbers a quarter of a cycle apart.
    high, cycles = rng.uniform(0.05, 0.25), rng.uniform(0.5, 1.6)
    for shift in (0.0, 0.5 * np.pi):
        fields.append((high * free * np.cos(2.0 * np.pi * cycles * along + 0.8 * down - shift))[:, None] * _Y)
    if rng.random() < 0.4:
        fields.append((rng.uniform(0.1, 0.4) * free)[:, None] * -_Z)
    pole = -0.5 * width * _X
    ball = moved(block(np.full(3, 0.08), (3, 3, 3), 0.03), pole + 0.1 * _Z)
    others = [_bar(pole - rng.uniform(1.0, 2.0) * height * _Z, pole + 0.08 * _Z, rng.uniform(0.01, 0.04)), ball]
    return _cloth(rng, "flag", sheet, rest, np.array(fields), others[: int(rng.integers(1, 3))])


def curtain(rng: np.random.Generator) -> MovingObject:
    """A curtain with folds on a rail: it opens and closes along the rail, and billows."""
    rows, columns = ((9, 25), (7, 29))[rng.integers(2)]
    height, width = rng.uniform(0.8, 1.8), rng.uniform(1.0, 1.8)
    down, along = grid_places(rows, columns)
    flat = np.stack([along * width, 0.0 * along, -down * height], axis=1)
    folds = (columns - 1) // 4
    pinned = np.zeros((rows, columns), dtype=bool)
    pinned[0, ::2] = True
    pinned = pinned.ravel()
    sheet = sheet_on(flat, rows, columns, pinned)

    def drawn(share: float) -> Array:
        # The fold's depth takes up the length that the rail does not.
        deep = 0.25 * width / folds * np.sqrt(1.0 - share**2)
        fold = np.sin(2.0 * np.pi * folds * along)
        return np.stack([along * width * share, deep * fold * (0.7 + 0.3 * down), -down * height], axis=1)

    share = rng.uniform(0.55, 0.9)
    rest = sheet.drawn_back(drawn(share)[None], _SETTLE)[0]
    closed, opened = drawn(rng.uniform(0.3, 0.5)), drawn(rng.uniform(0.92, 0.98))
    fields = [0.5 * (opened - closed)]
    free = _near(pinned, rows, columns) * np.sqrt(down)
    fields += list(_waves(rng, free, rows, columns, _Y, int(rng.integers(0, 4))))
    rail = _bar(vector(-0.1, 0, 0.03), vector(1.1 * width, 0, 0.03), 0.02)
    return _cloth(rng, "curtain", sheet, rest, np.array(fields), [rail] if rng.random() < 0.8 else [])


def table_cloth(rng: np.random.Generator) -> MovingObject:
    """A cloth over a table or a box: what hangs over the edge swings."""
    rows, columns = ((15, 15), (13, 17))[rng.integers(2)]
    width, depth = rng.uniform(0.9, 1.4), rng.uniform(0.9, 1.4)
    down, along = grid_places(rows, columns)
    flat = np.stack([(along - 0.5) * width, (down - 0.5) * depth, 0.0 * along], axis=1)
    half = np.array([width, depth]) * rng.uniform(0.25, 0.35)
    inner = np.clip(flat[:, :2], -half, half)
    over = flat[:, :2] - inner
    length = np.linalg.norm(over, axis=1)
    pinned = length < 1e-9
    flare = rng.uniform(0.05, 0.4)
    wanted = flat.copy()
    wanted[:, :2] = inner + over * flare
    wanted[:, 2] = -length * np.sqrt(1.0 - flare**2)
    sheet = sheet_on(flat, rows, columns, pinned)
    rest = sheet.drawn_back(wanted[None], _SETTLE)[0]
    free = length / length.max()
    out = over / np.maximum(length, 1e-9)[:, None]
    normal = np.concatenate([out, np.zeros((len(out), 1))], axis=1)
    fields = []
    for number in range(int(rng.integers(1, 7))):
        if number == 0:
            fields.append((rng.uniform(0.05, 0.3) * free)[:, None] * normal)
        elif number < 3:
            way = vector(*rng.normal(size=2), 0.0)
            fields.append((rng.uniform(0.1, 0.3) * free)[:, None] * way / np.linalg.norm(way))
        else:
            angle = np.arctan2(out[:, 1], out[:, 0])
            wave = np.cos(rng.integers(1, 5) * angle + rng.uniform(0.0, 6.3))
            fields.append((rng.uniform(0.05, 0.2) * free * wave)[:, None] * normal)
    top, faces = block((2.0 * half[0], 2.0 * half[1], 0.06), (1, 1, 1))
    others: list[Piece] = [(top - 0.04 * _Z, faces)]
    legs = rng.uniform(0.4, 1.0)
    for corner in ((-1, -1), (-1, 1), (1, -1), (1, 1)):
        place = vector(*(0.85 * half * corner), 0.0)
        others.append(_bar(place - legs * _Z, place - 0.05 * _Z, 0.03))
    return _cloth(rng, "table_cloth", sheet, rest, np.array(fields), others if rng.random() < 0.8 else [])


def draped(rng: np.random.Generator) -> MovingObject:
    """A cloth over a ball or a head, a ghost: its crown stays, its skirt spreads, closes, swings and waves."""
    rows, columns = 15, 15
    width = rng.uniform(1.2, 2.4)
    down, along = grid_places(rows, columns)
    flat = np.stack([(along - 0.5) * width, (down - 0.5) * width, 0.0 * along], axis=1)
    angle = np.arctan2(flat[:, 1], flat[:, 0])
    arc = np.hypot(flat[:, 0], flat[:, 1])
    radius, most = (
        rng.uniform(0.2, 0.35),
        rng.uniform(0.8, 1.6),
    )  # of the ball; how far round it the cloth lies, radians
    held = np.minimum(arc, most * radius)
    over = arc - held
    # Below the ball the cloth falls in folds, the more of them the wider the flat cloth would be there.
    slope = rng.uniform(0.1, 0.5)
    folds, phase = int(rng.integers(4, 9)), rng.uniform(0.0, 6.3)
    deep = np.minimum(0.35 * over, 0.15) * np.cos(folds * angle + phase)
    reach = radius * np.sin(held / radius) + over * slope + deep
    out = np.stack([np.cos(angle), np.sin(angle), 0.0 * angle], axis=1)
    wanted = out * reach[:, None]
    wanted[:, 2] = radius * np.cos(held / radius) - over * np.sqrt(1.0 - slope**2)
    pinned = over < 1e-9
    sheet = sheet_on(flat, rows, columns, pinned)
    rest = sheet.drawn_back(wanted[None], _SETTLE)[0]
    free = over / over.max()
    fields = [(rng.uniform(0.1, 0.6) * free)[:, None] * out]
    for _ in range(int(rng.integers(0, 3))):
        way = vector(*rng.normal(size=2), 0.0)
        fields.append((rng.uniform(0.1, 0.6) * free)[:, None] * way / np.linalg.norm(way))
    for _ in range(int(rng.integers(0, 4))):
        wave = np.cos(rng.integers(1, 6) * angle + rng.uniform(0.0, 6.3))
        fields.append((rng.uniform(0.1, 0.35) * free * wave)[:, None] * (out + 0.5 * _Z))
    ball = _ball(0.92 * radius) if rng.random() < 0.5 else None
    return _cloth(rng, "draped", sheet, rest, np.array(fields), [] if ball is None else [ball])


def _ball(radius: float) -> Piece:
    body = spindle(9)
    line = np.zeros((9, 3))
    line[:, 2] = (2.0 * body[:, 0] - 1.0) * radius
    return sweep(line, radius * body[:, [1, 1]], 12, (1, 0, 0)), sweep_triangles(9, 12)


def free_sheet(rng: np.random.Generator) -> MovingObject:
    """A leaf of paper, a carpet or a blanket that lies free: it curls and waves."""
    rows, columns, flat, _, height = _upright(rng)
    flat = flat[:, [0, 2, 1]]
    pinned = np.zeros(rows * columns, dtype=bool)
    sheet = sheet_on(flat, rows, columns, pinned)
    rest = _settled(rng, sheet, flat, rng.uniform(0.0, 0.06) * height)
    down, along = grid_places(rows, columns)
    fields = []
    for _ in range(int(rng.integers(1, 6))):
        turn, cycles = rng.uniform(0.0, np.pi), rng.uniform(0.3, 1.3)
        across = np.cos(turn) * (down - 0.5) + np.sin(turn) * (along - 0.5)
        wave = np.cos(2.0 * np.pi * cycles * across + rng.uniform(0.0, 6.3))
        fields.append((rng.uniform(0.1, 0.35) / np.hypot(1.0, cycles) * wave)[:, None] * _Z)
    return _cloth(rng, "free_sheet", sheet, rest, np.array(fields), [], False)
