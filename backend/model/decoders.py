"""From z to motion: screws (the default), and for the ablation affine handles and the per-point decoder of the paper.

All three have a method `bound(context, features, surface)`: features (B,Q,D) of the points of `surface`; what does not
depend on z is done there, once, and the function that it gives takes z (B,S,K) to moves (B,S,Q,3). All give no motion
at z = 0 by construction.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

import torch
from torch import Tensor, nn
from torch.nn import functional

from .config import ModelConfig
from .fitting import moves_of, skin_basis
from .screws import compose, cross, exponential, rotation_matrix, screw_motion

if TYPE_CHECKING:
    from .network import Context, Surface

__all__ = ["AffineDecoder", "Decoder", "Moves", "PointDecoder", "ScrewDecoder", "make_decoder"]

RANK = 32  # of the scalar products between handles and modes
FIRST_SIZE = 0.1  # of twists at the start, in units of the shape
SOFT_REACH = 0.3  # from a handle of a soft part to where its screws may lie
Moves = Callable[[Tensor], Tensor]
MakeBlock = Callable[[int, int], nn.Module]
MakePerceptron = Callable[[int, int, int], nn.Module]


class Decoder(nn.Module):
    """What the three have in common."""

    def ordered(self, context: Context) -> Context:
        """The same with its modes in the order in which the decoder applies them."""
        return context

    def bound(self, context: Context, features: Tensor, surface: Surface) -> Moves:
        """The decoder of these objects at these points: z (B,S,K) -> moves (B,S,Q,3)."""
        raise NotImplementedError

    def forward(self, context: Context, features: Tensor, surface: Surface, z: Tensor) -> Tensor:
        return self.bound(context, features, surface)(z)


class SkinWeights(nn.Module):
    """The attention of a point's feature over the handles, from the static shape alone.

    No handle is still by nature: it would be the easy answer of a network that knows nothing yet, and training ended
    there. A loose part that looks stiff takes weights of its own, the same at all its points, so that it is exactly
    rigid; how far, is the network's choice for each part.
    """

    def __init__(self, config: ModelConfig, make_block: MakeBlock, make_perceptron: MakePerceptron) -> None:
        super().__init__()
        width = config.width
        self.shells = config.shells
        self.refine = nn.ModuleList(make_block(width, config.heads) for _ in range(2))
        self.query, self.key = nn.Linear(width, width), nn.Linear(width, width)
        self.part = make_perceptron(width, width, width)
        self.sharpness = nn.Parameter(torch.tensor(1.0))
        # A handle begins with what is near it, on its own loose part: weights that are alike everywhere teach nothing.
        self.reach = nn.Parameter(torch.tensor(10.0))
        self.home = nn.Parameter(torch.tensor(5.0))

    def forward(self, context: Context, features: Tensor, surface: Surface) -> Tensor:
        """(B,Q,H) weights, rows sum to one."""
        tokens = torch.cat([context.handles, context.modes], 1)
        x = self.refine[1](self.refine[0](features, tokens), context.points)
        key = self.key(context.handles).float() * (self.sharpness.exp() / context.handles.shape[-1] ** 0.5)
        at_home = functional.one_hot(context.homes, self.shells).float().transpose(1, 2) * self.home  # (B,M,H)
        member = functional.one_hot(surface.shell, self.shells).float()
        closeness = -(torch.cdist(surface.points, context.centres) ** 2) * functional.softplus(self.reach)
        weights = (self.query(x).float() @ key.transpose(1, 2) + closeness + member @ at_home).softmax(-1)
        parts = self.part(context.parts)
        of_parts = (self.query(parts).float() @ key.transpose(1, 2) + at_home).softmax(-1)
        return member @ (context.stiff * of_parts) + (1.0 - member @ context.stiff) * weights


class HandleModes(nn.Module):
    """One vector for each pair of a moving handle and a mode, Float (B,H,K,outputs): scalar products of features.

    Sums of the two, as a perceptron would begin with, leave all pairs nearly alike at the start: one direction of
    motion where there should be K.
    """

    def __init__(self, width: int, outputs: int) -> None:
        super().__init__()
        self.outputs = outputs
        self.of_handle = nn.Linear(width, RANK * outputs)
        self.of_mode = nn.Linear(width, RANK * outputs, bias=False)
        for layer in (self.of_handle, self.of_mode):
            nn.init.normal_(layer.weight, std=width**-0.5)

    def forward(self, context: Context) -> Tensor:
        handles = self.of_handle(context.handles).unflatten(-1, (self.outputs, RANK)).float()
        modes = self.of_mode(context.modes).unflatten(-1, (self.outputs, RANK)).float()
        pairs = handles.transpose(1, 2) @ modes.permute(0, 2, 3, 1)  # (B,outputs,H,K)
        return FIRST_SIZE * RANK**-0.5 * pairs.permute(0, 2, 3, 1)


class ScrewDecoder(Decoder):
    """A_h(z) = exp(z_1 xi_h1) ... exp(z_K xi_hK): rest is exact, a joint is one number, a chain of joints is exact.

    Each handle has modes of its own, with a screw about a place in the box of its loose part: hinges lie on edges of
    the part that turns, and a place *in its box* is the same for wide and for narrow doors. The screw moves the whole
    part where it is stiff, and as much of the other handles as `pairs` says; these add a free remainder about each
    handle's own place, for what bends. What moves more comes first in the product, as the first joint of a chain does.
    """

    def __init__(self, config: ModelConfig, make_block: MakeBlock, make_perceptron: MakePerceptron) -> None:
        super().__init__()
        self.skin_weights = SkinWeights(config, make_block, make_perceptron)
        self.screw = make_perceptron(config.width, config.width, 9)
        self.pairs = HandleModes(config.width, 7)

    def _share(self, context: Context, pairs: Tensor) -> Tensor:
        """How far each handle takes part in the screw of each mode, (B,H,K)."""
        stiff = context.stiff.gather(1, context.homes[..., None])
        same = (context.homes[:, :, None] == context.homes[:, None]).float()
        own = torch.lerp(torch.eye(same.shape[-1]), same, stiff)
        return own.gather(2, context.owners[:, None].expand(-1, own.shape[1], -1)) + pairs[..., 0]

    def ordered(self, context: Context) -> Context:
        with torch.no_grad():
            moved = self._share(context, self.pairs(context)).abs().sum(1)
            order = moved.argsort(dim=-1, descending=True, stable=True)
        modes = context.modes.gather(1, order[..., None].expand_as(context.modes))
        owners, mean = context.owners.gather(1, order), context.prior_mean.gather(1, order)
        return replace(context, modes=modes, owners=owners, prior_mean=mean)

    def twists(self, context: Context) -> Tensor:
        """(B,H,K,6) about the origin, of the handles that move."""
        pairs = self.pairs(context)
        stiff = context.stiff.gather(1, context.homes[..., None])
        places = context.share @ context.centres
        middle, half = context.boxes.unbind(-2)
        middle = torch.lerp(places, middle, stiff)
        half = torch.lerp(torch.full_like(half, SOFT_REACH), half, stiff)
        owners = context.owners[..., None].expand(-1, -1, 3)
        turn, place, slide = self.screw(context.modes).float().split(3, -1)
        pivot = middle.gather(1, owners) + half.gather(1, owners) * place
        screw = torch.cat([turn, cross(pivot, turn) + slide], -1)
        turn, move = pairs[..., 1:4], pairs[..., 4:7]
        remainder = torch.cat([turn, move + cross(places[:, :, None].expand_as(turn), turn)], -1)
        return self._share(context, pairs)[..., None] * screw[:, None] + remainder

    def bound(self, context: Context, features: Tensor, surface: Surface) -> Moves:
        weights = self.skin_weights(context, features, surface)
        with torch.autocast("cpu", enabled=False):
            twists, basis = self.twists(context), skin_basis(weights, surface.points)[:, None]

        def moves(z: Tensor) -> Tensor:
            with torch.autocast("cpu", enabled=False):
                return moves_of(screw_motion(twists, z), basis)

        return moves


class AffineDecoder(Decoder):
    """A_h(z) = I + sum_j z_j B_hj: what is lost without unit dual quaternions."""

    def __init__(self, config: ModelConfig, make_block: MakeBlock, make_perceptron: MakePerceptron) -> None:
        super().__init__()
        self.skin_weights = SkinWeights(config, make_block, make_perceptron)
        self.pairs = HandleModes(config.width, 12)

    def columns(self, context: Context) -> Tensor:
        """B_hj (B,H,K,3,4)."""
        numbers = self.pairs(context)
        # About the handle's own place, as the screws' free part is.
        linear, offset = numbers[..., :9].unflatten(-1, (3, 3)), numbers[..., 9:]
        offset = offset - (linear @ context.centres[:, :, None, :, None])[..., 0]
        return torch.cat([linear, offset[..., None]], -1)

    def bound(self, context: Context, features: Tensor, surface: Surface) -> Moves:
        weights = self.skin_weights(context, features, surface)
        with torch.autocast("cpu", enabled=False):
            columns, basis = self.columns(context), skin_basis(weights, surface.points)[:, None]

        def moves(z: Tensor) -> Tensor:
            with torch.autocast("cpu", enabled=False):
                return basis @ torch.einsum("bsk,bhkij->bshji", z, columns).flatten(2, 3)

        return moves


class PointDecoder(Decoder):
    """The paper's: tokens that carry z are read by each point, which gets a unit dual quaternion of its own."""

    def __init__(self, config: ModelConfig, make_block: MakeBlock) -> None:
        super().__init__()
        width = config.width
        self.lift = nn.Linear(1, width)
        self.think = make_block(width, config.heads)
        self.read = nn.ModuleList(make_block(width, config.heads) for _ in range(2))
        self.out = nn.Linear(width, 6)
        with torch.no_grad():
            self.out.weight.mul_(0.1)

    def motion(self, context: Context, features: Tensor, z: Tensor) -> tuple[Tensor, Tensor]:
        """Quaternions and translations (B,S,Q,.) of z (B,S,K)."""
        batch, states, _ = z.shape
        tokens = context.modes[:, None] + self.lift(z[..., None])
        handles = context.handles[:, None].expand(-1, states, -1, -1)
        tokens = self.think(torch.cat([tokens, handles], 2).flatten(0, 1))
        x = features[:, None].expand(-1, states, -1, -1).flatten(0, 1)
        for block in self.read:
            x = block(x, tokens)
        return exponential(self.out(x).float().unflatten(0, (batch, states)))

    def bound(self, context: Context, features: Tensor, surface: Surface) -> Moves:
        # What rest would be moved by is taken back from every state.
        rotation, translation = self.motion(context, features, torch.zeros_like(context.prior_mean)[:, None])
        with torch.autocast("cpu", enabled=False):
            unturned = rotation * torch.tensor([1.0, -1.0, -1.0, -1.0])
            nothing = torch.ones_like(unturned) * torch.eye(4)[0]
            taken_back = compose((unturned, torch.zeros_like(translation)), (nothing, -translation))
            points = surface.points[:, None]

        def moves(z: Tensor) -> Tensor:
            motion = self.motion(context, features, z)
            with torch.autocast("cpu", enabled=False):
                inner = (taken_back[0].expand_as(motion[0]), taken_back[1].expand_as(motion[1]))
                turn, move = compose(motion, inner)
                return (rotation_matrix(turn) @ points[..., None])[..., 0] + move - points

        return moves


def make_decoder(config: ModelConfig, make_block: MakeBlock, make_perceptron: MakePerceptron) -> Decoder:
    if config.decoder == "screws":
        return ScrewDecoder(config, make_block, make_perceptron)
    if config.decoder == "affine":
        return AffineDecoder(config, make_block, make_perceptron)
    return PointDecoder(config, make_block)
