"""Conditions completed by the composition: density, stiffness and damping of each piece where nobody has given them.

A thin soft piece (a leaf) that is simulated T thick and is t thick really has the same mass with density rho t / T. It
keeps its resistance to being stretched with E t / T and to being bent with E (t / T)^3; what shows is between the two,
E' = E (t / T)^2. The crown of a tree, drawn as a body, is twigs and leaves with air between: a cellular solid that
bends where it is squeezed, which has the same law (Gibson and Ashby). A sheet bends by its own thickness,
E (t / T)^3, but is stretched by its own weight no more than a little:

    E' = max(E (t / T)^3, rho' g L / STRETCHED),   L its longest side.

What is soft and no sheet stands as it is drawn, squeezed by its own weight by no more than a little,
E' >= rho' g L / SQUEEZED.
What is rigid is so much stiffer than the softest piece that nothing of it is seen to bend.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from ..dynamics.conditions import Conditions
from ..kinematics.node_material import Region
from .composition import Composition

__all__ = ["with_materials"]

GRAVITY = 9.81  # m/s^2
STRETCHED = 0.001  # of a sheet that hangs by its longest side
SQUEEZED = 0.01  # of a soft body by its own weight, which its drawn shape carries
CROWN_SQUEEZED = 0.1  # of a crown, the same
AIR_SECONDS = 0.4  # in which the air takes what a sheet swings, which weighs no more than the air that it moves
STIFFER = 1e3  # what is rigid, over the softest piece
LEAST_YOUNG = 100.0  # Pa


def with_materials(composition: Composition, conditions: Conditions) -> Conditions:
    """What is given stays, and holds for the whole object; regions that are given count before those of pieces."""
    by_material = conditions.young is None and conditions.stiffness_hz is None
    young = _young(composition)
    base = float(young.min())
    density = composition.thinning * [each.density for each in composition.made]
    regions = tuple(
        Region(
            composition.vertices(number),
            float(density[number]) if conditions.density is None else None,
            None,
            float(young[number] / base) if by_material else None,
            made.poisson if conditions.poisson is None else None,
        )
        for number, made in enumerate(composition.made)
    )
    changed = replace(conditions, materials=(*filter(_differs, regions), *conditions.materials))
    if conditions.density is None:
        changed = replace(changed, density=float(np.average(density, weights=composition.cut.areas)))
    if by_material:
        changed = replace(changed, young=base)
    unsaid = conditions.settle_seconds is None and conditions.damping is None
    if unsaid and all(each.behaviour == "sheet" for each in composition.made):
        changed = replace(changed, settle_seconds=AIR_SECONDS)
    elif unsaid:
        bends = np.array([each.behaviour != "rigid" for each in composition.made])
        weights = composition.cut.areas * (bends if bends.any() else 1.0)
        changed = replace(
            changed, damping=float(np.average([each.damping for each in composition.made], weights=weights))
        )
    return changed.completed()


def _differs(region: Region) -> bool:
    return any(value is not None for value in (region.density, region.stiffness, region.poisson))


def _young(composition: Composition) -> NDArray[np.float64]:
    """Young's moduli Float[P] Pa of the pieces as they are simulated."""
    thinning, made = composition.thinning, composition.made
    young = np.array([each.young for each in made]) * thinning**2
    for number, each in enumerate(made):
        length = composition.lengths[number] if each.behaviour == "sheet" else composition.size
        weight = each.density * thinning[number] * GRAVITY * length
        if each.behaviour == "sheet":
            young[number] = max(young[number] * thinning[number], weight / STRETCHED)
        else:
            young[number] = max(young[number], weight / (CROWN_SQUEEZED if composition.crowns[number] else SQUEEZED))
    young = np.maximum(young, LEAST_YOUNG)
    stiff = np.array([each.behaviour == "rigid" for each in made])
    softest = float(young[~stiff].min()) if (~stiff).any() else float(young.min())
    young[stiff] = STIFFER * softest
    return np.minimum(young, STIFFER * softest)
