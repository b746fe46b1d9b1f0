"""Shapes of pieces against boxes and balls whose values are known."""

from __future__ import annotations

import numpy as np
import pytest

from backend.data.shapes import box, disc, joined, moved, sphere
from backend.materials.clues import piece_shapes


def shapes_of(*pieces):
    vertices, triangles = joined(*pieces)
    piece = np.repeat(np.arange(len(pieces)), [len(each[1]) for each in pieces])
    return piece_shapes(vertices, triangles, piece)


def test_a_cube_is_thick_and_closed():
    (shape,) = shapes_of(box((0, 0, 0), (2, 2, 2)))
    assert shape.thinness == pytest.approx(2.0 / 6.0 / (2.0 * np.sqrt(3.0)))
    assert shape.size == (1.0, 1.0, 1.0) and shape.centre == (0.5, 0.5, 0.5)
    assert shape.area == shape.diagonal == 1.0
    assert shape.open_edges == 0.0 and not shape.thin


def test_a_plate_is_half_its_thickness_over_the_diagonal_and_thin():
    (shape,) = shapes_of(box((0, 0, 0), (1, 1, 1e-3)))
    assert shape.thinness * np.sqrt(2.0) == pytest.approx(0.5e-3, rel=5e-3)
    assert shape.thin


def test_an_open_disc_is_a_sheet():
    (shape,) = shapes_of(disc(1.0, 0.0))
    assert shape.open_edges > 0.3 and shape.thin


def test_a_piece_cut_from_a_closed_ball_is_not_open():
    vertices, triangles = sphere(1.0, 16)
    upper = vertices[triangles].mean(axis=1)[:, 2] > 0.0
    shapes = piece_shapes(vertices, triangles, upper.astype(np.int64))
    assert [shape.open_edges for shape in shapes] == [0.0, 0.0]
    assert shapes[1].centre[2] > 0.7 and sum(shape.area for shape in shapes) == pytest.approx(1.0)


def test_shares_are_of_the_whole_object():
    low, high = shapes_of(box((0, 0, 0), (1, 1, 1)), moved(box((0, 0, 0), (1, 1, 1)), (0, 0, 3)))
    assert low.size == pytest.approx((1.0, 1.0, 0.25)) and low.centre == pytest.approx((0.5, 0.5, 0.125))
    assert high.centre[2] == pytest.approx(0.875) and low.area == high.area == 0.5
    assert low.pieces == high.pieces == 2


def test_units_do_not_matter():
    vertices, triangles = sphere(1.0)
    one = np.zeros(len(triangles), dtype=np.int64)
    near, far = (piece_shapes(scale * vertices, triangles, one)[0] for scale in (1e-3, 1e3))
    assert near.thinness == pytest.approx(far.thinness) and near.size == pytest.approx(far.size)
