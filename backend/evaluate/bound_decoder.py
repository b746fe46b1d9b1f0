"""Decoder of one object at some points of its surface, as a function of z alone.

Screws whose z is fitted are put together to bodies, joints and bones first, as for a mesh; other decoders are run as
they were trained.
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
from ..learned.infer.shape_tensors import Context, Surface
from ..learned.infer.surface_features import surface_features
from ..learned.infer.surface_prediction import predict_surface
from ..learned.infer.torch_network import TorchNetwork
from ..learned.train.batches import surface_of
from ..learned.train.decoders import AffineDecoder, ScrewDecoder
from ..learned.train.latent_fitting import moves_of, skin_basis
from ..learned.train.torch_screws import screw_motion
from ..learned.train.training_model import TrainingModel
from .torch_fit import Moves

if TYPE_CHECKING:
    from .decoder_errors import Samples

__all__ = ["BoundDecoder", "bound"]


@dataclass(frozen=True)
class BoundDecoder:
    """Of one object at Q points."""

    mean: Tensor  # (K), of the prior, whose deviations are one
    moves: Callable[[slice], Moves]  # of some of the points: z (n,K) -> moves (n,P,3)
    points: Array  # Float[Q,3]
    context: Context | None = None  # where a deformation encoder predicts z
    weights: Array | None = None  # Float[Q,H], of handles
    twists: Array | None = None  # Float[H,K,6], of screws
    columns: Array | None = None  # Float[H,K,3,4], of affine handles


@torch.no_grad()
def bound(model: TrainingModel, samples: Samples, count: int) -> BoundDecoder:
    """Decoder at the last `count` of the samples; the first ones are the encoder's."""
    rng = np.random.default_rng(0)  # the same codes for every network
    about = surface_features(samples.points, samples.shell, samples.slot, model.config, rng)
    inputs = {"points": samples.points, "normals": samples.normals, **about}
    whole = surface_of([inputs])
    encoded, queries = whole.take(slice(0, model.config.points)), whole.take(slice(-count, None))
    if model.deformation is None:
        return _bound_structure(model, inputs, queries)
    context = model.encode(encoded)
    features, decoder = model.query_features(context, queries), model.decoder

    def moves(part: slice) -> Moves:
        decode = decoder.bound(context, features[:, part], queries.take(part))
        return lambda z: decode(z[None])[0]

    handles: dict[str, Array] = {}
    if isinstance(decoder, ScrewDecoder | AffineDecoder):
        handles["weights"] = decoder.skin_weights(context, features, queries)[0].double().numpy()
    if isinstance(decoder, ScrewDecoder):
        handles["twists"] = decoder.twists(context, decoder.predicted(context))[0].double().numpy()
    if isinstance(decoder, AffineDecoder):
        handles["columns"] = decoder.columns(context)[0].double().numpy()
    return BoundDecoder(context.prior_mean[0], moves, queries.points[0].double().numpy(), context, **handles)


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
