"""What a piece of an object shows of its material: its names, its shader and its shape."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..geometry.edges import edge_keys
from ..geometry.mesh import cross, triangle_areas
from ..geometry.topology import coincident

__all__ = ["Clues", "PieceShape", "Shader", "piece_shapes"]

# Shares of the diagonal of the object: a piece that is thinner on average is a sheet; an open one may have the volume
# of what it covers.
SHEET_THICKNESS, SHELL_THICKNESS = 0.012, 0.06
OPEN = 0.02  # of the edges: a surface with more that have a face on one side only is open


@dataclass(frozen=True)
class Shader:
    """Values of the material that it is drawn with, each from 0 to 1; `colour` is linear red, green and blue."""

    metallic: float = 0.0
    roughness: float = 0.5
    transmission: float = 0.0
    alpha: float = 1.0
    colour: tuple[float, float, float] | None = None  # None: not known, or from an image


@dataclass(frozen=True)
class PieceShape:
    """A piece in its object. Lengths are shares of those of the object, whose axes are X, Y and up.

    `size` and `centre`: of its box; `diagonal`: of its box; `area`: of the surface; `thinness`: volume over area over
    the diagonal of the object (of a cube a sixth of its side, of a plate half its thickness); `open_edges`: the share
    of its edges that have a face on one side only, None where that is not known; `pieces`: how many the object has.
    """

    size: tuple[float, float, float]
    centre: tuple[float, float, float]
    diagonal: float
    area: float
    thinness: float
    open_edges: float | None = None
    pieces: int = 1

    @property
    def thin(self) -> bool:
        """Whether it is a sheet or a shell."""
        thickness = 2.0 * self.thinness
        open_shell = (self.open_edges or 0.0) > OPEN and thickness < SHELL_THICKNESS
        return thickness < SHEET_THICKNESS or open_shell


@dataclass(frozen=True)
class Clues:
    """All that is known of one piece; names that are not known are empty.

    `node` is the object or the node of a file that it belongs to, `material` what it is drawn with, `groups` are the
    vertex groups that cover it. `given` is the name of the material where somebody has said it.
    """

    shape: PieceShape
    node: str = ""
    material: str = ""
    groups: tuple[str, ...] = ()
    shader: Shader | None = None
    given: str = ""


def piece_shapes(
    vertices: NDArray[np.float64], triangles: NDArray[np.int64], piece: NDArray[np.int64]
) -> list[PieceShape]:
    """The shape of each piece of a mesh: vertices Float[V,3] (any unit, Z up), triangles Int[F,3], piece Int[F] from 0.

    Every piece has triangles.
    """
    corners = vertices[triangles]
    low, high = corners.min(axis=(0, 1)), corners.max(axis=(0, 1))
    extent = np.maximum(high - low, 1e-9 * float((high - low).max()))
    diagonal = float(np.linalg.norm(high - low))
    areas = triangle_areas(vertices, triangles)
    count = int(piece.max()) + 1
    place = coincident((vertices - 0.5 * (low + high)) / float(extent.max()))
    open_edges = _open_edges(place[triangles], piece, count)
    shapes = []
    for number in range(count):
        mine = np.flatnonzero(piece == number)
        own = corners[mine]
        own_low, own_high = own.min(axis=(0, 1)), own.max(axis=(0, 1))
        middle, area = 0.5 * (own_low + own_high), float(areas[mine].sum())
        first, second, third = (own - middle).transpose(1, 0, 2)
        volume = abs(float(np.einsum("fi,fi->", first, cross(second, third)))) / 6.0
        size, centre = (own_high - own_low) / extent, (middle - low) / extent
        shapes.append(
            PieceShape(
                size=(float(size[0]), float(size[1]), float(size[2])),
                centre=(float(centre[0]), float(centre[1]), float(centre[2])),
                diagonal=float(np.linalg.norm(own_high - own_low)) / diagonal,
                area=area / max(float(areas.sum()), 1e-300),
                thinness=volume / max(area, 1e-300) / diagonal,
                open_edges=float(open_edges[number]),
                pieces=count,
            )
        )
    return shapes


def _open_edges(triangles: NDArray[np.int64], piece: NDArray[np.int64], count: int) -> NDArray[np.float64]:
    """Of the edges of each piece, the share that has a single face in the whole object: where pieces meet is no end."""
    keys = edge_keys(triangles, int(triangles.max()) + 1)
    _, edge, faces = np.unique(keys, return_inverse=True, return_counts=True)
    single = faces[edge] == 1
    owner = np.repeat(piece, 3)
    return np.bincount(owner, weights=single, minlength=count) / np.bincount(owner, minlength=count)
