"""Mesh pieces: closed, outward, and of the volume that geometry says."""

from __future__ import annotations

import numpy as np
import pytest

from backend.data.families.pieces import carcass, container, handle, knob, legs, panel, round_container, slab, wheel
from backend.data.local_frame import LocalFrame, front
from backend.data.shapes import (
    Piece,
    aimed,
    bevelled_box,
    box,
    cylinder,
    disc,
    extruded,
    joined,
    mirrored,
    moved,
    rectangle,
    revolved,
    rounded_prism,
    scaled,
    sphere,
    swept,
    torus,
    turned,
)

FINE = 120  # segments: areas of circles are right to 5e-4


def volume(piece: Piece) -> float:
    """By the divergence theorem; positive where triangles look outwards."""
    corners = piece[0][piece[1]]
    return float(np.einsum("fi,fi->", corners[:, 0], np.cross(corners[:, 1], corners[:, 2])) / 6.0)


def area_vector(piece: Piece) -> np.ndarray:
    """Zero for closed surfaces."""
    corners = piece[0][piece[1]]
    return 0.5 * np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]).sum(axis=0)


def is_closed(piece: Piece) -> bool:
    """Every edge has two triangles that run along it in opposite ways."""
    edges = np.concatenate([piece[1][:, [0, 1]], piece[1][:, [1, 2]], piece[1][:, [2, 0]]])
    return {tuple(edge) for edge in edges} == {tuple(edge[::-1]) for edge in edges}


CLOSED = {
    "box": (box((1, 2, 3), (2, 4, 6)), 6.0),
    "cylinder": (cylinder(0.5, 1.0, 3.0, FINE), np.pi * 0.25 * 2.0),
    "cone": (cylinder(1.0, 0.0, 3.0, FINE, 0.5), np.pi * 3.0 / 3.0 * (1.0 + 0.5 + 0.25)),
    "sphere": (sphere(2.0, FINE), 4.0 / 3.0 * np.pi * 8.0),
    "cap": (sphere(1.0, FINE, 0.0), 2.0 / 3.0 * np.pi),
    "torus": (torus(2.0, 0.5, FINE, FINE), 2.0 * np.pi**2 * 2.0 * 0.25),
    "prism": (extruded([[0, 0], [3, 0], [0, 4]], -1.0, 1.0), 12.0),
    "rounded": (rounded_prism(np.full((2, 2), 2.0), 0.5, [0.0, 3.0], 200), 3.0 * (4.0 - 0.25 * (4.0 - np.pi))),
    "sharp": (rounded_prism([[2.0, 1.0], [2.0, 1.0]], 0.0, [0.0, 3.0], 2), 6.0),
    "vessel": (revolved([[1, 0], [1, 2], [0.5, 2], [0.5, 1]], FINE), np.pi * (2.0 - 0.25)),
    "tube": (swept([[0, 0, 0], [1, 0, 0], [4, 0, 0]], 0.5, FINE), np.pi),
    "ring": (
        swept(np.stack([np.cos(t := np.arange(200) * np.pi / 100), np.sin(t), 0 * t], axis=1), 0.1, 200, closed=True),
        2.0 * np.pi**2 * 0.01,
    ),
}


@pytest.mark.parametrize("name", CLOSED)
def test_solids_are_closed_outward_and_of_the_right_volume(name):
    piece, expected = CLOSED[name]
    assert is_closed(piece)
    np.testing.assert_allclose(area_vector(piece), 0.0, atol=1e-9)
    np.testing.assert_allclose(volume(piece), expected, rtol=2e-3)


def test_bevels_take_little_away():
    piece = bevelled_box((0, 0, 0), (1, 2, 3), 0.1)
    assert is_closed(piece)
    np.testing.assert_allclose(piece[0].min(axis=0), 0.0, atol=1e-12)
    np.testing.assert_allclose(piece[0].max(axis=0), (1, 2, 3), atol=1e-12)
    assert 0.95 * 6.0 < volume(piece) < 6.0


@pytest.mark.parametrize("name", CLOSED)
def test_what_moves_pieces_keeps_them_outward(name):
    piece, _ = CLOSED[name]
    before = volume(piece)
    np.testing.assert_allclose(volume(moved(piece, (3, -2, 1))), before, rtol=1e-9)
    np.testing.assert_allclose(volume(turned(piece, 1, 0.7)), before, rtol=1e-9)
    np.testing.assert_allclose(volume(mirrored(piece, 2)), before, rtol=1e-9)
    np.testing.assert_allclose(volume(aimed(piece, (1, -2, 0.5))), before, rtol=1e-9)
    np.testing.assert_allclose(volume(scaled(piece, (1, 2, 3))), 6.0 * before, rtol=1e-9)
    np.testing.assert_allclose(volume(front((1, 2, 3)).place(piece)[0]), before, rtol=1e-9)
    np.testing.assert_allclose(volume(joined(piece, moved(piece, (9, 9, 9)))), 2.0 * before, rtol=1e-9)


