"""The input of animation writers: positions by frame, skinning and appearance of one object."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .appearance import Appearance, MaterialLibrary, Part, Primitive

__all__ = ["MovingMesh", "Skinning"]


@dataclass(frozen=True)
class Skinning:
    """Linear blend skinning of the frames: x_v = sum_h w_vh A_h [X_v; 1].

    rest X Float[V,3] m, weights (V,H), handles A Float[T,H,3,4].
    """

    rest: NDArray[np.floating]
    weights: NDArray[np.floating]
    handles: NDArray[np.floating]


@dataclass(frozen=True)
class MovingMesh:
    """One object of an animation: positions (T,V,3) in metres, Z up, and triangles Int[F,3].

    Without a name its parts stand at the top of the file, under their names in its appearance; `title` is the name
    of all of them together.
    """

    name: str
    frames: NDArray[np.floating]
    triangles: NDArray[np.integer]
    skinning: Skinning | None = None
    appearance: Appearance | None = None
    file: str = "NeuROK"  # the name of the file it came from, without what follows the dot
    drawn: NDArray[np.floating] | None = None  # the shape before it moved (V,3); None: the first frame

    @property
    def title(self) -> str:
        """A name that is never empty."""
        parts = () if self.appearance is None else self.appearance.parts
        return self.name or (parts[0].name if len(parts) == 1 else self.file)

    @property
    def parts(self) -> tuple[Part, ...]:
        """Those of its appearance, or a single one; a single part has the name of the object, where it has one."""
        if self.appearance is None:
            everything = Primitive(slice(0, self.frames.shape[1]), slice(0, len(self.triangles)), {}, None)
            return (Part(self.title, self.title, (everything,)),)
        if self.name and len(self.appearance.parts) == 1:
            (part,) = self.appearance.parts
            return (Part(self.name, part.mesh_name, part.primitives),)
        return self.appearance.parts

    @property
    def library(self) -> MaterialLibrary | None:
        return None if self.appearance is None else self.appearance.library

    @property
    def rest(self) -> NDArray[np.floating]:
        """The shape that its appearance was drawn on, (V,3)."""
        if self.drawn is not None:
            return self.drawn
        return self.frames[0] if self.skinning is None else self.skinning.rest
