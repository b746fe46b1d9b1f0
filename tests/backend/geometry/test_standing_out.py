"""What stands out from a decimated mesh: the peel of an orange, whose pores a coarse surface cuts off."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial import ConvexHull

from backend.geometry.standing_out import standing_out
from tests.backend.shapes import box, sphere
from tests.backend.takes import run


def _peel(count: int) -> tuple[np.ndarray, np.ndarray]:
    """A ball of 1 m with pores a hundredth of its size."""
    vertices, triangles = sphere(count)
    pores = 1.0 + 0.01 * np.sin(31.0 * vertices[:, :1]) * np.sin(29.0 * vertices[:, 1:2]) * np.sin(
        37.0 * vertices[:, 2:]
    )
    return vertices * pores, triangles


@pytest.mark.parametrize("by", [1e-3, 3e-4])
def test_nothing_is_outside_the_hull_by_more(by: float) -> None:
    vertices = _peel(6000)[0]
    kept = np.random.default_rng(0).choice(len(vertices), 600, replace=False)

    def outside(chosen: np.ndarray) -> float:
        faces = ConvexHull(vertices[chosen]).equations
        return float((vertices @ faces[:, :3].T + faces[:, 3]).max())

    added = standing_out(vertices, kept, by, 5000)
    assert outside(kept) > 3e-3 and outside(np.concatenate([kept, added])) <= by
    assert len(np.intersect1d(added, kept)) == 0 and len(added) < 0.4 * len(vertices)


def test_there_are_no_more_than_asked_for() -> None:
    vertices = _peel(6000)[0]
    assert len(standing_out(vertices, np.arange(0, len(vertices), 10), 1e-4, 100)) == 100


def test_nothing_stands_out_of_what_is_kept_whole_or_flat() -> None:
    vertices = box()[0]
    assert len(standing_out(vertices, np.arange(len(vertices)), 1e-6)) == 0
    assert len(standing_out(vertices * [1.0, 1.0, 0.0], np.arange(3), 1e-6)) == 0


def test_a_fine_ball_that_turns_as_it_falls_never_is_below_the_ground() -> None:
    """It has three times as many vertices as contact looks at."""
    vertices, triangles = sphere(6000)
    height = float(vertices[:, 2].min()) - 0.05
    take = run(
        (vertices, triangles),
        "rigid",
        anchor="none",
        ground={"height": height},
        velocities=[{"angular": [4.0, 1.0, 0.0]}],
        frames=13,
    )
    assert take.positions[..., 2].min() > height
