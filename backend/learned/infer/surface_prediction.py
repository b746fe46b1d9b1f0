"""What the network says of one surface: its bodies, joints and bones, and to which of them any point belongs."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .decode_structure import Assembly, assembled
from .network import OF_SAMPLES, Network, Seen
from .rotation_averaging import seen_from_all_sides, told_of

__all__ = ["read_surface"]

QUERIES_AT_ONCE = 4096


def read_surface(network: Network, surface: Seen) -> tuple[Assembly, NDArray[np.float32]]:
    """Of one object: the samples that the encoder sees, then Q others, whose weights Float[Q,1+B+S] are told."""
    count, samples = network.config.points, len(surface["points"])
    views = seen_from_all_sides(surface)

    def some(begin: int, end: int) -> dict[str, NDArray]:
        return {name: views[name][:, begin:end] for name in OF_SAMPLES}

    said = network.shape(views | some(0, count))
    told = told_of(said)
    middle, half = said.boxes[0].astype(np.float64).swapaxes(0, 1)
    of_parts = np.stack([middle - half, middle + half], axis=1)
    extents = np.where((told.stiff > 0.0)[:, None, None], of_parts, said.pieces[0])
    assembly = assembled(told, extents, said.gaps[0].astype(np.float64))
    asked = range(count, samples, QUERIES_AT_ONCE)
    known = np.concatenate([network.weights(said, some(begin, begin + QUERIES_AT_ONCE)) for begin in asked])
    stiff = told.stiff_parts[surface["shell"][count:]] > 0.0
    return assembly, assembly.weights(known / known.sum(axis=1, keepdims=True), stiff)
