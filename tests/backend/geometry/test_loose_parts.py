"""Loose parts: seams of a file do not part a surface, touching parts stay apart."""

from __future__ import annotations

import numpy as np
from backend.geometry.loose_parts import loose_parts

CORNERS = np.array([[x, y, z] for x in (0.0, 1.0) for y in (0.0, 1.0) for z in (0.0, 1.0)])
FACES = np.array(
    [[0, 1, 3], [0, 3, 2], [4, 6, 7], [4, 7, 5], [0, 4, 5], [0, 5, 1], [2, 3, 7], [2, 7, 6], [0, 2, 6], [0, 6, 4]]
    + [[1, 5, 7], [1, 7, 3]]
)


def test_touching_boxes_are_two_parts() -> None:
    vertices = np.vstack([CORNERS, CORNERS + [1.0, 0.0, 0.0]])
    part = loose_parts(vertices, np.vstack([FACES, FACES + 8]))
    assert part.tolist() == [0] * 8 + [1] * 8


def test_split_corners_are_one_part() -> None:
    soup = CORNERS[FACES].reshape(-1, 3)
    assert not loose_parts(soup, np.arange(36).reshape(12, 3)).any()


def test_parts_are_numbered_by_first_vertex_and_lone_vertices_are_parts() -> None:
    vertices = np.vstack([[[9.0, 9.0, 9.0]], CORNERS + 2.0, CORNERS])
    part = loose_parts(vertices, np.vstack([FACES + 9, FACES + 1]))
    assert part.tolist() == [0] + [1] * 8 + [2] * 8
