"""The validator: what it refuses, and that it refuses it in one sentence with a remedy."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from backend.errors import UserError
from backend.geometry import MAXIMUM_VERTICES, triangle_areas, validate_mesh
from tests.backend.geometry.shapes import box

CORNERS, FACES = box()


def _refused(vertices: object, triangles: object, slots: object = None) -> UserError:
    with pytest.raises(UserError) as caught:
        validate_mesh(vertices, triangles, slots)
    error = caught.value
    assert error.message.endswith(".") and error.remedy.endswith(".")
    assert str(error) == f"{error.message} {error.remedy}"
    return error


def test_empty_mesh() -> None:
    assert _refused(np.empty((0, 3)), np.empty((0, 3), dtype=int)).code == "empty_mesh"


def test_no_faces() -> None:
    assert _refused(CORNERS, np.empty((0, 3), dtype=int)).code == "no_faces"


def test_one_vertex() -> None:
    assert _refused([[0.0, 0.0, 0.0]], [[0, 0, 0]]).code == "one_vertex"


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_not_finite_says_how_many(value: float) -> None:
    broken = CORNERS.copy()
    broken[2, 0] = broken[2, 1] = broken[5, 2] = value
    error = _refused(broken, FACES)
    assert error.code == "not_finite"
    assert error.message.startswith("2 of 8 vertices")


@pytest.mark.parametrize("index", [-1, 8, 2**40])
def test_index_out_of_range(index: int) -> None:
    broken = FACES.copy()
    broken[3, 1] = index
    error = _refused(CORNERS, broken)
    assert error.code == "index_out_of_range"
    assert error.message.startswith("1 of 12 faces")


def test_no_area() -> None:
    assert _refused(CORNERS * [1, 0, 0], FACES).code == "no_area"
    assert _refused(np.ones((8, 3)), FACES).code == "no_area"


def test_too_many_vertices() -> None:
    vertices = np.broadcast_to(np.zeros(3, dtype=np.float32), (MAXIMUM_VERTICES, 3))
    assert _refused(vertices, FACES).code == "too_many_vertices"


def test_bad_shapes_and_types() -> None:
    assert _refused(CORNERS[:, :2], FACES).code == "bad_shape"
    assert _refused(CORNERS, [[0, 1, 2, 3]]).code == "bad_shape"
    assert _refused(CORNERS, FACES.astype(float)).code == "bad_indices"
    assert _refused(CORNERS.astype(str), FACES).code == "bad_vertices"
    assert _refused(CORNERS * 1e200, FACES).code == "too_large"


def test_accepts_what_artists_have() -> None:
    vertices = np.concatenate([CORNERS, CORNERS, [[9.0, 9.0, 9.0]]])
    triangles = np.concatenate([FACES, FACES + 8, [[0, 0, 1], [0, 1, 2], [0, 1, 7], [0, 1, 5]]])
    mesh = validate_mesh(vertices.astype(np.float32), triangles.astype(np.uint32))
    assert mesh.vertices.dtype == np.float64 and mesh.triangles.dtype == np.int64
    assert np.array_equal(mesh.triangles, triangles)


@pytest.mark.parametrize("scale", [1e-9, 1.0, 1e9])
def test_size_does_not_matter(scale: float) -> None:
    assert len(validate_mesh(CORNERS * scale, FACES).vertices) == 8


def test_without_slots_all_faces_have_the_first() -> None:
    mesh = validate_mesh(CORNERS, FACES)
    assert mesh.slots.dtype == np.int64
    assert np.array_equal(mesh.slots, np.zeros(len(FACES)))


@pytest.mark.parametrize("kind", [np.uint8, np.int32, np.uint64])
def test_slots_are_numbered_by_first_use(kind: type) -> None:
    """Which faces share one is kept; how a file counts them is not."""
    slots = np.array([200, 200, 3, 200, 9, 3, 3, 3, 9, 200, 200, 200], dtype=kind)
    mesh = validate_mesh(CORNERS, FACES, slots)
    assert mesh.slots.dtype == np.int64
    assert mesh.slots.tolist() == [0, 0, 1, 0, 2, 1, 1, 1, 2, 0, 0, 0]
    assert not validate_mesh(CORNERS, FACES, np.full(len(FACES), 2**31)).slots.any()


def test_bad_slots() -> None:
    good = np.arange(len(FACES))
    for bad in (good[:-1], good[:, None], np.int64(3), []):
        error = _refused(CORNERS, FACES, bad)
        assert error.code == "bad_slots" and "each of 12 triangles" in error.message
    for bad in (good - 1, good.astype(float), good.astype(str), good > 3):
        error = _refused(CORNERS, FACES, bad)
        assert error.code == "bad_slots" and "whole numbers from 0" in error.message


coordinates = st.floats(allow_nan=True, allow_infinity=True, width=64)


@given(
    arrays(np.float64, st.tuples(st.integers(0, 6), st.just(3)), elements=coordinates),
    arrays(np.int64, st.tuples(st.integers(0, 6), st.just(3)), elements=st.integers(-2, 7)),
)
def test_never_a_traceback(vertices: np.ndarray, triangles: np.ndarray) -> None:
    try:
        mesh = validate_mesh(vertices, triangles)
    except UserError as error:
        assert error.code and error.message and error.remedy
    else:
        assert np.isfinite(mesh.vertices).all()
        assert mesh.triangles.min() >= 0 and mesh.triangles.max() < len(mesh.vertices)
        size = np.ptp(mesh.vertices, axis=0).max()
        assert triangle_areas(mesh.vertices / size, mesh.triangles).sum() > 0
