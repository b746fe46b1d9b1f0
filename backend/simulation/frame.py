"""What a client gets of an object at one frame."""

from __future__ import annotations

from dataclasses import dataclass

from ..bodies.body import Body
from ..dynamics import world
from ..kinematics.base import Array

__all__ = ["Frame"]


@dataclass(frozen=True)
class Frame:
    """One frame: index from 1, handles Float[H,3,4] on world rest positions, q Float[k], energy Float[3] joules."""

    index: int
    handles: Array
    q: Array
    energy: Array

    @classmethod
    def of(cls, body: Body, solved: world.Frame) -> Frame:
        """The frame of an object that the time loop gives."""
        return cls(solved.index, body.frame.world_handles(solved.handles), solved.q, solved.energy)
