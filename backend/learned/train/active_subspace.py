"""Active subspace of a decoder: the directions of z along which the size of the deformation changes.

    G(z) = |delta_hat(z)|_2 over points,   C = E[grad G grad G^T] for z ~ N(mean, I)

The paper's reduction: rows of A are the first eigenvectors of C, z = mean + A^T q, and under the prior q ~ N(0, I).
"""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor

__all__ = ["active_directions"]

DRAWS = 192
AT_ONCE = 16
KEPT = 0.99  # of the trace of C


def active_directions(moves: Callable[[Tensor], Tensor], mean: Tensor) -> Tensor:
    """Directions (K,k) of unit length, the most active first, of a decoder z (n,K) -> moves (n,P,3)."""
    draws = mean + torch.randn(DRAWS, len(mean), generator=torch.Generator().manual_seed(0))
    gradients = []
    for some in draws.split(AT_ONCE):
        z = some.clone().requires_grad_(True)
        with torch.enable_grad():
            size = moves(z).flatten(1).norm(dim=1)
            gradients.append(torch.autograd.grad(size.sum(), z)[0])
    left, values = torch.linalg.svd(torch.cat(gradients).double().T, full_matrices=False)[:2]
    energy = values.square().cumsum(0)
    return left[:, : 1 + int((energy < KEPT * energy[-1]).sum())].float()
