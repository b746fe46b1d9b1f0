"""Objects that meet each other: momentum, restitution, energy, and contact of an object with itself."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from backend.bench.penetration import deepest
from tests.backend.dynamics.meetings import Meeting, Participant, meet
from tests.backend.shapes import Arrays, block, folded_sheet, moved, scissors, sphere
from tests.backend.takes import Result, run

WEIGHTLESS = {"gravity": [0, 0, 0], "anchor": "none"}
BALL = sphere(400, 0.1)


def _thrown(mesh: Arrays, velocity: list[float], provider: str = "rigid", **conditions: Any) -> Participant:
    return Participant(mesh, provider, {"velocities": [{"linear": velocity}], **conditions})


def _momentum(meeting: Meeting, first: int, last: int) -> np.ndarray:
    return meeting.masses @ meeting.velocities(first, last)


def _head_on(restitution: float, second_density: float = 1000.0) -> Meeting:
    """A ball at 3 m/s along the line of centres into one that rests, no friction."""
    surface = {"restitution": restitution, "friction": 0.0}
    return meet(
        [
            _thrown(moved(BALL, (-0.6, 0.0, 0.0)), [3.0, 0.0, 0.0], **surface),
            Participant(BALL, "rigid", {"density": second_density, **surface}),
        ],
        frames=17,
        **WEIGHTLESS,
    )


def test_equal_balls_exchange_their_velocities() -> None:
    velocity = _head_on(1.0).velocities(12, 16)
    assert velocity[0] == pytest.approx([0.0, 0.0, 0.0], abs=0.02 * 3.0)
    assert velocity[1] == pytest.approx([3.0, 0.0, 0.0], abs=0.02 * 3.0)


@pytest.mark.parametrize("restitution", [0.0, 0.5, 0.9])
@pytest.mark.parametrize("density", [1000.0, 4000.0])
def test_head_on_collisions_follow_newtons_law(restitution: float, density: float) -> None:
    """v1 = (m1 - e m2) v / (m1 + m2), v2 = (1 + e) m1 v / (m1 + m2)."""
    meeting = _head_on(restitution, density)
    first, second = meeting.masses
    velocity = meeting.velocities(12, 16)[:, 0]
    assert velocity[0] == pytest.approx((first - restitution * second) / (first + second) * 3.0, abs=0.03 * 3.0)
    assert velocity[1] == pytest.approx((1.0 + restitution) * first / (first + second) * 3.0, abs=0.03 * 3.0)


@pytest.mark.parametrize("providers", [("rigid", "rigid"), ("rigid", "elastic"), ("elastic", "elastic")])
def test_collisions_keep_momentum(providers: tuple[str, str]) -> None:
    """Off the line of centres, with friction and spin, of unequal boxes and balls."""
    box = block((0.3, 0.2, 0.2), (3, 2, 2))
    soft = {"stiffness_hz": 12.0, "settle_seconds": 0.5}
    meeting = meet(
        [
            _thrown(
                moved(BALL, (-0.8, 0.06, 0.02)),
                [4.0, 0.0, 0.0],
                providers[0],
                **(soft if providers[0] == "elastic" else {}),
            ),
            Participant(
                box,
                providers[1],
                {
                    "velocities": [{"linear": [-1.0, 0.2, 0.0], "angular": [1.0, 2.0, 3.0]}],
                    **(soft if providers[1] == "elastic" else {}),
                },
            ),
        ],
        frames=25,
        **WEIGHTLESS,
    )
    before, after = _momentum(meeting, 0, 1), _momentum(meeting, 20, 24)
    assert np.linalg.norm(meeting.velocities(20, 24) - meeting.velocities(0, 1), axis=1).min() > 0.3  # they did meet
    assert np.linalg.norm(after - before) < 1e-3 * np.linalg.norm(before)


@pytest.mark.parametrize("provider", ["rigid", "elastic"])
def test_collisions_make_no_energy(provider: str) -> None:
    made = {"stiffness_hz": 20.0, "undamped": True} if provider == "elastic" else {}
    meeting = meet(
        [
            _thrown(moved(BALL, (-0.5, 0.05, 0.0)), [3.0, 0.0, 0.0], provider, **made),
            _thrown(moved(BALL, (0.0, 0.0, 0.0)), [-1.0, 0.0, 0.0], provider, **made),
        ],
        frames=20,
        **WEIGHTLESS,
    )
    total = sum(energy[:, 2] for energy in meeting.energy)
    assert total.max() < 1.01 * total[0]
    assert total[-1] < 0.999 * total[0]


def test_a_row_of_balls_passes_the_blow_on() -> None:
    """Newton's cradle, a hair apart: the last one leaves with most of what the first one brought."""
    surface = {"restitution": 1.0, "friction": 0.0}
    balls = [Participant(moved(BALL, (0.21 * place, 0.0, 0.0)), "rigid", surface) for place in range(3)]
    balls.insert(0, _thrown(moved(BALL, (-0.6, 0.0, 0.0)), [2.0, 0.0, 0.0], **surface))
    meeting = meet(balls, frames=25, **WEIGHTLESS)
    velocity = meeting.velocities(20, 24)[:, 0]
    assert velocity[3] > 0.9 * 2.0
    assert meeting.masses @ velocity == pytest.approx(meeting.masses[0] * 2.0, rel=1e-3)


