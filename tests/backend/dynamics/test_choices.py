"""What an artist's choices make of an object: what is held, what is settled, how it starts."""

from __future__ import annotations

import numpy as np
import pytest

from backend.errors import UserError
from tests.backend.shapes import bar, block, moved, sheet, sphere
from tests.backend.takes import run


def test_the_base_is_held_unless_something_sets_the_object_free() -> None:
    base = np.flatnonzero(sphere(300)[0][:, 2] < -0.5 + 0.02)

    def held(**conditions: object) -> bool:
        return bool(run(sphere(300), frames=1, **conditions).take.members[0].summary["anchored"])

    assert held()
    assert held(anchor={"vertices": base.tolist()})
    assert held(pins=[{"vertices": base.tolist()}], ground={})
    assert not held(anchor="none")
    assert not held(ground={"height": -2.0})
    assert not held(velocities=[{"linear": [1, 0, 0]}])


def test_an_object_held_by_its_base_is_settled_as_drawn() -> None:
    """Nothing acts: it does not sag, and the user is told."""
    take = run(block((0.2, 0.2, 1.0), (2, 2, 8)), frames=10)
    assert np.abs(take.positions - take.positions[0]).max() == 0.0
    assert any("Nothing acts" in str(warning) for warning in take.report["warnings"])


def test_not_settled_it_sags() -> None:
    take = run(block((0.2, 0.2, 1.0), (2, 2, 8)), frames=24, settled=False)
    assert take.positions[-1, :, 2].max() < 0.5 - 1e-4
    assert not take.report["warnings"]


def test_held_by_hand_it_sags_unless_said_to_be_settled() -> None:
    vertices, _ = bar()
    held = {"vertices": np.flatnonzero(vertices[:, 0] < 1e-9).tolist()}
    poke = {"point": [1.0, 0.0, 0.0], "speed": [0, 0.2, 0], "radius": 0.2, "start": 20}
    assert run(bar(), anchor=held, frames=8).positions[-1, :, 2].min() < -0.06
    settled = run(bar(), anchor=held, settled=True, frames=48, pokes=[poke])
    assert np.abs(settled.positions[:20] - vertices).max() == 0.0
    assert np.abs(settled.positions[:, :, 1] - vertices[:, 1]).max() > 0.02


def test_nothing_is_settled_that_nothing_holds() -> None:
    """Without gravity a free object that is poked would fly for ever: better refused."""
    for conditions in ({"anchor": "none"}, {"ground": {}}):
        with pytest.raises(UserError) as caught:
            run(bar(), settled=True, **conditions)
        assert "'settled'" in caught.value.message


def test_pins_hold_as_the_anchor_does() -> None:
    vertices, triangles = sheet(15, 15)
    corners = [0, 14, 210, 224]
    take = run((vertices, triangles), pins=[{"vertices": corners[:2]}, {"vertices": corners[2:]}], frames=24)
    assert np.abs(take.positions[:, corners] - vertices[corners]).max() < 1e-9
    assert take.positions[-1, :, 2].min() < -0.02


def test_initial_velocity_of_some_vertices_moves_those() -> None:
    vertices, triangles = bar()
    half = np.flatnonzero(vertices[:, 0] > 0.5)
    take = run(
        (vertices, triangles),
        anchor="none",
        gravity=[0, 0, 0],
        frames=2,
        fps=1000,
        velocities=[{"linear": [0, 0, 1.0], "vertices": half.tolist()}],
    )
    rise = (take.positions[1] - take.positions[0])[:, 2] * 1000.0
    assert rise[vertices[:, 0] > 0.8].mean() == pytest.approx(1.0, abs=0.25)
    assert rise[vertices[:, 0] < 0.2].mean() == pytest.approx(0.0, abs=0.25)
    momentum = take.take.members[0].summary["mass"] * (take.centres()[1] - take.centres()[0])[2] * 1000.0
    assert momentum == pytest.approx(5.0, rel=0.1)  # half of ten kilograms at one metre a second


def test_initial_velocities_add_up() -> None:
    both = [{"linear": [1.0, 0, 0]}, {"linear": [0, 2.0, 0], "angular": [0, 0, 3.0]}]
    take = run(moved(sphere(300), (5.0, 0, 0)), "rigid", gravity=[0, 0, 0], velocities=both, frames=25)
    assert take.centres()[-1] - take.centres()[0] == pytest.approx([1.0, 2.0, 0.0], abs=1e-9)
    turned = np.degrees(np.arctan2(take.handles[-1, 0, 1, 0], take.handles[-1, 0, 0, 0]))
    assert turned == pytest.approx(np.degrees(3.0), abs=0.5)
