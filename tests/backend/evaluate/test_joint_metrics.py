"""The figures of joints against cases that can be counted by hand."""

from __future__ import annotations

import numpy as np
import pytest

from backend.evaluate.joint_metrics import Line, axis_angle, centre_distance, figures, judged, macro
from backend.evaluate.joint_table import part_matches

UP, FORWARD = np.array([0.0, 0.0, 1.0]), np.array([0.0, 1.0, 0.0])
ORIGIN = np.zeros(3)


def test_the_angle_does_not_ask_which_way_an_axis_points_nor_how_long_it_is() -> None:
    tilted = np.array([0.0, np.sin(0.2), np.cos(0.2)])
    for sign in (1.0, -3.0):
        assert axis_angle(UP, sign * tilted) == pytest.approx(np.degrees(0.2))
    assert axis_angle(UP, FORWARD) == pytest.approx(90.0)
    assert axis_angle(UP, UP) == 0.0


def test_the_centre_is_as_far_as_the_line_wherever_on_it_its_point_is() -> None:
    for height in (0.0, 7.0):
        assert centre_distance(
            np.array([0.3, 0.4, 1.0]), Line(2.0 * UP, np.array([0.0, 0.0, height]))
        ) == pytest.approx(0.5)


def test_precision_and_recall_are_means_over_the_kinds_that_occur() -> None:
    true = ["fixed", "revolute", "revolute", "revolute", "prismatic"]
    found = ["fixed", "revolute", "revolute", "prismatic", "prismatic"]
    precision, recall = macro(true, found)
    assert precision == pytest.approx((1.0 + 1.0 + 0.5) / 3.0)
    assert recall == pytest.approx((1.0 + 2.0 / 3.0 + 1.0) / 3.0)
    # No part slides in truth: that kind has no recall, and does not count.
    assert macro(["fixed", "revolute"], ["fixed", "fixed"]) == pytest.approx(((0.5 + 0.0) / 2.0, (1.0 + 0.0) / 2.0))


def test_figures_of_an_object() -> None:
    verdicts = [
        judged("fixed", Line(UP, ORIGIN), "fixed", None, 2.0),
        # Continuous counts as revolute; 0.1 off, of a diagonal of 2.
        judged("continuous", Line(UP, ORIGIN), "revolute", Line(-UP, np.array([0.1, 0.0, 5.0])), 2.0, True),
        judged("prismatic", Line(UP, ORIGIN), "revolute", Line(FORWARD, ORIGIN), 2.0, False),
    ]
    found = figures(verdicts)
    assert found["axis_error"] == pytest.approx((0.0 + 90.0) / 2.0)
    assert found["centre_error"] == pytest.approx(0.05)  # of what turns in truth alone
    assert found["precision"] == pytest.approx((1.0 + 0.5 + 0.0) / 3.0)
    assert found["recall"] == pytest.approx(2.0 / 3.0)
    assert found["parent_accuracy"] == 0.5
    assert found["parts"] == 3


def test_where_nothing_moves_there_is_no_error() -> None:
    found = figures([judged("fixed", Line(UP, ORIGIN), "fixed", None, 1.0)])
    assert (found["axis_error"], found["centre_error"], found["precision"]) == (None, None, 1.0)


def test_a_moving_part_without_an_axis_is_as_wrong_as_can_be() -> None:
    found = figures([judged("revolute", Line(UP, ORIGIN), "fixed", None, 1.0)])
    assert (found["axis_error"], found["centre_error"]) == (90.0, 0.5)


def test_parts_are_matched_by_their_area_in_common() -> None:
    true = np.array([0, 0, 1, 1, 2])
    found = np.array([1, 1, 1, 0, 2])
    area = np.array([2.0, 2.0, 1.0, 3.0, 1.0])
    partner, overlap = part_matches(true, found, area)
    assert partner.tolist() == [1, 0, 2]
    assert overlap == pytest.approx([4.0 / 5.0, 3.0 / 4.0, 1.0])
    # More true parts than found ones: one of them is nobody's.
    partner, overlap = part_matches(true, np.zeros(5, dtype=int), area)
    assert (partner >= 0).sum() == 1 and overlap.tolist() == pytest.approx([4.0 / 9.0, 0.0, 0.0])


@pytest.mark.parametrize(
    ("kind", "axis", "found", "right"),
    [
        ("revolute", UP, 1.2, True),
        ("revolute", UP, 0.6, False),
        ("revolute", UP, np.nan, None),
        ("prismatic", UP, 1.0, None),  # another way to move
        ("revolute", FORWARD, 1.0, None),  # about another axis
    ],
)
def test_ranges_are_judged_on_the_right_axis(kind: str, axis: np.ndarray, found: float, right: bool | None) -> None:
    verdict = judged("revolute", Line(UP, ORIGIN), kind, Line(axis, ORIGIN), 1.0, spans=(1.0, found))
    assert verdict.range_right is right
    assert figures([verdict])["range_right"] == (None if right is None else float(right))
