"""Moving parts by joints: what is refused, and how far what is not refused goes."""

from __future__ import annotations

import numpy as np
import pytest

from backend.data.shapes import box
from backend.joint_search.kinematic_parents import parents_of, subtree
from backend.joint_search.parted_shape import CELL, PartedShape, parted_shape
from backend.joint_search.proposals import Proposals
from backend.joint_search.range_of_motion import Grid, Surroundings

from .furniture import chest_of_drawer, cupboard, labelled, lidded_box, sheet_cupboard, trolley


def around(thing: tuple, part: int = 1) -> tuple[PartedShape, Surroundings]:
    mesh, label = thing
    shape = parted_shape(mesh.vertices, mesh.triangles, label)
    parents = parents_of(shape, 0)
    return shape, Surroundings(shape, Grid(shape), part, int(parents[part]), subtree(parents, part))


def reach(
    shape: PartedShape, surroundings: Surroundings, turns: bool, axis: tuple, pivot: tuple = (0.0, 0.0, 0.0)
) -> tuple[float, float]:
    """Radians or metres, against the axis and along it."""
    place = shape.to_frame(np.array([pivot], dtype=float))
    lower, upper = surroundings.reach(Proposals(np.array([turns]), np.array([axis], dtype=float), place))
    scale = 1.0 if turns else shape.diagonal
    return scale * lower, scale * upper


@pytest.mark.parametrize("make", [cupboard, sheet_cupboard])
def test_a_door_opens_and_does_not_go_through_its_cabinet(make) -> None:
    shape, surroundings = around(make())
    inward, outward = reach(shape, surroundings, True, (0, 0, -1), (0.0, -0.003, 0.4))
    assert outward > np.radians(90)
    assert inward < np.radians(6)
    # About the middle of the cabinet it would have to pass through the walls, either way.
    both = reach(shape, surroundings, True, (0, 0, 1), (0.25, 0.2, 0.4))
    assert max(both) < np.radians(20)
    # It cannot be pushed in.
    _, pushed = reach(shape, surroundings, False, (0, 1, 0))
    assert pushed < 0.03


@pytest.mark.parametrize("behind", [0.06, 0.15])
def test_a_drawer_goes_as_far_as_there_is_air_behind_it(behind: float) -> None:
    shape, surroundings = around(chest_of_drawer(behind))
    outward, inward = reach(shape, surroundings, False, (0, 1, 0))
    assert inward == pytest.approx(behind, abs=2.5 * CELL * shape.diagonal)
    # Out of the front it comes until no more of it is in the cabinet.
    assert outward == pytest.approx(0.376 - behind, abs=0.05)
    for axis in ((1, 0, 0), (0, 0, 1)):
        assert max(reach(shape, surroundings, False, axis)) < 0.02


def test_a_drawer_turns_nowhere() -> None:
    shape, surroundings = around(chest_of_drawer())
    for axis in np.eye(3):
        assert max(reach(shape, surroundings, True, tuple(axis), (0.25, 0.19, 0.1))) < np.radians(15)


def test_a_lid_opens_upwards_only() -> None:
    shape, surroundings = around(lidded_box())
    down, up = reach(shape, surroundings, True, (-1, 0, 0), (0.3, 0.4, 0.302))
    assert up > np.radians(80) and down < np.radians(6)


def test_a_wheel_turns_all_round_and_stays_on_its_axle() -> None:
    shape, surroundings = around(trolley(), part=2)
    assert reach(shape, surroundings, True, (0, 1, 0), (0.12, 0.4, 0.09)) == pytest.approx((np.pi, np.pi))
    # Sideways it comes off.
    assert max(reach(shape, surroundings, False, (0, 1, 0))) < 0.15
    # About its rim it would swing into the plank, and off the axle.
    assert max(reach(shape, surroundings, True, (0, 1, 0), (0.12, 0.4, 0.01))) < np.radians(120)


def test_what_is_far_from_everything_is_let_go_at_once() -> None:
    shape, surroundings = around(labelled([box((0, 0, 0), (1, 1, 1))], [box((1.02, 0, 0), (2, 1, 1))]))
    _, away = reach(shape, surroundings, False, (1, 0, 0))
    assert away < 0.1


def test_the_same_twice() -> None:
    found = [around(cupboard())[1].swept(Proposals(np.ones(3, bool), np.eye(3), np.zeros((3, 3)))) for _ in range(2)]
    assert np.array_equal(found[0].collision, found[1].collision) and np.array_equal(
        found[0].detachment, found[1].detachment
    )
