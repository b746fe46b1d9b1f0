"""Forward kinematics against explicit matrix exponentials, its derivatives against differences, and other libraries."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.linalg import expm
from scipy.spatial.transform import Rotation

from backend.kinematics.articulated import ArticulatedKinematics, JointTransforms
from backend.kinematics.base import ReferenceFrame
from backend.kinematics.inertia import Inertia
from backend.kinematics.rooted import RootedKinematics
from backend.kinematics.screws import twist_matrices
from tests.backend.differences import numerical_derivative

from .objects import cabinet, random_tree

FRAME = ReferenceFrame(np.array([0.3, -0.2, 0.5]), 1.7)


def explicit(tree, q):
    """A_h Float[H,4,4] in metres, joint by joint from the root."""
    values = dict(zip((joint.child for joint in tree.moving), tree.coupling @ q, strict=True))
    placed = {-1: np.eye(4)}
    for part in tree.order:
        joint, own = tree.joint_of(part), np.zeros((4, 4))
        if joint is not None and joint.moves:
            own[:3] = values[part] * twist_matrices(joint.twist)
        placed[part] = placed[tree.parent(part)] @ expm(own)
    return np.array([placed[part] for part in range(len(tree.parts))])


@pytest.mark.parametrize("seed", range(4))
def test_parts_move_as_their_joints_say(seed: int) -> None:
    tree = random_tree(seed)
    q = np.random.default_rng(seed).normal(size=len(tree.coordinates))
    wanted = explicit(tree, q)
    kinematics = ArticulatedKinematics(tree, FRAME)
    assert kinematics.name == "articulated" and kinematics.dof == len(q)
    np.testing.assert_allclose(FRAME.world_handles(kinematics.handles(q)), wanted[:, :3], atol=1e-12)
    np.testing.assert_allclose(JointTransforms(tree)(q), wanted[:, :3], atol=1e-12)
    several = JointTransforms(tree, [3, 1])(np.stack([np.zeros_like(q), q]))
    np.testing.assert_allclose(several[1], wanted[[3, 1], :3], atol=1e-12)
    assert (several[0] == np.eye(4)[:3]).all()


def test_the_rest_is_where_the_mesh_is_drawn() -> None:
    kinematics = ArticulatedKinematics(random_tree(0), FRAME)
    handles = FRAME.world_handles(kinematics.handles(kinematics.rest()))
    np.testing.assert_allclose(handles, np.broadcast_to(np.eye(4)[:3], handles.shape), atol=1e-15)


@pytest.mark.parametrize("free", [False, True])
def test_derivatives(free: bool) -> None:
    tree, rng = random_tree(2), np.random.default_rng(5)
    kinematics = ArticulatedKinematics(tree, FRAME)
    if free:
        kinematics = RootedKinematics(kinematics, FRAME.centre, np.tile([0.0, 0.0, 0.0, 1.0], len(tree.parts)))
    q, rate = rng.normal(size=(2, kinematics.dof))
    force = rng.normal(size=(4 * len(tree.parts), 3))
    jacobian = kinematics.jacobian(q)
    numerical = numerical_derivative(kinematics.handles, q).reshape(jacobian.shape)
    np.testing.assert_allclose(jacobian, numerical, atol=1e-7)
    np.testing.assert_allclose(kinematics.push(q, rate).ravel(), jacobian @ rate, atol=1e-12)
    np.testing.assert_allclose(kinematics.pull(q, force), jacobian.T @ force.ravel(), atol=1e-12)
    bent = numerical_derivative(lambda t: kinematics.push(q + t[0] * rate, rate), np.zeros(1))[..., 0]
    np.testing.assert_allclose(kinematics.acceleration(q, rate), bent, atol=1e-6)
    curved = numerical_derivative(lambda at: kinematics.pull(at, force), q)
    np.testing.assert_allclose(kinematics.curvature(q, force), curved, atol=1e-6)


def test_an_object_that_is_turned_and_moved_takes_its_joints_along() -> None:
    jointed = cabinet()[1]
    place = np.eye(4)
    place[:3] = Rotation.from_rotvec([0.4, -0.7, 1.1]).as_matrix() @ np.eye(4)[:3]
    place[:3, 3] = [1.0, -2.0, 0.5]
    moved = jointed.placed(lambda points: points @ place[:3, :3].T + place[:3, 3])
    q = np.array([-0.9, 0.2, 0.6])
    there, here = explicit(moved.tree, q), explicit(jointed.tree, q)
    np.testing.assert_allclose(there, place @ here @ np.linalg.inv(place), atol=1e-12)
    with_mass = replace(jointed, inertias=(Inertia(2.0, np.ones(3), np.diag([1.0, 2.0, 2.5])), None, None, None))
    own = with_mass.placed(lambda points: points @ place[:3, :3].T + place[:3, 3]).inertias[0]
    assert own is not None
    np.testing.assert_allclose(own.centre, place[:3, :3] @ np.ones(3) + place[:3, 3])
    np.testing.assert_allclose(np.linalg.eigvalsh(own.tensor), [1.0, 2.0, 2.5])


def test_spatial_twists_of_many_states_are_the_rates_of_the_poses() -> None:
    tree, rng = random_tree(1), np.random.default_rng(6)
    transforms = JointTransforms(tree)
    states = rng.normal(size=(3, len(tree.coordinates)))
    poses, twists = transforms.with_jacobian(states)
    np.testing.assert_allclose(poses, transforms(states), atol=1e-13)
    for number, q in enumerate(states):
        slope = numerical_derivative(transforms, q)  # (H, 3, 4, k)
        for column in range(len(q)):
            matrices = twist_matrices(twists[number, :, :, column])
            wanted = matrices[..., :3] @ poses[number]
            wanted[..., 3] += matrices[..., 3]
            np.testing.assert_allclose(slope[..., column], wanted, atol=1e-7)
