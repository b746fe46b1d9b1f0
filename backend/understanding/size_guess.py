"""Size guess: how long a thing is in truth, by what it is called, what it looks like and how large it is drawn.

Each says how likely a length is, and their product decides:
- the network of materials: a normal distribution of the logarithm, and one so wide that it may be wrong;
- names: typical sizes of such things;
- the drawing: the unit of the file may be the metre, the centimetre, the millimetre, the inch or none at all.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..materials.typical_sizes import typical_sizes

__all__ = ["likely_size"]

_STEP = 0.01
_LENGTHS = np.arange(-3.0, 2.5, _STEP)  # log10 of metres
_NETWORK_RIGHT, _NETWORK_WRONG = 0.6, 0.35  # how often it is right, and the deviation where it is not
_NAMED, _NAME_SPREAD = 0.9, 0.14  # how often a name that tells a thing tells the size, and its deviation
_BEFORE = 0.5  # how much a thing in a name counts beside the next one: a car seat is a seat
_UNITS = {1.0: 0.2, 0.01: 0.08, 0.001: 0.03, 0.0254: 0.03, 0.1: 0.03}  # of a metre, and how often; else any
_DRAWN_SPREAD = 0.04  # things are modelled to scale, or not at all
_RIGHT_WITHIN, _SURE = np.log10(1.5), 0.5  # a size is told where it is that likely to be right within this factor


def likely_size(network: float, spread: float, name: str, drawn: float | None) -> float | None:
    """The longest side of a thing of this name, m; None where that cannot be told.

    `network` and `spread`: log10 of metres and its deviation; `drawn`: how long it is drawn, where that is known.
    """
    log = np.log(_NETWORK_RIGHT * _normal(network, spread) + (1.0 - _NETWORK_RIGHT) * _normal(network, _NETWORK_WRONG))
    things = typical_sizes(name)
    if things:
        shares = [_BEFORE**number for number in range(len(things))]
        named = sum(
            share * np.mean([_normal(np.log10(size), _NAME_SPREAD) for size in sizes], axis=0)
            for share, sizes in zip(shares, reversed(things), strict=True)
        )
        log += np.log(_NAMED * named / sum(shares) + (1.0 - _NAMED) * _anything())
    if drawn is not None and drawn > 0.0:
        to_scale = sum(share * _normal(np.log10(drawn * unit), _DRAWN_SPREAD) for unit, share in _UNITS.items())
        log += np.log(to_scale + (1.0 - sum(_UNITS.values())) * _anything())
    likely = np.exp(log - log.max())
    likely /= likely.sum()
    near = int(_RIGHT_WITHIN / _STEP)
    within = np.convolve(likely, np.ones(2 * near + 1), mode="same")
    best = int(within.argmax())
    if within[best] < _SURE:
        return None
    window = slice(max(best - near, 0), best + near + 1)
    return float(10.0 ** np.average(_LENGTHS[window], weights=likely[window]))


def _normal(middle: float, spread: float) -> NDArray[np.float64]:
    return np.exp(-0.5 * ((_LENGTHS - middle) / spread) ** 2) / spread


def _anything() -> NDArray[np.float64]:
    """As dense as `_normal` where nothing is known."""
    return np.full(len(_LENGTHS), np.sqrt(2.0 * np.pi) / (_LENGTHS[-1] - _LENGTHS[0]))
