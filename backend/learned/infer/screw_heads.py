"""Heads of the screw decoder: skinning weights, joints and rotations of the handles, from the static shape alone."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn import functional

from .bend_head import BendHead
from .blocks import Block, perceptron
from .model_config import ModelConfig
from .shape_tensors import Context, HandleFeatures, Samples

__all__ = ["Heads", "ScrewHeads", "SkinWeights"]

RARE = -2.0  # logit of a ball joint, before anything is known
CARRIED = [-3.0, 2.0, 4.0]  # logits at the start: another handle, one of the same stiff part, itself


class SkinWeights(nn.Module):
    """The attention of a point's feature over the handles, from the static shape alone.

    No handle is still by nature: it would be the easy answer of an untrained network, and training ended
    there. A loose part that looks stiff takes weights of its own, the same at all its points, so that no part of it is
    bent; how far, is the network's choice for each part. What then is one body, `decode_structure` decides.
    """

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        width = config.width
        self.shells = config.shells
        self.refine = Block(width, config.heads)
        self.query, self.key = nn.Linear(width, width), nn.Linear(width, width)
        self.part = perceptron(width, width, width)
        self.sharpness = nn.Parameter(torch.tensor(1.0))
        # A handle begins with what is near it, on its own loose part: uniform weights have no gradient to learn from.
        self.reach = nn.Parameter(torch.tensor(10.0))
        self.home = nn.Parameter(torch.tensor(5.0))

    def forward(self, context: HandleFeatures, features: Tensor, surface: Samples) -> Tensor:
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


@dataclass(frozen=True)
class Heads:
    """Logits and parameters of the joints of H handles."""

    kinds: Tensor  # (B,H,12) along which axis of the frame a joint turns or slides, see `joint_kinds.KINDS`
    direction: Tensor  # (B,H,6) what is added to that of the kind, in units of REST_OF_DIRECTION
    places: Tensor  # (B,H,3,3) where in the box of what it carries its axis lies, for each direction of PLACES
    place: Tensor  # (B,H,3) what is added to the place, in units of REST_OF_PLACE
    size: Tensor  # (B,H) logarithm
    moves: Tensor  # (B,H) whether a handle has a joint of its own
    firm: Tensor  # (B,H) whether it is of a rigid body
    balls: Tensor  # (B,H) logits: whether what has a joint turns in several ways


class ScrewHeads(nn.Module):
    """What is predicted of the joints of handles before screws are put together, see `decode_structure`.

    Each handle has a joint with a screw about a place in the box of all that it carries: hinges lie on edges of what
    turns, and a place *in its box* is the same for wide and for narrow doors.
    """

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        width = config.width
        self.skin_weights = SkinWeights(config)
        self.joint = perceptron(width, width, 34)
        with torch.no_grad():
            self.joint[-1].bias[-1] = RARE
        self.carried, self.carrier = nn.Linear(width, width), nn.Linear(width, width)
        self.near = nn.Parameter(torch.tensor(CARRIED))
        self.beside = perceptron(config.pairs, config.pairs, 1)
        self.bends = BendHead(config) if config.posterior == "fit" else None

    def carries(self, context: Context) -> Tensor:
        """Logits (B,H,H): whether the joint of the second moves the first.

        Handles of the same stiff part are carried along, as long as nothing else is known.
        """
        handles, homes = context.handles, context.homes
        likeness = self.carried(handles).float() @ self.carrier(handles).float().transpose(1, 2)
        same = (homes[:, :, None] == homes[:, None]) * context.stiff.gather(1, homes[..., None])
        other, part, itself = self.near
        near = other + (part - other) * same + (itself - part) * torch.eye(handles.shape[1], device=handles.device)
        return likeness * (4.0 * handles.shape[-1] ** -0.5) + near + self.beside(context.pairs)[..., 0].float()

    def heads(self, context: Context) -> Heads:
        split = self.joint(context.handles).float().split([12, 6, 9, 3, 4], -1)
        kinds, direction, places, place, others = split
        return Heads(kinds, direction, places.unflatten(-1, (3, 3)), place, *others.unbind(-1))
