"""The same mesh as the network sees it from four sides, and what it says turned back: four guesses, averaged.

Training shows things turned in all ways, so that a turn should change nothing; as far as it does, it is noise.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import torch
from numpy.typing import NDArray

from ..kinematics.base import Array
from .decoders import KINDS, ScrewDecoder
from .network import Context, StateSpaceModel, Surface

__all__ = ["TURNS", "Told", "told_of", "turned"]

# Quarter turns about up.
QUARTERS = ((1.0, 0.0), (0.0, 1.0), (-1.0, 0.0), (0.0, -1.0))  # cosine and sine
TURNS = np.array([[[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]] for c, s in QUARTERS])


@dataclass(frozen=True)
class Told:
    """What the network says of the H handles of one mesh, in the normalised frame; logits where a share is meant."""

    moves: Array  # Float[H], whether a handle has a joint of its own
    firm: Array  # Float[H], whether it is of a rigid body
    balls: Array  # Float[H], whether what has a joint turns in several ways
    carries: Array  # Float[H,H], whether the joint of the second moves the first
    kinds: Array  # Float[H,12], log-likelihoods, see `decoders.KINDS`
    direction: Array  # Float[H,6], what is added to the direction of the kind
    places: Array  # Float[H,3,3], log-likelihoods, see `decoders.PLACES`
    place: Array  # Float[H,3], what is added to the place
    size: Array  # Float[H], logarithms of the RMS of the joint's values
    means: Array  # Float[H], of these values, over their RMS
    homes: NDArray[np.int64]  # Int[H], loose parts
    stiff: Array  # Float[H], whether these move as one body
    stiff_parts: Array  # Float[M], the same of all parts
    turning: Array  # Float[H,H,3,3], covariance of the rotation between two handles where these bend, rad^2
    pivots: Array  # Float[H,H,3], about which they turn


def turned(surface: Surface, turn: Array) -> Surface:
    """The surface turned by one of TURNS."""
    matrix = torch.tensor(turn.T, dtype=torch.float32)
    ends = (surface.boxes.unflatten(-1, (2, 2, 3)) @ matrix).sort(-2)[0]
    return replace(surface, points=surface.points @ matrix, normals=surface.normals @ matrix, boxes=ends.flatten(-3))


def _kinds_back(turn: Array) -> NDArray[np.int64]:
    """For each of KINDS the one that it was before the turn."""
    before = KINDS.numpy().reshape(-1, 2, 3) @ turn
    return np.argmax(before.reshape(-1, 6) @ KINDS.numpy().T, axis=1)


def told_of(model: StateSpaceModel, contexts: list[Context]) -> Told:
    """The mean of what is said of one mesh seen by each of TURNS, in the order of its seeds."""
    decoder = model.decoder
    assert isinstance(decoder, ScrewDecoder) and decoder.bends is not None
    first = contexts[0]
    carries = torch.stack([decoder.carries(context)[0] for context in contexts]).mean(0).double().numpy()
    kinds, direction, places, place, scalars, turning, pivots = [], [], [], [], [], [], []
    for context, turn in zip(contexts, TURNS, strict=True):
        heads = decoder.heads(context)
        back = _kinds_back(turn)
        likely = np.empty(heads.kinds.shape[1:])
        likely[:, back] = heads.kinds[0].log_softmax(-1).double().numpy()
        kinds.append(likely)
        direction.append((heads.direction[0].double().numpy().reshape(-1, 2, 3) @ turn).reshape(-1, 6))
        # A quarter turn puts axis `was` where axis `now` is, upside down where its sign is negative.
        was = np.abs(turn).argmax(axis=1)
        flipped = turn[np.arange(3), was] < 0.0
        bins = heads.places[0].log_softmax(-1).double().numpy()
        bins[:, flipped] = bins[:, flipped, ::-1]
        unturned = np.empty_like(bins)
        unturned[:, was] = bins
        places.append(unturned)
        place.append(heads.place[0].double().numpy() @ turn)
        bends = decoder.bends(context)
        turning.append(turn.T @ bends.covariance()[0].double().numpy() @ turn)
        pivots.append(bends.pivot[0].double().numpy() @ turn)
        rest = (heads.moves, heads.firm, heads.balls, heads.size, context.prior_mean)
        scalars.append(torch.stack([each[0] for each in rest]).double().numpy())
    moves, firm, balls, size, means = np.mean(scalars, axis=0)
    stiffness = torch.stack([context.stiffness[0, :, 0] for context in contexts]).mean(0).double().numpy()
    homes = first.homes[0].numpy()
    return Told(
        moves=moves,
        firm=firm,
        balls=balls,
        carries=carries,
        kinds=np.mean(kinds, axis=0),
        direction=np.mean(direction, axis=0),
        places=np.mean(places, axis=0),
        place=np.mean(place, axis=0),
        size=size,
        means=means,
        homes=homes,
        stiff=stiffness[homes],
        stiff_parts=stiffness,
        turning=np.mean(turning, axis=0),
        pivots=np.mean(pivots, axis=0),
    )
