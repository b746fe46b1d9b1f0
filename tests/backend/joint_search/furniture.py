"""Things with parts for the tests of joints: metres, Z up, front towards -y; part 0 stands still."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from backend.data.shapes import Piece, aimed, box, cylinder, joined, moved, rectangle
from backend.geometry.mesh import Mesh

__all__ = [
    "cabinet_boards",
    "chest_of_drawer",
    "cupboard",
    "drawer_box",
    "labelled",
    "lidded_box",
    "sheet_cupboard",
    "trolley",
]


def labelled(*parts: list[Piece]) -> tuple[Mesh, NDArray[np.int64]]:
    """One mesh of all parts, and the part of each face."""
    pieces = [joined(*own) for own in parts]
    vertices, triangles = joined(*pieces)
    label = np.repeat(np.arange(len(pieces)), [len(faces) for _, faces in pieces])
    return Mesh(vertices, triangles, np.zeros(len(triangles), dtype=np.int64)), label


def cabinet_boards(wide: float, deep: float, tall: float, board: float = 0.02) -> list[Piece]:
    """An open box from (0, 0, 0) to (wide, deep, tall) without a front."""
    return [
        box((0, 0, 0), (board, deep, tall)),
        box((wide - board, 0, 0), (wide, deep, tall)),
        box((board, 0, 0), (wide - board, deep, board)),
        box((board, 0, tall - board), (wide - board, deep, tall)),
        box((board, deep - board, board), (wide - board, deep, tall - board)),
    ]


def cupboard() -> tuple[Mesh, NDArray[np.int64]]:
    """A cabinet with a door before its whole front, the knob at the right."""
    door = [box((0, -0.025, 0), (0.5, -0.003, 0.8)), box((0.44, -0.06, 0.38), (0.47, -0.024, 0.42))]
    return labelled(cabinet_boards(0.5, 0.4, 0.8), door)


def sheet_cupboard() -> tuple[Mesh, NDArray[np.int64]]:
    """The same of sheets without thickness, every face twice, looking both ways."""
    wide, deep, tall = 0.5, 0.4, 0.8
    x, y, z = (np.array([wide, 0, 0]), np.array([0, deep, 0]), np.array([0, 0, tall]))
    walls = [
        rectangle((0, 0, 0), y, z),
        rectangle((wide, 0, 0), y, z),
        rectangle((0, 0, 0), x, y),
        rectangle((0, 0, tall), x, y),
        rectangle((0, deep, 0), x, z),
    ]
    door = [rectangle((0, -0.003, 0), x, z), rectangle((0.44, -0.05, 0.38), (0.03, 0, 0), (0, 0, 0.04))]

    def both_sides(piece: Piece) -> Piece:
        return piece[0], np.concatenate([piece[1], piece[1][:, ::-1]])

    return labelled([both_sides(each) for each in walls], [both_sides(each) for each in door])


def drawer_box(low: tuple[float, float, float], high: tuple[float, float, float], board: float = 0.012) -> list[Piece]:
    """A box that is open above, with a knob in front."""
    (x0, y0, z0), (x1, y1, z1) = low, high
    middle, height = 0.5 * (x0 + x1), 0.5 * (z0 + z1)
    return [
        box((x0, y0, z0), (x0 + board, y1, z1)),
        box((x1 - board, y0, z0), (x1, y1, z1)),
        box((x0 + board, y0, z0), (x1 - board, y1, z0 + board)),
        box((x0 + board, y0, z0 + board), (x1 - board, y0 + board, z1)),
        box((x0 + board, y1 - board, z0 + board), (x1 - board, y1, z1)),
        box((middle - 0.02, y0 - 0.03, height - 0.01), (middle + 0.02, y0, height + 0.01)),
    ]


def chest_of_drawer(behind: float = 0.0) -> tuple[Mesh, NDArray[np.int64]]:
    """A cabinet with one drawer that fills it, `behind` metres of air behind the drawer."""
    drawer = drawer_box((0.024, 0.0, 0.024), (0.476, 0.376 - behind, 0.17))
    return labelled(cabinet_boards(0.5, 0.4, 0.2), drawer)


def lidded_box() -> tuple[Mesh, NDArray[np.int64]]:
    """A box that is open above, and a lid that lies on it, with its knob at the front and hinges at the back."""
    body = [
        box((0, 0, 0), (0.6, 0.4, 0.02)),
        box((0, 0, 0.02), (0.02, 0.4, 0.3)),
        box((0.58, 0, 0.02), (0.6, 0.4, 0.3)),
        box((0.02, 0, 0.02), (0.58, 0.02, 0.3)),
        box((0.02, 0.38, 0.02), (0.58, 0.4, 0.3)),
        box((0.1, 0.4, 0.27), (0.16, 0.412, 0.315)),
        box((0.44, 0.4, 0.27), (0.5, 0.412, 0.315)),
    ]
    lid = [box((0, 0, 0.302), (0.6, 0.4, 0.322)), box((0.27, -0.03, 0.305), (0.33, 0.0, 0.318))]
    return labelled(body, lid)


def trolley() -> tuple[Mesh, NDArray[np.int64]]:
    """A plank with four wheels on short axles."""
    plank = [box((0, 0, 0.1), (0.8, 0.4, 0.14))]
    wheels = []
    for x in (0.12, 0.68):
        for y, side in ((0.0, -1.0), (0.4, 1.0)):
            axle = moved(aimed(cylinder(0.01, -0.02, 0.07, 12), (0.0, side, 0.0)), (x, y, 0.09))
            plank.append(axle)
            wheels.append([moved(aimed(cylinder(0.08, 0.02, 0.05, 24), (0.0, side, 0.0)), (x, y, 0.09))])
    return labelled(plank, *wheels)
