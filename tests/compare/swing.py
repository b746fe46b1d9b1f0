"""The bar that is held at one end and let go from straight: period, sag, tip path."""

from __future__ import annotations

from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from tests.compare.measures import extrapolated, path_difference, swing
from tests.compare.scenes import BAR, GRAVITY, Block

if TYPE_CHECKING:
    from tests.compare.run_compare import Codes

__all__ = ["compare_swing", "euler_bernoulli", "timoshenko"]

MESHES = (4, 8, 12)  # cubes across for the other code: 525, 3,321 and 10,309 vertices
VBD_BAR = replace(BAR, seconds=1.0)  # two swings: an iteration over the mesh costs as much as 20 explicit steps
VBD = ((6, 20), (12, 20))  # steps a sample and iterations a step
OUR_MESH = 8
SETTLE = 2.0  # s, lightly damped: 5 % left after this
DECAY = 3.0 / SETTLE  # 1/s
HANDLES = ("auto", 8, 16, 32, 64)
USUAL = 16  # handles of the runs in which something else changes
ROOT_OF_CANTILEVER = 1.87510407  # cos(x) cosh(x) = -1


def euler_bernoulli(block: Block) -> dict[str, float]:
    """First period (s) and sag of the tip (m) of a thin held beam."""
    length, width, height = block.size
    bending = block.young * width * height**3 / 12.0
    line = block.density * width * height
    return {
        "period": 2.0 * np.pi * (length / ROOT_OF_CANTILEVER) ** 2 / np.sqrt(bending / line),
        "sag": -line * GRAVITY * length**4 / (8.0 * bending),
    }


def timoshenko(block: Block) -> dict[str, float]:
    """The same with shear and the turning of the cross-section, to first order in both.

    Rayleigh's quotient with Euler and Bernoulli's shape: the energy of shear makes the bar softer by
    E I / (k G A) times <w'''^2> / <w''^2>, the inertia of turning makes it heavier by I / A times <w'^2> / <w^2>.
    """
    length, _, height = block.size
    first, mu = euler_bernoulli(block), block.lame[0]
    coefficient = 10.0 * (1.0 + block.poisson) / (12.0 + 11.0 * block.poisson)  # Cowper, rectangle
    root = ROOT_OF_CANTILEVER
    x = root * (np.arange(10_000) + 0.5) / 10_000
    cosh, sinh, cos, sin = np.cosh(x), np.sinh(x), np.cos(x), np.sin(x)
    sigma = (np.sinh(root) - np.sin(root)) / (np.cosh(root) + np.cos(root))
    whole = np.mean((cosh - cos - sigma * (sinh - sin)) ** 2)
    slope = np.mean((sinh + sin - sigma * (cosh - cos)) ** 2) * root**2
    curvature = np.mean((cosh + cos - sigma * (sinh + sin)) ** 2) * root**4
    third = np.mean((sinh - sin - sigma * (cosh + cos)) ** 2) * root**6
    gyration = height**2 / 12.0
    shear = block.young / (coefficient * mu) * gyration
    softer = 1.0 + shear * third / curvature / length**2
    heavier = 1.0 + gyration * slope / whole / length**2
    sag = first["sag"] - block.density * GRAVITY * length**2 / (2.0 * coefficient * mu)
    return {"period": first["period"] * np.sqrt(softer * heavier), "sag": sag}


def _row(take: dict[str, Any], **labels: Any) -> dict[str, Any]:
    start = take["tip"][0, 2]
    fit = swing(take["time"], take["tip"][:, 2] - start, euler_bernoulli(BAR)["period"])
    extra = {name: take[name] for name in ("handles",) if name in take}
    return {
        **labels,
        **extra,
        "vertices": int(take["vertices"]),
        "steps_per_second": float(take["steps_per_second"]),
        "solve_seconds": float(take["seconds"]),
        **asdict(fit),
    }


def _percent(row: dict[str, Any], other: dict[str, Any], label: str = "") -> dict[str, float]:
    return {f"{name}{label}_percent": 100.0 * (row[name] / other[name] - 1.0) for name in ("period", "sag", "lowest")}


