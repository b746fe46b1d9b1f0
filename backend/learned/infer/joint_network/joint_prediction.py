"""Prediction of the joint network, averaged over eight views, on the engine that is installed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from ....kinematics.base import Array
from ..engine_choice import WEIGHTS, graphs_beside, opened_engine
from ..weight_file import read_weights_of
from .candidate_arrays import CandidateArrays
from .joint_config import JointNetworkConfig
from .joint_inputs import VIEWS, joint_inputs, slots_of
from .part_cloud import PartCloud

__all__ = ["JOINT_WEIGHTS", "AveragedPrediction", "Engine", "averaged_prediction", "cached_engine", "load_joint_engine"]

JOINT_WEIGHTS = WEIGHTS.with_name("joints.safetensors")
_SNAP = np.cos(np.radians(10.0))  # so near to an axis of the object, an axis that is proposed is meant to be it


class Engine(Protocol):
    """A trained network on ONNX Runtime or PyTorch."""

    config: JointNetworkConfig
    engine: str  # "onnx" or "torch"

    def predict(self, inputs: Mapping[str, NDArray]) -> dict[str, NDArray]:
        """What `reading.JOINT_INPUTS` names, to what `model.JointPrediction` names."""


@dataclass(frozen=True)
class AveragedPrediction:
    """Prediction for the P parts of a shape and for C candidates, averaged over all views, in the object's frame."""

    kinds: Array  # Float[P,4] log-likelihoods: fixed, revolute, prismatic, continuous
    scores: Array  # Float[C] logits, to be compared within a part
    parents: Array  # Float[P,P] log-likelihoods; on itself: it hangs on nothing
    proposal_kinds: Array  # Float[P,K,4] log-likelihoods
    proposal_odds: Array  # Float[P,K] log-likelihoods
    axes: Array  # Float[P,K,3] unit
    pivots: Array  # Float[P,K,3]
    ranges: Array  # Float[P,K,2] radians, or the unit of length


def load_joint_engine(path: Path = JOINT_WEIGHTS) -> Engine:
    """ONNX Runtime where graphs are beside the weights, else PyTorch. Raises UserError."""

    def onnx(graphs: Path) -> Engine:
        from .onnx_engine import OnnxJointEngine

        return OnnxJointEngine(read_weights_of(JointNetworkConfig, path), graphs)

    def torch() -> Engine:
        from .torch_engine import TorchJointEngine

        return TorchJointEngine(path)

    return opened_engine(graphs_beside(path), onnx, torch)


@cache
def cached_engine(path: Path) -> Engine:
    """The same one every time."""
    return load_joint_engine(path)


def averaged_prediction(cloud: PartCloud, given: CandidateArrays, engine: Engine) -> AveragedPrediction:
    """The mean over all views; the order of parts and of candidates makes no difference."""
    inputs, offsets, factors = joint_inputs(cloud, given, engine.config)
    raw = {name: each.astype(np.float64) for name, each in engine.predict(inputs).items()}
    place, _ = slots_of(given.part, len(cloud))
    # Hypotheses of different views are not the same ones: all are kept, in the frame of the object.
    views, parts, many = raw["confidence"].shape
    axes = np.einsum("vpki,vij->vpkj", raw["axes"], VIEWS)
    pivots = raw["pivots"] / factors[:, None, None, None] - offsets[:, None, None]
    pivots = np.einsum("vpki,vij->vpkj", pivots, VIEWS)
    turns = np.argmax(raw["hypothesis_kinds"], axis=-1) != 2
    ranges = raw["ranges"]
    mirrored = (np.linalg.det(VIEWS) < 0.0)[:, None, None, None] & turns[..., None]
    ranges = np.where(mirrored, -ranges[..., ::-1], ranges)
    ranges = np.where(turns[..., None], ranges * np.pi, ranges / factors[:, None, None, None])

    def by_part(each: Array) -> Array:
        return np.moveaxis(each, 0, 1).reshape(parts, views * many, *each.shape[3:])

    odds = _log_softmax(raw["confidence"]) - np.log(views)
    return AveragedPrediction(
        kinds=_log_mean(raw["kinds"]),
        scores=raw["scores"].mean(axis=0)[given.part, place],
        parents=_log_mean(_log_softmax(raw["parents"])),
        proposal_kinds=by_part(raw["hypothesis_kinds"]),
        proposal_odds=by_part(odds),
        axes=_snapped(by_part(axes)),
        pivots=by_part(pivots),
        ranges=by_part(ranges),
    )


def _snapped(axes: Array) -> Array:
    """Axes as good as along one of the object's are along it."""
    nearest = np.abs(axes).argmax(axis=-1)
    along = np.take_along_axis(axes, nearest[..., None], -1)
    exact = np.eye(3)[nearest] * np.sign(along)
    return np.where(np.abs(along) > _SNAP, exact, axes)


def _log_softmax(logits: Array) -> Array:
    shifted = logits - logits.max(axis=-1, keepdims=True)
    return shifted - np.log(np.exp(shifted).sum(axis=-1, keepdims=True))


def _log_mean(each: Array) -> Array:
    """Of views, along the first axis: the mean of log-likelihoods, which again sum to one."""
    return _log_softmax(each.mean(axis=0))
