"""Loose parts: seams of a file do not part a surface, touching parts stay apart."""

from __future__ import annotations

import numpy as np

from backend.geometry.loose_parts import loose_parts
from tests.backend.shapes import box, joined, moved

BOX = box()
SIDE = float(np.ptp(BOX[0][:, 0]))


def test_touching_boxes_are_two_parts() -> None:
    part = loose_parts(*joined(BOX, moved(BOX, (SIDE, 0.0, 0.0))))
    assert part.tolist() == [0] * 8 + [1] * 8


def test_split_corners_are_one_part() -> None:
    vertices, triangles = BOX
    assert not loose_parts(vertices[triangles].reshape(-1, 3), np.arange(36).reshape(12, 3)).any()


def test_parts_are_numbered_by_first_vertex_and_lone_vertices_are_parts() -> None:
    vertices, triangles = joined(BOX, moved(BOX, (3.0, 3.0, 3.0)))
    vertices, triangles = np.vstack([[[9.0, 9.0, 9.0]], vertices]), np.roll(triangles, 12, axis=0) + 1
    assert loose_parts(vertices, triangles).tolist() == [0] + [1] * 8 + [2] * 8
