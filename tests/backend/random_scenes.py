"""Random meshes and random conditions, ordinary and extreme, well-formed and not, as strategies of hypothesis.

A mesh comes from a number, so that it can be drawn by itself; conditions are drawn for a given mesh, because points,
vertices and sizes in them only mean something beside it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy
from scipy.spatial.transform import Rotation

from .geometry.shapes import Arrays, ball, blocks, box, folded_sheet, joined, sheet, soup, split, torus

__all__ = ["conditions", "made_of", "meshes", "random_mesh"]

Random = np.random.Generator


# -- meshes -----------------------------------------------------------------------------------------------------------


def _crumpled(random: Random) -> Arrays:
    vertices, triangles = sheet(int(random.integers(2, 7)), int(random.integers(2, 7)))
    return vertices + random.normal(0.0, random.choice([1e-9, 0.03, 0.3]), vertices.shape), triangles


def _cells(random: Random) -> Arrays:
    """Some cells of a grid: parts that touch at faces, edges and corners."""
    filled = random.random((3, 3, 2)) < 0.5
    filled[1, 1, 0] = True
    return blocks(filled, *(np.linspace(0.0, 1.0, count + 1) for count in filled.shape))


def _needles(random: Random) -> Arrays:
    """A thin bundle of triangles a thousand times longer than wide."""
    vertices, triangles = soup(6, 0.3, int(random.integers(1000)))
    return vertices * [1.0, 1e-3, 1e-3], triangles


def _sliver(random: Random) -> Arrays:
    return box((1.0, random.choice([1e-5, 1e-3, 0.02]), random.choice([1e-3, 0.5])))


def _doubled(random: Random) -> Arrays:
    """The same faces twice, one of them wound the other way."""
    vertices, triangles = box()
    return vertices, np.concatenate([triangles, triangles[:, ::-1] if random.random() < 0.5 else triangles])


def _with_rubbish(random: Random) -> Arrays:
    """Loose vertices, faces without area and faces that use a vertex twice."""
    vertices, triangles = ball(4)
    vertices = np.concatenate([vertices, random.normal(0.0, 2.0, (5, 3)), vertices[:3]])
    count = len(vertices)
    extra = [[0, 0, 1], [2, 2, 2], [count - 1, 2, count - 1], [0, count - 3, 5]]
    return vertices, np.concatenate([triangles, extra])


def _fan(random: Random) -> Arrays:
    """Many sheets along one edge: not a manifold."""
    leaves = int(random.integers(3, 7))
    angle = random.uniform(0.0, 2.0 * np.pi, leaves)
    tips = np.column_stack([np.cos(angle), np.sin(angle), random.uniform(0.0, 1.0, leaves)])
    vertices = np.concatenate([[[0.0, 0.0, 0.0], [0.0, 0.0, 1.0]], tips])
    return vertices, np.array([[0, 1, 2 + leaf] for leaf in range(leaves)])


def _inside_out(random: Random) -> Arrays:
    vertices, triangles = ball(4)
    turned = random.random(len(triangles)) < random.choice([0.5, 1.0])
    return vertices, np.where(turned[:, None], triangles[:, ::-1], triangles)


def _nested(random: Random) -> Arrays:
    return joined(box(), box((0.5, 0.5, 0.5)), box((0.4, 0.4, 0.4), random.uniform(-0.5, 0.5, 3)))


def _far_parts(random: Random) -> Arrays:
    return joined(box(), box((0.1, 0.1, 0.1), random.uniform(-20.0, 20.0, 3)))


def _one_triangle(random: Random) -> Arrays:
    return random.normal(0.0, 1.0, (3, 3)), np.array([[0, 1, 2]])


def _arbitrary(random: Random) -> Arrays:
    """Vertices and faces without any sense."""
    count = int(random.integers(4, 30))
    return random.normal(0.0, 1.0, (count, 3)), random.integers(0, count, (int(random.integers(1, 40)), 3))


_KINDS: list[Callable[[Random], Arrays]] = [
    lambda random: box(random.uniform(0.1, 1.0, 3)),
    lambda random: ball(int(random.integers(3, 7))),
    lambda random: torus(int(random.integers(5, 12)), int(random.integers(3, 7))),
    lambda random: sheet(int(random.integers(2, 9)), int(random.integers(2, 9))),
    lambda random: folded_sheet(random.choice([0.01, 0.2]), 3, 12),
    lambda random: soup(int(random.integers(1, 25)), random.choice([0.05, 0.6]), int(random.integers(1000))),
    lambda random: split(ball(4)),
    _crumpled,
    _cells,
    _needles,
    _sliver,
    _doubled,
    _with_rubbish,
    _fan,
    _inside_out,
    _nested,
    _far_parts,
    _one_triangle,
    _arbitrary,
]


def random_mesh(number: int) -> Arrays:
    """The mesh of a number: the kinds in turn, of any size from micrometres to thousands of kilometres, anywhere."""
    random = np.random.default_rng(number)
    vertices, triangles = _KINDS[number % len(_KINDS)](random)
    turned = Rotation.random(random_state=int(random.integers(2**31))).apply(vertices)
    stretched = turned * random.choice([1.0, 1.0, random.uniform(0.05, 3.0)], 3)
    size = random.choice([1.0, 1.0, 1.0, 0.1, 30.0, 1e-6, 1e-3, 1e3, 1e6])
    offset = random.choice([0.0, 1.0, 1.0, 100.0, 1e5])
    return size * (stretched + offset * random.uniform(-1.0, 1.0, 3)), triangles


def meshes() -> SearchStrategy[Arrays]:
    return st.integers(0, 2**32 - 1).map(random_mesh)


# -- conditions -------------------------------------------------------------------------------------------------------


def _numbers(low: float, high: float, *extremes: float) -> SearchStrategy[float]:
    """Mostly ordinary numbers, now and then one at the end of what is allowed."""
    return st.one_of(st.floats(low, high), st.floats(low, high), st.sampled_from(extremes or (low, high)))


def _vectors(ordinary: float, extreme: float) -> SearchStrategy[list[float]]:
    entry = st.one_of(st.just(0.0), st.floats(-ordinary, ordinary), st.floats(-ordinary, ordinary))
    ends = st.sampled_from([0.0, extreme, -extreme, 1e-300])
    return st.one_of(*[st.lists(entry, min_size=3, max_size=3)] * 9, st.lists(ends, min_size=3, max_size=3))


def _colliders(size: float, centre: np.ndarray) -> SearchStrategy[dict[str, Any]]:
    def collider(number: int, distance: float, still: bool, surface: dict[str, Any]) -> dict[str, Any]:
        vertices, triangles = random_mesh(number)
        vertices = (vertices - vertices.mean(axis=0)) / max(np.ptp(vertices, axis=0).max(), 1e-300)
        placed = vertices * size * 2.0 + centre - [0.0, 0.0, distance * size]
        path = [{"frame": 1}, {"frame": 3, "location": [0.0, 0.0, 0.7 * size], "rotation": [0.3, 0.0, 2.0]}]
        moving = {} if still else {"motion": path}
        return {"vertices": placed, "triangles": triangles, **moving, **surface}

    surface = st.fixed_dictionaries(
        {},
        optional={
            "friction": _numbers(0.0, 1.0, 10.0),
            "restitution": _numbers(0.0, 1.0),
            "sides": st.sampled_from(["auto", "one", "two"]),
        },
    )
    return st.builds(collider, st.integers(0, 10_000), _numbers(0.5, 4.0, 0.0), st.booleans(), surface)


_NONSENSE: SearchStrategy[dict[str, Any]] = st.sampled_from(
    [
        {"fps": 0},
        {"fps": float("nan")},
        {"gravity": [0, 0, float("inf")]},
        {"frames": -1},
        {"substeps": 2.5},
        {"poisson": 0.5},
        {"pokes": [{"point": [0, 0, 0]}]},
        {"pokes": [{"point": [0, 0, 0], "speed": [1, 1, 1], "radius": 0.0}]},
        {"anchor": {"vertices": []}},
        {"anchor": {"vertices": [-1]}},
        {"pins": [{"vertices": [10**7]}]},
        {"pins": [{"vertices": [0], "stiffness": "soft"}]},
        {"ground": {"level": 1.0}},
        {"wind": {}},
        {"colliders": [{"vertices": [[0, 0, 0]], "triangles": [[0, 0, 0]]}]},
        {"colliders": ["floor.obj"]},
        {"materials": [{"vertices": [0]}]},
        {"pose": [[0.0, 0.0, 0.0]]},
        {"joints": "robot.urdf"},
        {"handles": 1},
        {"gravitation": [0, 0, -9.81]},
    ]
)


def made_of(mesh: Arrays, number: int) -> dict[str, Any]:
    """What an object is made of and held by: conditions that cost an analysis, to be shared by the takes of a mesh."""
    random, count = np.random.default_rng(number), len(mesh[0])
    chosen: dict[str, Any] = {
        "density": random.choice([1000.0, 1000.0, 1e-3, 1e6]),
        "poisson": random.choice([0.3, 0.3, 0.0, 0.49]),
    }
    if random.random() < 0.2:
        stiffness = random.choice([1e-6, 10.0, 1e6])
        chosen["materials"] = [{"vertices": random.integers(0, count, 3).tolist(), "stiffness": stiffness}]
    # Few handles: two thousand takes need not look well.
    if random.random() < 0.9:
        chosen["handles"] = int(random.choice([2, 4, 6]))
    if random.random() < 0.2:
        chosen["anchor"] = {"vertices": sorted({0, count // 2, count - 1})}
    return chosen


def _pushes(
    point: SearchStrategy[list[float]], radius: SearchStrategy[float], some: SearchStrategy[list[int]]
) -> dict[str, SearchStrategy[Any]]:
    """Pokes and starting velocities."""
    push = st.one_of(
        st.fixed_dictionaries({"speed": _vectors(20.0, 1e4)}), st.fixed_dictionaries({"impulse": _vectors(100.0, 1e9)})
    )
    window = st.fixed_dictionaries({}, optional={"start": st.integers(1, 5), "duration": st.integers(1, 4)})
    poke = st.builds(
        lambda *parts: {"point": parts[0], "radius": parts[1], **parts[2], **parts[3]}, point, radius, push, window
    )
    velocity = st.fixed_dictionaries(
        {}, optional={"linear": _vectors(20.0, 1e4), "angular": _vectors(30.0, 1e4), "vertices": some}
    )
    return {
        "pokes": st.lists(poke, min_size=1, max_size=2),
        "velocities": st.lists(velocity, min_size=1, max_size=2),
    }


def _holds(
    size: float, point: SearchStrategy[list[float]], some: SearchStrategy[list[int]]
) -> dict[str, SearchStrategy[Any]]:
    """Pins, soft and keyed, and drags."""
    key = st.builds(
        lambda at, turn: {"frame": 3, "location": at, "rotation": turn}, _vectors(size, 1e6), _vectors(3.0, 1e4)
    )
    pin = st.one_of(
        st.fixed_dictionaries({"vertices": some, "stiffness": _numbers(0.5, 30.0, 0.01, 1000.0)}),
        st.builds(lambda chosen, last: {"vertices": chosen, "motion": [{"frame": 1}, last]}, some, key),
    )
    drag = st.builds(
        lambda at, end, hertz: {
            "point": at,
            "stiffness_hz": hertz,
            "path": [{"frame": 1, "position": at}, {"frame": 3, "position": end}],
        },
        point,
        point,
        _numbers(0.5, 20.0, 0.01, 1000.0),
    )
    return {"pins": st.lists(pin, max_size=1), "drags": st.lists(drag, max_size=1)}


def _surroundings(size: float, centre: np.ndarray) -> dict[str, SearchStrategy[Any]]:
    """Wind, ground and colliders."""
    ground = st.builds(
        lambda share, surface: {"height": float(centre[2] + share * size), **surface},
        _numbers(-2.0, -0.4, 0.0, 3.0),
        st.fixed_dictionaries({}, optional={"friction": _numbers(0.0, 1.0, 10.0), "restitution": _numbers(0.0, 1.0)}),
    )
    wind = st.fixed_dictionaries(
        {"velocity": _vectors(20.0, 1e3)},
        optional={
            "turbulence": _numbers(0.0, 2.0),
            "drag": _numbers(0.0, 2.0, 100.0),
            "lift": _numbers(0.0, 2.0, 100.0),
        },
    )
    return {
        "wind": wind,
        "ground": ground,
        "colliders": st.lists(_colliders(size, centre), min_size=1, max_size=1),
    }


_SETTINGS: dict[str, SearchStrategy[Any]] = {
    "fps": st.sampled_from([24, 24.0, 60, 1, 1000]),
    "substeps": st.sampled_from(["auto", None, 1, 2, 7]),
    "seed": st.integers(0, 2**31 - 1),
    "gravity": _vectors(50.0, 1e4),
    "anchor": st.sampled_from(["auto", "none"]),
    "settled": st.sampled_from(["auto", True, False]),
    "stiffness_hz": _numbers(0.5, 30.0, 0.01, 1000.0),
    "settle_seconds": _numbers(0.1, 5.0, 0.01, 10_000.0),
    "undamped": st.booleans(),
    "young": st.sampled_from([None, 1e5, 1.0, 1e13]),
}


def conditions(mesh: Arrays, most_frames: int = 3) -> SearchStrategy[dict[str, Any]]:
    """Conditions for a mesh, without those of `made_of`; about one in fifteen is nonsense that has to be refused."""
    vertices = mesh[0]
    count, centre = len(vertices), vertices.mean(axis=0)
    size = float(np.ptp(vertices, axis=0).max())
    points = _numbers(-0.6, 0.6, -3.0, 3.0)
    point = st.lists(points, min_size=3, max_size=3).map(lambda share: (centre + size * np.array(share)).tolist())
    radius = _numbers(0.05, 1.0, 1e-9, 1e6).map(lambda share: min(max(share * size, 1e-12), 1e6))
    some = st.lists(st.integers(0, count - 1), min_size=1, max_size=5)
    pose = st.builds(
        lambda seed, amount: vertices + amount * size * np.random.default_rng(seed).normal(size=vertices.shape),
        st.integers(0, 99),
        st.sampled_from([0.0, 0.02, 1.0]),
    )
    keys = {
        **_SETTINGS,
        "pose": pose,
        **_pushes(point, radius, some),
        **_holds(size, point, some),
        **_surroundings(size, centre),
        "self_contact": st.booleans(),
    }
    # Most takes have a few of the keys; what makes things move and meet comes more often than the rest.
    often = ["anchor", "pokes", "velocities", "ground", "colliders", "gravity"]
    chosen = st.lists(st.sampled_from([*keys, *often, *often]), max_size=7, unique=True)
    frames = st.integers(1, most_frames)

    @st.composite
    def some_conditions(draw: st.DrawFn) -> dict[str, Any]:
        picked = {"frames": draw(frames), **{name: draw(keys[name]) for name in draw(chosen)}}
        return {**picked, **draw(_NONSENSE)} if draw(st.integers(0, 14)) == 7 else picked

    return some_conditions()
