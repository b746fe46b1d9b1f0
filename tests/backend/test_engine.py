"""The engine on every kind of mesh: finite frames, vertices as they came; or a sentence."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from backend import engine
from backend.errors import Cancelled, UserError
from backend.kinematics.decode import decode_frames
from tests.backend.shapes import Arrays, bar, block, box, joined, moved, sheet, soup, sphere, split
from tests.backend.takes import decode, run


def _upright(mesh: Arrays) -> Arrays:
    return mesh[0][:, [0, 2, 1]], mesh[1]


def _with_non_manifold_fin() -> Arrays:
    """A box on whose edge a third face stands."""
    vertices, triangles = block((1.0, 1.0, 1.0), (3, 3, 3))
    edge = triangles[0, :2]
    tip = vertices[edge].mean(axis=0) * 1.6
    return np.vstack([vertices, tip]), np.vstack([triangles, [*edge, len(vertices)]])


def _with_zero_area_faces() -> Arrays:
    vertices, triangles = sphere(200)
    return vertices, np.vstack([triangles, [[0, 0, 1], [2, 2, 2], [3, 4, 3]]])


def _with_loose_vertices() -> Arrays:
    vertices, triangles = sphere(200)
    return np.vstack([[[2.0, 2.0, 2.0]], vertices, [[0.0, 0.0, 0.0], [-1.0, 0.0, 0.3]]]), triangles + 1


SHAPES: dict[str, Arrays] = {
    "closed solid": sphere(300),
    "open sheet": _upright(sheet(12, 12)),
    "soup of 200 parts": soup(200),
    "non-manifold": _with_non_manifold_fin(),
    "duplicate vertices": split(block((1.0, 1.0, 1.0), (3, 3, 3))),
    "zero-area faces": _with_zero_area_faces(),
    "loose vertices": _with_loose_vertices(),
    "eight vertices": box(),
    "one triangle": (np.array([[0.0, 0, 0], [1, 0, 0], [0, 0, 1]]), np.array([[0, 1, 2]])),
    "needle": block((0.01, 0.01, 2.0), (1, 1, 10)),
    "two boxes far apart": joined(box(), box(centre=(4.0, 0.0, 0.0))),
    "inside out": (sphere(300)[0], sphere(300)[1][:, ::-1]),
    "a millimetre": (1e-3 * sphere(300)[0], sphere(300)[1]),
    "a kilometre": (1e3 * sphere(300)[0], sphere(300)[1]),
    "far from the origin": moved(sphere(300), (1e4, -1e4, 1e3)),
}


DROPPED = ["closed solid", "open sheet", "soup of 200 parts", "non-manifold", "duplicate vertices", "loose vertices"]


@pytest.mark.parametrize(
    ("name", "scene"), [*((name, "poked") for name in SHAPES), *((name, "dropped") for name in DROPPED)]
)
def test_every_kind_of_mesh_simulates(name: str, scene: str) -> None:
    """Vertices keep number and order: frame 1 is the input, whatever was welded or joined inside."""
    vertices, triangles = SHAPES[name]
    low, size = vertices[:, 2].min(), np.ptp(vertices, axis=0).max()
    top = vertices[vertices[:, 2].argmax()]
    poke = {"point": top.tolist(), "speed": [0.1 * size, 0.3 * size, 0.0], "radius": 0.3 * size}
    if scene == "poked":
        conditions: dict[str, Any] = {"pokes": [poke]}
    else:
        conditions = {"anchor": "none", "ground": {"height": low - 0.05 * size}, "gravity": [0, 0, -4.0 * size]}
    take = run((vertices, triangles), frames=10, **conditions)
    assert take.positions.shape == (10, len(vertices), 3)
    assert np.isfinite(take.positions).all()
    assert np.abs(take.positions[0] - vertices).max() < 1e-6 * np.abs(vertices).max()
    away = np.linalg.norm(take.positions - vertices, axis=2)
    assert 1e-3 * size < away.max() < 2.0 * size
    assert np.isfinite(take.energy).all()
    if scene == "dropped":
        assert take.positions[:, :, 2].min() > low - 0.05 * size - 0.002 * size


def test_welded_and_split_copies_move_alike() -> None:
    """Vertices at one place stay at one place."""
    welded = block((1.0, 1.0, 1.0), (3, 3, 3))
    parts = split(welded)
    take = run(parts, frames=12, pokes=[{"point": [0.5, 0, 0.5], "speed": [0, 0.5, 0], "radius": 0.4}])
    assert np.abs(take.positions - take.positions[0]).max() > 0.05
    order = welded[1].ravel()
    for vertex in range(0, len(welded[0]), 5):
        copies = take.positions[:, order == vertex]
        assert np.abs(copies - copies[:, :1]).max() < 1e-6


def test_near_parts_hold_together_as_one_object() -> None:
    """Two boxes a hair apart fall and are pushed as one."""
    pair = joined(block((1, 1, 1), (3, 3, 3)), moved(block((1, 1, 1), (3, 3, 3)), (1.001, 0, 0)))
    take = run(
        pair,
        anchor="none",
        gravity=[0, 0, 0],
        frames=24,
        pokes=[{"point": [-0.5, 0, 0], "speed": [1.0, 0, 0], "radius": 0.5}],
    )
    half = len(pair[0]) // 2
    first, second = take.positions[-1, :half].mean(axis=0), take.positions[-1, half:].mean(axis=0)
    assert second[0] - first[0] == pytest.approx(1.001, abs=0.15)
    assert take.centres()[-1, 0] - take.centres()[0, 0] == pytest.approx(1.0 * (23 - 1) / 24.0, rel=0.01)


def test_the_backends_decoder_is_equation_one() -> None:
    take = run(bar(), frames=5, anchor="none")
    fast = decode_frames(bar()[0], take.take.members[0].motion.weights, take.handles)
    assert fast.dtype == np.float32
    assert np.abs(fast - decode(take.take.members[0].motion.weights, take.handles, bar()[0])).max() < 1e-6


def test_a_second_take_of_the_same_analysis_is_the_same() -> None:
    """Nothing of a run stays in the analysis; and a fresh analysis gives the same bits."""
    poke = {"point": [1.0, 0, 0], "speed": [0, 1.0, 0], "radius": 0.2}
    analysis = engine.analyze(*bar())
    results = []
    for source in (analysis, analysis, engine.analyze(*bar())):
        take = engine.prepare([source], [{"frames": 6, "pokes": [poke]}])
        results.append(np.array([frame.handles for (frame,) in take.frames(lambda: False)]))
    assert np.array_equal(results[0], results[1])
    assert np.array_equal(results[0], results[2])


def test_conditions_may_ask_for_another_provider_than_was_analysed() -> None:
    take = engine.prepare([engine.analyze(*bar(), "elastic")], [{"provider": "rigid", "frames": 3, "anchor": "none"}])
    assert take.members[0].summary["provider"] == "rigid"
    assert take.members[0].motion.weights.shape == (len(bar()[0]), 1)


def test_a_rigid_object_cannot_be_held() -> None:
    with pytest.raises(UserError) as caught:
        engine.prepare([engine.analyze(*bar(), "rigid")], [{"anchor": {"vertices": [0]}}])
    assert caught.value.code == "rigid_and_held"


def test_holding_every_vertex_is_refused() -> None:
    with pytest.raises(UserError) as caught:
        engine.prepare([engine.analyze(*bar())], [{"anchor": {"vertices": list(range(len(bar()[0])))}}])
    assert caught.value.code == "nothing_free"


def test_a_sheet_that_lies_flat_is_all_base() -> None:
    """Its lowest 2 % are everything: better said than silently held."""
    with pytest.raises(UserError) as caught:
        engine.prepare([engine.analyze(*sheet(12, 12))], [{}])
    assert caught.value.code == "nothing_free"
    assert engine.prepare([engine.analyze(*sheet(12, 12))], [{"anchor": "none"}]).frame_count == 120


def test_unknown_providers_are_refused() -> None:
    with pytest.raises(UserError):
        engine.analyze(*bar(), "magic")


def test_a_take_can_be_cancelled_at_any_step() -> None:
    take = engine.prepare([engine.analyze(*bar())], [{"frames": 20, "anchor": "none"}])
    calls = iter(range(1000))
    seen = []
    with pytest.raises(Cancelled):
        for (frame,) in take.frames(lambda: next(calls) >= 7):
            seen.append(frame.index)
    assert seen == list(range(1, len(seen) + 1)) and len(seen) < 20


@pytest.mark.parametrize(
    ("conditions", "note"),
    [
        ({"pokes": [{"point": [9.0, 0, 0], "speed": [0, 0, 1]}]}, "away from the object"),
        ({"pokes": [{"point": [1.0, 0, 0], "speed": [0, 0, 1], "start": 60}], "frames": 24}, "after the last frame"),
        ({"pokes": [{"point": [0.5, 0, -0.05], "speed": [0, 0, 1], "radius": 0.05}]}, "anchored part"),
        ({}, "Nothing acts"),
    ],
    ids=["far poke", "late poke", "held poke", "nothing"],
)
def test_what_will_show_nothing_is_said(conditions: dict, note: str) -> None:
    take = engine.prepare([engine.analyze(*bar())], [conditions])
    assert any(note in str(warning) for warning in take.members[0].summary["warnings"])


POKES = st.fixed_dictionaries(
    {
        "point": st.tuples(*[st.floats(-2.0, 2.0)] * 3),
        "speed": st.tuples(*[st.floats(-20.0, 20.0)] * 3),
        "radius": st.floats(1e-3, 3.0),
        "start": st.integers(1, 5),
        "duration": st.integers(1, 4),
    }
)
RUNS = st.fixed_dictionaries(
    {"frames": st.integers(1, 6), "fps": st.sampled_from([1.0, 12.0, 24.0, 240.0])},
    optional={
        "gravity": st.tuples(*[st.floats(-50.0, 50.0)] * 3),
        "anchor": st.sampled_from(["auto", "none", {"vertices": [0, 1, 2]}, {"vertices": [5000]}]),
        "settled": st.sampled_from([True, False, "auto"]),
        "density": st.sampled_from([1e-3, 1.0, 1e6]),
        "stiffness_hz": st.sampled_from([0.01, 1.0, 30.0, 1000.0]),
        "settle_seconds": st.sampled_from([0.01, 2.0, 10_000.0]),
        "undamped": st.booleans(),
        "poisson": st.sampled_from([0.0, 0.49]),
        "pokes": st.lists(POKES, max_size=3),
        "velocities": st.lists(
            st.fixed_dictionaries({"linear": st.tuples(*[st.floats(-9, 9)] * 3), "angular": st.just([1.0, 20.0, 0.0])}),
            max_size=2,
        ),
        "wind": st.fixed_dictionaries({"velocity": st.tuples(*[st.floats(-40.0, 40.0)] * 3)}),
        "ground": st.fixed_dictionaries({"height": st.floats(-3.0, 1.0), "restitution": st.floats(0.0, 1.0)}),
    },
)


@settings(max_examples=12, suppress_health_check=[HealthCheck.too_slow])
@given(st.sampled_from(["elastic", "rigid"]), st.sampled_from(["eight vertices", "open sheet", "closed solid"]), RUNS)
def test_random_takes_are_finite_or_refused(provider: str, name: str, conditions: dict[str, Any]) -> None:
    try:
        take = run(SHAPES[name], provider, **conditions)
    except UserError as problem:
        assert problem.message and problem.remedy
        return
    assert len(take.positions) == conditions["frames"]
    assert np.isfinite(take.positions).all()
    assert np.isfinite(take.energy).all()
