"""The surface that contact looks at: the mesh itself when small, a faithful stand-in on its own vertices when not."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from backend.bench.penetration import distances, winding_numbers
from backend.geometry import Mesh, validate_mesh
from backend.geometry.collision_surface import CollisionSurface, collision_surface
from backend.geometry.near_surface import NearSurface
from tests.backend.geometry.shapes import Arrays, ball, blocks, box, joined, sheet, soup, split, torus


def surface_of(arrays: Arrays, most: int = 2000) -> tuple[Mesh, CollisionSurface]:
    """The checked mesh and its surface, checked for what CollisionSurface promises."""
    mesh = validate_mesh(*arrays)
    surface = collision_surface(mesh, most)
    count = len(surface.vertices)
    assert len(np.unique(surface.vertices)) == count
    assert np.all((surface.vertices >= 0) & (surface.vertices < len(mesh.vertices)))
    assert surface.triangles.shape[1] == 3 and surface.closed.shape == (len(surface.triangles),)
    for side in range(3):
        assert np.all(surface.triangles[:, side] != surface.triangles[:, side - 1])
    assert np.all((surface.triangles >= 0) & (surface.triangles < count))
    assert np.all(surface.edges[:, 0] != surface.edges[:, 1])
    assert np.all(balance(surface) == 0), "closed parts have no holes"
    return mesh, surface


def balance(surface: CollisionSurface) -> np.ndarray:
    """Of each edge of the closed parts, how many more faces run along it one way than the other."""
    rows = surface.triangles[surface.closed]
    ends = np.concatenate([rows[:, [0, 1]], rows[:, [1, 2]], rows[:, [2, 0]]])
    index = np.unique(np.sort(ends, axis=1), axis=0, return_inverse=True)[1].reshape(-1)
    return np.bincount(index, np.sign(ends[:, 1] - ends[:, 0]))


def as_mesh(mesh: Mesh, surface: CollisionSurface) -> Arrays:
    return mesh.vertices[surface.vertices], surface.triangles


def volume(mesh: Arrays) -> float:
    a, b, c = (mesh[0][mesh[1][:, corner]] for corner in range(3))
    return float((a * np.cross(b, c)).sum() / 6.0)


def lengths(mesh: Mesh, surface: CollisionSurface) -> np.ndarray:
    ends = mesh.vertices[surface.vertices][surface.edges]
    return np.sort(np.linalg.norm(ends[:, 1] - ends[:, 0], axis=1))


def test_a_small_mesh_is_kept_as_it_is() -> None:
    mesh, surface = surface_of(box())
    assert surface.vertices.tolist() == list(range(8))
    assert len(surface.triangles) == 12 and surface.closed.all()
    assert np.allclose(lengths(mesh, surface), np.ones(12)), "the diagonals of the sides are not sharp"


def test_faces_with_vertices_of_their_own_are_joined_at_the_first_of_them() -> None:
    arrays = split(box())
    mesh, surface = surface_of(arrays)
    assert len(surface.vertices) == 8 and len(surface.edges) == 12 and surface.closed.all()
    for vertex in surface.vertices:
        same = np.flatnonzero((mesh.vertices == mesh.vertices[vertex]).all(axis=1))
        assert vertex == same.min()


def test_what_looks_inwards_is_turned() -> None:
    corners, triangles = box()
    mesh, surface = surface_of((corners, triangles[:, ::-1]))
    assert volume(as_mesh(mesh, surface)) == pytest.approx(1.0)
    assert len(surface.edges) == 12


@pytest.mark.parametrize("inner_outward", [False, True])
def test_the_wall_of_a_cavity_looks_into_it(inner_outward: bool) -> None:
    """A ball in a ball: turned inwards it is a cavity, turned outwards a second solid."""
    outer, inner = ball(10), ball(10, 0.5)
    mesh, surface = surface_of(joined(outer, (inner[0], inner[1] if inner_outward else inner[1][:, ::-1])))
    here = winding_numbers(np.array([[0.1, 0, 0], [0.7, 0, 0], [1.2, 0, 0]]), as_mesh(mesh, surface))
    assert np.allclose(here, [2 if inner_outward else 0, 1, 0])


def test_a_sheet_is_open_and_has_its_rim() -> None:
    mesh, surface = surface_of(sheet(4, 6))
    assert not surface.closed.any()
    assert lengths(mesh, surface).sum() == pytest.approx(4.0)


def test_both_sides_of_a_doubled_sheet_are_one() -> None:
    vertices, triangles = sheet(4, 6)
    _, surface = surface_of((vertices, np.concatenate([triangles, triangles[:, ::-1]])))
    assert len(surface.triangles) == len(triangles) and not surface.closed.any()


def test_edges_in_a_niche_are_left_out() -> None:
    filled = np.ones((2, 1, 2), dtype=bool)
    filled[1, 0, 1] = False
    mesh, surface = surface_of(blocks(filled, np.arange(3.0), np.arange(2.0), np.arange(3.0)))
    ends = mesh.vertices[surface.vertices][surface.edges]
    inner = (ends[:, :, [0, 2]] == 1.0).all(axis=(1, 2))
    assert not inner.any()
    # 12 edges of the two-by-two block, less what was cut off, and three new pieces a side.
    assert lengths(mesh, surface).sum() == pytest.approx(2 * 8 + 5)


def test_sides_can_be_chosen() -> None:
    filled = np.ones((2, 1, 2), dtype=bool)
    filled[1, 0, 1] = False
    mesh, surface = surface_of(blocks(filled, np.arange(3.0), np.arange(2.0), np.arange(3.0)))
    assert lengths(mesh, surface).sum() == pytest.approx(21.0)
    both = surface.with_sides(False)
    assert not both.closed.any() and lengths(mesh, both).sum() == pytest.approx(22.0), "the edge in the niche as well"
    one = both.with_sides(True)
    assert one.closed.all() and np.array_equal(one.edges, surface.edges)
    mesh, sides = surface_of(sheet(4, 6))
    assert np.array_equal(sides.with_sides(True).edges, sides.edges) and sides.with_sides(True).closed.all()


def bevelled_box(cells: int, bevel: float) -> Arrays:
    lines = [np.linspace(-0.5, 0.5, cells + 1)] * 3
    vertices, triangles = blocks(np.ones((cells,) * 3, dtype=bool), *lines)
    core = np.clip(vertices, bevel - 0.5, 0.5 - bevel)
    out = vertices - core
    return core + bevel * out / np.linalg.norm(out, axis=1, keepdims=True).clip(1e-12), triangles


def lumpy_ball(rings: int) -> Arrays:
    """Hills and hollows about as an animal has them."""
    vertices, triangles = ball(rings)
    random = np.random.default_rng(1)
    waves = np.sin(vertices @ random.normal(0, 2.5, (3, 12)) + random.uniform(0, 6, 12)).mean(axis=1)
    return vertices * (1.0 + 0.35 * waves[:, None]), triangles


# The farthest vertex from the stand-in and the mean distance, in parts of the size.
@pytest.mark.parametrize(
    ("name", "arrays", "farthest", "mean"),
    [
        ("ball", ball(70), 0.004, 0.0010),
        ("torus", torus(150, 75), 0.004, 0.0008),
        ("bevelled box", bevelled_box(40, 0.06), 0.005, 0.0005),
        ("lumpy ball", lumpy_ball(70), 0.006, 0.0010),
    ],
)
def test_a_dense_mesh_gets_a_faithful_stand_in(name: str, arrays: Arrays, farthest: float, mean: float) -> None:
    mesh, surface = surface_of(arrays)
    assert 1900 <= len(surface.vertices) <= 2000 and surface.closed.all()
    stand_in = as_mesh(mesh, surface)
    some = mesh.vertices[:: len(mesh.vertices) // 200]
    away = distances(some, stand_in) / np.ptp(mesh.vertices, axis=0).max()
    assert away.max() < farthest and away.mean() < mean
    assert volume(stand_in) == pytest.approx(volume(arrays), rel=0.01)


def test_extreme_vertices_stay() -> None:
    mesh, surface = surface_of(lumpy_ball(60), 800)
    kept = mesh.vertices[surface.vertices]
    assert np.array_equal(kept.min(axis=0), mesh.vertices.min(axis=0))
    assert np.array_equal(kept.max(axis=0), mesh.vertices.max(axis=0))


def test_corners_and_edges_of_a_dense_box_stay_sharp() -> None:
    lines = [np.linspace(-0.5, 0.5, 41)] * 3
    mesh, surface = surface_of(blocks(np.ones((40,) * 3, dtype=bool), *lines))
    assert len(surface.vertices) <= 2000
    assert volume(as_mesh(mesh, surface)) == pytest.approx(1.0, abs=1e-12)
    assert lengths(mesh, surface).sum() == pytest.approx(12.0)


def test_flat_ground_keeps_points_to_bend_at() -> None:
    mesh, surface = surface_of(sheet(120, 120))
    kept = mesh.vertices[surface.vertices]
    cells = np.unique((kept[:, :2] * 9.999).astype(int), axis=0)
    assert len(surface.vertices) >= 1900 and len(cells) == 100
    assert np.allclose(kept[surface.edges].min(axis=(0, 1))[:2], 0.0)
    assert 4.0 - 1e-9 < lengths(mesh, surface).sum() < 4.1


def test_both_sides_of_a_thin_plate_stay() -> None:
    line = np.linspace(0, 1, 71)
    mesh, surface = surface_of(blocks(np.ones((70, 70, 1), dtype=bool), line, line, [0.0, 0.001]))
    assert surface.closed.all()
    assert volume(as_mesh(mesh, surface)) == pytest.approx(0.001, rel=1e-3)


def test_many_loose_pieces_are_few_enough_in_the_end() -> None:
    for arrays in (
        soup(5000),
        joined(*(box((0.01,) * 3, centre) for centre in np.random.default_rng(0).random((600, 3)))),
    ):
        _, surface = surface_of(arrays)
        assert 1000 < len(surface.vertices) <= 2000 and len(surface.triangles) > 200


@settings(max_examples=80, deadline=None, derandomize=True)
@given(seed=st.integers(0, 2**32 - 1), most=st.integers(150, 400))
def test_spoilt_meshes_get_a_surface_too(seed: int, most: int) -> None:
    """Faces missing, doubled, turned over and collapsed; parts in and through each other; noise."""
    random = np.random.default_rng(seed)
    kinds = [ball(8), torus(12, 6), blocks(random.random((4, 4, 4)) < 0.5, *[np.linspace(0, 1, 5)] * 3), sheet(9, 9)]
    kinds += [soup(30, 0.2, seed), box(), split(ball(5))]
    chosen = [kinds[k] for k in random.integers(0, len(kinds), random.integers(1, 6))]
    parts = [(vertices + random.normal(0, 0.5, 3), faces) for vertices, faces in chosen]
    vertices, triangles = joined(*parts, box())
    for _ in range(random.integers(0, 3)):
        some = random.random(len(triangles)) < 0.1
        what = random.integers(0, 4)
        if what == 0:
            triangles = triangles[~some | (np.arange(len(triangles)) < 4)]
        elif what == 1:
            triangles = np.concatenate([triangles, triangles[some]])
        elif what == 2:
            triangles = np.where(some[:, None], triangles[:, ::-1], triangles)
        else:
            vertices = vertices + random.normal(0, 0.05, vertices.shape)
    mesh, surface = surface_of((vertices, triangles), most)
    assert len(surface.vertices) <= most
    found = NearSurface(surface.triangles, surface.closed, mesh.vertices[surface.vertices]).features(
        mesh.vertices, np.full(len(mesh.vertices), 0.5)
    )
    assert np.isfinite(found.gap).all() and np.allclose(np.linalg.norm(found.normal, axis=1), 1.0)


def test_the_same_mesh_gives_the_same_surface() -> None:
    first, second = (surface_of(lumpy_ball(50), 500)[1] for _ in range(2))
    assert np.array_equal(first.vertices, second.vertices) and np.array_equal(first.triangles, second.triangles)
