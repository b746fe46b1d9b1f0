"""The network of materials in NumPy: two hidden layers over n-grams of names, words, look and shape."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.special import erf

from ....materials.clues import Clues
from ..weight_file import Weights, read_weights_of
from .material_config import MaterialNetworkConfig
from .piece_features import FIELDS, PieceFeatures, piece_features

__all__ = ["MATERIAL_WEIGHTS", "MaterialPrediction", "predicted_materials"]

MATERIAL_WEIGHTS = Path(__file__).resolve().parents[3] / "weights" / "materials.safetensors"


@dataclass(frozen=True)
class MaterialPrediction:
    """Of each of P pieces: `probabilities` Float[P,M] of the materials that the network knows.

    `size`: the longest side of the whole, log10 of metres, and `spread`, the standard deviation of that.
    """

    materials: tuple[str, ...]
    probabilities: NDArray[np.float64]
    size: float
    spread: float


def predicted_materials(pieces: Sequence[Clues], name: str, weights: Path = MATERIAL_WEIGHTS) -> MaterialPrediction:
    """What the network says of the pieces of an object of this name. Raises UserError where there are no weights."""
    network = _read(weights)
    config = network.config
    outputs = np.stack([_forward(network, piece_features(each, name, config.buckets)) for each in pieces])
    count = len(config.materials)
    logits = outputs[:, :count] / float(network.arrays["temperature"][0])
    likelihood = np.exp(logits - logits.max(axis=1, keepdims=True))
    precision = np.exp(-2.0 * outputs[:, count + 2])
    return MaterialPrediction(
        config.materials,
        likelihood / likelihood.sum(axis=1, keepdims=True),
        float(np.average(outputs[:, count + 1], weights=precision)),
        float(np.exp(outputs[:, count + 2]).mean()),
    )


@cache
def _read(path: Path) -> Weights[MaterialNetworkConfig]:
    return read_weights_of(MaterialNetworkConfig, path)


def _forward(network: Weights[MaterialNetworkConfig], features: PieceFeatures) -> NDArray[np.float64]:
    """Logits of the materials, of being thin, and size with the logarithm of its spread: Float[M+3]."""
    arrays = network.arrays
    table = arrays["gram_tokens"]
    # Sums grow with the root of the number of n-grams, so that long names weigh what short ones do.
    names = [table[grams].sum(axis=0) / np.sqrt(max(len(grams), 1)) for grams in features.grams]
    told = [len(grams) > 0 for grams in features.grams]
    assert len(told) == len(FIELDS)
    values = np.concatenate([*names, features.told.ravel(), told, [1.0], features.shape, features.look])
    for layer in ("first", "second"):
        values = _gelu(arrays[f"{layer}.weight"] @ values + arrays[f"{layer}.bias"])
    outputs = np.asarray(arrays["last.weight"] @ values + arrays["last.bias"], dtype=np.float64)
    outputs[: features.told.shape[1]] += arrays["trust"] @ features.told
    return outputs


def _gelu(values: NDArray[np.floating]) -> NDArray[np.floating]:
    return 0.5 * values * (1.0 + erf(values / np.sqrt(2.0)))
