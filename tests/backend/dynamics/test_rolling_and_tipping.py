"""Rigid bodies on an edge and on a slope: against the equations of motion of a rolling ball and of a falling block."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.spatial.transform import Rotation

from backend import engine
from backend.data.shapes import box, sphere

GRAVITY = 9.81


def last_coordinates(mesh, frames, **conditions):
    shared = {"frames": frames, "fps": 24, "anchor": "none", "undamped": True, **conditions}
    take = engine.prepare([engine.analyze(*mesh, "rigid")], [shared])
    return list(take.frames(lambda: False))[-1][0].q


@pytest.mark.parametrize("degrees", [10.0, 20.0])
def test_a_ball_rolls_down_a_slope_at_five_sevenths(degrees):
    """a = 5/7 g sin: a ball of flat faces, 24 around, falls behind by what their edges cost."""
    vertices, faces = sphere(0.5, 24)
    vertices = vertices - [0.0, 0.0, vertices[:, 2].min() - 5e-4]
    down, across = GRAVITY * np.sin(np.radians(degrees)), GRAVITY * np.cos(np.radians(degrees))
    q = last_coordinates((vertices, faces), 37, ground={"friction": 0.5}, friction=0.5, gravity=[down, 0.0, -across])
    assert 2.0 * q[0] / (36.0 / 24.0) ** 2 == pytest.approx(5.0 / 7.0 * down, rel=0.05)


def test_a_block_tips_over_its_edge():
    """(m d^2 + I) phi'' = m g d sin phi from five degrees beyond its balance, over half a second."""
    width, height, begun = 0.2, 1.0, np.radians(16.0)
    vertices, faces = box([0.0, 0.0, 0.0], [width, width, height])
    vertices = Rotation.from_euler("y", begun).apply(vertices - [width, 0.0, 0.0])
    vertices[:, 2] -= vertices[:, 2].min() - 5e-4
    q = last_coordinates((vertices, faces), 15, ground={"friction": 2.0}, friction=2.0)
    balance, arm = np.arctan2(width, height), 0.5 * np.hypot(width, height)
    inertia = (width**2 + height**2) / 3.0  # about the edge, of each kilogram
    found = solve_ivp(
        lambda _, y: [y[1], GRAVITY * arm / inertia * np.sin(y[0])],
        (0.0, 14.0 / 24.0),
        [begun - balance, 0.0],
        rtol=1e-9,
    )
    assert np.linalg.norm(q[3:]) == pytest.approx(found.y[0, -1] - (begun - balance), rel=0.08)
