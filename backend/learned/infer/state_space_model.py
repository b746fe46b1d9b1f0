"""The conditional variational auto-encoder: what a static shape may do, and what a motion says of its z.

Trained together on pairs of states of one object:

    ShapeEncoder        M0 -> handle tokens, point features; the prior p(z | M0) = N(mean, I), a number for each handle
    a decoder           (tokens, z) -> motion, see `decoders`
    DeformationEncoder  (M0, motion) -> q(z | motion, M0) = N(mean, diag(variance)); screws do without, see `fitting`

Differences from the usual Perceiver, each for a reason. Handle tokens stand for pieces: points spread over the surface,
each with the points nearest to it; a handle then belongs to a place, whatever the object, and its number of z with it.
Learned tokens had to find and share out the parts of each object first, and after a thousand steps had not. Pieces
attend to each other knowing where they lie and touch: hinges are where parts meet. All of the depth is in these few
tokens, so that an example costs a fifth of what it does where hundreds of points think along.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import torch
from torch import Tensor, nn
from torch.nn import functional

from .config import ModelConfig
from .decoders import make_decoder
from .groups import rows, shares, taken
from .pairs import PAIR_FEATURES, pair_features, piece_boxes

__all__ = ["Context", "Known", "Samples", "StateSpaceModel", "Surface"]


FIRST_SHARE = 0.3  # of what a block adds, at the start


@dataclass(frozen=True)
class Samples:
    """N places on the surfaces of a batch of objects, normalised frame."""

    points: Tensor  # (B,N,3)
    normals: Tensor  # (B,N,3)
    boxes: Tensor  # (B,N,12): lower and upper corner of the sample's loose part, then of its material slot
    codes: Tensor  # (B,N,2C): random codes of loose part and material slot
    shell: Tensor  # (B,N) int64: loose part, below `shells`


@dataclass(frozen=True)
class Surface(Samples):
    """All that is read of a batch of objects. The encoder sees the first `points` of the N samples."""

    seeds: Tensor  # (B,H) int64: encoder points at which handles start
    piece: Tensor  # (B,P) int64: the handle to which each encoder point belongs
    touching: Tensor  # (B,H,H) int64: of the points of the first handle the one nearest to the second

    def take(self, part: slice) -> Surface:
        """The same batch with some of the samples."""
        names = ("points", "normals", "boxes", "codes", "shell")
        return replace(self, **{name: getattr(self, name)[:, part] for name in names})


@dataclass(frozen=True)
class Known:
    """What is known of a batch of shapes by which any point finds the handles that it belongs to."""

    handles: Tensor  # (B,H,D); handle h is moved by the number h of z, and by others
    centres: Tensor  # (B,H,3) where handles start
    homes: Tensor  # (B,H) the loose part on which they start
    parts: Tensor  # (B,M,D) features of loose parts
    stiffness: Tensor  # (B,M,1) logits: how far a loose part moves as one body

    @property
    def stiff(self) -> Tensor:
        """(B,M,1) from 0 to 1."""
        return self.stiffness.sigmoid()


@dataclass(frozen=True)
class Context(Known):
    """All that is known of a batch of shapes, before anything moves."""

    points: Tensor  # (B,P,C) features of encoder points
    pairs: Tensor  # (B,H,H,E) features of where handles lie to each other
    seeds: Tensor  # (B,H) the number that each handle has among the seeds
    meets: Tensor  # (B,H,H,3) middle between the nearest points of two handles' pieces
    gaps: Tensor  # (B,H,H) between these
    boxes: Tensor  # (B,H,2,3) middle and half the sides of the box of the part on which a handle starts
    prior_mean: Tensor  # (B,H)

    def ordered(self, order: Tensor) -> Context:
        """The same with its handles in the order (B,H)."""
        names = ("handles", "seeds", "centres", "homes", "boxes", "prior_mean")
        by_handle = {name: taken(getattr(self, name), order) for name in names}
        of_pairs = {
            name: taken(taken(getattr(self, name), order).transpose(1, 2), order).transpose(1, 2)
            for name in ("pairs", "meets", "gaps")
        }
        return replace(self, **by_handle, **of_pairs)


class Attention(nn.Module):
    """Multi-head attention of `x` over a context, pre-normalised; with `pairs` between tokens it reads these too."""

    def __init__(self, width: int, heads: int, pairs: int = 0) -> None:
        super().__init__()
        self.heads = heads
        self.norm, self.norm_context = nn.LayerNorm(width), nn.LayerNorm(width)
        self.query = nn.Linear(width, width, bias=False)
        self.key_value = nn.Linear(width, 2 * width, bias=False)
        self.out = nn.Linear(width + heads * pairs, width)
        self.bias = nn.Linear(pairs, heads, bias=False) if pairs else None

    def forward(self, x: Tensor, context: Tensor, pairs: Tensor | None = None) -> Tensor:
        def split(tensor: Tensor) -> Tensor:
            return tensor.unflatten(-1, (self.heads, -1)).transpose(1, 2)

        key, value = self.key_value(self.norm_context(context)).chunk(2, -1)
        query = split(self.query(self.norm(x)))
        # Written out: on CPUs the fused kernel's backward pass takes four times as long.
        likeness = (query @ split(key).transpose(-1, -2)) * query.shape[-1] ** -0.5
        if self.bias is not None:
            likeness = likeness + self.bias(pairs).permute(0, 3, 1, 2)
        shares = likeness.softmax(-1).to(query.dtype)
        mixed = (shares @ split(value)).transpose(1, 2).flatten(2)
        if self.bias is not None:
            mixed = torch.cat([mixed, (shares.transpose(1, 2) @ pairs).flatten(2)], -1)
        return self.out(mixed)


class Block(nn.Module):
    """Attention and a perceptron, both residual; self-attention where no context is given.

    Both say little at first, so that after many blocks a token still tells where it is.
    """

    def __init__(self, width: int, heads: int, expansion: int = 2, pairs: int = 0) -> None:
        super().__init__()
        self.attention = Attention(width, heads, pairs)
        hidden = expansion * width
        self.perceptron = nn.Sequential(
            nn.LayerNorm(width), nn.Linear(width, hidden), nn.GELU(approximate="tanh"), nn.Linear(hidden, width)
        )
        with torch.no_grad():
            self.attention.out.weight.mul_(FIRST_SHARE)
            self.perceptron[-1].weight.mul_(FIRST_SHARE)

    def forward(self, x: Tensor, context: Tensor | None = None, pairs: Tensor | None = None) -> Tensor:
        x = x + self.attention(x, x if context is None else context, pairs)
        return x + self.perceptron(x)


def perceptron(inputs: int, hidden: int, outputs: int) -> nn.Sequential:
    return nn.Sequential(nn.Linear(inputs, hidden), nn.GELU(approximate="tanh"), nn.Linear(hidden, outputs))


class PointFeatures(nn.Module):
    """Position, normal, codes and the box of the own part, embedded. Sines as in 3DShape2VecSet."""

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        self.register_buffer("bands", torch.pi * 2.0 ** torch.arange(config.frequencies), persistent=False)
        inputs = 3 * (1 + 2 * config.frequencies) + 3 + 24 + 2 * config.codes
        self.project = nn.Sequential(
            perceptron(inputs, config.point_width, config.point_width), nn.GELU(approximate="tanh")
        )

    def forward(self, surface: Samples) -> Tensor:
        angle = (surface.points[..., None] * self.bands).flatten(2)
        lower_upper = surface.boxes.unflatten(-1, (4, 3))
        relative = (lower_upper - surface.points[..., None, :]).flatten(2)
        parts = (surface.points, angle.sin(), angle.cos(), surface.normals, surface.boxes, relative, surface.codes)
        return self.project(torch.cat(parts, -1))


class ShapeEncoder(nn.Module):
    """The kinematic prior encoder: one static shape to the tokens of its state space."""

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        width, narrow = config.width, config.point_width
        self.shells, self.sees_pairs = config.shells, float(config.sees_pairs)
        self.register_tokens = nn.Parameter(torch.randn(config.registers, width) * 0.5)
        self.begin = nn.Sequential(nn.Linear(2 * narrow + 7, width), nn.LayerNorm(width))
        self.pair = nn.Sequential(perceptron(PAIR_FEATURES, 2 * config.pairs, config.pairs), nn.LayerNorm(config.pairs))
        self.think = nn.ModuleList(Block(width, config.heads, pairs=config.pairs) for _ in range(config.thinking))
        self.handle_norm = nn.LayerNorm(width)
        self.common = nn.Sequential(nn.LayerNorm(width), nn.Linear(width, width))
        self.point = nn.Linear(narrow, width)
        self.part = Block(width, config.heads)
        self.stiff = nn.Linear(width, 1)
        nn.init.ones_(self.stiff.bias)
        self.prior = nn.Linear(width, 1)
        nn.init.zeros_(self.prior.weight)

    def forward(self, features: Tensor, surface: Surface) -> Context:
        """`features` (B,P,D) of the encoder points of `surface`."""
        count = surface.seeds.shape[1]
        boxes = piece_boxes(surface.points, surface.piece, count)
        centres = taken(surface.points, surface.seeds)
        pairs = self.pair(pair_features(surface, boxes) * self.sees_pairs)
        mine = shares(surface.piece, count, features.dtype)
        many = functional.one_hot(surface.piece, count).float().mean(1)[..., None]
        about = ((boxes - centres[:, :, None]).flatten(2), many.sqrt())
        tokens = self.begin(torch.cat([mine @ features, taken(features, surface.seeds), *about], -1))
        tokens = torch.cat([tokens, self.register_tokens.expand(len(tokens), -1, -1)], 1)
        extra = tokens.shape[1] - count
        known = functional.pad(pairs, (0, 0, 0, extra, 0, extra))
        for block in self.think:
            tokens = block(tokens, pairs=known)
        # Attention makes what all tokens have in common most of each; apart from it they differ from the start.
        handles = tokens[:, :count]
        common = handles.mean(1, keepdim=True)
        handles = self.handle_norm(handles - common) + self.common(common)
        # The mean of a part over its points, each with what is said of its piece.
        of_parts = shares(surface.shell, self.shells, features.dtype)
        in_pieces = of_parts @ functional.one_hot(surface.piece, count).to(features.dtype)
        parts = self.part(self.point(of_parts @ features) + in_pieces @ handles, tokens)
        lower_upper = taken(surface.boxes[..., :6], surface.seeds).unflatten(-1, (2, 3))
        middle_half = torch.stack([lower_upper.mean(-2), 0.5 * (lower_upper[..., 1, :] - lower_upper[..., 0, :])], -2)
        handles = handles.float()
        contact = rows(surface.points, surface.touching)
        return Context(
            points=features,
            handles=handles,
            pairs=pairs.float(),
            meets=0.5 * (contact + contact.transpose(1, 2)),
            gaps=(contact - contact.transpose(1, 2)).norm(dim=-1),
            seeds=torch.arange(count).expand(len(handles), -1),
            centres=centres,
            homes=taken(surface.shell, surface.seeds),
            boxes=middle_half,
            parts=parts,
            stiffness=self.stiff(parts).float(),
            prior_mean=self.prior(handles)[..., 0].float(),
        )


class DeformationEncoder(nn.Module):
    """The variational encoder: handle tokens look at the points and where these went."""

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        width = config.width
        self.motion = perceptron(10, width, width)
        self.static = nn.Linear(config.point_width, width)
        self.read = nn.ModuleList(Block(width, config.heads) for _ in range(config.posterior_blocks))
        self.think = nn.ModuleList(Block(width, config.heads) for _ in range(config.posterior_blocks))
        self.last_norm = nn.LayerNorm(width)
        self.out = nn.Linear(width, 2)

    def forward(self, context: Context, moves: Tensor) -> tuple[Tensor, Tensor]:
        """Moves (B,S,P,3) of the encoder points: mean and log variance of z, (B,S,K) each."""
        batch, states = moves.shape[:2]
        length = moves.norm(dim=-1, keepdim=True)
        seen = torch.cat([moves, 4.0 * moves, moves / (length + 1e-3), length], -1)
        static = self.static(context.points)[:, None]
        seen = (self.motion(seen) + static).flatten(0, 1)
        tokens = context.handles[:, None].expand(-1, states, -1, -1).flatten(0, 1)
        for read, think in zip(self.read, self.think, strict=True):
            tokens = think(read(tokens, seen))
        mean, log_variance = self.out(self.last_norm(tokens)).float().unflatten(0, (batch, states)).unbind(-1)
        return mean + context.prior_mean[:, None], (log_variance - 5.0).clamp(-12.0, 2.0)


class StateSpaceModel(nn.Module):
    """Everything that is trained."""

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        self.config = config
        self.features = PointFeatures(config)
        self.shape = ShapeEncoder(config)
        self.decoder = make_decoder(config, Block, perceptron)
        self.deformation = DeformationEncoder(config) if config.posterior == "encoder" else None

    def encode(self, surface: Surface) -> Context:
        """`surface` holds the encoder points alone."""
        return self.decoder.ordered(self.shape(self.features(surface), surface))

    def query_features(self, context: Known, surface: Samples) -> Tensor:
        """(B,Q,D) features of any points, with what is known of their loose part."""
        return self.shape.point(self.features(surface)) + taken(context.parts, surface.shell)
