"""Material of solids, sheets, soups and damaged meshes."""

from __future__ import annotations

import numpy as np
import pytest

from backend.errors import UserError
from backend.geometry import MaterialCloud, sample_material, triangle_areas, validate_mesh
from tests.backend.geometry.clouds import sampled
from tests.backend.geometry.shapes import Arrays, ball, blocks, box, joined, sheet, soup, split, torus


def _turned_over(arrays: Arrays) -> Arrays:
    return arrays[0], arrays[1][:, ::-1]


def _equal(first: MaterialCloud, second: MaterialCloud) -> bool:
    return all(
        np.asarray(getattr(first, name)).tobytes() == np.asarray(getattr(second, name)).tobytes()
        for name in first.__dataclass_fields__
        if name != "warnings"
    )


@pytest.mark.parametrize(
    ("arrays", "volume"),
    [
        (box((2.0, 1.0, 0.5), (5.0, -3.0, 100.0)), 1.0),
        (ball(60), 4.0 / 3.0 * np.pi),
        (torus(200, 50), 2.0 * np.pi**2 * 0.35**2),
    ],
)
def test_solids_have_their_volume(arrays: Arrays, volume: float) -> None:
    _, cloud = sampled(arrays)
    assert cloud.volume.sum() == pytest.approx(volume, rel=0.01)
    assert cloud.closed_part_count == cloud.part_count == 1
    assert cloud.solid.all() and 200 < np.count_nonzero(~cloud.surface) < 1300
    assert cloud.warnings == ()


def test_mass_lies_where_the_solid_is() -> None:
    """Centre and moments of inertia of a box, from its nodes, against the closed form."""
    size = np.array([1.0, 0.6, 0.4])
    _, cloud = sampled(box(size, (3.0, 2.0, 1.0)))
    assert cloud.volume.sum() == pytest.approx(size.prod(), rel=1e-12)
    centre = cloud.volume @ cloud.position / cloud.volume.sum()
    assert centre == pytest.approx([3.0, 2.0, 1.0], abs=0.004)
    second = cloud.volume @ (cloud.position - centre) ** 2 / cloud.volume.sum()
    # Lumping a region at its node on the surface overstates the spread a little.
    assert second == pytest.approx(size**2 / 12, rel=0.12)


def test_surface_nodes_are_on_the_surface_and_inner_ones_inside() -> None:
    _, cloud = sampled(box())
    largest = np.abs(cloud.position).max(axis=1)
    assert np.allclose(largest[cloud.surface], 0.5)
    assert np.all(largest[~cloud.surface] < 0.5 - 0.3 * cloud.spacing)
    # The corners are mesh vertices at the extremes.
    assert {tuple(p) for p in np.abs(cloud.position).round(6) if p.min() > 0.499} == {(0.5, 0.5, 0.5)}


@pytest.mark.parametrize("target", [20, 100, 500, 1500, 5000])
@pytest.mark.parametrize("arrays", [box(), torus(200, 50), sheet(2, 2), box((1, 0.01, 0.01)), soup(15, 0.3)])
def test_target_is_met(arrays: Arrays, target: int) -> None:
    _, cloud = sampled(arrays, target)
    assert 0.75 * target < len(cloud.position) < 1.3 * target + 10


def test_neighbours_are_about_one_spacing_apart() -> None:
    for arrays in (box(), torus(200, 50), sheet(2, 2)):
        _, cloud = sampled(arrays)
        length = np.linalg.norm(np.diff(cloud.position[cloud.edges], axis=1)[:, 0], axis=1) / cloud.spacing
        assert length.min() > 0.3 and length.max() < 2.5
        assert 0.9 < np.median(length) < 1.25


