"""Joints of a recognised object, and the alternatives by which they may move instead."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..errors import UserError
from ..geometry.mesh import Mesh
from ..kinematics.base import Array
from ..kinematics.learned_shape import LearnedShape, learned_shape
from ..kinematics.state_space import StateSpace

__all__ = ["JointChoices", "told_choices", "told_joints", "with_choices"]

TURNS = 1e-6  # rad for one deviation: what turns less slides
CARRIED = 0.1  # share of a vertex's weights that a joint moves, from which on it has to do with the vertex


@dataclass(frozen=True)
class JointChoices:
    """The joint alternatives of a shape. Numbers are their places in its list."""

    shape: LearnedShape

    def told(self) -> list[dict[str, Any]]:
        """For people and panels (JSON)."""
        return told_choices(self.shape)

    def nats(self, numbers: Sequence[int]) -> float:
        """How much less likely than the likeliest ones, -log of the ratio."""
        return sum(self.shape.space.choices[number].nats for number in numbers)

    def pose_nats(self, q: Array) -> float:
        """How unlikely a pose is, |q - mean|^2 / 2; the coordinates are the last ones of q."""
        mean = self.shape.reduction.mean
        away = q[len(q) - len(mean) :] - mean
        return 0.5 * float(away @ away)

    def neighbours(self, taken: Sequence[int], vertices: np.ndarray) -> list[tuple[int, ...]]:
        """Choices that differ from those `taken` in one joint that moves some of the vertices Int[p]."""
        known, weights = self.shape.space.choices, self.shape.space.weights[vertices]
        present: Mapping[int, int] = {known[number].latent: number for number in taken}
        found = []
        for latent in dict.fromkeys(choice.latent for choice in known):
            moved = self.shape.space.twists[:, latent].any(axis=1)
            if (weights @ moved).max() < CARRIED:
                continue
            rest = {number for other, number in present.items() if other != latent}
            ways = [rest, *(rest | {number} for number, choice in enumerate(known) if choice.latent == latent)]
            found += [tuple(sorted(way)) for way in ways]
        return found


def told_joints(shape: LearnedShape) -> list[dict[str, Any]]:
    """For each joint how it moves (world axes, m), how sure it is where it was judged, and from where to where (rad or
    m) if it does so by itself.
    """
    space, directions = shape.space, shape.reduction.directions
    joints = []
    for latent in shape.joint_latents.tolist():
        used = np.flatnonzero(directions[latent])
        told: dict[str, Any] = {"joint": latent, **_motion(space, space.twists[:, latent])}
        if shape.sure is not None:
            told["probability"] = round(float(shape.sure[latent]), 3)
        if len(used) == 1 and np.count_nonzero(directions[:, used[0]]) == 1:
            limits = np.array([shape.lower[used[0]], shape.upper[used[0]]]) * directions[latent, used[0]]
            told["range"] = np.sort(limits * _reach(space, space.twists[:, latent])).round(4).tolist()
        joints.append(told)
    return joints


def told_choices(shape: LearnedShape) -> list[dict[str, Any]]:
    """For each choice which joint it is of, how it would move (world axes, m) and how likely beside the likeliest."""
    space = shape.space
    return [
        {
            "joint": choice.latent,
            **_motion(space, choice.twists),
            "likelihood": round(float(np.exp(-choice.nats)), 3),
        }
        for choice in space.choices
    ]


def _screw(twists: Array) -> tuple[Array, Array]:
    """omega and v of the twists Float[H,6] of a joint, which are alike where they are not zero."""
    omega, velocity = np.split(twists[np.abs(twists).sum(axis=1).argmax()], 2)
    return omega, velocity


def _reach(space: StateSpace, twists: Array) -> float:
    """How far a joint goes for one of its latent: rad where it turns, m where it slides."""
    omega, velocity = _screw(twists)
    rate = float(np.linalg.norm(omega))
    return rate if rate >= TURNS else space.frame.scale * float(np.linalg.norm(velocity))


def _motion(space: StateSpace, twists: Array) -> dict[str, Any]:
    """In words and numbers, for the twists Float[H,6] of a joint."""
    omega, velocity = _screw(twists)
    rate = float(np.linalg.norm(omega))
    if rate < TURNS:
        return {"motion": "slides", "axis": (velocity / np.linalg.norm(velocity)).round(4).tolist()}
    foot = space.frame.centre + space.frame.scale * np.cross(omega, velocity) / rate**2
    return {"motion": "turns", "axis": (omega / rate).round(4).tolist(), "through": foot.round(5).tolist()}


def with_choices(shape: LearnedShape, numbers: Sequence[int], mesh: Mesh) -> LearnedShape:
    """The shape whose joints move by the choices with these numbers. Raises UserError."""
    known = shape.space.choices
    if max(numbers, default=0) >= len(known):
        raise UserError("bad_choice.unknown", count=len(known), number=max(numbers))
    latents = [known[number].latent for number in numbers]
    if len(set(latents)) < len(latents):
        raise UserError("bad_choice.same_joint")
    space = shape.space.chosen([known[number] for number in numbers])
    return replace(learned_shape(space, mesh.vertices, mesh.triangles), sure=shape.sure)
