"""The part of a material cloud that some of its nodes make up."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from .material import MaterialCloud

__all__ = ["restricted_cloud"]


def restricted_cloud(cloud: MaterialCloud, nodes: NDArray[np.int64]) -> MaterialCloud:
    """Of these nodes Int[n], in their order, and what connects them; `vertex_node` is -1 where another one owns."""
    place = np.full(len(cloud.position), -1)
    place[nodes] = np.arange(len(nodes))
    edges, bridges = place[cloud.edges], place[cloud.bridges].reshape(-1, 2)
    inside = (bridges >= 0).all(axis=1)
    per_node = ("position", "centroid", "spread", "volume", "part", "solid", "normal", "thickness", "surface")
    return replace(
        cloud,
        **{name: getattr(cloud, name)[nodes] for name in per_node},
        edges=edges[(edges >= 0).all(axis=1)],
        bridges=bridges[inside],
        bridge_gaps=cloud.bridge_gaps[inside],
        vertex_node=place[cloud.vertex_node],
    )
