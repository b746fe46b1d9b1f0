"""Sheets on spheres, floors and slopes, and on themselves."""

from __future__ import annotations

import numpy as np
import pytest

from tests.backend.sheets.cloths import cloth, piercings, simulated, sphere

RADIUS = 0.25


def over_a_sphere(count: int, height: float, shift: np.ndarray, frames: int) -> tuple[np.ndarray, np.ndarray]:
    vertices, triangles = cloth(count)
    ball = sphere(RADIUS)
    collider = {"vertices": ball[0].tolist(), "triangles": ball[1].tolist()}
    mesh = (vertices + np.array([*shift, RADIUS + height]), triangles)
    ground = {"height": -RADIUS - 0.1}
    return simulated(mesh, frames=frames, colliders=[collider], ground=ground), triangles


def test_a_cloth_over_a_sphere_covers_it_and_stays_outside() -> None:
    frames, triangles = over_a_sphere(28, 0.05, np.array([0.01, 0.006]), 48)
    shape = frames[-1]
    inner = RADIUS * np.cos(np.pi / 40.0) ** 2  # of the faces of the sphere
    away = np.linalg.norm(frames, axis=2)
    assert away.min() > inner
    faces = np.linalg.norm(shape[triangles].mean(axis=1), axis=1)
    assert faces.min() > inner - 0.002  # a face of 36 mm is a chord
    assert (away[-1] < 1.1 * RADIUS).mean() > 0.3 and shape[:, 2].min() < -0.1
    assert piercings(shape, triangles) == 0


@pytest.mark.long
@pytest.mark.parametrize("seed", range(30))
def test_drapes_do_not_pass_through_themselves(seed: int) -> None:
    generator = np.random.default_rng(seed)
    shift = generator.uniform(-0.15, 0.15, 2)
    frames, triangles = over_a_sphere(36, generator.uniform(0.05, 0.5), shift, 72)
    assert max(piercings(shape, triangles) for shape in frames[::8]) == 0


@pytest.mark.parametrize(("slope", "slides"), [(0.3, False), (0.6, True)])
def test_friction_on_a_slope(slope: float, slides: bool) -> None:
    """A sheet with the coefficient 0.45 against the floor stays, or slides with g (sin a - mu cos a)."""
    angle, friction = np.arctan(slope), 0.45
    gravity = 9.81 * np.array([np.sin(angle), 0.0, -np.cos(angle)])
    mesh = cloth(10, 0.4)
    frames = simulated(
        mesh,
        frames=25,
        undamped=True,
        gravity=gravity.tolist(),
        ground={"height": -1e-9, "friction": friction},
    )
    way = frames[:, :, 0].mean(axis=1) - frames[0, :, 0].mean()
    if slides:
        expected = 0.5 * (gravity[0] + friction * gravity[2])
        assert way[-1] == pytest.approx(expected, rel=0.05)
    else:
        assert abs(way[-1]) < 1e-3
    assert frames[:, :, 2].min() > -1e-6


def test_seams_hold() -> None:
    """Two cloths whose vertices along the seam are at the same places hang together."""
    left, faces = cloth(12, 0.5)
    mesh = np.concatenate([left, left + np.array([0.5, 0.0, 0.0])]), np.concatenate([faces, faces + len(left)])
    held = np.flatnonzero(mesh[0][:, 0] < -0.25 + 1e-9).tolist()
    shape = simulated(mesh, frames=24, pins=[{"vertices": held}])[-1]
    seam = np.flatnonzero(np.abs(left[:, 0] - 0.25) < 1e-9)
    other = len(left) + np.flatnonzero(np.abs(left[:, 0] + 0.25) < 1e-9)
    assert np.abs(shape[seam] - shape[other]).max() < 1e-12


def test_a_flag_flies_with_the_wind() -> None:
    vertices, triangles = cloth(20)
    upright = vertices[:, [0, 2, 1]]
    pole = np.flatnonzero(upright[:, 0] < upright[:, 0].min() + 1e-9).tolist()
    scene = {"frames": 60, "pins": [{"vertices": pole}]}
    still = simulated((upright, triangles), **scene)[-1]
    flying = simulated((upright, triangles), wind={"velocity": [8.0, 1.0, 0.0]}, **scene)
    reach = flying[30:, :, 0].max(axis=1).mean()
    assert reach > 0.3 > still[:, 0].mean()
    flutter = np.ptp(flying[30:, -1, 1])
    assert flutter > 0.02


def test_what_is_poked_moves_and_what_is_pulled_follows() -> None:
    vertices, triangles = cloth(16)
    ground = {"height": 0.0}
    poked = simulated(
        (vertices, triangles),
        frames=12,
        ground=ground,
        pokes=[{"point": [0.0, 0.0, 0.0], "speed": [0.0, 0.0, 2.0], "radius": 0.2}],
    )
    assert poked[:, :, 2].max() > 0.05
    path = [{"frame": 1, "position": [0.5, 0.5, 0.0]}, {"frame": 25, "position": [0.5, 0.5, 0.6]}]
    drag = {"point": [0.5, 0.5, 0.0], "path": path, "radius": 0.1}
    lifted = simulated((vertices, triangles), frames=25, ground=ground, drags=[drag])[-1]
    assert lifted[np.argmax(vertices @ [1.0, 1.0, 0.0]), 2] > 0.4
    turned = [{"frame": 1}, {"frame": 24, "location": [0.0, 0.0, 0.3]}]
    pins = [{"vertices": [0], "motion": turned}, {"vertices": [15], "stiffness": 4.0, "motion": turned}]
    carried = simulated((vertices, triangles), frames=30, ground=ground, pins=pins)[-1]
    assert carried[0, 2] == pytest.approx(0.3, abs=1e-9)
    assert 0.1 < carried[15, 2] < 0.3  # its spring carries the weight of a part
