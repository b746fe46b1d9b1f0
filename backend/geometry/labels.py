"""Labels of faces: the object and the material that each belongs to, by their names, where a file or scene has any."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

__all__ = ["SHADER_VALUES", "Labels", "SlotLabel"]

SHADER_VALUES = ("metallic", "roughness", "transmission", "alpha")


@dataclass(frozen=True)
class SlotLabel:
    """The material of a slot: its name, values of its shader between 0 and 1, of those that are given, and its colour.

    Names of values are `SHADER_VALUES`; the colour is linear red, green and blue, None where it is not known or comes
    from an image. `made_of` is the name of the physical material that somebody says it stands for; empty: none.
    """

    name: str = ""
    shader: Mapping[str, float] = field(default_factory=dict)
    colour: tuple[float, float, float] | None = None
    made_of: str = ""


@dataclass(frozen=True, eq=False)
class Labels:
    """`objects` Int[F]: which of `object_names` each face is of; `slots`: what the numbers of `Mesh.slots` stand for.

    Two instances of one mesh are two objects. As readers give them, `slots` are by the numbers of the file.
    """

    objects: NDArray[np.int64]
    object_names: tuple[str, ...]
    slots: Mapping[int, SlotLabel]
