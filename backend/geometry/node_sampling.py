"""Sampling of surface nodes: the refined surface, and an even choice of its points at a spacing."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from .poisson_disk import choose_spacing, grid_representatives, point_normals, poisson_disk_subset
from .refine import refine
from .topology import Surface

__all__ = ["NodeSampling", "sample_nodes"]

# Edges of the surface that nodes are chosen on, as a share of the node spacing.
_EDGE_SHARE = 0.5

# The spacing is corrected while there are this many times more nodes than its area lets expect.
_CROWDED = 1.15
_CORRECTIONS = 4


@dataclass(frozen=True)
class NodeSampling:
    """Nodes on the refined surface, in the unit box.

    points Float[P,3] (the first `original_count` are those of the mesh), triangles Int[T,3], component
    Int[P], normals Float[P,3], extent Float[C] (longest side of each component), spacing, longest_edge:
    floats, nodes Int[S] and cloud Int[M] (points: the nodes, and a finer even choice).
    """

    points: NDArray[np.float64]
    triangles: NDArray[np.int64]
    component: NDArray[np.int64]
    normals: NDArray[np.float64]
    extent: NDArray[np.float64]
    original_count: int
    longest_edge: float
    spacing: float
    nodes: NDArray[np.int64]
    cloud: NDArray[np.int64]

    def spread_among(self, chosen: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Evenly spaced nodes among the chosen points, and the finer choice they were taken from."""
        surface = self.points, self.normals, self.component
        cloud, priority = grid_representatives(*surface, chosen, self.original_count, self.spacing)
        nodes = poisson_disk_subset(*surface, cloud, priority, self.extent, self.spacing)
        return nodes, cloud


def sample_nodes(surface: Surface, target_nodes: int) -> NodeSampling:
    """Surface nodes at the spacing that gives about `target_nodes` nodes in all."""
    spacing, expected = choose_spacing(surface, target_nodes)
    sampling = _sampled(surface, spacing)
    crowding = 1.0
    for _ in range(_CORRECTIONS):
        if len(sampling.nodes) <= _CROWDED * expected:
            break
        crowding *= len(sampling.nodes) / expected
        spacing, expected = choose_spacing(surface, target_nodes, crowding)
        sampling = _sampled(surface, spacing)
    return sampling


def _sampled(surface: Surface, spacing: float) -> NodeSampling:
    points, triangles, component, longest_edge = refine(
        surface.points, surface.triangles, surface.component, _EDGE_SHARE * spacing
    )
    nobody = np.empty(0, dtype=np.int64)
    bare = NodeSampling(
        points,
        triangles,
        component,
        point_normals(points, triangles),
        surface.extent,
        len(surface.points),
        longest_edge,
        spacing,
        nobody,
        nobody,
    )
    nodes, cloud = bare.spread_among(np.arange(len(points)))
    return replace(bare, nodes=nodes, cloud=cloud)
