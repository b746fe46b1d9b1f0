"""Sliders: what each moves and how far, that they follow a drag, and random poses that an artist can use."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from backend import engine
from backend.errors import UserError
from backend.interactive.posing import Posing
from backend.interactive.sliders import MOST_SHAPES
from tests.backend.dynamics import learned_takes
from tests.backend.dynamics.test_learned_takes import bending_beam
from tests.backend.kinematics.spaces import drawer, laptop
from tests.backend.shapes import Arrays, bar, block
from tests.backend.takes import analysed, decode

BOX = block((0.3, 0.3, 0.6), (4, 4, 8))
HELD = {"anchor": {"vertices": np.flatnonzero(bar()[0][:, 0] < 1e-9).tolist()}}


def _posing(mesh: Arrays, provider: str, **conditions: Any) -> Posing:
    return engine.begin_pose(analysed(mesh, provider), conditions)


def _learned(made: Any, **conditions: Any) -> tuple[Posing, np.ndarray]:
    arrays, space = made
    return engine.begin_pose(learned_takes.analysed(arrays, space), conditions), arrays[0]


def _drag(posing: Posing, vertex: int, target: Any) -> Any:
    return posing.solve(np.array([vertex]), np.array([target], dtype=float), np.array([False]))


def _shapes(posing: Posing, handles: np.ndarray, vertices: np.ndarray) -> np.ndarray:
    return decode(posing.weights, handles, vertices)


def _rms(mesh: Arrays, moved: np.ndarray) -> float:
    """Over the surface: a third of each face's area for each of its corners."""
    corners = mesh[0][mesh[1]]
    area = np.linalg.norm(np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]), axis=1)
    square = ((moved - mesh[0]) ** 2).sum(axis=1)[mesh[1]].mean(axis=1)
    return float(np.sqrt(area @ square / area.sum()))


def test_modes_move_the_surface_by_what_their_frequency_says() -> None:
    posing = _posing(bar(), "elastic", **HELD)
    found = posing.coordinates
    assert found.names == tuple(f"Mode {number}" for number in range(1, 13)) and set(found.kinds) == {"mode"}
    assert np.array_equal(found.lower, np.full(12, -2.0)) and np.array_equal(found.upper, np.full(12, 2.0))
    one = _shapes(posing, posing.shapes(np.eye(12)), bar()[0])
    length = np.array([_rms(bar(), shape) for shape in one])
    assert length[0] == pytest.approx(0.1, rel=0.02)
    # The bending modes of a cantilever: (1.875, 4.694)^2, each in two directions.
    assert length[1] == pytest.approx(0.1, rel=0.03)
    ratio = length[2:6] / length[0]
    assert ratio.max() == pytest.approx((1.8751 / 4.6941) ** 2, rel=0.08)
    assert (np.diff(length) < 0.02 * length[:-1]).all()


def test_a_mode_of_a_free_object_neither_turns_nor_moves_it() -> None:
    posing = _posing(BOX, "elastic", anchor="none")
    body, rest = posing.body, BOX[0]
    mass, basis = body.material.mass, body.material.basis
    points = basis @ body.kinematics.handles(body.kinematics.rest())
    centre = mass @ points / mass.sum()
    for handles in posing.shapes(np.eye(len(posing.coordinates.names))):
        a = handles.copy()
        a[..., 3] += a[..., :3] @ body.frame.centre
        a[..., :3] *= body.frame.scale
        moved = basis @ a.transpose(0, 2, 1).reshape(-1, 3) - points
        assert np.abs(mass @ moved).max() / mass.sum() < 1e-9
        spin = mass @ np.cross(points - centre, moved)
        assert np.abs(spin).max() < 1e-6 * mass.sum() * 0.6**2
        assert _rms(BOX, _shapes(posing, handles[None], rest)[0]) > 1e-3


@pytest.mark.parametrize("provider", ["laptop", "drawer", "beam"])
def test_sliders_of_a_recognised_object_are_its_coordinates(provider: str) -> None:
    made = {"laptop": laptop, "drawer": drawer, "beam": bending_beam}[provider]()
    posing, vertices = _learned(made)
    found, shape = posing.coordinates, posing._analysis.model.shape
    kind = "bend" if provider == "beam" else "joint"
    assert found.kinds[0] == kind and found.names[0] == f"{kind.capitalize()} 1"
    assert np.array_equal(found.lower, shape.lower) and np.array_equal(found.upper, shape.upper)
    at_rest = np.zeros((1, len(found.names)))
    assert np.abs(_shapes(posing, posing.shapes(at_rest), vertices)[0] - vertices).max() < 1e-6
    edge = at_rest + found.upper
    expected = posing.body.frame.world_handles(shape.kinematics().handles(found.upper))
    assert np.abs(posing.shapes(edge)[0] - expected).max() < 1e-12
    assert np.array_equal(posing.shapes(100.0 * edge), posing.shapes(edge))  # clipped