@pytest.mark.parametrize(("across", "along"), [(2, 2), (100, 100)])
def test_sheet(across: int, along: int) -> None:
    mesh, cloud = sampled(sheet(across, along, 2.0, 1.0))
    assert cloud.closed_part_count == 0
    assert np.allclose(cloud.thickness, 0.02 * 2.0)
    assert cloud.volume.sum() == pytest.approx(2.0 * 0.04, rel=1e-9)
    assert np.allclose(cloud.normal, [0, 0, 1])
    # The owner of a vertex is near it.
    distance = np.linalg.norm(cloud.position[cloud.vertex_node] - mesh.vertices, axis=1)
    assert distance.max() < 1.5 * cloud.spacing


def test_double_sided_sheet_counts_once() -> None:
    vertices, triangles = sheet(10, 10)
    _, cloud = sampled((vertices, np.concatenate([triangles, triangles[:, ::-1]])))
    assert cloud.closed_part_count == 0
    assert cloud.volume.sum() == pytest.approx(0.02, rel=1e-9)


def test_split_faces_are_the_same_solid() -> None:
    _, whole = sampled(ball(30))
    _, pieces = sampled(split(ball(30)))
    assert (pieces.part_count, pieces.closed_part_count) == (1, 1)
    assert pieces.volume.sum() == pytest.approx(whole.volume.sum(), rel=1e-12)
    assert len(pieces.position) == pytest.approx(len(whole.position), rel=0.1)


def test_faces_that_look_anywhere() -> None:
    vertices, triangles = ball(30)
    mixed = triangles.copy()
    flip = np.random.default_rng(0).random(len(mixed)) < 0.5
    mixed[flip] = mixed[flip][:, ::-1]
    _, whole = sampled((vertices, triangles))
    for variant in (mixed, triangles[:, ::-1], np.concatenate([triangles, triangles])):
        _, cloud = sampled((vertices, variant))
        assert cloud.closed_part_count == 1
        assert cloud.volume.sum() == pytest.approx(whole.volume.sum(), rel=1e-12)
        assert np.count_nonzero(~cloud.surface) > 500


def test_zero_area_faces_and_loose_vertices() -> None:
    vertices, triangles = box()
    vertices = np.concatenate([vertices, [[0.0, 0.0, 0.0], [0.5, 0.0, 0.5]]])
    nothing = [[0, 0, 1], [3, 3, 3], [8, 8, 0]]
    mesh, cloud = sampled((vertices, np.concatenate([triangles, nothing])))
    assert (cloud.part_count, cloud.closed_part_count) == (1, 1)
    assert cloud.volume.sum() == pytest.approx(1.0, rel=1e-12)
    (warning,) = cloud.warnings
    assert str(warning) == "2 loose vertices follow the nearest faces."
    assert np.linalg.norm(cloud.position[cloud.vertex_node[9]] - mesh.vertices[9]) < cloud.spacing


def test_sliver_in_a_seam() -> None:
    """A zero-area face with three distinct vertices closes a T-junction."""
    vertices, triangles = box()
    middle = 0.5 * (vertices[0] + vertices[1])
    vertices = np.concatenate([vertices, [middle]])
    with_edge = [row for row in triangles.tolist() if {0, 1} <= set(row)]
    kept = [row for row in triangles.tolist() if row != with_edge[0]]
    third = next(corner for corner in with_edge[0] if corner > 1)
    turn = with_edge[0].index(0)
    start, end = (0, 1) if with_edge[0][(turn + 1) % 3] == 1 else (1, 0)
    halves = [[start, 8, third], [8, end, third], [start, end, 8]]
    _, cloud = sampled((vertices, np.array(kept + halves)))
    assert cloud.closed_part_count == 1
    assert cloud.volume.sum() == pytest.approx(1.0, rel=1e-12)


