"""What the network of materials sees of a piece: hashed n-grams of names, words that tell materials, look and shape."""

from __future__ import annotations

import colorsys
import zlib
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ....materials.clues import Clues, Shader
from ....materials.words import told_by, words_of

__all__ = ["FIELDS", "LOOKS", "SHAPES", "PieceFeatures", "name_grams", "piece_features"]

FIELDS = ("object", "node", "material")  # whose names are read; vertex groups join the material
SHAPES, LOOKS = 17, 17  # numbers of each
_GRAMS = (3, 4, 5)
_LEAST = 1e-5  # below this a share counts as nothing


@dataclass(frozen=True)
class PieceFeatures:
    """`grams`: for each of FIELDS the buckets of its n-grams, Int[n]; `told` Float[3,M]: materials that its words tell.

    `shape` Float[SHAPES] and `look` Float[LOOKS], which begins with whether there is a shader.
    """

    grams: tuple[NDArray[np.int64], ...]
    told: NDArray[np.float32]
    shape: NDArray[np.float32]
    look: NDArray[np.float32]


def piece_features(clues: Clues, name: str, buckets: int) -> PieceFeatures:
    """Of a piece of an object of this name."""
    names = (name, clues.node, " ".join((clues.material, *clues.groups)))
    return PieceFeatures(
        tuple(name_grams(each, buckets) for each in names),
        np.stack([told_by(each) for each in names]).astype(np.float32),
        _shape(clues),
        _look(clues.shader),
    )


def name_grams(name: str, buckets: int) -> NDArray[np.int64]:
    """Buckets of the words of a name and of their n-grams, Int[n]; each once."""
    grams = set()
    for word in words_of(name):
        bounded = f"<{word}>"
        grams.add(bounded)
        grams |= {bounded[i : i + length] for length in _GRAMS for i in range(len(bounded) - length + 1)}
    return np.array(sorted({zlib.crc32(gram.encode()) % buckets for gram in grams}), dtype=np.int64)


def _shape(clues: Clues) -> NDArray[np.float32]:
    shape = clues.shape
    size, centre = np.clip(shape.size, 0.0, 1.5), np.array(shape.centre)
    thinness, area = np.log10(shape.thinness + _LEAST), np.log10(shape.area + _LEAST)
    low = centre[2] - 0.5 * size[2]
    known = shape.open_edges is not None
    return np.array(
        [
            *size,
            *np.abs(centre[:2] - 0.5),  # left and right, front and back are alike
            centre[2],
            low < 0.02,
            centre[2] + 0.5 * size[2] > 0.98,
            shape.diagonal,
            np.sort(size)[0],
            np.sort(size)[1],
            0.5 * (area + 2.5),
            0.7 * (thinness + 2.0),
            np.log10(shape.pieces),
            shape.pieces == 1,
            known,
            np.sqrt(shape.open_edges) if shape.open_edges is not None else 0.0,
        ],
        dtype=np.float32,
    )


def _look(shader: Shader | None) -> NDArray[np.float32]:
    if shader is None:
        return np.zeros(LOOKS, dtype=np.float32)
    values = [1.0, shader.metallic, shader.roughness, shader.transmission, shader.alpha < 0.95, shader.metallic > 0.7]
    if shader.colour is None:
        return np.array([*values, *[0.0] * (LOOKS - len(values))], dtype=np.float32)
    seen = np.clip(shader.colour, 0.0, 1.0) ** (1.0 / 2.2)
    hue, saturation, value = colorsys.rgb_to_hsv(*map(float, seen))
    turn = 2.0 * np.pi * hue
    green = saturation * value * max(0.0, np.cos(turn - 2.0 * np.pi / 3.0))
    brown = saturation * (0.02 < hue < 0.13)
    hues = [saturation * np.cos(turn), saturation * np.sin(turn), saturation * np.cos(2.0 * turn)]
    return np.array([*values, 1.0, *seen, saturation, value, *hues, green, brown], dtype=np.float32)
