"""What a state space refuses, and other ways of its joints to move."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from backend.kinematics.learned import decode_states
from backend.kinematics.state_space import Choice
from tests.backend.kinematics.spaces import hinge_twist, laptop

NATS = float(np.log(0.6 / 0.4))


def front(handles: int = 2) -> np.ndarray:
    """Twists of a lid that turns about the front edge of the laptop instead of its back edge."""
    _, space = laptop()
    twists = np.zeros((handles, 6))
    twists[1] = hinge_twist((1.0, 0.0, 0.0), (0.0, -0.1, 0.02), space.frame)
    return twists


def with_base(twists: np.ndarray) -> np.ndarray:
    """The same, where handle 0 moves too."""
    return twists + np.array([[0.0, 0.0, 0.0, 0.0, 0.0, 0.1], [0.0] * 6])


@pytest.mark.parametrize(
    "choice",
    [
        Choice(2, front(), NATS),
        Choice(-1, front(), NATS),
        Choice(0, front(3), NATS),
        Choice(0, front()[1:], NATS),
        Choice(0, front()[:, :5], NATS),
        Choice(0, front()[:, None], NATS),
        Choice(0, with_base(front()), NATS),
    ],
    ids=["latent_beyond", "latent_below", "more_handles", "fewer_handles", "short_twists", "more_axes", "base_moves"],
)
def test_choices_of_another_space_are_refused(choice: Choice) -> None:
    _, space = laptop()
    good = Choice(0, front(), NATS)
    assert replace(space, choices=(good,)).choices == (good,)
    with pytest.raises(ValueError, match=f"a choice for the latent {choice.latent} does not belong"):
        replace(space, choices=(good, choice))


@pytest.mark.parametrize("bends", [[True], [True, False, False], [[True, False]]])
def test_what_bends_is_told_of_every_latent(bends: list[bool]) -> None:
    _, space = laptop()
    assert space.bends is None
    assert replace(space, bends=np.array([True, False])).bends.tolist() == [True, False]
    with pytest.raises(ValueError, match="bends"):
        replace(space, bends=np.array(bends))


def test_a_chosen_joint_moves_as_the_choice_says_and_others_as_before() -> None:
    (vertices, _), space = laptop()
    other = np.zeros((2, 6))
    other[1, 5] = 1.0
    choices = Choice(0, front(), NATS), Choice(1, other, 0.5)
    space = replace(space, choices=choices, bends=np.array([False, True]))
    chosen = space.chosen(space.choices[:1])
    np.testing.assert_array_equal(chosen.twists[:, 0], front())
    np.testing.assert_array_equal(chosen.twists[:, 1], space.twists[:, 1])
    for name in ("weights", "prior_mean", "prior_scale", "frame", "bends"):
        assert getattr(chosen, name) is getattr(space, name)
    both = space.chosen(space.choices)
    np.testing.assert_array_equal(both.twists, np.stack([front(), other], axis=1))
    shape = decode_states(chosen, vertices, np.array([[np.pi, 0.0]]))[0]
    edge = np.array([0.0, -0.1, 0.02])
    np.testing.assert_allclose(shape[8:] - edge, (vertices[8:] - edge) * [1.0, -1.0, -1.0], atol=1e-12)
    np.testing.assert_allclose(shape[:8], vertices[:8], atol=1e-15)


def test_choosing_leaves_the_space_as_it_is() -> None:
    _, space = laptop()
    before = space.twists.copy()
    space = replace(space, choices=(Choice(0, front(), NATS),))
    space.chosen(space.choices)
    np.testing.assert_array_equal(space.twists, before)
    np.testing.assert_array_equal(space.chosen(()).twists, before)
