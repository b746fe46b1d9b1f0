"""A second solver beside the latent one: free particles in a world of their own, and in one with skinned objects."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from backend import engine
from backend.errors import UserError
from backend.extending import solver_analysis
from tests.backend.dynamics.particle_solver import particles
from tests.backend.shapes import block, moved
from tests.backend.takes import analysed

GRAVITY, FPS = 9.81, 24.0
CLOUD = moved(block((0.2, 0.2, 0.2), (2, 2, 2)), (0.0, 0.0, 1.0))


def _analysis() -> engine.Analysis:
    return solver_analysis(particles, *CLOUD, "particles")


def _run(**conditions: Any) -> tuple[np.ndarray, np.ndarray, engine.Take]:
    """Points Float[T,V,3] m, energy Float[T,3] J and the take."""
    take = engine.prepare([_analysis()], [{"anchor": "none", **conditions}])
    frames = [frame for (frame,) in take.frames(lambda: False)]
    assert all(frame.handles is None and frame.q is None for frame in frames)
    return np.array([frame.points for frame in frames]), np.array([frame.energy for frame in frames]), take


def test_they_fall_as_galileo_says_and_keep_their_energy() -> None:
    """x0 + v t + g t^2 / 2, exactly whatever the step; momentum m (v + g t)."""
    velocity = np.array([0.3, -0.2, 1.0])
    points, energy, take = _run(frames=13, velocities=[{"linear": velocity.tolist()}])
    time = (np.arange(13) / FPS)[:, None]
    fallen = velocity * time + 0.5 * np.array([0.0, 0.0, -GRAVITY]) * time**2
    assert np.abs(points - CLOUD[0] - fallen[:, None]).max() < 1e-12
    mass = take.members[0].summary["mass"]
    assert mass == pytest.approx(1000.0 * 0.2**3, rel=0.01)
    momentum = mass * np.linalg.norm(velocity + np.array([0.0, 0.0, -GRAVITY]) * time, axis=1)
    assert energy[:, 0] == pytest.approx(momentum**2 / (2.0 * mass))
    assert np.ptp(energy[:, 2]) < 1e-9 * energy[0, 2]
    assert take.members[0].motion.weights is None and take.members[0].summary["provider"] == "particles"


def test_they_come_to_rest_on_the_ground_and_sleep() -> None:
    points, energy, take = _run(frames=96, ground={"height": 0.5, "friction": 0.6, "restitution": 0.3})
    assert points[:, :, 2].min() >= 0.5
    assert points[-1, :, 2] == pytest.approx(0.5, abs=1e-12)
    assert energy[-1, 0] == 0.0
    counted = take.report()["steps"]
    assert counted < 96 * 2  # it slept over some of them


def test_they_slide_as_far_as_friction_lets_them() -> None:
    """v^2 / (2 mu g) for particles that lie on the ground already."""
    points, _, _ = _run(
        frames=48,
        substeps=20,
        ground={"height": float(CLOUD[0][:, 2].max()), "friction": 0.4, "restitution": 0.0},
        velocities=[{"linear": [2.0, 0.0, 0.0]}],
    )
    way = points[-1, :, 0] - CLOUD[0][:, 0]
    top = CLOUD[0][:, 2] == CLOUD[0][:, 2].max()
    assert way[top] == pytest.approx(2.0**2 / (2.0 * 0.4 * GRAVITY), rel=0.01)


def test_they_land_on_a_collider() -> None:
    table = block((1.0, 1.0, 0.2), (1, 1, 1))
    collider = {"vertices": table[0].tolist(), "triangles": table[1].tolist(), "restitution": 0.2}
    points, energy, _ = _run(frames=72, colliders=[collider])
    assert points[:, :, 2].min() > 0.1 - 1e-9
    assert points[-1, :, 2] == pytest.approx(0.1, abs=1e-9) and energy[-1, 0] == 0.0


def test_a_skinned_object_beside_them_moves_as_it_does_alone() -> None:
    """One world with two solvers: what is skinned has handles, what is not has points."""
    box = analysed(moved(block((0.3, 0.3, 0.3), (2, 2, 2)), (2.0, 0.0, 0.6)), "rigid")
    conditions = {"anchor": "none", "frames": 36, "substeps": 4, "ground": {}, "velocities": [{"linear": [1, 0, 0]}]}
    together = list(engine.prepare([box, _analysis()], [conditions, conditions]).frames(lambda: False))
    alone = list(engine.prepare([box], [conditions]).frames(lambda: False))
    for (rigid, cloud), (expected,) in zip(together, alone, strict=True):
        assert np.array_equal(rigid.handles, expected.handles) and rigid.points is None
        assert cloud.handles is None and cloud.points.shape == CLOUD[0].shape
    points, _, _ = _run(**{**conditions, "anchor": "none"})
    assert np.array_equal([cloud.points for _, cloud in together], points)


def test_what_needs_coordinates_is_refused() -> None:
    for begin in (engine.begin_live, engine.begin_pose):
        with pytest.raises(UserError, match="has no coordinates") as refused:
            begin(_analysis(), {})
        assert refused.value.code == "no_kinematics"
    assert _analysis().summary["handles"] == 0
