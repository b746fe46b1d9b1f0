"""Multilayer perceptron that scores joint candidates by their features, fitted to objects whose joints are known."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np

from ..errors import UserError
from ..kinematics.base import Array
from .candidate_features import COLUMNS
from .piece_pairs import PAIR_COLUMNS

__all__ = ["MOST", "PAIR_SCORES", "SCORES", "Score", "read_score", "shipped_pair_score", "shipped_score"]

_WEIGHTS = Path(__file__).resolve().parents[1] / "weights"
SCORES = _WEIGHTS / "joint_scores.npz"
PAIR_SCORES = _WEIGHTS / "part_scores.npz"
MOST = 8.0  # where standardised features are clipped if nothing else is said


@dataclass(frozen=True, eq=False)
class Score:
    """Perceptron on standardised features: layers (matrix Float[n,m], offset Float[m]), the last with one output.

    `columns` are the names of the F features. Standardised ones are clipped at `most`: no extrapolation beyond the
    training objects.
    """

    columns: tuple[str, ...]
    mean: Array
    spread: Array
    layers: tuple[tuple[Array, Array], ...]
    most: float = MOST

    def log_odds(self, features: Array) -> Array:
        """features Float[C,F] -> Float[C]; their softmax over all candidates of a part is how likely each is."""
        values = np.clip((features - self.mean) / self.spread, -self.most, self.most)
        for matrix, offset in self.layers[:-1]:
            values = values @ matrix + offset
            values = values / (1.0 + np.exp(-np.clip(values, -60.0, 60.0)))  # SiLU
        matrix, offset = self.layers[-1]
        return (values @ matrix + offset)[:, 0]

    def write(self, path: Path) -> None:
        arrays = {"mean": self.mean, "spread": self.spread, "most": np.array(self.most)}
        for number, (matrix, offset) in enumerate(self.layers):
            arrays |= {f"matrix_{number}": matrix, f"offset_{number}": offset}
        single = {name: value.astype(np.float32) for name, value in arrays.items()}
        np.savez(path, columns=np.array(self.columns), **single)


def read_score(path: Path, columns: tuple[str, ...]) -> Score:
    """The score written by `Score.write`, of features with these names. Raises UserError."""
    try:
        with np.load(path, allow_pickle=False) as archive:
            if tuple(archive["columns"].tolist()) != columns:
                raise ValueError("it scores other features")
            found = {name: archive[name].astype(np.float64) for name in archive.files if name != "columns"}
        count = sum(name.startswith("matrix_") for name in found)
        layers = tuple((found[f"matrix_{number}"], found[f"offset_{number}"]) for number in range(count))
        return Score(columns, found["mean"], found["spread"], layers, float(found.get("most", MOST)))
    except Exception as problem:  # whatever a damaged archive makes NumPy and zipfile say
        raise UserError("bad_weights.joint_scores", file=path.name) from problem


@cache
def shipped_score() -> Score:
    """Log-odds of the candidates of a part."""
    return read_score(SCORES, COLUMNS)


@cache
def shipped_pair_score() -> Score:
    """Log-odds of two pieces that touch being one part."""
    return read_score(PAIR_SCORES, PAIR_COLUMNS)
