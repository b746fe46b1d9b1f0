"""From z to motion: screws (the default), and for the ablation affine handles and the per-point decoder of the paper.

All three have a method `bound(context, features, surface)`: features (B,Q,D) of the points of `surface`; what does not
depend on z is done there, once, and the function that it gives takes z (B,S,K) to moves (B,S,Q,3). All give no motion
at z = 0 by construction.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import torch
from torch import Tensor, nn
from torch.nn import functional

from .bends import BendHead
from .config import ModelConfig
from .joint_kinds import KINDS, PLACES, REST_OF_DIRECTION, REST_OF_PLACE
from .latent_fitting import moves_of, skin_basis
from .torch_screws import compose, cross, exponential, rotation_matrix, screw_motion

if TYPE_CHECKING:
    from .state_space_model import Context, Known, Samples, Surface

__all__ = [
    "AffineDecoder",
    "Decoder",
    "Heads",
    "Joints",
    "Moves",
    "PointDecoder",
    "ScrewDecoder",
    "make_decoder",
]

RANK = 32  # of the scalar products between handles and modes
RARE = -2.0  # logit of a ball joint, before anything is known
FIRST_SIZE = 0.1  # of twists at the start, in units of the shape
CARRIED = [-3.0, 2.0, 4.0]  # logits at the start: another handle, one of the same stiff part, itself
_KINDS, _PLACES = (torch.tensor(each, dtype=torch.float32) for each in (KINDS, PLACES))
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
    there. A loose part that looks stiff takes weights of its own, the same at all its points, so that no part of it is
    bent; how far, is the network's choice for each part. What then is one body, `assembling` decides.
    """

    def __init__(self, config: ModelConfig, make_block: MakeBlock, make_perceptron: MakePerceptron) -> None:
        super().__init__()
        width = config.width
        self.shells = config.shells
        self.refine = make_block(width, config.heads)
        self.query, self.key = nn.Linear(width, width), nn.Linear(width, width)
        self.part = make_perceptron(width, width, width)
        self.sharpness = nn.Parameter(torch.tensor(1.0))
        # A handle begins with what is near it, on its own loose part: weights that are alike everywhere teach nothing.
        self.reach = nn.Parameter(torch.tensor(10.0))
        self.home = nn.Parameter(torch.tensor(5.0))

    def forward(self, context: Known, features: Tensor, surface: Samples) -> Tensor:
        """(B,Q,H) weights, rows sum to one."""
        x = self.refine(features, context.handles)
        key = self.key(context.handles).float() * (self.sharpness.exp() / context.handles.shape[-1] ** 0.5)
        at_home = functional.one_hot(context.homes, self.shells).float().transpose(1, 2) * self.home  # (B,M,H)
        member = functional.one_hot(surface.shell, self.shells).float()
        closeness = -(torch.cdist(surface.points, context.centres) ** 2) * functional.softplus(self.reach)
        weights = (self.query(x).float() @ key.transpose(1, 2) + closeness + member @ at_home).softmax(-1)
        parts = self.part(context.parts)
        of_parts = (self.query(parts).float() @ key.transpose(1, 2) + at_home).softmax(-1)
        return member @ (context.stiff * of_parts) + (1.0 - member @ context.stiff) * weights


