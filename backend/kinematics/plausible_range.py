"""Ranges of coordinates: two standard deviations of the prior, less where that would tear the mesh."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..geometry.surface_points import quasi_random_points
from .base import Array, skinning_basis
from .reduction import Reduction
from .screws import Screws
from .state_space import StateSpace

__all__ = ["PLAUSIBLE", "edge_changes", "plausible_range"]

PLAUSIBLE = 2.0  # deviations of the prior
ROOM_AT_REST = 0.1  # deviations: where the rest shape itself lies at the edge it has this much room
SURFACE_TRIANGLES = 500  # spread by area
STEPS = 6  # shapes looked at on the way from rest to the edge of the prior
TORN = np.log(1.5)  # an edge half as long again is no edge of the same thing any more
MOST_TORN = 0.05  # of the edges, by area


def edge_changes(
    space: StateSpace, vertices: Array, triangles: NDArray[np.int64], z: Array, count: int = SURFACE_TRIANGLES
) -> Array:
    """|log of an edge's length over that at rest| for latents Float[n,K]: Float[E,n], of `count` triangles by area."""
    corners = triangles[quasi_random_points(vertices, triangles, count).triangle].ravel()
    places = space.frame.to_reference(vertices[corners])
    basis = skinning_basis(space.weights[corners], places)
    stacked = Screws(space.twists).transforms(z).transpose(1, 3, 0, 2).reshape(basis.shape[1], -1)
    moved = (basis @ stacked).reshape(-1, 3, len(z), 3)
    rest = places.reshape(-1, 3, 3)
    before = np.linalg.norm(rest - np.roll(rest, 1, axis=1), axis=2)
    after = np.linalg.norm(moved - np.roll(moved, 1, axis=1), axis=3)
    long = before > 1e-6
    return np.abs(np.log(np.maximum(after[long], 1e-9) / before[long][:, None]))


def plausible_range(
    space: StateSpace, reduction: Reduction, vertices: Array, triangles: NDArray[np.int64]
) -> tuple[Array, Array]:
    """Lowest and highest q, Float[k] each, that every coordinate may reach by itself; rest lies between them."""
    directions = reduction.directions
    lower = np.minimum(reduction.mean - PLAUSIBLE, -ROOM_AT_REST)
    upper = np.maximum(reduction.mean + PLAUSIBLE, ROOM_AT_REST)
    share = np.arange(1, STEPS + 1) / STEPS
    ways = np.concatenate([lower[:, None] * share, upper[:, None] * share])  # (2k, steps)
    z = ways[:, :, None] * np.concatenate([directions.T, directions.T])[:, None]
    torn = (edge_changes(space, vertices, triangles, z.reshape(ways.size, -1)) > TORN).mean(axis=0) > MOST_TORN
    whole = ~np.logical_or.accumulate(torn.reshape(ways.shape), axis=1)
    reached = np.maximum(whole.sum(axis=1), 1) / STEPS
    return lower * reached[: len(lower)], upper * reached[len(lower) :]
