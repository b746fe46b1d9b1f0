"""The provider "sheet": cloth, paper and leaves drape, wrinkle and fold; each of their vertices moves."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Self

import numpy as np

from ...dynamics.actor import Actor
from ...dynamics.conditions import Conditions
from ...materials.material import SHEET
from ...materials.table import material_named
from ...sheets.fabric import Fabric, isotropic, woven
from ...sheets.sheet_actor import sheet_actor
from ...texts import Text
from ..composition import Composition
from ..piece_materials import PieceMaterial
from ..recognition import Recognition
from .elastic import Elastic
from .provider import AnalysisInput

__all__ = ["Sheet"]

USUAL = "fabric"  # what is said to be a sheet is of, where its material makes none


@dataclass(frozen=True, eq=False)
class Sheet(Elastic):
    """A solver of its own moves it in takes; posed by hand and live it is an elastic plate."""

    name, label, icon = "sheet", "Sheet", "MOD_CLOTH"
    description = "Cloth, paper, leaves: drapes, wrinkles and never passes through itself"
    keys = frozenset({"stiffness", "young", "poisson"})
    knows_materials = True

    composition: Composition = field(kw_only=True)

    @classmethod
    def analyze(cls, given: AnalysisInput) -> Self:
        recognition = given.recognition or Recognition()
        return cls(given.mesh, given.cloud, recognition=recognition, composition=given.composition)

    def actor(self, conditions: Conditions, held: np.ndarray | None, warnings: list[Text]) -> Actor:
        return sheet_actor(self.mesh, self._fabric(conditions), conditions, held, warnings)

    def _fabric(self, conditions: Conditions) -> Fabric:
        """The mean of its pieces by their area; what conditions say of the whole counts more."""
        fabrics = [_fabric_of(made, conditions) for made in self.composition.made]
        share = self.composition.shares
        mean = {name: float(share @ [getattr(each, name) for each in fabrics]) for name in vars(fabrics[0])}
        mean["stretch"] *= conditions.stiffness
        mean["bending"] *= conditions.stiffness
        return Fabric(**mean)


def _fabric_of(made: PieceMaterial, conditions: Conditions) -> Fabric:
    name = made.material if made.behaviour == SHEET else USUAL
    material = material_named(name)
    form = material.form(thin=True)
    if made.behaviour != SHEET:
        made = replace(
            made,
            density=form.density.typical,
            young=form.young.typical,
            poisson=material.poisson.typical,
            friction=material.friction.typical,
            damping=material.damping.typical,
            thickness=material.thickness.typical,
        )
    damping = 0.0 if conditions.undamped else made.damping
    density = made.density if conditions.density is None else conditions.density
    young = made.young if conditions.young is None else conditions.young
    if material.bending_length is None:
        poisson = made.poisson if conditions.poisson is None else conditions.poisson
        return isotropic(density, young, poisson, made.thickness, made.friction, damping)
    found = woven(density, young, material.bending_length.typical, made.thickness, made.friction, damping)
    # A stiffer weave of the kind bends as much less.
    return replace(found, bending=found.bending * young / form.young.typical)
