"""Fifty random things dropped on fifty random places: nothing goes in, nothing breaks, and all come to rest."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from backend.bench.penetration import deepest
from tests.backend.geometry.shapes import Arrays, ball, blocks, box, joined, sheet, torus
from tests.backend.shapes import moved
from tests.backend.takes import Result, run
from tests.sweeps import sweep

CASES, SHORT = 50, 8  # SHORT: of a short run
FPS, SECONDS = 24, 10
DEPTH = 1e-3  # of the object's size, the deepest that anything may ever be
LOOKED_AT = 3  # every so many frames

Random = np.random.Generator


# -- what is dropped: about 0.3 m --------------------------------------------------------------------------------------


def _cone(random: Random) -> Arrays:
    count, height, radius = 12, random.uniform(0.2, 0.4), random.uniform(0.1, 0.2)
    angle = 2.0 * np.pi * np.arange(count) / count
    rim = np.column_stack([radius * np.cos(angle), radius * np.sin(angle), np.zeros(count)])
    vertices = np.concatenate([rim, [[0.0, 0.0, 0.0], [0.0, 0.0, height]]])
    first, second = np.arange(count), np.roll(np.arange(count), -1)
    base = np.column_stack([second, first, np.full(count, count)])
    return vertices, np.concatenate([base, np.column_stack([first, second, np.full(count, count + 1)])])


def _angle(random: Random) -> Arrays:
    """An L of four cubes."""
    filled = np.array([[[1, 1, 1]], [[1, 0, 0]]], dtype=bool)
    lines = (np.linspace(0.0, 0.1 * cells, cells + 1) for cells in filled.shape)
    return blocks(filled, *lines)


SHAPES: dict[str, Callable[[Random], Arrays]] = {
    "box": lambda random: box(random.uniform(0.1, 0.4, 3)),
    "ball": lambda random: ball(4, random.uniform(0.1, 0.2)),
    "torus": lambda random: torus(12, 6, 0.15, 0.05),
    "cone": _cone,
    "angle": _angle,
    "sheet": lambda random: sheet(6, 6, 0.4, 0.4),
}


# -- where it lands: closed colliders on the ground, about 3 m wide ---------------------------------------------------


def _land(height: np.ndarray) -> Arrays:
    """A closed block, 3 m wide, whose upper side has the heights Float[n,n] above 0; its floor is at -0.5."""
    count = len(height)
    x, y = np.meshgrid(*[np.linspace(-1.5, 1.5, count)] * 2, indexing="ij")
    upper = np.column_stack([x.ravel(), y.ravel(), height.ravel()])
    lower = np.column_stack([x.ravel(), y.ravel(), np.full(count * count, -0.5)])
    _, faces = sheet(count, count)
    grid = np.arange(count * count).reshape(count, count)
    rim = np.concatenate([grid[:-1, 0], grid[-1, :-1], grid[:0:-1, -1], grid[0, :0:-1]])
    following, down = np.roll(rim, -1), count * count
    walls = [[rim, rim + down, following + down], [rim, following + down, following]]
    sides = np.concatenate([np.column_stack(wall) for wall in walls])
    return np.concatenate([upper, lower]), np.concatenate([faces, faces[:, ::-1] + down, sides])


def _grid(count: int) -> tuple[np.ndarray, np.ndarray]:
    return np.meshgrid(*[np.linspace(-1.5, 1.5, count)] * 2, indexing="ij")


def _bumps(random: Random) -> Arrays:
    x, y = _grid(16)
    waves = random.uniform(1.0, 4.0, (4, 2)) * random.choice([-1.0, 1.0], (4, 2))
    return _land(0.3 + sum(0.05 * np.sin(kx * x + ky * y + random.uniform(0, 6)) for kx, ky in waves))


def _bowl(random: Random) -> Arrays:
    x, y = _grid(15)
    return _land(random.uniform(0.1, 0.3) * (x**2 + y**2))


def _steps(random: Random) -> Arrays:
    """A flight of six."""
    filled = np.zeros((6, 1, 6), dtype=bool)
    for step in range(6):
        filled[step, 0, : step + 1] = True
    lines = np.linspace(-1.5, 1.5, 7), np.array([-1.5, 1.5]), np.linspace(0.0, random.uniform(0.3, 0.9), 7)
    return blocks(filled, *lines)


def _tilted_boxes(random: Random) -> Arrays:
    """A heap of boxes on a floor; apart from each other, so that all stay closed."""
    pieces = [box((3.0, 3.0, 0.2), (0.0, 0.0, 0.0))]
    for x in (-0.8, 0.0, 0.8):
        for y in (-0.8, 0.0, 0.8):
            vertices, triangles = box(random.uniform(0.15, 0.4, 3))
            turned = Rotation.from_rotvec(random.normal(0.0, 0.5, 3)).apply(vertices)
            pieces.append(moved((turned, triangles), (x, y, 0.12 - turned[:, 2].min())))
    return joined(*pieces)


PLACES: dict[str, Callable[[Random], Arrays]] = {
    "bumps": _bumps,
    "bowl": _bowl,
    "steps": _steps,
    "tilted boxes": _tilted_boxes,
}


@dataclass(frozen=True)
class Drop:
    """What falls on what, the take, the mesh that falls, and where the collider is, Float[T,V,3] or Float[1,V,3]."""

    what: str
    take: Result
    mesh: Arrays
    place: Arrays
    places: np.ndarray
    closed: bool

    @property
    def size(self) -> float:
        return float(np.ptp(self.mesh[0], axis=0).max())

    def place_at(self, frame: int) -> Arrays:
        return self.places[min(frame, len(self.places) - 1)], self.place[1]


def _moved_for_a_second(vertices: np.ndarray, random: Random, frames: int) -> np.ndarray:
    """It rises and turns about the vertical and comes to a stop: positions at each frame, Float[T,V,3]."""
    share = np.clip(np.arange(frames) / FPS, 0.0, 1.0)
    share = share * share * (3.0 - 2.0 * share)
    turns = Rotation.from_rotvec(share[:, None] * [0.0, 0.0, random.uniform(-0.6, 0.6)])
    rise = share[:, None] * [0.0, 0.0, random.uniform(0.0, 0.3)]
    return np.array([turn.apply(vertices) + offset for turn, offset in zip(turns, rise, strict=True)])


@lru_cache(maxsize=1)
def _drop(number: int) -> Drop:
    random = np.random.default_rng(number)
    shape, place = random.choice(list(SHAPES)), random.choice(list(PLACES))
    provider = "elastic" if random.random() < 0.3 else "rigid"
    moving = random.random() < 0.25
    vertices, triangles = SHAPES[shape](random)
    vertices = Rotation.random(random_state=number).apply(vertices - vertices.mean(axis=0))
    ground = PLACES[place](random)
    over = ground[0][:, 2].max() + np.linalg.norm(vertices, axis=1).max() + random.uniform(0.05, 0.8)
    vertices = vertices + np.append(random.uniform(-0.4, 0.4, 2), over)
    frames = FPS * SECONDS + 1
    places = _moved_for_a_second(ground[0], random, frames) if moving else ground[0][None]
    collider = {"vertices": places if len(places) > 1 else ground[0], "triangles": ground[1], "friction": 0.6}
    spin = {"linear": random.normal(0.0, 0.5, 3).tolist(), "angular": random.normal(0.0, 3.0, 3).tolist()}
    take = run(
        (vertices, triangles),
        provider,
        anchor="none",
        fps=FPS,
        frames=frames,
        colliders=[collider],
        ground={"height": -0.1 if place == "tilted boxes" else 0.0},
        velocities=[spin],
        stiffness_hz=10.0,
        settle_seconds=0.5,
        **({"handles": 8} if provider == "elastic" else {}),
    )
    return Drop(
        f"{provider} {shape} on {place}{' that moves' if moving else ''}",
        take,
        (vertices, triangles),
        ground,
        places,
        shape != "sheet",
    )


@pytest.fixture(params=sweep(range(CASES), SHORT))
def drop(request: pytest.FixtureRequest) -> Drop:
    return _drop(request.param)


def test_a_drop(drop: Drop) -> None:
    """Each is looked at from all sides here, so that it is computed once."""
    seen, triangles = drop.take.positions, drop.mesh[1]
    assert np.isfinite(seen).all() and np.isfinite(drop.take.energy).all()
    # It fell, and on something.
    assert np.ptp(seen[:, :, 2].mean(axis=1)) > 0.04

    # Its vertices in the collider, and the collider's in it.
    for frame in range(0, len(seen), LOOKED_AT):
        place = drop.place_at(frame)
        assert deepest((seen[frame], triangles), place) < DEPTH * drop.size, (drop.what, frame)
        if drop.closed:
            assert deepest(place, (seen[frame], triangles)) < DEPTH * drop.size, (drop.what, frame)
    assert deepest((seen[-1], triangles), drop.place_at(len(seen) - 1), 0.03 * drop.size) < DEPTH * drop.size, drop.what

    # At rest for the last half second: less than 1 mm/s.
    speeds = np.linalg.norm(np.diff(seen[-FPS // 2 :], axis=0), axis=2).max(axis=1) * FPS
    assert speeds.max() < 1e-3, drop.what


@pytest.mark.parametrize("place", PLACES)
def test_the_places_are_closed(place: str) -> None:
    """Else depths in them would mean nothing: each edge belongs to two faces, that run along it in opposite ways."""
    vertices, triangles = PLACES[place](np.random.default_rng(0))
    edges = np.concatenate([triangles[:, [0, 1]], triangles[:, [1, 2]], triangles[:, [2, 0]]])
    forward = {tuple(edge) for edge in edges.tolist()}
    assert len(forward) == len(edges)
    assert all((second, first) in forward for first, second in forward)
    a, b, c = (vertices[triangles[:, corner]] for corner in range(3))
    assert (a * np.cross(b, c)).sum() > 0.0


def test_a_depth_would_be_seen() -> None:
    """The measure itself: a box that is drawn 1 mm into a place."""
    place = _bowl(np.random.default_rng(0))
    floor = place[0][: 15 * 15][112, 2]
    assert deepest(moved(box((0.01, 0.01, 0.3)), (0.0, 0.0, floor + 0.15 - 0.001)), place) > 5e-4
