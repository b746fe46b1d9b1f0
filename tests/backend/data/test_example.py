"""Examples: the normalised frame, root motion, sampling, and what augmentation may and may not change."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.linalg import expm
from scipy.spatial.transform import Rotation

from backend.data import example
from backend.data.example import Example, aligned, example_at, make_example, sample_surface
from backend.data.families.jointed_families import JOINTED
from backend.data.joint_labels import JointLabels
from backend.data.moving_object import MovingObject, jointed_object
from backend.data.shapes import box, joined, moved
from backend.data.source import Source
from tests.sweeps import sweep

SOURCE = Source(JOINTED)


def three_boxes(scale: float = 1.0) -> MovingObject:
    """A base, a hinged box and a sliding one; material slot = part, so that examples tell which point is whose."""
    pieces = [box((0, 0, 0), (1, 1, 1)), box((1, 0, 0), (2, 0.5, 0.7)), box((0, 1, 0.1), (0.4, 1.2, 0.9))]
    vertices, triangles = joined(*pieces)
    part = np.repeat([0, 1, 2], 8)
    tree = JointLabels.of_arrays(
        part,
        np.array([-1, 0, 0]),
        ("fixed", "revolute", "prismatic"),
        np.array([[0, 0, 1], [0, 0, 1], [0, 1, 0]], dtype=float),
        np.array([[0, 0, 0], [1, 0, 0], [0, 0, 0]], dtype=float) * scale,
        np.array([0.0, -1.5, 0.0]),
        np.array([0.0, 1.5, 0.8 * scale]),
    )
    return jointed_object("boxes", "test", vertices * scale, triangles, part, part[triangles[:, 0]], tree)


def rigid_residual(before: np.ndarray, after: np.ndarray) -> float:
    """How far `after` is from the best rigid motion of `before`."""
    return float(np.abs(aligned(after[None], before)[0] - before).max())


def test_plain_examples_lie_in_the_normalised_box():
    made = make_example(three_boxes(37.0), np.random.default_rng(0), 2000, 3, augment=False)
    assert made.points.dtype == made.moves.dtype == made.normals.dtype == np.float32
    assert made.points.shape == made.normals.shape == (2000, 3) and made.moves.shape == (3, 2000, 3)
    low, high = made.points.min(axis=0), made.points.max(axis=0)
    np.testing.assert_allclose(low, [-1.0, -0.6, -0.5], atol=0.02)  # the box is 2 x 1.2 x 1
    np.testing.assert_allclose(high, [1.0, 0.6, 0.5], atol=0.02)
    np.testing.assert_allclose(np.linalg.norm(made.normals, axis=1), 1.0, atol=1e-5)
    assert set(made.shell) == set(made.slot) == {0, 1, 2}


def test_plain_normals_look_outwards():
    made = make_example(three_boxes(), np.random.default_rng(0), 2000, 1, augment=False)
    for slot in range(3):
        mine = made.slot == slot
        points = made.points[mine]
        centre = 0.5 * (points.min(axis=0) + points.max(axis=0))
        assert (np.einsum("ni,ni->n", points - centre, made.normals[mine]) > 0).all()


def test_moves_do_not_depend_on_the_unit_of_length():
    small = make_example(three_boxes(), np.random.default_rng(4), 500, 4, augment=False)
    large = make_example(three_boxes(1000.0), np.random.default_rng(4), 500, 4, augment=False)
    np.testing.assert_allclose(small.moves, large.moves, atol=1e-5)


@pytest.mark.parametrize("seed", sweep(range(60), 6))
def test_augmented_examples_keep_rigid_parts_rigid_and_stay_in_the_box(seed):
    made = make_example(three_boxes(), np.random.default_rng(seed), 600, 4, augment=True)
    assert np.isfinite(made.points).all() and np.isfinite(made.moves).all()
    assert np.abs(made.points).max() < 1.05
    np.testing.assert_allclose(np.linalg.norm(made.normals, axis=1), 1.0, atol=1e-5)
    if made.slot.max() == 0:
        return  # slots were dropped: whose point is whose is not told
    for slot in np.unique(made.slot):
        mine = made.slot == slot
        for move in made.moves:
            assert rigid_residual(made.points[mine].astype(float), (made.points + move)[mine].astype(float)) < 1e-5


def test_whole_motion_moves_all_joints():
    made = make_example(three_boxes(), np.random.default_rng(2), 600, 6, augment=False)
    largest = sorted(np.abs(made.moves[:, made.slot == slot]).max() for slot in range(3))
    assert largest[0] < 1e-6 < 1e-2 < largest[1]


@pytest.mark.parametrize("name", ["lidded_box", "bottle", "cabinet"])
def test_what_is_left_out_is_never_all_that_moves(name, monkeypatch):
    monkeypatch.setattr(example, "_DROPOUT", 1.0)
    complete = fewer = 0
    for seed in range(40):
        rng = np.random.default_rng(seed)
        thing = JOINTED[name].make(rng)
        made = make_example(thing, rng, 1500, 3, augment=True)
        assert np.abs(made.moves).max() > 1e-4, seed
        fewer += made.shell.max() > 0 and len(np.unique(made.shell)) < thing.shell.max() + 1
        complete += 1
    assert fewer > 0.15 * complete


def test_root_motion_is_taken_out_where_nothing_is_anchored():
    rng = np.random.default_rng(0)
    thing = three_boxes()

    def flying(rng: np.random.Generator, count: int) -> np.ndarray:
        turns = Rotation.random(count, rng).as_matrix()
        return np.einsum("sij,vj->svi", turns, thing.vertices) + rng.normal(size=(count, 1, 3))

    free = MovingObject(
        "free", "test", thing.vertices, thing.triangles, thing.shell, thing.slot, flying, anchored=False, freedom=6
    )
    made = make_example(free, rng, 400, 5, augment=False)
    assert np.abs(made.moves).max() < 1e-5


def screw_values(made: Example, number: int) -> np.ndarray:
    """Float[S]: how far the joint of a body on the base has gone in each state, by what its screw says of the points.

    And that the body goes nowhere else: its motion is the exponential of the screw by that value.
    """
    mine, screw = made.bodies.point == number, made.bodies.screws[number]
    points, values = made.points[mine].astype(float), []
    for move in made.moves[:, mine].astype(float):
        turn, _ = Rotation.align_vectors(points + move - (points + move).mean(axis=0), points - points.mean(axis=0))
        angle = turn.as_rotvec() @ screw[:3] / max(screw[:3] @ screw[:3], 1e-12)
        slide = move.mean(axis=0) @ screw[3:] / (screw[3:] @ screw[3:])
        values.append(angle if np.abs(screw[:3]).max() > 1e-3 else slide)
        matrix = np.zeros((4, 4))
        matrix[:3, :3], matrix[:3, 3] = np.cross(np.eye(3), screw[:3]), screw[3:]
        motion = expm(values[-1] * matrix)
        np.testing.assert_allclose(points @ motion[:3, :3].T + motion[:3, 3], points + move, atol=1e-5)
    return np.array(values)


@pytest.mark.parametrize("mirrored", [False, True])
@pytest.mark.parametrize("degrees", [90.0, 180.0, 37.0])
def test_turned_examples_are_whole(degrees, mirrored):
    """Points, normals, motion and joints go together; what a joint's value means is the same as before."""
    made = make_example(three_boxes(), np.random.default_rng(2), 600, 6, augment=False)
    turn = Rotation.from_euler("z", degrees, degrees=True).as_matrix() @ np.diag([-1.0 if mirrored else 1.0, 1.0, 1.0])
    seen = made.turned(turn)
    shift = seen.points - made.points @ turn.T
    np.testing.assert_allclose(shift, np.broadcast_to(shift[0], shift.shape), atol=1e-6)
    np.testing.assert_allclose(seen.points.min(axis=0) + seen.points.max(axis=0), 0.0, atol=1e-6)
    np.testing.assert_allclose(seen.normals, made.normals @ turn.T, atol=1e-6)
    np.testing.assert_allclose(seen.moves, made.moves @ turn.T, atol=1e-6)
    assert all(getattr(seen, name).dtype == np.float32 for name in ("points", "normals", "moves"))
    assert made.bodies.hangs.sum() == 2
    for number in np.flatnonzero(made.bodies.hangs):
        before, after = screw_values(made, number), screw_values(seen, number)
        np.testing.assert_allclose(after, before, atol=1e-4)
        assert np.sqrt((before**2).mean()) == pytest.approx(1.0, abs=1e-3)
        assert abs(before.mean()) == pytest.approx(made.bodies.means[number], abs=1e-3)
        places, box = seen.points[seen.bodies.point == number], seen.bodies.boxes[number]
        # The box is that of the middles of sampled triangles.
        assert (box[1] - box[0] > 0.2 * (places.max(axis=0) - places.min(axis=0))).all()
        middle = 0.5 * (places.min(axis=0) + places.max(axis=0))
        np.testing.assert_allclose(box.mean(axis=0), middle, atol=0.2)


