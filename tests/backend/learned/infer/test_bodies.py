"""Which handles are one body and which bodies have a joint, for things that are told by hand."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import logit

from backend.learned.infer.decode_structure import decode_structure
from backend.learned.infer.joint_kinds import PLACE_OFFSET
from backend.learned.infer.rotation_averaging import Averaged
from tests.backend.learned.infer.averaged_outputs import (
    LOWER,
    SLIDES_BACK,
    SURE,
    TURNS_ABOUT_X,
    TURNS_ABOUT_Z,
    averaged_by_hand,
    carried,
    cells,
    joint,
    put,
    put_together,
    soften,
)


@pytest.mark.parametrize(("say", "moving"), [(-0.5, True), (-0.7, False)])
def test_what_is_a_little_less_likely_than_not_to_move_has_a_joint(say: float, moving: bool) -> None:
    told = averaged_by_hand(2)
    joint(told, 1, TURNS_ABOUT_Z)
    told.moves[1] = say
    found = put_together(told)
    np.testing.assert_array_equal(found.handle, [0, int(moving)])
    assert found.twists.any() == moving


@pytest.mark.parametrize(("moving", "together"), [(0.4, True), (0.9, False)])
def test_who_goes_with_whom_is_asked_given_that_something_moves(moving: float, together: bool) -> None:
    """The same 0.35 is nearly always where a joint is there in four of ten cases, and seldom in nine of ten.

    Handles 1 and 2 carry each other, and 1 the hand 3, which never carries anything.
    """
    told = averaged_by_hand(4)
    for handle in (1, 2):
        joint(told, handle, TURNS_ABOUT_Z)
        told.moves[handle] = logit(moving)
        told.carries[[1, 2, 3], handle] = logit(0.35)
    found = put_together(told)
    np.testing.assert_array_equal(found.handle, [0, 1, 1, 2] if together else [0, 1, 2, 0])
    if together:
        np.testing.assert_array_equal(found.twists.any(axis=2), [[False], [True], [True]])


def two_halves(*likely: float) -> Averaged:
    """Nothing stands still for sure: each part has a joint with this probability, which moves it alone."""
    told = averaged_by_hand(len(likely))
    for handle, moves in enumerate(likely):
        joint(told, handle, TURNS_ABOUT_Z)
        told.moves[handle] = told.carries[handle, handle] = logit(moves)
    return told


@pytest.mark.parametrize("likely", [(0.4, 0.4), (0.4, 0.42), (0.42, 0.4), (0.99, 0.98)])
def test_of_two_halves_that_both_may_move_one_does(likely: tuple[float, float]) -> None:
    found = put_together(two_halves(*likely))
    assert found.bodies == 1 and found.twists.shape == (2, 1, 6) and found.twists[1].any()
    assert sorted(found.handle) == [0, 1]
    if likely[0] != likely[1]:
        assert found.handle.argmax() == np.argmax(likely)


def test_where_something_else_stands_still_or_there_is_nothing_else_all_may_move() -> None:
    base = two_halves(0.4, 0.42, 0.1)
    np.testing.assert_array_equal(put_together(base).handle, [1, 2, 0])
    assert put_together(two_halves(0.4)).bodies == 1


def test_of_two_halves_one_stands_still_where_a_little_beside_them_bends() -> None:
    soft = two_halves(0.4, 0.42, 0.42)
    soften(soft, 2)
    found = put_together(soft, touching=[(0, 2)])
    assert found.bodies == 1
    np.testing.assert_array_equal(found.handle, [0, 1, 2])
    np.testing.assert_array_equal(found.bends, [False, True, True, True])
    np.testing.assert_array_equal(found.twists.any(axis=2), [[0, 0, 0, 0], [1, 0, 0, 0], [0, 1, 1, 1]])


SMALL = 0.5  # the hub, over the wheel


def two_alike(kind: int) -> Averaged:
    """Two handles that are told the same joint, about one axis where it turns, and carry each other not at all."""
    told = averaged_by_hand(3)
    for handle in (1, 2):
        joint(told, handle, kind)
        put(told, handle, 0, LOWER)
    told.place[2, 0] = -4.0 / PLACE_OFFSET  # as far from the middle of its smaller box as that of the other is
    return told


def smaller(handle: int, count: int, share: float = SMALL) -> np.ndarray:
    """Cells of which one is smaller, about its own axis: it begins where it did."""
    extents = cells(count)
    begin, side = extents[handle, 0].copy(), np.array([1.0, 0.5, 0.25])
    extents[handle, 0, 1:] = begin[1:] + 0.5 * (1.0 - share) * side[1:]
    extents[handle, 1] = extents[handle, 0] + share * side
    return extents


def test_what_is_small_and_touches_and_turns_about_one_axis_is_one_body() -> None:
    """A hub goes with its wheel: two joints that move both alike are one, but only where they touch."""
    for kind in (TURNS_ABOUT_Z, TURNS_ABOUT_Z ^ 1):
        told = two_alike(TURNS_ABOUT_Z)
        told.kinds[2] = np.roll(told.kinds[2], kind - TURNS_ABOUT_Z)  # either way round
        extents = smaller(2, 3)
        np.testing.assert_array_equal(put_together(told, extents, touching=[(1, 2)]).handle, [0, 1, 1])
        assert put_together(told, extents).bodies == 2


def test_what_touches_and_moves_otherwise_is_two_bodies() -> None:
    extents = smaller(2, 3)
    told = two_alike(TURNS_ABOUT_Z)
    told.place[2] = 0.0  # about its own left side
    assert put_together(told, extents, touching=[(1, 2)]).bodies == 2
    told = two_alike(TURNS_ABOUT_Z)
    told.kinds[2] = np.roll(told.kinds[2], TURNS_ABOUT_X - TURNS_ABOUT_Z)
    assert put_together(told, extents, touching=[(1, 2)]).bodies == 2
    told = two_alike(TURNS_ABOUT_Z)
    told.moves[2] = -SURE  # it stands still
    np.testing.assert_array_equal(put_together(told, extents, touching=[(1, 2)]).handle, [0, 1, 0])


@pytest.mark.parametrize(("share", "bodies"), [(1.0, 2), (0.8, 2), (0.6, 1), (0.1, 1)])
def test_only_what_is_clearly_smaller_is_fixed_to_what_it_touches(share: float, bodies: int) -> None:
    told = averaged_by_hand(3)
    joint(told, 1, SLIDES_BACK)
    joint(told, 2, SLIDES_BACK)
    assert put_together(told, smaller(2, 3, share), touching=[(1, 2)]).bodies == bodies


def test_neighbouring_drawers_stay_two_and_each_takes_its_handle() -> None:
    """A cabinet, drawers 1 and 2 that touch it and each other, and a handle at the front of each."""
    alone, told = averaged_by_hand(3), averaged_by_hand(5)
    for drawer in (1, 2):
        joint(alone, drawer, SLIDES_BACK)
    for handle in (1, 2, 3, 4):
        joint(told, handle, SLIDES_BACK)
    extents = cells(5)
    for handle, drawer in ((3, 1), (4, 2)):
        low = np.array([drawer + 0.4, -0.05, 0.1])
        extents[handle] = low, low + np.array([0.2, 0.05, 0.05])
    touching = [(0, 1), (0, 2), (1, 2)]
    assert put_together(alone, extents[:3], touching).bodies == 2
    found = put_together(told, extents, [*touching, (1, 3), (2, 4)])
    assert found.bodies == 2 and found.twists.shape == (3, 2, 6)
    np.testing.assert_array_equal(found.handle, [0, 1, 2, 1, 2])
    np.testing.assert_array_equal(found.twists.any(axis=2), [[False, False], [True, False], [False, True]])


def test_what_stands_still_is_not_what_another_body_carries() -> None:
    """Of two that would both move the first carries the second: the second, less sure, still has its joint."""
    told = averaged_by_hand(2)
    for handle, say in ((0, 2.0), (1, 1.0)):
        joint(told, handle, TURNS_ABOUT_Z)
        told.moves[handle] = say
    carried(told, 0, 1)
    found = put_together(told)
    assert found.handle.tolist() == [0, 1]
    assert found.twists.shape == (2, 1, 6) and not found.twists[0].any() and found.twists[1].any()


@pytest.mark.parametrize(("gap", "bodies"), [(0.3, 1), (0.99, 1), (1.01, 0), (1.8, 0)])
def test_what_is_far_from_all_else_has_no_joint(gap: float, bodies: int) -> None:
    """Two boxes side by side in an empty room: neither hangs on the other, however sure the network is."""
    told = averaged_by_hand(2)
    joint(told, 1, TURNS_ABOUT_Z)
    gaps = gap * (1.0 - np.eye(2))
    assert decode_structure(told, cells(2), gaps).bodies == bodies
