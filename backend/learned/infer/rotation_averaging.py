"""Rotation averaging: the network output of four quarter turns of a mesh, rotated back and averaged.

Training shows things turned in all ways, so that a turn should change nothing; as far as it does, it is noise.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...kinematics.base import Array
from .joint_kinds import KINDS
from .network import NetworkInput, NetworkOutput

__all__ = ["TURNS", "Averaged", "averaged_output", "rotated_inputs"]

# Quarter turns about up.
QUARTERS = ((1.0, 0.0), (0.0, 1.0), (-1.0, 0.0), (0.0, -1.0))  # cosine and sine
TURNS = np.array([[[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]] for c, s in QUARTERS])


@dataclass(frozen=True)
class Averaged:
    """Network output averaged over rotations, for the H handles of one mesh, in the normalised frame; logits."""

    moves: Array  # Float[H], whether a handle has a joint of its own
    firm: Array  # Float[H], whether it is of a rigid body
    balls: Array  # Float[H], whether what has a joint turns in several ways
    carries: Array  # Float[H,H], whether the joint of the second moves the first
    kinds: Array  # Float[H,12], log-likelihoods, see `joint_kinds.KINDS`
    direction: Array  # Float[H,6], what is added to the direction of the kind
    places: Array  # Float[H,3,3], log-likelihoods, see `joint_kinds.PLACES`
    place: Array  # Float[H,3], what is added to the place
    size: Array  # Float[H], logarithms of the RMS of the joint's values
    means: Array  # Float[H], of these values, over their RMS
    homes: NDArray[np.int64]  # Int[H], loose parts
    stiff: Array  # Float[H], whether these move as one body
    stiff_parts: Array  # Float[M], the same of all parts
    turning: Array  # Float[H,H,3,3], covariance of the rotation between two handles where these bend, rad^2
    pivots: Array  # Float[H,H,3], about which they turn


def rotated_inputs(surface: NetworkInput) -> dict[str, NDArray]:
    """What is read of one mesh (N samples along the first axis), turned by each of TURNS: these come first."""
    views = {name: np.stack([values] * len(TURNS)) for name, values in surface.items()}
    turns = TURNS.astype(np.float32)
    for name in ("points", "normals"):
        views[name] = surface[name] @ turns.transpose(0, 2, 1)
    ends = surface["boxes"].reshape(-1, 2, 2, 3) @ turns.transpose(0, 2, 1)[:, None, None]
    views["boxes"] = np.sort(ends, axis=-2).reshape(len(TURNS), -1, 12)
    return views


def _kinds_back(turn: Array) -> NDArray[np.int64]:
    """For each of KINDS the one that it was before the turn."""
    before = KINDS.reshape(-1, 2, 3) @ turn
    return np.argmax(before.reshape(-1, 6) @ KINDS.T, axis=1)


def averaged_output(output: NetworkOutput) -> Averaged:
    """Mean over TURNS of the output for one mesh, rotated back, in the order of its seeds."""
    kinds, direction, places, place, turning, pivots = [], [], [], [], [], []
    for view, turn in enumerate(TURNS):
        back = _kinds_back(turn)
        likely = np.empty(output.kinds.shape[1:])
        likely[:, back] = output.kinds[view]
        kinds.append(likely)
        direction.append((output.direction[view].astype(np.float64).reshape(-1, 2, 3) @ turn).reshape(-1, 6))
        # A quarter turn puts axis `was` where axis `now` is, upside down where its sign is negative.
        was = np.abs(turn).argmax(axis=1)
        flipped = turn[np.arange(3), was] < 0.0
        bins = output.places[view].astype(np.float64)
        bins[:, flipped] = bins[:, flipped, ::-1]
        unturned = np.empty_like(bins)
        unturned[:, was] = bins
        places.append(unturned)
        place.append(output.place[view].astype(np.float64) @ turn)
        turning.append(turn.T @ output.turning[view].astype(np.float64) @ turn)
        pivots.append(output.pivots[view].astype(np.float64) @ turn)
    stiffness, homes = output.stiffness[..., 0].mean(axis=0, dtype=np.float64), output.homes[0]
    return Averaged(
        moves=output.moves.mean(axis=0, dtype=np.float64),
        firm=output.firm.mean(axis=0, dtype=np.float64),
        balls=output.balls.mean(axis=0, dtype=np.float64),
        carries=output.carries.mean(axis=0, dtype=np.float64),
        kinds=np.mean(kinds, axis=0),
        direction=np.mean(direction, axis=0),
        places=np.mean(places, axis=0),
        place=np.mean(place, axis=0),
        size=output.size.mean(axis=0, dtype=np.float64),
        means=output.means.mean(axis=0, dtype=np.float64),
        homes=homes,
        stiff=stiffness[homes],
        stiff_parts=stiffness,
        turning=np.mean(turning, axis=0),
        pivots=np.mean(pivots, axis=0),
    )
