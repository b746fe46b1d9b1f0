"""Material never reaches across air: not between blades, legs, folds or coils."""

from __future__ import annotations

import numpy as np
import pytest

from backend.geometry import MaterialCloud
from tests.backend.geometry.clouds import sampled
from tests.backend.geometry.shapes import Arrays, ball, blocks, box, folded_sheet, joined, sheet

LINES = np.linspace(0.0, 1.0, 51)
WIDTH = np.linspace(0.0, 0.1, 6)


def _crossing(cloud: MaterialCloud, side: np.ndarray) -> np.ndarray:
    """Edges whose ends lie on different sides, Int[n,2]."""
    return cloud.edges[side[cloud.edges[:, 0]] != side[cloud.edges[:, 1]]]


def _scissors(gap: float) -> Arrays:
    """Two blades of length 1, `gap` apart but for a stub at x = 0.3 to 0.36 where they touch."""
    lower = np.zeros((50, 5, 2), dtype=bool)
    lower[:, :, 0] = True
    lower[15:18, 1:4, 1] = True
    upper = np.ones((43, 7, 1), dtype=bool)
    upper_lines = np.linspace(0.0, 1.0, 44), np.linspace(0.001, 0.099, 8), [0.03 + gap, 0.06 + gap]
    return joined(blocks(lower, LINES, WIDTH, [0.0, 0.03, 0.03 + gap]), blocks(upper, *upper_lines))


@pytest.mark.parametrize("gap", [0.02, 0.01, 0.005])
def test_scissors_of_two_parts(gap: float) -> None:
    _, cloud = sampled(_scissors(gap))
    assert (cloud.part_count, cloud.closed_part_count) == (2, 2)
    assert len(cloud.bridges) >= 3
    assert cloud.bridge_gaps.max() < 0.0025
    x = cloud.position[cloud.bridges, 0]
    assert x.min() > 0.3 - 2 * cloud.spacing and x.max() < 0.36 + 2 * cloud.spacing
    assert cloud.warnings == ()


@pytest.mark.parametrize("gap", [0.02, 0.01, 0.002])
@pytest.mark.parametrize("axis", [0, 1, 2])
def test_scissors_of_one_part(gap: float, axis: int) -> None:
    """Two blades joined at one end (x > 0.9), in all three directions."""
    filled = np.ones((50, 5, 3), dtype=bool)
    filled[:45, :, 1] = False
    vertices, triangles = blocks(filled, LINES, WIDTH, [0.0, 0.03, 0.03 + gap, 0.06 + gap])
    _, cloud = sampled((np.roll(vertices, axis, axis=1), triangles))
    assert (cloud.part_count, cloud.closed_part_count) == (1, 1)
    position = np.roll(cloud.position, -axis, axis=1)
    upper = position[:, 2] > 0.03 + gap / 2
    crossing = _crossing(cloud, upper)
    assert len(crossing) > 0, "they are one piece at the joint"
    assert position[crossing, 0].min() > 0.9 - 1.5 * cloud.spacing


def test_slanted_gap() -> None:
    """A narrow gap at 45 degrees to all axes, where columns are worst."""
    filled = np.ones((50, 5, 3), dtype=bool)
    filled[:45, :, 1] = False
    vertices, triangles = blocks(filled, LINES, WIDTH, [0.0, 0.03, 0.032, 0.062])
    turn = np.linalg.qr(np.array([[1.0, 1.0, 0.3], [-1.0, 1.0, 0.5], [0.2, -0.6, 1.0]]))[0]
    _, cloud = sampled((vertices @ turn.T, triangles))
    position = cloud.position @ turn
    crossing = _crossing(cloud, position[:, 2] > 0.031)
    assert position[crossing, 0].min() > 0.9 - 1.5 * cloud.spacing


@pytest.mark.parametrize("gap", [0.04, 0.01, 0.003])
def test_folded_sheet(gap: float) -> None:
    mesh, cloud = sampled(folded_sheet(gap))
    assert cloud.closed_part_count == 0
    upper = cloud.position[:, 2] > gap / 2
    crossing = _crossing(cloud, upper)
    assert len(crossing) > 0
    assert cloud.position[crossing, 0].min() > 1.0 - 1.5 * cloud.spacing
    # Vertices are owned on their own half, but for those at the fold.
    owner = cloud.vertex_node
    far = mesh.vertices[:, 0] < 1.0 - 1.5 * cloud.spacing
    assert np.array_equal(upper[owner][far], mesh.vertices[far, 2] > gap / 2)


