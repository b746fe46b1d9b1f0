"""Parts where nobody has said them."""

from __future__ import annotations

import numpy as np

from backend.data.shapes import box, joined, moved, sphere
from backend.joint_search.bulges import bulges
from backend.joint_search.parts import joined as joined_pieces
from backend.joint_search.parts import pieces_of
from tests.backend.shapes import blocks


def test_loose_parts_are_pieces() -> None:
    vertices, triangles = joined(box((0, 0, 0), (1, 1, 1)), box((2, 0, 0), (3, 1, 1)))
    assert pieces_of(vertices, triangles).tolist() == [0] * 12 + [1] * 12


def test_of_very_many_pieces_the_small_ones_go_with_the_nearest_large_one() -> None:
    studs = [box((0.01 * k, 0.5, 1.0), (0.01 * k + 0.004, 0.504, 1.004)) for k in range(90)]
    far = [moved(each, (5.0, 0.0, 0.0)) for each in studs]
    vertices, triangles = joined(box((0, 0, 0), (1, 1, 1)), box((5, 0, 0), (6, 1, 1)), *studs, *far)
    piece = pieces_of(vertices, triangles)
    assert piece.max() + 1 == 160
    left = vertices[triangles].mean(axis=1)[:, 0] < 3.0
    assert not set(piece[left]) & set(piece[~left])


def test_groups_join_by_the_mean_of_what_their_pairs_say() -> None:
    # 0 and 1 belong together; 2 belongs to 1 a little, but far from 0.
    pairs = np.array([[0, 1], [1, 2], [0, 2]])
    assert joined_pieces(3, pairs, np.array([3.0, 2.0, -4.0]), np.ones(3)).tolist() == [0, 0, 1]
    assert joined_pieces(3, pairs, np.array([3.0, 4.0, 0.5]), np.ones(3)).tolist() == [0, 0, 0]
    assert joined_pieces(3, pairs, -np.ones(3), np.ones(3)).tolist() == [0, 1, 2]


def test_a_knob_on_a_board_of_one_piece_is_a_bulge() -> None:
    """A slab with a block on it, as one closed surface: the crease around the block goes in."""
    grid = np.zeros((6, 6, 2), dtype=bool)
    grid[:, :, 0] = True
    grid[2:4, 2:4, 1] = True
    vertices, triangles = blocks(grid, np.arange(7.0), np.arange(7.0), np.array([0.0, 1.0, 3.0]))
    label = bulges(vertices, triangles)
    middle = vertices[triangles].mean(axis=1)
    knob = middle[:, 2] > 1.0 + 1e-9
    assert label.max() == 1
    assert len(set(label[knob])) == 1 and len(set(label[~knob])) == 1


def test_what_is_round_is_one_part() -> None:
    assert bulges(*sphere(1.0)).max() == 0
    assert bulges(*box((0, 0, 0), (1, 1, 1))).max() == 0
