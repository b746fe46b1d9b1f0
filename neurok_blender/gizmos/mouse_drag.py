"""Mouse drags: slower with Shift, in steps with Ctrl, as in Blender's own tools."""

from __future__ import annotations

import math
from dataclasses import dataclass

from mathutils import Vector

__all__ = ["MouseDrag", "Step", "nice_step", "snapped"]

# With Shift a drag follows this much of the mouse, and Ctrl's steps shrink by as much.
PRECISE = 0.1


@dataclass(frozen=True)
class Step:
    """One move of the mouse. Positions are pixels of the region."""

    previous: Vector
    mouse: Vector
    # Where the mouse would be if Shift had slowed it, counted from where it took hold.
    position: Vector
    precise: bool
    snap: bool

    @property
    def factor(self) -> float:
        """How much of this move counts."""
        return PRECISE if self.precise else 1.0

    def snapped(self, value: float, step: float) -> float:
        """`value`, in whole steps while Ctrl is held."""
        return snapped(value, step * self.factor) if self.snap else value


class MouseDrag:
    """Adds up the moves of a drag. Pressing or letting go of Shift in the middle makes nothing jump."""

    def __init__(self, mouse: Vector) -> None:
        self.first = mouse.copy()
        self._mouse = mouse.copy()
        self._position = mouse.copy()

    def move(self, mouse: Vector, precise: bool, snap: bool) -> Step:
        previous = self._mouse
        self._position = self._position + (mouse - previous) * (PRECISE if precise else 1.0)
        self._mouse = mouse.copy()
        return Step(previous, self._mouse, self._position, precise, snap)


def snapped(value: float, step: float) -> float:
    return round(value / step) * step


def nice_step(least: float) -> float:
    """The smallest of 1, 2 and 5 times a power of ten that is not below `least`."""
    power = 10.0 ** math.floor(math.log10(least))
    return next(factor * power for factor in (1.0, 2.0, 5.0, 10.0) if factor * power >= least * (1.0 - 1e-9))