@pytest.mark.parametrize("anchor", ["auto", "none"])
def test_the_shape_of_a_posed_joint_is_the_pose(anchor: str) -> None:
    posing, vertices = _learned(laptop(), anchor=anchor)
    lid = int(vertices[:, 2].argmax())
    middle = 0.5 * posing.coordinates.upper[None]
    goal = _shapes(posing, posing.shapes(middle), vertices)[0, lid]
    posing.shapes(np.zeros_like(middle))  # a drag begins where the sliders are
    posed = _drag(posing, lid, goal)
    assert np.linalg.norm(posed.positions[0] - goal) < 0.05
    assert posed.values.shape == (1,) and posing.coordinates.lower[0] < posed.values[0] < posing.coordinates.upper[0]
    assert np.array_equal(posing.shapes(posed.values[None])[0], posed.handles)
    if anchor == "none":
        assert np.linalg.norm(posed.q[:6]) > 0.0  # lies elsewhere, and stays there when it is slid
        slid = _shapes(posing, posing.shapes(np.zeros((1, 1))), vertices)[0]
        root = Rotation.from_rotvec(posed.q[3:6]).as_matrix()
        turn = np.linalg.lstsq(vertices - vertices.mean(axis=0), slid - slid.mean(axis=0), rcond=None)[0].T
        assert np.abs(turn - root).max() < 1e-6


def test_values_beyond_the_range_are_the_end_of_the_slider() -> None:
    posing, vertices = _learned(laptop())
    lid = int(vertices[:, 2].argmax())
    posed = _drag(posing, lid, vertices[lid] + [0.0, 5.0, -5.0])
    assert posing.coordinates.lower[0] <= posed.values[0] <= posing.coordinates.upper[0]


@pytest.mark.parametrize("conditions", [HELD, {"anchor": "none"}], ids=["held", "free"])
def test_sliders_follow_a_drag_of_an_elastic_object(conditions: dict[str, Any]) -> None:
    """Nearest in the least squares over the mass: no single slider, moved a little, comes nearer."""
    posing = _posing(bar(), "elastic", **conditions)
    tip = int(bar()[0][:, 0].argmax())
    posed = _drag(posing, tip, bar()[0][tip] + [0.0, 0.0, 0.1])
    body = posing.body

    def missed(values: np.ndarray) -> float:
        (handles,) = posing.shapes(values[None])
        a = (handles - posed.handles).copy()
        a[..., 3] += a[..., :3] @ body.frame.centre
        a[..., :3] *= body.frame.scale
        rows = a.transpose(0, 2, 1).reshape(-1, 3)
        return float(np.vdot(rows, body.moment @ rows))

    least = missed(posed.values)
    for index in range(len(posed.values)):
        for way in (-0.01, 0.01):
            moved = posed.values.copy()
            moved[index] += way
            assert missed(moved) > least
    far = np.linalg.norm(posed.positions[0] - bar()[0][tip])
    assert np.sqrt(least / body.total_mass) < 0.15 * max(far, 0.05)


@pytest.mark.parametrize("conditions", [HELD, {"anchor": "none"}], ids=["held", "free"])
def test_values_of_a_shape_give_the_shape_back(conditions: dict[str, Any]) -> None:
    posing, random = _posing(bar(), "elastic", **conditions), np.random.default_rng(0)
    tip = int(bar()[0][:, 0].argmax())
    _drag(posing, tip, bar()[0][tip] + [0.1, 0.2, 0.3])  # where it lies does not matter
    sliders = posing._solver.sliders
    for values in 0.7 * random.uniform(-1.0, 1.0, size=(5, 12)):
        a = sliders._map.handles(values, posing._solver.q)
        kinematics = posing.body.kinematics
        q = kinematics.pull(kinematics.rest(), posing.body.moment @ (a - kinematics.handles(kinematics.rest())))
        assert np.abs(sliders.values(q) - values).max() < 1e-6


def _stretched(vertices: np.ndarray, triangles: np.ndarray, shape: np.ndarray) -> float:
    """Share of the edges that are more than 30 % longer, each face counting by its area."""

    def edges(points: np.ndarray) -> np.ndarray:
        corners = points[triangles]
        return np.linalg.norm(corners - np.roll(corners, 1, axis=1), axis=2)

    corners = vertices[triangles]
    area = np.linalg.norm(np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]), axis=1)
    return float(area @ (edges(shape) > 1.3 * edges(vertices)).mean(axis=1) / area.sum())


