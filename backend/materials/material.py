"""A material: ranges of its physical values, how things of it behave, and the words that name it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

__all__ = ["BEHAVIOURS", "MATTER", "RIGID", "SHEET", "SOFT", "Form", "Material", "Range"]

RIGID, SOFT, SHEET, MATTER = BEHAVIOURS = ("rigid", "soft", "sheet", "matter")
"""It keeps its shape; it bends and comes back; it drapes; it yields and flows."""


@dataclass(frozen=True)
class Range:
    """From the least to the most that is usual; `typical` between them."""

    low: float
    typical: float
    high: float

    def __post_init__(self) -> None:
        if not self.low <= self.typical <= self.high:
            raise ValueError(f"{self.typical} does not lie between {self.low} and {self.high}")

    def drawn(self, rng: np.random.Generator) -> float:
        """A random value: as often below the typical one as above, evenly there.

        On a logarithmic scale where the range spans more than a factor of three.
        """
        share = rng.random()
        first, last = (self.low, self.typical) if share < 0.5 else (self.typical, self.high)
        along = 2.0 * share % 1.0
        if self.low > 0.0 and self.high > 3.0 * self.low:
            return float(first * (last / first) ** along)
        return float(first + (last - first) * along)


@dataclass(frozen=True)
class Form:
    """A material as a thing is made of it: density in kg/m^3 and Young's modulus in Pa, with the air that is in it."""

    behaviour: str
    density: Range
    young: Range

    def __post_init__(self) -> None:
        if self.behaviour not in BEHAVIOURS:
            raise ValueError(f"{self.behaviour!r} is not one of {', '.join(BEHAVIOURS)}")


@dataclass(frozen=True)
class Material:
    """One material. Stresses in Pa, angles in degrees, thickness in metres.

    `solid`: as a body, `thin`: as a sheet or a shell, where that is another thing. `thickness` is that of its sheets
    and shells, `damping` the share of critical damping, `friction` the coefficient on an ordinary floor. Where it
    breaks instead of yielding, `yield_stress` is its tensile strength. `bending_length` (m) is that of weaves in
    Peirce's test: their yarns slide, so they bend far more easily than Young's modulus says. `kind_of` is the wider
    material that it is one of. `crown`: what is drawn thicker than that is twigs and leaves with air between. `words`
    name it, in any language, in small letters without accents and with spaces between.
    """

    name: str
    label: str  # in menus
    solid: Form
    poisson: Range
    friction: Range
    damping: Range
    thickness: Range
    words: str
    sources: tuple[str, ...]
    thin: Form | None = None
    yield_stress: Range | None = None
    friction_angle: Range | None = None
    kind_of: str | None = None
    bending_length: Range | None = None
    crown: float | None = None

    def form(self, thin: bool) -> Form:
        """What holds of a piece of it that is `thin`, or that is not."""
        return self.thin if thin and self.thin is not None else self.solid
