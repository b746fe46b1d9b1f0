"""Sheets and other simulated objects: cloth meets what moves."""

from __future__ import annotations

from typing import Any

import numpy as np

from backend.data.shapes import box
from backend.engine import analyze, prepare
from backend.kinematics.decode import decode_frames
from tests.backend.sheets.cloths import cloth, sphere

RADIUS = 0.2


Thing = tuple[tuple[np.ndarray, np.ndarray], str, dict[str, Any]]


def together(things: list[Thing], **shared: Any) -> list[np.ndarray]:
    """Frames Float[T,V,3] of each of several meshes with a provider and conditions."""
    analyses = [analyze(*mesh, provider, name="Cloth") for mesh, provider, _ in things]
    take = prepare(analyses, [{"anchor": "none", **own, **shared} for _, _, own in things])
    frames, found = list(take.frames(lambda: False)), []
    for number, (mesh, _, _) in enumerate(things):
        own = [each[number] for each in frames]
        weights = take.members[number].motion.weights
        handles = [frame.handles for frame in own]
        points = [frame.points for frame in own if frame.points is not None]
        found.append(decode_frames(mesh[0], weights, handles, points))
    return found


def raised(mesh: tuple[np.ndarray, np.ndarray], height: float) -> tuple[np.ndarray, np.ndarray]:
    return mesh[0] + np.array([0.0, 0.0, height]), mesh[1]


def ball(*place: float) -> tuple[np.ndarray, np.ndarray]:
    vertices, triangles = sphere(RADIUS, 12)
    return vertices + np.array(place), triangles


def test_a_cloth_drapes_over_a_box_that_is_simulated() -> None:
    mesh = box((-0.2, -0.2, 0.0), (0.2, 0.2, 0.3))
    shapes, boxes = together(
        [
            (raised(cloth(24, 0.8), 0.45), "sheet", {}),
            (mesh, "rigid", {}),
        ],
        frames=48,
        ground={"height": 0.0},
    )
    np.testing.assert_allclose(boxes[-1], mesh[0], atol=2e-3)
    inside = (np.abs(shapes[:, :, :2]) < 0.199).all(axis=2) & (shapes[:, :, 2] < 0.299)
    assert not inside.any()
    above = (np.abs(shapes[0][:, :2]) < 0.15).all(axis=1)
    assert shapes[-1][above, 2].max() < 0.32  # it lies on it
    assert shapes[-1][:, 2].min() < 0.05  # and hangs down at the sides


def test_a_ball_that_flies_takes_a_hanging_cloth_along() -> None:
    """Into a cloth that hangs by its upper edge; nothing of it gets inside the ball."""
    vertices, triangles = cloth(24)
    hanging = vertices[:, [1, 2, 0]]  # in the plane y = 0
    upper = np.flatnonzero(hanging[:, 2] > hanging[:, 2].max() - 1e-6).tolist()
    mesh = ball(0.0, -0.25, -0.2)
    shapes, balls = together(
        [
            ((hanging, triangles), "sheet", {"pins": [{"vertices": upper}]}),
            (mesh, "rigid", {"velocities": [{"linear": [0.0, 1.5, 1.5]}]}),
        ],
        frames=9,
    )
    centres = balls.mean(axis=1)
    away = np.linalg.norm(shapes - centres[:, None], axis=2)
    assert away.min() > RADIUS * np.cos(np.pi / 24.0) ** 2
    assert shapes[-1][:, 1].max() > 0.4
    # The ball does not feel it: free flight.
    np.testing.assert_allclose(centres[-1, 1] - centres[0, 1], 1.5 * 8 / 24, rtol=1e-3)


def test_a_cloth_that_sleeps_wakes_when_something_comes() -> None:
    shapes, _ = together(
        [
            (raised(cloth(12, 0.6), 0.01), "sheet", {}),
            (ball(-1.5, 0.0, RADIUS + 0.002), "rigid", {"velocities": [{"linear": [1.2, 0.0, 0.0]}]}),
        ],
        frames=40,
        ground={"height": 0.0, "friction": 0.0},
    )
    moved = np.abs(np.diff(shapes, axis=0)).max(axis=(1, 2))
    asleep = np.flatnonzero(moved == 0.0)
    assert len(asleep) and moved[asleep[0] :].max() > 1e-3


def test_colliders_may_have_faces_without_area() -> None:
    """Two corners at one place, and three in a line."""
    vertices = np.array([[-1.0, -1.0, 0], [1, -1, 0], [1, 1, 0], [-1, 1, 0], [1, 1, 0], [0, -1, 0]])
    triangles = [[0, 1, 2], [0, 2, 3], [2, 4, 3], [0, 5, 1]]
    analysis = analyze(*raised(cloth(8, 0.5), 0.02), "sheet", name="Cloth")
    collider = {"vertices": vertices.tolist(), "triangles": triangles}
    take = prepare([analysis], [{"anchor": "none", "frames": 12, "colliders": [collider]}])
    shapes = np.array([frame.points for (frame,) in take.frames(lambda: False)])
    assert np.isfinite(shapes).all() and shapes[-1][:, 2].min() > 0.0