def test_non_manifold_edges() -> None:
    # Two blocks that share one edge: four faces there, and still two rooms of material.
    filled = np.zeros((2, 2, 1), dtype=bool)
    filled[0, 0] = filled[1, 1] = True
    lines = np.linspace(0, 1, 3)
    _, cloud = sampled(blocks(filled, lines, lines, [0.0, 0.5]))
    assert (cloud.part_count, cloud.closed_part_count) == (1, 1)
    assert cloud.volume.sum() == pytest.approx(0.25, rel=1e-12)
    # A fin on an edge of a sheet: three faces.
    vertices, triangles = sheet(3, 2)
    fin = np.concatenate([vertices, [[0.5, 0.5, 1.0]]])
    _, cloud = sampled((fin, np.concatenate([triangles, [[2, 3, 6]]])))
    assert (cloud.part_count, cloud.closed_part_count) == (1, 0)


def test_hollow_ball() -> None:
    outer, inner = ball(40), _turned_over(ball(40, 0.8))
    _, cloud = sampled(joined(outer, inner))
    assert (cloud.part_count, cloud.closed_part_count) == (1, 1)
    assert cloud.volume.sum() == pytest.approx(4 / 3 * np.pi * (1 - 0.8**3), rel=0.01)
    assert np.linalg.norm(cloud.position, axis=1).min() > 0.78
    assert len(cloud.bridges) == 0


@pytest.mark.parametrize("radius", [0.1, 0.02, 0.003])
def test_small_cavities(radius: float) -> None:
    _, cloud = sampled(joined(ball(40), _turned_over(ball(20, radius))))
    assert cloud.part_count == 1


@pytest.mark.parametrize("thickness", [0.05, 0.01, 0.002])
def test_thin_box(thickness: float) -> None:
    for axis in range(3):
        size = np.ones(3)
        size[axis] = thickness
        _, cloud = sampled(box(size))
        assert cloud.closed_part_count == 1
        assert cloud.volume.sum() == pytest.approx(thickness, rel=1e-12)
        # Both sides hold on to each other through the material.
        side = cloud.position[:, axis] > 0
        across = np.count_nonzero(side[cloud.edges[:, 0]] != side[cloud.edges[:, 1]])
        assert across > 0.5 * np.count_nonzero(cloud.surface)


def test_soup() -> None:
    mesh, cloud = sampled(soup(200))
    assert (cloud.part_count, cloud.closed_part_count) == (200, 0)
    area = triangle_areas(mesh.vertices, mesh.triangles).sum()
    size = np.ptp(mesh.vertices, axis=0).max()
    assert cloud.volume.sum() == pytest.approx(area * 0.02 * size, rel=1e-9)
    assert "loose parts joined" in str(cloud.warnings[0])
    assert np.all(cloud.part[cloud.vertex_node].reshape(-1, 3) == np.arange(200)[:, None])


@pytest.mark.parametrize("scale", [1e-6, 1e6])
def test_units_do_not_matter(scale: float) -> None:
    vertices, triangles = torus(60, 30)
    _, metres = sampled((vertices, triangles))
    _, scaled = sampled((vertices * scale, triangles))
    assert len(scaled.position) == pytest.approx(len(metres.position), rel=0.02)
    assert scaled.spacing == pytest.approx(metres.spacing * scale, rel=1e-6)
    assert scaled.volume.sum() == pytest.approx(metres.volume.sum() * scale**3, rel=1e-9)


@pytest.mark.parametrize("arrays", [box(), torus(100, 50), soup(100), joined(ball(20), sheet(5, 5, 3, 3))])
def test_same_mesh_same_bytes(arrays: Arrays) -> None:
    mesh = validate_mesh(*arrays)
    assert _equal(sample_material(mesh), sample_material(mesh))


@pytest.mark.parametrize(("nodes", "thickness"), [(0, 0.02), (100, 0.0), (100, 1.5), (100, float("nan"))])
def test_senseless_settings(nodes: int, thickness: float) -> None:
    with pytest.raises(UserError) as caught:
        sample_material(validate_mesh(*box()), nodes, thickness)
    assert caught.value.code == "bad_sampling"
