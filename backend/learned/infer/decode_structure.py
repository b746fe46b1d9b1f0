"""Decoding of the averaged network output to screws and skinning weights: probabilities become decisions.

Each body has one joint at most, by the kind and the place that its handles together find likeliest; bones turn by up to
three axes. Which handles these are, `structure` finds.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ...kinematics.base import Array
from ...kinematics.state_space import Choice
from .bones import joint_axes
from .joint_alternatives import alternative_screws, screw_of, union_of
from .joint_evidence import EVIDENCE, joint_evidence
from .rotation_averaging import Averaged
from .structure import structure_of

__all__ = ["DecodedStructure", "decode_structure"]

SHARP = 3.0  # power of the weights of rigid bodies among each other
LEAST_SCALE = 0.3  # of the prior's deviation, over the RMS of a joint's values


@dataclass(frozen=True)
class DecodedStructure:
    """Twists (1 + B + S, J + A, 6) of what stands still, B bodies and S bones, by J joints and A axes of bones."""

    twists: Array
    prior_mean: Array
    prior_scale: Array
    handle: NDArray[np.int64]  # Int[H]: the handle here of each of the network's
    bodies: int  # B
    choices: tuple[Choice, ...]
    bends: NDArray[np.bool_]  # Bool[J+A], which columns are of bones
    evidence: Array  # Float[J+A,E], see `joint_evidence`; zero for bones

    def weights(self, averaged: NDArray[np.float32], stiff: NDArray[np.bool_]) -> NDArray[np.float32]:
        """Weights Float[Q,1+B+S] of points from those of the network, Float[Q,H].

        A point of a `stiff` part, Bool[Q], belongs to one body, where it belongs to bodies at all.
        """
        weights = averaged @ np.eye(len(self.twists), dtype=np.float32)[self.handle]
        rigid = weights[:, : 1 + self.bodies]
        whole = rigid.sum(axis=1, keepdims=True)
        sharp = rigid**SHARP
        single = np.eye(rigid.shape[1], dtype=np.float32)[rigid.argmax(axis=1)]
        share = np.where(stiff[:, None], single, sharp / np.maximum(sharp.sum(axis=1, keepdims=True), 1e-30))
        weights[:, : 1 + self.bodies] = whole * share
        alone = stiff & (whole[:, 0] > 0.5)
        weights[alone] = 0.0
        weights[alone, : 1 + self.bodies] = single[alone]
        return weights


def decode_structure(averaged: Averaged, extents: Array, gaps: Array) -> DecodedStructure:
    """`extents` Float[H,2,3]: corners of what each handle stands for; `gaps` Float[H,H]: how far these are apart."""
    found = structure_of(averaged, extents, gaps)
    nodes = found.nodes
    columns, scales, means, bends, choices, evidence = [], [], [], [], [], []
    for link in found.links:
        own, moved = nodes[link.node], link.moved[:, None]
        if link.parent is None:
            box = union_of(extents[found.carried(link)])
            choices += [
                Choice(len(columns), moved * screw, nats) for screw, nats in alternative_screws(averaged, own, box)
            ]
            columns.append(moved * screw_of(averaged, own, box))
            means.append(float(np.clip(averaged.means[own].mean(), 0.0, 0.95)))
            scales.append(max(np.sqrt(1.0 - means[-1] ** 2), LEAST_SCALE))
            bends.append(False)
            evidence.append(joint_evidence(averaged, own))
        else:
            axes, deviations = joint_axes(nodes[link.parent], own, averaged.turning, averaged.pivots, gaps)
            columns += [moved * axis for axis in axes]
            means += [0.0] * len(axes)
            scales += deviations.tolist()
            bends += [link.springs] * len(axes)
            told = np.zeros(len(EVIDENCE)) if link.springs else joint_evidence(averaged, own)
            evidence += [told] * len(axes)
    if not columns:  # nothing moves
        columns, means, scales, bends = [np.zeros((len(nodes), 6))], [0.0], [1.0], [False]
        evidence = [np.zeros(len(EVIDENCE))]

    # What no column moves stands still; bones without axes go with what they hang on, and eyes with the head.
    twists = np.stack(columns, axis=1)
    rests = ~twists.any(axis=(1, 2))
    bodies, bones = np.flatnonzero(~rests[: found.bodies]), found.bodies + np.flatnonzero(~rests[found.bodies :])
    order = np.concatenate([bodies, bones])
    place = np.zeros(len(nodes), dtype=np.int64)
    place[order] = 1 + np.arange(len(order))
    handle = np.zeros(len(averaged.moves), dtype=np.int64)
    for number, own in enumerate(nodes):
        handle[own] = place[number]

    def placed(column: Array) -> Array:
        return np.concatenate([np.zeros((1, *column.shape[1:])), column[order]])

    return DecodedStructure(
        placed(twists),
        np.array(means),
        np.array(scales),
        handle,
        len(bodies),
        tuple(replace(choice, twists=placed(choice.twists)) for choice in choices),
        np.array(bends),
        np.array(evidence),
    )