def test_a_light_thing_lands_on_a_heavy_one_and_rests() -> None:
    """A thousand to one in mass, either way up."""
    cube = block((0.2, 0.2, 0.2), (2, 2, 2))
    for lower, upper in ((1000.0, 1.0), (1.0, 1000.0)):
        meeting = meet(
            [
                Participant(moved(cube, (0.0, 0.0, 0.1002)), "rigid", {"density": lower}),
                Participant(moved(cube, (0.02, 0.0, 0.35)), "rigid", {"density": upper}),
            ],
            anchor="none",
            ground={},
            frames=49,
        )
        assert meeting.positions[1][-1, :, 2].min() == pytest.approx(0.2, abs=0.002)
        assert meeting.positions[0][:, :, 2].min() > -2e-4
        assert meeting.speeds(1)[-4:].max() < 1e-3


def test_objects_of_a_soft_and_a_hard_kind_do_not_enter_each_other() -> None:
    """A soft ball is run over by a rigid box; looked at by depths, vertex by vertex, both ways."""
    box = block((0.4, 0.4, 0.2), (2, 2, 1))
    ball = moved(BALL, (0.0, 0.0, 0.101))
    meeting = meet(
        [
            Participant(ball, "elastic", {"stiffness_hz": 15.0}),
            Participant(moved(box, (0.03, 0.0, 0.4)), "rigid", {"density": 300.0}),
        ],
        anchor="none",
        ground={},
        frames=60,
    )
    for soft, hard in zip(*meeting.positions, strict=True):
        assert deepest((soft, ball[1]), (hard, box[1])) < 1e-3 * 0.2
        assert deepest((hard, box[1]), (soft, ball[1])) < 1e-3 * 0.2


# -- with itself ------------------------------------------------------------------------------------------------------


def _closed_book(self_contact: bool) -> tuple[Result, Arrays]:
    """A sheet folded to a U: the lower half is held, the upper one falls on it."""
    vertices, triangles = folded_sheet(0.2, 5, 30)
    lower = np.flatnonzero((vertices[:, 2] < 1e-9) & (vertices[:, 0] < 0.9))
    take = run(
        (vertices, triangles),
        "elastic",
        anchor={"vertices": lower.tolist()},
        frames=48,
        stiffness_hz=0.4,
        settle_seconds=0.3,
        self_contact=self_contact,
    )
    return take, (vertices, triangles)


def test_a_folding_sheet_does_not_go_through_itself() -> None:
    take, (vertices, _) = _closed_book(True)
    upper = np.flatnonzero((vertices[:, 2] > 0.2 - 1e-9) & (vertices[:, 0] < 0.8))
    # The rim of the upper half hangs exactly over that of the lower one, and may slip off it.
    inner = upper[(vertices[upper, 0] > 0.01) & (np.abs(vertices[upper, 1] - 0.25) < 0.24)]
    assert take.positions[:, inner, 2].min() > -1e-3
    assert take.positions[-1, upper, 2].min() < 0.05  # it does come down
    assert np.linalg.norm(take.positions[-1] - take.positions[-2], axis=1).max() < 1e-3


def test_without_self_contact_it_does() -> None:
    """So there was something to stop."""
    take, (vertices, _) = _closed_book(False)
    upper = np.flatnonzero((vertices[:, 2] > 0.2 - 1e-9) & (vertices[:, 0] < 0.8))
    assert take.positions[:, upper, 2].min() < -0.05


def _snipped(self_contact: bool) -> bool:
    """Scissors whose blades are pushed together at their tips: whether one is ever deeper in the other than may be."""
    vertices, triangles = scissors(0.05)
    handle = np.flatnonzero(vertices[:, 0] < -0.15)
    pokes = [
        {"point": [1.0, -side * 0.12, 0.0], "speed": [0.0, side * 0.5, 0.0], "radius": 0.12, "duration": 2}
        for side in (1.0, -1.0)
    ]
    take = run(
        (vertices, triangles),
        "elastic",
        anchor={"vertices": handle.tolist()},
        gravity=[0, 0, 0],
        frames=24,
        stiffness_hz=1.5,
        pokes=pokes,
        self_contact=self_contact,
    )
    corners = vertices[triangles]
    blades = [triangles[((corners[..., 0] > 0.05) & (side * corners[..., 1] > 0.0)).all(axis=1)] for side in (-1, 1)]
    gap = vertices[np.unique(blades[1]), 1].min() - vertices[np.unique(blades[0]), 1].max()
    nearest = min(
        float(seen[np.unique(blades[1]), 1].min() - seen[np.unique(blades[0]), 1].max()) for seen in take.positions
    )
    assert nearest < 0.4 * gap  # they do close
    return nearest < -1e-3 * np.ptp(vertices, axis=0).max()


def test_closing_scissors_stop_at_each_other() -> None:
    assert _snipped(False)  # else there is nothing to stop
    assert not _snipped(True)
