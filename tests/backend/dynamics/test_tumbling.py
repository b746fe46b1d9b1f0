"""A free body that spins about its middle axis for long: momentum, energy, and Euler's equations.

Angular momentum is read from the frames alone, one step of h seconds a frame. It is the momentum map of the discrete
motion, which a variational step keeps exactly however long it is:
    L(n) = sum_v m_v x_v(n) x v_v(n),
of a rigid body with v(n) = (x(n+1) - x(n)) / h, since what holds it together acts along the constraints at n; of an
elastic one, whose forces act at the midpoint, with v(n+1) = 2 (x(n+1) - x(n)) / h - v(n) from the given first v.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import pairwise

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.spatial.transform import Rotation

from tests.backend.shapes import block, moved
from tests.backend.takes import Result, run
from tests.sweeps import sweep

SECONDS = 20
LENGTHS = sweep([SECONDS, 60], 1)
SPIN = np.array([0.02, 4.0, 0.02])  # rad/s; the middle axis is unstable: the brick turns over again and again
BRICK = block((1.0, 0.6, 0.2), (5, 3, 1))
TILTED = Rotation.from_rotvec([0.4, -0.7, 0.2])


@lru_cache(maxsize=8)
def _spun(provider: str, seconds: float, fps: float = 24.0, substeps: int | str = "auto") -> Result:
    """The brick drawn askew: its axes are not the coordinates'."""
    mesh = moved((TILTED.apply(BRICK[0]), BRICK[1]), (3.0, -2.0, 1.0))
    spin = {"angular": TILTED.apply(SPIN).tolist(), "linear": [0.1, 0.0, -0.2]}
    conditions = {"undamped": True, "stiffness_hz": 6.0} if provider == "elastic" else {}
    frames = round(seconds * fps) + 1
    free = {"gravity": [0, 0, 0], "anchor": "none", "frames": frames, "fps": fps, "substeps": substeps}
    return run(mesh, provider, velocities=[spin], **free, **conditions)


def _points(take: Result) -> tuple[np.ndarray, np.ndarray]:
    """Masses Float[P] and positions Float[T,P,3] of the material points."""
    body = take.take.members[0].body
    handles = np.array([body.kinematics.handles(q) for q in take.q])
    return body.material.mass, np.einsum("pa,tai->tpi", body.material.basis, handles, optimize=True)


def _angular_momentum(take: Result) -> np.ndarray:
    """About the centre of mass at each frame, Float[T,3] kg m^2/s."""
    mass, positions = _points(take)
    positions -= np.einsum("p,tpi->ti", mass / mass.sum(), positions)[:, None]
    if take.take.members[0].summary["provider"] == "rigid":
        rate = np.diff(positions, axis=0) * take.take.fps
        return np.einsum("p,tpi->ti", mass, np.cross(positions[:-1], rate))
    rate, momentum = np.cross(TILTED.apply(SPIN), positions[0]), []
    for now, following in pairwise(positions):
        momentum.append(mass @ np.cross(now, rate))
        rate = 2.0 * (following - now) * take.take.fps - rate
    return np.array(momentum)


def _inertia(take: Result) -> np.ndarray:
    """Float[3,3] kg m^2 at rest about the centre of mass, of the material points."""
    mass, positions = _points(take)
    off = positions[0] - mass @ positions[0] / mass.sum()
    second = np.einsum("p,pi,pj->ij", mass, off, off)
    return np.trace(second) * np.eye(3) - second


def _angles_off(take: Result) -> np.ndarray:
    """Radians between the frames and Euler's equations (DOP853 at 1e-11), Float[T].

    In the body I w' = (I w) x w; the orientation's quaternion is p' = p w / 2.
    """
    inertia = _inertia(take)

    def rates(_: float, state: np.ndarray) -> np.ndarray:
        axis, real, spin = state[:3], state[3], state[4:]
        quaternion = 0.5 * np.append(real * spin + np.cross(axis, spin), -axis @ spin)
        return np.concatenate([quaternion, np.linalg.solve(inertia, np.cross(inertia @ spin, spin))])

    start = np.concatenate([[0.0, 0.0, 0.0, 1.0], TILTED.apply(SPIN)])
    solution = solve_ivp(rates, (0.0, take.seconds[-1]), start, "DOP853", take.seconds, rtol=1e-11, atol=1e-13)
    expected = Rotation.from_quat(solution.y[:4].T)
    return (Rotation.from_matrix(take.handles[:, 0, :, :3]) * expected.inv()).magnitude()


@pytest.mark.parametrize("seconds", LENGTHS)
@pytest.mark.parametrize(("provider", "fps"), [("rigid", 24.0), ("elastic", 48.0)])
def test_angular_momentum_is_kept(provider: str, fps: float, seconds: int) -> None:
    momentum = _angular_momentum(_spun(provider, seconds, fps, 1))
    assert np.abs(momentum - momentum[0]).max() < 1e-6 * np.linalg.norm(momentum[0])


@pytest.mark.parametrize("substeps", sweep(["auto", 1], 1))
@pytest.mark.parametrize("seconds", LENGTHS)
def test_energy_of_a_rigid_body_is_kept(substeps: int | str, seconds: int) -> None:
    energy = _spun("rigid", seconds, substeps=substeps).energy
    assert np.abs(energy[:, 2] / energy[0, 2] - 1.0).max() < 1e-4
    assert np.abs(energy[:, 0] - energy[:, 2]).max() == 0.0  # nothing but motion


@pytest.mark.parametrize("seconds", LENGTHS)
def test_energy_of_an_elastic_body_is_kept(seconds: int) -> None:
    """It also flexes as it tumbles: energy goes back and forth, and none is won or lost."""
    energy = _spun("elastic", seconds).energy
    assert energy[:, 1].max() > 1e-4 * energy[0, 2]
    assert np.abs(energy[:, 2] / energy[0, 2] - 1.0).max() < 0.005


def test_an_elastic_body_spins_at_two_steps_a_frame() -> None:
    """A sixth of a turn in four frames, at a fourth of the steps that are taken by themselves."""
    energy = _spun("elastic", SECONDS, substeps=2).energy[:, 2]
    assert np.abs(energy / energy[0] - 1.0).max() < 0.05


def test_it_turns_over_again_and_again() -> None:
    """The unstable axis points along the momentum and against it by turns."""
    take = _spun("rigid", SECONDS)
    middle = take.handles[:, 0, :, :3] @ TILTED.apply([0.0, 1.0, 0.0])
    along = middle @ middle[0]
    assert along.min() < -0.99
    assert np.count_nonzero(np.diff(np.sign(along))) >= 4


def test_the_first_seconds_agree_with_eulers_equations() -> None:
    """Two and a half turns: within two degrees."""
    assert np.degrees(_angles_off(_spun("rigid", 4.0)).max()) < 2.0


def test_convergence_to_eulers_equations_is_of_second_order() -> None:
    errors = [_angles_off(_spun("rigid", 3.0, substeps=substeps)).max() for substeps in (2, 4, 8)]
    orders = np.log2(np.divide(errors[:-1], errors[1:]))
    assert (orders > 1.9).all() and (orders < 2.1).all()


def test_frames_between_steps_are_the_steps() -> None:
    """Substeps and frame rate are two words for one step length."""
    coarse, fine = _spun("rigid", 2.0, 24.0, 2), _spun("rigid", 2.0, 48.0, 1)
    assert np.abs(coarse.handles - fine.handles[::2]).max() < 1e-9
