"""Where z is for a given motion: the most probable one, by Gauss-Newton on the decoder itself.

    z* = argmin  mean_p |move_p - foretold_p(z)|^2 + (weight / 2) |z - mean|^2

An encoder network would have to learn which way each screw turns while the screws are still being learned; the fit
knows. Nothing here is differentiated, see `fitted` for how gradients pass.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn import functional

from .screws import compose, cross, exponential, rotate, rotation_matrix

__all__ = ["Fit", "fit", "fitted", "moves_of", "rest_jacobian", "skin_basis"]

ITERATIONS = 6
FIRST_DAMPING = 0.05
LARGEST_TURN = 1.2  # rad, by which one number of z may turn a handle in one iteration


def skin_basis(weights: Tensor, points: Tensor) -> Tensor:
    """phi_p = w_p (x) [X_p; 1]: weights (...,P,H) and points (...,P,3) -> (...,P,4H)."""
    homogeneous = functional.pad(points, (0, 1), value=1.0)
    return (weights[..., None] * homogeneous[..., None, :]).flatten(-2)


def moves_of(motion: tuple[Tensor, Tensor], basis: Tensor) -> Tensor:
    """Moves (B,S,P,3) by the motions of the handles (B,S,H,.) and the skinning basis (B,1 or S,P,4H)."""
    rotation, translation = motion
    matrix = torch.cat([rotation_matrix(rotation) - torch.eye(3), translation[..., None]], -1)  # (B,S,H,3,4)
    return basis @ matrix.transpose(-1, -2).flatten(2, 3)


def rest_jacobian(twists: Tensor, basis: Tensor) -> Tensor:
    """d move / d z at z = 0, (B,P,3,K), from twists (B,H,K,6) and basis (B,P,4H)."""
    return (basis @ _velocity_columns(twists).flatten(1, 2).flatten(2)).unflatten(-1, (3, -1))


def _velocity_columns(twists: Tensor) -> Tensor:
    """Twists (...,H,K,6) as what they do to [x; 1]: (...,H,4,3,K)."""
    axes = torch.eye(3).expand(*twists.shape[:-1], 3, 3)
    turning = cross(twists[..., None, :3], axes)  # (...,H,K,axis,3): omega x e_axis
    return torch.cat([turning, twists[..., None, 3:]], -2).movedim(-3, -1)


@dataclass(frozen=True)
class _Linear:
    """The decoder about one z."""

    motion: tuple[Tensor, Tensor]
    jacobian: Tensor  # (B,S,3P,K)


def _linearised(twists: Tensor, basis: Tensor, z: Tensor) -> _Linear:
    """Twists (B,H,K,6), basis (B,1 or S,P,4H), z (B,S,K)."""
    rotations, translations = exponential(z[:, :, None, :, None] * twists[:, None])
    rotation = torch.zeros_like(rotations[..., 0, :])
    rotation[..., 0] = 1.0
    motion = (rotation, torch.zeros_like(translations[..., 0, :]))
    before = []
    for number in range(z.shape[-1]):
        before.append(motion)
        motion = compose(motion, (rotations[..., number, :], translations[..., number, :]))
    turned = torch.stack([each[0] for each in before], -2)
    moved = torch.stack([each[1] for each in before], -2)
    omega = rotate(turned, twists[:, None, ..., :3].expand_as(moved))
    linear = rotate(turned, twists[:, None, ..., 3:].expand_as(moved)) + cross(moved, omega)
    # What each handle's spatial twists do to A_h [X; 1]: omega x every column of A_h, and v on the last.
    whole = torch.cat([rotation_matrix(motion[0]).transpose(-1, -2), motion[1][..., None, :]], -2)  # (B,S,H,4,3)
    columns = cross(omega[..., None, :, :].expand(-1, -1, -1, 4, -1, -1), whole[..., None, :])  # (B,S,H,4,K,3)
    columns[..., 3, :, :] += linear
    jacobian = basis @ columns.transpose(-1, -2).flatten(2, 3).flatten(3)  # (B,S,P,3K)
    return _Linear(motion, jacobian.unflatten(-1, (3, -1)).flatten(2, 3))


@dataclass(frozen=True)
class Fit:
    """The most probable z (B,S,K); for its gradient J (B,S,3P,K) and the inverse of J^T J / P + weight / 2."""

    z: Tensor
    jacobian: Tensor
    inverse: Tensor


@torch.no_grad()
def fit(
    twists: Tensor,
    basis: Tensor,
    moves: Tensor,
    mean: Tensor,
    weight: float,
    start: Tensor | None = None,
    iterations: int = ITERATIONS,
) -> Fit:
    """Twists (B,H,K,6), basis (B,1 or S,P,4H) of the seen points, their moves (B,S,P,3), prior mean (B,K).

    The search begins at `start` (B,S,K), at rest if there is none.
    """
    count = moves.shape[2]
    mean = mean[:, None]
    identity = torch.eye(twists.shape[2])
    reach = LARGEST_TURN / twists[..., :3].norm(dim=-1).amax(1)[:, None].clamp(min=1e-6)
    tried = torch.zeros(*moves.shape[:2], twists.shape[2]) if start is None else start
    damping = torch.full((*moves.shape[:2], 1), FIRST_DAMPING)
    lowest = torch.full_like(damping, torch.inf)
    kept: list[Tensor] = []  # of the best so far: z, matrix, slope, Jacobian
    for turn in range(iterations + 1):
        about = _linearised(twists, basis, tried)
        residual = (moves - moves_of(about.motion, basis)).flatten(2)
        value = (residual**2).sum(-1, keepdim=True) / count + 0.5 * weight * ((tried - mean) ** 2).sum(-1, keepdim=True)
        matrix = about.jacobian.transpose(-1, -2) @ about.jacobian / count + 0.5 * weight * identity
        slope = (about.jacobian.transpose(-1, -2) @ residual[..., None])[..., 0] / count - 0.5 * weight * (tried - mean)
        better = value < lowest
        lowest = torch.where(better, value, lowest)
        damping = torch.where(better, 0.2 * damping, 10.0 * damping)
        new = [tried, matrix, slope, about.jacobian]
        kept = [
            torch.where(better[..., None] if each.ndim == 4 else better, each, old)
            for each, old in zip(new, kept or new, strict=True)
        ]
        if turn < iterations:
            z, matrix, slope, _ = kept
            step = torch.linalg.solve(matrix + torch.diag_embed(damping * torch.diagonal(matrix, 0, -2, -1)), slope)
            tried = z + torch.maximum(torch.minimum(step, reach), -reach)
    z, matrix, _, jacobian = kept
    return Fit(z, jacobian, torch.linalg.inv(matrix))


def fitted(found: Fit, decoded: Tensor, moves: Tensor, mean: Tensor, weight: float) -> Tensor:
    """The z of a fit (B,S,K) as a function of the network.

    `decoded` are the moves that the decoder gives for z at the seen points, with their gradient. One more Gauss-Newton
    step is the implicit derivative of the minimum up to terms in the residual, and moves z hardly.
    """
    residual = (moves - decoded).flatten(2)
    count = moves.shape[2]
    slope = (found.jacobian.transpose(-1, -2) @ residual[..., None])[..., 0] / count
    step = (found.inverse @ (slope - 0.5 * weight * (found.z - mean[:, None]))[..., None])[..., 0]
    # Where the fit has not converged the value of the step must not throw z about; its gradient is what is wanted.
    return found.z + step - step.detach()
