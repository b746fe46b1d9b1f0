"""Conditions: every key read as written, and anything else refused with its name and a remedy."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from backend.dynamics.conditions import Conditions, read_conditions
from backend.errors import UserError


def test_nothing_given_means_the_defaults_of_the_design() -> None:
    read = read_conditions({})
    assert (read.provider, read.fps, read.frames, read.substeps, read.seed) == ("auto", 24.0, 120, None, 0)
    assert read.gravity.tolist() == [0.0, 0.0, -9.81]
    assert (read.anchor, read.settled, read.density, read.stiffness_hz) == ("auto", None, 1000.0, 3.0)
    assert (read.settle_seconds, read.undamped, read.young, read.poisson) == (2.0, False, None, 0.3)
    assert (read.pokes, read.velocities, read.pins, read.wind, read.ground) == ((), (), (), None, None)


def test_everything_given_is_read() -> None:
    read = read_conditions(
        {
            "provider": "elastic",
            "fps": 30,
            "frames": 12,
            "substeps": 4,
            "seed": 9,
            "gravity": [0, 0, -1.62],
            "anchor": {"vertices": [4, 2, 4]},
            "settled": True,
            "density": 200.0,
            "stiffness_hz": 5.5,
            "settle_seconds": 0.5,
            "undamped": True,
            "young": 1e5,
            "poisson": 0.4,
            "pokes": [
                {"point": [1, 2, 3], "impulse": [4, 5, 6], "radius": 0.2, "start": 3, "duration": 1},
                {"point": [0, 0, 0], "speed": [1, 0, 0]},
            ],
            "velocities": [{"linear": [1, 0, 0], "angular": [0, 2, 0], "vertices": [1]}, {}],
            "pins": [{"vertices": [0], "stiffness": "rigid"}],
            "wind": {"velocity": [1, 2, 3], "turbulence": 0.1},
            "ground": {"height": -1.0, "friction": 0.7, "restitution": 0.1},
        }
    )
    assert (read.provider, read.fps, read.frames, read.substeps, read.seed) == ("elastic", 30.0, 12, 4, 9)
    assert np.array_equal(read.anchor, [2, 4])
    assert (read.settled, read.density, read.young, read.poisson) == (True, 200.0, 1e5, 0.4)
    first, second = read.pokes
    assert first.point.tolist() == [1, 2, 3] and first.impulse.tolist() == [4, 5, 6] and first.speed is None
    assert (first.radius, first.start, first.duration) == (0.2, 3, 1)
    assert second.impulse is None and (second.radius, second.start, second.duration) == (0.1, 1, 2)
    assert read.velocities[0].vertices.tolist() == [1]
    assert read.velocities[1].linear.tolist() == [0, 0, 0] and read.velocities[1].vertices is None
    assert read.pins[0].vertices.tolist() == [0]
    assert read.wind.velocity.tolist() == [1, 2, 3] and read.wind.turbulence == 0.1
    assert (read.ground.height, read.ground.friction, read.ground.restitution) == (-1.0, 0.7, 0.1)


@pytest.mark.parametrize("key", ["substeps", "settled", "young", "wind", "ground"])
def test_null_is_as_good_as_leaving_a_key_out(key: str) -> None:
    assert getattr(read_conditions({key: None}), key) is None


def test_auto_may_be_written_out() -> None:
    read = read_conditions({"substeps": "auto", "settled": "auto", "anchor": "auto", "provider": "auto"})
    assert (read.substeps, read.settled, read.anchor, read.provider) == (None, None, "auto", "auto")


def test_keys_of_later_versions_are_let_through_when_empty() -> None:
    assert read_conditions({"materials": [], "colliders": [], "joints": None}).frames == 120


REFUSED = [
    ({"frames": 0}, "'frames'"),
    ({"gravity": [0, 0, "down"]}, "'gravity[2]'"),
    ({"pokes": [{"point": [0, 0, 0], "speed": [1, 0, 0]}, {"point": [0, 0, 0]}]}, "'pokes[1]'"),
    ({"pokes": [{"point": [0, 0, 0], "speed": [1, 0, 0], "raduis": 1}]}, "'pokes[0].raduis'"),
    ({"velocities": [{"vertices": [0.5]}]}, "'velocities[0].vertices'"),
    ({"pins": [{}]}, "'pins[0].vertices'"),
    ({"pins": [{"vertices": [0], "stiffness": "soft"}]}, "'pins[0].stiffness'"),
    ({"wind": {"velocity": [0, 0, 1], "turbulence": 3}}, "'wind.turbulence'"),
    ({"ground": {"restitution": 1.1}}, "'ground.restitution'"),
    ({"substeps": True}, "'substeps'"),
    ({"colliders": ["floor.obj"]}, "'colliders'"),
]


@pytest.mark.parametrize(("value", "named"), REFUSED, ids=[named for _, named in REFUSED])
def test_a_refusal_names_the_entry(value: dict, named: str) -> None:
    with pytest.raises(UserError) as caught:
        read_conditions(value)
    assert caught.value.code == "bad_conditions"
    assert named in caught.value.message
    assert caught.value.message.endswith(".") and caught.value.remedy.endswith(".")


KEYS = [entry.name for entry in fields(Conditions)]
NUMBERS = st.one_of(
    st.integers(-5, 5), st.integers(), st.floats(), st.just(10**400), st.sampled_from([0.5, 1e-9, 24, 1e6])
)
LEAVES = st.one_of(
    st.none(), st.booleans(), NUMBERS, st.sampled_from(["auto", "none", "rigid", "elastic", "", "NaN"])
)
INNER = ["point", "impulse", "speed", "radius", "start", "duration", "linear", "angular", "vertices", "stiffness"]
INNER += ["velocity", "turbulence", "height", "friction", "restitution", "unknown"]
VALUES = st.recursive(
    st.one_of(LEAVES, st.lists(NUMBERS, min_size=3, max_size=3)),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(INNER), inner, max_size=4),
    max_leaves=8,
)


@settings(max_examples=300)
@given(st.dictionaries(st.sampled_from([*KEYS, "materials", "joints", "frame"]), VALUES, max_size=4))
def test_whatever_is_given_is_read_or_refused(value: dict[str, Any]) -> None:
    """No other exception ever; and what is read holds finite numbers only."""
    try:
        read = read_conditions(value)
    except UserError as problem:
        assert problem.code == "bad_conditions"
        assert problem.message.endswith(".") and problem.remedy
        assert len(problem.message) < 300, problem.message
    else:
        assert np.isfinite(read.gravity).all()
        assert all(np.isfinite(poke.point).all() for poke in read.pokes)


@pytest.mark.parametrize("value", [None, [], "frames", 3, [("frames", 3)]])
def test_only_objects_are_conditions(value: Any) -> None:
    with pytest.raises(UserError):
        read_conditions(value)
