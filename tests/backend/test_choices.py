"""Doors whose hinges may be on either side: what is told of the other side, and what moves when it is taken."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from backend import engine
from backend.engine import Analysis
from backend.errors import UserError
from backend.interactive.posing import PosedShape, Posing
from backend.kinematics.learned_shape import learned_shape
from backend.kinematics.state_space import Choice
from backend.understanding.joint_choices import told_choices
from backend.understanding.providers.learned import Learned
from backend.understanding.recognition import Recognition
from tests.backend.kinematics.spaces import hinge_twist, laptop, slide_twist

AWAY = np.array([100.0, -20.0, 5.0])
PUSH = {
    "frames": 4,
    "gravity": [0, 0, 0],
    "pokes": [{"point": np.add(AWAY, (0.0, 0.1, 0.2)).tolist(), "speed": [0, 0, 0.3]}],
}


@pytest.fixture(scope="module")
def analysis() -> Analysis:
    """A laptop far from the origin; its lid may as well turn about its own side, or slide upwards."""
    (vertices, triangles), space = laptop()
    frame = replace(space.frame, centre=space.frame.centre + AWAY)
    side, slide = np.zeros((2, 2, 6))
    side[1] = 2.0 * hinge_twist((0.0, 0.0, 1.0), (0.15, 0.1, 0.0), space.frame)
    slide[1] = 0.1 * slide_twist((0.0, 0.0, 1.0), space.frame)
    space = replace(space, frame=frame, choices=(Choice(0, side, np.log(2.0)), Choice(0, slide, 3.0)))
    found = engine.analyze(vertices + AWAY, triangles, "rigid")
    shape = learned_shape(space, found.mesh.vertices, found.mesh.triangles)
    return replace(found, model=Learned(found.mesh, found.cloud, shape, recognition=Recognition(shape, 0.9)))


def last_frame(analysis: Analysis, conditions: dict) -> np.ndarray:
    take = engine.prepare([analysis], [conditions])
    return [frame for (frame,) in take.frames(lambda: False)][-1].handles[1]


def test_choices_are_told_in_the_world_with_how_likely_they_are(analysis: Analysis) -> None:
    side, slide = analysis.summary["choices"]
    assert (side["joint"], side["motion"], side["axis"], side["likelihood"]) == (0, "turns", [0.0, 0.0, 1.0], 0.5)
    along = np.array(side["through"]) - AWAY - [0.15, 0.1, 0.0]
    np.testing.assert_allclose(along[:2], 0.0, atol=1e-4)
    assert (slide["motion"], slide["axis"], slide["likelihood"]) == ("slides", [0.0, 0.0, 1.0], 0.05)
    assert "through" not in slide


def test_joints_are_told_in_the_world_with_how_far_they_go(analysis: Analysis) -> None:
    """The lid turns about the laptop's rear edge, along x; its range is that of its coordinate."""
    (lid,) = analysis.summary["joints"]
    assert (lid["joint"], lid["motion"]) == (0, "turns")
    assert np.abs(lid["axis"]) == pytest.approx([1.0, 0.0, 0.0])
    space = analysis.model.shape.space
    omega, velocity = np.split(space.twists[1, 0], 2)
    foot = np.cross(omega, velocity) / (omega @ omega) * space.frame.scale + space.frame.centre
    assert lid["through"] == pytest.approx(foot, abs=1e-4)
    low, high = lid["range"]
    assert low < 0.0 < high or low == 0.0 or high == 0.0
    turned = analysis.model.shape.kinematics().handles(np.array([analysis.model.shape.upper[0]]))
    turn = turned.reshape(-1, 4, 3)[1, :3].T / space.frame.scale
    angle = float(Rotation.from_matrix(turn).magnitude())
    assert min(abs(abs(low) - angle), abs(abs(high) - angle)) < 1e-3


def test_without_a_choice_the_likeliest_way_is_taken(analysis: Analysis) -> None:
    turned = last_frame(analysis, PUSH)[:, :3]
    assert abs(turned[0, 0] - 1.0) < 1e-9  # about x


