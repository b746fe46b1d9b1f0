"""Latent fitting: the most probable z of a given motion, by damped Gauss-Newton on the screw decoder.

    z* = argmin  mean_p |move_p - foretold_p(z)|^2 + (weight / 2) |z - mean|^2

An encoder network would have to learn which way each screw turns while the screws are still being learned; the fit
knows. Nothing here is differentiated, see `fitted` for how gradients pass.

Moves are linear in the matrices of the handles, so P points are first replaced by at most 4H combinations of them that
say as much (QR, once); what is left of an iteration is the product of the screws. There torch's small operations cost
more than their arithmetic: arrays hold their components first, rows over states, objects and handles last.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn import functional

from .torch_screws import cross, rotation_matrix

__all__ = ["Fit", "fit", "fitted", "moves_of", "rest_jacobian", "skin_basis"]

ITERATIONS = 12
FIRST_DAMPING = 0.05
DAMPING = (1e-6, 1e6)  # least and greatest, as a share of the diagonal
LEAST_ANGLE = 1e-6  # rad for z = 1: a screw that turns less has its axis shortened in proportion
LONGEST_RUN = 8  # screws that are multiplied one after the other, for all such runs at once


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


class _Product:
    """A_h(z) = exp(z_1 xi_h1) ... exp(z_K xi_hK) of B objects, prepared for many z.

    With t = |omega|, u = omega / t and v = l + m, l along the axis: exp(z xi) = 1 + sin(z t) [u] + (1 - cos(z t)) [u]^2
    turns, and moves by sin(z t) m / t + (1 - cos(z t)) u x m / t + z l.
    """

    def __init__(self, twists: Tensor) -> None:
        """Twists (B,H,K,6)."""
        omega, linear = twists.permute(3, 2, 0, 1)[:, :, None].contiguous().split(3)  # (3,K,1,B,H)
        self.twists = torch.stack([omega, linear], 1)
        self.angle = omega.norm(dim=0).clamp(min=LEAST_ANGLE)
        axis = omega / self.angle
        unit = torch.eye(3, dtype=twists.dtype)[..., None, None, None, None]
        turning = torch.linalg.cross(axis[:, None], unit, dim=0)  # (3,3,K,1,B,H)
        self.along = axis * (axis * linear).sum(0)
        across = ((linear - self.along) / self.angle)[:, None]
        self.first = torch.cat([turning, across], 1)  # (3,4,K,1,B,H)
        self.second = torch.linalg.cross(axis[:, None], self.first, dim=0)

    def about(self, z: Tensor) -> Tensor:
        """dA/dz and last A - 1 for z (B,S,K): (B,S,K+1,3,4H), handles running last."""
        products = _running_products(self._factors(z))
        before, whole = products[:, :, :-1], products[:, :, -1]
        # The screws as the earlier factors turn and move them: omega, and v about the origin.
        moved = torch.mul(before[:, :1], self.twists[:1])
        moved.addcmul_(before[:, 1:2], self.twists[1:2]).addcmul_(before[:, 2:3], self.twists[2:3])
        omega, linear = moved.unbind(1)
        place = before[:, 3]
        # What they do to A [X; 1]: omega x every column of A, and v on the last.
        rows = torch.empty_like(products)
        change = rows[:, :, :-1]
        for x, y, w in ((0, 1, 2), (1, 2, 0), (2, 0, 1)):
            linear[x].addcmul_(place[y], omega[w]).addcmul_(place[w], omega[y], value=-1.0)
            torch.mul(omega[y], whole[w, :, None], out=change[x])
            change[x].addcmul_(omega[w], whole[y, :, None], value=-1.0)
            change[x, 3] += linear[x]
        rows[:, :, -1] = whole
        for x in range(3):
            rows[x, x, -1] -= 1.0
        return rows.permute(4, 3, 2, 0, 1, 5).flatten(4)

    def _factors(self, z: Tensor) -> Tensor:
        """(3,4,K,S,B,H) for z (B,S,K)."""
        value = z.permute(2, 1, 0).contiguous()[..., None]
        half = 0.5 * value * self.angle
        sine = torch.sin(half)
        factors = self.first * (2.0 * sine * torch.cos(half))
        factors.addcmul_(self.second, 2.0 * sine * sine)
        factors[:, 3].addcmul_(self.along, value)
        for x in range(3):
            factors[x, x] += 1.0
        return factors


def _running_products(factors: Tensor) -> Tensor:
    """1, F_1, F_1 F_2, ... (3,4,K+1,...) of rigid motions (3,4,K,...)."""
    count = factors.shape[2]
    length = max(number for number in range(1, LONGEST_RUN + 1) if count % number == 0)
    runs = factors.unflatten(2, (-1, length)).clone()
    for number in range(1, length):
        _multiply(runs[:, :, :, number - 1], factors[:, :, number::length], runs[:, :, :, number])
    starts = torch.zeros_like(runs[:, :, :, :1])
    for x in range(3):
        starts[x, x, 0] = 1.0
    for number in range(1, count // length):
        _multiply(starts[:, :, number - 1, 0], runs[:, :, number - 1, -1], starts[:, :, number, 0])
    products = factors.new_empty(3, 4, count + 1, *factors.shape[3:])
    products[:, :, 0] = starts[:, :, 0, 0]
    _multiply(starts, runs, products[:, :, 1:].unflatten(2, (-1, length)))
    return products


def _multiply(outer: Tensor, inner: Tensor, out: Tensor) -> None:
    """Rigid motions (3,4,...), the inner one is done first."""
    torch.mul(outer[:, :1], inner[:1], out=out)
    out.addcmul_(outer[:, 1:2], inner[1:2]).addcmul_(outer[:, 2:3], inner[2:3])
    out[:, 3] += outer[:, 3]


class _Observed:
    """The moves of P points in fewer rows: |moves - basis a|^2 = |target - rows a|^2 + rest for every a, all over P."""

    def __init__(self, basis: Tensor, moves: Tensor) -> None:
        """Basis (B,1 or S,P,4H), moves (B,S,P,3)."""
        groups, count, width = basis.shape[1:]
        states = moves.shape[1]
        # Columns in the order of `_Product.about`; the states that share a basis side by side.
        rows = basis.unflatten(-1, (-1, 4)).transpose(-1, -2).flatten(-2)
        target = moves.unflatten(1, (groups, -1)).transpose(2, 3).flatten(3)  # (B,G,P,3S/G)
        self.rest = moves.new_zeros(len(moves), states, 1)
        if count > width:
            # The R of both together: its lower right corner is what no a reaches.
            triangle = torch.linalg.qr(torch.cat([rows, target], -1), mode="r")[1]
            rows, target = triangle[..., :width, :width], triangle[..., :width, width:]
            outside = triangle[..., width:, width:].square().sum(-2)
            self.rest = outside.view(len(moves), states, 3).sum(-1, keepdim=True) / count
        self.rows = (rows.transpose(-1, -2) * count**-0.5).contiguous()  # (B,G,4H,N)
        self.target = (target.transpose(-1, -2) * count**-0.5).reshape(len(moves), states, -1)  # (B,S,3N)

    def normal_equations(self, about: Tensor) -> Tensor:
        """Normal equations [J^T J, J^T r; r^T J, r^T r] (B,S,K+1,K+1) of what `_Product.about` gives."""
        batch, states, count = about.shape[:3]
        observed = (about.unflatten(1, (self.rows.shape[1], -1)).flatten(2, -2) @ self.rows).view(
            batch, states, count, -1
        )
        torch.sub(self.target, observed[:, :, -1], out=observed[:, :, -1])
        return observed @ observed.transpose(-1, -2)


@dataclass(frozen=True)
class Fit:
    """The most probable z (B,S,K); for its gradient J^T J / P + weight / 2 (B,S,K,K), and what it was fitted with."""

    z: Tensor
    matrix: Tensor
    product: _Product
    basis: Tensor


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
    """Twists (B,H,K,6), basis (B,1 or S,P,4H) of the observed points, their moves (B,S,P,3), prior mean (B,K).

    The search begins at `start` (B,S,K), at rest if there is none. Damped as by Levenberg and Marquardt, by as much as
    the value fell short of the prediction of the linearised decoder (Nielsen's rule).
    """
    product, observed = _Product(twists), _Observed(basis, moves)
    mean = mean[:, None]
    prior = 0.5 * weight * torch.eye(twists.shape[2], dtype=twists.dtype)

    def judged(z: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Value (B,S,1), half its gradient downhill (B,S,K), half its Gauss-Newton matrix (B,S,K,K)."""
        normal, surplus = observed.normal_equations(product.about(z)), z - mean
        value = observed.rest + normal[..., -1:, -1] + 0.5 * weight * surplus.square().sum(-1, keepdim=True)
        return value, normal[..., :-1, -1] - 0.5 * weight * surplus, normal[..., :-1, :-1] + prior

    z = moves.new_zeros(*moves.shape[:2], twists.shape[2]) if start is None else start
    value, slope, matrix = judged(z)
    damping = torch.full_like(value, FIRST_DAMPING)
    raised = torch.full_like(value, 2.0)
    for _ in range(iterations):
        added = damping * torch.diagonal(matrix, 0, -2, -1)
        # Unchecked: where an example is no numbers its z stays, and the others go on.
        step = torch.linalg.solve_ex(matrix + torch.diag_embed(added), slope)[0]
        predicted = (step * (slope + added * step)).sum(-1, keepdim=True)
        tried = z + step
        new_value, new_slope, new_matrix = judged(tried)
        better = new_value < value
        gain = (value - new_value) / predicted
        damping = damping * torch.where(better, (1.0 - (2.0 * gain - 1.0) ** 3).clamp(min=1.0 / 3.0), raised)
        damping = damping.clamp(*DAMPING)
        raised = torch.where(better, 2.0, 2.0 * raised)
        z, value = torch.where(better, tried, z), torch.where(better, new_value, value)
        slope, matrix = torch.where(better, new_slope, slope), torch.where(better[..., None], new_matrix, matrix)
    return Fit(z, matrix, product, basis)


def fitted(found: Fit, decoded: Tensor, moves: Tensor, mean: Tensor, weight: float) -> Tensor:
    """The z of a fit (B,S,K) as a function of the network.

    `decoded` are the moves that the decoder gives for z at the observed points, with their gradient. One more
    Gauss-Newton step is the implicit derivative of the minimum up to terms in the residual, and moves z hardly.
    """
    with torch.no_grad():
        change = found.product.about(found.z)[:, :, :-1].flatten(3)
    # The residual as each handle's matrix feels it, in the order of `change`.
    felt = (found.basis.transpose(-1, -2) @ (moves - decoded)).unflatten(2, (-1, 4)).permute(0, 1, 4, 3, 2).flatten(2)
    slope = (change @ felt[..., None])[..., 0] / moves.shape[2] - 0.5 * weight * (found.z - mean[:, None])
    step = torch.linalg.solve_ex(found.matrix, slope)[0]
    # Where the fit has not converged the value of the step must not throw z about; its gradient is what is wanted.
    return found.z + step - step.detach()
