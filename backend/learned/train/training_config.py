"""Hyperparameters of training in frozen dataclasses; `CONFIGS` holds the named sets."""

from __future__ import annotations

from dataclasses import dataclass, replace

from ..infer.model_config import ModelConfig
from .schedule import ScheduleConfig

__all__ = ["ABLATIONS", "CONFIGS", "OF_JOINTS", "OF_MATERIALS", "VERDICT", "Config", "TrainingConfig"]


@dataclass(frozen=True)
class TrainingConfig(ScheduleConfig):
    """One run. A step sees `objects` objects in `states` states each, on every process, and fits the motion of some."""

    objects: int = 24
    uses: int = 2  # steps in which an object is used, each time rotated otherwise
    fitted_objects: int = 6  # of them, those of rigid bodies before others
    states: int = 4
    queries: int = 128  # surface samples where the motion is observed
    sparse_points: int = 12  # of them, those of the sparse term
    sparse: float = 0.5  # weight of the error of all queries where z is fitted to the dragged ones alone
    # Weight of the nats of z beside a squared error, twice the variance of noise. It falls exponentially: first most of
    # the error is noise, and a direction of z has to earn its place; in the end details count.
    kl_weight: float = 1e-4
    final_kl_weight: float = 2e-5
    auxiliary_weight: float = 0.05  # weight of the auxiliary losses of bodies and joints
    # Error above which the loss grows linearly: what cannot be foreseen must not rule. None: nowhere.
    huber_delta: float | None = 0.2
    seed: int = 20261118


@dataclass(frozen=True)
class Config:
    """A model and how it is trained."""

    model: ModelConfig
    training: TrainingConfig


_BASE = Config(ModelConfig(), TrainingConfig())
_SMALL = Config(
    replace(_BASE.model, width=96, heads=4, blocks=4, handles=24, point_width=64),
    replace(_BASE.training, steps=4000, warmup=200),
)
_TINY = Config(
    ModelConfig(32, 2, 8, 4, 96, 16, 8, 1, 1, 4, 4, 16),
    replace(
        _BASE.training,
        steps=60,
        objects=2,
        uses=1,
        fitted_objects=2,
        states=2,
        queries=64,
        sparse_points=6,
        warmup=5,
        save_every=20,
        log_every=5,
    ),
)
_AGAIN = 1  # what is added to the seed


def _again(config: Config) -> Config:
    return replace(config, training=replace(config.training, seed=config.training.seed + _AGAIN))


PAPER_LAMBDA = 0.01
"""Of the KL divergence, the mean over the numbers of z as in 3DShape2VecSet: of the sum nothing would be left of z."""


def _as_in_the_paper(config: Config, latents: int) -> Config:
    """K learned tokens, so many numbers of z each, per-point decoder, |delta - delta_hat|^2 + lambda KL."""
    model = replace(config.model, tokens="learned", latents=latents, decoder="point", posterior="encoder")
    weight = PAPER_LAMBDA / (model.handles * latents)
    training = replace(config.training, kl_weight=weight, final_kl_weight=weight, huber_delta=None)
    return Config(model, training)


CONFIGS = {"base": _BASE, "paper": _as_in_the_paper(_BASE, 16), "small": _SMALL, "tiny": _TINY}
_ENCODER = replace(_SMALL, model=replace(_SMALL.model, posterior="encoder"))
# Changes to the small configuration, trained for the same time. Only screws can be fitted; the others need the encoder,
# so that screws with the encoder stand beside them for comparison.
ABLATIONS = {
    "screws": _SMALL,
    "no_augmentation": replace(_SMALL, training=replace(_SMALL.training, augment=False)),
    "no_auxiliary_losses": replace(_SMALL, training=replace(_SMALL.training, auxiliary_weight=0.0)),
    "no_parts": replace(_SMALL, model=replace(_SMALL.model, sees_parts=False)),
    "no_pairs": replace(_SMALL, model=replace(_SMALL.model, sees_pairs=False)),
    "no_sparse_term": replace(_SMALL, training=replace(_SMALL.training, sparse=0.0)),
    "encoder": _ENCODER,
    "encoder_affine": replace(_ENCODER, model=replace(_ENCODER.model, decoder="affine")),
    "encoder_handles": replace(_ENCODER, model=replace(_ENCODER.model, decoder="handles", handles=64)),
    "encoder_point": replace(_ENCODER, model=replace(_ENCODER.model, decoder="point")),
    "paper": _as_in_the_paper(_SMALL, 8),
}
# Each once more from another start and with other examples, for the spread.
ABLATIONS |= {f"{name}_again": _again(config) for name, config in ABLATIONS.items()}
# Of the network of joints, see `joint_network.joint_training_config`: named here so that no command has to load it.
OF_JOINTS = ("joints", "joints/no_pretraining", "joints/tiny")
OF_MATERIALS = ("materials", "materials/tiny")  # see `material_network.material_training_config`
VERDICT = "verdict"  # whether a joint that is told is one, see `verdict_fit`
