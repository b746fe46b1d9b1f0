"""What a client gets of an object at one frame."""

from __future__ import annotations

from dataclasses import dataclass

from ..bodies.body import Body
from ..dynamics import solver
from ..kinematics.base import Array

__all__ = ["Frame"]


@dataclass(frozen=True)
class Frame:
    """One frame: index from 1, handles Float[H,3,4] on world rest positions, q Float[k], energy Float[3] joules.

    Of an object that is not skinned: the positions of its vertices, Float[V,3] m, and no handles.
    """

    index: int
    handles: Array | None
    q: Array | None
    energy: Array
    points: Array | None = None

    @classmethod
    def of(cls, body: Body | None, solved: solver.Frame) -> Frame:
        """The frame of an object that the time loop gives."""
        if body is None:
            return cls(solved.index, None, None, solved.energy, solved.points)
        return cls(solved.index, body.frame.world_handles(solved.handles), solved.q, solved.energy)
