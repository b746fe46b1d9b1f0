"""Decoder of one object at some points of its surface, as a function of z alone.

Screws whose z is fitted are put together to bodies, joints and bones first, as for a mesh; other decoders are run as
they were trained. Of the paper's network z are the coordinates of its active subspace, as the paper has it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import torch
from torch import Tensor

from ..kinematics.base import Array
from ..learned.infer.network import NetworkInput
from ..learned.infer.shape_tensors import Surface
from ..learned.infer.surface_features import surface_features
from ..learned.infer.surface_prediction import predict_surface
from ..learned.infer.torch_network import TorchNetwork
from ..learned.train.active_subspace import active_directions
from ..learned.train.batches import surface_of
from ..learned.train.decoders import AffineDecoder, ScrewDecoder
from ..learned.train.latent_fitting import moves_of, skin_basis
from ..learned.train.paper_model import PaperModel
from ..learned.train.torch_screws import screw_motion
from ..learned.train.training_model import TrainedModel, TrainingModel
from .torch_fit import Moves

if TYPE_CHECKING:
    from .decoder_errors import Samples

__all__ = ["BoundDecoder", "bound", "bound_points"]

SUBSPACE_POINTS = 256  # at which the size of a deformation is measured


@dataclass(frozen=True)
class BoundDecoder:
    """Of one object at Q points."""

    mean: Tensor  # (K), of the prior, whose deviations are one
    moves: Callable[[slice], Moves]  # of some of the points: z (n,K) -> moves (n,P,3)
    points: Array  # Float[Q,3]
    encoded: Callable[[Tensor], Tensor] | None = None  # by the deformation encoder: moves (S,P,3) -> moves (S,Q,3)
    weights: Array | None = None  # Float[Q,H], of handles
    twists: Array | None = None  # Float[H,K,6], of screws
    columns: Array | None = None  # Float[H,K,3,4], of affine handles


@torch.no_grad()
def bound(model: TrainedModel, samples: Samples, count: int) -> BoundDecoder:
    """Decoder at the last `count` of the samples; the first ones are the encoder's."""
    rng = np.random.default_rng(0)  # the same codes for every network
    about = surface_features(samples.points, samples.shell, samples.slot, model.config, rng)
    inputs = {"points": samples.points, "normals": samples.normals, **about}
    whole = surface_of([inputs])
    encoded, queries = whole.take(slice(0, model.config.points)), whole.take(slice(-count, None))
    if isinstance(model, TrainingModel) and model.deformation is None:
        return _bound_structure(model, inputs, queries)
    return bound_points(model, encoded, queries)


@torch.no_grad()
def bound_points(model: TrainedModel, encoded: Surface, queries: Surface) -> BoundDecoder:
    """Decoder with a deformation encoder at the points `queries` of an object, by its points `encoded`."""
    assert model.deformation is not None
    context, decoder, deformation = model.encode(encoded), model.decoder, model.deformation
    features = model.query_features(context, queries)

    def moves(part: slice) -> Moves:
        decode = decoder.bound(context, features[:, part], queries.take(part))
        return lambda z: decode(z[None])[0]

    def by_encoder(shown: Tensor) -> Tensor:
        return moves(slice(None))(deformation(context, shown[None])[0][0])

    place, mean = queries.points[0].double().numpy(), context.prior_mean[0]
    if isinstance(model, PaperModel):
        some = slice(0, SUBSPACE_POINTS)
        directions = active_directions(moves(some), mean)

        def reduced(part: slice) -> Moves:
            decode = moves(part)
            return lambda q: decode(mean + q @ directions.T)

        return BoundDecoder(torch.zeros(directions.shape[1]), reduced, place, by_encoder)
    handles: dict[str, Array] = {}
    if isinstance(decoder, ScrewDecoder | AffineDecoder):
        handles["weights"] = decoder.skin_weights(context, features, queries)[0].double().numpy()
    if isinstance(decoder, ScrewDecoder):
        handles["twists"] = decoder.twists(context, decoder.predicted(context))[0].double().numpy()
    if isinstance(decoder, AffineDecoder):
        handles["columns"] = decoder.columns(context)[0].double().numpy()
    return BoundDecoder(mean, moves, place, by_encoder, **handles)


def _bound_structure(model: TrainingModel, inputs: NetworkInput, queries: Surface) -> BoundDecoder:
    structure, weights = predict_surface(TorchNetwork(model), inputs)
    count = queries.points.shape[1]
    scaled = structure.twists * structure.prior_scale[:, None]
    twists = torch.from_numpy(scaled).float()[None]
    basis = skin_basis(torch.from_numpy(weights[-count:]).float(), queries.points[0])

    def moves(part: slice) -> Moves:
        some = basis[None, None, part]
        return lambda z: moves_of(screw_motion(twists, z[None]), some)[0]

    mean = torch.from_numpy(structure.prior_mean / structure.prior_scale).float()
    place = queries.points[0].double().numpy()
    return BoundDecoder(mean, moves, place, weights=weights[-count:].astype(np.float64), twists=scaled)
