"""Joint network with the two branches of GEOPARD: points of each part and of the whole shape, to joints of parts.

    part branch      learned queries look at the points of a part and around it; with its box that is one token
    shape branch     learned tokens look at points of the whole shape
    trunk            parts attend to each other, knowing where they touch, and to the shape
    proposals        K hypotheses of each part look again at its points: kind, axis, pivot, range, confidence
    judgement        candidates made elsewhere are tokens that attend to their part and to the shape: a score for each

Positions are inputs relative to their part's own box too: hinges lie at borders and middles of boxes, and sizes differ.
"""

from __future__ import annotations

from dataclasses import dataclass, fields

import torch
from torch import Tensor, nn
from torch.nn import functional

from ..blocks import Block, perceptron
from .candidate_arrays import MEASURES
from .joint_config import JointNetworkConfig

__all__ = ["KINDS", "JointNetwork", "JointPrediction"]

KINDS = 4  # fixed, revolute, prismatic, continuous
THIN = 0.03  # half of the side that counts as the least of a box
CLOSE = 0.03  # how near parts are that may touch
BOX = 16  # numbers that describe a box
PAIR = 19


@dataclass(frozen=True)
class JointPrediction:
    """Raw prediction for the P parts of each of B shapes, in the frame of the inputs."""

    kinds: Tensor  # (B,P,4) log-likelihoods
    scores: Tensor  # (B,P,C) logits of candidates, of which the best of its kind has the highest
    parents: Tensor  # (B,P,P) logits; on itself: it hangs on nothing
    hypothesis_kinds: Tensor  # (B,P,K,4) log-likelihoods
    axes: Tensor  # (B,P,K,3), unit; either sign with its range
    pivots: Tensor  # (B,P,K,3)
    ranges: Tensor  # (B,P,K,2): lower and upper, half turns, or half the longest side of the shape
    confidence: Tensor  # (B,P,K) logits

    @classmethod
    def names(cls) -> tuple[str, ...]:
        return tuple(field.name for field in fields(cls))


def _split(boxes: Tensor) -> tuple[Tensor, Tensor]:
    """Middle and half the sides, no thinner than THIN."""
    low, high = boxes.unbind(-2)
    return 0.5 * (low + high), (0.5 * (high - low)).clamp(min=THIN)


def _box_features(boxes: Tensor, shares: Tensor) -> Tensor:
    """Boxes (B,P,2,3) of parts in numbers (B,P,BOX)."""
    middle, half = _split(boxes)
    low, high = boxes.amin((1, 2))[:, None], boxes.amax((1, 2))[:, None]
    size = (high - low).clamp(min=THIN)
    below, above = (boxes[:, :, 0] - low) / size, (high - boxes[:, :, 1]) / size
    return torch.cat([middle, half, half.log(), below, above, (shares[..., None] + 1e-4).log()], -1)


def _pairs(boxes: Tensor, gaps: Tensor, shares: Tensor) -> Tensor:
    """Features (B,P,P,PAIR) of the second part relative to the first."""
    middle, half = _split(boxes)
    away = middle[:, None] - middle[:, :, None]
    low, high = boxes.unbind(-2)
    apart = torch.maximum(low[:, None] - high[:, :, None], low[:, :, None] - high[:, None])
    beside = (away / half[:, :, None]).clamp(-3.0, 3.0)
    ratio = half.log()[:, None] - half.log()[:, :, None]
    gap = gaps[..., None]
    same = torch.eye(gaps.shape[-1], dtype=gaps.dtype).expand_as(gaps)[..., None]
    share = (shares + 1e-4).log()
    larger = (share[:, None] - share[:, :, None])[..., None]
    near = gap / (gap + CLOSE)
    return torch.cat([away, apart, beside, ratio, ratio.abs(), gap, near, same, larger], -1)


