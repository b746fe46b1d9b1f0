"""Prediction for one surface: its structure, and the skinning weights of its points."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .decode_structure import DecodedStructure, decode_structure
from .network import SAMPLE_INPUTS, Network, NetworkInput
from .rotation_averaging import averaged_output, rotated_inputs

__all__ = ["predict_surface"]

QUERIES_AT_ONCE = 4096


def predict_surface(network: Network, surface: NetworkInput) -> tuple[DecodedStructure, NDArray[np.float32]]:
    """`surface` has the samples of the encoder, then Q query points: the structure and their weights Float[Q,1+B+S]."""
    count, samples = network.config.points, len(surface["points"])
    views = rotated_inputs(surface)

    def some(begin: int, end: int) -> dict[str, NDArray]:
        return {name: views[name][:, begin:end] for name in SAMPLE_INPUTS}

    output = network.shape(views | some(0, count))
    averaged = averaged_output(output)
    middle, half = output.boxes[0].astype(np.float64).swapaxes(0, 1)
    of_parts = np.stack([middle - half, middle + half], axis=1)
    extents = np.where((averaged.stiff > 0.0)[:, None, None], of_parts, output.pieces[0])
    structure = decode_structure(averaged, extents, output.gaps[0].astype(np.float64))
    starts = range(count, samples, QUERIES_AT_ONCE)
    known = np.concatenate([network.weights(output, some(begin, begin + QUERIES_AT_ONCE)) for begin in starts])
    stiff = averaged.stiff_parts[surface["shell"][count:]] > 0.0
    return structure, structure.weights(known / known.sum(axis=1, keepdims=True), stiff)
