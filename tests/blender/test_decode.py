"""Decoding against the formula."""

import numpy as np
import pytest


def test_decoding_is_the_formula_in_object_space(addon):
    from neurok_blender.job.motion import Shape
    from neurok_blender.scene.decode import BLOCK, Decoder

    random = np.random.default_rng(4)
    count, handles = BLOCK + 1234, 7
    weights = random.normal(size=(count, handles)).astype(np.float32)  # rows that do not sum to 1 are allowed
    rest = random.normal(size=(count, 3)).astype(np.float32)
    transforms = random.normal(size=(handles, 3, 4)).astype(np.float32)
    to_object = np.eye(4)
    to_object[:3] = random.normal(size=(3, 4))
    homogeneous = np.concatenate([rest, np.ones((count, 1))], axis=1)
    world = np.einsum("vh,hij,vj->vi", weights.astype(np.float64), transforms.astype(np.float64), homogeneous)
    expected = world @ to_object[:3, :3].T + to_object[:3, 3]
    found = Decoder(weights, rest, to_object)(Shape(transforms))
    assert found.dtype == np.float32
    assert np.abs(found - expected).max() < 2e-5 * np.abs(expected).max()


@pytest.mark.parametrize("skinned", [True, False])
def test_points_are_added_to_what_is_skinned_and_positions_alone(addon, skinned):
    from neurok_blender.job.motion import Shape
    from neurok_blender.scene.decode import Decoder

    random = np.random.default_rng(4)
    weights, rest = random.normal(size=(50, 2)).astype(np.float32), random.normal(size=(50, 3)).astype(np.float32)
    transforms, points = random.normal(size=(2, 3, 4)).astype(np.float32), random.normal(size=(50, 3))
    to_object = np.eye(4)
    to_object[:3] = random.normal(size=(3, 4))
    world = points.copy()
    if skinned:
        world += np.einsum("vh,hij,vj->vi", weights, transforms, np.concatenate([rest, np.ones((50, 1))], axis=1))
    shape = Shape(transforms if skinned else None, points.astype(np.float32))
    found = Decoder(weights if skinned else None, rest, to_object)(shape)
    assert found.dtype == np.float32
    assert np.abs(found - (world @ to_object[:3, :3].T + to_object[:3, 3])).max() < 2e-5 * np.abs(world).max()


def test_the_rest_pose_decodes_to_the_drawn_shape(addon):
    from neurok_blender.job.motion import Shape
    from neurok_blender.scene.decode import Decoder

    rest = np.random.default_rng(5).normal(size=(50, 3)).astype(np.float32)
    identity = np.eye(4, dtype=np.float32)[None, :3]
    assert np.array_equal(Decoder(np.ones((50, 1), np.float32), rest, np.eye(4))(Shape(identity)), rest)


def test_weights_of_another_mesh_are_an_error(addon):
    from neurok_blender.scene.decode import Decoder

    with pytest.raises(ValueError, match=r"\(3, 1\) do not fit 4 vertices"):
        Decoder(np.ones((3, 1), np.float32), np.zeros((4, 3), np.float32), np.eye(4))
