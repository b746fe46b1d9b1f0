"""What is simulated in both codes: a bar that swings from one end and a cube that is dropped. SI units, Z up.

NumPy only: this file runs in the project's own environment and in the one of the other code.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "BAR",
    "CUBE",
    "GRAVITY",
    "Block",
    "Floats",
    "Integers",
    "boundary",
    "centroid",
    "five_tetrahedra",
    "surface",
]

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

GRAVITY = 9.81  # m/s^2, downwards


@dataclass(frozen=True)
class Block:
    """An elastic cuboid between the origin and `size`, divided into cubes of one `cross`-th of its width."""

    size: tuple[float, float, float]  # m
    young: float  # Pa
    poisson: float
    density: float  # kg/m^3
    seconds: float  # of the take
    fps: float  # samples a second that are compared
    lift: float = 0.0  # m, how high its lowest face starts above the ground

    def cells(self, cross: int) -> tuple[int, int, int]:
        """Cubes along each axis when there are `cross` of them across (along y)."""
        edge = self.size[1] / cross
        return tuple(round(length / edge) for length in self.size)  # type: ignore[return-value]

    @property
    def frames(self) -> int:
        """Samples in all, the first one at time zero."""
        return round(self.seconds * self.fps) + 1

    @property
    def lame(self) -> tuple[float, float]:
        """(mu, lambda) in Pa."""
        return (
            self.young / (2.0 * (1.0 + self.poisson)),
            self.young * self.poisson / ((1.0 + self.poisson) * (1.0 - 2.0 * self.poisson)),
        )


# Held at x = 0 and let go from straight: the tip drops by 18 % of the length and swings up again, twice a second.
BAR = Block(size=(1.0, 0.2, 0.2), young=4.0e6, poisson=0.3, density=1000.0, seconds=2.0, fps=100.0)
# Meets the ground with 2.4 m/s and is pressed together by a tenth.
CUBE = Block(size=(0.4, 0.4, 0.4), young=5.0e5, poisson=0.3, density=1000.0, seconds=1.2, fps=200.0, lift=0.3)


def _lattice(block: Block, cross: int) -> tuple[Floats, Integers]:
    """Corners Float[V,3] of all cubes, and the index of corner (i, j, k) as Int[nx+1,ny+1,nz+1]."""
    cells = block.cells(cross)
    lines = [np.linspace(0.0, length, count + 1) for length, count in zip(block.size, cells, strict=True)]
    points = np.stack(np.meshgrid(*lines, indexing="ij"), axis=-1).reshape(-1, 3)
    points[:, 2] += block.lift
    return points, np.arange(len(points)).reshape([count + 1 for count in cells])


def five_tetrahedra(block: Block, cross: int) -> tuple[Floats, Integers]:
    """Vertices Float[V,3] and tetrahedra Int[T,4] of positive volume: five in each cube, every second cube mirrored.

    Mirrored neighbours make the faces fit and, for an even `cross`, the whole mesh as symmetric as the block.
    """
    points, index = _lattice(block, cross)
    cell = np.stack(np.meshgrid(*(np.arange(n) for n in block.cells(cross)), indexing="ij"), axis=-1).reshape(-1, 3)
    odd = cell.sum(axis=1) % 2

    def corner(x: int, y: int, z: int) -> Integers:
        along = np.where(odd, 1 - x, x)
        return index[cell[:, 0] + along, cell[:, 1] + y, cell[:, 2] + z]

    inner = [(0, 0, 0), (1, 1, 0), (1, 0, 1), (0, 1, 1)]
    outer = [[(1, 0, 0), *inner[:3]], [(0, 1, 0), inner[0], inner[1], inner[3]]]
    outer += [[(0, 0, 1), inner[0], inner[2], inner[3]], [(1, 1, 1), *inner[1:]]]
    tetrahedra = np.vstack([np.stack([corner(*place) for place in four], axis=1) for four in [inner, *outer]])
    edges = points[tetrahedra[:, 1:]] - points[tetrahedra[:, :1]]
    inverted = np.linalg.det(edges) < 0.0
    tetrahedra[inverted] = tetrahedra[inverted][:, [0, 2, 1, 3]]
    return points, tetrahedra


def boundary(block: Block, cross: int) -> Integers:
    """The triangles Int[F,3] around all cubes, wound outward, into the vertices of `five_tetrahedra`."""
    index = _lattice(block, cross)[1]
    triangles = []
    for axis in range(3):
        for end, outward in ((0, False), (-1, True)):
            side = np.moveaxis(index, axis, 0)[end]
            a, b, c, d = (part.ravel() for part in (side[:-1, :-1], side[1:, :-1], side[1:, 1:], side[:-1, 1:]))
            if outward == (axis == 1):  # the two axes left over turn around x and z, and against y
                b, d = d, b
            triangles += [np.stack([a, b, c], axis=1), np.stack([a, c, d], axis=1)]
    return np.vstack(triangles)


def surface(block: Block, cross: int) -> tuple[Floats, Integers]:
    """The block's surface as our solver gets it: vertices Float[V,3], triangles Int[F,3] wound outward."""
    used, compact = np.unique(boundary(block, cross), return_inverse=True)
    return _lattice(block, cross)[0][used], compact.reshape(-1, 3)


def centroid(positions: Floats, triangles: Integers) -> Floats:
    """Centre Float[...,3] of the volume that a closed surface encloses, positions Float[...,V,3].

    Both codes are measured by it, since it asks for nothing but the surface. A body that is pressed together unevenly
    has its centre of mass a little elsewhere; `newton_side` gives both, so that the report can say how little.
    """
    a, b, c = (positions[..., triangles[:, corner], :] for corner in range(3))
    six_volumes = np.einsum("...fi,...fi->...f", a, np.cross(b, c))
    return np.einsum("...f,...fi->...i", six_volumes, a + b + c) / (4.0 * six_volumes.sum(axis=-1))[..., None]
