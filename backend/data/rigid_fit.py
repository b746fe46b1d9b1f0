"""Least-squares rigid motions of groups of points (Kabsch)."""

from __future__ import annotations

import numpy as np

from ..dynamics.rigid_placement import nearest_rotation
from ..kinematics.base import Array

__all__ = ["best_motions"]

LEAST_SPREAD = 1e-8  # normalised units squared


def best_motions(shares: Array, before: Array, after: Array, stay: float = 0.0) -> tuple[Array, Array]:
    """Rotations Float[S,G,3,3] and translations Float[S,G,3] of G groups of points Float[n,3] to S states Float[S,n,3].

    Rows of `shares` Float[G,n] sum to one. Points in a line do not tell how they turned about it: with `stay`, a small
    share of their spread, such turns are none.
    """
    before, after = before.astype(np.float64), after.astype(np.float64)  # differences of products of float32 are noise
    middle, middles = shares @ before, shares @ after
    products = np.einsum("gn,sni,nj->sgij", shares, after, before, optimize=True)
    products -= middles[..., None] * middle[:, None, :]
    # One point has no spread but its rounding, and does not turn.
    spread = np.maximum(shares @ (before**2).sum(axis=1) - (middle**2).sum(axis=1), LEAST_SPREAD)
    turn = nearest_rotation(products + stay * spread[:, None, None] * np.eye(3))
    return turn, middles - np.einsum("sgij,gj->sgi", turn, middle)
