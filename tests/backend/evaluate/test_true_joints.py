"""True joints as a state space: the same shapes, the way back from points to values, and what points leave open."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from backend.data.joint_labels import JointLabels
from backend.data.real import find_items, read_object
from backend.evaluate import latent_fit
from backend.evaluate.ik import MODES, dragged_points, measure_object
from backend.evaluate.latent_fit import Coordinates, FitSettings, LatentFit
from backend.evaluate.metrics import Target
from backend.evaluate.row_candidates import StateCandidate, make_candidate
from backend.evaluate.subject import read_subject
from backend.evaluate.surface import sample_surface
from backend.evaluate.true_space import true_space
from backend.kinematics.base import skinning_basis
from backend.kinematics.learned import decode_states
from tests.backend.shapes import block, joined, moved

from .objects import chest, swinging_bar, write_sequence

EXACT = FitSettings(noise=1e-3)


def random_chain(rng: np.random.Generator, parts: int) -> tuple[np.ndarray, np.ndarray, JointLabels]:
    """Blocks here and there, each hanging on one before it by a joint of any kind."""
    pieces = [moved(block(rng.uniform(0.1, 0.5, 3), (1, 1, 1)), rng.normal(size=3)) for _ in range(parts)]
    vertices, triangles = joined(*pieces)
    axes = rng.normal(size=(parts, 3))
    tree = JointLabels.of_arrays(
        part=np.repeat(np.arange(parts), [len(piece[0]) for piece in pieces]),
        parents=np.array([-1, *(rng.integers(0, number) for number in range(1, parts))]),
        types=("fixed", *rng.choice(["revolute", "prismatic", "continuous", "fixed"], parts - 2), "revolute"),
        axes=axes / np.linalg.norm(axes, axis=1)[:, None],
        origins=rng.normal(size=(parts, 3)),
        lower=rng.uniform(-1.0, 0.0, parts),
        upper=rng.uniform(0.1, 1.0, parts),
    )
    return vertices, triangles, tree


@pytest.mark.parametrize("seed", range(5))
def test_the_space_of_a_tree_makes_the_shapes_of_the_tree(seed: int) -> None:
    """Whatever the order of the parts in the file, whatever the unit."""
    rng = np.random.default_rng(seed)
    vertices, _, tree = random_chain(rng, 9)
    unit = 30.0
    reach = np.where([kind == "prismatic" for kind in tree.types], unit, 1.0)
    lower, upper = reach * tree.lower, reach * tree.upper
    tree = JointLabels.of_arrays(tree.part, tree.parents, tree.types, tree.axes, unit * tree.origins, lower, upper)
    vertices = unit * vertices
    values = tree.random_values(rng, 4)
    z = values[:, np.argsort([_depth(tree, part) for part in tree.columns], kind="stable")]
    assert decode_states(true_space(tree, vertices), vertices, z) == pytest.approx(
        tree.posed(vertices, values), abs=1e-9
    )


def _depth(tree: JointLabels, part: int) -> int:
    return 0 if tree.parents[part] < 0 else 1 + _depth(tree, tree.parents[part])


def test_the_prior_is_that_of_uniform_joint_values(tmp_path: Path) -> None:
    thing = read_object(find_items(chest(tmp_path / "chest"))[0])
    space = true_space(thing.joints, thing.vertices)
    assert space.prior_mean == pytest.approx([-0.75, 0.2])
    assert space.prior_scale == pytest.approx([1.5 / np.sqrt(12.0), 0.4 / np.sqrt(12.0)])


def test_what_no_point_shows_stays_where_the_prior_has_it(tmp_path: Path) -> None:
    """The body and the lid are dragged, the drawer is not."""
    subject = read_subject(find_items(chest(tmp_path / "chest"))[0], 1)
    basis = skinning_basis(subject.truth.weights, subject.vertices)
    part, goal = subject.truth.weights.argmax(axis=1) - 1, subject.states[0]
    coordinates = Coordinates.of_all_latents(subject.truth)
    fit = LatentFit(subject.truth, coordinates, subject.free, EXACT)
    pose = fit.solve(basis[part < 2][::9], goal[part < 2][::9])
    z = coordinates.directions @ pose.q
    assert z[1] == pytest.approx(subject.truth.prior_mean[1], abs=1e-6)
    found = basis @ fit.handles(pose)
    assert found[part == 1] == pytest.approx(goal[part == 1], abs=1e-4)


def test_joints_are_the_ceiling_and_standing_still_is_the_motion(tmp_path: Path) -> None:
    subject = read_subject(find_items(chest(tmp_path / "chest"))[0], 4)
    result = measure_object(subject, ["identity", "rigid", "joints"])
    motion = []
    judge = subject.sample(10_000, 1)
    for state in subject.states:
        motion.append(np.linalg.norm(judge.on(state) - judge.on(subject.vertices), axis=1).mean())
    for mode in MODES:
        assert result.mean("identity", mode).point_error == pytest.approx(np.mean(motion), rel=1e-12)
        assert result.mean("joints", mode).point_error < 0.2 * np.mean(motion)
    assert result.mean("joints", "full").point_error < 1e-4
    assert result.mean("joints", "full").cd_l1 < 1e-4
    # The best placement is the best in the squares that it was fitted to, whatever the other measures say.
    points = dragged_points(subject, "full", 0)
    placed = make_candidate("rigid", subject).fit(points, points.on(subject.states[0]))
    missed, still = (
        ((points.on(each) - points.on(subject.states[0])) ** 2).sum() for each in (placed, subject.vertices)
    )
    assert missed < still


def test_joints_that_go_round_are_found_wherever_they_are() -> None:
    """A wheel may stand anywhere on its turn; the descent alone ends in the wrong half of the time."""
    vertices, triangles = joined(
        block((1.0, 0.2, 0.2), (2, 1, 1)), moved(block((0.2, 0.1, 1.5), (1, 1, 4)), (0.0, 0.3, 0.5))
    )
    still = len(block((1.0, 0.2, 0.2), (2, 1, 1))[0])
    tree = JointLabels.of_arrays(
        part=np.repeat([0, 1], [still, len(vertices) - still]),
        parents=np.array([-1, 0]),
        types=("fixed", "continuous"),
        axes=np.array([[0.0, 0.0, 1.0], [0.0, 1.0, 0.0]]),
        origins=np.zeros((2, 3)),
        lower=np.full(2, np.nan),
        upper=np.full(2, np.nan),
    )
    space = true_space(tree, vertices)
    unit = space.frame.to_reference(vertices)
    basis = skinning_basis(space.weights, unit)
    fit = LatentFit(space, Coordinates.of_all_latents(space), False, EXACT)
    points = sample_surface(unit, triangles, 30, np.random.default_rng(0))
    for angle in np.linspace(-3.1, 3.1, 9):
        goal = space.frame.to_reference(tree.posed(vertices, [[angle]])[0])
        found = basis @ fit.handles(fit.solve(points.on(basis), points.on(goal)))
        assert found == pytest.approx(goal, abs=1e-3)


def test_a_free_object_is_also_moved_as_a_whole(tmp_path: Path) -> None:
    """The same joints, thrown about: turn, shift and values are found together, and none where a base stands still."""
    subject = read_subject(find_items(chest(tmp_path / "chest"))[0], 1)
    turn = np.array([[0.0, -1.0, 0.0], [0.0, 0.0, -1.0], [1.0, 0.0, 0.0]])
    goal = subject.states[0] @ turn.T + np.array([0.5, -1.0, 2.0])
    basis = skinning_basis(subject.truth.weights, subject.vertices)
    errors = {}
    for free in (True, False):
        fit = LatentFit(subject.truth, Coordinates.of_all_latents(subject.truth), free, EXACT)
        pose = fit.solve(basis, goal)
        errors[free] = np.abs(basis @ fit.handles(pose) - goal).max()
        if free:
            assert pose.turn == pytest.approx(turn, abs=1e-4)
    assert errors[True] < 1e-3 and errors[False] > 0.5


def test_a_root_takes_back_what_another_base_moves(tmp_path: Path) -> None:
    """The lid stands still and the body opens: the same shapes from elsewhere, which nothing of the shape excludes."""
    subject = read_subject(find_items(chest(tmp_path / "chest"))[0], 3)
    truth = subject.truth
    lid = truth.twists[2, 0]
    assert lid.any() and not truth.twists[1].any() and truth.twists[3, 1].any()
    twists = np.zeros_like(truth.twists)
    twists[1, 0] = twists[3, 0] = -lid
    twists[3, 1] = truth.twists[3, 1]
    turned_round = replace(truth, twists=twists)
    judge, errors = subject.sample(4000, 9), {}
    for rooted in (True, False):
        candidate = StateCandidate(
            subject, turned_round, Coordinates.of_all_latents(turned_round), np.ones(2), rooted, FitSettings(noise=1e-3)
        )
        for mode in MODES:
            missed = []
            for number, state in enumerate(subject.states):
                points = dragged_points(subject, mode, number)
                found = candidate.fit(points, points.on(state))
                missed.append(np.linalg.norm(judge.on(found) - judge.on(state), axis=1).mean())
            errors[rooted, mode] = np.mean(missed)
    assert errors[True, "full"] < 1e-3 and errors[False, "full"] > 0.05
    assert errors[True, "sparse"] < 0.2 * errors[False, "sparse"]


def test_the_slope_of_the_objective_is_its_derivative(tmp_path: Path) -> None:
    """Root and prior included, far from the minimum."""
    subject = read_subject(find_items(chest(tmp_path / "chest"))[0], 1)
    basis, rng = skinning_basis(subject.truth.weights, subject.vertices)[::20], np.random.default_rng(3)
    # Little weight on the points: the prior of the root shows.
    fit = LatentFit(subject.truth, Coordinates.of_all_latents(subject.truth), True, FitSettings(noise=3.0, root=0.2))
    problem = latent_fit._Problem(fit, basis, subject.states[0][::20])
    start = problem.descend(np.zeros(2), 0)
    state = problem._moved(start, np.r_[0.3, -0.7, 0.5, -0.4, 0.8, 0.1, 0.3, -0.2])
    slope = problem._model(state)[0]
    for step in rng.normal(size=(5, 8)):
        ahead, behind = (problem._moved(state, sign * 1e-5 * step).value for sign in (1.0, -1.0))
        assert slope @ step == pytest.approx((ahead - behind) / 2e-5, rel=1e-5)


def test_states_of_free_objects_come_without_the_motion_of_the_whole(tmp_path: Path) -> None:
    frames, triangles = swinging_bar()
    angle = 0.7
    turn = np.array([[np.cos(angle), -np.sin(angle), 0.0], [np.sin(angle), np.cos(angle), 0.0], [0.0, 0.0, 1.0]])
    drifting = frames @ turn.T + np.array([3.0, 0.0, 1.0])
    drifting[0] = frames[0]  # the drawn state is elsewhere than all others
    subject = read_subject(find_items(write_sequence(tmp_path / "bar.npz", drifting, triangles))[0], 5)
    assert subject.free and subject.truth is None
    result = measure_object(subject, ["identity", "rigid", "joints"])
    assert list(result.errors) == ["identity", "rigid"]  # nobody knows its joints
    # With the motion of the whole left in, standing still would be wrong by metres.
    assert result.mean("identity", "full").point_error < 0.3
    spread = subject.sample(4000, 9)
    for state in subject.states:
        placed = spread.on(state).mean(axis=0)
        assert placed == pytest.approx(spread.on(subject.vertices).mean(axis=0), abs=0.01)


def test_targets_are_the_same_each_time_and_differ_between_states(tmp_path: Path) -> None:
    item = find_items(chest(tmp_path / "chest"))[0]
    first, second = (read_subject(item, 3) for _ in range(2))
    assert np.array_equal(first.states, second.states)
    judge = first.sample(100, 1)
    assert np.array_equal(judge.shares, second.sample(100, 1).shares)
    assert Target(judge.on(first.states[0])).error(judge.on(first.states[1])).point_error > 0.01