def _against(
    take: dict[str, Any], row: dict[str, Any], other: dict[str, Any], other_row: dict[str, Any]
) -> dict[str, float]:
    """Differences in per cent: of the figures, and of the paths as shares of how far the other code's tip drops."""
    period, drop = other_row["period"], -other_row["lowest"]
    centre_drop = float(other["centre"][0, 2] - other["centre"][:, 2].min())
    result = _percent(row, other_row)
    stretched = take["time"] * period / row["period"]
    for label, clock, until in (
        ("first_period", take["time"], period),
        ("whole", take["time"], BAR.seconds),
        ("whole_at_equal_period", stretched, BAR.seconds),
    ):
        for name, scale in (("tip", drop), ("centre", centre_drop)):
            path, other_path = take[name] - take[name][0], other[name] - other[name][0]
            away = path_difference(clock, path, other["time"], other_path, scale, until)
            result[f"{name}_path_{label}_percent"] = 100.0 * away
    return result


def compare_swing(codes: Codes) -> dict[str, Any]:
    """All runs and their differences; see `report` for how they are told."""
    newton = [
        (codes.newton(BAR, cross, "semi", 50 * cross // 4, held=True), {"solver": "semi-implicit", "across": cross})
        for cross in MESHES
    ]
    newton.append((codes.newton(BAR, 4, "semi", 100, held=True), {"solver": "semi-implicit", "across": 4}))
    for substeps, iterations in VBD:
        take = codes.newton(VBD_BAR, 4, "vbd", substeps, held=True, iterations=iterations)
        newton.append((take, {"solver": f"VBD, {iterations} iterations", "across": 4}))
    other_rows = [_row(take, **labels) for take, labels in newton]
    finest, finest_row = newton[len(MESHES) - 1][0], other_rows[len(MESHES) - 1]
    limit: dict[str, float] = {}
    for name in ("period", "sag", "lowest"):
        values = [row[name] for row in other_rows[: len(MESHES)]]
        limit[name], limit[f"{name}_order"] = extrapolated([1.0 / cross for cross in MESHES], values)

    settings: list[dict[str, Any]] = [{"handles": count} for count in HANDLES]
    settings += [{"handles": USUAL, "fps": 24.0}, {"handles": USUAL, "substeps": 16}]
    settings += [{"handles": USUAL, "across": across} for across in (4, 16)]
    ours, against = [], []
    for setting in settings:
        across = setting.pop("across", OUR_MESH)
        take = codes.ours(BAR, across, held=True, undamped=True, **setting)
        row = _row(take, asked=setting["handles"], across=across, fps=setting.get("fps", BAR.fps))
        ours.append(row)
        against.append(_against(take, row, finest, finest_row) | _percent(row, limit, "_limit"))

    damped_other = codes.newton(BAR, 8, "semi", 100, held=True, decay=DECAY)
    damped_other_row = _row(damped_other, solver="semi-implicit", across=8)
    damped = codes.ours(BAR, OUR_MESH, held=True, settle_seconds=SETTLE, handles=USUAL)
    damped_row = _row(damped, asked=USUAL, across=OUR_MESH, fps=BAR.fps)
    damped_against = _against(damped, damped_row, damped_other, damped_other_row)
    damped_against["decay_percent"] = 100.0 * (damped_row["decay"] / damped_other_row["decay"] - 1.0)

    slight = codes.ours(BAR, OUR_MESH, held=True, undamped=True, handles=USUAL, gravity=[0.0, 0.0, -0.1 * GRAVITY])
    elements = [codes.elements(BAR, cross) for cross in (4, 6)]
    return {
        "block": asdict(BAR),
        "usual": USUAL,
        "newton": other_rows,
        "newton_limit": limit,
        "ours": ours,
        "differences": against,
        "damped": {"newton": damped_other_row, "ours": damped_row, "differences": damped_against},
        "slight": _row(slight, asked=USUAL, across=OUR_MESH, fps=BAR.fps),
        "elements": [
            {"unknowns": int(one["unknowns"]), "sag": float(one["sag"]), "periods": (1.0 / one["frequencies"]).tolist()}
            for one in elements
        ],
        "euler_bernoulli": euler_bernoulli(BAR),
        "timoshenko": timoshenko(BAR),
    }
