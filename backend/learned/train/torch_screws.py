"""Rigid motions in torch: exponentials of twists and their products, as (unit quaternion, translation) pairs.

The pair (r, t) is the unit dual quaternion r + e t r / 2; it is kept as a pair because translations are then metres.
Quaternions are (w, x, y, z). All is float32 whatever the autocast: angles in bfloat16 would jump by degrees.
"""

from __future__ import annotations

import torch
from torch import Tensor

__all__ = ["compose", "cross", "exponential", "ordered_product", "rotate", "rotation_matrix", "screw_motion"]


def cross(first: Tensor, second: Tensor) -> Tensor:
    """first x second over the last dimension. Written out: torch's own takes three times as long on such small rows."""
    a, b, c = first.unbind(-1)
    d, e, f = second.unbind(-1)
    return torch.stack([b * f - c * e, c * d - a * f, a * e - b * d], -1)


def rotate(quaternion: Tensor, vector: Tensor) -> Tensor:
    """Vectors (..., 3) turned by unit quaternions (..., 4)."""
    imaginary = quaternion[..., 1:]
    twice = 2.0 * cross(imaginary, vector)
    return vector + quaternion[..., :1] * twice + cross(imaginary, twice)


def exponential(twist: Tensor) -> tuple[Tensor, Tensor]:
    """exp of twists (omega, v) (..., 6), about the origin: quaternions (..., 4) and translations (..., 3).

    With theta = |omega|: t = v + (1 - cos theta)/theta^2 omega x v + (theta - sin theta)/theta^3 omega x (omega x v).
    """
    omega, linear = twist[..., :3], twist[..., 3:]
    square = (omega * omega).sum(-1, keepdim=True)
    tiny, small = square < 1e-8, square < 0.25
    safe = torch.where(tiny, torch.ones_like(square), square)
    angle = safe.sqrt()
    half = torch.where(tiny, 0.5 - square / 48.0, torch.sin(0.5 * angle) / angle)
    first = 2.0 * half * half
    # The quotient loses its digits long before the angle is small.
    series = 1.0 / 6.0 - square / 120.0 + square**2 / 5040.0 - square**3 / 362880.0
    second = torch.where(small, series, (angle - torch.sin(angle)) / (safe * angle))
    real = torch.where(tiny, 1.0 - square / 8.0, torch.cos(0.5 * angle))
    turned = cross(omega, linear)
    return torch.cat([real, half * omega], -1), linear + first * turned + second * cross(omega, turned)


def compose(outer: tuple[Tensor, Tensor], inner: tuple[Tensor, Tensor]) -> tuple[Tensor, Tensor]:
    """The motion that does `inner` first: (r1 r2, t1 + r1 t2 r1*)."""
    (r1, t1), (r2, t2) = outer, inner
    w1, v1, w2, v2 = r1[..., :1], r1[..., 1:], r2[..., :1], r2[..., 1:]
    real = w1 * w2 - (v1 * v2).sum(-1, keepdim=True)
    return torch.cat([real, w1 * v2 + w2 * v1 + cross(v1, v2)], -1), t1 + rotate(r1, t2)


def ordered_product(motions: tuple[Tensor, Tensor]) -> tuple[Tensor, Tensor]:
    """exp_1 exp_2 ... exp_K of motions stacked in dimension -2: (..., K, 4), (..., K, 3) -> (..., 4), (..., 3).

    Neighbours are multiplied in pairs, so that K factors take log2(K) batched steps.
    """
    rotation, translation = motions
    while rotation.shape[-2] > 1:
        paired = rotation.shape[-2] // 2 * 2
        product = compose(
            (rotation[..., 0:paired:2, :], translation[..., 0:paired:2, :]),
            (rotation[..., 1:paired:2, :], translation[..., 1:paired:2, :]),
        )
        rotation = torch.cat([product[0], rotation[..., paired:, :]], -2)
        translation = torch.cat([product[1], translation[..., paired:, :]], -2)
    # Rounding adds up over a long product.
    return torch.nn.functional.normalize(rotation[..., 0, :], dim=-1), translation[..., 0, :]


def rotation_matrix(quaternion: Tensor) -> Tensor:
    """Unit quaternions (..., 4) -> (..., 3, 3)."""
    w, x, y, z = quaternion.unbind(-1)
    rows = [
        1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y),
        2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x),
        2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y),
    ]  # fmt: skip
    return torch.stack(rows, -1).reshape(*quaternion.shape[:-1], 3, 3)


def screw_motion(twists: Tensor, z: Tensor) -> tuple[Tensor, Tensor]:
    """Motions of the handles (B,S,H,4), (B,S,H,3) for twists (B,H,K,6) and z (B,S,K)."""
    return ordered_product(exponential(z[:, :, None, :, None] * twists[:, None]))
