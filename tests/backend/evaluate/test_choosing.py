"""Points decide how a joint moves where the shape leaves it open, and only where they say something of it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from backend.data.real import find_items
from backend.evaluate.ik import MODES, dragged_points
from backend.evaluate.latent_fit import Coordinates
from backend.evaluate.row_candidates import ChoosingCandidate, StateCandidate, make_candidate, shape_of
from backend.evaluate.subject import Subject, read_subject
from backend.evaluate.surface import SurfacePoints
from backend.kinematics.base import Array
from backend.kinematics.learned import decode_states
from backend.kinematics.learned_shape import learned_shape
from backend.kinematics.state_space import Choice, StateSpace
from backend.learned.infer.state_space_model import StateSpaceModel
from backend.learned.train.checkpoint import save_model
from backend.learned.train.training_config import CONFIGS

from .objects import chest

LID, DRAWER = 0, 1
NATS = float(np.log(0.6 / 0.4))
BODY, LID_HANDLE, DRAWER_HANDLE = 1, 2, 3


@pytest.fixture
def subject(tmp_path: Path) -> Subject:
    return read_subject(find_items(chest(tmp_path / "chest"))[0], 4)


def with_other_sides(truth: StateSpace, *latents: int, nats: float = NATS) -> StateSpace:
    """The lid opens about the edge opposite to its hinge and the drawer slides sideways; what is true is a choice."""
    twists = truth.twists.copy()
    turn = twists[LID_HANDLE, LID, :3]
    hinge = np.cross(turn, twists[LID_HANDLE, LID, 3:]) / (turn @ turn)
    across = hinge * np.array([-1.0, 1.0, 1.0])
    wrong = {
        LID: (LID_HANDLE, np.concatenate([-turn, np.cross(across, -turn)])),
        DRAWER: (DRAWER_HANDLE, np.roll(twists[DRAWER_HANDLE, DRAWER], 1)),
    }
    for latent in latents:
        handle, twist = wrong[latent]
        twists[handle, latent] = twist
    choices = tuple(Choice(latent, truth.twists[:, latent], nats) for latent in latents)
    return replace(truth, twists=twists, choices=choices)


def choosing(subject: Subject, space: StateSpace) -> ChoosingCandidate:
    return ChoosingCandidate(subject, learned_shape(space, subject.vertices, subject.triangles))


def plain(subject: Subject, space: StateSpace) -> StateCandidate:
    """The likeliest row, which knows of no choices."""
    shape = learned_shape(space, subject.vertices, subject.triangles)
    coordinates = Coordinates(shape.reduction.directions, shape.reduction.mean)
    held = replace(space, weights=shape.held_weights())
    return StateCandidate(subject, held, coordinates, shape.reduction.energies, rooted=True)


def missed(subject: Subject, found: Array, goal: Array) -> float:
    judge = subject.sample(4000, 9)
    return float(np.linalg.norm(judge.on(found) - judge.on(goal), axis=1).mean())


def on_parts(subject: Subject, points: SurfacePoints, *handles: int) -> SurfacePoints:
    """Those of the points that lie on these parts."""
    own = np.isin(subject.truth.weights.argmax(axis=1)[points.corners[:, 0]], handles)
    return SurfacePoints(points.corners[own], points.shares[own])


@pytest.mark.parametrize("latents", [(LID,), (DRAWER,), (LID, DRAWER), (DRAWER, LID)])
def test_points_of_a_moved_state_pick_the_joints_that_made_it(latents: tuple[int, ...], subject: Subject) -> None:
    """Twelve are enough. What is found is then what the true joints find, however they came about."""
    space = with_other_sides(subject.truth, *latents)
    candidate, likeliest, true = choosing(subject, space), plain(subject, space), plain(subject, subject.truth)
    for number, goal in enumerate(subject.states):
        for mode in MODES:
            points = dragged_points(subject, mode, number)
            found = candidate.fit(points, points.on(goal))
            np.testing.assert_allclose(found, true.fit(points, points.on(goal)), atol=1e-6)
            error = missed(subject, found, goal)
            assert error < 0.003
            assert error < 0.1 * missed(subject, likeliest.fit(points, points.on(goal)), goal)


def test_the_right_side_of_several_is_picked(subject: Subject) -> None:
    """Wherever it comes in the list: what else is offered is likelier, and wrong."""
    space = with_other_sides(subject.truth, LID)
    (right,) = space.choices
    middle = 0.5 * (right.twists + space.twists[:, LID])
    upright = np.where(right.twists.any(axis=1)[:, None], [0.0, 0.0, 1.0, 0.0, 0.0, 0.0], 0.0)
    others = [Choice(LID, middle, 0.1), Choice(LID, upright, 0.2)]
    goal, points = subject.states[0], dragged_points(subject, "sparse", 0)
    for place in range(3):
        choices = (*others[:place], right, *others[place:])
        found = choosing(subject, replace(space, choices=choices)).fit(points, points.on(goal))
        assert missed(subject, found, goal) < 0.003


def test_where_no_point_tells_the_likeliest_stays(subject: Subject) -> None:
    """Where nothing has moved, where the lid has but no point is on it, and where it did as was likeliest."""
    space = with_other_sides(subject.truth, LID)
    candidate, likeliest, true = choosing(subject, space), plain(subject, space), plain(subject, subject.truth)
    goal = subject.states[0]
    unseen = on_parts(subject, subject.sample(60, 5), BODY, DRAWER_HANDLE)
    assert len(unseen) > 12
    for points in (unseen, unseen.first(12)):
        found = candidate.fit(points, points.on(goal))
        np.testing.assert_allclose(found, likeliest.fit(points, points.on(goal)), atol=1e-12)
        assert missed(subject, found, true.fit(points, points.on(goal))) > 0.05  # it would have made a difference
    points = dragged_points(subject, "sparse", 0)
    as_likely = decode_states(space, subject.vertices, space.prior_mean[None])[0]
    for shape in (subject.vertices, as_likely):
        found = candidate.fit(points, points.on(shape))
        np.testing.assert_allclose(found, likeliest.fit(points, points.on(shape)), atol=1e-12)
    assert missed(subject, found, as_likely) < 0.003


@pytest.mark.parametrize(("nats", "true_side"), [(0.1, True), (1e4, False)])
def test_points_are_weighed_against_how_unlikely_a_choice_is(nats: float, true_side: bool, subject: Subject) -> None:
    goal, points = subject.states[0], dragged_points(subject, "sparse", 0)
    found = choosing(subject, with_other_sides(subject.truth, LID, nats=nats)).fit(points, points.on(goal))
    assert (missed(subject, found, goal) < 0.003) == true_side


def test_a_joint_that_no_point_tells_of_stays_while_another_is_decided(subject: Subject) -> None:
    both, one = with_other_sides(subject.truth, LID, DRAWER), with_other_sides(subject.truth, LID)
    points = on_parts(subject, subject.sample(60, 5), BODY, DRAWER_HANDLE)
    goal = subject.states[0]
    found = choosing(subject, both).fit(points, points.on(goal))
    np.testing.assert_allclose(found, plain(subject, one).fit(points, points.on(goal)), atol=1e-6)


def test_without_choices_it_is_the_likeliest_row(subject: Subject) -> None:
    goal, points = subject.states[0], dragged_points(subject, "sparse", 0)
    found = choosing(subject, subject.truth).fit(points, points.on(goal))
    np.testing.assert_array_equal(found, plain(subject, subject.truth).fit(points, points.on(goal)))


def test_the_learned_row_asks_the_network_for_choices(subject: Subject, tmp_path: Path) -> None:
    """One that knows nothing, but is sure that all it sees is of rigid bodies with joints."""
    torch.manual_seed(1)
    config = CONFIGS["tiny"].model
    model = StateSpaceModel(config)
    with torch.no_grad():
        model.decoder.joint[-1].bias[-3:-1] = 100.0  # moves, firm
        model.shape.stiff.bias.fill_(100.0)
    weights = tmp_path / "tiny.safetensors"
    save_model(weights, config, model.state_dict(), {})
    assert shape_of(subject, weights).space.choices
    likeliest, learned = (make_candidate(row, subject, weights) for row in ("likeliest", "learned"))
    assert isinstance(learned, ChoosingCandidate) and not isinstance(likeliest, ChoosingCandidate)
    assert learned.size == likeliest.size
    points = dragged_points(subject, "full", 2)
    goal = points.on(subject.states[2])
    errors = [((points.on(each.fit(points, goal)) - goal) ** 2).sum() for each in (likeliest, learned)]
    assert errors[1] < errors[0]
