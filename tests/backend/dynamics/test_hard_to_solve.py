"""No take ends before its last frame: soft things on soft things, also where Newton's method gets few iterations."""

from __future__ import annotations

import numpy as np
import pytest

from backend.bench.penetration import deepest
from backend.data.shapes import torus
from backend.dynamics import island_newton
from tests.backend.dynamics.meetings import Meeting, Participant, meet
from tests.backend.shapes import box, moved, sphere

RADIUS = 0.5
BALL, BOX = sphere(60, RADIUS), box()


def _balls(count: int, frames: int) -> Meeting:
    """Soft balls that fall on each other at 3 m/s and more, each a little beside the one below."""
    falling = {"velocities": [{"linear": [0.0, 0.0, -3.0]}]}
    dropped = [
        Participant(moved(BALL, (0.04 * level, 0.03 * level, RADIUS + 0.02 + 1.1 * level)), "elastic", falling)
        for level in range(count)
    ]
    return meet(dropped, anchor="none", ground={}, frames=frames)


def _deepest(meeting: Meeting) -> float:
    """The deepest vertex of any ball in another one or in the ground at any frame, m."""
    depth = max(-float(seen[..., 2].min()) for seen in meeting.positions)
    for upper, lower in zip(meeting.positions[1:], meeting.positions[:-1], strict=True):
        for one, other in zip(upper, lower, strict=True):
            depth = max(depth, deepest((one, BALL[1]), (other, BALL[1])), deepest((other, BALL[1]), (one, BALL[1])))
    return depth


def test_soft_balls_that_fall_on_each_other_are_solved_closely() -> None:
    meeting = _balls(2, 8)
    assert len(meeting.positions[0]) == 8
    assert meeting.report["rough_steps"] == 0 and not meeting.report["warnings"]
    assert _deepest(meeting) < 2e-3 * 2.0 * RADIUS


def test_a_take_without_enough_iterations_is_rough_and_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    """With four iterations for every solve in contact: all frames come, nothing explodes or falls through."""
    monkeypatch.setattr(island_newton, "MAXIMUM_TOUCHING", 4)
    meeting = _balls(2, 8)
    assert len(meeting.positions[0]) == 8
    assert meeting.report["halved_steps"] > 0 and meeting.report["rough_steps"] > 0
    (warning,) = meeting.report["warnings"]
    assert warning.id == "contact.approximate"
    assert all(np.isfinite(seen).all() for seen in meeting.positions)
    assert _deepest(meeting) < 0.02 * 2.0 * RADIUS
    energy = sum(each.sum(axis=1) for each in meeting.energy)
    assert energy.max() - energy[0] < 1e-6 * np.ptp(energy)


def test_what_is_drawn_deep_in_another_thing_sinks_no_deeper() -> None:
    """A small box that begins a fifth of its size in a large one."""
    small = 0.5 * BOX[0] + [0.0, 0.0, 0.65], BOX[1]
    meeting = meet([Participant(BOX, "rigid", {}), Participant(small, "rigid", {})], ground={"height": -0.5}, frames=13)
    assert meeting.positions[1][..., 2].min() > 0.4 - 1e-3
    assert {warning.id for warning in meeting.report["warnings"]} == {"contact.inside"}


def test_three_soft_things_on_each_other_are_solved_closely() -> None:
    meeting = _balls(3, 16)
    assert len(meeting.positions[0]) == 16
    assert meeting.report["rough_steps"] == 0 and not meeting.report["warnings"]
    assert _deepest(meeting) < 2e-3 * 2.0 * RADIUS


def test_five_links_of_a_chain_fall_into_a_heap_and_stay_linked() -> None:
    ring, faces = torus(0.35, 0.08)
    upright = ring[:, [0, 2, 1]] * [1.0, -1.0, 1.0]
    links = [moved((upright if number % 2 else ring, faces), (0.5 * number, 0.0, 0.6)) for number in range(5)]
    meeting = meet([Participant(link, "rigid", {}) for link in links], anchor="none", ground={}, frames=37)
    assert meeting.report["rough_steps"] == 0 and not meeting.report["warnings"]
    size = 0.86
    for before, after in zip(meeting.positions[:-1], meeting.positions[1:], strict=True):
        assert np.linalg.norm((after - before).mean(axis=1), axis=1).max() < 0.54 + 1e-3 * size
        depths = [
            max(deepest((a, faces), (b, faces)), deepest((b, faces), (a, faces)))
            for a, b in zip(before[::6], after[::6], strict=True)
        ]
        assert max(depths) < 1e-3 * size
    assert min(seen[..., 2].min() for seen in meeting.positions) > -1e-3 * size


def test_no_speck_of_a_stone_of_many_loose_parts_swings_out() -> None:
    """Three hundred specks of three vertices lie around a stone, as a scan leaves them."""
    random = np.random.default_rng(0)
    stone, faces = sphere(300, RADIUS)
    out = random.normal(size=(300, 3))
    out *= 1.01 * RADIUS / np.linalg.norm(out, axis=1)[:, None]
    specks = (out[:, None] + 0.01 * random.normal(size=(300, 3, 3))).reshape(-1, 3)
    mesh = np.concatenate([stone, specks]), np.concatenate([faces, len(stone) + np.arange(900).reshape(-1, 3)])
    height = float(mesh[0][:, 2].min()) - 0.2
    meeting = meet([Participant(mesh, "auto", {})], anchor="none", ground={"height": height}, frames=25)
    (seen,) = meeting.positions
    assert meeting.report["rough_steps"] == 0
    assert seen[..., 2].min() - height > -1e-3 * 2.0 * RADIUS
    away = np.linalg.norm(seen[:, len(stone) :] - seen[:, : len(stone)].mean(axis=1)[:, None], axis=2)
    assert away.max() < 1.3 * RADIUS  # they lie on 1.03 of it
