"""Materials of the pieces of an object: what each is most likely made of, its physical values, and why."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..materials.clues import Clues
from ..materials.material import Material
from ..materials.table import material_named, material_names
from ..materials.words import told_by
from ..texts import Text

__all__ = ["PieceMaterial", "as_material", "recognise_materials"]

# The strength of evidence, as differences of the logarithm of probability.
_MATERIAL, _NODE, _GROUP, _OBJECT, _SHADER = 8.0, 4.0, 4.0, 2.5, 2.0
_TOLD = 0.5  # of a name: what it says of the material at least, for the name to be the reason
# How often parts of things are made of what: of designed things in general, where nothing is known.
_SHARES = {
    "wood": 0.28, "metal": 0.26, "plastic": 0.12, "stone": 0.08, "fabric": 0.08, "plant": 0.05, "glass": 0.04,
    "flesh": 0.02, "leather": 0.015, "rubber": 0.015,
}  # fmt: skip
_OTHER_SHARE = 0.004


@dataclass(frozen=True)
class PieceMaterial:
    """What a piece is made of. Density in kg/m^3, stresses in Pa, angle in degrees, thickness in metres.

    `probabilities` Float[M] are those of all materials of the table, in its order; `damping` is a share of critical
    damping, `friction` the coefficient on a floor, `thickness` that of a wall or a sheet.
    """

    material: str
    probability: float
    probabilities: NDArray[np.float64]
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


def recognise_materials(pieces: Sequence[Clues], name: str = "") -> list[PieceMaterial]:
    """The material of each piece of an object of this name."""
    return [_recognised(clues, name) for clues in pieces]


def as_material(name: str, clues: Clues, reason: Text) -> PieceMaterial:
    """A piece whose material somebody has said. Raises UserError where there is no such material."""
    certain = np.array([float(each == name) for each in material_names()])
    return _made_of(material_named(name), 1.0, certain, clues.shape.thin, reason)


def _recognised(clues: Clues, name: str) -> PieceMaterial:
    probabilities = _probabilities(clues, name)
    best = int(probabilities.argmax())
    material = material_named(material_names()[best])
    reason = _reason(clues, name, best)
    return _made_of(material, float(probabilities[best]), probabilities, clues.shape.thin, reason)


def _probabilities(clues: Clues, name: str) -> NDArray[np.float64]:
    """Float[M]: shares of materials, times how much each name and the shader speak for them."""
    names = material_names()
    score = np.log([_SHARES.get(each, _OTHER_SHARE) for each in names])
    score += _MATERIAL * told_by(clues.material) + _NODE * told_by(clues.node) + _OBJECT * told_by(name)
    for group in clues.groups:
        score += _GROUP * told_by(group)
    if clues.shader is not None:
        see_through = clues.shader.transmission > 0.3 or clues.shader.alpha < 0.7
        score[names.index("glass")] += _SHADER * see_through
        score[names.index("metal")] += _SHADER * (clues.shader.metallic > 0.7)
    likelihood = np.exp(score - score.max())
    return likelihood / likelihood.sum()


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
