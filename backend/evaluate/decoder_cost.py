"""Cost of decoders: milliseconds from z to the positions of 12,000 points, and to their derivatives by z.

In torch every decoder is timed by the same code. Handles have closed forms besides, which need no torch: these are what
a simulation runs, and for it the derivatives of the handles alone are enough, because points are linear in them.
"""

from __future__ import annotations

from collections.abc import Callable
from statistics import median
from time import perf_counter
from typing import Any

import numpy as np
import torch

from ..kinematics.base import Array, skinning_basis
from ..kinematics.screws import Screws, applied
from ..learned.train.paper_model import PaperDecoder
from ..learned.train.token_decoders import PointDecoder
from ..learned.train.training_model import TrainedModel
from .bound_decoder import bound
from .decoder_errors import Samples
from .torch_fit import columns

__all__ = ["COST_POINTS", "decoder_cost"]

COST_POINTS = 12_000
SECONDS = 1.0  # for each figure, after the first run; three runs at least
LEAST, MOST = 3, 50
AT_ONCE = 4  # derivatives by which the per-point decoder is run at once: all of them would take gigabytes


@torch.no_grad()
def decoder_cost(model: TrainedModel, samples: Samples, points: int = COST_POINTS) -> dict[str, Any]:
    """Medians in ms; `numpy` is None where there is no closed form. The last `points` samples are decoded."""
    decoder = bound(model, samples, points)
    moves = decoder.moves(slice(None))
    z = torch.randn(decoder.mean.shape, generator=torch.Generator().manual_seed(1))
    at_once = AT_ONCE if isinstance(model.decoder, PointDecoder | PaperDecoder) else None
    cost: dict[str, Any] = {
        "latents": len(z),
        "torch": {
            "decode": _milliseconds(lambda: moves(z[None])),
            "jacobian": _milliseconds(lambda: columns(moves, z[None], at_once)),
        },
        "numpy": None,
    }
    if decoder.weights is not None:
        basis, numbers = skinning_basis(decoder.weights, decoder.points), z.double().numpy()
        if decoder.twists is not None:
            cost["numpy"] = _screw_cost(decoder.twists, basis, numbers)
        elif decoder.columns is not None:
            cost["numpy"] = _affine_cost(decoder.columns, basis, numbers)
    return cost


def _screw_cost(twists: Array, basis: Array, z: Array) -> dict[str, float]:
    screws = Screws(twists)

    def shape() -> Array:
        return basis @ screws.transforms(z).transpose(0, 2, 1).reshape(-1, 3)

    def handle_jacobian() -> Array:
        product = screws.product(z)
        return applied(product.spatial, product.transforms).transpose(0, 3, 2, 1).reshape(len(basis[0]), -1)

    return {
        "decode": _milliseconds(shape),
        "jacobian": _milliseconds(lambda: basis @ handle_jacobian()),
        "handle_jacobian": _milliseconds(handle_jacobian),
    }


def _affine_cost(change: Array, basis: Array, z: Array) -> dict[str, float]:
    """`change` Float[H,K,3,4]. The derivatives are constant, made once for an object: they cost nothing."""
    rows = change.transpose(0, 3, 2, 1).reshape(-1, len(z))  # (4H 3, K)
    rest = np.tile(np.eye(4)[:, :3], (len(change), 1))

    def shape() -> Array:
        return basis @ (rest + (rows @ z).reshape(-1, 3))

    return {"decode": _milliseconds(shape), "jacobian": 0.0, "handle_jacobian": 0.0}


def _milliseconds(work: Callable[[], object]) -> float:
    work()
    taken: list[float] = []
    while len(taken) < LEAST or (sum(taken) < SECONDS and len(taken) < MOST):
        begin = perf_counter()
        work()
        taken.append(perf_counter() - begin)
    return 1e3 * median(taken)
