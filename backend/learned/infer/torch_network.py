"""The network as encodings use it, on PyTorch: what `exporting` makes the graphs of the other engine from."""

from __future__ import annotations

from dataclasses import fields

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from .decoders import ScrewDecoder
from .devices import device_troubles
from .network import HANDLES, OF_SAMPLES, OF_SURFACE, Said, Seen
from .pairs import piece_boxes
from .state_space_model import Known, Samples, StateSpaceModel, Surface

__all__ = ["PointReader", "ShapeReader", "TorchNetwork"]


class ShapeReader(nn.Module):
    """`OF_SURFACE` to what `Said` holds."""

    def __init__(self, model: StateSpaceModel) -> None:
        super().__init__()
        self.model = model

    def forward(self, *seen: Tensor) -> tuple[Tensor, ...]:
        surface = Surface(**dict(zip(OF_SURFACE, seen, strict=True)))
        decoder = self.model.decoder
        assert isinstance(decoder, ScrewDecoder) and decoder.bends is not None
        context = self.model.shape(self.model.features(surface), surface)
        heads, bends = decoder.heads(context), decoder.bends(context)
        said = {
            **{field.name: getattr(context, field.name) for field in fields(Known)},
            "moves": heads.moves,
            "firm": heads.firm,
            "balls": heads.balls,
            "size": heads.size,
            "means": context.prior_mean,
            "carries": decoder.carries(context),
            "kinds": heads.kinds.log_softmax(-1),
            "direction": heads.direction,
            "places": heads.places.log_softmax(-1),
            "place": heads.place,
            "turning": bends.covariance(),
            "pivots": bends.pivot,
            "gaps": context.gaps,
            "pieces": piece_boxes(surface.points, surface.piece, surface.seeds.shape[1]),
            "boxes": context.boxes,
        }
        return tuple(said[name] for name in Said.names())


class PointReader(nn.Module):
    """`HANDLES` and the `OF_SAMPLES` of points to the weights of these, the mean of the views."""

    def __init__(self, model: StateSpaceModel) -> None:
        super().__init__()
        self.model = model

    def forward(self, *given: Tensor) -> Tensor:
        known = Known(**dict(zip(HANDLES, given[: len(HANDLES)], strict=True)))
        samples = Samples(**dict(zip(OF_SAMPLES, given[len(HANDLES) :], strict=True)))
        features = self.model.query_features(known, samples)
        return self.model.decoder.skin_weights(known, features, samples).mean(0)


class TorchNetwork:
    """A trained network in single precision, as the other engine computes: half of it would be another shape."""

    engine = "torch"

    def __init__(self, model: StateSpaceModel, device: torch.device | None = None) -> None:
        """On the processor where no device is named. Raises UserError."""
        self.config = model.config
        self.device = device or torch.device("cpu")
        with device_troubles(self.device):
            model = model.to(self.device)
        self._shape, self._points = ShapeReader(model), PointReader(model)

    @torch.inference_mode()
    def shape(self, seen: Seen) -> Said:
        with device_troubles(self.device):
            given = [self._tensor(seen[name]) for name in OF_SURFACE]
            return Said(*(tensor.cpu().numpy() for tensor in self._shape(*given)))

    @torch.inference_mode()
    def weights(self, said: Said, seen: Seen) -> NDArray[np.float32]:
        known = [getattr(said, name) for name in HANDLES]
        given = [*known, *(seen[name] for name in OF_SAMPLES)]
        with device_troubles(self.device):
            return self._points(*map(self._tensor, given)).cpu().numpy()

    def _tensor(self, array: NDArray) -> Tensor:
        return torch.from_numpy(np.ascontiguousarray(array)).to(self.device)
