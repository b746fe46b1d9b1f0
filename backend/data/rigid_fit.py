"""The rigid motions that explain where groups of points went best (least squares)."""

from __future__ import annotations

import numpy as np

from ..dynamics.rigid_placement import nearest_rotation
from ..kinematics.base import Array

__all__ = ["best_motions"]


def best_motions(shares: Array, before: Array, after: Array) -> tuple[Array, Array]:
    """Rotations Float[S,G,3,3] and translations Float[S,G,3] of G groups of points Float[n,3] to S states Float[S,n,3].

    Rows of `shares` Float[G,n] sum to one.
    """
    middle, middles = shares @ before, shares @ after
    products = np.einsum("gn,sni,nj->sgij", shares, after, before, optimize=True)
    turn = nearest_rotation(products - middles[..., None] * middle[:, None, :])
    return turn, middles - np.einsum("sgij,gj->sgi", turn, middle)