class Points(nn.Module):
    """Points in the frame of the shape and in the box of a part, embedded; sines as in 3DShape2VecSet."""

    def __init__(self, config: JointNetworkConfig, extra: int) -> None:
        super().__init__()
        self.register_buffer("bands", 0.5 * torch.pi * 2.0 ** torch.arange(config.frequencies), persistent=False)
        inputs = 3 + 3 * 2 * config.frequencies + 6 + 6 + extra
        self.project = nn.Sequential(
            perceptron(inputs, config.point_width, config.point_width), nn.GELU(approximate="tanh")
        )

    def forward(self, points: Tensor, middle: Tensor, half: Tensor, *extra: Tensor) -> Tensor:
        """points (...,6) with their normals; middle and half (...,3) of boxes."""
        pivots, normal = points.split(3, -1)
        inside = (pivots - middle) / half
        angle = (pivots[..., None] * self.bands).flatten(-2)
        bounded = inside.clamp(-3.0, 3.0)
        return self.project(
            torch.cat([pivots, angle.sin(), angle.cos(), normal, normal.abs(), bounded, pivots - middle, *extra], -1)
        )


class Look(nn.Module):
    """Learned queries that look at a set of features (N,S,F) -> (N,Q,F)."""

    def __init__(self, queries: int, width: int) -> None:
        super().__init__()
        self.query_tokens = nn.Parameter(torch.randn(queries, width) * 0.5)
        self.key, self.value = nn.Linear(width, width, bias=False), nn.Linear(width, width, bias=False)

    def forward(self, features: Tensor) -> Tensor:
        likeness = self.query_tokens.to(features.dtype) @ self.key(features).transpose(-1, -2)
        return (likeness * features.shape[-1] ** -0.5).softmax(-1).to(features.dtype) @ self.value(features)


