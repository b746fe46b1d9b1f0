"""Materials of the pieces of an object: what each is most likely made of, its physical values, and why.

The network of materials says how likely each is; the values are the typical ones of the table.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..learned.infer.material_network.material_network import (
    MATERIAL_WEIGHTS,
    MaterialPrediction,
    predicted_materials,
)
from ..materials.clues import Clues
from ..materials.material import Material
from ..materials.table import material_named, material_names
from ..materials.words import told_by
from ..texts import Text
from .size_guess import likely_size

__all__ = ["PieceMaterial", "as_material", "guessed_size", "recognise_materials"]

_TOLD = 0.5  # of a name: what it says of the material at least, for the name to be the reason


@dataclass(frozen=True)
class PieceMaterial:
    """What a piece is made of. Density in kg/m^3, stresses in Pa, angle in degrees, thickness in metres.

    `probabilities` Float[M] are those of all materials of the table, in its order; `damping` is a share of critical
    damping, `friction` the coefficient on a floor, `thickness` that of a wall or a sheet.
    """

    material: str
    probability: float
    probabilities: NDArray[np.float64]
    thin: bool  # a sheet or a shell
    behaviour: str
    density: float
    young: float
    poisson: float
    yield_stress: float | None
    friction_angle: float | None
    friction: float
    damping: float
    thickness: float
    reason: Text

    def told(self) -> dict[str, Any]:
        """For people and programs (JSON)."""
        return {
            "material": self.material,
            "probability": self.probability,
            "behaviour": self.behaviour,
            "density": self.density,
            "young": self.young,
            "poisson": self.poisson,
            "yield": self.yield_stress,
            "friction_angle": self.friction_angle,
            "friction": self.friction,
            "damping": self.damping,
            "thickness": self.thickness,
            "reason": self.reason,
        }


def recognise_materials(
    pieces: Sequence[Clues], name: str = "", weights: Path = MATERIAL_WEIGHTS
) -> list[PieceMaterial]:
    """The material of each piece of an object of this name. Raises UserError where there are no weights."""
    if not pieces:
        return []
    found = predicted_materials(pieces, name, weights)
    return [_said(clues) or _recognised(clues, row, name) for clues, row in zip(pieces, _of_table(found), strict=True)]


def guessed_size(
    pieces: Sequence[Clues], name: str, weights: Path = MATERIAL_WEIGHTS, drawn: float | None = None
) -> float | None:
    """The longest side that an object of this name and of such pieces has, m; None where that cannot be told.

    `drawn` is the longest side as it is drawn, m.
    """
    found = predicted_materials(pieces, name, weights)
    return likely_size(found.size, found.spread, name, drawn)


def as_material(name: str, clues: Clues, reason: Text) -> PieceMaterial:
    """A piece whose material somebody has said. Raises UserError where there is no such material."""
    certain = np.array([float(each == name) for each in material_names()])
    return _made_of(material_named(name), 1.0, certain, clues.shape.thin, reason)


def _said(clues: Clues) -> PieceMaterial | None:
    """What somebody has said for all that is drawn with its Blender material."""
    return as_material(clues.given, clues, Text("material.by_blender", name=clues.material)) if clues.given else None


def _of_table(found: MaterialPrediction) -> NDArray[np.float64]:
    """Float[P,M]: probabilities of all materials of the table; those registered since the training have none."""
    table = {name: number for number, name in enumerate(material_names())}
    result = np.zeros((len(found.probabilities), len(table)))
    result[:, [table[name] for name in found.materials]] = found.probabilities
    return result


def _recognised(clues: Clues, probabilities: NDArray[np.float64], name: str) -> PieceMaterial:
    best = int(probabilities.argmax())
    material = material_named(material_names()[best])
    reason = _reason(clues, name, best)
    return _made_of(material, float(probabilities[best]), probabilities, clues.shape.thin, reason)


def _reason(clues: Clues, name: str, best: int) -> Text:
    """What spoke for the material with this number: a name that tells it, else all the rest."""
    if told_by(clues.material)[best] >= _TOLD:
        return Text("material.by_material", name=clues.material)
    for group in clues.groups:
        if told_by(group)[best] >= _TOLD:
            return Text("material.by_group", name=group)
    for each in (clues.node, name):
        if told_by(each)[best] >= _TOLD:
            return Text("material.by_object", name=each)
    return Text("material.by_look")


def _made_of(
    material: Material, probability: float, probabilities: NDArray[np.float64], thin: bool, reason: Text
) -> PieceMaterial:
    form = material.form(thin)
    yields, angle = material.yield_stress, material.friction_angle
    return PieceMaterial(
        material=material.name,
        probability=probability,
        probabilities=probabilities,
        thin=thin,
        behaviour=form.behaviour,
        density=form.density.typical,
        young=form.young.typical,
        poisson=material.poisson.typical,
        yield_stress=None if yields is None else yields.typical,
        friction_angle=None if angle is None else angle.typical,
        friction=material.friction.typical,
        damping=material.damping.typical,
        thickness=material.thickness.typical,
        reason=reason,
    )
