"""Bending: the curvature along straight paths of edges, solved implicitly path by path.

Along a path c_i = k_i,-1 x_i-1 + k_i,0 x_i + k_i,1 x_i+1 is a second difference. On a square grid the energy
1/2 B A |c - c_rest|^2 of all is that of warp and weft, 1/2 B (c_xx^2 + c_yy^2). A step of h seconds adds

    (M / h^2 + (1 + b / h) K) d = -dV/dx - b K v,      K = sum_i B A_i k_i k_i^T,

with the viscosity b (s): five diagonals that do not change.
"""

from __future__ import annotations

import numpy as np

from ..kinematics.base import Array
from .bending_kernels import bend_paths, factorise, local_frames
from .sheet_mesh import SheetMesh

__all__ = ["Bending"]

LEAST_SHARE = 0.1  # of tension: paths of edges that carry less (diagonals of squares) have no stiffness
FLAT = 1e-3  # rest curvature times the spacing of nodes
DIRECTIONS = 12  # in which the stiffness of a mesh is looked at


class Bending:
    """Moves by the curvatures of all paths; `inverse` Float[N] 1/kg is 0 of what is held."""

    def __init__(
        self,
        mesh: SheetMesh,
        paths: tuple[np.ndarray, np.ndarray],
        stiffness: float,
        viscosity: float,
        inverse: Array,
    ) -> None:
        """Paths (start, node) as `straight_paths` has them; `stiffness` N m, `viscosity` its s."""
        self._mesh, self._inverse, self._viscosity = mesh, inverse, viscosity
        self._start, self._node, factor, area = _curvatures(mesh, paths)
        self._factor, inner = factor, area > 0.0
        self._energy_weight = stiffness * area / _stiffest(mesh, self._node, inner, area)
        self._row = np.flatnonzero(inner)
        self._rest = np.zeros((len(area), 3))
        found, frame = self._measured(mesh.rest), np.zeros((len(area), 3, 3))
        self._frame = frame
        local_frames(mesh.rest, mesh.triangles, self._start, self._node, frame, np.zeros_like(mesh.rest))
        self._rest[inner] = np.einsum("sij,sj->si", frame[inner], found[inner])
        spacing = 1.0 / np.sqrt(np.maximum(factor.max(axis=1, initial=0.0), 1e-300))
        self._flat = bool((np.linalg.norm(found, axis=1) * spacing < FLAT).all())
        self._target, self._band = np.zeros((len(area), 3)), np.zeros((len(area), 3))
        self._work, self._normal = np.zeros((int(np.diff(self._start).max(initial=0)), 3)), np.zeros_like(mesh.rest)

    def prepare(self, step: float) -> None:
        """For steps of so many seconds."""
        self._viscous = self._viscosity / step
        paths = self._start, self._node, self._factor, self._energy_weight
        factorise(*paths, self._inverse, step, self._viscous, self._band)

    def sweep(self, x: Array, before: Array) -> None:
        """Moves positions Float[N,3] m as a step that began at `before` does."""
        if not self._flat:
            self._aim(x)
        paths = self._start, self._node, self._factor, self._energy_weight
        bend_paths(x, before, self._inverse, *paths, self._target, self._viscous, self._band, self._work)

    def energy(self, x: Array) -> float:
        """J."""
        if not self._flat:
            self._aim(x)
        away = self._measured(x) - self._target
        return 0.5 * float(self._energy_weight @ (away**2).sum(axis=1))

    def _aim(self, x: Array) -> None:
        """The curvatures at rest, turned with the sheet."""
        local_frames(x, self._mesh.triangles, self._start, self._node, self._frame, self._normal)
        self._target = np.einsum("sij,si->sj", self._frame, self._rest)

    def _measured(self, x: Array) -> Array:
        found = np.zeros((len(self._factor), 3))
        nodes = self._node[self._row[:, None] + np.arange(-1, 2)]
        found[self._row] = np.einsum("sk,ski->si", self._factor[self._row], x[nodes])
        return found


def _curvatures(mesh: SheetMesh, paths: tuple[np.ndarray, np.ndarray]) -> tuple[np.ndarray, np.ndarray, Array, Array]:
    """Paths that resist bending (start, node), and of each place in them factors Float[n,3] 1/m^2 and area m^2.

    The area of a path's ends, which have no curvature, is 0.
    """
    start, node = paths
    edge = mesh.edge_before(paths)
    share = mesh.share[edge]
    inside = np.ones(len(node), dtype=bool)
    inside[start[:-1]] = False
    mean = np.add.reduceat(np.where(inside, share, 0.0), start[:-1]) / np.maximum(np.diff(start) - 1, 1)
    kept = (mean > LEAST_SHARE) & (np.diff(start) > 2)
    chosen = np.repeat(kept, np.diff(start))
    new_start = np.r_[0, np.cumsum(np.diff(start)[kept])].astype(np.int64)
    node, edge, share = node[chosen], edge[chosen], np.maximum(share[chosen], 0.0)
    length = mesh.length[edge]
    factor, area = np.zeros((len(node), 3)), np.zeros(len(node))
    middle = np.ones(len(node), dtype=bool)
    middle[new_start[:-1]] = middle[new_start[1:] - 1] = False
    place = np.flatnonzero(middle)
    one, other = length[place], length[place + 1]
    factor[place, 0], factor[place, 2] = 2.0 / (one * (one + other)), 2.0 / (other * (one + other))
    factor[place, 1] = -factor[place, 0] - factor[place, 2]
    area[place] = np.maximum(0.5 * (share[place] * one**2 + share[place + 1] * other**2), 1e-12 * one * other)
    return new_start, np.ascontiguousarray(node), factor, area


def _stiffest(mesh: SheetMesh, node: np.ndarray, inner: np.ndarray, area: Array) -> float:
    """Sum of areas times cos^4 of the angle to the stiffest direction, over the nodes' area: 1 on a square grid."""
    place = np.flatnonzero(inner)
    if len(place) == 0:
        return 1.0
    count, centre = len(mesh.rest), node[place]
    way = mesh.rest[node[place + 1]] - mesh.rest[node[place - 1]]
    way /= np.maximum(np.linalg.norm(way, axis=1, keepdims=True), 1e-300)
    # Angles from the first path of each node, in the plane of its first two.
    first = np.zeros((count, 3))
    first[centre[::-1]] = way[::-1]
    cosine = np.clip(np.einsum("si,si->s", way, first[centre]), -1.0, 1.0)
    across = way - cosine[:, None] * first[centre]
    second = np.zeros((count, 3))
    far = np.linalg.norm(across, axis=1) > 0.1
    second[centre[far]] = across[far] / np.linalg.norm(across[far], axis=1, keepdims=True)
    angle = np.arctan2(np.einsum("si,si->s", way, second[centre]), cosine)
    turns = np.arange(DIRECTIONS) * np.pi / DIRECTIONS
    total = np.stack(
        [np.bincount(centre, weights=area[place] * np.cos(angle - turn) ** 4, minlength=count) for turn in turns],
        axis=1,
    )
    some = total.max(axis=1) > 0.0
    return float(np.median(total[some].max(axis=1) / mesh.area[some]))
