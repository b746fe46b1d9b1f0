"""Stable Neo-Hookean elasticity and viscosity in handle space, summed over cubature points.

A deformation gradient is F_ij = sum_b a_bi g_bj with constant basis gradients g. First derivatives are dense products
with g; second ones are a symmetric 9 x 9 block per point between two such products, see `assembled`.
"""

from __future__ import annotations

import numpy as np

from .base import Array

__all__ = ["StableNeoHookean", "assembled", "convex_blocks", "lame_parameters", "rest_stiffness"]

CRUSHED = 0.4  # volume ratio below which material resists more than its law says
CRUSH_STIFFNESS = 300.0  # of the volume modulus

# Entry (i, j) of the cofactor is F_(i+1)(j+1) F_(i+2)(j+2) - F_(i+1)(j+2) F_(i+2)(j+1): rows of F as Float[9,C].
_ROW, _COLUMN = np.divmod(np.arange(9), 3)
_MINORS = [3 * ((_ROW + i) % 3) + (_COLUMN + j) % 3 for i, j in ((1, 1), (2, 2), (1, 2), (2, 1))]

# A block d2psi / dF_ij dF_kl is stored for i <= k only, in the order (j, pair, l): Float[54,C].
PAIRS = ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))
_J, _P, _L = (part.ravel() for part in np.indices((3, 6, 3)))
_I, _K = np.array(PAIRS)[_P].T
_IJ, _KL, _IL, _KJ, _JL, _IK = 3 * _I + _J, 3 * _K + _L, 3 * _I + _L, 3 * _K + _J, 3 * _J + _L, 3 * _I + _K
_SAME_AXIS, _SAME_SLOPE = np.flatnonzero(_I == _K), np.flatnonzero(_J == _L)
# d2J / dF_ij dF_kl = eps_ikm eps_jln F_mn, which has one term where i, k differ and j, l differ.
_CROSSED = np.flatnonzero((_I != _K) & (_J != _L))
_OTHER = (3 * (3 - _I - _K) + 3 - _J - _L)[_CROSSED]
_SIGN = np.where((_K - _I) % 3 == (_L - _J) % 3, 1.0, -1.0)[_CROSSED, None]
# Where entry ((i, j), (k, l)) of the full 9 x 9 block is stored.
_STORED = np.empty((9, 9), dtype=np.int64)
_STORED[_IJ, _KL] = _STORED[_KL, _IJ] = np.arange(54)


def lame_parameters(young: float | Array, poisson: float | Array) -> tuple[float | Array, float | Array]:
    """(mu, lambda) in pascal from Young's modulus in pascal and Poisson's ratio."""
    return young / (2.0 * (1.0 + poisson)), young * poisson / ((1.0 + poisson) * (1.0 - 2.0 * poisson))


def _cofactor(f: Array) -> Array:
    rows = f.reshape(9, -1)
    minor = rows[_MINORS[0]] * rows[_MINORS[1]] - rows[_MINORS[2]] * rows[_MINORS[3]]
    return minor.reshape(f.shape)


def assembled(gradients: Array, blocks: Array) -> Array:
    """sum_c (g_c (x) I)^T H_c (g_c (x) I) as Float[n,3,n,3]: gradients Float[C,3,n], blocks Float[54,C]."""
    count, _, columns = gradients.shape
    pushed = blocks.T.reshape(count, 18, 3) @ gradients  # H_c g_c, rows (j, pair)
    products = gradients.reshape(3 * count, columns).T @ pushed.reshape(3 * count, 6 * columns)
    result = np.empty((columns, 3, columns, 3))
    for pair, (i, k) in enumerate(PAIRS):
        block = products[:, pair * columns : (pair + 1) * columns]
        result[:, i, :, k] = block
        if i != k:
            result[:, k, :, i] = block.T
    return result


