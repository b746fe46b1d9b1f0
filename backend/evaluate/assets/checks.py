"""What is right in three scenes of a thing: each check with its figure, its limit, and whether it holds."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...kinematics.base import Array
from .annotations import Asset
from .deformation import Deformation, displacement, new_crossings
from .scenes import FPS, REST_SECONDS, Played

__all__ = ["Check", "checks_of", "motion_checks"]

RIGID = 0.01  # stretch, and difference from the drawn shape, of what keeps its shape
SEEN = 0.003  # of a piece's size, RMS: the least deformation that shows
BACK = 0.03  # of a piece's size, RMS: what may be left of it at the end
FORM = 0.1  # of a piece's size, RMS: what is left of a fall where nothing is so soft that it lies there as a heap
DRAPED = 0.03  # of the size, RMS: what a sheet at least departs from its drawn shape
SHEET_STRETCH = 0.1
UNMOVED = 0.01  # of the size
ANSWERS = 0.01  # of the size: what a poke at least moves somewhere
BLOWN = 0.005  # of the size: what a wind at least moves somewhere, where it moves a thing
SUNK = 0.01  # of the size
BROKEN = 1.0  # stretch that no material has
CROSSED = 0.01  # of the edges
LANDED = 0.02  # of the size: what may lie between floor and thing in the end
PATIENCE, PATIENT_VERTICES = 2.0, 20_000  # s from the press to the first frame, for a mesh of so many vertices


@dataclass(frozen=True)
class Check:
    """`figure` against `limit`; "at most" where `below`, else "at least". `scene` is empty where it is of none."""

    name: str
    scene: str
    figure: float
    limit: float
    below: bool = True

    @property
    def holds(self) -> bool:
        # What is not a number holds neither way.
        return self.figure <= self.limit if self.below else self.figure >= self.limit

    def as_json(self) -> dict[str, Any]:
        figure = self.figure if np.isfinite(self.figure) else None
        return {
            "check": self.name,
            "scene": self.scene,
            "holds": bool(self.holds),
            "figure": figure,
            "limit": self.limit,
            "at": "most" if self.below else "least",
        }


def checks_of(asset: Asset, scenes: dict[str, Played], joints_found: int) -> list[Check]:
    """All that can be said of a thing; what needs a scene that could not be solved fails with it."""
    checks = [
        Check("solved", scene, len(played.positions) / played.frames, 1.0, False) for scene, played in scenes.items()
    ]
    soonest = min((played.first_frame for played in scenes.values()), default=float("inf"))
    patience = PATIENCE * max(1.0, len(asset.mesh.vertices) / PATIENT_VERTICES)
    checks.append(Check("first frame, s", "", soonest, patience))
    if asset.joints == 0:
        checks.append(Check("false joints", "", float(joints_found), 0.0))
    elif asset.joints_kind == "mechanical":
        checks.append(Check("joints", "", float(joints_found), 1.0, False))
    checks += [check for scene, played in scenes.items() for check in _sound(asset, scene, played)]
    checks += _floor(asset, scenes["drop"])
    checks += _answers(asset, scenes["poke"], scenes["wind"])
    checks += _material(asset, scenes)
    return checks


def motion_checks(asset: Asset, scenes: dict[str, Played]) -> list[Check]:
    """What holds of a thing however it is moved: it is solved, stays whole, and sinks into no floor."""
    found = []
    for scene, played in scenes.items():
        found.append(Check("solved", scene, len(played.positions) / played.frames, 1.0, False))
        found += _sound(asset, scene, played)
        if played.floor is not None and len(played.positions):
            lowest = played.positions[:, np.unique(asset.mesh.triangles), 2].min()
            found.append(Check("sinks", scene, float(played.floor - lowest) / asset.size, SUNK))
    return found


def _sound(asset: Asset, scene: str, played: Played) -> Iterator[Check]:
    """Nothing explodes or passes through itself."""
    if not len(played.positions):
        return
    finite = bool(np.isfinite(played.positions).all())
    whole = Deformation(asset.mesh, np.ones(len(asset.mesh.triangles), dtype=bool))
    yield Check("explodes", scene, whole.stretch(played.positions, 0.999) if finite else float("inf"), BROKEN)
    if finite and scene != "wind":
        last = played.positions[-1].astype(np.float64)
        yield Check("through itself", scene, new_crossings(asset.mesh, last), CROSSED)


def _floor(asset: Asset, drop: Played) -> Iterator[Check]:
    """It lands, sinks nowhere in, and lies still after a while."""
    assert drop.floor is not None
    if not drop.finished:
        yield from (Check(name, "drop", float("nan"), 0.0) for name in ("sinks", "lands", "jitters"))
        return
    used = np.unique(asset.mesh.triangles)
    lowest = drop.positions[:, used, 2].min(axis=1)
    yield Check("sinks", "drop", float(drop.floor - lowest.min()) / asset.size, SUNK)
    yield Check("lands", "drop", float(lowest[-1] - drop.floor) / asset.size, LANDED)
    resting = drop.positions[round(REST_SECONDS * FPS) :]
    yield Check("jitters", "drop", displacement(resting, _as_drawn(resting[0]), 0.95) / asset.size, UNMOVED)


def _answers(asset: Asset, poke: Played, wind: Played) -> Iterator[Check]:
    """A poke moves it, and a wind what a wind moves and nothing else."""
    rest = asset.mesh.vertices
    if not asset.fixed_when_poked:
        yield Check("answers", "poke", displacement(poke.positions, rest, 1.0) / asset.size, ANSWERS, False)
    if asset.still_in_wind:
        figure = displacement(wind.positions, rest, 0.95) / asset.size if wind.finished else float("nan")
        yield Check("stands still", "wind", figure, UNMOVED)
    if asset.moves_in_wind:
        yield Check("is blown", "wind", displacement(wind.positions, rest, 0.99) / asset.size, BLOWN, False)


def _material(asset: Asset, scenes: dict[str, Played]) -> Iterator[Check]:
    """What is rigid keeps its shape, what is soft shows it and comes back, sheets drape and do not stretch."""
    played = [each.positions for each in scenes.values() if len(each.positions)]
    for behaviour, faces in asset.regions.items():
        region = Deformation(asset.mesh, faces)
        bent = [region.bending(positions) for positions in played]
        most = max((float(each.max()) for each in bent), default=float("nan"))
        if behaviour == "rigid":
            stretch = max((region.stretch(positions, 0.99) for positions in played), default=float("nan"))
            yield Check("rigid keeps its shape", "", max(most, stretch), RIGID)
        elif behaviour == "cloth-like":
            if not asset.lies_flat:
                yield Check("sheet drapes", "", most, DRAPED, False)
            stretch = max((region.stretch(positions, 0.95) for positions in played), default=float("nan"))
            yield Check("sheet does not stretch", "", stretch, SHEET_STRETCH)
        else:
            if behaviour == "soft":
                yield Check("soft deforms", "", most, SEEN, False)
            if asset.joints_kind != "anatomical":
                yield Check("keeps its form", "drop", _left(region, scenes["drop"]), FORM)
            yield Check("comes back", "poke", _left(region, scenes["poke"]), BACK)


def _left(region: Deformation, played: Played) -> float:
    """How far a region is from its drawn shape in the end."""
    return float(region.bending(played.positions[-1:]).max()) if played.finished else float("nan")


def _as_drawn(frame: np.ndarray) -> Array:
    return frame.astype(np.float64)
