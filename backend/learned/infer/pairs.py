"""Pair features of handles: relative position, contact and size of their pieces."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch
from torch import Tensor

from .groups import rows, taken

if TYPE_CHECKING:
    from .shape_tensors import Surface

__all__ = ["PAIR_FEATURES", "pair_features", "piece_boxes"]

PAIR_FEATURES = 24
CLOSE = 0.03  # normalised units: how near pieces are that may touch
THIN = 0.02  # half of the side that counts as the least of a box


def piece_boxes(points: Tensor, piece: Tensor, count: int) -> Tensor:
    """Lower and upper corners (B,H,2,3) of the points (B,P,3) of each piece."""
    index = piece[..., None].expand_as(points)
    start = points.new_full((len(points), count, 3), torch.inf)
    lower = start.scatter_reduce(1, index, points, "amin")
    return torch.stack([lower, (-start).scatter_reduce(1, index, points, "amax")], 2)


def pair_features(surface: Surface, boxes: Tensor) -> Tensor:
    """Where pieces lie to each other, (B,H,H,PAIR_FEATURES); boxes (B,H,2,3) of the pieces."""
    centres = taken(surface.points, surface.seeds)
    of_parts, slots = taken(surface.boxes, surface.seeds).split(6, -1)
    of_parts = of_parts.unflatten(-1, (2, 3))
    homes = taken(surface.shell, surface.seeds)
    away = centres[:, None] - centres[:, :, None]
    contact = rows(surface.points, surface.touching)  # on the first
    across = contact.transpose(1, 2) - contact
    distance = across.norm(dim=-1, keepdim=True)

    def gap(corners: Tensor) -> Tensor:
        lower, upper = corners.unbind(2)
        return torch.maximum(lower[:, None] - upper[:, :, None], lower[:, :, None] - upper[:, None])

    def place(corners: Tensor) -> Tensor:
        lower, upper = corners.unbind(2)
        half = (0.5 * (upper - lower)).clamp(min=THIN)[:, :, None]
        return ((contact - (0.5 * (lower + upper))[:, :, None]) / half).clamp(-2.0, 2.0)

    size = (boxes[:, :, 1] - boxes[:, :, 0]).amax(-1).clamp(min=THIN).log()
    same = [homes[:, :, None] == homes[:, None], (slots[:, :, None] - slots[:, None]).abs().amax(-1) < 1e-6]
    features = (
        away,
        away.norm(dim=-1, keepdim=True),
        gap(boxes),
        gap(of_parts),
        place(boxes),
        place(of_parts),
        distance,
        distance / (distance + CLOSE),
        across / (distance + CLOSE),
        torch.stack(same, -1).float(),
        (size[:, None] - size[:, :, None])[..., None],
    )
    return torch.cat(features, -1)
