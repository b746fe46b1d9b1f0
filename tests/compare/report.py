"""docs/comparison.md from the figures of one run: no number in it is written by hand."""

from __future__ import annotations

from typing import Any

from tests.compare.report_drop import drop_section
from tests.compare.report_swing import swing_section

__all__ = ["written"]

INTRODUCTION = """# The same scenes in other solvers

`python build.py compare` makes every figure of this page anew (and of `comparison.json`, which has more of them). It
sets up an environment of its own in `build/compare` and simulates two scenes there and here:

- **Newton** {newton}: the package `newton`, on the processor. Its *semi-implicit* solver is symplectic Euler on linear
  tetrahedra; it neither takes nor gives energy, and its steps are far shorter than a sound wave needs from node to
  node, so with a fine mesh it is the reference. Its *VBD* is backward Euler, solved by vertex block descent. Both have
  a neo-Hookean law of the same small-strain moduli as ours, and masses from the volumes of the tetrahedra.
- **Quadratic finite elements** by scikit-fem {scikit}: natural frequencies of the bar, the third opinion.
- **Formulas** for beams.

Ours is run as anybody would, with `python -m backend simulate` and `young`, `poisson`, `density`. Paths are those of
the middle of the end face (*tip*) and of the centre of the enclosed volume (*centre*).
"""


def written(figures: dict[str, Any]) -> str:
    """The document as Markdown."""
    versions = figures["versions"]
    head = INTRODUCTION.format(newton=versions["newton"], scikit=versions["scikit-fem"])
    lines = [head, *swing_section(figures["swing"]), *drop_section(figures["drop"])]
    return "\n".join(lines).rstrip("\n") + "\n"
