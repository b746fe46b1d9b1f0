"""Conditions: every key read as written, and anything else refused with its name and a remedy."""

from __future__ import annotations

from collections.abc import Callable
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
    assert (read.anchor, read.support, read.settled, read.undamped) == ("auto", None, None, False)
    assert (read.pieces, read.stiffness, read.young, read.damping) == ((), 1.0, None, None)
    assert (read.density, read.stiffness_hz, read.settle_seconds, read.poisson) == (None, None, None, None)
    whole = read.completed()
    assert (whole.density, whole.stiffness_hz, whole.settle_seconds, whole.poisson) == (1000.0, 3.0, 2.0, 0.3)
    assert read_conditions({"density": 5.0}).completed().density == 5.0
    assert (read.pokes, read.velocities, read.pins, read.wind, read.ground) == ((), (), (), None, None)
    assert (read.materials, read.drags, read.colliders, read.self_contact) == ((), (), (), False)
    assert (read.handles, read.pose, read.friction, read.restitution) == (None, None, 0.5, 0.2)


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
    assert (read.pins[0].stiffness_hz, read.pins[0].motion) == (None, ())
    assert read.wind.velocity.tolist() == [1, 2, 3] and read.wind.turbulence == 0.1
    assert (read.wind.drag, read.wind.lift) == (1.0, 0.0)
    assert (read.ground.height, read.ground.friction, read.ground.restitution) == (-1.0, 0.7, 0.1)


def test_what_moves_by_itself_is_read() -> None:
    read = read_conditions(
        {
            "pins": [
                {
                    "vertices": [3, 1],
                    "stiffness": 4,
                    "motion": [
                        {"frame": 1, "location": [0, 0, 1]},
                        {"frame": 12.5, "rotation": [0, 6.5, 0]},
                    ],
                }
            ],
            "drags": [
                {
                    "point": [1, 0, 0],
                    "radius": 0.3,
                    "stiffness_hz": 8,
                    "path": [{"frame": -2, "position": [1, 0, 0]}, {"frame": 5, "position": [2, 0, 0]}],
                },
                {
                    "point": [0, 0, 0],
                    "path": [{"frame": 1, "position": [0, 0, 0]}, {"frame": 2, "position": [0, 0, 0]}],
                },
            ],
            "wind": {"velocity": [0, 0, 0], "drag": 1.3, "lift": 0.7},
        }
    )
    (pin,) = read.pins
    assert (pin.vertices.tolist(), pin.stiffness_hz) == ([1, 3], 4.0)
    first, last = pin.motion
    assert (first.frame, first.location.tolist(), first.rotation.tolist()) == (1.0, [0, 0, 1], [0, 0, 0])
    assert (last.frame, last.location.tolist(), last.rotation.tolist()) == (12.5, [0, 0, 0], [0, 6.5, 0])
    drag, plain = read.drags
    assert (drag.point.tolist(), drag.radius, drag.stiffness_hz) == ([1, 0, 0], 0.3, 8.0)
    assert [(key.frame, key.position.tolist()) for key in drag.path] == [(-2.0, [1, 0, 0]), (5.0, [2, 0, 0])]
    assert (plain.radius, plain.stiffness_hz) == (0.1, 5.0)
    assert (read.wind.turbulence, read.wind.drag, read.wind.lift) == (0.2, 1.3, 0.7)


def test_what_the_object_is_made_of_is_read() -> None:
    read = read_conditions(
        {
            "materials": [
                {"vertices": [5, 2], "density": 7800, "young": 2e11, "poisson": 0.28},
                {"vertices": [0], "stiffness": 0.1, "density": None},
            ],
            "self_contact": True,
            "friction": 0.9,
            "restitution": 0,
            "handles": 16,
            "pose": [[0, 0, 0], [1, 0, 0.5]],
        }
    )
    steel, soft = read.materials
    assert steel.vertices.tolist() == [2, 5]
    assert (steel.density, steel.young, steel.stiffness, steel.poisson) == (7800.0, 2e11, None, 0.28)
    assert (soft.density, soft.young, soft.stiffness, soft.poisson) == (None, None, 0.1, None)
    assert (read.self_contact, read.friction, read.restitution, read.handles) == (True, 0.9, 0.0, 16)
    assert read.pose.tolist() == [[0, 0, 0], [1, 0, 0.5]]


