"""The network on PyTorch, as modules that `graph_export` also makes the ONNX graphs from."""

from __future__ import annotations

from dataclasses import fields

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from .devices import device_troubles
from .network import HANDLE_OUTPUTS, SAMPLE_INPUTS, SURFACE_INPUTS, NetworkInput, NetworkOutput
from .pairs import piece_boxes
from .screw_heads import ScrewHeads
from .shape_tensors import HandleFeatures, Samples, Surface
from .state_space_model import StateSpaceModel

__all__ = ["PointModule", "ShapeModule", "TorchNetwork"]


class ShapeModule(nn.Module):
    """`SURFACE_INPUTS` to what `NetworkOutput` holds."""

    def __init__(self, model: StateSpaceModel) -> None:
        super().__init__()
        self.model = model

    def forward(self, *inputs: Tensor) -> tuple[Tensor, ...]:
        surface = Surface(**dict(zip(SURFACE_INPUTS, inputs, strict=True)))
        decoder = self.model.decoder
        assert isinstance(decoder, ScrewHeads) and decoder.bends is not None
        context = self.model.shape(self.model.features(surface), surface)
        heads, bends = decoder.heads(context), decoder.bends(context)
        output = {
            **{field.name: getattr(context, field.name) for field in fields(HandleFeatures)},
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
        return tuple(output[name] for name in NetworkOutput.names())


class PointModule(nn.Module):
    """`HANDLE_OUTPUTS` and the `SAMPLE_INPUTS` of points to the weights of these, the mean of the views."""

    def __init__(self, model: StateSpaceModel) -> None:
        super().__init__()
        self.model = model

    def forward(self, *given: Tensor) -> Tensor:
        handles = HandleFeatures(**dict(zip(HANDLE_OUTPUTS, given[: len(HANDLE_OUTPUTS)], strict=True)))
        samples = Samples(**dict(zip(SAMPLE_INPUTS, given[len(HANDLE_OUTPUTS) :], strict=True)))
        features = self.model.query_features(handles, samples)
        return self.model.decoder.skin_weights(handles, features, samples).mean(0)


class TorchNetwork:
    """A trained network in single precision, as the other engine computes: half of it would be another shape."""

    engine = "torch"

    def __init__(self, model: StateSpaceModel, device: torch.device | None = None) -> None:
        """On the processor where no device is named. Raises UserError."""
        self.config = model.config
        self.device = device or torch.device("cpu")
        with device_troubles(self.device):
            model = model.to(self.device)
        self._shape, self._points = ShapeModule(model), PointModule(model)

    @torch.inference_mode()
    def shape(self, inputs: NetworkInput) -> NetworkOutput:
        with device_troubles(self.device):
            given = [self._tensor(inputs[name]) for name in SURFACE_INPUTS]
            return NetworkOutput(*(tensor.cpu().numpy() for tensor in self._shape(*given)))

    @torch.inference_mode()
    def weights(self, output: NetworkOutput, inputs: NetworkInput) -> NDArray[np.float32]:
        handles = [getattr(output, name) for name in HANDLE_OUTPUTS]
        given = [*handles, *(inputs[name] for name in SAMPLE_INPUTS)]
        with device_troubles(self.device):
            return self._points(*map(self._tensor, given)).cpu().numpy()

    def _tensor(self, array: NDArray) -> Tensor:
        return torch.from_numpy(np.ascontiguousarray(array)).to(self.device)
