"""A large poke bends an object far, and it comes back whole."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

from backend.dynamics.energies import StableNeoHookean
from backend.kinematics.elastic import material_basis, material_points
from tests.backend.shapes import Arrays, bar, block, sheet, sphere
from tests.backend.takes import Result, run, volume


@dataclass(frozen=True)
class Case:
    """What is held (along one axis), where and how hard it is poked, and how far it must bend (m)."""

    mesh: Arrays
    axis: int
    point: list[float]
    speed: list[float]
    bend: float


CASES = {
    "bar": Case(bar(), 0, [1.0, 0.0, 0.05], [0.0, 0.0, 9.0], 0.9),
    "post": Case(block((0.2, 0.2, 1.0), (3, 3, 12)), 2, [0.1, 0.0, 0.5], [-5.0, 0.0, 0.0], 0.6),
    "sphere": Case(sphere(500), 2, [0.5, 0.0, 0.0], [-10.0, 0.0, 0.0], 0.5),
    "sheet": Case(sheet(20, 20), 0, [1.0, 0.5, 0.0], [0.0, 0.0, 5.0], 0.55),
    "cube": Case(block((0.4, 0.4, 0.4), (5, 5, 5)), 2, [0.2, 0.0, 0.2], [-2.1, 0.0, 0.0], 0.2),
}


def _held(case: Case) -> list[int]:
    along = case.mesh[0][:, case.axis]
    return np.flatnonzero(along < along.min() + 0.02 * np.ptp(along)).tolist()


@pytest.fixture(scope="module", params=CASES)
def poked(request: pytest.FixtureRequest) -> tuple[Case, Result]:
    case = CASES[request.param]
    poke = {"point": case.point, "speed": case.speed, "radius": 0.3}
    take = run(
        case.mesh, anchor={"vertices": _held(case)}, gravity=[0, 0, 0], pokes=[poke], settle_seconds=1.0, frames=84
    )
    return case, take


def _smallest_volume_ratio(take: Result) -> float:
    """The least det F over all frames at all material points, also those that the solver's energy leaves out."""
    body = take.take.members[0].body
    points = material_points(body.cloud)
    gradients = material_basis(body.cloud, points, body.frame, body.nodal_weights, body.nodal_gradients)[1]
    everywhere = StableNeoHookean(gradients, points.volume, 1.0, 0.3)
    return min(float(everywhere.volume_ratio(body.kinematics.handles(q)).min()) for q in take.q)


def test_it_bends_far_and_comes_back(poked: tuple[Case, Result]) -> None:
    case, take = poked
    away = np.linalg.norm(take.positions - case.mesh[0], axis=2).max(axis=1)
    assert np.isfinite(take.positions).all()
    assert away.max() > case.bend
    assert away[-1] < 0.01 * take.take.members[0].summary["size"]


def test_nothing_is_turned_inside_out(poked: tuple[Case, Result]) -> None:
    assert _smallest_volume_ratio(poked[1]) > 0.0


def test_it_neither_swells_nor_shrinks(poked: tuple[Case, Result]) -> None:
    case, take = poked
    if case is CASES["sheet"]:  # encloses nothing: its area instead
        corners = take.positions[:, case.mesh[1]]
        cross = np.cross(corners[:, :, 1] - corners[:, :, 0], corners[:, :, 2] - corners[:, :, 0])
        amount = 0.5 * np.linalg.norm(cross, axis=2).sum(axis=1)
    else:
        amount = volume(take.positions, case.mesh[1])
    ratio = amount / amount[0]
    assert 0.9 < ratio.min() <= ratio.max() < 1.15
    assert ratio[-1] == pytest.approx(1.0, abs=0.01)


def test_the_bar_bends_beyond_sixty_degrees() -> None:
    case = CASES["bar"]
    tip = np.flatnonzero(case.mesh[0][:, 0] > 1.0 - 1e-9)
    poke = {"point": case.point, "speed": case.speed, "radius": 0.3}
    take = run(case.mesh, anchor={"vertices": _held(case)}, gravity=[0, 0, 0], pokes=[poke], frames=12)
    mean = take.positions[:, tip].mean(axis=1)
    assert np.degrees(np.arctan2(mean[:, 2], mean[:, 0])).max() > 60.0


def test_even_an_absurd_blow_is_survived() -> None:
    """A hundred metres a second for the whole object, through a disc of ten centimetres."""
    case = CASES["bar"]
    poke = {"point": case.point, "speed": [0.0, 0.0, 100.0], "radius": 0.1}
    take = run(
        case.mesh, anchor={"vertices": _held(case)}, gravity=[0, 0, 0], pokes=[poke], settle_seconds=0.5, frames=40
    )
    assert np.isfinite(take.positions).all()
    assert np.linalg.norm(take.positions - case.mesh[0], axis=2).max() < 2.0
    assert np.abs(take.positions[-1] - case.mesh[0]).max() < 0.01


def test_more_substeps_show_the_same_motion() -> None:
    """Four times as many steps as the automatic choice move the tip by less than a tenth of its way."""
    case = CASES["bar"]
    poke = {"point": case.point, "speed": [0.0, 0.0, 4.0], "radius": 0.3}
    automatic, fine = (
        run(case.mesh, anchor={"vertices": _held(case)}, gravity=[0, 0, 0], pokes=[poke], frames=13, substeps=substeps)
        for substeps in ("auto", 12)
    )
    off = np.linalg.norm(automatic.positions - fine.positions, axis=2).max()
    assert off < 0.1 * np.linalg.norm(fine.positions - case.mesh[0], axis=2).max()
