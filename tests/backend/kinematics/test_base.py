"""Equation (1): reference coordinates, the skinning basis and handle transforms say the same positions."""

from __future__ import annotations

import numpy as np

from backend.kinematics.base import ReferenceFrame, skinning_basis
from tests.backend.takes import decode

FRAME = ReferenceFrame(np.array([3.0, -1.0, 0.5]), 2.5)


def test_reference_coordinates_are_centred_and_scaled() -> None:
    points = np.array([[3.0, -1.0, 0.5], [5.5, -1.0, 0.5]])
    assert np.allclose(FRAME.to_reference(points), [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0]])


def test_the_rest_handle_reproduces_the_rest_shape() -> None:
    points = np.random.default_rng(0).normal(size=(9, 3))
    basis = skinning_basis(np.ones((9, 1)), FRAME.to_reference(points))
    assert np.allclose(basis @ FRAME.rest_handle(), points)


def test_basis_and_world_handles_decode_to_the_same_positions() -> None:
    random = np.random.default_rng(1)
    points, weights, handles = random.normal(size=(9, 3)), random.normal(size=(9, 3)), random.normal(size=(12, 3))
    by_basis = skinning_basis(weights, FRAME.to_reference(points)) @ handles
    by_transforms = decode(weights, FRAME.world_handles(handles)[None], points)[0]
    assert np.allclose(by_basis, by_transforms)