TRIANGLE = [[0, 0, 0], [1, 0, 0], [0, 1, 0]]


@pytest.mark.parametrize("wrap", [lambda rows, _: rows, np.array], ids=["lists", "arrays"])
def test_colliders_are_read(wrap: Callable[[Any, Any], Any]) -> None:
    key = {"frame": 1, "location": [0, 0, 1]}
    faces = wrap([[0, 1, 2]], np.int32)
    named, placed, sampled, other = read_conditions(
        {
            "colliders": [
                "floor.obj",
                {"vertices": wrap(TRIANGLE, np.float32), "triangles": faces, "motion": [key], "sides": "two"},
                {"mesh": None, "vertices": wrap([TRIANGLE, TRIANGLE], np.float64), "triangles": faces, "motion": None},
                {"mesh": "wall.ply", "friction": 0.1, "restitution": 0.9, "motion": [key]},
            ]
        }
    ).colliders
    assert (named.mesh, named.vertices, named.triangles, named.motion) == ("floor.obj", None, None, ())
    assert (named.friction, named.restitution, named.sides) == (0.5, 0.2, "auto")
    assert placed.vertices.tolist() == TRIANGLE and placed.vertices.dtype == np.float64
    assert placed.triangles.tolist() == [[0, 1, 2]] and placed.triangles.dtype == np.int64
    assert (placed.sides, placed.motion[0].location.tolist()) == ("two", [0, 0, 1])
    assert (sampled.vertices.shape, sampled.motion) == ((2, 3, 3), ())
    assert (other.mesh, other.friction, other.restitution, len(other.motion)) == ("wall.ply", 0.1, 0.9, 1)


def test_given_arrays_are_not_shared() -> None:
    """What is read does not change when the giver's array does."""
    given_pose = np.zeros((4, 3))
    read = read_conditions({"pose": given_pose})
    given_pose[:] = 7.0
    assert not read.pose.any()


@pytest.mark.parametrize("key", ["substeps", "settled", "young", "wind", "ground", "handles", "pose"])
def test_null_is_as_good_as_leaving_a_key_out(key: str) -> None:
    assert getattr(read_conditions({key: None}), key) is None


def test_auto_may_be_written_out() -> None:
    written = dict.fromkeys(["substeps", "settled", "handles", "anchor", "provider"], "auto")
    read = read_conditions(written)
    assert (read.substeps, read.settled, read.handles, read.anchor, read.provider) == (None, None, None, "auto", "auto")