def test_rolled_sheet() -> None:
    """Six turns of a spiral 0.4 spacings apart: layers look the same way, so only the way along them counts."""
    vertices, triangles = sheet(30, 1200, 0.4, 1.0)
    angle = vertices[:, 1] * 12 * np.pi
    radius = 0.3 + 0.012 * angle / (2 * np.pi)
    rolled = np.stack([vertices[:, 0], radius * np.cos(angle), radius * np.sin(angle)], axis=1)
    _, cloud = sampled((rolled, triangles))
    near = np.arange(len(rolled))
    owned_angle = np.zeros(len(cloud.position))
    for node in range(len(cloud.position)):
        owned_angle[node] = np.median(angle[near[cloud.vertex_node == node]])
    turn = np.abs(np.diff(owned_angle[cloud.edges], axis=1))
    assert turn.max() < 1.5, "no edge reaches the next layer, 6.28 further on"
    spread = np.abs(angle - owned_angle[cloud.vertex_node])
    assert spread.max() < 1.5


def test_edges_of_solids_stay_inside() -> None:
    """Legs of a table 0.02 apart: edges between inner nodes are sampled finely and never leave the blocks."""
    filled = np.ones((5, 3, 2), dtype=bool)
    filled[1, :, 0] = filled[3, :, 0] = False
    x, y, z = [0.0, 0.3, 0.32, 0.62, 0.64, 0.94], np.linspace(0, 0.3, 4), [0.0, 0.6, 0.8]
    _, cloud = sampled(blocks(filled, x, y, z), 3000)
    inner = cloud.edges[~cloud.surface[cloud.edges].all(axis=1)]
    fraction = np.linspace(0.02, 0.98, 40)[None, :, None]
    start, end = cloud.position[inner[:, :1]], cloud.position[inner[:, 1:]]
    samples = (start + fraction * (end - start)).reshape(-1, 3)
    cell = [np.searchsorted(line, samples[:, axis]) - 1 for axis, line in enumerate((x, y, z))]
    held = filled[np.clip(cell[0], 0, 4), np.clip(cell[1], 0, 2), np.clip(cell[2], 0, 1)]
    assert held.all()


def test_overlapping_parts_are_linked_and_keep_their_mass() -> None:
    _, cloud = sampled(joined(box(), box(centre=(0.7, 0.1, 0.2))))
    assert cloud.part_count == 2
    assert cloud.volume.sum() == pytest.approx(2.0, rel=1e-12)
    assert len(cloud.bridges) > 20 and cloud.bridge_gaps.max() < 0.0025
    ends = cloud.position[cloud.bridges]
    # Bridges are where both boxes are, give or take a spacing.
    assert ends[:, :, 0].min() > 0.2 - 1.5 * cloud.spacing and ends[:, :, 0].max() < 0.5 + 1.5 * cloud.spacing
    assert cloud.warnings == ()


def test_embedded_part_is_linked() -> None:
    """An eye deep in a head, whose surfaces do not meet."""
    _, cloud = sampled(joined(ball(30), ball(20, 0.3)))
    assert len(cloud.bridges) > 5
    assert cloud.warnings == ()


def test_stacked_boxes() -> None:
    """Faces that touch without common vertices are linked all over the contact, and nowhere else."""
    _, cloud = sampled(joined(box(), box(centre=(0.31, 0.2, 1.0))))
    assert cloud.part_count == 2
    assert np.allclose(cloud.position[cloud.bridges, 2], 0.5, atol=1.5 * cloud.spacing)
    assert np.allclose(cloud.bridge_gaps, 0.0, atol=1e-9)
    spread = np.ptp(cloud.position[cloud.bridges[:, 0], :2], axis=0)
    assert np.all(spread > [0.6, 0.7])


def test_plate_on_a_point() -> None:
    """A ball that touches a plate is linked around that point alone."""
    plate = box((4.0, 4.0, 0.2), (0.0, 0.0, -1.1))
    _, cloud = sampled(joined(ball(40), plate))
    assert len(cloud.bridges) >= 1
    assert np.linalg.norm(cloud.position[cloud.bridges][:, :, :2], axis=2).max() < 3 * cloud.spacing
    assert cloud.warnings == ()


def test_islands_are_bridged_by_the_shortest_gaps() -> None:
    vertices, triangles = ball(20)
    spheres = [(vertices + np.array([3.0 * number, 0.0, 0.0]), triangles) for number in range(5)]
    _, cloud = sampled(joined(*spheres))
    assert cloud.part_count == 5
    parts = np.sort(cloud.part[cloud.bridges], axis=1)
    assert {tuple(pair) for pair in parts.tolist()} == {(0, 1), (1, 2), (2, 3), (3, 4)}
    assert cloud.bridge_gaps == pytest.approx(1.0, rel=0.01)
    (warning,) = cloud.warnings
    assert str(warning) == "5 loose parts joined (max. gap 1,000.0 mm)."
