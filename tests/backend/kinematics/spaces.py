"""State spaces made by hand: objects of boxes whose parts turn and slide as true joints, with their meshes."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from backend.kinematics.base import Array
from backend.kinematics.state_space import StateSpace, normalised_frame

__all__ = ["boxes", "chain", "drawer", "hinge_twist", "laptop", "random_space", "slide_twist", "space_of"]

Arrays = tuple[Array, np.ndarray]
_CORNERS = np.array([[x, y, z] for x in (-0.5, 0.5) for y in (-0.5, 0.5) for z in (-0.5, 0.5)])
_FACES = np.array(
    [[0, 1, 3, 2], [4, 6, 7, 5], [0, 4, 5, 1], [2, 3, 7, 6], [0, 2, 6, 4], [1, 5, 7, 3]],
)


def boxes(places: Sequence[tuple[Sequence[float], Sequence[float]]]) -> tuple[Array, np.ndarray, np.ndarray]:
    """Boxes by (centre, size), m: vertices Float[V,3], triangles Int[F,3], the box of each vertex Int[V]."""
    triangles = np.concatenate([_FACES[:, [0, 1, 2]], _FACES[:, [0, 2, 3]]])
    vertices = np.concatenate([np.asarray(centre) + _CORNERS * np.asarray(size) for centre, size in places])
    faces = np.concatenate([triangles + 8 * number for number in range(len(places))])
    return vertices, faces, np.repeat(np.arange(len(places)), 8)


def hinge_twist(axis: Sequence[float], through: Sequence[float], frame) -> Array:
    """The twist of one radian about an axis (a direction) through a point (m), in the normalised frame."""
    omega = np.asarray(axis, dtype=np.float64)
    return np.concatenate([omega, -np.cross(omega, frame.to_reference(np.asarray(through, dtype=np.float64)))])


def slide_twist(direction: Sequence[float], frame) -> Array:
    """The twist of one metre along a direction."""
    return np.concatenate([np.zeros(3), np.asarray(direction) / frame.scale])


def space_of(vertices: Array, part: np.ndarray, twists: Array, mean: Array, scale: Array) -> StateSpace:
    """Weights one for the part of each vertex, handle = part."""
    weights = np.eye(len(twists))[part]
    return StateSpace(twists, weights, mean, scale, normalised_frame(vertices))


def laptop() -> tuple[Arrays, StateSpace]:
    """A base that stands still and a lid, open by 110 degrees as drawn, that turns about the back edge (z_1, rad).

    Its second latent does nothing.
    """
    vertices, triangles, part = boxes([((0.0, 0.0, 0.01), (0.3, 0.2, 0.02)), ((0.0, 0.1, 0.12), (0.3, 0.01, 0.19))])
    frame = normalised_frame(vertices)
    twists = np.zeros((2, 2, 6))
    twists[1, 0] = hinge_twist((1.0, 0.0, 0.0), (0.0, 0.1, 0.02), frame)
    return (vertices, triangles), space_of(vertices, part, twists, np.array([0.3, 0.0]), np.array([0.5, 0.8]))


def drawer() -> tuple[Arrays, StateSpace]:
    """A cabinet (three walls and a floor) and a drawer in it that slides along -y (z_1, m), 0 to 0.3."""
    vertices, triangles, part = boxes(
        [
            ((-0.26, 0.0, 0.2), (0.02, 0.5, 0.4)),
            ((0.26, 0.0, 0.2), (0.02, 0.5, 0.4)),
            ((0.0, 0.0, -0.01), (0.54, 0.5, 0.02)),
            ((0.0, 0.26, 0.2), (0.5, 0.02, 0.4)),
            ((0.0, -0.01, 0.2), (0.48, 0.48, 0.3)),
        ]
    )
    frame = normalised_frame(vertices)
    twists = np.zeros((2, 1, 6))
    twists[1, 0] = slide_twist((0.0, -1.0, 0.0), frame)
    return (vertices, triangles), space_of(vertices, part // 4, twists, np.array([0.15]), np.array([0.09]))


def chain(lengths: Sequence[float], thick: float = 0.05) -> tuple[Arrays, StateSpace]:
    """A small block that stands still at the origin and bars that hang from it one from the other, turning about y.

    z_j (rad) is the angle between bar j and the one before, of all bars that hang from it too.
    """
    ends = -np.concatenate([[0.0], np.cumsum(lengths)])
    places = [((0.0, 0.0, 0.05), (0.1, 0.1, 0.1))]
    for above, below in pairwise(ends):
        places.append(((0.0, 0.0, 0.5 * (above + below)), (thick, thick, 0.98 * (above - below))))
    vertices, triangles, part = boxes(places)
    frame = normalised_frame(vertices)
    count = len(lengths)
    twists = np.zeros((count + 1, count, 6))
    for joint in range(count):
        twists[joint + 1 :, joint] = hinge_twist((0.0, 1.0, 0.0), (0.0, 0.0, ends[joint]), frame)
    return (vertices, triangles), space_of(vertices, part, twists, np.zeros(count), np.ones(count))


def random_space(handles: int, latents: int, vertices: int = 200, seed: int = 0) -> tuple[Array, StateSpace]:
    """Smooth random weights and dense random twists."""
    rng = np.random.default_rng(seed)
    places = rng.uniform(-1.0, 1.0, size=(vertices, 3)) * np.array([1.0, 0.7, 0.4])
    logits = 3.0 * places @ rng.normal(size=(3, handles))
    weights = np.exp(logits)
    weights /= weights.sum(axis=1, keepdims=True)
    twists = 0.3 * rng.normal(size=(handles, latents, 6))
    twists[0] = 0.0
    space = StateSpace(twists, weights, 0.3 * rng.normal(size=latents), np.ones(latents), normalised_frame(places))
    return places, space
