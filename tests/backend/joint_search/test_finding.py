"""`find_joints` on furniture: the joints that an artist would draw."""

from __future__ import annotations

import numpy as np
import pytest

from backend.errors import UserError
from backend.geometry.mesh import Mesh
from backend.joint_search import find_joints
from backend.joint_search.candidate_features import COLUMNS
from backend.joint_search.candidates import PartCandidates, ShapeCandidates, find_candidates
from backend.joint_search.choosing import choose, likelihoods
from backend.joint_search.parted_shape import parted_shape
from backend.joint_search.search import FoundJoints

from .furniture import chest_of_drawer, cupboard, lidded_box, trolley


def test_a_door_turns_upright_on_the_side_away_from_its_knob() -> None:
    mesh, label = cupboard()
    found = find_joints(mesh, label)
    (joint,) = found.tree.joints
    assert (joint.child, joint.parent, joint.kind) == (1, 0, "revolute")
    assert abs(joint.axis[2]) > 0.99
    assert np.hypot(joint.origin[0], joint.origin[1]) < 0.06
    # It opens, by a right angle at least, and one way only.
    free = sorted([-joint.lower, joint.upper])
    assert free[1] > np.radians(80) and free[0] < np.radians(10)


def test_a_drawer_slides_out() -> None:
    found = find_joints(*chest_of_drawer())
    (joint,) = found.tree.joints
    assert joint.kind == "prismatic" and abs(joint.axis[1]) > 0.99
    out = -joint.lower if joint.axis[1] > 0 else joint.upper
    assert out == pytest.approx(0.376, abs=0.06)


def test_a_lid_turns_about_its_back_edge_and_upwards() -> None:
    mesh, label = lidded_box()
    (joint,) = find_joints(mesh, label).tree.joints
    assert joint.kind == "revolute" and abs(joint.axis[0]) > 0.99
    assert np.hypot(joint.origin[1] - 0.4, joint.origin[2] - 0.3) < 0.06
    angle = joint.upper if joint.upper > -joint.lower else joint.lower
    turned = np.cross(np.sign(angle) * joint.axis, np.array([0.3, 0.0, 0.31]) - joint.origin)
    assert turned[2] > 0.0 and abs(angle) > np.radians(60)


def test_wheels_turn_for_ever() -> None:
    found = find_joints(*trolley())
    assert len(found.tree.joints) == 4
    for joint in found.tree.joints:
        assert joint.kind == "continuous" and joint.parent == 0
        assert abs(joint.axis[1]) > 0.99
        assert joint.origin[2] == pytest.approx(0.09, abs=0.01)


def test_labels_may_be_any_numbers_and_carry_names() -> None:
    mesh, label = cupboard()
    found = find_joints(mesh, np.where(label == 0, 40, 7), names=["door", "body"])
    assert found.tree.parts == ("door", "body")
    (joint,) = found.tree.joints
    assert (joint.child, joint.parent) == (0, 1)
    assert set(found.label) == {0, 1}


def test_there_are_other_ways_and_none_is_the_chosen_one() -> None:
    found = find_joints(*cupboard())
    (joint,) = found.tree.joints
    ways = found.alternatives(1)
    assert ways
    for way in ways:
        same_line = np.linalg.norm(np.cross(way.origin - joint.origin, joint.axis)) < 0.01
        assert not (way.kind == joint.kind and abs(way.axis @ joint.axis) > 0.999 and same_line)


def test_another_ranking_is_multiplied_in() -> None:
    mesh, label = cupboard()
    candidates = find_candidates(parted_shape(mesh.vertices, mesh.triangles, label))
    (part,) = candidates.parts
    slides = np.append(~part.motion.proposals.turns, False)
    (plain,) = likelihoods(candidates)
    (ranked,) = likelihoods(candidates, [lambda _, __: np.where(slides, 50.0, 0.0)])
    assert np.exp(plain).sum() == pytest.approx(1.0) and np.exp(ranked[slides]).sum() > 0.99
    (choice,) = choose(candidates, [lambda _, __: np.where(slides, 50.0, 0.0)])
    assert choice.kind == "prismatic"


def test_candidates_do_not_hang_on_place_and_unit() -> None:
    mesh, label = cupboard()
    shapes = [
        parted_shape(vertices, mesh.triangles, label) for vertices in (mesh.vertices, 1000.0 * mesh.vertices - 5.0)
    ]
    here, there = (find_candidates(shape).parts[0].features for shape in shapes)
    assert here.shape[1] == len(COLUMNS) == 93
    # Voxels lie elsewhere by rounding, which some steps feel.
    assert np.median(np.abs(here - there)) < 1e-9 and np.abs(here - there).mean() < 0.05


def test_the_same_mesh_gives_the_same_joints() -> None:
    first, second = (find_joints(*lidded_box()) for _ in range(2))
    for one, other in zip(first.tree.joints, second.tree.joints, strict=True):
        assert np.array_equal(one.origin, other.origin) and (one.lower, one.upper) == (other.lower, other.upper)


def test_parts_that_are_sought_and_fixed_count_with_what_they_hang_on(monkeypatch: pytest.MonkeyPatch) -> None:
    mesh, label = cupboard()
    knob = np.arange(len(label)) >= len(label) - 12  # its box comes last
    monkeypatch.setattr("backend.joint_search.search.find_parts", lambda *_: np.where(knob, 2, label))

    def found_with(fixed_below: float) -> FoundJoints:
        """With the certainty that parts below a size are fixed, and others not."""

        def ranking(candidates: ShapeCandidates, part: PartCandidates) -> np.ndarray:
            odds = np.zeros(len(part.features))
            odds[-1] = 60.0 if candidates.shape.sizes[part.part] < fixed_below else -60.0
            return odds

        return find_joints(mesh, None, [ranking])

    assert found_with(0.0).label.max() == 2
    together = found_with(0.2)
    assert np.array_equal(together.label, label)
    (joint,) = together.tree.joints
    assert (joint.child, joint.parent) == (1, 0) and joint.kind != "fixed"
    # Where nothing moves parts are left as they are, to be put right by hand.
    assert found_with(9.0).label.max() == 2


def test_a_single_part_has_no_joints() -> None:
    mesh, label = cupboard()
    found = find_joints(mesh, np.zeros_like(label))
    assert found.tree.joints == () and found.tree.parts == ("part_0",)


def test_labels_that_do_not_fit_are_refused() -> None:
    mesh, label = cupboard()
    for labels in (label[:-1], label.astype(float)):
        with pytest.raises(UserError, match="part numbers"):
            find_joints(mesh, labels)
    many = Mesh(mesh.vertices, np.tile(mesh.triangles, (4, 1)), np.tile(mesh.slots, 4))
    with pytest.raises(UserError, match="at most"):
        find_joints(many, np.arange(len(many.triangles)))
