"""The cube that falls flat on the ground without friction: how deep it is pressed in, how high it comes back."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import numpy as np

from tests.compare.measures import bounce, extrapolated, path_difference
from tests.compare.scenes import CUBE, GRAVITY

if TYPE_CHECKING:
    from tests.compare.run_compare import Codes

__all__ = ["compare_drop"]

MESHES = (4, 8, 16)  # cubes across for the other code: 125, 729 and 4,913 vertices
OUR_MESH = 8
HANDLES = ("auto", 8, 16, 32, 64)
USUAL = 16  # handles of the runs in which something else changes
FIGURES = ("deepest", "deepest_time", "apex", "apex_time")


def _row(take: dict[str, Any], **labels: Any) -> dict[str, Any]:
    height = take["centre"][:, 2]
    extra = {name: take[name] for name in ("handles",) if name in take}
    found = bounce(take["time"], height, take["lowest"])
    touch = height[0] - CUBE.lift  # height of the centre when the undeformed cube stands on the ground
    return {
        **labels,
        **extra,
        "vertices": int(take["vertices"]),
        "steps_per_second": float(take["steps_per_second"]),
        "solve_seconds": float(take["seconds"]),
        **asdict(found),
        # What of the speed comes back; the rest rings on inside the cube or is lost.
        "rebound": float(np.sqrt(max(found.apex - touch, 0.0) / CUBE.lift)),
        "sinks_in": float(max(0.0, -take["lowest"].min())),
        **_energy_left(take, found.apex_time),
    }


def _energy_left(take: dict[str, Any], when: float) -> dict[str, float]:
    """What contact left of the energy of the fall, per cent, at the next apex; for the code that says its energy."""
    if "energy" not in take:
        return {}
    fall = CUBE.density * float(np.prod(CUBE.size)) * GRAVITY * CUBE.lift
    lost = take["energy"][0] - np.interp(when, take["time"], take["energy"])
    return {"energy_left_percent": 100.0 * (1.0 - float(lost) / fall)}


def compare_drop(codes: Codes) -> dict[str, Any]:
    """All runs and their differences; times from the start (s), heights of the centroid above the ground (m)."""
    newton = [codes.newton(CUBE, cross, "semi", 25 * cross // 8, ground=True) for cross in MESHES]
    rows = [_row(take, solver="semi-implicit", across=cross) for take, cross in zip(newton, MESHES, strict=True)]
    finer_steps = codes.newton(CUBE, 4, "semi", 24, ground=True)
    rows.append(_row(finer_steps, solver="semi-implicit", across=4))
    finest, finest_row = newton[-1], rows[len(MESHES) - 1]
    limit: dict[str, float] = {}
    for name in (*FIGURES, "rebound"):
        values = [row[name] for row in rows[: len(MESHES)]]
        limit[name], limit[f"{name}_order"] = extrapolated([1.0 / cross for cross in MESHES], values)
    uneven = np.abs(finest["centre"] - finest["centre_of_mass"]).max()

    settings: list[dict[str, Any]] = [{"handles": count} for count in HANDLES]
    settings += [{"handles": USUAL, **change} for change in ({"fps": 24.0}, {"substeps": 16}, {"restitution": 0.2})]
    ours, against = [], []
    for setting in settings:
        labels = {"asked": setting["handles"], "fps": setting.get("fps", CUBE.fps)}
        labels["restitution"] = restitution = setting.pop("restitution", 1.0)
        ground = {"height": 0.0, "friction": 0.0, "restitution": restitution}
        take = codes.ours(CUBE, OUR_MESH, undamped=True, ground=ground, **setting)
        row = _row(take, **labels)
        ours.append(row)
        until = finest_row["apex_time"]
        path = path_difference(take["time"], take["centre"], finest["time"], finest["centre"], CUBE.lift, until)
        against.append(
            {
                # Heights as shares of the fall, so that where zero is does not matter; times as shares of themselves.
                **{
                    f"{name}_percent": 100.0 * (row[name] - finest_row[name]) / CUBE.lift
                    for name in ("deepest", "apex")
                },
                **{
                    f"{name}_percent": 100.0 * (row[name] / finest_row[name] - 1.0)
                    for name in ("deepest_time", "apex_time", "rebound")
                },
                "centre_path_percent": 100.0 * path,
            }
        )
    return {
        "block": asdict(CUBE),
        "usual": USUAL,
        "newton": rows,
        "newton_limit": limit,
        "centroid_and_centre_of_mass_apart": float(uneven),
        "ours": ours,
        "differences": against,
    }
