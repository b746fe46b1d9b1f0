"""Joints that the joint network proposes: latents that carry their part, in the order in which joints act."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from backend.geometry.mesh import Mesh
from backend.kinematics.base import Array
from backend.kinematics.learned import decode_states
from backend.kinematics.learned_shape import learned_shape
from backend.kinematics.state_space import StateSpace
from backend.understanding import joint_proposals
from backend.understanding.joint_proposals import Proposal, overlaps, proposed_joints, vertex_areas, with_proposals
from backend.understanding.network_joints import predicted_joints
from tests.backend.kinematics.spaces import boxes, chain, hinge_twist, laptop, slide_twist, space_of


def _mesh(vertices: Array, triangles: np.ndarray) -> Mesh:
    return Mesh(vertices, triangles, np.zeros(len(triangles), dtype=np.int64))


def _proposal(own: np.ndarray, twist: Array, moved: np.ndarray | None = None) -> Proposal:
    return Proposal(own, own if moved is None else moved, bool(twist[:3].any()), twist, 0.0, 2.0, 0.9)


def _lid_with_button() -> tuple[Mesh, StateSpace, Proposal]:
    """A lid that turns about the x axis, and a button in it that nobody but the joint network sees (z_2, m)."""
    vertices, triangles, part = boxes(
        [((0.0, 0.0, -0.1), (1.0, 1.0, 0.1)), ((0.0, 0.5, 0.0), (1.0, 1.0, 0.1)), ((0.2, 0.6, 0.06), (0.1, 0.1, 0.02))]
    )
    body = np.minimum(part, 1)
    space = space_of(vertices, body, np.zeros((2, 1, 6)), np.zeros(1), np.ones(1))
    twists = space.twists.copy()
    twists[1, 0] = hinge_twist((1.0, 0.0, 0.0), (0.0, 0.0, 0.0), space.frame)
    space = replace(space, twists=twists)
    return _mesh(vertices, triangles), space, _proposal(part == 2, slide_twist((0.0, 0.0, 1.0), space.frame))


def test_a_button_is_pressed_and_goes_with_its_lid() -> None:
    mesh, space, button = _lid_with_button()
    more, latents = with_proposals(space, [button], vertex_areas(mesh))
    assert latents.tolist() == [1] and more.handle_count == 3
    rest, opened, pressed, both = decode_states(more, mesh.vertices, np.array([[0, 0], [1.2, 0], [0, 0.1], [1.2, 0.1]]))
    assert rest == pytest.approx(mesh.vertices)
    assert opened == pytest.approx(decode_states(space, mesh.vertices, np.array([[1.2]]))[0])
    assert pressed[~button.own] == pytest.approx(mesh.vertices[~button.own])
    assert pressed[button.own] == pytest.approx(mesh.vertices[button.own] + [0.0, 0.0, 0.1])
    # Along the normal of the lid wherever that is.
    assert both[button.own] - opened[button.own] == pytest.approx(
        np.tile(0.1 * np.array([0.0, -np.sin(1.2), np.cos(1.2)]), (8, 1))
    )


def test_what_carries_known_joints_acts_before_them() -> None:
    (vertices, triangles), whole = chain([0.5, 0.3])
    known = replace(whole, twists=whole.twists[:, 1:], prior_mean=np.zeros(1), prior_scale=np.ones(1))
    upper = _proposal(whole.weights[:, 1] > 0.5, whole.twists[1, 0], moved=whole.weights[:, 0] < 0.5)
    more, latents = with_proposals(known, [upper], vertex_areas(_mesh(vertices, triangles)))
    assert latents.tolist() == [0]
    z = np.array([[0.7, -0.4]])
    assert decode_states(more, vertices, z) == pytest.approx(decode_states(whole, vertices, z))


def test_overlaps_count_what_is_left_behind_where_halves_are_alike() -> None:
    mesh, _, button = _lid_with_button()
    area = vertex_areas(mesh)
    moved = np.array([button.own, ~button.own])
    assert overlaps(moved, [button], area) == pytest.approx(np.array([[1.0], [0.0]]))
    assert overlaps(moved, [button], area, halves=True) == pytest.approx(np.ones((2, 1)))


def test_proposals_are_the_joints_of_the_network(monkeypatch: pytest.MonkeyPatch) -> None:
    """Their twists are along its axes, and where they move something visible they are joints of the shape."""
    (vertices, triangles), space = laptop()
    mesh = _mesh(vertices, triangles)
    found = predicted_joints(mesh, None)
    monkeypatch.setattr(joint_proposals, "predicted_joints", lambda mesh, labels: found)
    for proposal in proposed_joints(mesh, space.frame):
        joint = next(each for each in found.tree.joints if each.kind != "fixed")
        assert proposal.turns == (joint.kind != "prismatic") and proposal.own.any()
        more, latents = with_proposals(space, [proposal], vertex_areas(mesh))
        shape = learned_shape(more, vertices, triangles)
        assert latents[0] in shape.joint_latents or not np.abs(proposal.twist).max() > 0.1
        along = proposal.twist[:3] if proposal.turns else proposal.twist[3:]
        assert abs(along @ joint.axis) == pytest.approx(np.linalg.norm(along))
        assert 0.0 <= proposal.mean < 1.0
