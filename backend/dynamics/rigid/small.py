"""Three by three in compiled code: what NumPy's own routines take longer to set up, and to compile, than to compute."""

from __future__ import annotations

from numba import njit

from ...kinematics.base import Array

__all__ = ["cross", "invert", "multiply", "transform"]


@njit(cache=True, nogil=True)
def transform(matrix: Array, vector: Array, out: Array) -> None:
    """out = matrix vector; not in place."""
    for i in range(3):
        out[i] = matrix[i, 0] * vector[0] + matrix[i, 1] * vector[1] + matrix[i, 2] * vector[2]


@njit(cache=True, nogil=True)
def multiply(left: Array, right: Array, back: bool, out: Array) -> None:
    """out = left right, or left right^T where `back`; not in place."""
    for i in range(3):
        for j in range(3):
            total = 0.0
            for k in range(3):
                total += left[i, k] * (right[j, k] if back else right[k, j])
            out[i, j] = total


@njit(cache=True, nogil=True)
def cross(left: Array, right: Array, out: Array) -> None:
    """out = left x right; not in place."""
    out[0] = left[1] * right[2] - left[2] * right[1]
    out[1] = left[2] * right[0] - left[0] * right[2]
    out[2] = left[0] * right[1] - left[1] * right[0]


@njit(cache=True, nogil=True)
def invert(matrix: Array, out: Array) -> None:
    """out = matrix^-1; not in place. Not finite where there is none."""
    for i in range(3):
        for j in range(3):
            a, b, c, d = (j + 1) % 3, (j + 2) % 3, (i + 1) % 3, (i + 2) % 3
            out[i, j] = matrix[a, c] * matrix[b, d] - matrix[a, d] * matrix[b, c]
    determinant = matrix[0, 0] * out[0, 0] + matrix[0, 1] * out[1, 0] + matrix[0, 2] * out[2, 0]
    for i in range(3):
        for j in range(3):
            out[i, j] = out[i, j] / determinant if determinant != 0.0 else float("nan")
