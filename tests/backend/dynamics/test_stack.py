"""What stands stands still: stacks, sleep, and what is carried and pushed by colliders that move."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.backend.dynamics.meetings import Meeting, Participant, meet
from tests.backend.shapes import block, box, moved, sphere
from tests.backend.takes import run

SIDE = 0.2
GAP = 1e-4
CUBE = block((SIDE, SIDE, SIDE), (2, 2, 2))
STIFF = {"young": 1e8, "settle_seconds": 0.2}
PROVIDERS = ["rigid", "elastic"]


def _stack(provider: str, count: int, offsets: np.ndarray | None = None, seconds: float = 10.0) -> Meeting:
    """Cubes on each other, each drawn a hair above the one below; offsets Float[count,2] m in x and y."""
    offsets = np.zeros((count, 2)) if offsets is None else offsets
    cubes = [
        Participant(
            moved(CUBE, (*offsets[level], GAP + 0.5 * SIDE + level * (SIDE + GAP))),
            provider,
            STIFF if provider == "elastic" else {},
        )
        for level in range(count)
    ]
    return meet(cubes, anchor="none", ground={}, frames=round(24 * seconds) + 1)


def _farthest(meeting: Meeting) -> float:
    """How far any vertex ever is from where it was drawn (m)."""
    return max(float(np.linalg.norm(seen - seen[0], axis=2).max()) for seen in meeting.positions)


@pytest.fixture(scope="module", params=PROVIDERS)
def tower(request: pytest.FixtureRequest) -> Meeting:
    return _stack(request.param, 5)


def test_a_stack_of_five_boxes_stands_for_ten_seconds(tower: Meeting) -> None:
    assert _farthest(tower) < 1e-3


def test_the_boxes_of_a_stack_never_sink_into_each_other(tower: Meeting) -> None:
    for below, above in zip(tower.positions[:-1], tower.positions[1:], strict=True):
        assert (above[:, :, 2].min(axis=1) - below[:, :, 2].max(axis=1)).min() > -1e-3 * SIDE
    assert tower.positions[0][:, :, 2].min() > -1e-3 * SIDE


def test_a_stack_that_stands_costs_nothing(tower: Meeting) -> None:
    """After five seconds all sleep: no step is taken any more, and nothing moves by a hair."""
    late = len(tower.steps) // 2
    assert tower.steps[-1] == tower.steps[late]
    for number in range(5):
        assert tower.speeds(number)[late:].max() == 0.0
        assert tower.energy[number][-1, 0] == 0.0


def test_an_uneven_stack_stands() -> None:
    """Each box is over the one below by a fifth of its side, to and fro."""
    offsets = 0.2 * SIDE * np.array([[0, 0], [1, 0], [0, 1], [-1, 0], [0, 0]])
    assert _farthest(_stack("rigid", 5, offsets, 4.0)) < 2e-3


def test_a_box_too_far_over_the_edge_falls() -> None:
    offsets = np.array([[0.0, 0.0], [0.6 * SIDE, 0.0]])
    meeting = _stack("rigid", 2, offsets, 2.0)
    assert meeting.centres[1][-1, 2] < SIDE


def test_a_sleeping_stack_wakes_when_it_is_hit() -> None:
    """A ball comes when the boxes have slept for long."""
    cubes = [moved(CUBE, (0.0, 0.0, GAP + 0.5 * SIDE + level * (SIDE + GAP))) for level in range(2)]
    ball = moved(sphere(200, 0.1), (-4.0, 0.0, 1.5 * SIDE))
    thrown = {"velocities": [{"linear": [4.0, 0.0, 4.66]}]}
    meeting = meet(
        [Participant(cubes[0], "rigid", {}), Participant(cubes[1], "rigid", {}), Participant(ball, "rigid", thrown)],
        anchor="none",
        ground={},
        frames=48,
    )
    before = np.linalg.norm(meeting.positions[1] - meeting.positions[1][0], axis=2).max(axis=1)
    assert before[:20].max() < 1e-3
    assert before[-1] > 0.02


@pytest.mark.parametrize("provider", PROVIDERS)
def test_a_single_object_at_rest_takes_no_steps(provider: str) -> None:
    take = meet(
        [Participant(moved(CUBE, (0, 0, 0.5 * SIDE + GAP)), provider, {})], anchor="none", ground={}, frames=145
    )
    assert take.steps[-1] == take.steps[96]


# -- colliders that move ----------------------------------------------------------------------------------------------


def _slab(motion: list[dict[str, Any]], **surface: Any) -> dict[str, Any]:
    vertices, triangles = box((3.0, 3.0, 0.2), (0.0, 0.0, -0.1))
    return {"vertices": vertices, "triangles": triangles, "motion": motion, "restitution": 0.0, **surface}


def _ridden(provider: str, motion: list[dict[str, Any]], frames: int = 73, **surface: Any) -> np.ndarray:
    """The centre of a cube that stands on a slab that moves, since the first frame, Float[T,3]."""
    cube = moved(CUBE, (0.5, 0.0, 0.5 * SIDE + GAP))
    made = STIFF if provider == "elastic" else {}
    take = run(cube, provider, anchor="none", frames=frames, colliders=[_slab(motion, **surface)], **made)
    return take.centres() - take.centres()[0]


@pytest.mark.parametrize("provider", PROVIDERS)
def test_a_conveyor_carries_what_stands_on_it(provider: str) -> None:
    """A metre in two seconds: 1.5 m/s^2 at most, friction could give 4.9."""
    way = _ridden(provider, [{"frame": 1}, {"frame": 49, "location": [1.0, 0.0, 0.0]}])
    assert way[-1] == pytest.approx([1.0, 0.0, 0.0], abs=0.002)


def test_a_conveyor_that_is_pulled_away_leaves_it_behind() -> None:
    """Friction of 0.1 gives it 1 m/s^2 while the slab is under it and brakes it again after."""
    way = _ridden("rigid", [{"frame": 1}, {"frame": 13, "location": [1.0, 0.0, 0.0]}], 49, friction=0.1)
    assert 0.05 < way[-1, 0] < 0.5


def test_a_turntable_carries_it_round() -> None:
    """A quarter turn about the centre of the slab, which is the origin."""
    way = _ridden("rigid", [{"frame": 1}, {"frame": 73, "rotation": [0.0, 0.0, np.pi / 2]}], 85)
    assert way[-1] == pytest.approx([-0.5, 0.5, 0.0], abs=0.003)


@pytest.mark.parametrize("provider", PROVIDERS)
def test_a_lift_lifts(provider: str) -> None:
    way = _ridden(provider, [{"frame": 1}, {"frame": 49, "location": [0.0, 0.0, 1.0]}])
    assert way[-1] == pytest.approx([0.0, 0.0, 1.0], abs=0.002)
    assert way[:, 2].min() > -0.002


@pytest.mark.parametrize("provider", PROVIDERS)
def test_a_wall_that_comes_pushes(provider: str) -> None:
    """The wall's face goes from x = -0.5 to x = 0.5; a cube that stands at the origin goes before it."""
    vertices, triangles = box((0.1, 1.0, 1.0), (-0.55, 0.0, 0.5 + 0.01))
    wall = {"vertices": vertices, "triangles": triangles, "restitution": 0.0, "friction": 0.0}
    wall["motion"] = [{"frame": 1}, {"frame": 49, "location": [1.0, 0.0, 0.0]}]
    cube = moved(CUBE, (0.0, 0.0, 0.5 * SIDE + GAP))
    made = STIFF if provider == "elastic" else {}
    take = run(cube, provider, anchor="none", frames=73, ground={"restitution": 0.0}, colliders=[wall], **made)
    face = take.positions[-1, :, 0].min()
    assert 0.5 - 1e-3 * SIDE < face < 0.55  # it may slide on a little when the wall slows down
    assert np.abs(take.centres()[:, 1]).max() < 0.002
    assert np.linalg.norm(take.positions[-1] - take.positions[-2], axis=1).max() < 1e-5
