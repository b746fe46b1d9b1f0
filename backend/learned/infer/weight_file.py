"""Weight files (safetensors: a length, a JSON header, raw little-endian arrays) as NumPy arrays."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from ...errors import UserError
from .model_config import ModelConfig

__all__ = ["Weights", "read_weights", "read_weights_of", "unusable_weights"]

DTYPES = {"F16": np.dtype("<f2"), "F32": np.dtype("<f4")}


Sizes = TypeVar("Sizes")  # the configuration of a network


@dataclass(frozen=True)
class Weights(Generic[Sizes]):
    """A trained network as numbers; `sizes` is the JSON text of its configuration."""

    config: Sizes
    sizes: str
    arrays: dict[str, NDArray[np.float32]]


def unusable_weights(path: Path, error: Exception) -> UserError:
    return UserError("bad_weights.unreadable", file=path.name, kind=type(error).__name__)


def read_weights(path: Path) -> Weights[ModelConfig]:
    """The weights of a state space, in single precision. Raises UserError."""
    return read_weights_of(ModelConfig, path)


def read_weights_of(config: type[Sizes], path: Path) -> Weights[Sizes]:
    """Weights that `train.checkpoint.save_model` wrote of a network of this kind. Raises UserError."""
    try:
        content = path.read_bytes()
        begin = 8 + int.from_bytes(content[:8], "little")
        header = json.loads(content[8:begin])
        sizes = header.pop("__metadata__")["model"]
        arrays = {}
        for name, about in header.items():
            dtype, (first, last) = DTYPES[about["dtype"]], about["data_offsets"]
            flat = np.frombuffer(content[begin + first : begin + last], dtype)
            arrays[name] = flat.reshape(about["shape"]).astype(np.float32)
        return Weights(config(**json.loads(sizes)), sizes, arrays)
    except FileNotFoundError:
        raise UserError("no_weights.file", path=path) from None
    except Exception as error:
        raise unusable_weights(path, error) from error
