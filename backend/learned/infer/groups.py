"""Gather of batched tensor rows by index, and means over groups of them."""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn import functional

__all__ = ["rows", "shares", "taken"]


def taken(tensor: Tensor, order: Tensor) -> Tensor:
    """Entries of dimension 1 in the order (B,H)."""
    index = order.reshape(*order.shape, *(1,) * (tensor.ndim - 2))
    return tensor.gather(1, index.expand(-1, -1, *tensor.shape[2:]))


def rows(tensor: Tensor, index: Tensor) -> Tensor:
    """Rows (B,..,C) of a tensor (B,P,C) at (B,..)."""
    flat = index.flatten(1)
    return taken(tensor, flat).unflatten(1, index.shape[1:])


def shares(group: Tensor, count: int, dtype: torch.dtype) -> Tensor:
    """(B,P) groups below `count` -> (B,count,P): rows that give the mean of each group, zero for empty ones."""
    member = functional.one_hot(group, count).to(dtype)
    return (member / member.sum(1, keepdim=True).clamp(min=1.0)).transpose(1, 2)
