"""`python -m backend train --config verdict`: fits the perceptron that says whether a joint told is one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn
from tqdm import tqdm

from ...data.families.jointed_families import JOINTED
from ...data.families.soft_families import SOFT
from ...data.families.still_families import STILL
from ...data.joint_claims import claims_of_shape, matched, true_claims
from ...data.moving_object import MovingObject
from ...data.real import read_object, training_items
from ...data.source import Family, Source
from ...geometry.mesh import Mesh
from ...joint_search.score import Score
from ...kinematics.base import Array
from ...kinematics.confidence import consistency
from ...kinematics.learned_shape import learned_shape
from ...understanding.joint_features import JOINT_COLUMNS
from ...understanding.joint_proposals import proposed_joints
from ...understanding.joint_verdict import VERDICT, asked_joints
from ..infer.encode import encodings
from .joint_scores import ensemble_score, fitted_networks, standardised

__all__ = ["JudgedJoints", "fit_verdict", "fitted_verdict", "judged_joints"]

OBJECTS = 600  # procedural ones
_BATCH = 32
# Assets are unlike procedural objects: a verdict that leans on the exact value of few features does not carry over.
_MOST, _NOISE = 2.0, 0.5  # deviations, where features are clipped, and of noise on them
_STILL_COUNTS = 1.6  # of what no joint moves there is more among assets
_FEWER = 0.25  # power of the number of joints that are told of an object, by which each counts less
_STREAM = 6007  # apart from the numbers that other training counts by
# Of these something turns or slides by a joint, which their makers tell by motion alone.
_SOFT_WITH_JOINTS = frozenset(
    {
        "blocky_character",
        "chest_with_rope",
        "cloth_on_hinge",
        "key_ring",
        "lamp_with_cable",
        "lidded_soft",
        "ring_chain",
        "soft_in_drawer",
        "toy_on_wheels",
        "walking_machine",
    }
)
_SHARES = (0.45, 0.4, 0.15)  # of the procedural objects: with joints, still, bending


@dataclass(frozen=True, eq=False)
class JudgedJoints:
    """The joints that the networks tell of one object: features Float[n,F], and which are joints, Bool[n].

    `jointed`: whether it has joints at all.
    """

    features: Array
    right: NDArray[np.bool_]
    jointed: bool


def judged_joints(thing: MovingObject) -> JudgedJoints | None:
    """None where nothing is told of it."""
    mesh = Mesh(thing.vertices, thing.triangles, thing.slot)
    spaces = encodings(mesh.vertices, mesh.triangles, mesh.slots, seeds=(0, 1))
    shape, other = (learned_shape(space, mesh.vertices, mesh.triangles) for space in spaces)
    measures = consistency(shape, other, mesh.vertices, mesh.triangles)
    asked = asked_joints(mesh, shape, other, measures, proposed_joints(mesh, shape.space.frame))
    if not len(asked.features) or not asked.shape.space.twists[:, asked.shape.joint_latents].any():
        return None
    claims, truth = claims_of_shape(asked.shape), true_claims(thing)
    right = np.zeros(len(claims), dtype=bool)
    right[[row for row, _ in matched(claims, truth, mesh)]] = True
    return JudgedJoints(asked.features, right, bool(truth))


def _sources() -> tuple[Source, ...]:
    bending: Mapping[str, Family] = {name: family for name, family in SOFT.items() if name not in _SOFT_WITH_JOINTS}
    return Source(JOINTED), Source(STILL), Source(bending)


def _objects(count: int, data: Sequence[Path], seed: int) -> Iterator[MovingObject]:
    sources = _sources()
    for index in tqdm(range(count), desc="asking", unit="object", leave=False):
        rng = np.random.default_rng([_STREAM, seed, index])
        yield sources[int(rng.choice(len(sources), p=_SHARES))].draw(rng)
    real = [item for folder in data for item in training_items(folder) if item.jointed]
    for item in tqdm(real, desc="asking", unit="object", leave=False):
        yield read_object(item)


def fit_verdict(folder: Path, data: Sequence[Path], count: int = OBJECTS, seed: int = 0) -> str:
    """Asks the network of `count` procedural objects and of the permissive ones of folders, fits and writes."""
    torch.set_num_threads(1)
    found = [known for thing in _objects(count, data, seed) if (known := judged_joints(thing))]
    folder.mkdir(parents=True, exist_ok=True)
    target = folder / VERDICT.name
    fitted_verdict(found).write(target)
    told, right = sum(len(each.right) for each in found), sum(int(each.right.sum()) for each in found)
    return f"{target}: from {told} joints told of {len(found)} objects, {right} of them right."


def fitted_verdict(examples: Iterable[JudgedJoints]) -> Score:
    """Log-odds of a joint being one; objects with many joints count less for each."""
    examples = list(examples)
    rows = np.concatenate([each.features for each in examples])
    right = torch.as_tensor(np.concatenate([each.right for each in examples]), dtype=torch.float32)
    counts = [(1.0 if each.jointed else _STILL_COUNTS) * len(each.right) ** -_FEWER for each in examples]
    weight = np.repeat(counts, [len(each.right) for each in examples])
    weight = torch.as_tensor(weight / weight.mean(), dtype=torch.float32)
    mean, spread = rows.mean(axis=0), rows.std(axis=0) + 1e-3
    inputs = standardised(rows, mean, spread, _MOST)

    def loss_of(network: nn.Sequential, chosen: np.ndarray) -> torch.Tensor:
        some = inputs[chosen]
        odds = network(some + _NOISE * torch.randn_like(some))[:, 0]
        each = nn.functional.binary_cross_entropy_with_logits(odds, right[chosen], reduction="none")
        return (each * weight[chosen]).mean()

    networks = fitted_networks(rows.shape[1], len(rows), _BATCH, loss_of)
    return ensemble_score(networks, JOINT_COLUMNS, mean, spread, _MOST)
