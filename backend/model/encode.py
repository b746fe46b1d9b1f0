"""From a static mesh to its state space: the network runs once here, and what comes out is plain NumPy."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from scipy.spatial import cKDTree

from ..data.example import surface_points
from ..geometry.loose_parts import loose_parts
from ..geometry.mesh import cross
from ..kinematics.base import Array
from ..kinematics.state_space import StateSpace, normalised_frame
from .batches import described, part_boxes, surface_of
from .checkpoint import load_model
from .decoders import ScrewDecoder
from .network import StateSpaceModel, Surface

__all__ = ["SHIPPED_WEIGHTS", "encode_mesh"]

SHIPPED_WEIGHTS = Path(__file__).resolve().parent.parent / "weights" / "state_space.safetensors"
# Vertices whose weights the network tells; those of a finer mesh lie between them.
MOST_QUERIES = 16_000
QUERIES_AT_ONCE = 4096
NEIGHBOURS = 4


@lru_cache(maxsize=2)
def _network(path: Path, modified: int) -> StateSpaceModel:
    return load_model(path)


def _face_normals(vertices: Array, triangles: NDArray[np.int64]) -> tuple[Array, Array]:
    """Unit normals Float[F,3] and doubled areas Float[F]."""
    first = vertices[triangles[:, 0]]
    normal = cross(vertices[triangles[:, 1]] - first, vertices[triangles[:, 2]] - first)
    area = np.sqrt(np.einsum("fi,fi->f", normal, normal))
    return normal / np.maximum(area, 1e-300)[:, None], area


def _largest_face(triangles: NDArray[np.int64], area: Array, count: int) -> NDArray[np.int64]:
    """For each vertex the largest face it belongs to, Int[V]; face 0 for vertices without faces."""
    order = np.argsort(area, kind="stable")
    face = np.zeros(count, dtype=np.int64)
    face[triangles[order].ravel()] = np.repeat(order, 3)  # the last one written is the largest
    return face


def _chosen(points: Array, part: NDArray[np.int64], rng: np.random.Generator) -> NDArray[np.int64]:
    """At most about MOST_QUERIES vertices, at least one of each loose part."""
    if len(points) <= MOST_QUERIES:
        return np.arange(len(points))
    first = np.unique(part, return_index=True)[1]
    others = rng.choice(len(points), MOST_QUERIES, replace=False)
    return np.union1d(first, others)


def _spread(
    weights: Array, known: NDArray[np.int64], points: Array, part: NDArray[np.int64], width: float
) -> NDArray[np.float32]:
    """Weights of all vertices Float[V,H] from those of the known ones: near ones of the same loose part."""
    if len(known) == len(points):
        return weights.astype(np.float32)
    # A distance between parts in a fourth coordinate keeps neighbours within their own part.
    apart = np.column_stack([points, part * (4.0 * width)])
    distance, near = cKDTree(apart[known]).query(apart, k=NEIGHBOURS)
    inside = distance < 2.0 * width
    share = np.where(inside, 1.0 / np.maximum(distance, 1e-6 * width), 0.0)
    share /= share.sum(axis=1, keepdims=True)
    return np.einsum("vn,vnh->vh", share.astype(np.float32), weights.astype(np.float32)[near])


def _surface(
    model: StateSpaceModel, vertices: Array, triangles: NDArray[np.int64], slots: NDArray[np.int64], seed: int
) -> tuple[Surface, NDArray[np.int64], NDArray[np.int64]]:
    """The samples for the encoder followed by the queries, the vertices of these, and the loose part of all vertices.

    `vertices` in the normalised frame.
    """
    config = model.config
    rng = np.random.default_rng([seed, 4])
    part = loose_parts(vertices, triangles)
    samples = surface_points(vertices, triangles, part, rng, config.points)
    normals, area = _face_normals(vertices, triangles)
    asked = _chosen(vertices, part, rng)
    face = _largest_face(triangles, area, len(vertices))[asked]

    place = np.einsum("nk,nki->ni", samples.shares, vertices[samples.corners])
    points = np.concatenate([place, vertices[asked]]).astype(np.float32)
    shell = np.concatenate([part[samples.corners[:, 0]], part[asked]])
    slot = np.concatenate([slots[samples.triangle], slots[face]])
    corner_slot = np.repeat(slots, 3)
    boxes = [
        _boxes(vertices, part, shell),
        _boxes(vertices[triangles.ravel()], corner_slot, slot),
    ]
    about = described(points, shell, slot, config, rng, np.concatenate(boxes, axis=1))
    about |= {"points": points, "normals": normals[np.concatenate([samples.triangle, face])].astype(np.float32)}
    return surface_of([about]), asked, part


def _boxes(points: Array, part: NDArray[np.int64], wanted: NDArray[np.int64]) -> NDArray[np.float32]:
    """Boxes Float[n,6] of the wanted parts, from points Float[N,3] and the part of each."""
    every = part_boxes(points.astype(np.float32), part)
    first = np.zeros(int(part.max()) + 1, dtype=np.int64)
    first[part] = np.arange(len(part))
    return every[first[wanted]]


def encode_mesh(
    vertices: Array,
    triangles: NDArray[np.int64],
    slots: NDArray[np.int64] | None = None,
    *,
    weights_file: Path | None = None,
    seed: int = 0,
) -> StateSpace:
    """The state space of vertices Float[V,3] (metres, Z up) and triangles Int[F,3]; material slots Int[F] if known.

    Another `seed` looks at other surface samples. Raises UserError.
    """
    path = weights_file or SHIPPED_WEIGHTS
    model = _network(path, path.stat().st_mtime_ns if path.exists() else 0)
    decoder = model.decoder
    if not isinstance(decoder, ScrewDecoder):
        raise TypeError(f"a state space needs the screw decoder, these weights have '{model.config.decoder}'")
    frame = normalised_frame(vertices)
    unit = frame.to_reference(vertices)
    if slots is None:
        slots = np.zeros(len(triangles), dtype=np.int64)
    surface, asked, part = _surface(model, unit, triangles, slots, seed)
    count = model.config.points
    with torch.no_grad(), torch.autocast("cpu", torch.bfloat16):
        context = model.encode(surface.take(slice(0, count)))
        weights = []
        for begin in range(count, surface.points.shape[1], QUERIES_AT_ONCE):
            some = surface.take(slice(begin, begin + QUERIES_AT_ONCE))
            weights.append(decoder.skin_weights(context, model.query_features(context, some), some))
        with torch.autocast("cpu", enabled=False):
            twists = decoder.twists(context)[0].double().numpy()
    still = np.zeros((1, *twists.shape[1:]))
    known = torch.cat(weights, 1)[0].double().numpy()
    known = np.column_stack([np.zeros(len(known)), known / known.sum(axis=1, keepdims=True)])
    spread = _spread(known, asked, unit, part, 2.0)
    mean = context.prior_mean[0].double().numpy()
    return StateSpace(np.concatenate([still, twists]), spread, mean, np.ones_like(mean), frame)