def test_a_choice_that_is_taken_moves_the_object(analysis: Analysis) -> None:
    slid = last_frame(analysis, {**PUSH, "choices": [1]})
    np.testing.assert_allclose(slid[:, :3], np.eye(3), atol=1e-9)
    assert abs(slid[2, 3]) > 1e-4 and np.abs(slid[:2, 3]).max() < 1e-9
    # The analysis itself stays as it was.
    assert abs(last_frame(analysis, PUSH)[0, 0] - 1.0) < 1e-9
    assert analysis.summary["choices"] == told_choices(analysis.model.shape)


@pytest.mark.parametrize(("numbers", "words"), [([2], "none with the number 2"), ([0, 1], "same joint")])
def test_choices_that_cannot_be_taken_are_refused(analysis: Analysis, numbers: list[int], words: str) -> None:
    with pytest.raises(UserError, match=words):
        analysis.model.with_choices(numbers)
    with pytest.raises(UserError, match=words):
        engine.prepare([analysis], [{**PUSH, "choices": numbers}])


def dragged(posing: Posing, turn: Rotation, through: tuple[float, float, float], hard: bool) -> PosedShape:
    """Solved until it stays, with the upper left corners of the lid wanted where they are turned to about a place."""
    vertices, axis = posing.body.mesh.vertices, AWAY + through
    corners = np.flatnonzero((vertices[:, 0] < AWAY[0]) & (vertices[:, 2] > AWAY[2] + 0.1))
    targets = axis + turn.apply(vertices[corners] - axis)
    for _ in range(20):
        shape = posing.solve(corners, targets, np.full(len(corners), hard))
        if shape.converged:
            break
    assert shape.converged
    np.testing.assert_allclose(shape.positions, targets, atol=1e-3 if hard else 5e-3)
    return shape


@pytest.mark.parametrize("hard", [False, True])
def test_who_drags_decides_on_which_side_the_hinges_are(analysis: Analysis, hard: bool) -> None:
    posing = engine.begin_pose(analysis, {})
    opened = Rotation.from_rotvec([0.5, 0.0, 0.0]), (0.0, 0.1, 0.02)
    swung = Rotation.from_rotvec([0.0, 0.0, 0.5]), (0.15, 0.1, 0.0)
    assert dragged(posing, *opened, hard).choices == ()
    before = posing.weights
    shape = dragged(posing, *swung, hard)
    assert shape.choices == (0,)
    np.testing.assert_allclose(shape.handles[1][:, :3], swung[0].as_matrix(), atol=0.03)
    # What is simulated with these choices starts as it is posed.
    assert posing.weights is not before and engine.prepare([analysis], [{"choices": list(shape.choices), "frames": 2}])
    assert dragged(posing, *opened, hard).choices == ()


def test_a_drag_of_what_no_open_joint_moves_changes_none(analysis: Analysis) -> None:
    """The base stays where it is, as far as it may be pulled."""
    posing = engine.begin_pose(analysis, {"anchor": {"vertices": list(range(8))}})
    for _ in range(8):
        shape = posing.solve(np.array([0]), analysis.mesh.vertices[:1] + 0.1, np.array([False]))
    assert shape.choices == () and shape.converged


def test_posing_begins_with_the_choices_of_the_conditions(analysis: Analysis) -> None:
    posing = engine.begin_pose(analysis, {"choices": [1]})
    target = analysis.mesh.vertices[15:16] + np.array([0.0, 0.0, 0.05])
    shape = posing.solve(np.array([15]), target, np.array([False]))
    assert shape.choices == (1,)


def test_what_is_not_learned_has_no_choices(analysis: Analysis) -> None:
    with pytest.raises(UserError, match="no choices") as caught:
        engine.prepare([analysis], [{**PUSH, "provider": "rigid", "choices": [0]}])
    assert "choices" in caught.value.remedy
    with pytest.raises(UserError, match=r"choices\[0\]"):
        engine.read_conditions({"choices": [-1]})
