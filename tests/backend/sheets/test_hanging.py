"""Sheets that hang, fall and bend: closed forms and published tests."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.optimize import brentq

from backend.geometry.mesh import validate_mesh
from backend.understanding.composition import understand
from tests.backend.sheets.cloths import cloth, run, simulated, stretches

GRAVITY = 9.81
MOST_STRETCHED = 0.015


def hung(mesh: tuple[np.ndarray, np.ndarray], *, corners: bool) -> dict:
    vertices = mesh[0]
    held = vertices[:, 0] < vertices[:, 0].min() + 1e-9
    if corners:
        held &= np.abs(vertices[:, 1]) > vertices[:, 1].max() - 1e-9
    return {"pins": [{"vertices": np.flatnonzero(held).tolist()}]}


@pytest.mark.parametrize("corners", [False, True])
@pytest.mark.parametrize("material", ["silk", "denim"])
def test_what_hangs_does_not_stretch(corners: bool, material: str) -> None:
    mesh = cloth(32)
    shape = simulated(mesh, frames=97, pieces=[{"which": 0, "material": material}], **hung(mesh, corners=corners))[-1]
    assert np.percentile(stretches(mesh, shape), 99) < MOST_STRETCHED
    assert -0.02 < np.ptp(shape[:, 2]) - 1.0 < MOST_STRETCHED  # it hangs down as far as it is long


def test_a_dense_cloth_hangs_by_two_corners_as_a_coarse_one_does() -> None:
    shapes = []
    for count in (24, 72):
        mesh = cloth(count)
        shape = simulated(mesh, frames=72, **hung(mesh, corners=True))[-1]
        assert np.percentile(stretches(mesh, shape), 99) < MOST_STRETCHED
        shapes.append(shape[:, 2].min())
    assert shapes[0] == pytest.approx(shapes[1], abs=0.03)


def test_what_is_very_fine_is_a_sheet_only_where_that_is_chosen() -> None:
    assert understand(validate_mesh(*cloth(40)), "Cloth").provider == "sheet"
    assert understand(validate_mesh(*cloth(100)), "Cloth").provider == "elastic"


def test_free_fall_is_exact() -> None:
    mesh = cloth(6)
    thrown = {"linear": [1.0, 0.5, 2.0]}
    frames = simulated(mesh, frames=25, undamped=True, velocities=[thrown])
    seconds = np.arange(25)[:, None] / 24.0
    # Of steps of 1/480 s, whose speed is that of their ends: g t (t + h) / 2.
    fallen = -0.5 * GRAVITY * seconds * (seconds + 1.0 / 480.0)
    expected = mesh[0] + (seconds * thrown["linear"] + np.hstack([0.0 * fallen, 0.0 * fallen, fallen]))[:, None]
    assert np.abs(frames - expected).max() < 1e-9


def elastica(bending_length: float, length: float) -> float:
    """Slope (degrees) of the chord of a heavy elastica that is clamped level, B t'' = -w (l - s) cos t."""

    def shot(curvature: float) -> np.ndarray:
        return solve_ivp(
            lambda s, y: [y[1], -(length - s) * np.cos(y[0]) / bending_length**3, np.cos(y[0]), np.sin(y[0])],
            (0.0, length),
            [0.0, curvature, 0.0, 0.0],
            rtol=1e-8,
            atol=1e-10,
        ).y[:, -1]

    tries = np.linspace(0.0, 0.5 * length**2 / bending_length**3, 25)
    left = np.array([shot(curvature)[1] for curvature in tries])
    first = int(np.flatnonzero((left[:-1] < 0.0) & (left[1:] > 0.0))[-1])
    curvature = brentq(lambda k: shot(k)[1], tries[first], tries[first + 1])
    *_, along, down = shot(curvature)
    return float(np.degrees(np.arctan2(down, along)))


@pytest.mark.parametrize(("material", "bending_length"), [("silk", 0.018), ("fabric", 0.022), ("denim", 0.042)])
def test_the_bending_length_of_peirces_cantilever(material: str, bending_length: float) -> None:
    """A strip of twice its bending length droops by 41.5 degrees (Peirce 1930); what it droops by tells its own."""
    free, held = 12, 8
    length = 2.0 * bending_length
    spacing = length / (free + 0.5)  # it is level up to half way before the last held row
    mesh = cloth(free + held, spacing * (free + held - 1), columns=6)
    vertices = mesh[0]
    start = vertices[:, 0].max() - length
    holds = np.flatnonzero(vertices[:, 0] < start + 0.6 * spacing).tolist()
    shape = simulated(
        mesh,
        frames=72,
        pieces=[{"which": 0, "material": material}],
        pins=[{"vertices": holds}],
    )[-1]
    tip = shape[vertices[:, 0] > vertices[:, 0].max() - 1e-9].mean(axis=0)
    droop = np.degrees(np.arctan2(-tip[2], tip[0] - start))
    assert elastica(bending_length, length) == pytest.approx(41.5, abs=0.2)
    found = brentq(lambda c: elastica(c, length) - droop, 0.8 * bending_length, 1.2 * bending_length)
    assert found == pytest.approx(bending_length, rel=0.05)


def test_energy_does_not_grow() -> None:
    """Of a cloth that swings by an edge without air, with no contact but its own."""
    mesh = cloth(20)
    _, energy, _ = run(mesh, frames=120, undamped=True, **hung(mesh, corners=False))
    total, scale = energy[:, 2], 0.21 * GRAVITY * 1.0  # J: of falling by its own length
    assert np.diff(total).max() < 0.01 * scale
    assert total.max() < total[0] + 0.01 * scale


def test_the_rate_of_frames_does_not_matter() -> None:
    mesh = cloth(24)
    scene = hung(mesh, corners=True)
    slow = simulated(mesh, fps=24, frames=25, **scene)[-1]
    fast = simulated(mesh, fps=60, frames=61, **scene)[-1]
    assert np.sqrt(((slow - fast) ** 2).sum(axis=1).mean()) < 0.05


def test_keyed_gravity_comes_on_and_a_pinned_corner_is_let_go() -> None:
    """Without weight until g comes on within a second, z = -g t^3 / 6; held by a pin until then, z = -g s^2 / 2."""
    ramp = [{"frame": 1, "value": [0, 0, 0]}, {"frame": 25, "value": [0, 0, -9.81]}]
    frames = simulated(cloth(9), gravity=[0, 0, 0], gravity_keys=ramp, undamped=True, frames=25)
    assert frames[-1, :, 2].mean() == pytest.approx(-9.81 / 6.0, rel=5e-3)
    step = [{"frame": 12.9, "value": [0, 0, 0]}, {"frame": 13, "value": [0, 0, -9.81]}]
    pin = {"vertices": list(range(9)), "until": 13}
    frames = simulated(cloth(9), gravity=[0, 0, 0], gravity_keys=step, pins=[pin], undamped=True, frames=25)
    assert np.abs(frames[:13]).max() == pytest.approx(np.abs(frames[0]).max(), abs=2e-3)
    assert frames[-1, :, 2].mean() == pytest.approx(-0.5 * 9.81 * 0.25, rel=0.03)
