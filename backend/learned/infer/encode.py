"""Encoding of a static mesh: its learned state space, as plain NumPy."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix, identity
from scipy.spatial import cKDTree

from ...errors import UserError
from ...geometry.loose_parts import loose_parts
from ...geometry.mesh import cross, triangle_areas
from ...geometry.surface_samples import sample_surface
from ...kinematics.base import Array, ReferenceFrame
from ...kinematics.state_space import StateSpace, normalised_frame
from .device import requested_device
from .engine_choice import WEIGHTS
from .engines import load_network
from .model_config import ModelConfig
from .network import Network, NetworkInput
from .surface_features import part_boxes, surface_features
from .surface_prediction import predict_surface

__all__ = ["encode_mesh", "encodings", "engine_in_use", "network_input"]

IntArray = NDArray[np.int64]

# Vertices whose weights the network predicts; those of a finer mesh are interpolated.
MOST_QUERIES = 8_000
SPREAD_AT_ONCE = 20_000
NEIGHBOURS = 5
SMOOTHED = 16  # points at most over which predicted weights are smoothed,
SMOOTHED_OVER = 0.04  # and how wide, in the normalised frame: what is farther apart is left alone
NARROW = 0.004  # points no farther apart give no gradient: predictions are not so exact
WIDEST = 4.0  # no two points of the normalised frame are so far apart


@lru_cache(maxsize=2)
def _network(path: Path, modified: int, device: str | None) -> Network:
    return load_network(path, device)


def _loaded(path: Path | None, device: str | None = None) -> Network:
    """The network with the weights of a file, or the one that ships; `device` is one for PyTorch."""
    file = path or WEIGHTS
    try:
        return _network(file, file.stat().st_mtime_ns if file.exists() else 0, device or requested_device())
    except UserError as problem:
        if path is None and problem.code not in ("no_engine", "no_device", "device_failed", "bad_device"):
            raise UserError("within.shipped_network", problem=problem.text) from problem
        raise


def _face_normals(vertices: Array, triangles: IntArray) -> Array:
    """Unit normals Float[F,3]."""
    first = vertices[triangles[:, 0]]
    normal = cross(vertices[triangles[:, 1]] - first, vertices[triangles[:, 2]] - first)
    return normal / np.maximum(np.sqrt(np.einsum("fi,fi->f", normal, normal)), 1e-300)[:, None]


def _largest_faces(vertices: Array, triangles: IntArray, queries: IntArray) -> IntArray:
    """For each vertex of `queries` Int[n] the largest face it belongs to; face 0 for vertices without faces."""
    wanted = np.zeros(len(vertices), dtype=bool)
    wanted[queries] = True
    near = np.flatnonzero(wanted[triangles[:, 0]] | wanted[triangles[:, 1]] | wanted[triangles[:, 2]])
    order = near[np.argsort(triangle_areas(vertices, triangles[near]), kind="stable")]
    face = np.zeros(len(vertices), dtype=np.int64)
    face[triangles[order].ravel()] = np.repeat(order, 3)  # the last one written is the largest
    return face[queries]


def _first_of_each(part: IntArray) -> IntArray:
    """The first vertex of each loose part, Int[parts]."""
    first = np.empty(int(part.max()) + 1, dtype=np.int64)
    first[part[::-1]] = np.arange(len(part))[::-1]
    return first


def _chosen(count: int, part: IntArray) -> IntArray:
    """Of so many vertices at most about MOST_QUERIES, with one of each of the larger loose parts."""
    if count <= MOST_QUERIES:
        return np.arange(count)
    larger = np.argsort(-np.bincount(part), kind="stable")[: MOST_QUERIES // 4]
    others = np.random.default_rng(4).choice(count, MOST_QUERIES, replace=False)
    return np.union1d(_first_of_each(part)[larger], others)


def _joined(known: IntArray, points: Array, part: IntArray) -> IntArray:
    """The loose part of each vertex, where a part without known vertices counts to that of the nearest one."""
    first = _first_of_each(part)
    number = np.full(len(first), -1)
    number[part[known]] = part[known]
    unknown = number < 0
    if unknown.any():
        number[unknown] = part[known][cKDTree(points[known]).query(points[first[unknown]])[1]]
    return number[part]


def _apart(points: Array, part: IntArray) -> Array:
    """Points Float[n,4] whose distance is that of Float[n,3] within a loose part, and large between parts."""
    return np.column_stack([points, part * (2.0 * WIDEST)])


def _rows(shares: Array, columns: IntArray, count: int) -> csr_matrix:
    """The sparse matrix with `shares` Float[n,k] in its `columns` Int[n,k], of `count` in all; float32."""
    begin = np.arange(0, shares.size + 1, shares.shape[1])
    shape = (len(shares), count)
    return csr_matrix((shares.ravel().astype(np.float32, copy=False), columns.ravel(), begin), shape=shape)


class _Smoothing:
    """Moving least squares: linear functions fitted to predictions at n points Float[n,3] of some loose parts.

    The network reads positions by sines of waves as short as 0.016 and in bfloat16. On a fine mesh that shows as dents.
    A function fitted to the near points of the same part takes them away and leaves parts apart.
    """

    def __init__(self, points: Array, part: IntArray) -> None:
        count, apart = len(points), _apart(points, part)
        distance, near = cKDTree(apart).query(apart, k=min(SMOOTHED, count))
        share = np.exp(-0.5 * (distance / SMOOTHED_OVER) ** 2)
        share /= share.sum(axis=1, keepdims=True)
        middle = np.einsum("nk,nki->ni", share, points[near])
        away = points[near] - middle[:, None]
        extent = np.einsum("nk,nki,nkj->nij", share, away, away)
        extent += NARROW**2 * np.eye(3)
        gradient = np.linalg.solve(extent, (share[..., None] * away).swapaxes(1, 2))  # (n, 3, k)
        # w(x) = constant + gradient x
        constant = share - np.einsum("ni,nik->nk", middle, gradient)
        self._constant = _rows(constant, near, count)
        self._gradient = [_rows(gradient[:, axis], near, count) for axis in range(3)]

    def functions(self, weights: NDArray[np.float32]) -> NDArray[np.float32]:
        """Constants and gradients Float[n,4,H] from predicted weights Float[n,H]."""
        return np.stack([matrix @ weights for matrix in (self._constant, *self._gradient)], axis=1)


def _nearest(known: IntArray, points: Array, part: IntArray) -> csr_matrix:
    """How much the functions of the n known vertices count at all vertices, [V,n]: near ones of the same loose part."""
    apart = _apart(points, _joined(known, points, part))
    distance, near = cKDTree(apart[known]).query(apart, k=NEIGHBOURS, workers=-1)
    distance = np.minimum(distance, WIDEST).astype(np.float32)
    # The farthest counts next to nothing, so that nothing jumps where another takes its place.
    share = 1.001 * distance[:, -1:] - distance
    share[distance == WIDEST] = 0.0
    share += 1e-9 * (distance < WIDEST)
    share /= share.sum(axis=1, keepdims=True)
    return _rows(share, near, len(known))


class _QueriedMesh:
    """Mesh in the normalised frame with its query vertices and their interpolation, for any surface sampling."""

    def __init__(self, vertices: Array, triangles: IntArray, slots: IntArray) -> None:
        self.vertices, self.triangles, self.slots = vertices, triangles, slots
        self.part = loose_parts(vertices, triangles)
        places = vertices.astype(np.float32)
        self.boxes_of_parts = part_boxes(places, self.part)
        if slots.any():
            self.boxes_of_slots = part_boxes(places[triangles.ravel()], np.repeat(slots, 3))
        else:
            self.boxes_of_slots = part_boxes(places, np.zeros_like(self.part))
        self.queries = _chosen(len(vertices), self.part)
        self.faces = _largest_faces(vertices, triangles, self.queries)
        self.smoothing = _Smoothing(vertices[self.queries], self.part[self.queries])
        if len(self.queries) == len(vertices):
            self.nearest = identity(len(vertices), np.float32, "csr")
        else:
            self.nearest = _nearest(self.queries, vertices, self.part)
        self.places = places

    def surface(self, config: ModelConfig, seed: int) -> NetworkInput:
        """Random samples for the encoder, followed by the queries."""
        rng = np.random.default_rng([seed, 4])
        samples = sample_surface(self.vertices, self.triangles, self.part, rng, config.points)
        place = np.einsum("nk,nki->ni", samples.barycentric, self.vertices[samples.corners])
        points = np.concatenate([place, self.vertices[self.queries]]).astype(np.float32)
        shell = self.part[np.concatenate([samples.corners[:, 0], self.queries])]
        face = np.concatenate([samples.triangle, self.faces])
        slot = self.slots[face]
        boxes = np.concatenate([self.boxes_of_parts[shell], self.boxes_of_slots[slot]], axis=1)
        about = surface_features(points, shell, slot, config, rng, boxes)
        normals = _face_normals(self.vertices, self.triangles[face]).astype(np.float32)
        return about | {"points": points, "normals": normals}

    def spread(self, weights: NDArray[np.float32]) -> NDArray[np.float32]:
        """Weights of all vertices Float[V,H] from those predicted at the queries."""
        functions = self.smoothing.functions(weights)
        flat = functions.reshape(len(weights), -1)
        weights = np.empty((len(self.places), weights.shape[1]), np.float32)
        for begin in range(0, len(weights), SPREAD_AT_ONCE):
            some = slice(begin, begin + SPREAD_AT_ONCE)
            near = (self.nearest[some] @ flat).reshape(-1, *functions.shape[1:])
            found = near[:, 0] + np.einsum("vi,vih->vh", self.places[some], near[:, 1:])
            np.maximum(found, 0.0, out=found)  # a steep function may shoot over
            np.divide(found, found.sum(axis=1, keepdims=True), out=weights[some])
        return weights


def _space(network: Network, mesh: _QueriedMesh, frame: ReferenceFrame, seed: int) -> StateSpace:
    """State space of the mesh for the surface samples of a seed."""
    structure, known = predict_surface(network, mesh.surface(network.config, seed))
    return StateSpace(
        structure.twists,
        mesh.spread(known),
        structure.prior_mean,
        structure.prior_scale,
        frame,
        choices=structure.choices,
        bends=structure.bends,
        evidence=structure.evidence,
    )


def encodings(
    vertices: Array,
    triangles: IntArray,
    slots: IntArray | None = None,
    *,
    weights_file: Path | None = None,
    seeds: Sequence[int],
    device: str | None = None,
) -> list[StateSpace]:
    """State spaces of one mesh for several samplings of its surface, see `encode_mesh`.

    What does not hang on the samples is made once: the second encoding of a large mesh costs a third of the first.
    """
    network = _loaded(weights_file, device)
    frame = normalised_frame(vertices)
    if slots is None:
        slots = np.zeros(len(triangles), dtype=np.int64)
    mesh = _QueriedMesh(frame.to_reference(vertices), triangles, slots)
    return [_space(network, mesh, frame, seed) for seed in seeds]


def network_input(vertices: Array, triangles: IntArray, config: ModelConfig) -> NetworkInput:
    """What the network reads of a mesh of one material."""
    frame = normalised_frame(vertices)
    return _QueriedMesh(frame.to_reference(vertices), triangles, np.zeros(len(triangles), np.int64)).surface(config, 0)


def encode_mesh(
    vertices: Array,
    triangles: IntArray,
    slots: IntArray | None = None,
    *,
    weights_file: Path | None = None,
    seed: int = 0,
) -> StateSpace:
    """The state space of vertices Float[V,3] (metres, Z up) and triangles Int[F,3]; material slots Int[F] if known.

    Another `seed` looks at other surface samples. Raises UserError.
    """
    return encodings(vertices, triangles, slots, weights_file=weights_file, seeds=[seed])[0]


def engine_in_use(device: str | None = None) -> str:
    """Which engine computes the network with the weights that ship: "onnx" or "torch". Raises UserError."""
    return _loaded(None, device).engine
