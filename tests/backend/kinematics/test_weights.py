"""Weights of the elastic provider: smooth, without leaks across gaps, as many as the object needs."""

from __future__ import annotations

import numpy as np
import pytest

from backend.kinematics.compliance import MOST_HANDLES
from tests.backend.shapes import Arrays, bar, blocks, box, scissors, sheet, soup, sphere, torus
from tests.backend.takes import analysed, run


def _edges(triangles: np.ndarray) -> np.ndarray:
    return np.unique(np.sort(triangles[:, [[0, 1], [1, 2], [2, 0]]].reshape(-1, 2), axis=1), axis=0)


FINE = {"bar": bar(cells=100), "sphere": sphere(6000), "sheet": sheet(80, 80), "torus": torus(80, 40)}
COARSE = {"bar": bar(), "sphere": sphere(500), "sheet": sheet(12, 12), "soup": soup(40), "box": box()}


@pytest.mark.parametrize("name", FINE)
def test_neighbouring_vertices_differ_by_little(name: str) -> None:
    """No jump: what a weight changes along an edge is bounded by the edge's length, some 40 per object size at most.

    The finest of the modes used has about five waves along the object, 10 pi per size. Weights taken from the nearest
    node alone would change by up to 0.5 over one edge of these meshes, which are finer than the nodes: ten times more.
    """
    vertices, triangles = FINE[name]
    weights = analysed((vertices, triangles), "elastic").weights
    first, second = _edges(triangles).T
    length = np.linalg.norm(vertices[first] - vertices[second], axis=1) / np.ptp(vertices, axis=0).max()
    slope = np.abs(weights[first] - weights[second]) / length[:, None]
    assert slope.max() < 40.0
    assert np.abs(weights).max() < 1.2  # blending does not overshoot the modes, whose largest entry is one


def test_weights_bend_without_creases() -> None:
    """Along a fine strip the slope changes a little from edge to edge; a crease would change it by itself at once."""
    count = 1601
    weights = analysed(sheet(count, 5, 1.0, 0.1), "elastic").weights.astype(np.float64)
    slope = np.diff(weights.reshape(count, 5, -1), axis=0) * (count - 1)
    assert np.abs(np.diff(slope, axis=0)).max() < 0.1 * np.abs(slope).max()


@pytest.mark.parametrize("name", COARSE)
def test_the_first_column_is_constant_and_all_are_finite(name: str) -> None:
    weights = analysed(COARSE[name], "elastic").weights
    assert weights.dtype == np.float32
    assert weights.shape[0] == len(COARSE[name][0])
    assert (weights[:, 0] == 1.0).all()
    assert np.isfinite(weights).all()


def _comb() -> Arrays:
    """Six long teeth on a back."""
    x, y = np.linspace(0.0, 1.1, 12), np.concatenate([[0.0, 0.1], np.linspace(0.2, 1.0, 9)])
    filled = np.ones((11, 10, 2), dtype=bool)
    filled[1::2, 2:] = False
    return blocks(filled, x, y, [0.0, 0.05, 0.1])


def test_the_number_of_handles_follows_the_shape() -> None:
    """Teeth that bend one by one need more weights than one bar does, and a bar more than a lump."""
    shapes = (bar(), sphere(600), _comb(), soup(200))
    handles = [analysed(shape, "elastic").weights.shape[1] for shape in shapes]
    assert handles[1] < handles[0] < handles[2]
    assert max(handles) <= MOST_HANDLES


def _facing(vertices: np.ndarray, gap: float) -> tuple[np.ndarray, np.ndarray]:
    """Vertices of the one blade's inner side and those of the other blade just across the gap."""
    inner = np.abs(np.abs(vertices[:, 1]) - gap / 2) < 1e-9
    upper = np.flatnonzero(inner & (vertices[:, 1] > 0.0) & (vertices[:, 0] > 0.3))
    mirrored = vertices[upper] * [1.0, -1.0, 1.0]
    lower = np.abs(mirrored[:, None] - vertices[None]).max(axis=2).argmin(axis=1)
    return upper, lower


@pytest.mark.parametrize("gap", [0.01, 0.002])
def test_weights_tell_the_blades_of_scissors_apart(gap: float) -> None:
    """Points 1 % or 0.2 % of the size apart, but far from each other along the material, have different weights."""
    vertices, triangles = scissors(gap)
    weights = analysed((vertices, triangles), "elastic").weights
    upper, lower = _facing(vertices, gap)
    assert len(upper) > 40
    difference = np.abs(weights[upper] - weights[lower])
    # A field that leaked would be nearly equal on both sides of the gap; one without a link differs like two strangers.
    assert np.median(difference.max(axis=1)) > 1.0
    near = np.linalg.norm(vertices[upper] - vertices[lower], axis=1)
    assert near.max() < 1.01 * gap


@pytest.mark.parametrize("push", [[0.0, 0.0, 1.0], [0.0, 1.0, 0.0]])
def test_poking_one_blade_leaves_the_other_alone(push: list[float]) -> None:
    """Both blades are held at their roots: a leak through the gap would take the other one along by half or more.

    The blades share their handles, so that what one does alone is approximated: a few per cent are left.
    """
    vertices, triangles = scissors(0.01)
    roots = np.flatnonzero(vertices[:, 0] < 1e-6).tolist()
    take = run(
        (vertices, triangles),
        anchor={"vertices": roots},
        gravity=[0, 0, 0],
        frames=18,
        pokes=[{"point": [1.0, 0.105, 0.05], "speed": push, "radius": 0.04}],
    )
    moved = np.linalg.norm(take.positions - vertices, axis=2).max(axis=0)
    beyond = vertices[:, 0] > 1e-6
    poked = moved[beyond & (vertices[:, 1] > 0.0)].max()
    assert poked > 0.3
    assert moved[beyond & (vertices[:, 1] < 0.0)].max() < 0.08 * poked
