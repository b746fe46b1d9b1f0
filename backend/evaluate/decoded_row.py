"""Row of decoders that were trained with a variational encoder, the paper's among them: z fitted to the given points.

As the other rows of networks it has a root. Points between vertices go with the corners of their triangle.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import torch
from torch import Tensor

from ..geometry.surface_samples import sample_surface
from ..kinematics.base import Array
from ..learned.train.torch_screws import exponential, rotate
from ..learned.train.training_model import TrainedModel, load_training_model
from .bound_decoder import bound
from .decoder_errors import OBSERVED, samples_of
from .latent_fit import FitSettings
from .surface import SurfacePoints
from .torch_fit import Moves, fitted_latents

if TYPE_CHECKING:
    from .subject import Subject

__all__ = ["DecodedCandidate", "decoded_candidate"]

AT_ONCE = 4096  # vertices
ROOT = FitSettings().root  # radians and normalised units, as in `latent_fit`


class DecodedCandidate:
    """Coordinates of a decoder, those of the active subspace for the paper's, and six of the motion as a whole."""

    def __init__(self, subject: Subject, model: TrainedModel) -> None:
        count = len(subject.vertices)
        observed = sample_surface(
            subject.vertices, subject.triangles, subject.shell, subject.rng(4), model.config.points
        )
        corner = _corners(subject.triangles, count)
        corners = np.concatenate([observed.corners, corner])
        shares = np.concatenate([observed.barycentric, np.tile([1.0, 0.0, 0.0], (count, 1))])
        self._decoder = bound(model, samples_of(subject, corners, shares), count)
        self._mean = torch.cat([self._decoder.mean, torch.zeros(6)])
        self._vertices = subject.vertices

    def _moves(self, vertices: Array) -> Moves:
        """Of some of the vertices, Int[n]: coordinates with those of the root (s,K+6) -> moves (s,n,3)."""
        chosen = torch.from_numpy(vertices)
        decode, rest = self._decoder.moves(chosen), torch.from_numpy(self._vertices[vertices]).float()

        def moves(numbers: Tensor) -> Tensor:
            inner = rest + decode(numbers[:, :-6])
            turn, shift = exponential(ROOT * numbers[:, None, -6:])
            return rotate(turn.expand(*inner.shape[:2], 4), inner) + shift - rest

        return moves

    def fit(self, points: SurfacePoints, targets: Array) -> Array:
        """Vertices Float[V,3] of the shape whose points are nearest to targets Float[n,3]."""
        points, targets = points.first(OBSERVED), targets[:OBSERVED]
        known, place = np.unique(points.corners, return_inverse=True)
        between = torch.zeros(len(points), len(known))
        rows = torch.arange(len(points))[:, None].expand(-1, 3)
        shares = torch.from_numpy(points.shares).float()
        between.index_put_((rows, torch.from_numpy(place.reshape(-1, 3))), shares, accumulate=True)
        decode = self._moves(known)
        asked = torch.from_numpy(targets - points.on(self._vertices)).float()
        found = fitted_latents(lambda numbers: between @ decode(numbers), asked, self._mean)[None]
        with torch.no_grad():
            each = np.array_split(np.arange(len(self._vertices)), -(-len(self._vertices) // AT_ONCE))
            moves = [self._moves(some)(found)[0].double().numpy() for some in each]
        return self._vertices + np.concatenate(moves)


def _corners(triangles: Array, count: int) -> Array:
    """For each vertex a triangle of it, itself first, Int[V,3]; itself alone where it has none."""
    corners = np.tile(np.arange(count)[:, None], (1, 3))
    for first in range(3):
        corners[triangles[:, first]] = np.roll(triangles, -first, axis=1)
    return corners


def decoded_candidate(subject: Subject, weights: Path) -> DecodedCandidate:
    """The candidate of an object by the weights of a file. Raises UserError."""
    return DecodedCandidate(subject, load_training_model(weights))
