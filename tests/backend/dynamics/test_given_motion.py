"""What conditions move by themselves, in whole takes: pins, drags, colliders, poses, regions of other materials."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.spatial.transform import Rotation

from backend import engine
from backend.dynamics.conditions import PathKey
from backend.dynamics.targets import Path
from backend.errors import UserError
from tests.backend.shapes import bar, block, moved, sheet
from tests.backend.takes import analysed, run

GRAVITY = 9.81
BOX = block((0.4, 0.4, 0.4), (3, 3, 3))
ALL = list(range(len(BOX[0])))
STILL: dict[str, Any] = {"gravity": [0, 0, 0], "anchor": "none"}


def test_a_box_on_soft_pins_swings_as_a_mass_on_a_spring() -> None:
    """Undamped about its sag: z(t) = -g / w^2 (1 - cos w t), w = 2 pi f for the whole mass."""
    frequency = 2.0
    take = run(BOX, "rigid", pins=[{"vertices": ALL, "stiffness": frequency}], undamped=True, frames=49, substeps=8)
    omega = 2.0 * np.pi * frequency
    expected = -GRAVITY / omega**2 * (1.0 - np.cos(omega * take.seconds))
    height = take.centres()[:, 2] - take.centres()[0, 2]
    assert np.abs(height - expected).max() < 0.01 * np.abs(expected).max()


@pytest.mark.parametrize("provider", ["rigid", "elastic"])
def test_moving_pins_take_the_object_along(provider: str) -> None:
    """Half a metre aside and a quarter turn about z, within half a second; then it stays there."""
    keys = [{"frame": 1}, {"frame": 13, "location": [0.5, 0, 0], "rotation": [0, 0, 0.5 * np.pi]}]
    top = np.flatnonzero(BOX[0][:, 2] > 0.2 - 1e-9)
    take = run(
        BOX,
        provider,
        pins=[{"vertices": top.tolist(), "motion": keys}],
        frames=72,
        settle_seconds=0.5,
        stiffness_hz=6.0,
    )
    turned = BOX[0][top][:, [1, 0, 2]] * [-1.0, 1.0, 1.0] + [0.5, 0, 0]
    assert np.abs(take.positions[-1, top] - turned).max() < 2e-3
    assert take.positions[6, top, 0].mean() == pytest.approx(0.25, abs=0.03)  # half way at half time


def test_a_drag_pulls_as_a_spring_and_lets_go() -> None:
    """A cursor that goes up a metre in a second: z'' = w^2 (c - z) + 2 w (c' - z'); let go, the box flies on."""
    frequency, steps = 2.0, 49
    keys = (PathKey(1.0, np.array([0.0, 0.0, 0.2])), PathKey(25.0, np.array([0.0, 0.0, 1.2])))
    path = [{"frame": key.frame, "position": key.position.tolist()} for key in keys]
    drag = {"point": [0, 0, 0.2], "path": path, "radius": 0.19, "stiffness_hz": frequency}
    take = run(BOX, "rigid", drags=[drag], frames=steps, substeps=16, **STILL)
    cursor = Path(keys, 24.0)

    def motion(seconds: float, state: np.ndarray) -> np.ndarray:
        omega, early, late = 2.0 * np.pi * frequency, max(seconds - 1e-4, 0.0), min(seconds + 1e-4, 1.0)
        speed = (cursor.position(late)[2] - cursor.position(early)[2]) / (late - early)
        pull = omega**2 * (cursor.position(seconds)[2] - 0.2 - state[0]) + 2.0 * omega * (speed - state[1])
        return np.array([state[1], pull])

    dragged = take.seconds[:25]
    expected = solve_ivp(motion, (0.0, 1.0), np.zeros(2), "DOP853", t_eval=dragged, rtol=1e-9, atol=1e-9).y
    height = take.centres()[:, 2] - take.centres()[0, 2]
    assert height[24] > 0.5
    assert np.abs(height[:25] - expected[0]).max() < 5e-3
    speeds = np.diff(height[24:]) * 24.0
    assert np.ptp(speeds[1:]) < 1e-6
    assert speeds[-1] == pytest.approx(expected[1, -1], abs=0.05)


def test_a_rising_floor_lifts_what_stands_on_it() -> None:
    floor = moved(block((2.0, 2.0, 0.1), (1, 1, 1)), (0.0, 0.0, -0.25 - 4e-4))
    collider = {
        "vertices": floor[0],
        "triangles": floor[1],
        "motion": [{"frame": 1}, {"frame": 25, "location": [0, 0, 1]}],
    }
    take = run(BOX, "rigid", colliders=[collider], frames=49)
    lowest = take.positions[:, :, 2].min(axis=1)
    assert lowest[-1] == pytest.approx(0.8, abs=2e-3)
    assert lowest[12] == pytest.approx(0.3, abs=0.03)
    assert np.abs(take.positions[-1, :, :2] - BOX[0][:, :2]).max() < 5e-3


def test_two_objects_share_a_collider_with_keys() -> None:
    """Each object's conditions are read by themselves: keys with equal arrays are equal, others are refused."""
    floor = moved(block((2.0, 2.0, 0.1), (1, 1, 1)), (0.0, 0.0, -0.3))

    def rising(to: float) -> dict[str, Any]:
        keys = [{"frame": 1}, {"frame": 25, "location": [0, 0, to]}]
        return {"colliders": [{"vertices": floor[0], "triangles": floor[1], "motion": keys}], "frames": 3}

    boxes = [analysed(moved(BOX, (0.0, side, 0.0)), "rigid") for side in (0.0, 1.0)]
    frames = list(engine.prepare(boxes, [rising(1.0), rising(1.0)]).frames(lambda: False))
    assert [len(frame) for frame in frames] == [2, 2, 2]
    with pytest.raises(UserError) as caught:
        engine.prepare(boxes, [rising(1.0), rising(0.5)])
    assert "'colliders'" in caught.value.message


