"""Network of the learned state space: shape encoder and screw heads.

    ShapeEncoder        M0 -> handle tokens, point features; the prior p(z | M0) = N(mean, I), a number for each handle
    ScrewHeads          tokens -> skinning weights, joints, rotations of what bends

`learned.train` adds what only training needs: the decoders from z to motion and the deformation encoder.
"""

from __future__ import annotations

from collections.abc import Callable

from torch import Tensor, nn

from .groups import taken
from .model_config import ModelConfig
from .screw_heads import ScrewHeads
from .shape_encoder import PointFeatures, ShapeEncoder
from .shape_tensors import HandleFeatures, Samples

__all__ = ["StateSpaceModel"]


class StateSpaceModel(nn.Module):
    """Shape encoder and heads, by which a mesh is encoded."""

    def __init__(self, config: ModelConfig, make_decoder: Callable[[ModelConfig], nn.Module] = ScrewHeads) -> None:
        super().__init__()
        self.config = config
        self.features = PointFeatures(config)
        self.shape = ShapeEncoder(config)
        self.decoder = make_decoder(config)

    def query_features(self, context: HandleFeatures, surface: Samples) -> Tensor:
        """Features (B,Q,D) of any points, with those of their loose part."""
        return self.shape.point(self.features(surface)) + taken(context.parts, surface.shell)