class HandleModes(nn.Module):
    """One vector for each pair of a moving handle and a number of z, Float (B,H,H,outputs): products of features.

    Sums of the two, as a perceptron would begin with, leave all pairs nearly alike at the start: one direction of
    motion where there should be H.
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
        modes = self.of_mode(context.handles).unflatten(-1, (self.outputs, RANK)).float()
        pairs = handles.transpose(1, 2) @ modes.permute(0, 2, 3, 1)  # (B,outputs,H,H)
        return FIRST_SIZE * RANK**-0.5 * pairs.permute(0, 2, 3, 1)


@dataclass(frozen=True)
class Joints:
    """What the decoder says of H handles before it puts twists together; logits where a share is meant."""

    moves: Tensor  # (B,H) whether a handle has a joint of its own
    firm: Tensor  # (B,H) whether it is of a rigid body
    carries: Tensor  # (B,H,H) whether the joint of the second moves the first
    kinds: Tensor  # (B,H,12) along which axis of the frame a joint turns or slides, see KINDS
    places: Tensor  # (B,H,3,3) where in the box of what it carries its axis lies, for each direction of PLACES
    screws: Tensor  # (B,H,6) of the joints, about the origin


@dataclass(frozen=True)
class Heads:
    """What is read off each of H handles; kinds, places, moves and firm as in `Joints`."""

    kinds: Tensor
    direction: Tensor  # (B,H,6) what is added to that of the kind, in units of REST_OF_DIRECTION
    places: Tensor
    place: Tensor  # (B,H,3) what is added to the place, in units of REST_OF_PLACE
    size: Tensor  # (B,H) logarithm
    moves: Tensor
    firm: Tensor
    balls: Tensor  # (B,H) logits: whether what has a joint turns in several ways


def _chosen(logits: Tensor, known: Tensor | None) -> Tensor:
    """One-hot rows of the likeliest, or of what is known; as if they were the likelihoods for the gradient.

    What is added to a choice is learned for that choice, not for the mean of several.
    """
    best = logits.detach().argmax(-1)
    if known is not None:
        best = torch.where(known >= 0, known, best)
    likely = logits.softmax(-1)
    return functional.one_hot(best, logits.shape[-1]) + likely - likely.detach()


class ScrewDecoder(Decoder):
    """A_h(z) = exp(z_1 xi_h1) ... exp(z_H xi_hH): rest is exact, a joint is one number, a chain of joints is exact.

        xi_hk = moves_k carries_hk screw_k

    Each handle has a joint with a screw about a place in the box of all that it carries: hinges lie on edges of what
    turns, and a place *in its box* is the same for wide and for narrow doors. What moves more comes first in the
    product, as the first joint of a chain does. How what bends turns is told beside, see `bends`; only where a
    deformation encoder finds z, xi_hk has for that (1 - firm_h) times a free remainder about each handle's own place.
    """

    def __init__(self, config: ModelConfig, make_block: MakeBlock, make_perceptron: MakePerceptron) -> None:
        super().__init__()
        width = config.width
        self.skin_weights = SkinWeights(config, make_block, make_perceptron)
        self.joint = make_perceptron(width, width, 34)
        with torch.no_grad():
            self.joint[-1].bias[-1] = RARE
        self.carried, self.carrier = nn.Linear(width, width), nn.Linear(width, width)
        self.near = nn.Parameter(torch.tensor(CARRIED))
        self.beside = make_perceptron(config.pairs, config.pairs, 1)
        self.bends = BendHead(config, make_perceptron) if config.posterior == "fit" else None
        self.free = HandleModes(width, 6) if config.posterior == "encoder" else None

    def carries(self, context: Context) -> Tensor:
        """Logits (B,H,H), see `Joints`: what is of the same stiff part is carried along, as long as none is known."""
        handles, homes = context.handles, context.homes
        likeness = self.carried(handles).float() @ self.carrier(handles).float().transpose(1, 2)
        same = (homes[:, :, None] == homes[:, None]) * context.stiff.gather(1, homes[..., None])
        other, part, itself = self.near
        near = other + (part - other) * same + (itself - part) * torch.eye(handles.shape[1], device=handles.device)
        return likeness * (4.0 * handles.shape[-1] ** -0.5) + near + self.beside(context.pairs)[..., 0].float()

    def boxes(self, context: Context, carries: Tensor) -> Tensor:
        """Lower and upper corner (B,H,2,3) of what the joint of each handle carries; not differentiated."""
        with torch.no_grad():
            stiff = context.stiff.gather(1, context.homes[..., None])
            middle, half = context.boxes.unbind(-2)
            middle = torch.lerp(context.centres, middle, stiff)
            half = torch.lerp(torch.full_like(half, SOFT_REACH), half, stiff)
            far = torch.where(carries > 0.0, 0.0, torch.inf)
            far = far.masked_fill(torch.eye(far.shape[1], dtype=torch.bool, device=far.device), 0.0)[..., None]
            lower, upper = (middle - half)[:, :, None] + far, (middle + half)[:, :, None] - far
            return torch.stack([lower.amin(1), upper.amax(1)], -2)

    def heads(self, context: Context) -> Heads:
        told = self.joint(context.handles).float().split([12, 6, 9, 3, 4], -1)
        kinds, direction, places, place, others = told
        return Heads(kinds, direction, places.unflatten(-1, (3, 3)), place, *others.unbind(-1))

    def joints(
        self,
        heads: Heads,
        carries: Tensor,
        boxes: Tensor,
        kinds: Tensor | None = None,
        places: Tensor | None = None,
    ) -> Joints:
        """`boxes` (B,H,2,3) of what the joint of each handle carries.

        `kinds` (B,H) and `places` (B,H,3): those that are known, -1 where none is; else the likeliest.
        """
        direction = _chosen(heads.kinds, kinds) @ _KINDS + REST_OF_DIRECTION * heads.direction
        turn, slide = (direction * heads.size.exp()[..., None]).split(3, -1)
        middle, half = 0.5 * (boxes[..., 0, :] + boxes[..., 1, :]), 0.5 * (boxes[..., 1, :] - boxes[..., 0, :])
        slide = slide * half.amax(-1, keepdim=True)  # small things slide a little
        place = _chosen(heads.places, places) @ _PLACES + REST_OF_PLACE * heads.place
        screws = torch.cat([turn, cross(middle + half * place, turn) + slide], -1)
        return Joints(heads.moves, heads.firm, carries, heads.kinds, heads.places, screws)

    def predicted(self, context: Context) -> Joints:
        """What is said of a shape of which nothing more is known."""
        carries = self.carries(context)
        return self.joints(self.heads(context), carries, self.boxes(context, carries))

    def ordered(self, context: Context) -> Context:
        with torch.no_grad():
            joints = self.predicted(context)
            moved = joints.carries.sigmoid().sum(1) * joints.moves.sigmoid()
        return context.ordered(moved.argsort(dim=-1, descending=True, stable=True))

    def free_twists(self, context: Context) -> Tensor:
        """(B,H,H,6) about the origin, of what bends."""
        assert self.free is not None
        turn, move = self.free(context).split(3, -1)
        places = context.centres[:, :, None].expand_as(turn)
        return torch.cat([turn, move + cross(places, turn)], -1)

    def twists(self, context: Context, joints: Joints) -> Tensor:
        """(B,H,H,6) about the origin."""
        share = joints.carries.sigmoid() * joints.moves.sigmoid()[:, None]
        twists = share[..., None] * joints.screws[:, None]
        if self.free is None:
            return twists
        return twists + (-joints.firm).sigmoid()[:, :, None, None] * self.free_twists(context)

    def bound(self, context: Context, features: Tensor, surface: Surface) -> Moves:
        weights = self.skin_weights(context, features, surface)
        with torch.autocast("cpu", enabled=False):
            twists = self.twists(context, self.predicted(context))
            basis = skin_basis(weights, surface.points)[:, None]

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
        tokens = self.think((context.handles[:, None] + self.lift(z[..., None])).flatten(0, 1))
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