def test_an_animated_floor_lifts_as_well() -> None:
    """The same rise as vertices for each frame; after its last frame it stays."""
    floor = moved(block((2.0, 2.0, 0.1), (1, 1, 1)), (0.0, 0.0, -0.25 - 4e-4))
    rise = 0.5 - 0.5 * np.cos(np.linspace(0.0, np.pi, 25))
    frames = floor[0] + rise[:, None, None] * np.array([0.0, 0.0, 1.0])
    take = run(BOX, "rigid", colliders=[{"vertices": frames, "triangles": floor[1]}], frames=49)
    lowest = take.positions[:, :, 2].min(axis=1)
    above = lowest[:25] - (rise - 0.2)
    assert above.min() > -1e-3
    assert np.abs(lowest[36:] - 0.8).max() < 2e-3


def test_a_rigid_object_starts_in_its_pose() -> None:
    turn = Rotation.from_rotvec([0.4, 0.1, -1.0]).as_matrix()
    pose = BOX[0] @ turn.T + [0.3, 0.0, 2.0]
    take = run(BOX, "rigid", pose=pose, frames=13)
    assert np.abs(take.positions[0] - pose).max() < 1e-6
    fallen = take.centres()[0, 2] - take.centres()[-1, 2]
    assert fallen == pytest.approx(0.5 * GRAVITY * 0.5**2, rel=1e-6)


def test_a_bent_pose_swings_back() -> None:
    """Drawn with its end 0.1 m up, as a held bar bends; it starts there and comes back through straight."""
    vertices, triangles = bar()
    x = vertices[:, 0]
    pose = vertices + np.outer(0.1 * (3.0 - x) * x**2 / 2.0, [0.0, 0.0, 1.0])
    held = {"vertices": np.flatnonzero(x < 1e-9).tolist()}
    take = run((vertices, triangles), anchor=held, settled=True, pose=pose, frames=24, stiffness_hz=2.0)
    tip = take.positions[:, x > 1.0 - 1e-9, 2].mean(axis=1)
    assert tip[0] == pytest.approx(0.1, abs=0.01)
    assert tip.min() < -0.02
    assert not take.report["warnings"]


def test_a_pose_that_the_object_cannot_take_is_said() -> None:
    take = engine.prepare([analysed(BOX, "rigid")], [{"pose": BOX[0] * [1.0, 1.0, 2.0], "frames": 1}])
    assert any("pose" in str(warning) for warning in take.members[0].summary["warnings"])
    with pytest.raises(UserError) as caught:
        engine.prepare([analysed(BOX, "rigid")], [{"pose": BOX[0][1:]}])
    assert "'pose'" in caught.value.message


def test_regions_weigh_what_they_are_said_to() -> None:
    """Half of the bar is three times as dense: twice the mass in all, and the centre moves there."""
    vertices, _ = bar()
    half = np.flatnonzero(vertices[:, 0] > 0.5).tolist()
    plain = run(bar(), frames=1, **STILL)
    take = run(bar(), frames=1, materials=[{"vertices": half, "density": 3000.0}], **STILL)
    assert take.take.members[0].summary["mass"] == pytest.approx(2.0 * plain.take.members[0].summary["mass"], rel=0.05)
    assert take.centres()[0, 0] == pytest.approx((0.25 + 3.0 * 0.75) / 4.0, abs=0.02)


def test_more_handles_are_more_degrees_of_freedom() -> None:
    few, many = (
        engine.prepare([analysed(sheet(15, 15))], [{"handles": count, "anchor": "none"}]).members[0].summary
        for count in (4, 24)
    )
    assert (few["handles"], many["handles"]) == (4, 24)
    assert many["degrees_of_freedom"] > few["degrees_of_freedom"]


@pytest.mark.parametrize(
    ("conditions", "named"),
    [
        ({"materials": [{"vertices": [5000], "density": 2.0}]}, "'materials[0].vertices'"),
        ({"pins": [{"vertices": [5000], "stiffness": 3}]}, "'pins[0].vertices'"),
        ({"colliders": ["floor.obj"]}, "floor.obj"),
    ],
)
def test_what_does_not_fit_the_mesh_is_refused(conditions: dict[str, Any], named: str) -> None:
    with pytest.raises(UserError) as caught:
        engine.prepare([analysed(BOX)], [conditions])
    assert named in caught.value.message and caught.value.remedy


def test_refusals_of_several_objects_say_which() -> None:
    analyses = [analysed(BOX, "rigid"), analysed(moved(BOX, (1.0, 0, 0)), "rigid")]
    bad = {"pins": [{"vertices": [5000], "stiffness": 3}]}
    for names, called in ((None, "The object 2 "), (["a", "b"], "The object 'b' ")):
        with pytest.raises(UserError) as caught:
            engine.prepare(analyses, [{}, bad], names=names)
        assert caught.value.message.startswith(called)
    with pytest.raises(UserError) as caught:
        engine.prepare(analyses, [{}, {"fps": 30}])
    assert "'fps'" in caught.value.message
