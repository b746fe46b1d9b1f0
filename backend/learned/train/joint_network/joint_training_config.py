"""Hyperparameters of the training of the joint network."""

from __future__ import annotations

from dataclasses import dataclass, replace

from ...infer.joint_network.joint_config import JointNetworkConfig
from ..schedule import ScheduleConfig

__all__ = ["JOINT_CONFIGS", "JointConfig", "JointTrainingConfig"]


@dataclass(frozen=True)
class JointTrainingConfig(ScheduleConfig):
    """One run: so many steps on what simulation lets through, then so many on true joints."""

    pretraining: int = 500
    stock: int = 774  # shapes whose candidates are simulated for it
    steps: int = 2000  # of fine-tuning
    batches: int = 3  # of one step, each of shapes with equally many parts
    parts: int = 96  # of one batch, about
    shapes: int = 16  # of one batch, at most
    uses: int = 3  # of each shape, in other views
    candidates: int = 14  # to judge, for each part
    warmup: int = 100
    ema_decay: float = 0.998
    save_every: int = 200
    seed: int = 20261119


@dataclass(frozen=True)
class JointConfig:
    """A network and how it is trained."""

    model: JointNetworkConfig
    training: JointTrainingConfig


_BASE = JointConfig(JointNetworkConfig(), JointTrainingConfig())
_TINY = JointConfig(
    JointNetworkConfig(32, 2, 4, 16, 2, 8, 1, 2, 24, 16, 48, 2),
    replace(
        _BASE.training, pretraining=20, stock=6, steps=40, parts=24, shapes=4, warmup=5, save_every=20, log_every=5
    ),
)
JOINT_CONFIGS = {
    "joints": _BASE,
    "joints/no_pretraining": replace(_BASE, training=replace(_BASE.training, pretraining=0)),
    "joints/tiny": _TINY,
}
