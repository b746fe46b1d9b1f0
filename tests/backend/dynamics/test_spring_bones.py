"""Bones that follow their animation by springs: frequency and damping, loops, lengths, the ground."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.spatial.transform import Rotation

from backend import engine
from backend.dynamics.spring_bones import SpringBones, Springs, oscillated
from backend.errors import UserError
from backend.kinematics.base import Array
from backend.kinematics.rig import Rig, RigClip
from tests.backend.rigs import bars

FPS = 24.0


def _tail(joints: int, frames: int = 49, swing: float = 0.5) -> tuple[Array, Array, Rig]:
    """A row of bars whose base turns to and fro about Z, once in two seconds; it begins in that clip."""
    vertices, triangles, rig = bars(joints, 0.2)
    turns = Rotation.from_rotvec(swing * np.sin(2.0 * np.pi * np.arange(frames) / (frames - 1))[:, None] * [0, 0, 1.0])
    matrices = np.tile(np.eye(4), (frames, len(rig.names), 1, 1))
    matrices[:, :, :3, :3] = turns.as_matrix()[:, None]
    matrices[:, :, :3, 3] = np.einsum("tij,bj->tbi", turns.as_matrix(), rig.heads)
    clip = RigClip("Sway", np.arange(frames) / FPS, matrices)
    return vertices, triangles, replace(rig, motion=clip)


def _played(tail: tuple[Array, Array, Rig], frames: int = 49, **conditions: object) -> Array:
    """Vertices Float[T,V,3] of a take."""
    vertices, triangles, rig = tail
    analysis = engine.analyze(vertices, triangles, "rig", rig=rig)
    take = engine.prepare([analysis], [{"frames": frames, **conditions}])
    return np.array([frame.points for (frame,) in take.frames(lambda: False)])


@pytest.mark.parametrize("damping", [0.0, 0.2, 1.0, 1.7])
def test_an_oscillator_is_in_closed_form(damping: float) -> None:
    """Against DOP853, in one step and in ten; a push bends it by f / omega^2."""
    omega, push = 2.0 * np.pi * 1.5, np.array([[0.3, 0.0, -9.81]])
    away, rate = np.array([[0.1, -0.2, 0.0]]), np.array([[0.0, 1.0, 0.5]])

    def slope(_: float, both: Array) -> Array:
        return np.concatenate([both[3:], push[0] - 2.0 * damping * omega * both[3:] - omega**2 * both[:3]])

    start = np.concatenate([away[0], rate[0]])
    wanted = solve_ivp(slope, (0.0, 0.7), start, "DOP853", rtol=1e-12, atol=1e-12).y[:, -1]
    for steps in (1, 10):
        x, v = away, rate
        for _ in range(steps):
            x, v = oscillated(x, v, push, np.array([omega]), np.array([damping]), 0.7 / steps)
        np.testing.assert_allclose(np.concatenate([x[0], v[0]]), wanted, atol=1e-8)


@pytest.mark.parametrize(("hertz", "damping"), [(1.0, 0.05), (3.0, 0.2)])
def test_a_bone_has_the_frequency_and_damping_that_it_is_told(hertz: float, damping: float) -> None:
    """Let go beside a still goal: crossings of the damped frequency, peaks that shrink by its decrement, to 2 %."""
    springs = Springs(
        np.array([1]),
        np.array([[1.0, 0.0, 0.0]]),
        np.array([2.0 * np.pi * hertz]),
        np.array([damping]),
        np.zeros(1),
    )
    solver = SpringBones(
        np.array([-1, 0]), lambda time: np.tile(np.eye(4), (2, 1, 1)), springs, lambda m: m[:, :3, 3], 1.0, 1.0
    )
    state = solver.start(np.zeros(3), None, 1.0 / FPS)
    state = replace(state, velocities=np.array([[0.0, 0.3, 0.0]]))
    sideways = [0.0]
    for _ in range(192):
        state = solver._advanced(state, 1.0 / 96.0, np.zeros(3), None)
        sideways.append(float(state.tips[0, 1]))
        assert np.linalg.norm(state.tips[0]) == pytest.approx(1.0, abs=1e-12)
    path = np.array(sideways)
    crossing = np.flatnonzero((path[:-1] > 0.0) & (path[1:] <= 0.0))
    crossing = crossing + path[crossing] / (path[crossing] - path[crossing + 1])
    damped = hertz * np.sqrt(1.0 - damping**2)
    assert 96.0 / np.diff(crossing).mean() == pytest.approx(damped, rel=0.02)
    half = round(96.0 / damped)
    peak = path[:half].max()
    later = path[half : 2 * half].max()
    assert np.log(peak / later) == pytest.approx(2.0 * np.pi * damping / np.sqrt(1.0 - damping**2), rel=0.02)


def test_a_tail_sways_behind_its_body_and_the_loop_closes() -> None:
    """Over two rounds: what is at the end of the first is at the end of the second, and it lags behind the clip."""
    tail = _tail(4)
    spring = {"bone": "bar 1", "frequency": 2.0, "damping": 0.3}
    followed = _played(tail, frames=97, rig={"springs": [spring], "loop": True})
    size = float(np.ptp(tail[0], axis=0).max())
    assert np.abs(followed[48] - followed[0]).max() < 1e-3 * size
    assert np.abs(followed[96] - followed[48]).max() < 1e-3 * size
    animated = np.array([tail[2].skinned(tail[2].motion.at(frame / FPS)) for frame in range(49)])
    led = np.isin(tail[2].bones[:, 0], [0, 1])
    assert np.abs(followed[:49, led] - animated[:, led]).max() < 1e-6  # the others play the clip
    assert np.abs(followed[:49] - animated).max() > 0.05 * size
    stretched = np.linalg.norm(np.diff(followed[:, -8:], axis=1), axis=2)
    assert np.ptp(stretched, axis=0).max() < 1e-9  # a bar keeps its shape


def test_a_tail_hangs_down_and_stays_above_the_ground() -> None:
    tail = _tail(3, swing=0.0)
    spring = {"bone": "bar 0", "frequency": 0.5, "damping": 0.5, "gravity": 1.0}
    hanging = _played(tail, rig={"springs": [spring]})
    tips = hanging[-1, tail[2].bones[:, 0] == 3]
    assert tips[:, 2].mean() < -0.3
    held = _played(tail, rig={"springs": [spring]}, ground={"height": -0.15})
    lowest = held[-1, tail[2].bones[:, 0] == 3, 2].mean()
    assert tips[:, 2].mean() + 0.1 < lowest and lowest > -0.2


def test_bones_that_are_not_there_are_one_sentence() -> None:
    with pytest.raises(UserError, match="no bone Tail"):
        _played(_tail(2), rig={"springs": [{"bone": "Tail"}]})
    vertices, triangles, rig = bars(2)
    with pytest.raises(UserError, match="in none"):
        _played((vertices, triangles, rig), rig={"springs": [{"bone": "bar 0"}]})
