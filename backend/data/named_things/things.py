"""Named things drawn at random: parts with names, materials, looks, shapes and physical values, and a size in metres.

A description has a line for each thing: its names, "*" and how many times larger one of that name is, and after "|" its
size in metres along X, Y and up. Indented lines below are its parts: names, with "?" where it is not always there :
materials, with how often : shape, extents and centre in the box of the thing (legs: number, thickness, height; tufts:
number, extents and centre of all).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...kinematics.base import Array
from ...materials.clues import Clues, piece_shapes
from ...materials.material import Material
from ...materials.table import material_named
from ..shapes import Piece, box, cylinder, joined, revolved, sphere
from .at_hand import AT_HAND
from .at_home import AT_HOME
from .looks import decorated, random_habits, random_shader
from .outdoors import OUTDOORS

__all__ = ["THINGS", "NamedPiece", "NamedThing", "ThingKind", "random_thing", "read_things"]

_OPTIONAL = 0.4  # how often a part is there that is not always there
_LEFT_OUT = 0.12  # how often one is missing that usually is there
_JITTER = 0.15  # of extents and places, as a share
_SIZE_SPREAD = 0.15  # of the natural logarithm of the size
_NAMELESS = 0.15  # of objects: called "Object", "model", ...
_OBJECTS = ("Object", "model", "Scene", "untitled", "asset_07", "Mesh")


@dataclass(frozen=True)
class PartKind:
    """A part of a kind of thing."""

    names: tuple[str, ...]
    optional: bool
    materials: tuple[str, ...]
    shares: tuple[float, ...]  # of the materials, add up to 1
    shape: str
    numbers: tuple[float, ...]


@dataclass(frozen=True)
class ThingKind:
    """A kind of thing."""

    names: tuple[str, ...]
    factors: tuple[float, ...]  # of the size, for each name
    size: tuple[float, float, float]
    parts: tuple[PartKind, ...]


@dataclass(frozen=True)
class NamedPiece:
    """One part as it is recognised from `clues`, and what it is made of. Density in kg/m^3, stresses in Pa, degrees."""

    clues: Clues
    material: str
    thin: bool
    density: float
    young: float
    poisson: float
    yield_stress: float | None
    friction_angle: float | None


@dataclass(frozen=True)
class NamedThing:
    """One thing; `size` is its longest side in metres."""

    name: str
    kind: str
    size: float
    pieces: tuple[NamedPiece, ...]


def read_things(text: str) -> tuple[ThingKind, ...]:
    """The kinds that a description has."""
    blocks: list[list[str]] = []
    for line in text.strip().splitlines():
        if line.startswith(" "):
            blocks[-1].append(line)
        else:
            blocks.append([line])
    return tuple(_kind(first, parts) for first, *parts in blocks)


def _kind(first: str, parts: list[str]) -> ThingKind:
    names, size = (each.strip() for each in first.split("|"))
    width, depth, height = map(float, size.split())
    known = [each.partition("*") for each in names.split()]
    return ThingKind(
        tuple(name for name, _, _ in known),
        tuple(float(factor or 1.0) for _, _, factor in known),
        (width, depth, height),
        tuple(_part(each) for each in parts),
    )


def _part(text: str) -> PartKind:
    names, materials, shape = (each.strip() for each in text.split(":"))
    words = [each.rstrip("0123456789") for each in materials.split()]
    weights = [float(each[len(word) :] or 1) for each, word in zip(materials.split(), words, strict=True)]
    for word in words:
        material_named(word)  # an unknown one is refused where it is written
    kind, *numbers = shape.split()
    shares = tuple(weight / sum(weights) for weight in weights)
    known = tuple(names.rstrip("?").split())
    return PartKind(known, names.endswith("?"), tuple(words), shares, kind, tuple(map(float, numbers)))


THINGS = read_things(AT_HOME) + read_things(OUTDOORS) + read_things(AT_HAND)
_OPEN = {"sheet", "shell", "tufts"}  # shapes of things that are thin


def random_thing(rng: np.random.Generator) -> NamedThing:
    """One of the kinds, each as often as the others."""
    kind = THINGS[rng.integers(len(THINGS))]
    chosen = [part for part in kind.parts if rng.random() < (_OPTIONAL if part.optional else 1.0 - _LEFT_OUT)]
    chosen = chosen or [kind.parts[0]]
    stretch = np.exp(rng.normal(0.0, _JITTER, 3))
    called = int(rng.integers(len(kind.names)))
    extent = np.array(kind.size) * kind.factors[called] * stretch * np.exp(rng.normal(0.0, _SIZE_SPREAD))
    meshes = [_mesh(part, rng) for part in chosen]
    vertices, triangles = joined(*meshes)
    owner = np.repeat(np.arange(len(meshes)), [len(mesh[1]) for mesh in meshes])
    shapes = piece_shapes(vertices * extent, triangles, owner)
    habits, name = random_habits(rng), kind.names[called]
    file_name = str(rng.choice(_OBJECTS)) if rng.random() < _NAMELESS else decorated(rng, name)
    pieces = []
    for part, shape in zip(chosen, shapes, strict=True):
        material = str(rng.choice(part.materials, p=part.shares))
        word = str(rng.choice(part.names))
        shader = random_shader(rng, material, habits.exporter)
        node = habits.node(rng, name, word)
        clues = Clues(shape, node, habits.material(rng, material, word, shader), shader=shader)
        pieces.append(_piece(clues, material_named(material), part.shape in _OPEN or shape.thin, rng))
    return NamedThing(file_name, kind.names[0], float(np.ptp(vertices * extent, axis=0).max()), tuple(pieces))


def _piece(clues: Clues, material: Material, thin: bool, rng: np.random.Generator) -> NamedPiece:
    form, yields, angle = material.form(thin), material.yield_stress, material.friction_angle
    return NamedPiece(
        clues,
        material.name,
        thin,
        density=form.density.drawn(rng),
        young=form.young.drawn(rng),
        poisson=material.poisson.drawn(rng),
        yield_stress=None if yields is None else yields.drawn(rng),
        friction_angle=None if angle is None else angle.drawn(rng),
    )


def _mesh(part: PartKind, rng: np.random.Generator) -> Piece:
    """The part in the box of its thing, from 0 to 1."""
    numbers = np.array(part.numbers)
    if part.shape == "legs":
        return _legs(numbers, rng)
    if part.shape == "tufts":
        return _tufts(numbers, rng)
    extent = numbers[:3] * np.exp(rng.normal(0.0, _JITTER, 3))
    centre = numbers[3:] + 0.3 * _JITTER * rng.normal(0.0, 1.0, 3) * np.minimum(extent, 0.5)
    points, triangles = _UNIT[part.shape](rng)
    if part.shape == "sheet":  # its waves run along the shortest side of its box
        points = np.roll(points, int(extent.argmin()) + 1, axis=1)
    return _placed((points, triangles), extent, centre)


def _placed(piece: Piece, extent: Array, centre: Array) -> Piece:
    """A piece in the box from -1/2 to 1/2, at its place."""
    return piece[0] * extent + centre, piece[1]


def _legs(numbers: Array, rng: np.random.Generator) -> Piece:
    count, thickness, height = int(numbers[0]), *(numbers[1:] * np.exp(rng.normal(0.0, _JITTER, 2)))
    round_ones = rng.random() < 0.3
    legs = []
    for angle in 2.0 * np.pi * (np.arange(count) + 0.5) / count:
        direction = np.array([np.cos(angle), np.sin(angle)])
        place = 0.5 + (0.5 - 0.5 * thickness) * direction / np.abs(direction).max()
        piece = _cylinder(rng) if round_ones else _box(rng)
        legs.append(_placed(piece, np.array([thickness, thickness, height]), np.append(place, 0.5 * height)))
    return joined(*legs)


def _tufts(numbers: Array, rng: np.random.Generator) -> Piece:
    """Leaves, petals and stems: thin pieces or balls spread about a place."""
    count, width, height = max(1, int(numbers[0])), numbers[1], numbers[2]
    flat = rng.random() < 0.6
    tufts = []
    for _ in range(count):
        extent = np.array([width, width, height]) * np.exp(rng.normal(0.0, _JITTER, 3))
        centre = numbers[3:] + rng.uniform(-0.5, 0.5, 3) * np.array([0.6, 0.6, 0.2])
        tufts.append(_placed(_sheet(rng) if flat else _ball(rng), extent, centre))
    return joined(*tufts)


def _box(_: np.random.Generator) -> Piece:
    return box((-0.5, -0.5, -0.5), (0.5, 0.5, 0.5))


def _ball(rng: np.random.Generator) -> Piece:
    return sphere(0.5, int(rng.integers(6, 13)))


def _cylinder(rng: np.random.Generator) -> Piece:
    return cylinder(0.5, -0.5, 0.5, int(rng.integers(6, 17)))


def _cone(rng: np.random.Generator) -> Piece:
    return cylinder(0.5, -0.5, 0.5, int(rng.integers(4, 13)), top=rng.uniform(0.02, 0.25))


def _shell(rng: np.random.Generator) -> Piece:
    """A vessel, open above, drawn with or without the thickness of its wall."""
    wide = rng.uniform(0.35, 0.5)
    profile = [[0.3, -0.5], [wide, -0.2], [0.5, 0.2], [0.45, 0.5]]
    if rng.random() < 0.5:
        wall = rng.uniform(0.02, 0.08)
        inside = [[0.45 - wall, 0.5], [0.5 - wall, 0.2], [wide - wall, -0.2], [0.3 - wall, -0.5 + wall]]
        return revolved([*profile, *inside], 12)
    return revolved(profile, 12, last=False)


def _sheet(rng: np.random.Generator) -> Piece:
    """A waved sheet across the thinnest of its extents, with or without a thickness."""
    count = int(rng.integers(3, 8))
    x, y = np.meshgrid(np.linspace(-0.5, 0.5, count), np.linspace(-0.5, 0.5, count), indexing="ij")
    waves = rng.integers(1, 4)
    z = 0.5 * np.sin(2.0 * np.pi * waves * (x + 0.3 * y) + rng.uniform(0.0, 6.0))
    points = np.stack([x, y, z], axis=-1).reshape(-1, 3)
    index = np.arange(count * count).reshape(count, count)
    a, b, c, d = index[:-1, :-1].ravel(), index[1:, :-1].ravel(), index[1:, 1:].ravel(), index[:-1, 1:].ravel()
    triangles: NDArray[np.int64] = np.concatenate([np.stack([a, b, c], axis=1), np.stack([a, c, d], axis=1)])
    if rng.random() < 0.5:
        return points, triangles
    thick = points + np.array([0.0, 0.0, rng.uniform(0.01, 0.05)])
    return np.concatenate([points, thick]), np.concatenate([triangles[:, ::-1], triangles + len(points)])


_UNIT: dict[str, Callable[[np.random.Generator], Piece]] = {
    "box": _box,
    "ball": _ball,
    "cyl": _cylinder,
    "cone": _cone,
    "shell": _shell,
    "sheet": _sheet,
}
