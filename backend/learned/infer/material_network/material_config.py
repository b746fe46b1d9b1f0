"""Sizes of the network of materials."""

from __future__ import annotations

from dataclasses import dataclass

from ....materials.table import material_names

__all__ = ["MaterialNetworkConfig"]


@dataclass(frozen=True)
class MaterialNetworkConfig:
    """`materials` are those that it knows, in the order of its outputs."""

    buckets: int = 4096  # of the n-grams of names
    width: int = 40  # of what an n-gram says
    hidden: int = 192
    inner: int = 96
    materials: tuple[str, ...] = material_names()

    def __post_init__(self) -> None:
        object.__setattr__(self, "materials", tuple(self.materials))  # JSON has lists
