"""Doors open at their edges, drawers come out of their cabinets, knobs turn in place, buttons go in."""

from __future__ import annotations

import numpy as np
import pytest

from backend.data import builder as builder_module
from backend.data.builder import Builder
from backend.data.families.fittings import add_button, add_drawer, add_hinged_panel, add_knob, add_leaf
from backend.data.local_frame import LocalFrame, front, leaning, upward
from backend.data.moving_object import MovingObject
from backend.data.shapes import box
from tests.sweeps import sweep

OBLIQUE = np.linalg.qr(np.random.default_rng(5).normal(size=(3, 3)))[0]
FRAMES = {
    "front": front((0.2, -0.1, 0.4)),
    "top": upward((0.0, 1.0, 0.3)),
    "oblique": LocalFrame(np.array([1.0, 2.0, 3.0]), OBLIQUE * np.sign(np.linalg.det(OBLIQUE))),
}


@pytest.fixture(autouse=True)
def undecorated(monkeypatch):
    """Ornaments stick out of what they sit on; the fittings themselves are looked at here."""
    monkeypatch.setattr(builder_module, "_DECORATED", 0.0)


def finished(builder: Builder, rng: np.random.Generator) -> MovingObject:
    builder.add(0, box((-5, -5, -5), (-4, -4, -4)))
    return builder.build(rng, "test", "test")


def local(thing: MovingObject, frame: LocalFrame, part: int, value: float) -> np.ndarray:
    """Vertices of a part at a joint value, in the frame's coordinates."""
    posed = thing.joints.posed(thing.vertices, np.array([[value]]))[0][thing.joints.part == part]
    return (posed - frame.origin) @ frame.axes.T


@pytest.mark.parametrize("frame", FRAMES.values(), ids=FRAMES)
@pytest.mark.parametrize("hinge", ["left", "right", "bottom", "top"])
@pytest.mark.parametrize("seed", sweep(range(4), 1))
def test_panels_open_outwards_about_the_edge_that_they_are_hinged_at(frame, hinge, seed):
    rng = np.random.default_rng(seed)
    builder = Builder()
    size = (0.6, 0.9, 0.05)
    part = add_hinged_panel(builder, rng, 0, frame, size, hinge, np.pi / 2, grip=False, plain=True)
    thing = finished(builder, rng)
    axis, past = {"left": (0, 0.0), "right": (0, 0.6), "bottom": (1, 0.0), "top": (1, 0.9)}[hinge]
    span = size[axis]
    # Barrels may stick out, so the panel itself is looked at: what is far from the hinge at rest.
    closed, opened = local(thing, frame, part, 0.0), local(thing, frame, part, np.pi / 2)
    free = np.abs(closed[:, axis] - past) > 0.9 * span
    assert free.any()
    assert (np.abs(closed[free, 2] - 0.025) <= 0.025 + 1e-9).all()
    assert (opened[free, 2] > 0.85 * span).all()  # the free edge stands out by the panel's span
    assert (np.abs(opened[free, axis] - past) < 0.1 * span).all()
    near = np.abs(closed[:, axis] - past) < 1e-9
    assert near.any()
    assert (np.linalg.norm(opened[near] - closed[near], axis=1) < 0.05 * np.sqrt(2) + 1e-9).all()
    other = 1 - axis
    np.testing.assert_allclose(opened[:, other], closed[:, other], atol=1e-12)


@pytest.mark.parametrize("frame", FRAMES.values(), ids=FRAMES)
@pytest.mark.parametrize("seed", sweep(range(6), 1))
def test_drawers_fill_their_place_and_come_out_without_leaving_it(frame, seed):
    rng = np.random.default_rng(seed)
    builder = Builder()
    part = add_drawer(builder, rng, 0, frame, (0.5, 0.2, 0.4), 0.02)
    thing = finished(builder, rng)
    stroke = thing.joints.upper[part]
    assert 0.5 * 0.4 <= stroke <= 0.9 * 0.4
    closed, opened = local(thing, frame, part, 0.0), local(thing, frame, part, stroke)
    assert closed[:, 2].min() >= -0.4 - 1e-9
    assert (closed[:, :2] >= -1e-9).all() and (closed[:, :2] <= (0.5, 0.25)).all()
    np.testing.assert_allclose(opened - closed, np.tile([0.0, 0.0, stroke], (len(closed), 1)), atol=1e-12)
    assert opened[:, 2].min() <= 0.0  # its rear is still inside


@pytest.mark.parametrize("frame", FRAMES.values(), ids=FRAMES)
def test_knobs_turn_about_their_middle_and_buttons_go_in(frame):
    rng = np.random.default_rng(0)
    builder = Builder()
    part = add_knob(builder, rng, 0, frame, 0.1)
    thing = finished(builder, rng)
    turned, rest = local(thing, frame, part, 0.8), local(thing, frame, part, 0.0)
    cosine, sine = np.cos(0.8), np.sin(0.8)
    np.testing.assert_allclose(turned, rest @ np.array([[cosine, sine, 0], [-sine, cosine, 0], [0, 0, 1]]), atol=1e-12)

    builder = Builder()
    part = add_button(builder, rng, 0, frame, (0.1, 0.05), 0.01)
    thing = finished(builder, rng)
    assert thing.joints.upper[part] == 0.01
    pushed = local(thing, frame, part, 0.01) - local(thing, frame, part, 0.0)
    np.testing.assert_allclose(pushed, np.tile([0.0, 0.0, -0.01], (len(pushed), 1)), atol=1e-12)


@pytest.mark.parametrize("way", ["left", "right", "bottom", "top", "slides_left", "slides_right"])
@pytest.mark.parametrize("seed", sweep(range(6), 1))
def test_grips_of_fronts_are_at_the_edge_that_comes_out(way, seed):
    frame, size = FRAMES["oblique"], (0.6, 0.9, 0.03)

    def front_of(bare: float) -> tuple[MovingObject, int]:
        rng, builder = np.random.default_rng(seed), Builder()
        part = add_leaf(builder, rng, frame, size, way, 0.5, bare=bare)
        return finished(builder, rng), part

    thing, part = front_of(0.0)
    plain = (front_of(1.0)[0].joints.part == part).sum()
    shut = local(thing, frame, part, 0.0)
    grip = shut[plain:].mean(axis=0)
    assert len(shut) > plain and grip[2] > size[2]
    side, far = {
        "left": (0, True),
        "right": (0, False),
        "bottom": (1, True),
        "top": (1, False),
        "slides_left": (0, True),
        "slides_right": (0, False),
    }[way]
    assert (grip[side] > 0.75 * size[side]) if far else (grip[side] < 0.25 * size[side])
    opened = local(thing, frame, part, 0.5)
    if way.startswith("slides"):
        sign = 1.0 if way == "slides_right" else -1.0
        np.testing.assert_allclose(opened - shut, np.tile([0.5 * sign, 0.0, 0.0], (len(shut), 1)), atol=1e-12)
    else:
        assert opened[:, 2].max() > shut[:, 2].max() + 0.15


def test_a_leaning_face_is_a_front_that_was_tipped_back():
    for angle, expected in ((0.0, front((1, 2, 3))), (np.pi / 2, upward((1, 2, 3)))):
        np.testing.assert_allclose(leaning((1, 2, 3), angle).axes, expected.axes, atol=1e-15)
    tipped = leaning((0, 0, 0), 0.3).axes
    np.testing.assert_allclose(tipped @ tipped.T, np.eye(3), atol=1e-15)
    assert np.linalg.det(tipped) > 0.0 and tipped[2, 1] < 0.0 < tipped[2, 2]
