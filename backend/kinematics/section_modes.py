"""Cross-section modes: weights across thin parts, which the softest scalar modes of a slender object lack.

Where an object bends, its cross-section widens on the one side and narrows on the other: displacements that are
quadratic across it, without which bending is too stiff by sqrt((1 - nu) / ((1 + nu) (1 - 2 nu))) in frequency. A handle
makes them if its weight is itself linear across the section, like y w(x).
"""

from __future__ import annotations

import numpy as np

from ..geometry.material import MaterialCloud
from .base import Array

__all__ = ["section_modes"]

CARRIERS = 12  # of the softest modes, that are multiplied with each unresolved coordinate
SHEET_CARRIERS = 1  # sheets have the moduli of plane stress; this one lets them twist, straight up to their border
UNRESOLVED = 0.2  # node spacings, RMS: what is resolved better needs nothing


def section_modes(cloud: MaterialCloud, modes: Array, anchored: bool) -> Array:
    """The part of the coordinates that `modes` Float[N,m] leave unresolved, times the first modes: Float[N,p].

    Each has a largest entry of one, and is zero where all modes of an anchored object are.
    """
    volume, every = cloud.volume[:, None], np.column_stack([np.ones(len(modes)), modes])
    fitted = np.linalg.lstsq(np.sqrt(volume) * every, np.sqrt(volume) * cloud.position, rcond=None)[0]
    rest = cloud.position - every @ fitted
    squares, axes = np.linalg.eigh(rest.T @ (volume * rest) / cloud.volume.sum())
    fields = rest @ axes[:, squares > (UNRESOLVED * cloud.spacing) ** 2]
    carriers = every[:, 1 if anchored else 0 :][:, : CARRIERS if cloud.solid.any() else SHEET_CARRIERS]
    products = (fields[:, :, None] * carriers[:, None, :]).reshape(len(modes), -1)
    return products / np.abs(products).max(axis=0, initial=1e-300)