class JointNetwork(nn.Module):
    """What `reading.JOINT_INPUTS` names, to `JointPrediction`."""

    def __init__(self, config: JointNetworkConfig) -> None:
        super().__init__()
        self.config = config
        width, narrow, heads, many = config.width, config.point_width, config.heads, config.hypotheses
        self.of_part, self.of_shape = Points(config, 2), Points(config, BOX)
        self.look, self.look_around = Look(config.queries, narrow), Look(config.queries, narrow)
        self.begin = nn.Sequential(nn.Linear((2 * config.queries + 2) * narrow + BOX, width), nn.LayerNorm(width))
        self.detail = nn.Linear(narrow, width)
        self.shape_tokens = nn.Parameter(torch.randn(config.shape_tokens, width) * 0.5)
        self.shape_look = Block(width, heads)
        self.pair = nn.Sequential(perceptron(PAIR, 2 * config.pairs, config.pairs), nn.LayerNorm(config.pairs))
        self.blocks = nn.ModuleList(Block(width, heads, pairs=config.pairs) for _ in range(config.blocks))
        self.part_norm = nn.LayerNorm(width)
        self.kind = perceptron(width, width, KINDS)
        self.parent_query, self.parent_key = nn.Linear(width, width // 2), nn.Linear(width, width // 2)
        self.parent_pair = perceptron(config.pairs, config.pairs, 1)
        self.hypothesis_tokens = nn.Parameter(torch.randn(many, width) * 0.5)
        self.propose_near, self.propose_far = Block(width, heads), Block(width, heads)
        self.proposal = nn.Sequential(nn.LayerNorm(width), perceptron(width, width, KINDS + 3 + 3 + 2 + 1))
        self.candidate = perceptron(MEASURES + 3 + 3 + 3 + 12, width, width)
        self.judge_near, self.judge_far = Block(width, heads), Block(width, heads)
        self.judge = nn.Sequential(nn.LayerNorm(width), perceptron(width, width, 1))

    def forward(
        self,
        own: Tensor,
        near: Tensor,
        gap_near: Tensor,
        whole: Tensor,
        whole_part: Tensor,
        boxes: Tensor,
        gaps: Tensor,
        shares: Tensor,
        kind: Tensor,
        axis: Tensor,
        pivot: Tensor,
        measures: Tensor,
    ) -> JointPrediction:
        middle, half = _split(boxes)
        box_features = _box_features(boxes, shares)
        parts = own.shape[1]
        mine, theirs = self._part_points(own, near, gap_near, middle[:, :, None], half[:, :, None])
        looked = [self.look(mine).flatten(2), self.look_around(theirs).flatten(2), mine.amax(2), theirs.amax(2)]
        tokens = self.begin(torch.cat([*looked, box_features.to(mine.dtype)], -1))
        of_whole = self._shape_points(whole, whole_part[..., None], middle, half, box_features)
        shape = self.shape_look(self.shape_tokens.expand(len(own), -1, -1), self.detail(of_whole))
        pairs = self.pair(_pairs(boxes, gaps, shares))
        extra = shape.shape[1]
        padded = functional.pad(pairs, (0, 0, 0, extra, 0, extra))
        trunk = torch.cat([tokens, shape.to(tokens.dtype)], 1)
        for block in self.blocks:
            trunk = block(trunk, pairs=padded)
        part = self.part_norm(trunk[:, :parts] + tokens)
        details = self.detail(torch.cat([mine[:, :, ::2], theirs[:, :, ::2]], 2)).flatten(0, 1)

        def attended(given: Tensor, near_block: Block, far_block: Block) -> Tensor:
            """Tokens (B,P,N,D) of parts that attend to the points of their part, then to all parts and the shape."""
            count = given.shape[2]
            looked = near_block(given.flatten(0, 1), details).unflatten(0, (-1, parts))
            return far_block(looked.flatten(1, 2), trunk).unflatten(1, (parts, count))

        proposed = attended(part[:, :, None] + self.hypothesis_tokens[None, None], self.propose_near, self.propose_far)
        proposal = self.proposal(proposed).float()
        kinds, axes, places, ranges, confidence = proposal.split([KINDS, 3, 3, 2, 1], -1)
        candidates = self._candidates(kind, axis, pivot, measures, middle, half) + part[:, :, None]
        judged = self.judge(attended(candidates, self.judge_near, self.judge_far))
        likeness = self.parent_query(part) @ self.parent_key(part).transpose(1, 2) * part.shape[-1] ** -0.5
        return JointPrediction(
            kinds=self.kind(part).float().log_softmax(-1),
            scores=judged[..., 0].float(),
            parents=(likeness + self.parent_pair(pairs)[..., 0]).float(),
            hypothesis_kinds=kinds.log_softmax(-1),
            axes=axes / (axes.square().sum(-1, keepdim=True) + 1e-6).sqrt(),
            pivots=middle[:, :, None] + places * half[:, :, None],
            ranges=ranges,
            confidence=confidence[..., 0],
        )

    def _part_points(
        self, own: Tensor, near: Tensor, gap: Tensor, middle: Tensor, half: Tensor
    ) -> tuple[Tensor, Tensor]:
        """Features of points of parts, and of points around them with how far these are; middle and half (B,P,1,3)."""

        def embedded(points: Tensor, extra: Tensor) -> Tensor:
            count = points.shape[2]
            return self.of_part(points, middle.expand(-1, -1, count, -1), half.expand(-1, -1, count, -1), extra)

        flag = gap[..., None]
        apart = torch.cat([torch.ones_like(flag), flag / (flag + CLOSE)], -1)
        return embedded(own, torch.zeros_like(own[..., :2])), embedded(near, apart)

    def _shape_points(self, whole: Tensor, index: Tensor, middle: Tensor, half: Tensor, box_features: Tensor) -> Tensor:
        """Features of points of the whole shape, each with the box of its part, index (B,N,1)."""
        boxes = (middle.gather(1, index.expand(-1, -1, 3)), half.gather(1, index.expand(-1, -1, 3)))
        return self.of_shape(whole, *boxes, box_features.gather(1, index.expand(-1, -1, BOX)))

    def _candidates(
        self, kind: Tensor, axis: Tensor, pivot: Tensor, measures: Tensor, middle: Tensor, half: Tensor
    ) -> Tensor:
        """Candidates (B,P,C) as tokens: no sign of an axis, and no place along it, makes a difference."""
        x, y, z = axis.unbind(-1)
        crossed = torch.stack([x * y, y * z, z * x], -1)
        offset = pivot - middle[:, :, None]
        foot = offset - (offset * axis).sum(-1, keepdim=True) * axis
        relative = (foot / half[:, :, None]).clamp(-3.0, 3.0)
        kinds = functional.one_hot(kind, KINDS)[..., 1:].to(axis.dtype)
        # What slides has no pivot.
        turns = 1.0 - kinds[..., 1:2]
        features = [measures, kinds, axis.abs(), crossed, foot * turns, relative * turns, relative.abs() * turns]
        centre = (foot + middle[:, :, None]) * turns
        return self.candidate(torch.cat([*features, centre], -1))
