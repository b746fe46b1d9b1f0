"""Small mesh makers for the sample scenes: lathe, tube, box, ellipsoid, torus, sheet, shell. Units: metres."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import bpy
import numpy as np

__all__ = ["Part", "ellipsoid", "lathe", "make_mesh", "sheet", "shell", "stepped_box", "torus", "tube"]

Array = np.ndarray
Faces = list[tuple[int, ...]]


@dataclass(frozen=True)
class Part:
    """A piece of a mesh: vertices Float[V,3] in metres, faces as vertex numbers, one material's name."""

    vertices: Array
    faces: Faces
    material: str


def _grid_faces(rows: int, columns: int, wrap: bool) -> Faces:
    """Quads of a row-major grid; with `wrap` the last column joins the first."""
    quads = []
    for row in range(rows - 1):
        for column in range(columns if wrap else columns - 1):
            here, right = row * columns + column, row * columns + (column + 1) % columns
            quads.append((here, right, right + columns, here + columns))
    return quads


def lathe(profile: Sequence[tuple[float, float]], segments: int, material: str) -> Part:
    """Turns `profile`, (radius, height) pairs that start and end on the axis, about Z into a closed surface.

    The profile runs so that the matter lies on its left hand: from the bottom of the axis outwards and up.
    """
    angles = np.linspace(0.0, 2.0 * np.pi, segments, endpoint=False)
    inner = np.asarray(profile[1:-1])
    circle = np.stack([np.cos(angles), np.sin(angles)], axis=1)
    rings = np.concatenate(
        [inner[:, None, :1] * circle[None], np.broadcast_to(inner[:, None, 1:], (len(inner), segments, 1))],
        axis=2,
    ).reshape(-1, 3)
    first, last = len(rings), len(rings) + 1
    poles = [[0.0, 0.0, profile[0][1]], [0.0, 0.0, profile[-1][1]]]
    faces = _grid_faces(len(inner), segments, wrap=True)
    top = (len(inner) - 1) * segments
    for column in range(segments):
        after = (column + 1) % segments
        faces.append((first, after, column))
        faces.append((last, top + column, top + after))
    return Part(np.concatenate([rings, poles]), faces, material)


def ellipsoid(
    centre: Sequence[float],
    radii: Sequence[float],
    material: str,
    turn: Array | None = None,
    rings: int = 12,
    segments: int = 20,
) -> Part:
    """A closed ellipsoid; `turn` is a rotation matrix Float[3,3] about its centre."""
    angles = np.linspace(-np.pi / 2.0, np.pi / 2.0, rings + 1)
    ball = lathe(list(zip(np.cos(angles), np.sin(angles), strict=True)), segments, material)
    vertices = ball.vertices * np.asarray(radii)
    if turn is not None:
        vertices = vertices @ turn.T
    return Part(vertices + np.asarray(centre), ball.faces, material)


def torus(centre: Sequence[float], radius: float, thickness: float, squash: float, material: str) -> Part:
    """A closed ring about Z; `thickness` is the tube's radius, `squash` scales its height."""
    around = np.linspace(0.0, 2.0 * np.pi, 40, endpoint=False)
    across = np.linspace(0.0, 2.0 * np.pi, 10, endpoint=False)
    distance = radius + thickness * np.cos(across)[None, :]
    vertices = np.stack(
        [
            distance * np.cos(around)[:, None],
            distance * np.sin(around)[:, None],
            np.broadcast_to(squash * thickness * np.sin(across), (40, 10)),
        ],
        axis=2,
    ).reshape(-1, 3)
    faces = []
    for i in range(40):
        for j in range(10):
            k, m = (i + 1) % 40, (j + 1) % 10
            faces.append((i * 10 + j, k * 10 + j, k * 10 + m, i * 10 + m))
    return Part(vertices + np.asarray(centre), faces, material)


def _transported_frames(path: Array) -> tuple[Array, Array]:
    """Two unit normals Float[P,3] along `path`, carried from point to point without twist."""
    tangents = np.gradient(path, axis=0)
    tangents /= np.linalg.norm(tangents, axis=1, keepdims=True)
    start = np.eye(3)[np.argmin(np.abs(tangents[0]))]
    normals = np.empty_like(path)
    for index, tangent in enumerate(tangents):
        start = start - tangent * (tangent @ start)
        start /= np.linalg.norm(start)
        normals[index] = start
    return normals, np.cross(tangents, normals)