def test_alignment_agrees_with_scipy():
    rng = np.random.default_rng(7)
    rest, states = rng.normal(size=(80, 3)), rng.normal(size=(4, 80, 3))
    for state, result in zip(states, aligned(states, rest), strict=True):
        turn, _ = Rotation.align_vectors(rest - rest.mean(axis=0), state - state.mean(axis=0))
        np.testing.assert_allclose(result, turn.apply(state - state.mean(axis=0)) + rest.mean(axis=0), atol=1e-10)


def test_small_shells_get_more_than_their_area():
    vertices, triangles = joined(box((0, 0, 0), (1, 1, 1)), moved(box((0, 0, 0), (0.1, 0.1, 0.1)), (2, 0, 0)))
    shell = np.repeat([0, 1], 8)
    chosen = sample_surface(vertices, triangles, shell, np.random.default_rng(0), 11_000)
    count = np.bincount(shell[chosen.corners[:, 0]])
    assert abs(count[1] - 1000) <= 2  # a hundredth of the area, a tenth of the points; the draw is stratified
    np.testing.assert_allclose(chosen.barycentric.sum(axis=1), 1.0, atol=1e-12)
    large = chosen.corners[:, 0] < 8
    points = np.einsum("nk,nki->ni", chosen.barycentric[large], vertices[chosen.corners[large]])
    np.testing.assert_allclose(points.mean(axis=0), 0.5, atol=0.02)  # even over the faces and within triangles
    np.testing.assert_allclose(points.var(axis=0), 5 / 36, atol=0.004)  # of the surface of a unit cube


def same(first: Example, second: Example) -> bool:
    return all(
        np.array_equal(getattr(first, field), getattr(second, field))
        for field in ("points", "normals", "shell", "slot", "moves")
    )


def test_streams_are_the_same_for_the_same_numbers():
    for index in range(8):
        first, again = (example_at(SOURCE, 5, index, 128, 2) for _ in range(2))
        assert first.name == again.name and same(first, again)
    assert not same(example_at(SOURCE, 5, 0, 128, 2), example_at(SOURCE, 6, 0, 128, 2))
    assert not same(example_at(SOURCE, 5, 0, 128, 2), example_at(SOURCE, 5, 1, 128, 2))


def test_families_are_drawn_by_their_shares():
    rng = np.random.default_rng(0)
    names = [SOURCE.draw(rng).name for _ in range(600)]
    total = sum(family.share for family in JOINTED.values())
    expected = 600 * JOINTED["cabinet"].share / total
    assert abs(names.count("cabinet") - expected) < 4 * np.sqrt(expected)
    assert len(set(names)) > 0.9 * len(JOINTED)
