"""What the writers of animations are given."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .looks import Library, Looks, Part, Primitive

__all__ = ["MovingMesh", "Skinning"]


@dataclass(frozen=True)
class Skinning:
    """How the frames came about: x_v = sum_h w_vh A_h [X_v; 1].

    rest X Float[V,3] m, weights (V,H), handles A Float[T,H,3,4].
    """

    rest: NDArray[np.floating]
    weights: NDArray[np.floating]
    handles: NDArray[np.floating]


@dataclass(frozen=True)
class MovingMesh:
    """One object of an animation: positions (T,V,3) in metres, Z up, and triangles Int[F,3].

    Without a name its parts stand at the top of the file, under the names that its looks have for them; `title` is what
    they are called together.
    """

    name: str
    frames: NDArray[np.floating]
    triangles: NDArray[np.integer]
    skinning: Skinning | None = None
    looks: Looks | None = None
    file: str = "NeuROK"  # the name of the file it came from, without what follows the dot
    drawn: NDArray[np.floating] | None = None  # the shape before it moved (V,3); None: the first frame

    @property
    def title(self) -> str:
        """A name in any case."""
        return self.name or (self.looks.parts[0].name if self.looks and len(self.looks.parts) == 1 else self.file)

    @property
    def parts(self) -> tuple[Part, ...]:
        """Those of its looks, or a single one; a single part has the name of the object, where it has one."""
        if self.looks is None:
            everything = Primitive(slice(0, self.frames.shape[1]), slice(0, len(self.triangles)), {}, None)
            return (Part(self.title, self.title, (everything,)),)
        if self.name and len(self.looks.parts) == 1:
            (part,) = self.looks.parts
            return (Part(self.name, part.mesh_name, part.primitives),)
        return self.looks.parts

    @property
    def library(self) -> Library | None:
        return None if self.looks is None else self.looks.library

    @property
    def rest(self) -> NDArray[np.floating]:
        """The shape that its looks were drawn on, (V,3)."""
        if self.drawn is not None:
            return self.drawn
        return self.frames[0] if self.skinning is None else self.skinning.rest
