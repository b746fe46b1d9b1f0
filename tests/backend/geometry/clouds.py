"""What every material cloud must satisfy, whatever the mesh."""

from __future__ import annotations

import numpy as np
from scipy.sparse import coo_matrix
from scipy.sparse.csgraph import connected_components

from backend.geometry import MaterialCloud, Mesh, sample_material, validate_mesh
from tests.backend.geometry.shapes import Arrays


def pieces(cloud: MaterialCloud, bridges: bool) -> int:
    """How many pieces the nodes form along the edges, and along the bridges too if asked."""
    pairs = np.concatenate([cloud.edges, cloud.bridges]) if bridges else cloud.edges
    count = len(cloud.position)
    graph = coo_matrix((np.ones(len(pairs)), (pairs[:, 0], pairs[:, 1])), shape=(count, count))
    return int(connected_components(graph, directed=False)[0])


def check(mesh: Mesh, cloud: MaterialCloud) -> None:
    """The invariants that MaterialCloud promises."""
    count = len(cloud.position)
    assert cloud.position.shape == cloud.normal.shape == (count, 3)
    for values in (cloud.volume, cloud.part, cloud.solid, cloud.thickness, cloud.surface):
        assert values.shape == (count,)
    assert np.isfinite(cloud.position).all()
    assert np.all(cloud.volume > 0)
    assert set(cloud.part.tolist()) == set(range(cloud.part_count))
    assert len(set(cloud.part[cloud.solid].tolist())) == cloud.closed_part_count
    assert np.all(np.diff(cloud.surface.astype(int)) <= 0), "surface nodes come first"
    sheet = ~cloud.solid
    assert np.all(cloud.surface[sheet])
    assert np.allclose(np.linalg.norm(cloud.normal[sheet], axis=1), 1.0)
    assert not cloud.normal[cloud.solid].any() and not cloud.thickness[cloud.solid].any()
    assert np.all(cloud.thickness[sheet] > 0)

    for pairs in (cloud.edges, cloud.bridges):
        assert pairs.shape[1:] == (2,)
        assert np.all(pairs[:, 0] < pairs[:, 1]) and np.all(pairs >= 0) and np.all(pairs < count)
        assert len(np.unique(pairs, axis=0)) == len(pairs)
    assert np.all(cloud.part[cloud.edges[:, 0]] == cloud.part[cloud.edges[:, 1]])
    assert np.all(cloud.part[cloud.bridges[:, 0]] != cloud.part[cloud.bridges[:, 1]])
    assert cloud.bridge_gaps.shape == (len(cloud.bridges),) and np.all(cloud.bridge_gaps >= 0)
    assert pieces(cloud, bridges=False) == cloud.part_count
    assert pieces(cloud, bridges=True) == 1

    assert cloud.vertex_node.shape == (len(mesh.vertices),)
    assert np.all(cloud.vertex_node >= 0) and np.all(cloud.surface[cloud.vertex_node])


def sampled(arrays: Arrays, target_nodes: int = 1500) -> tuple[Mesh, MaterialCloud]:
    """The checked mesh and its checked cloud."""
    mesh = validate_mesh(*arrays)
    cloud = sample_material(mesh, target_nodes)
    check(mesh, cloud)
    return mesh, cloud
