"""The condition `size`: a thing that is drawn at any scale moves as one that is drawn as large as it is said to be."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from backend import engine
from backend.errors import UserError
from backend.kinematics.decode import decode_frames
from tests.backend.shapes import bar, block, moved, sheet

TRUE, SCALE = 0.5, 0.05  # m, and how large it is in truth over how large it is drawn


def played(vertices: np.ndarray, triangles: np.ndarray, provider: str, **conditions: Any) -> tuple[np.ndarray, dict]:
    """Positions of all frames, Float[T,V,3], and what was found."""
    analysis = engine.analyze(vertices, triangles, provider)
    take = engine.prepare([analysis], [conditions])
    member, frames = take.members[0], [frame for (frame,) in take.frames(lambda: False)]
    handles = [] if member.motion.weights is None else [frame.handles for frame in frames]
    points = [frame.points for frame in frames] if member.motion.has_points else []
    return decode_frames(vertices, member.motion.weights, handles, points), member.summary


@pytest.mark.parametrize(
    ("provider", "mesh"),
    [
        ("rigid", moved(block((0.3, 0.2, TRUE), (2, 2, 2)), (0.2, 0.0, 0.5))),
        ("elastic", bar(TRUE, 0.1)),
        ("sheet", sheet(6, 6, TRUE, TRUE)),
    ],
)
def test_it_moves_as_what_is_drawn_so_large(provider: str, mesh: tuple[np.ndarray, np.ndarray]) -> None:
    true, triangles = mesh
    true = true * (TRUE / np.ptp(true, axis=0).max())
    top = true[true[:, 2].argmax()]
    acting = {
        "frames": 13,
        "ground": {"height": float(true[:, 2].min()) - 0.05},
        "velocities": [{"linear": [0.4, 0.0, 0.3], "angular": [0.0, 1.0, 0.0]}],
        "pokes": [{"point": top.tolist(), "speed": [0.0, 0.5, 0.0], "radius": 0.1, "start": 3}],
        "wind": {"velocity": [2.0, 0.0, 0.0]},
    }
    larger = acting | {
        "ground": {"height": acting["ground"]["height"] / SCALE},
        "velocities": [{"linear": [0.4 / SCALE, 0.0, 0.3 / SCALE], "angular": [0.0, 1.0, 0.0]}],
        "pokes": [
            {"point": (top / SCALE).tolist(), "speed": [0.0, 0.5 / SCALE, 0.0], "radius": 0.1 / SCALE, "start": 3}
        ],
        "size": TRUE,
    }
    expected, _ = played(true, triangles, provider, **acting)
    found, summary = played(true / SCALE, triangles, provider, **larger)
    assert np.ptp(expected[:, :, 2]) > 0.04
    np.testing.assert_allclose(SCALE * found, expected, atol=2e-4 * TRUE)
    assert summary["size"] == pytest.approx(TRUE)


def test_a_drawn_giant_falls_as_slowly_as_it_must_look() -> None:
    vertices, triangles = moved(block((10.0, 10.0, 10.0), (2, 2, 2)), (0.0, 0.0, 5.0))
    shapes, _ = played(vertices, triangles, "rigid", frames=13, fps=24, size=0.1, anchor="none")
    fallen = vertices[:, 2].mean() - shapes[-1][:, 2].mean()
    assert fallen == pytest.approx(100.0 * 0.5 * 9.81 * 0.5**2, rel=1e-3)  # 0.1 m instead of 10 m


def test_live_it_is_pulled_where_it_is_drawn() -> None:
    vertices, triangles = block((10.0, 10.0, 10.0), (2, 2, 2))
    analysis = engine.analyze(vertices, triangles, "rigid")
    live = engine.begin_live(analysis, {"size": 0.1, "gravity": [0.0, 0.0, 0.0]})
    pull = {"point": [0.0, 0.0, 5.0], "radius": 3.0, "target": [0.0, 0.0, 7.0]}
    for _ in range(24):
        frame = live.step(pull)
    lifted = decode_frames(vertices, live.motion.weights, [frame.handles], [])[0][:, 2].mean()
    assert lifted == pytest.approx(2.0, abs=0.4)


def test_what_cannot_have_another_size_is_refused() -> None:
    analysis = engine.analyze(*block((1.0, 1.0, 1.0), (1, 1, 1)), "rigid")
    with pytest.raises(UserError, match="several objects"):
        engine.prepare([analysis, analysis], [{"size": 2.0}, {}])
    with pytest.raises(UserError, match="size"):
        engine.prepare([analysis], [{"size": -1.0}])
