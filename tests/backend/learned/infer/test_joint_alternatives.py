"""How else a joint may move: what the likelihoods leave open, and nothing that would be the same motion."""

from __future__ import annotations

import numpy as np
import pytest

from backend.kinematics.base import ReferenceFrame
from backend.kinematics.state_space import StateSpace
from backend.learned.infer.decode_structure import DecodedStructure
from backend.learned.infer.rotation_averaging import Averaged
from tests.backend.learned.infer.averaged_outputs import (
    LOWER,
    MIDDLE,
    SLIDES_BACK,
    SURE,
    TURNS_ABOUT_X,
    TURNS_ABOUT_Z,
    UPPER,
    averaged_by_hand,
    carried,
    cells,
    hinge,
    joint,
    put_together,
    soften,
)

X, Y, Z = range(3)
UNDECIDED = {LOWER: np.log(0.6), MIDDLE: -SURE, UPPER: np.log(0.4)}


def undecided(told: Averaged, handle: int, *axes: int) -> None:
    """The axis of the joint is at the lower side of its box with probability 0.6, and 0.4 at the upper side."""
    for axis in axes:
        told.places[handle, axis] = [UNDECIDED[place] for place in (LOWER, MIDDLE, UPPER)]


def door(kind: int = TURNS_ABOUT_Z) -> Averaged:
    """A frame, a door from 1 to 2 along x, and its knob, of a body of its own that only the door moves."""
    told = averaged_by_hand(3)
    joint(told, 1, kind)
    carried(told, 1, 2)
    return told


def space_of(found: DecodedStructure) -> StateSpace:
    """Each handle is a vertex."""
    count = len(found.twists)
    frame = ReferenceFrame(np.zeros(3), 1.0)
    return StateSpace(found.twists, np.eye(count), found.prior_mean, found.prior_scale, frame, choices=found.choices)


def test_the_other_side_of_a_door_is_a_choice() -> None:
    """Of the box of all that the door carries, from 1 to 3; the knob goes with it either way.

    The door opens to the same side, so it turns the other way round.
    """
    told = door()
    undecided(told, 1, X)
    found = put_together(told)
    left, right = (hinge([0, 0, way], [side, 0.25, 0.125]) for way, side in ((1, 1.0), (-1, 3.0)))
    np.testing.assert_allclose(found.twists[:, 0], [np.zeros(6), left, left], atol=1e-12)
    (choice,) = found.choices
    assert choice.latent == 0 and choice.nats == pytest.approx(np.log(0.6 / 0.4))
    np.testing.assert_allclose(choice.twists, [np.zeros(6), right, right], atol=1e-12)


def test_a_chosen_side_takes_the_place_of_the_likelier_one() -> None:
    """Of the door only: a drawer beside it slides as before."""
    told = averaged_by_hand(3)
    joint(told, 1, SLIDES_BACK)
    joint(told, 2, TURNS_ABOUT_Z)
    undecided(told, 2, X)
    found = put_together(told)
    space = space_of(found)
    (choice,) = space.choices
    np.testing.assert_array_equal(np.flatnonzero(found.twists[found.handle[2]].any(axis=1)), [choice.latent])
    chosen = space.chosen(space.choices)
    right = hinge([0, 0, -1], [3.0, 0.25, 0.125])
    np.testing.assert_allclose(chosen.twists[found.handle[2], choice.latent], right, atol=1e-12)
    np.testing.assert_array_equal(chosen.twists[found.handle[1]], found.twists[found.handle[1]])
    np.testing.assert_array_equal(space.chosen([]).twists, found.twists)
    np.testing.assert_array_equal(space.twists, found.twists)


def test_what_is_sure_has_no_choices() -> None:
    assert put_together(door()).choices == ()
    assert put_together(averaged_by_hand(3)).choices == ()


def test_where_along_its_axis_something_turns_or_where_it_slides_is_no_choice() -> None:
    told = door()
    undecided(told, 1, Z)
    assert put_together(told).choices == ()
    told = door(SLIDES_BACK)
    undecided(told, 1, X, Y, Z)
    assert put_together(told).choices == ()


def test_which_way_round_an_axis_looks_is_no_choice() -> None:
    told = door()
    told.kinds[1, TURNS_ABOUT_Z : TURNS_ABOUT_Z + 2] = np.log([0.4, 0.6])
    found = put_together(told)
    assert found.choices == ()
    np.testing.assert_allclose(found.twists[1, 0, :3], [0.0, 0.0, -1.0], atol=1e-12)


