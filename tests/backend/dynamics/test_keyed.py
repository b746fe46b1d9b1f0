"""What changes in the course of a take: gravity and wind with keys, pins that let go."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from backend.dynamics.conditions import Wind, read_conditions
from backend.dynamics.gusts import Gusts
from backend.errors import UserError
from tests.backend.shapes import bar, block
from tests.backend.takes import run

GRAVITY = 9.81
BOX = block((0.4, 0.4, 0.4), (3, 3, 3))
FREE: dict[str, Any] = {"anchor": "none", "substeps": 8, "undamped": True}


def _key(frame: float, *value: float) -> dict[str, Any]:
    return {"frame": frame, "value": list(value)}


@pytest.mark.parametrize("provider", ["rigid", "elastic"])
def test_gravity_that_comes_on_moves_all_alike(provider: str) -> None:
    """From nothing to g within a second: z = -g t^3 / 6, and then z = -g (1/6 + s/2 + s^2/2), s = t - 1."""
    keys = [_key(1, 0, 0, 0), _key(25, 0, 0, -GRAVITY)]
    take = run(BOX, provider, gravity=[0, 0, 0], gravity_keys=keys, frames=37, **FREE)
    after = np.maximum(take.seconds - 1.0, 0.0)
    early = np.minimum(take.seconds, 1.0)
    expected = -GRAVITY * (early**3 / 6.0 + after / 2.0 + after**2 / 2.0)
    fallen = take.centres()[:, 2] - take.centres()[0, 2]
    assert np.abs(fallen - expected).max() < 2e-3 * np.abs(expected).max()


def test_what_is_asleep_wakes_when_gravity_turns() -> None:
    """A box on the floor for two seconds falls upwards when its weight does."""
    keys = [_key(49, 0, 0, -GRAVITY), _key(50, 0, 0, GRAVITY)]
    take = run(BOX, "rigid", gravity_keys=keys, ground={"height": -0.2}, frames=73)
    heights = take.centres()[:, 2]
    assert np.ptp(heights[:48]) < 1e-3
    assert heights[-1] - heights[0] == pytest.approx(0.5 * GRAVITY * (23.0 / 24.0) ** 2, rel=0.05)


@pytest.mark.parametrize(("mesh", "provider"), [(bar(), "elastic"), (BOX, "rigid")])
@pytest.mark.parametrize("stiffness", ["rigid", 20.0])
def test_a_pin_lets_go_at_its_frame_and_the_object_falls(mesh, provider: str, stiffness: str | float) -> None:
    """Held without weight, it falls freely from the frame on: z = -g s^2 / 2."""
    top = np.flatnonzero(mesh[0][:, 0] > mesh[0][:, 0].max() - 1e-6)
    pin = {"vertices": top.tolist(), "stiffness": stiffness, "until": 13}
    keys = [_key(12.9, 0, 0, 0), _key(13, 0, 0, -GRAVITY)]
    take = run(mesh, provider, pins=[pin], gravity=[0, 0, 0], gravity_keys=keys, frames=25, undamped=True)
    middle = take.positions[:, :, 2].mean(axis=1)
    assert np.ptp(middle[:12]) < 2e-3
    assert middle[24] - middle[12] == pytest.approx(-0.5 * GRAVITY * 0.25, rel=0.03)


@pytest.mark.parametrize("provider", ["rigid", "elastic"])
def test_what_is_settled_feels_its_weight_once_it_is_let_go(provider: str) -> None:
    pin = {"vertices": list(range(9)), "until": 13}
    take = run(BOX, provider, pins=[pin], settled=True, frames=25, undamped=True)
    heights = take.centres()[:, 2]
    assert np.abs(heights[:13] - heights[0]).max() < 1e-6
    assert heights[24] - heights[0] == pytest.approx(-0.5 * GRAVITY * 0.25, rel=0.01)


def test_a_pin_without_a_frame_holds() -> None:
    held = {"vertices": [0, 1, 2], "stiffness": "rigid"}
    take = run(bar(), "elastic", pins=[held], frames=13)
    assert np.abs(take.positions[:, [0, 1, 2]] - take.positions[0, [0, 1, 2]]).max() < 1e-6


def test_wind_goes_by_its_keys() -> None:
    """Half way between two keys it is their mean, and gusts are a part of what blows then."""
    keys = [_key(1, 0, 0, 0), _key(25, 8, 0, 0)]
    wind = read_conditions({"wind": {"velocity": [0, 0, 0], "turbulence": 0.0, "keys": keys}}).wind
    assert wind is not None
    places = np.zeros((2, 3))
    air = Gusts(wind, 1.0, 0, 24.0)
    assert np.allclose(air.air(places, 0.5), [4.0, 0, 0]) and np.allclose(air.air(places, 9.0), [8.0, 0, 0])
    still = Gusts(Wind(wind.velocity, 0.5, keys=wind.keys), 1.0, 0, 24.0)
    assert np.abs(still.air(places, 0.0)).max() == 0.0 and np.abs(still.air(places, 1.0) - [8.0, 0, 0]).max() > 0.1


def test_a_bar_keeps_still_until_the_wind_comes() -> None:
    keys = [_key(12, 0, 0, 0), _key(13, 0, 20, 0)]
    top = {"vertices": [0, 1, 2]}
    wind = {"velocity": [0, 0, 0], "turbulence": 0, "keys": keys}
    take = run(bar(), "elastic", anchor=top, wind=wind, gravity=[0, 0, 0], frames=25)
    moved = np.abs(take.positions - take.positions[0]).max(axis=(1, 2))
    assert moved[:12].max() < 1e-9 and moved[-1] > 5e-3


@pytest.mark.parametrize(
    "wrong",
    [
        {"gravity_keys": []},
        {"gravity_keys": [_key(5, 0, 0, 0), _key(5, 0, 0, 1)]},
        {"wind": {"velocity": [0, 0, 0], "keys": [{"frame": 1}]}},
        {"pins": [{"vertices": [0], "until": "later"}]},
    ],
)
def test_what_is_wrong_is_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(UserError):
        read_conditions(wrong)


@pytest.mark.parametrize("provider", ["rigid", "elastic"])
def test_what_moves_evenly_since_before_the_first_frame_begins_without_a_jerk(provider: str) -> None:
    """Galilei: nothing bends and nothing lags, as if all of it stood still."""
    keys = [{"frame": frame, "location": [0.1 * (frame - 1), 0, 0]} for frame in range(31)]
    take = run(block((0.1, 0.1, 1.0), (2, 2, 8)), provider, follows=keys, frames=25, stiffness_hz=3.0)
    moving = np.arange(25)[:, None, None] * [0.1, 0, 0]
    assert np.abs(take.positions - moving - take.positions[0]).max() < 1e-3
    late = run(block((0.1, 0.1, 1.0), (2, 2, 8)), "elastic", follows=keys[1:], frames=25, stiffness_hz=3.0)
    assert np.abs(late.positions - moving - late.positions[0]).max() > 0.05  # begun with a jerk, it sways