def test_turning_and_aiming_go_the_way_that_they_say():
    tip = (np.array([[0.0, 0.0, 1.0]]), np.zeros((0, 3), dtype=np.int64))
    np.testing.assert_allclose(turned(tip, 0, np.pi / 2)[0], [[0, -1, 0]], atol=1e-15)
    np.testing.assert_allclose(turned(tip, 1, np.pi / 2)[0], [[1, 0, 0]], atol=1e-15)
    for direction in np.random.default_rng(0).normal(size=(20, 3)):
        np.testing.assert_allclose(aimed(tip, direction)[0][0], direction / np.linalg.norm(direction), atol=1e-14)


def test_sheets_look_along_their_normals():
    np.testing.assert_allclose(area_vector(rectangle((1, 1, 1), (2, 0, 0), (0, 3, 0))), [0, 0, 6])
    np.testing.assert_allclose(area_vector(disc(1.0, 2.0, FINE)), [0, 0, np.pi], rtol=1e-3)


@pytest.mark.parametrize("seed", range(12))
def test_shared_pieces_are_outward(seed):
    rng = np.random.default_rng(seed)
    pieces = [
        *slab(rng, (0, 0, 0), (1, 2, 0.1)),
        *handle(rng, 0.2, 0.05),
        *knob(rng, 0.1, 0.1),
        *wheel(rng, 0.3, 0.1),
        *legs(rng, (0, 0), (1, 1), 0.4),
        *panel(rng, 0.5, 0.9, 0.02)[0],
    ]
    for piece in pieces:
        assert np.isfinite(piece[0]).all()
        if is_closed(piece):
            assert volume(piece) > 0.0
    assert sum(is_closed(piece) for piece in pieces) >= len(pieces) - 1  # a panel may be a sheet


@pytest.mark.parametrize("seed", range(12))
def test_containers_are_open_above_and_cabinets_to_the_front(seed):
    """A ray into the opening meets nothing before the bottom; from every other side it meets a wall at once."""
    rng = np.random.default_rng(seed)
    for pieces, opening in (
        (container(rng, (-1, -1, 0), (1, 1, 1), 0.1), 2),
        (carcass(rng, (-1, 0, 0), (1, 1, 2), 0.1), 1),
        (round_container(rng, 1.0, 1.0, 1.0, 0.1, 16), 2),
    ):
        vertices, triangles = joined(*pieces)
        low, high = vertices.min(axis=0), vertices.max(axis=0)
        middle = 0.5 * (low + high)
        for axis in range(3):
            for side in (-1.0, 1.0):
                start = middle.copy()
                start[axis] = high[axis] + 1.0 if side > 0 else low[axis] - 1.0
                start += 1e-3 * np.array([1.0, 0.7, 0.4]) * (np.arange(3) != axis)
                hits = ray_depths((vertices, triangles), start, axis, -side)
                is_opening = axis == opening and (side > 0) == (opening == 2)
                reach = high[axis] - low[axis]
                assert (hits.min() > 1.0 + 0.5 * reach) == is_opening


def ray_depths(piece: Piece, start: np.ndarray, axis: int, way: float) -> np.ndarray:
    """How far along an axis-parallel ray the triangles are that it meets."""
    others = [each for each in range(3) if each != axis]
    corners = piece[0][piece[1]] - start
    flat = corners[:, :, others]
    edges = [flat[:, (k + 1) % 3] - flat[:, k] for k in range(3)]
    signs = np.stack([edges[k][:, 0] * -flat[:, k, 1] + edges[k][:, 1] * flat[:, k, 0] for k in range(3)], axis=1)
    inside = (signs > 0).all(axis=1) | (signs < 0).all(axis=1)
    shares = np.roll(signs[inside], -1, axis=1)
    shares /= shares.sum(axis=1, keepdims=True)
    depth = way * np.einsum("fk,fk->f", shares, corners[inside][:, :, axis])
    return depth[depth > 0]


def test_frames_are_right_handed_and_turn_counter_clockwise():
    frame = front((1, 2, 3))
    np.testing.assert_allclose(np.cross(frame.axes[0], frame.axes[1]), frame.axes[2])
    quarter = frame.turned(1)
    np.testing.assert_allclose(quarter.axes[0], frame.axes[1])
    np.testing.assert_allclose(quarter.axes[1], -frame.axes[0])
    np.testing.assert_allclose(frame.at(1, 2, 3).origin, frame.point(1, 2, 3))
    np.testing.assert_allclose(frame.point(1, 2, 3) - frame.origin, frame.direction(1, 2, 3))
    assert isinstance(frame, LocalFrame)