def test_other_kinds_are_choices_with_their_places() -> None:
    """A flap that slides, or turns about one of two edges; what is twice unlikely is the sum of both."""
    told = door(SLIDES_BACK)
    told.kinds[1, SLIDES_BACK], told.kinds[1, TURNS_ABOUT_X] = np.log(0.7), np.log(0.3)
    undecided(told, 1, Y)
    choices = put_together(told).choices
    assert [choice.nats for choice in choices] == pytest.approx([np.log(7 / 3), np.log(7 / 3) + np.log(0.6 / 0.4)])
    for choice, side in zip(choices, (0.0, 0.5), strict=True):
        np.testing.assert_allclose(choice.twists[1], hinge([1, 0, 0], [2.0, side, 0.125]), atol=1e-12)


def test_both_axes_beside_that_of_the_hinge_are_left_open() -> None:
    told = door()
    undecided(told, 1, X, Y)
    choices = put_together(told).choices
    less = np.log(0.6 / 0.4)
    assert [choice.nats for choice in choices] == pytest.approx([less, less, 2.0 * less])


@pytest.mark.parametrize(("nats", "count"), [(2.9, 1), (3.1, 0)])
def test_what_is_hardly_likely_is_no_choice(nats: float, count: int) -> None:
    told = door()
    told.places[1, X] = [0.0, -SURE, -nats]
    assert len(put_together(told).choices) == count
    told = door()
    told.kinds[1, TURNS_ABOUT_X] = SURE - nats
    assert len(put_together(told).choices) == count


def test_choices_are_few_and_the_likeliest_of_all() -> None:
    """All five that are counted are ways to move, the one that is taken among them, of each joint by itself."""
    rng = np.random.default_rng(0)
    for _ in range(10):
        told = averaged_by_hand(3)
        for handle in (1, 2):
            joint(told, handle, TURNS_ABOUT_Z)
            told.kinds[handle] = rng.uniform(-1.0, 0.0, 12)
            told.places[handle] = rng.uniform(-1.0, 0.0, (3, 3))
        found = put_together(told)
        for latent in range(2):
            nats = [choice.nats for choice in found.choices if choice.latent == latent]
            assert len(nats) == 4 and nats == sorted(nats)
            assert nats[0] > 0.0 and nats[-1] < 3.0
            twists = [found.twists[:, latent], *(each.twists for each in found.choices if each.latent == latent)]
            assert all(np.abs(one - two).max() > 0.01 for one in twists for two in twists if one is not two)
        assert len(found.choices) == 8
        space_of(found)


def test_choices_are_of_the_body_as_its_handles_together_have_it() -> None:
    """Likelihoods are averaged over the handles of a body: two that contradict each other leave it open."""
    told = averaged_by_hand(4)
    for handle, places in ((1, [0.0, -SURE, -2.0]), (2, [-1.0, -SURE, 0.0])):
        joint(told, handle, TURNS_ABOUT_Z)
        carried(told, handle, 1, 2)
        told.places[handle, X] = places
    (choice,) = put_together(told).choices
    assert choice.nats == pytest.approx(0.5)


@pytest.mark.parametrize("order", [[0, 1, 2, 3, 4], [4, 2, 1, 3, 0], [3, 0, 4, 1, 2]])
def test_bones_that_hang_on_a_body_go_with_the_choice_of_its_joint(order: list[int]) -> None:
    """A door with two bones that hang one on the other, and a bone that hangs on the frame; in whatever order."""
    frame, door, aside, upper, lower = np.argsort(order).tolist()
    told = averaged_by_hand(5)
    joint(told, door, TURNS_ABOUT_Z)
    undecided(told, door, X)
    soften(told, aside, upper, lower)
    found = put_together(told, cells(5)[order], touching=[(frame, aside), (door, upper), (upper, lower)])
    (choice,) = found.choices
    assert choice.latent == 0 and choice.twists.shape == (5, 6)
    door, aside, upper, lower = found.handle[[door, aside, upper, lower]]
    assert choice.twists[door].any() and not choice.twists[[0, aside]].any()
    for bone in (upper, lower):
        np.testing.assert_array_equal(choice.twists[bone], choice.twists[door])
    space = space_of(found)
    chosen = space.chosen(space.choices)
    np.testing.assert_array_equal(chosen.twists[:, 1:], space.twists[:, 1:])
