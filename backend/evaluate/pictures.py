"""Pictures of the objects with the largest errors: rest, target and fit side by side."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ..errors import UserError
from ..kinematics.base import Array
from .draw_shapes import View, warm_colours
from .ik import MODES, Shapes, dragged_points

__all__ = ["WorstShapes"]

_PROJECT = Path(__file__).resolve().parents[2]
_SIZE = 420  # pixels
_POINTS = 400_000
_DRAWN = 7
_FULL_COLOUR = 0.2  # of the longest side: motion or error that is drawn in the full colour
_MARK = (20, 90, 220)


class WorstShapes:
    """Remembers the worst state of each object for one row, and draws the worst objects in the end."""

    def __init__(self, folder: Path, row: str, most: int = 10) -> None:
        if folder.resolve().is_relative_to(_PROJECT):
            raise UserError("inside_project.pictures")
        self._folder, self._row, self._most = folder, row, most
        self._worst: dict[str, Shapes] = {}
        self._others: dict[tuple[str, int, str], Array] = {}

    def see(self, shapes: Shapes) -> None:
        if shapes.row != self._row:
            return
        name = shapes.subject.name
        self._others[name, shapes.state, shapes.mode] = shapes.found
        worst = self._worst.get(name)
        if shapes.mode == "sparse" and (worst is None or shapes.error.cd_l1 > worst.error.cd_l1):
            self._worst[name] = shapes

    def write(self) -> list[Path]:
        """One picture for each of the worst objects, named by rank."""
        from PIL import Image  # only here: a development tool

        self._folder.mkdir(parents=True, exist_ok=True)
        ranked = sorted(self._worst.values(), key=lambda shapes: -shapes.error.cd_l1)[: self._most]
        paths = []
        for rank, shapes in enumerate(ranked, start=1):
            path = self._folder / f"{rank:02d}_{shapes.subject.name}_{self._row}.png"
            Image.fromarray(self._row_of(shapes)).save(path)
            paths.append(path)
        return paths

    def _row_of(self, shapes: Shapes) -> NDArray[np.uint8]:
        """Rest with the dragged points; the target, warm where it moved; full and sparse, warm where they are wrong."""
        subject, state = shapes.subject, shapes.state
        rest, goal = subject.vertices, subject.states[state]
        found = [self._others[subject.name, state, mode] for mode in MODES]
        view, points = View(np.stack([rest, goal, *found]), _SIZE), subject.sample(_POINTS, _DRAWN)
        panels = []
        for shape, other in ((rest, rest), (goal, rest), *((each, goal) for each in found)):
            away = np.linalg.norm(points.on(shape) - points.on(other), axis=1) / 2.0
            panels.append(view.picture(shape, points, warm_colours(away / _FULL_COLOUR)))
        dragged = dragged_points(subject, "sparse", state)
        panels[0] = view.marked(panels[0], dragged.on(rest), _MARK)
        panels[-1] = view.marked(panels[-1], dragged.on(goal), _MARK)
        return np.concatenate(panels, axis=1)
