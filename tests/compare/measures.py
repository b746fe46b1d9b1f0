"""What is read off a path: period, decay and sag of a swing; touch, depth and rebound of a drop. NumPy and SciPy."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.interpolate import CubicSpline
from scipy.optimize import brentq, least_squares

from tests.compare.scenes import GRAVITY, Floats

__all__ = ["Bounce", "Swing", "bounce", "extrapolated", "path_difference", "swing"]


@dataclass(frozen=True)
class Swing:
    """The best z(t) = sag + exp(-decay t) (a cos 2 pi t / period + b sin ..), and the lowest point that was reached."""

    period: float  # s
    decay: float  # 1/s
    sag: float  # m, where it would come to rest
    amplitude: float  # m
    lowest: float  # m


def swing(time: Floats, height: Floats, guess: float) -> Swing:
    """Fits the height Float[T] m over time Float[T] s above the starting height; `guess` of the period in s."""

    def columns(shape: Floats) -> Floats:
        envelope, phase = np.exp(-shape[1] * time), 2.0 * np.pi * time / shape[0]
        return np.stack([np.ones_like(time), envelope * np.cos(phase), envelope * np.sin(phase)], axis=1)

    def fitted(shape: Floats) -> Floats:
        return np.linalg.lstsq(columns(shape), height, rcond=None)[0]

    best = least_squares(lambda shape: columns(shape) @ fitted(shape) - height, [guess, 0.0], x_scale=[guess, 1.0]).x
    sag, cosine, sine = fitted(best)
    curve = CubicSpline(time, height)
    fine = np.linspace(time[0], time[-1], 20 * len(time))
    return Swing(float(best[0]), float(best[1]), float(sag), float(np.hypot(cosine, sine)), float(curve(fine).min()))


CLEAR = 2e-3  # m above the ground: a body that is higher does not touch


@dataclass(frozen=True)
class Bounce:
    """One bounce of a centre that fell: how deep and when, how high after and when."""

    deepest: float  # m, height of the centre
    deepest_time: float  # s
    apex: float  # m
    apex_time: float  # s


def bounce(time: Floats, height: Floats, lowest: Floats) -> Bounce:
    """The first bounce of a centre at height Float[T] m, of a body whose lowest point is at `lowest` Float[T] m.

    The apex is that of the parabola through the flight after it: what rings on in the body shakes its centre of volume.
    """
    curve = CubicSpline(time, height)
    turns = curve.derivative().roots(extrapolate=False)
    low = turns[(turns > time[lowest < CLEAR][0]) & (curve(turns, 2) > 0.0)][0]
    flying = np.flatnonzero((time > low) & (lowest > CLEAR))
    touching = np.flatnonzero((time > time[flying[0]]) & (lowest < CLEAR))
    flight = slice(flying[0], touching[0] if touching.size else len(time))
    rise, start = np.polyfit(time[flight], height[flight] + 0.5 * GRAVITY * time[flight] ** 2, 1)
    return Bounce(float(curve(low)), float(low), float(start + rise**2 / (2.0 * GRAVITY)), float(rise / GRAVITY))


def path_difference(time: Floats, path: Floats, other_time: Floats, other: Floats, scale: float, until: float) -> float:
    """Root mean square distance of two paths Float[T,3], Float[S,3] up to `until` s, as a share of `scale` m."""
    kept = time <= min(until, time[-1], other_time[-1]) + 1e-9
    away = path[kept] - CubicSpline(other_time, other)(time[kept])
    return float(np.sqrt((away**2).sum(axis=1).mean()) / scale)


def extrapolated(sizes: list[float], values: list[float]) -> tuple[float, float]:
    """(limit at size zero, order) of values that approach it like size^order; three sizes, any ratios."""
    (h0, h1, h2), (f0, f1, f2) = sizes, values

    def mismatch(order: float) -> float:
        return (f0 - f1) / (f1 - f2) - (h0**order - h1**order) / (h1**order - h2**order)

    low, high = 0.2, 6.0
    # Where it is not a power law: second order is what linear elements have.
    order = 2.0 if mismatch(low) * mismatch(high) > 0.0 else float(brentq(mismatch, low, high))
    ratio = h2**order / (h1**order - h2**order)
    return f2 + (f2 - f1) * ratio, order
