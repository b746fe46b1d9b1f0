"""The material cloud of jointed parts: one cloud a part, concatenated, with no material shared between parts."""

from __future__ import annotations

from dataclasses import fields

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import cKDTree

from ..texts import Text
from .material import MaterialCloud, sample_material
from .mesh import Mesh, triangle_areas

__all__ = ["part_clouds"]

TARGET_NODES = 1500  # in all
FEWEST_NODES = 80  # of one part
LEAST_AREA = 1e-10  # of the square of a part's size: less is no surface

_BY_NODE = ("position", "centroid", "spread", "volume", "part", "solid", "normal", "thickness", "surface")


def part_clouds(mesh: Mesh, part: NDArray[np.int64]) -> tuple[MaterialCloud, NDArray[np.int64]]:
    """The cloud and the part of each of its nodes, Int[N]; vertices Int[V] say which part they belong to.

    A triangle between two parts belongs to that of its first corner. Parts without a surface have no material.
    """
    owner = part[mesh.triangles[:, 0]]
    numbers = np.unique(owner)
    target = max(FEWEST_NODES, TARGET_NODES // len(numbers))
    clouds, nodes, vertex_node, pieces, count = [], [], np.full(len(mesh.vertices), -1), 0, 0
    warnings: list[Text] = []
    for number in numbers:
        faces = mesh.triangles[owner == number]
        vertices, corners = np.unique(faces, return_inverse=True)
        places = mesh.vertices[vertices]
        size = float(np.ptp(places, axis=0).max())
        if triangle_areas(places, corners.reshape(-1, 3)).sum() <= LEAST_AREA * size**2:
            continue
        own = Mesh(places, corners.reshape(-1, 3), np.zeros(len(faces), dtype=np.int64))
        cloud = sample_material(own, target)
        vertex_node[vertices] = cloud.vertex_node + count
        clouds.append(cloud)
        nodes.append(np.full(len(cloud.position), number))
        pieces, count = pieces + cloud.part_count, count + len(cloud.position)
        warnings += cloud.warnings
    return _together(mesh, clouds, np.concatenate(nodes), vertex_node, warnings)


def _together(
    mesh: Mesh,
    clouds: list[MaterialCloud],
    node_part: NDArray[np.int64],
    vertex_node: NDArray[np.int64],
    warnings: list[Text],
) -> tuple[MaterialCloud, NDArray[np.int64]]:
    starts = np.cumsum([0, *(len(cloud.position) for cloud in clouds)])
    pieces = np.cumsum([0, *(cloud.part_count for cloud in clouds)])
    values = {name: np.concatenate([getattr(cloud, name) for cloud in clouds]) for name in _BY_NODE}
    values["part"] = np.concatenate([cloud.part + first for cloud, first in zip(clouds, pieces[:-1], strict=True)])
    # Surface nodes come first, also of all parts together.
    order = np.argsort(~values["surface"], kind="stable")
    place = np.argsort(order)

    def pairs(name: str) -> NDArray[np.int64]:
        return place[
            np.concatenate([getattr(cloud, name) + first for cloud, first in zip(clouds, starts, strict=False)])
        ]

    loose = np.flatnonzero(vertex_node < 0)
    if len(loose):
        surface = np.flatnonzero(values["surface"])
        vertex_node[loose] = surface[cKDTree(values["position"][surface]).query(mesh.vertices[loose])[1]]
    together = {name: value[order] for name, value in values.items()}
    together |= {
        "spacing": float(np.mean([cloud.spacing for cloud in clouds])),
        "edges": pairs("edges"),
        "bridges": pairs("bridges"),
        "bridge_gaps": np.concatenate([cloud.bridge_gaps for cloud in clouds]),
        "vertex_node": place[vertex_node],
        "part_count": int(pieces[-1]),
        "closed_part_count": sum(cloud.closed_part_count for cloud in clouds),
        # That loose pieces of one part hold together is what a part means.
        "warnings": tuple(dict.fromkeys(text for text in warnings if text.id == "mesh.loose_vertices")),
    }
    assert set(together) == {field.name for field in fields(MaterialCloud)}
    return MaterialCloud(**together), node_part[order]