def tube(path: Array, radii: Array, sides: int, material: str) -> Part:
    """A closed tube around `path` Float[P,3] with radius `radii` Float[P], its ends capped."""
    normals, binormals = _transported_frames(path)
    angles = np.linspace(0.0, 2.0 * np.pi, sides, endpoint=False)
    circle = np.cos(angles)[None, :, None] * normals[:, None] + np.sin(angles)[None, :, None] * binormals[:, None]
    return _loft(path[:, None] + radii[:, None, None] * circle, material)


def _loft(rings: Array, material: str) -> Part:
    """A closed surface through `rings` Float[R,C,3], each counterclockwise about the way to the next, ends capped."""
    count, sides = rings.shape[:2]
    faces = _grid_faces(count, sides, wrap=True)
    last = (count - 1) * sides
    faces.append(tuple(range(sides - 1, -1, -1)))
    faces.append(tuple(range(last, last + sides)))
    return Part(rings.reshape(-1, 3), faces, material)


def stepped_box(
    low: Sequence[float], high: Sequence[float], axis: int, steps: Sequence[tuple[float, float]], material: str
) -> Part:
    """A closed loft of rectangles across `axis`, each by (how far inside of low..high, how far along from low)."""
    first, second = (axis + 1) % 3, (axis + 2) % 3
    rings = np.empty((len(steps), 4, 3))
    for ring, (inside, along) in zip(rings, steps, strict=True):
        ring[:, first] = np.array([low, high, high, low])[:, first] + inside * np.array([1.0, -1.0, -1.0, 1.0])
        ring[:, second] = np.array([low, low, high, high])[:, second] + inside * np.array([1.0, 1.0, -1.0, -1.0])
        ring[:, axis] = low[axis] + along
    return _loft(rings, material)


def sheet(grid: Array, material: str) -> Part:
    """An open sheet through the points `grid` Float[R,C,3]."""
    rows, columns = grid.shape[:2]
    return Part(grid.reshape(-1, 3), _grid_faces(rows, columns, wrap=False), material)


def shell(grid: Array, thickness: float, material: str) -> Part:
    """A closed shell of `thickness` metres around the sheet through `grid` Float[R,C,3]."""
    rows, columns = grid.shape[:2]
    normals = np.cross(np.gradient(grid, axis=0), np.gradient(grid, axis=1))
    normals /= np.linalg.norm(normals, axis=2, keepdims=True)
    offset = 0.5 * thickness * normals
    count = rows * columns
    # Row-by-column order turns against the normal, so the side along it takes the faces reversed.
    one = _grid_faces(rows, columns, wrap=False)
    faces = [quad[::-1] for quad in one] + [tuple(vertex + count for vertex in quad) for quad in one]
    numbers = np.arange(count).reshape(rows, columns)
    border = np.concatenate([numbers[0, :-1], numbers[:-1, -1], numbers[-1, :0:-1], numbers[:0:-1, 0]])
    for here, after in zip(border, np.roll(border, -1), strict=True):
        faces.append((int(here), int(after), int(after) + count, int(here) + count))
    return Part(np.concatenate([grid + offset, grid - offset]).reshape(-1, 3), faces, material)


def make_mesh(name: str, parts: Sequence[Part], materials: dict[str, bpy.types.Material]) -> bpy.types.Mesh:
    """Joins `parts` (nothing is welded) into one smooth-shaded mesh with the materials that they name."""
    starts = np.cumsum([0] + [len(part.vertices) for part in parts])
    faces = [
        tuple(int(vertex + start) for vertex in face)
        for part, start in zip(parts, starts[:-1], strict=True)
        for face in part.faces
    ]
    slots = list(materials)
    mesh = bpy.data.meshes.new(name)
    mesh.from_pydata(np.concatenate([part.vertices for part in parts]).tolist(), [], faces)
    for slot in slots:
        mesh.materials.append(materials[slot])
    indices = [slots.index(part.material) for part in parts for _face in part.faces]
    mesh.polygons.foreach_set("material_index", indices)
    mesh.polygons.foreach_set("use_smooth", [True] * len(indices))
    mesh.set_sharp_from_angle(angle=np.radians(50.0))
    mesh.update()
    return mesh
