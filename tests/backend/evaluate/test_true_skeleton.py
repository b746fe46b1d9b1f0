"""Row of the true skeleton: bones turn about their heads and take along what hangs on them, and follow the clip."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from backend.data.real import find_items, read_object
from backend.evaluate.ik import measure_object
from backend.evaluate.row_candidates import make_candidate
from backend.evaluate.subject import Subject, read_subject
from backend.evaluate.true_space import SLIDE, TURN, bone_space
from backend.kinematics.learned import decode_states

from .objects import rigged_arm, swinging_bar, write_sequence


def written(path: Path, **changes: np.ndarray) -> Path:
    np.savez(path, **(rigged_arm() | changes))
    return path


@pytest.fixture
def subject(tmp_path: Path) -> Subject:
    return read_subject(find_items(written(tmp_path / "arm.npz"))[0], 3)


def test_each_bone_but_the_root_turns_all_that_it_carries_about_its_head(tmp_path: Path) -> None:
    thing = read_object(find_items(written(tmp_path / "arm.npz"))[0])
    space = bone_space(thing.bones, thing.vertices)
    assert space.latent_count == 6 and (space.prior_scale == TURN).all()
    z = np.zeros((1, 6))
    z[0, 1] = 0.4  # the middle bone about Y
    (found,) = decode_states(space, thing.vertices, z)
    head = thing.bones.heads[1]
    expected = (thing.vertices - head) @ Rotation.from_rotvec([0.0, 0.4, 0.0]).as_matrix().T + head
    np.testing.assert_allclose(found[8:], expected[8:], atol=1e-6)
    np.testing.assert_allclose(found[:8], thing.vertices[:8], atol=1e-9)


def test_a_bone_that_hangs_on_none_slides_too(tmp_path: Path) -> None:
    arrays = rigged_arm()
    loose = written(tmp_path / "arm.npz", bone_parents=np.array([-1, 2, -1]))
    thing = read_object(find_items(loose)[0])
    scales = bone_space(thing.bones, thing.vertices).prior_scale
    assert sorted(scales) == [SLIDE] * 6 + [TURN] * 9  # two roots now, neither of which moves the whole
    assert len(arrays["bone_parents"]) == 3


def test_the_true_bones_reach_every_state_and_from_twelve_points_nearly(subject: Subject) -> None:
    result = measure_object(subject, ["identity", "skeleton"])
    for mode, share in (("full", 0.02), ("sparse", 0.1)):
        still = result.mean("identity", mode).cd_l1
        assert still > 0.02 and result.mean("skeleton", mode).cd_l1 < share * still
    assert result.sizes["skeleton"].coordinates == 6


def test_what_has_no_bones_has_no_such_row(tmp_path: Path) -> None:
    bar = read_subject(find_items(write_sequence(tmp_path / "bar.npz", *swinging_bar()))[0], 1)
    assert bar.skeleton is None and make_candidate("skeleton", bar) is None
