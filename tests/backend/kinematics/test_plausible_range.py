"""How far coordinates may go: as far as the prior says where parts stay whole, less far where they would tear."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from backend.kinematics.plausible_range import TORN, edge_changes, plausible_range
from backend.kinematics.reduction import reduced
from backend.kinematics.state_space import normalised_frame
from tests.backend.kinematics.spaces import boxes, chain, laptop, slide_twist, space_of


def test_true_joints_go_two_deviations_of_the_prior() -> None:
    (vertices, triangles), space = laptop()
    reduction = reduced(space, vertices, triangles)
    lower, upper = plausible_range(space, reduction, vertices, triangles)
    np.testing.assert_allclose(lower * 0.5, [0.3 - 1.0])
    np.testing.assert_allclose(upper * 0.5, [0.3 + 1.0])


def test_rest_has_room_though_the_prior_is_elsewhere() -> None:
    (vertices, triangles), space = laptop()
    space = replace(space, prior_mean=np.array([2.0, 0.0]))
    lower, upper = plausible_range(space, reduced(space, vertices, triangles), vertices, triangles)
    assert lower[0] == pytest.approx(-0.1)
    assert upper[0] == pytest.approx(6.0)


def test_edges_of_a_stretched_box_by_hand() -> None:
    """A box of one metre whose far side is drawn out by half a metre: four edges in twelve and eight diagonals."""
    vertices, triangles, _ = boxes([((0.0, 0.0, 0.0), (1.0, 1.0, 1.0))])
    twists = np.zeros((2, 1, 6))
    twists[1, 0] = slide_twist((1.0, 0.0, 0.0), normalised_frame(vertices))
    space = space_of(vertices, (vertices[:, 0] > 0.0).astype(int), twists, np.zeros(1), np.ones(1))
    change = edge_changes(space, vertices, triangles, np.array([[0.0], [0.5]]))
    assert change[:, 0].max() == 0.0
    lengths = np.exp(change[:, 1])
    wanted = [1.0, 1.5, np.sqrt(1.0 + 1.5**2) / np.sqrt(2.0)]
    assert np.abs(lengths[:, None] - wanted).min(axis=1).max() < 1e-9
    # A third of the edges of the four long sides double their length: the limit comes before that.
    reduction = reduced(space, vertices, triangles)
    lower, upper = plausible_range(space, reduction, vertices, triangles)
    for reach in (lower, upper):
        assert 0.25 <= abs(reach[0]) < 2.0
        torn = edge_changes(space, vertices, triangles, reach[None] * reduction.directions.T) > TORN
        assert torn.mean() <= 0.05


def test_a_chain_folds_as_far_as_it_likes() -> None:
    (vertices, triangles), space = chain([0.5, 0.3, 0.2])
    lower, upper = plausible_range(space, reduced(space, vertices, triangles), vertices, triangles)
    np.testing.assert_allclose(upper, 2.0)
    np.testing.assert_allclose(lower, -2.0)
