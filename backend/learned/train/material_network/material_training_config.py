"""Hyperparameters of the training of the network of materials."""

from __future__ import annotations

from dataclasses import dataclass, replace

from ...infer.material_network.material_config import MaterialNetworkConfig
from ..schedule import ScheduleConfig

__all__ = ["MATERIAL_CONFIGS", "MaterialConfig", "MaterialTrainingConfig"]


@dataclass(frozen=True)
class MaterialTrainingConfig(ScheduleConfig):
    """One run. A step sees `batch` pieces, `real` and `priors` of them from real objects and from priors of parts."""

    steps: int = 2500
    rate: float = 3e-3
    warmup: int = 100
    weight_decay: float = 0.05
    ema_decay: float = 0.995
    save_every: int = 500
    log_every: int = 50
    batch: int = 320
    real: float = 0.4
    priors: float = 0.1
    things: int = 15_000  # procedural ones
    smoothing: float = 0.03  # of the labels: names of palettes lie
    thin_weight: float = 0.3
    size_weight: float = 0.5
    dropout: float = 0.2  # of the hidden layers
    seed: int = 20261120


@dataclass(frozen=True)
class MaterialConfig:
    """A network and how it is trained."""

    model: MaterialNetworkConfig
    training: MaterialTrainingConfig


_BASE = MaterialConfig(MaterialNetworkConfig(), MaterialTrainingConfig())
_TINY = MaterialConfig(
    replace(_BASE.model, buckets=256, width=8, hidden=24, inner=16),
    replace(_BASE.training, steps=30, warmup=5, batch=64, things=60, save_every=10, log_every=5),
)
MATERIAL_CONFIGS = {"materials": _BASE, "materials/tiny": _TINY}
