"""Loose things drawn as one mesh, which merely lie together: links of a chain, keys on a ring, stones in a bowl."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import cKDTree

from ..geometry.loose_parts import loose_parts
from ..geometry.mesh import Mesh, triangle_areas
from ..materials.words import words_of
from ..texts import Text

__all__ = ["MOST_THINGS", "loose_things", "told_loose"]

MOST_THINGS = 64  # bodies of one mesh; of more loose parts the smallest go with what is nearest
LEAST_AREA = 1e-6  # of the surface: what has less goes with what is nearest, too

_LOOSE = (
    "chain chains kette ketten chaine chaines cadena catena keyring keychain keys schluesselbund schlusselbund stones "
    "steine pebbles kiesel rocks gravel rubble debris shards scherben splitter coins muenzen munzen dice wuerfel "
    "wurfel marbles murmeln beads perlen dominoes dominos"
)


def told_loose(mesh: Mesh, names: Sequence[str]) -> Text | None:
    """Why its loose parts are things of their own, where every one of its names says so; `names` of the object and of
    the nodes of its file, none of them empty.
    """
    told = [name for name in names if set(words_of(name)) & set(_LOOSE.split())]
    if not told or len(told) < len(names) or len(np.unique(loose_things(mesh))) < 2:
        return None
    return Text("loose.by_name", name=told[0])


def loose_things(mesh: Mesh) -> NDArray[np.int64]:
    """The number of the thing that each vertex belongs to, Int[V] from 0."""
    part = loose_parts(mesh.vertices, mesh.triangles)
    area = np.bincount(part[mesh.triangles[:, 0]], weights=triangle_areas(mesh.vertices, mesh.triangles))
    largest = np.argsort(-area, kind="stable")[:MOST_THINGS]
    kept = largest[area[largest] > LEAST_AREA * area.sum()]
    own = np.isin(part, kept)
    if not own.all():
        mine = np.flatnonzero(own)
        other = np.flatnonzero(~own)
        distance, nearest = cKDTree(mesh.vertices[mine]).query(mesh.vertices[other])
        order = np.argsort(-distance, kind="stable")  # the nearest vertex of a part says where it goes, as the last one
        goes = np.arange(int(part.max()) + 1)
        goes[part[other[order]]] = part[mine[nearest[order]]]
        part = goes[part]
    return np.unique(part, return_inverse=True)[1].reshape(-1)
