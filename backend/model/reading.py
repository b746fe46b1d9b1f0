"""What the network says of one surface: its bodies, joints and bones, and to which of them any point belongs."""

from __future__ import annotations

import numpy as np
import torch
from numpy.typing import NDArray

from .assembling import Assembly, assembled
from .decoders import ScrewDecoder
from .network import StateSpaceModel, Surface
from .pairs import piece_boxes
from .views import TURNS, told_of, turned

__all__ = ["read_surface"]

QUERIES_AT_ONCE = 4096


@torch.no_grad()
def read_surface(model: StateSpaceModel, surface: Surface) -> tuple[Assembly, NDArray[np.float32]]:
    """Of one object: the samples that the encoder sees, then Q others, whose weights Float[Q,1+B+S] are told."""
    decoder, count = model.decoder, model.config.points
    assert isinstance(decoder, ScrewDecoder)
    views = [turned(surface, turn) for turn in TURNS]
    with torch.autocast("cpu", torch.bfloat16):
        seen = [view.take(slice(0, count)) for view in views]
        contexts = [model.shape(model.features(each), each) for each in seen]
        weights = []
        for begin in range(count, surface.points.shape[1], QUERIES_AT_ONCE):
            part = slice(begin, begin + QUERIES_AT_ONCE)
            said = [
                decoder.skin_weights(context, model.query_features(context, some), some)
                for context, some in zip(contexts, (view.take(part) for view in views), strict=True)
            ]
            weights.append(torch.stack(said).float().mean(0)[0])
        with torch.autocast("cpu", enabled=False):
            told = told_of(model, contexts)
            first = contexts[0]
            pieces = piece_boxes(seen[0].points, seen[0].piece, model.config.handles)[0].double().numpy()
    of_parts = torch.stack([first.boxes[0, :, 0] - first.boxes[0, :, 1], first.boxes[0].sum(1)], 1).double().numpy()
    extents = np.where((told.stiff > 0.0)[:, None, None], of_parts, pieces)
    assembly = assembled(told, extents, first.gaps[0].double().numpy())
    known = torch.cat(weights, 0).numpy()
    stiff = told.stiff_parts[surface.shell[0, count:].numpy()] > 0.0
    return assembly, assembly.weights(known / known.sum(axis=1, keepdims=True), stiff)
