"""Stretch, crossings and tears of shapes whose faults are known."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from backend.data.real import find_items
from backend.evaluate.latent_fit import Coordinates
from backend.evaluate.plausible_states import crossings, plausibility
from backend.evaluate.reconstruct import reconstruction
from backend.evaluate.row_candidates import StateCandidate, make_candidate
from backend.evaluate.subject import Subject, read_subject
from backend.kinematics.state_space import StateSpace, normalised_frame
from tests.backend.shapes import bar, joined, moved, sheet, split

from .objects import chest


def subject_of(vertices: np.ndarray, triangles: np.ndarray, shell: np.ndarray | None = None) -> Subject:
    unit = normalised_frame(vertices).to_reference(vertices)
    shell = np.zeros(len(unit), dtype=np.int64) if shell is None else shell
    return Subject("thing", "things", unit, triangles, shell, unit[None], False, 1, None, None)


def sliding_space(subject: Subject, weight: np.ndarray, mean: float = 0.0, scale: float = 1.0) -> StateSpace:
    """One coordinate that moves vertices by `weight` times itself along x."""
    twists = np.zeros((2, 1, 6))
    twists[1, 0, 3] = 1.0
    weights = np.column_stack([1.0 - weight, weight])
    frame = normalised_frame(subject.vertices)
    return StateSpace(twists, weights, np.array([mean]), np.array([scale]), frame)


def candidate_of(subject: Subject, space: StateSpace) -> StateCandidate:
    return StateCandidate(subject, space, Coordinates.of_all_latents(space), np.ones(1), rooted=False)


def test_a_bar_that_is_pulled_long_stretches_by_as_much() -> None:
    vertices, triangles = bar(1.0, 0.1, 8)
    subject = subject_of(vertices, triangles)
    share = 0.5 * (subject.vertices[:, 0] + 1.0)  # 0 at one end, 1 at the other: length 2 + z
    space = sliding_space(subject, share, mean=0.5, scale=1e-9)
    found = plausibility(subject, candidate_of(subject, space), states=2)
    # Edges along x are longer by a quarter, those across not at all, diagonal ones in between.
    assert found.stretch["0.99"] == pytest.approx(0.25, rel=1e-3)
    assert 0.0 < found.within_stretch < 1.0
    slight = plausibility(subject, candidate_of(subject, sliding_space(subject, share, 0.1, 1e-9)), states=2)
    assert slight.within_stretch == 1.0


def test_random_states_stay_within_two_deviations() -> None:
    vertices, triangles = bar(1.0, 0.1, 8)
    subject = subject_of(vertices, triangles)
    space = sliding_space(subject, np.ones(len(vertices)), mean=3.0, scale=0.5)
    q = candidate_of(subject, space).random_coordinates(np.random.default_rng(0), 500, within=2.0)
    z = 0.5 * q[:, 0]
    assert 2.0 <= z.min() < 2.1 and 3.9 < z.max() <= 4.0 and z.mean() == pytest.approx(3.0, abs=0.05)


def test_crossings_of_two_sheets() -> None:
    """An upright sheet through a lying one: as many edges cross as stand over its inside."""
    lying = sheet(2, 2, 2.0, 2.0)
    upright = sheet(5, 2, 0.8, 1.0)
    turned = np.column_stack([upright[0][:, 0] + 0.61, np.full(10, 0.93), upright[0][:, 1] - 0.5])
    vertices, triangles = joined(lying, (turned, upright[1]))
    edges = np.unique(
        np.sort(np.concatenate([triangles[:, [0, 1]], triangles[:, [1, 2]], triangles[:, [2, 0]]]), axis=1), axis=0
    )
    found = crossings(vertices, triangles, edges)
    crossing = edges[np.unique(found // len(triangles))]
    standing = {(4 + 2 * column, 5 + 2 * column) for column in range(5)}
    assert standing <= {tuple(edge) for edge in crossing.tolist()}
    # Of the lying sheet only its diagonal crosses, which the upright one stands across.
    assert [tuple(edge) for edge in crossing.tolist() if edge[0] < 4] == [(0, 3)]
    heights = vertices[crossing[crossing[:, 0] >= 4]][..., 2]
    assert (heights.min(axis=1) < 0).all() and (heights.max(axis=1) > 0).all()
    lifted = vertices.copy()
    lifted[4:, 2] += 0.6
    assert len(crossings(lifted, triangles, edges)) == 0


def test_neighbours_that_touch_are_not_crossings() -> None:
    vertices, triangles = bar(1.0, 0.1, 8)
    edges = np.unique(np.sort(triangles[:, :2], axis=1), axis=0)
    assert len(crossings(vertices, triangles, edges)) == 0
    apart = split((vertices, triangles))  # each face with corners of its own, at the same places
    assert len(crossings(apart[0], apart[1], np.sort(apart[1][:, :2], axis=1))) == 0


def test_crossings_of_the_drawn_shape_do_not_count() -> None:
    one, other = bar(1.0, 0.1, 8), moved(bar(1.0, 0.05, 8), (0.2, 0.01, 0.013))
    vertices, triangles = joined(one, other)
    shell = np.repeat([0, 1], [len(one[0]), len(other[0])])
    subject = subject_of(vertices, triangles, shell)
    still = sliding_space(subject, np.ones(len(vertices)))
    assert plausibility(subject, candidate_of(subject, still), states=3).new_crossings == 0.0
    deeper = sliding_space(subject, shell.astype(float), mean=-0.31, scale=1e-9)
    assert plausibility(subject, candidate_of(subject, deeper), states=2).new_crossings > 0.0


def test_what_hangs_together_in_the_drawing_tears() -> None:
    """A bar cut in two along a seam: its halves are one loose part, and part them is to tear it."""
    vertices, triangles = bar(1.0, 0.1, 8)
    left = vertices[triangles].mean(axis=1)[:, 0] < 0.5
    halves = [
        (vertices[np.unique(some)], np.unique(some, return_inverse=True)[1].reshape(-1, 3))
        for some in (triangles[left], triangles[~left])
    ]
    cut, faces = joined(*halves)
    second = np.repeat([0.0, 1.0], [len(half[0]) for half in halves])
    whole = subject_of(cut, faces)
    torn = plausibility(whole, candidate_of(whole, sliding_space(whole, second, 0.3, 1e-9)), states=2)
    assert torn.torn > 0.0 and torn.widest_tear == pytest.approx(0.3, abs=1e-6)
    assert torn.within_stretch == 1.0  # no edge stretches: a seam is what opens
    parted = subject_of(cut, faces, second.astype(np.int64))
    fine = plausibility(parted, candidate_of(parted, sliding_space(parted, second, 0.3, 1e-9)), states=2)
    assert fine.torn == 0.0


def test_true_joints_follow_all_of_the_motion_and_standing_still_none(tmp_path: Path) -> None:
    subject = read_subject(find_items(chest(tmp_path / "chest"))[0], 6)
    truth = make_candidate("joints", subject)
    found = reconstruction(subject, truth)
    assert found.ratio < 1e-3
    assert found.freedom == found.coordinates == found.active == 2
    assert reconstruction(subject, make_candidate("identity", subject)).ratio == pytest.approx(1.0)