class StableNeoHookean:
    """psi(F) = mu/2 (|F|^2 - 3) - mu (J - 1) + (lambda + mu)/2 (J - 1)^2 [+ crush], summed over cubature points.

    Smith et al.'s form: the same small-strain moduli as classical neo-Hookean, finite and with a restoring force even
    for an inverted point, so that no step can meet a logarithm of a negative volume. Below J0 = CRUSHED the term
    k/3 (J0 - J)^3 / J0^2 makes it hard to press a point flat or inside out, which the quadratic law alone would sell
    cheaply.
    """

    def __init__(self, gradients: Array, volume: Array, young: float | Array, poisson: float | Array) -> None:
        """gradients Float[C,3,4H] (d basis / d world rest position), volume Float[C] m^3.

        Young's modulus (pascal) and Poisson's ratio are numbers, or Float[C] where the material differs.
        """
        count, _, columns = gradients.shape
        self.gradients = gradients
        self._gradients = np.ascontiguousarray(gradients.transpose(2, 1, 0).reshape(columns, 3 * count))
        self._gradients_t = np.ascontiguousarray(self._gradients.T)
        self.volume = volume
        mu, lame = lame_parameters(young, poisson)
        self.mu, self.bulk = mu, lame + mu

    def deformation(self, a: Array) -> Array:
        """F as Float[3,3,C] (row, column, point)."""
        return (a.T @ self._gradients).reshape(3, 3, -1)

    def volume_ratio(self, a: Array) -> Array:
        """J = det F at every point, Float[C]."""
        f = self.deformation(a)
        return (f[0] * _cofactor(f)[0]).sum(axis=0)

    def value(self, a: Array) -> float:
        f = self.deformation(a)
        ratio = (f[0] * _cofactor(f)[0]).sum(axis=0)
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

    def _viscous_stress(self, f: Array, before: Array, viscosity: float) -> Array:
        """S = viscosity (mu (C - C0) + lambda/2 tr(C - C0) I), Float[3,3,C]."""
        change = (f[:, :, None] * f[:, None, :]).sum(axis=0) - before
        stress = (viscosity * self.mu) * change
        trace = (0.5 * viscosity * (self.bulk - self.mu)) * (change[0, 0] + change[1, 1] + change[2, 2])
        for axis in range(3):
            stress[axis, axis] += trace
        return stress

    def gradient(self, a: Array, before: Array | None = None, viscosity: float = 0.0) -> Array:
        """dV/da; with `before` (an earlier metric C0) also that of a Kelvin-Voigt dissipation between the two shapes,

        viscosity (mu |E - E0|^2 + lambda/2 tr(E - E0)^2) with Green strains E = (C - I) / 2: its resistance is in the
        strain, so that a part which turns with its neighbourhood is not held back. `viscosity` is beta / tau, without
        unit.
        """
        f = self.deformation(a)
        cofactor = _cofactor(f)
        stress = self.mu * f + self._pressure((f[0] * cofactor[0]).sum(axis=0)) * cofactor
        if before is not None:
            stress += (f[:, :, None] * self._viscous_stress(f, before, viscosity)).sum(axis=1)
        stress *= self.volume
        return (stress.reshape(3, -1) @ self._gradients_t).T

    def tangent(self, a: Array, before: Array | None = None, viscosity: float = 0.0) -> Array:
        """Second derivatives of the energy (and dissipation, as in `gradient`) by F, times volume: blocks Float[54,C].

        The elastic part is mu dF : dF + psi''(J) (cof : dF)^2 + psi'(J) d2J; the viscous one, with dE = sym(F^T dF),
        2 mu |dE|^2 + lambda tr(dE)^2 + S : dF^T dF.
        """
        f = self.deformation(a)
        cofactor = _cofactor(f)
        ratio = (f[0] * cofactor[0]).sum(axis=0)
        curvature = self.bulk * (1.0 + 2.0 * CRUSH_STIFFNESS / CRUSHED**2 * np.maximum(CRUSHED - ratio, 0.0))
        flat, swell = f.reshape(9, -1), cofactor.reshape(9, -1)
        blocks = (swell * (curvature * self.volume))[_IJ] * swell[_KL]
        blocks[_CROSSED] += _SIGN * (flat * (self._pressure(ratio) * self.volume))[_OTHER]
        along = np.zeros((3, 3, len(self.volume)))  # the part that is dF^T dF only, by (j, l)
        for axis in range(3):
            along[axis, axis] = self.mu * self.volume
        if before is not None:
            along += self._viscous_stress(f, before, viscosity) * self.volume
            thick, wide = viscosity * self.mu * self.volume, viscosity * (self.bulk - self.mu) * self.volume
            blocks += (flat * thick)[_IL] * flat[_KJ]
            blocks += (flat * wide)[_IJ] * flat[_KL]
            across = (f[:, None] * f[None, :]).sum(axis=2) * thick  # F F^T
            blocks[_SAME_SLOPE] += across.reshape(9, -1)[_IK[_SAME_SLOPE]]
        blocks[_SAME_AXIS] += along.reshape(9, -1)[_JL[_SAME_AXIS]]
        return blocks

    def hessian(self, a: Array, before: Array | None = None, viscosity: float = 0.0) -> Array:
        """d2V/da2 Float[4H,3,4H,3], with the dissipation's where an earlier metric is given."""
        return assembled(self.gradients, self.tangent(a, before, viscosity))


def convex_blocks(blocks: Array) -> Array:
    """The nearest positive semidefinite blocks: negative eigenvalues of each 9 x 9 block become zero; Float[54,C]."""
    values, vectors = np.linalg.eigh(blocks[_STORED].transpose(2, 0, 1))
    bad = np.flatnonzero(values[:, 0] < 0.0)
    result = blocks.copy()
    axes = vectors[bad]
    full = (axes * np.maximum(values[bad], 0.0)[:, None]) @ axes.transpose(0, 2, 1)
    result[:, bad] = full[:, _IJ, _KL].T
    return result


def rest_stiffness(gradients: Array, volume: Array, young: Array, poisson: Array) -> Array:
    """The Hessian at rest Float[n,3,n,3] of basis gradients Float[C,3,n]: Hooke's law, cheap for many points.

    With S_bi,dj = sum_c v g_bi g_dj it is  lambda S_bi,dj + mu S_bj,di + mu delta_ij S_bk,dk.
    """
    count, _, columns = gradients.shape
    mu, lame = lame_parameters(young, poisson)
    flat = gradients.transpose(0, 2, 1).reshape(count, 3 * columns)

    def weighed(weight: Array) -> Array:
        rooted = np.sqrt(weight)[:, None] * flat
        return (rooted.T @ rooted).reshape(columns, 3, columns, 3)

    shear, ratio = weighed(mu * volume), lame / mu
    swell = ratio[0] * shear if np.ptp(ratio) == 0.0 else weighed(lame * volume)
    result = swell + shear.transpose(0, 3, 2, 1)
    stretch = np.einsum("bkdk->bd", shear)
    for axis in range(3):
        result[:, axis, :, axis] += stretch
    return result
