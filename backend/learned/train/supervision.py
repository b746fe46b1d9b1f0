"""Supervision of bodies and joints by the motion of an example, and the auxiliary losses against it.

The error of a fitted motion hardly teaches an untrained network *which* part turns about *which* axis: with many wrong
screws something always fits. The motion itself shows it, see `data.bodies`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional

from ...data.bodies import BENDS, UNKNOWN, Bodies
from ..infer.groups import taken
from ..infer.shape_tensors import Context
from .bend_losses import BEND_LOSSES, Turns
from .bone_losses import BONE_LOSSES, BoneTruth, stacked_truth
from .torch_screws import cross

if TYPE_CHECKING:
    from ..infer.screw_heads import Heads
    from .decoders import ScrewDecoder

__all__ = ["AUXILIARY_LOSSES", "Supervision", "auxiliary_losses", "batch_supervision", "body_supervision"]

AUXILIARY_LOSSES = (
    "parts",
    "bodies",
    "moving",
    "firm",
    "balls",
    "carried",
    "kinds",
    "places",
    "means",
    "screws",
    *BEND_LOSSES,
    *BONE_LOSSES,
)
TINY = 1e-3  # velocity, normalised units
SIZE_COUNTS = 0.2  # how much the size of a joint's motion counts beside its direction
ALONG = 0.9  # cosine to the axis, above which a direction does not determine the place
LEAST = 1e-3  # of a weight, before its logarithm


@dataclass(frozen=True)
class Supervision:
    """For a batch of objects with N samples, H handles in the order of their seeds, M loose parts."""

    bends: Tensor  # (B,) bool: some of the object does
    turning: Tensor  # (B,) bool: some of it does, or turns in several ways on what it hangs on
    body: Tensor  # (B,N) int64: see `Bodies.point`
    homes: Tensor  # (B,H) int64: the same of the handles
    stiff: Tensor  # (B,M): 1 for loose parts of one body, 0 for others, -1 where not known
    moving: Tensor  # (B,H): 1 for handles of bodies that hang on another, 0 of the base, -1 where not known
    carried: Tensor  # (B,H,H): 1 where the joint of the second moves the first, 0 where not, -1 where not known
    balls: Tensor  # (B,H): 1 for handles of bodies with a ball joint, 0 of those with a simple one, -1 for others
    screws: Tensor  # (B,H,6) of handles with a simple joint
    simple: Tensor  # (B,H) bool
    sided: Tensor  # (B,H) bool
    means: Tensor  # (B,H), of the values of a joint over their RMS
    kinds: Tensor  # (B,H) int64, the nearest of `joint_kinds.KINDS`
    places: Tensor  # (B,H,3) int64, the nearest of `joint_kinds.PLACES` for the axis about which a joint turns, or -1
    reach: Tensor  # (B,H,2,3) lower and upper corner of all that the joint moves
    turns: Turns
    bones: BoneTruth

    def in_order(self, order: Tensor) -> Supervision:
        """The same with its handles in the order (B,H)."""
        names = ("homes", "moving", "balls", "screws", "simple", "sided", "means", "kinds", "places", "reach")
        by_handle = {name: taken(getattr(self, name), order) for name in names}
        carried = taken(taken(self.carried, order).transpose(1, 2), order).transpose(1, 2)
        turns, bones = self.turns.in_order(order), self.bones.in_order(order)
        return replace(self, carried=carried, turns=turns, bones=bones, **by_handle)


def _stiff_parts(body: NDArray[np.int64], shell: NDArray[np.int64], count: int) -> NDArray[np.float32]:
    low, high = np.full(count, np.iinfo(np.int64).max), np.full(count, np.iinfo(np.int64).min)
    known = body != UNKNOWN
    np.minimum.at(low, shell[known], body[known])
    np.maximum.at(high, shell[known], body[known])
    return np.where(low > high, -1.0, (low == high) & (low >= 0)).astype(np.float32)


def _kinds(screws: NDArray[np.float64]) -> NDArray[np.int64]:
    """Of twists Float[H,6] the nearest of `joint_kinds.KINDS`: what turns at all counts as turning."""
    turns = np.abs(screws[:, :3]).max(axis=1) > TINY
    direction = np.where(turns[:, None], screws[:, :3], screws[:, 3:])
    axis = np.abs(direction).argmax(axis=1)
    negative = np.take_along_axis(direction, axis[:, None], 1)[:, 0] < 0.0
    return 2 * (axis + 3 * ~turns) + negative


def _places(screws: NDArray[np.float64], boxes: NDArray[np.float64]) -> NDArray[np.int64]:
    """Where in boxes Float[H,2,3] the axes of twists Float[H,6] are, see `Supervision.places`; -1 along the axis."""
    turn, move = screws[:, :3], screws[:, 3:]
    square = np.einsum("hi,hi->h", turn, turn)
    known = square > TINY**2
    along = turn / np.sqrt(np.where(known, square, 1.0))[:, None]
    middle, half = boxes.mean(axis=1), np.maximum(0.5 * (boxes[:, 1] - boxes[:, 0]), TINY)
    at_middle = move + np.cross(turn, middle)
    foot = np.cross(turn, at_middle) / np.where(known, square, 1.0)[:, None]  # from the middle to the axis
    placed = known[:, None] & (np.abs(along) < ALONG)
    return np.where(placed, np.clip(np.rint(foot / half), -1, 1).astype(np.int64) + 1, -1)


def body_supervision(
    bodies: Bodies, order: NDArray[np.int64], shell: NDArray[np.int64], seeds: NDArray[np.int64], shells: int
) -> dict[str, np.ndarray]:
    """What `Supervision` holds, for one object whose samples were put in `order` Int[N]; shell Int[N], seeds Int[H]."""
    body = bodies.point[order]
    homes = body[seeds]
    own = np.maximum(homes, 0)
    rigid = homes >= 0
    hangs = rigid & bodies.hangs[own]
    moving = np.where(hangs, 1.0, np.where(homes == 0, 0.0, -1.0))
    carried = np.where(rigid[:, None] & hangs, bodies.carries[own][:, own].T, -1.0)
    carried[homes == 0] = 0.0  # nothing moves the base, whatever bends
    simple, ball = hangs & bodies.simple[own], hangs & bodies.ball[own]
    screws = bodies.screws[own]
    return {
        "body": body,
        "body_of_handles": homes,
        "stiff": _stiff_parts(body, shell, shells),
        "moving": moving.astype(np.float32),
        "carried": carried.astype(np.float32),
        "screws": screws.astype(np.float32),
        "balls": (ball - 1.0 * ~(ball | simple)).astype(np.float32),
        "simple": simple,
        "sided": bodies.sided[own],
        "means": bodies.means[own].astype(np.float32),
        "kinds": _kinds(screws),
        "places": _places(screws, bodies.boxes[own]),
        "reach": bodies.boxes[own].astype(np.float32),
    }


def batch_supervision(parts: Sequence[dict[str, np.ndarray]]) -> Supervision:
    """One batch of objects, each with what `body_supervision` and `bone_truth` gave, `quaternions` and `shifts`."""

    def stacked(name: str) -> Tensor:
        return torch.from_numpy(np.stack([part[name] for part in parts]))

    names = ("stiff", "moving", "carried", "balls", "screws", "simple", "sided", "means", "kinds", "places", "reach")
    body = stacked("body")
    turns = Turns(stacked("quaternions"), stacked("shifts"))
    known = {name: stacked(name) for name in names}
    bends = (body == BENDS).any(1)
    turning = bends | (known["balls"] > 0.0).any(1)
    bones = stacked_truth(parts)
    return Supervision(bends, turning, body, stacked("body_of_handles"), **known, turns=turns, bones=bones)


def _mean(values: Tensor, known: Tensor) -> Tensor:
    """The mean of what is known in each object, over the objects."""
    known = known.float()
    each = (values * known).flatten(1).sum(1) / known.flatten(1).sum(1).clamp(min=1.0)
    return each.mean()


def _agreement(logits: Tensor, truth: Tensor) -> Tensor:
    """Cross-entropy with 0 or 1; -1 is not known."""
    each = functional.binary_cross_entropy_with_logits(logits, truth.clamp(min=0.0), reduction="none")
    return _mean(each, truth >= 0.0)


def _screw_error(screws: Tensor, supervision: Supervision) -> Tensor:
    """RMS difference of the velocities at the corners, both of RMS 1, and the logarithm of how much larger one is.

    Relative to the true ones alone small joints, of buttons and knobs, would rule. Either sign where none is known.
    """

    pick = torch.cartesian_prod(*[torch.arange(2)] * 3)
    corners = supervision.reach[..., pick, torch.arange(3)]  # (B,H,8,3)

    def velocity(screws: Tensor) -> tuple[Tensor, Tensor]:
        turn, move = screws[..., None, :].expand(*corners.shape[:-1], 6).split(3, -1)
        rates = cross(turn, corners) + move
        size = ((rates**2).sum(-1).mean(-1) + TINY**2).sqrt()
        return rates / size[..., None, None], size.log()

    (true, true_size), (predicted, predicted_size) = velocity(supervision.screws), velocity(screws)
    one, other = (((predicted - sign * true) ** 2).sum(-1).mean(-1) for sign in (1.0, -1.0))
    apart = (torch.where(supervision.sided, one, torch.minimum(one, other)) + 1e-4).sqrt()
    return _mean(apart + SIZE_COUNTS * (predicted_size - true_size).abs(), supervision.simple)


def _sides(kinds: Tensor, supervision: Supervision) -> Tensor:
    """The true kinds (B,H); of the two directions of an axis the likelier where none is known."""
    one, other = (kinds.gather(2, kind[..., None])[..., 0] for kind in (supervision.kinds, supervision.kinds ^ 1))
    return torch.where(supervision.sided | (one >= other), supervision.kinds, supervision.kinds ^ 1)


def _kind_error(kinds: Tensor, supervision: Supervision) -> Tensor:
    """Cross-entropy of the kinds of joints."""
    likely = kinds.log_softmax(-1).gather(2, _sides(kinds, supervision)[..., None])[..., 0]
    return _mean(-likely, supervision.simple)


def _place_error(places: Tensor, supervision: Supervision) -> Tensor:
    """Cross-entropy of where axes are, logits (B,H,3,3)."""
    known = (supervision.places >= 0) & supervision.simple[..., None]
    likely = places.log_softmax(-1).gather(-1, supervision.places.clamp(min=0)[..., None])[..., 0]
    return _mean(-likely, known)


def auxiliary_losses(
    supervision: Supervision, context: Context, decoder: ScrewDecoder, carries: Tensor, heads: Heads, weights: Tensor
) -> dict[str, Tensor]:
    """Losses of the prediction against the supervision; weights (B,Q,H) of the query points.

    `supervision` in the order of the handles. See `AUXILIARY_LOSSES`; the others are in `bend_losses`, `bone_losses`.
    """
    boxes = torch.where(supervision.simple[..., None, None], supervision.reach, decoder.boxes(context, carries))
    kinds = torch.where(supervision.simple, _sides(heads.kinds, supervision), -1)
    joints = decoder.joints(
        heads, carries, boxes, kinds, torch.where(supervision.simple[..., None], supervision.places, -1)
    )
    body = supervision.body[:, -weights.shape[1] :]
    same = (body[:, :, None] == supervision.homes[:, None]) & (body >= 0)[..., None]
    of_body = (weights * same).sum(-1).clamp(min=LEAST)
    firm = torch.where(supervision.homes >= 0, 1.0, torch.where(supervision.homes == BENDS, 0.0, -1.0))
    return {
        "parts": _agreement(context.stiffness[..., 0], supervision.stiff),
        "bodies": _mean(-of_body.log(), same.any(-1)),
        "moving": _agreement(joints.moves, supervision.moving),
        "firm": _agreement(joints.firm, firm),
        "balls": _agreement(heads.balls, supervision.balls),
        "carried": _agreement(joints.carries, supervision.carried),
        "kinds": _kind_error(joints.kinds, supervision),
        "places": _place_error(joints.places, supervision),
        "means": _mean((context.prior_mean - supervision.means) ** 2, supervision.simple),
        "screws": _screw_error(joints.screws, supervision),
    }
