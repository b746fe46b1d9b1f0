"""Products of exponentials: the transforms of all handles at once, with derivatives in closed form.

    A_h(z) = exp(z_1 [xi_h1]) ... exp(z_K [xi_hK]),   [xi] = [[omega]x v; 0 0] of a twist xi = (omega, v)

With the spatial twists S_hj = Ad(exp(z_1 [xi_h1]) ... exp(z_{j-1} [xi_h,j-1])) xi_hj the derivatives are products only:

    dA/dz_j = [S_j] A,    d2A/dz_i dz_j = [S_i] [S_j] A  for i <= j

the second because S_j turns with every factor before it, dS_j/dz_i = ad(S_i) S_j for i < j, and with none after it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .base import Array

__all__ = ["ScrewProduct", "Screws", "applied", "directional_second", "twist_matrices"]

SERIES_BELOW = 0.3  # rad: (x - sin x) / x^3 loses digits below, five terms of its series lose none


def twist_matrices(twists: Array) -> Array:
    """[xi] without its row of zeros: twists Float[...,6] -> Float[...,3,4]."""
    x, y, z = np.moveaxis(twists[..., :3], -1, 0)
    matrices = np.zeros((*twists.shape[:-1], 3, 4))
    matrices[..., 0, 1], matrices[..., 0, 2] = -z, y
    matrices[..., 1, 0], matrices[..., 1, 2] = z, -x
    matrices[..., 2, 0], matrices[..., 2, 1] = -y, x
    matrices[..., 3] = twists[..., 3:]
    return matrices


def _exponential_factors(z: Array, rate: Array) -> tuple[Array, Array]:
    """(1 - cos x) / rate^2 and (x - sin x) / rate^3 for x = rate z, exact where x is small."""
    x = rate * z
    square = x * x
    half = np.sinc(x / (2.0 * np.pi))  # sin(x/2) / (x/2)
    series = 1.0 / 6.0 - square * (
        1.0 / 120.0 - square * (1.0 / 5040.0 - square * (1.0 / 362880.0 - square / 39916800.0))
    )
    small = np.abs(x) < SERIES_BELOW
    safe = np.where(small, 1.0, x)
    cubic = np.where(small, series, (safe - np.sin(safe)) / safe**3)
    return 0.5 * z * z * half * half, z**3 * cubic


@dataclass(frozen=True)
class ScrewProduct:
    """All transforms at one z, or with leading axes at many."""

    transforms: Array  # Float[...,H,3,4], A_h
    spatial: Array  # Float[...,H,K,6], S_hj; zero where the coordinate does not move the handle


class Screws:
    """The twists of all handles, Float[H,K,6]. Factors that are the identity for every z are never multiplied."""

    def __init__(self, twists: Array) -> None:
        self.handle_count, self.latent_count = twists.shape[:2]
        moves = twists.any(axis=2)
        slots = max(int(moves.sum(axis=1).max(initial=0)), 1)
        # Factor s of handle h is that of its s-th moving coordinate; handles with fewer end with identities.
        order = np.argsort(~moves, axis=1, kind="stable")[:, :slots].T  # (S, H)
        self._coordinate = order
        self._handle = np.broadcast_to(np.arange(self.handle_count), order.shape)
        self._twists = np.where(moves[self._handle, order][..., None], twists[self._handle, order], 0.0)
        self._rate = np.linalg.norm(self._twists[..., :3], axis=2)
        first = twist_matrices(self._twists)  # (S, H, 3, 4)
        turn = first[..., :3]
        second = turn @ first
        self._powers = np.stack([first, second, turn @ second])

    def _factors(self, z: Array) -> Array:
        """exp(z_j [xi_hj]), z Float[...,K] -> Float[S,...,H,4,4]: N, N^2, N^3 and no higher power."""
        amount = np.moveaxis(z[..., self._coordinate], -2, 0)  # (S, ..., H)
        between = (slice(None), *(None,) * (z.ndim - 1))
        second, third = _exponential_factors(amount, self._rate[between])
        factors = np.zeros((*amount.shape, 4, 4))
        top = factors[..., :3, :]
        np.multiply(amount[..., None, None], self._powers[0][between], out=top)
        top += second[..., None, None] * self._powers[1][between]
        top += third[..., None, None] * self._powers[2][between]
        factors[..., (0, 1, 2, 3), (0, 1, 2, 3)] += 1.0
        return factors

    def transforms(self, z: Array) -> Array:
        """A_h of one z or of many: Float[...,K] -> Float[...,H,3,4]."""
        factors = self._factors(np.asarray(z, dtype=np.float64))
        product = factors[0]
        for factor in factors[1:]:
            product = product @ factor
        return product[..., :3, :]

    def product(self, z: Array) -> ScrewProduct:
        """Transforms and spatial twists at one z or at many, Float[...,K]."""
        factors = self._factors(z)
        prefix = np.empty((len(factors) + 1, *factors.shape[1:]))
        prefix[0] = np.eye(4)
        for slot, factor in enumerate(factors):
            np.matmul(prefix[slot], factor, out=prefix[slot + 1])
        between = (slice(None), *(None,) * (z.ndim - 1))
        # Ad (R, p) of (omega, v) is (R omega, R v + p x R omega).
        columns = self._twists.reshape(*self._twists.shape[:2], 2, 3).swapaxes(2, 3)
        turned = prefix[:-1, ..., :3, :3] @ columns[between]
        place, omega = prefix[:-1, ..., :3, 3], turned[..., 0]
        moved = np.concatenate([omega, turned[..., 1] + _cross(place, omega)], axis=-1)
        spatial = np.zeros((*z.shape[:-1], self.handle_count, self.latent_count, 6))
        spatial[..., self._handle, self._coordinate, :] = np.moveaxis(moved, 0, -3)
        return ScrewProduct(prefix[-1, ..., :3, :], spatial)


def _cross(first: Array, second: Array) -> Array:
    """np.cross of the last axis, without its overhead."""
    a, b, c = first[..., 0], first[..., 1], first[..., 2]
    x, y, z = second[..., 0], second[..., 1], second[..., 2]
    return np.stack([b * z - c * y, c * x - a * z, a * y - b * x], axis=-1)


def applied(twists: Array, transforms: Array) -> Array:
    """[S] A: twists Float[H,6] (or Float[H,k,6]), transforms Float[H,3,4] -> dA of the same leading shape."""
    matrices = twist_matrices(twists)
    if twists.ndim == 3:
        transforms = transforms[:, None]
    change = matrices[..., :3] @ transforms
    change[..., 3] += matrices[..., 3]
    return change


def directional_second(product: ScrewProduct, rate: Array) -> Array:
    """D2A[v, v] = sum_j v_j (2 sum_{i<j} v_i [S_i] + v_j [S_j]) [S_j] A, Float[H,3,4], for the rate v Float[K]."""
    each = twist_matrices(product.spatial * rate[None, :, None])  # v_j [S_j], (H, K, 3, 4)
    before = np.cumsum(each[..., :3], axis=1)
    weighted = 2.0 * before - each[..., :3]  # twice what comes before j, and j once
    total = (weighted @ each).sum(axis=1)
    change = total[..., :3] @ product.transforms
    change[..., 3] += total[..., 3]
    return change