@pytest.mark.parametrize("kind", ["elastic", "free", "laptop", "beam"])
def test_random_poses_are_whole_different_and_the_same_by_their_seed(kind: str) -> None:
    if kind in ("elastic", "free"):
        posing = _posing(bar(), "elastic", **(HELD if kind == "elastic" else {"anchor": "none"}))
        vertices, triangles = bar()
    else:
        made = laptop() if kind == "laptop" else bending_beam()
        (posing, vertices), triangles = _learned(made), made[0][1]
    found = posing.coordinates
    values, handles = posing.poses(24, 3)
    assert values.dtype == np.float32 and values.shape == (24, len(found.names))
    assert (values >= found.lower - 1e-6).all() and (values <= found.upper + 1e-6).all()
    assert len(np.unique(values[:, 0])) > 12 and values.std(axis=0).max() > 0.2
    shapes = _shapes(posing, handles, vertices)
    assert max(_stretched(vertices, triangles, shape) for shape in shapes) < 0.08
    assert np.array_equal(posing.shapes(values), handles)
    again, _ = posing.poses(24, 3)
    fewer, _ = posing.poses(6, 3)
    other, _ = posing.poses(24, 4)
    assert np.array_equal(again, values) and np.array_equal(fewer, values[:6])
    assert not np.array_equal(other, values)


def test_random_amplitudes_fall_with_frequency() -> None:
    posing = _posing(bar(), "elastic", **HELD)
    values, _ = posing.poses(64, 0)
    length = np.array([_rms(bar(), shape) for shape in _shapes(posing, posing.shapes(np.eye(12)), bar()[0])])
    swing = values.std(axis=0) * length
    assert swing[:2].min() > 3.0 * swing[8:].max()


def test_a_rigid_object_has_no_sliders() -> None:
    posing = _posing(BOX, "rigid")
    assert posing.coordinates.names == () and len(posing.coordinates.lower) == 0
    posed = _drag(posing, 0, BOX[0][0] + 0.2)
    assert posed.values.shape == (0,)
    assert np.array_equal(posing.shapes(np.zeros((2, 0)))[1], posed.handles)
    with pytest.raises(UserError) as caught:
        posing.poses(6, 0)
    assert "rigid" in caught.value.message and "elastic" in caught.value.remedy


@pytest.mark.parametrize(
    "values",
    [np.zeros((1, 11)), np.zeros(12), np.zeros((0, 12)), np.zeros((MOST_SHAPES + 1, 12)), np.full((1, 12), np.nan)],
    ids=lambda values: str(values.shape),
)
def test_values_that_do_not_fit_are_refused(values: np.ndarray) -> None:
    posing = _posing(bar(), "elastic", **HELD)
    with pytest.raises(UserError) as caught:
        posing.shapes(values)
    assert caught.value.code == "bad_values" and caught.value.remedy
    for count, seed in ((0, 0), (MOST_SHAPES + 1, 0), (1, -1), (1, 2**31)):
        with pytest.raises(UserError):
            posing.poses(count, seed)


@pytest.mark.parametrize("conditions", [HELD, {"anchor": "none"}], ids=["held", "free"])
def test_a_take_starts_from_slider_values_and_springs_back(conditions: dict[str, Any]) -> None:
    analysis, vertices = analysed(bar(), "elastic"), bar()[0]
    conditions = {**conditions, "gravity": [0, 0, 0], "frames": 120, "settle_seconds": 1.0}
    posing = engine.begin_pose(analysis, conditions)
    values = np.zeros(len(posing.coordinates.names))
    values[[0, 3]] = 1.0, -0.5
    wanted = _shapes(posing, posing.shapes(values[None]), vertices)[0]
    take = engine.prepare([analysis], [{**conditions, "sliders": values.tolist()}])
    handles = np.array([frame.handles for (frame,) in take.frames(lambda: False)])
    shapes = decode(take.members[0].motion.weights, handles, vertices)
    assert _rms(bar(), wanted) > 0.05
    assert np.abs(shapes[0] - wanted).max() < 1e-5
    assert _rms(bar(), shapes[-1]) < 0.05 * _rms(bar(), wanted)


def test_a_joint_starts_where_its_slider_is_and_stays_there() -> None:
    (vertices, triangles), space = laptop()
    analysis = learned_takes.analysed((vertices, triangles), space)
    conditions = {"gravity": [0, 0, 0], "frames": 24}
    posing = engine.begin_pose(analysis, conditions)
    values = 0.5 * posing.coordinates.upper
    wanted = _shapes(posing, posing.shapes(values[None]), vertices)[0]
    take = engine.prepare([analysis], [{**conditions, "sliders": values.tolist()}])
    handles = np.array([frame.handles for (frame,) in take.frames(lambda: False)])
    shapes = decode(take.members[0].motion.weights, handles, vertices)
    assert np.abs(wanted - vertices).max() > 0.05
    assert np.abs(shapes - wanted).max() < 1e-4
    live = engine.begin_live(analysis, {**conditions, "sliders": values.tolist()})
    assert np.abs(_shapes(posing, live.frame.handles[None], vertices)[0] - wanted).max() < 1e-5
