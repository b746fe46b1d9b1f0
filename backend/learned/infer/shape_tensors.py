"""Batched tensors of a surface and of its handles: inputs and outputs of the shape encoder."""

from __future__ import annotations

from dataclasses import dataclass, replace

from torch import Tensor

from .groups import taken

__all__ = ["Context", "HandleFeatures", "Samples", "Surface"]


@dataclass(frozen=True)
class Samples:
    """N places on the surfaces of a batch of objects, normalised frame."""

    points: Tensor  # (B,N,3)
    normals: Tensor  # (B,N,3)
    boxes: Tensor  # (B,N,12): lower and upper corner of the sample's loose part, then of its material slot
    codes: Tensor  # (B,N,2C): random codes of loose part and material slot
    shell: Tensor  # (B,N) int64: loose part, below `shells`


@dataclass(frozen=True)
class Surface(Samples):
    """All inputs of a batch of objects. The first `points` of the N samples are the encoder's."""

    seeds: Tensor  # (B,H) int64: encoder points at which handles start
    piece: Tensor  # (B,P) int64: the handle to which each encoder point belongs
    touching: Tensor  # (B,H,H) int64: of the points of the first handle the one nearest to the second

    def take(self, part: slice) -> Surface:
        """The same batch with some of the samples."""
        names = ("points", "normals", "boxes", "codes", "shell")
        return replace(self, **{name: getattr(self, name)[:, part] for name in names})


@dataclass(frozen=True)
class HandleFeatures:
    """What is known of a batch of shapes by which any point finds the handles that it belongs to."""

    handles: Tensor  # (B,H,D); handle h is moved by the number h of z, and by others
    centres: Tensor  # (B,H,3) where handles start
    homes: Tensor  # (B,H) the loose part on which they start
    parts: Tensor  # (B,M,D) features of loose parts
    stiffness: Tensor  # (B,M,1) logits: how far a loose part moves as one body

    @property
    def stiff(self) -> Tensor:
        """(B,M,1) from 0 to 1."""
        return self.stiffness.sigmoid()


@dataclass(frozen=True)
class Context(HandleFeatures):
    """All that is known of a batch of shapes, before anything moves."""

    points: Tensor  # (B,P,C) features of encoder points
    pairs: Tensor  # (B,H,H,E) features of where handles lie to each other
    seeds: Tensor  # (B,H) the number that each handle has among the seeds
    meets: Tensor  # (B,H,H,3) middle between the nearest points of two handles' pieces
    gaps: Tensor  # (B,H,H) between these
    boxes: Tensor  # (B,H,2,3) middle and half the sides of the box of the part on which a handle starts
    prior_mean: Tensor  # (B,H)

    def ordered(self, order: Tensor) -> Context:
        """The same with its handles in the order (B,H)."""
        names = ("handles", "seeds", "centres", "homes", "boxes", "prior_mean")
        by_handle = {name: taken(getattr(self, name), order) for name in names}
        of_pairs = {
            name: taken(taken(getattr(self, name), order).transpose(1, 2), order).transpose(1, 2)
            for name in ("pairs", "meets", "gaps")
        }
        return replace(self, **by_handle, **of_pairs)
