"""Potential energies in handle space. Each is value / gradient / hessian of `a`, Float[4H,3], in joules and metres.

Gradients are Float[4H,3]; Hessians are Float[4H,3,4H,3]. A provider pulls them back to its own coordinates.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np

from ..kinematics.base import Array

__all__ = ["Energy", "LinearPotential", "StableNeoHookean", "gravity_potential", "lame_parameters"]

# Entry (i, j) of the cofactor is F_(i+1)(j+1) F_(i+2)(j+2) - F_(i+1)(j+2) F_(i+2)(j+1): rows of F as Float[9,C].
_I, _J = np.divmod(np.arange(9), 3)
_MINORS = [3 * ((_I + i) % 3) + (_J + j) % 3 for i, j in ((1, 1), (2, 2), (1, 2), (2, 1))]
CRUSHED = 0.4  # volume ratio below which material resists more than its law says
CRUSH_STIFFNESS = 300.0  # of the volume modulus


class Energy(Protocol):
    """A potential V(a)."""

    def value(self, a: Array) -> float: ...

    def gradient(self, a: Array) -> Array: ...

    def hessian(self, a: Array) -> Array: ...


class LinearPotential:
    """V(a) = -<force, a - origin>: a constant force in handle space (gravity, pokes, the load of a settled shape)."""

    def __init__(self, force: Array, origin: Array) -> None:
        self.force = force
        self.origin = origin

    def value(self, a: Array) -> float:
        return -float(np.vdot(self.force, a - self.origin))

    def gradient(self, a: Array) -> Array:
        return -self.force

    def hessian(self, a: Array) -> Array:
        return np.zeros(a.shape + a.shape)


def gravity_potential(mass: Array, basis: Array, gravity: Array, origin: Array) -> LinearPotential:
    """Gravity on material points: mass Float[N] kg, basis Float[N,4H], gravity Float[3] m/s^2."""
    return LinearPotential(np.outer(mass @ basis, gravity), origin)


def lame_parameters(young: float, poisson: float) -> tuple[float, float]:
    """(mu, lambda) in pascal from Young's modulus in pascal and Poisson's ratio."""
    return young / (2.0 * (1.0 + poisson)), young * poisson / ((1.0 + poisson) * (1.0 - 2.0 * poisson))


class StableNeoHookean:
    """psi(F) = mu/2 (|F|^2 - 3) - mu (J - 1) + (lambda + mu)/2 (J - 1)^2 [+ crush], summed over cubature points.

    Smith et al.'s form: the same small-strain moduli as classical neo-Hookean, finite and with a restoring force even
    for an inverted point, so that no step can meet a logarithm of a negative volume. Below J0 = CRUSHED the term
    k/3 (J0 - J)^3 / J0^2 makes it hard to press a point flat or inside out, which the quadratic law alone would sell
    cheaply.
    """

    def __init__(self, gradients: Array, volume: Array, young: float, poisson: float) -> None:
        """gradients Float[C,3,4H] (d basis / d world rest position), volume Float[C] m^3."""
        count, _, columns = gradients.shape
        self._gradients = np.ascontiguousarray(gradients.transpose(2, 1, 0).reshape(columns, 3 * count))
        self._gradients_t = np.ascontiguousarray(self._gradients.T)
        self.volume = volume
        mu, lame = lame_parameters(young, poisson)
        self.mu, self.bulk = mu, lame + mu

    def deformation(self, a: Array) -> Array:
        """F as Float[3,3,C] (row, column, point)."""
        return (a.T @ self._gradients).reshape(3, 3, -1)

    @staticmethod
    def _cofactor(f: Array) -> Array:
        rows = f.reshape(9, -1)
        minor = rows[_MINORS[0]] * rows[_MINORS[1]] - rows[_MINORS[2]] * rows[_MINORS[3]]
        return minor.reshape(f.shape)

    def volume_ratio(self, a: Array) -> Array:
        """J = det F at every point, Float[C]."""
        f = self.deformation(a)
        return (f[0] * self._cofactor(f)[0]).sum(axis=0)

    def value(self, a: Array) -> float:
        f = self.deformation(a)
        ratio = (f[0] * self._cofactor(f)[0]).sum(axis=0)
        flat = f.reshape(9, -1)
        change, short = ratio - 1.0, np.maximum(CRUSHED - ratio, 0.0)
        density = 0.5 * self.mu * (np.einsum("pc,pc->c", flat, flat) - 3.0) - self.mu * change
        density += self.bulk * (0.5 * change**2 + CRUSH_STIFFNESS / (3.0 * CRUSHED**2) * short**3)
        return float(self.volume @ density)

    def _pressure(self, ratio: Array) -> Array:
        """dpsi/dJ at every point, pascal; ratio J Float[C]."""
        short = np.maximum(CRUSHED - ratio, 0.0)
        return self.bulk * (ratio - 1.0 - CRUSH_STIFFNESS / CRUSHED**2 * short**2) - self.mu

    def metric(self, a: Array) -> Array:
        """C = F^T F at every point, Float[3,3,C]; it does not see rotations."""
        f = self.deformation(a)
        return (f[:, :, None] * f[:, None, :]).sum(axis=0)

    def gradient(self, a: Array, before: Array | None = None, viscosity: float = 0.0) -> Array:
        """dV/da; with `before` (an earlier metric C0) also that of a Kelvin-Voigt dissipation between the two shapes,

        viscosity (mu |E - E0|^2 + lambda/2 tr(E - E0)^2) with Green strains E = (C - I) / 2: its resistance is in the
        strain, so that a part which turns with its neighbourhood is not held back. `viscosity` is beta / tau, without
        unit.
        """
        f = self.deformation(a)
        cofactor = self._cofactor(f)
        stress = self.mu * f + self._pressure((f[0] * cofactor[0]).sum(axis=0)) * cofactor
        if before is not None:
            change = (f[:, :, None] * f[:, None, :]).sum(axis=0) - before
            second = (viscosity * self.mu) * change
            trace = (0.5 * viscosity * (self.bulk - self.mu)) * (change[0, 0] + change[1, 1] + change[2, 2])
            for axis in range(3):
                second[axis, axis] += trace
            stress += (f[:, :, None] * second).sum(axis=1)
        stress *= self.volume
        return (stress.reshape(3, -1) @ self._gradients_t).T

    def hessian(self, a: Array) -> Array:
        """d2V/da2."""
        f = self.deformation(a)
        cofactor = self._cofactor(f)
        ratio = (f[0] * cofactor[0]).sum(axis=0)
        columns, count = len(self._gradients), len(self.volume)
        g = self._gradients.reshape(columns, 3, count)
        hessian = np.zeros((columns, 3, columns, 3))
        stiffness = self.mu * ((self._gradients * np.tile(self.volume, 3)) @ self._gradients_t)
        for axis in range(3):
            hessian[:, axis, :, axis] += stiffness
        # d J = cof : dF, so each (row, axis) of `a` changes J by sum_j g_j cof_ij.
        swell = np.einsum("bjc,ijc->bic", g, cofactor).reshape(3 * columns, count)
        curvature = self.bulk * (1.0 + 2.0 * CRUSH_STIFFNESS / CRUSHED**2 * np.maximum(CRUSHED - ratio, 0.0))
        hessian += ((swell * (curvature * self.volume)) @ swell.T).reshape(hessian.shape)
        # d2J[da, da]: eps_ikm F_m . (g_b x g_d), antisymmetric both in (b, d) and in (i, k).
        scale = self._pressure(ratio) * self.volume
        for m in range(3):
            row = f[m] * scale
            crossed = np.stack(
                [
                    g[:, 2] * row[1] - g[:, 1] * row[2],
                    g[:, 0] * row[2] - g[:, 2] * row[0],
                    g[:, 1] * row[0] - g[:, 0] * row[1],
                ],
                axis=1,
            )  # crossed_b,l = g_b,j eps_jln row_n
            block = crossed.reshape(columns, -1) @ self._gradients_t
            i, k = (m + 1) % 3, (m + 2) % 3
            hessian[:, i, :, k] += block
            hessian[:, k, :, i] -= block
        return hessian

    def viscous_hessian(self, a: Array, before: Array) -> Array:
        """Second derivative of the dissipation in `gradient` for viscosity one, `before` being the earlier metric.

        With dE = sym(F^T dF) and dF = da (x) g:  2 mu |dE|^2 + lambda tr(dE)^2 + S : dF^T dF, summed over points, where
        S = mu (C - C0) + lambda/2 tr(C - C0) I is the viscous stress.
        """
        f = self.deformation(a)
        columns, count = len(self._gradients), len(self.volume)
        g = self._gradients.reshape(columns, 3, count)
        pushed = np.einsum("ljc,bjc->blc", f, g).reshape(3 * columns, count)  # F g_b
        product = ((pushed * self.volume) @ pushed.T).reshape(columns, 3, columns, 3)
        hessian = self.mu * product.transpose(0, 3, 2, 1) + (self.bulk - self.mu) * product
        change = (f[:, :, None] * f[:, None, :]).sum(axis=0) - before
        stress = self.mu * change
        for axis in range(3):
            stress[axis, axis] += 0.5 * (self.bulk - self.mu) * np.trace(change)
        bent = np.einsum("bjc,jkc->bkc", g, stress * self.volume).reshape(columns, -1) @ self._gradients_t
        left = (f[:, None] * f[None, :]).sum(axis=2) * (self.mu * self.volume)  # F F^T
        for i in range(3):
            hessian[:, i, :, i] += bent
            for k in range(i, 3):
                block = (self._gradients * np.tile(left[i, k], 3)) @ self._gradients_t
                hessian[:, i, :, k] += block
                if k != i:
                    hessian[:, k, :, i] += block
        return hessian
