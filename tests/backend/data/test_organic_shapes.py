"""Swept skins, ribbons, blocks and grafts: closed, outward, of the volume that they should have."""

from __future__ import annotations

import numpy as np
import pytest

from backend.data.creature import Creature
from backend.data.organic_shapes import (
    block,
    frames_along,
    graft,
    grid_triangles,
    resampled,
    ribbon,
    sweep,
    sweep_triangles,
)


def volume(points, triangles):
    a, b, c = (points[triangles[:, corner]] for corner in range(3))
    return float(np.einsum("fi,fi->", a, np.cross(b, c))) / 6.0


def edge_use(triangles):
    directed = np.concatenate([triangles[:, [0, 1]], triangles[:, [1, 2]], triangles[:, [2, 0]]])
    forward, counts = np.unique(directed, axis=0, return_counts=True)
    backward = np.unique(directed[:, ::-1], axis=0)
    return counts, forward.shape == backward.shape and (forward == backward).all()


def closed(triangles):
    counts, matched = edge_use(triangles)
    return bool((counts == 1).all() and matched)


def test_a_straight_sweep_is_a_prism():
    line = np.linspace([0.0, 0.0, 0.0], [1.0, 2.0, 2.0], 5)
    points = sweep(line, np.full((5, 2), 0.3), 12)
    triangles = sweep_triangles(5, 12)
    assert closed(triangles)
    prism = 3.0 * 12 * 0.5 * 0.3**2 * np.sin(2.0 * np.pi / 12)
    assert volume(points, triangles) == pytest.approx(prism, rel=1e-12)


def test_a_bent_sweep_has_the_volume_of_its_line():
    """Pappus: the section times the way of its centre, for a quarter of a ring."""
    angle = np.linspace(0.0, 0.5 * np.pi, 60)
    line = np.stack([np.cos(angle), np.sin(angle), 0.0 * angle], axis=1)
    points = sweep(line, np.full((60, 2), 0.2), 48)
    assert volume(points, sweep_triangles(60, 48)) == pytest.approx(np.pi * 0.04 * 0.5 * np.pi, rel=0.01)


def test_frames_do_not_spin():
    t = np.linspace(0.0, 1.0, 40)
    line = np.stack([np.cos(4 * t), np.sin(4 * t), t], axis=1)
    tangent, normal, binormal = frames_along(line)
    frame = np.stack([tangent, normal, binormal], axis=1)
    np.testing.assert_allclose(frame @ frame.transpose(0, 2, 1), np.broadcast_to(np.eye(3), (40, 3, 3)), atol=1e-12)
    turn = np.einsum("ri,ri->r", np.diff(normal, axis=0), 0.5 * (binormal[1:] + binormal[:-1]))
    assert np.abs(turn).max() < 0.01


@pytest.mark.parametrize("cells", [(1, 1, 1), (3, 2, 4), (1, 5, 2)])
def test_blocks(cells):
    points, triangles = block((1.0, 2.0, 3.0), cells)
    assert closed(triangles)
    assert volume(points, triangles) == pytest.approx(6.0, rel=1e-12)
    assert len(points) == 2 + 2 * (cells[0] * cells[1] + cells[1] * cells[2] + cells[2] * cells[0])


def test_a_rounded_block_is_smaller_and_keeps_its_sides():
    points, triangles = block((1.0, 2.0, 3.0), (8, 8, 8), 0.2)
    assert closed(triangles) and 5.0 < volume(points, triangles) < 6.0
    np.testing.assert_allclose(np.ptp(points, axis=0), [1.0, 2.0, 3.0], atol=1e-12)


def test_a_ribbon_is_as_wide_as_asked():
    line = np.linspace([0.0, 0.0, 0.0], [1.0, 0.0, 0.0], 4)
    sides = np.tile([0.0, 0.5, 0.0], (4, 1))
    points = ribbon(line, sides, 3)
    corners = points[grid_triangles(4, 3)]
    area = 0.5 * np.linalg.norm(np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]), axis=1).sum()
    assert area == pytest.approx(1.0)


def test_curves_go_through_their_points():
    points = np.random.default_rng(0).normal(size=(5, 3))
    np.testing.assert_allclose(resampled(points, 13)[::3], points, atol=1e-12)


def test_a_grafted_limb_closes_the_hole():
    line = np.linspace([0.0, 0.0, 0.0], [2.0, 0.0, 0.0], 7)
    points, triangles = sweep(line, np.full((7, 2), 0.5), 8), sweep_triangles(7, 8)
    # Two rows of two quads on the side, opened by hand; the vertex in the middle falls away.
    rows, columns = np.arange(2, 4), np.arange(1, 3)
    quads = (rows[:, None] * 8 + columns).ravel()
    kept = np.delete(triangles, np.concatenate([quads, quads + 6 * 8]), axis=0)
    loop = np.array([17, 18, 19, 27, 35, 34, 33, 25])
    out = points[26] / np.linalg.norm(points[26] * [0, 1, 1]) * [0, 1, 1]
    limb = points[26] + np.array([[0.2], [0.6], [1.0]]) * out
    before = volume(points, triangles)
    grown, faces, ring = graft(points, kept, loop, limb, np.full((3, 2), 0.15))
    assert closed(faces)
    assert len(ring) == len(grown) - len(points) == 3 * 8 + 1
    gained = volume(grown, faces) - before
    assert 0.8 * np.pi * 0.15**2 < gained < 2.0 * np.pi * 0.15**2


def test_welded_creatures_are_one_closed_skin():
    rng = np.random.default_rng(3)
    spine = np.linspace([-1.0, 0.0, 1.0], [1.0, 0.0, 1.0], 7)
    creature = Creature(rng, spine, np.full((7, 2), 0.25), 3, welded=True)
    for sign, angle in ((1.0, 1.4), (-1.0, 0.6)):
        foot = np.array([[0.0, sign * 0.2, 0.9], [0.0, sign * 0.3, 0.5], [0.0, sign * 0.3, 0.0]])
        creature.limb(3.0, angle * np.pi, foot, [0.1, 0.08, 0.06])
        creature.way(0, (0.0, 1.0, 0.0), -0.5, 0.5)
    thing = creature.finish("test", "animal")
    assert closed(thing.triangles) and thing.shell.max() == 0
    assert volume(thing.vertices, thing.triangles) > 0.0
    # A closed skin without holes: V - E + F = 2.
    assert len(thing.vertices) - len(thing.triangles) // 2 == 2