def test_keys_of_later_versions_are_let_through_when_empty() -> None:
    assert read_conditions({"joints": None}).joints is None
    assert read_conditions({"joints": "robot.urdf"}).joints == "robot.urdf"


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
    ({"joints": {"parts": [{"name": "box"}], "joints": [{"child": 3}]}}, "'joints.joints[0].parent'"),
    ({"joints": {"parts": []}}, "'joints'"),
    ({"pins": [{"vertices": [0], "stiffness": 0}]}, "'pins[0].stiffness'"),
    ({"pins": [{"vertices": [0], "motion": []}]}, "'pins[0].motion'"),
    ({"pins": [{"vertices": [0], "motion": [{"location": [0, 0, 0]}]}]}, "'pins[0].motion[0].frame'"),
    ({"pins": [{"vertices": [0], "motion": [{"frame": 2}, {"frame": 2}]}]}, "'pins[0].motion[1].frame'"),
    ({"drags": [{"point": [0, 0, 0]}]}, "'drags[0].path'"),
    ({"drags": [{"point": [0, 0, 0], "path": [{"frame": 1, "position": [0, 0, 0]}]}]}, "'drags[0].path'"),
    ({"wind": {"velocity": [0, 0, 1], "lift": -1}}, "'wind.lift'"),
    ({"materials": [{"vertices": [0]}]}, "'materials[0]'"),
    ({"materials": [{"density": 2.0}]}, "'materials[0].vertices'"),
    ({"materials": [{"vertices": [0], "young": 1e5, "stiffness": 2}]}, "'materials[0]'"),
    ({"handles": 1}, "'handles'"),
    ({"handles": 65}, "'handles'"),
    ({"self_contact": 1}, "'self_contact'"),
    ({"restitution": 2}, "'restitution'"),
    ({"pose": []}, "'pose'"),
    ({"pose": [[0, 0], [1, 1]]}, "'pose'"),
    ({"pose": [[0, 0, 0], [1, 1]]}, "'pose'"),
    ({"pose": [["0", "0", "0"]]}, "'pose'"),
    ({"pose": [[0, None, 0]]}, "'pose'"),
    ({"pose": [[0, 10**400, 0]]}, "'pose'"),
    ({"pose": np.zeros((2, 4, 3))}, "'pose'"),
    ({"pose": np.full((4, 3), np.nan)}, "'pose'"),
    ({"pose": np.full((4, 3), 1e9)}, "'pose'"),
    ({"colliders": "floor.obj"}, "'colliders'"),
    ({"colliders": [""]}, "'colliders[0]'"),
    ({"colliders": [{}]}, "'colliders[0]'"),
    ({"colliders": [{"vertices": TRIANGLE}]}, "'colliders[0]'"),
    ({"colliders": [{"mesh": "a.obj", "vertices": TRIANGLE}]}, "'colliders[0]'"),
    ({"colliders": [{"mesh": "a.obj", "sides": "both"}]}, "'colliders[0].sides'"),
    ({"colliders": [{"vertices": TRIANGLE, "triangles": []}]}, "'colliders[0].triangles'"),
    ({"colliders": [{"vertices": TRIANGLE, "triangles": [[0, 1, 3]]}]}, "'colliders[0].triangles'"),
    ({"colliders": [{"vertices": TRIANGLE, "triangles": [[0, 1, -1]]}]}, "'colliders[0].triangles'"),
    ({"colliders": [{"vertices": TRIANGLE, "triangles": [[0, 1, 1.5]]}]}, "'colliders[0].triangles'"),
    (
        {"colliders": [{"vertices": [TRIANGLE], "triangles": [[0, 1, 2]], "motion": [{"frame": 1}]}]},
        "'colliders[0]'",
    ),
    ({"provider": np.zeros(3)}, "'provider'"),
]


@pytest.mark.parametrize(("value", "named"), REFUSED, ids=[f"{i} {named}" for i, (_, named) in enumerate(REFUSED)])
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
    st.none(),
    st.booleans(),
    NUMBERS,
    st.sampled_from(["auto", "none", "rigid", "elastic", "", "NaN", "two"]),
    st.sampled_from([np.zeros((4, 3)), np.zeros((2, 4, 3)), np.eye(3, dtype=int), np.full(3, np.inf), np.array("a")]),
)
INNER = ["point", "impulse", "speed", "radius", "start", "duration", "linear", "angular", "vertices", "stiffness"]
INNER += ["velocity", "turbulence", "height", "friction", "restitution", "unknown", "drag", "lift", "density", "young"]
INNER += ["motion", "path", "frame", "location", "rotation", "position", "mesh", "triangles", "sides", "stiffness_hz"]
VALUES = st.recursive(
    st.one_of(LEAVES, st.lists(NUMBERS, min_size=3, max_size=3)),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(INNER), inner, max_size=4),
    max_leaves=8,
)


@settings(max_examples=300)
@given(st.dictionaries(st.sampled_from([*KEYS, "joints", "frame"]), VALUES, max_size=4))
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
        assert read.pose is None or np.isfinite(read.pose).all()


@pytest.mark.parametrize("value", [None, [], "frames", 3, [("frames", 3)]])
def test_only_objects_are_conditions(value: Any) -> None:
    with pytest.raises(UserError):
        read_conditions(value)
