"""The learned kinematic state space of one mesh, as a network predicts it once from the static shape.

Everything is in the normalised frame: the rest shape's bounding box centred at the origin, its longest side 2, Z up.
Handle h of the decoder is a product of exponentials in order of the latent coordinates,

    A_h(z) = exp(z_1 [xi_h1]) exp(z_2 [xi_h2]) ... exp(z_K [xi_hK]),   x_v(z) = sum_h w_vh A_h(z) [X_v; 1],

so A_h(0) is the identity whatever was learned, one joint is one coordinate, and chains of joints are exact.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from .base import Array, ReferenceFrame

__all__ = ["Choice", "StateSpace", "normalised_frame"]

WEIGHT_TOLERANCE = 1e-4  # how far a row of weights may sum from one before it is no row of weights


def normalised_frame(vertices: Array) -> ReferenceFrame:
    """World positions Float[V,3] (m) to the normalised frame: box centre at 0, longest side 2."""
    low, high = vertices.min(axis=0), vertices.max(axis=0)
    return ReferenceFrame(0.5 * (low + high), 0.5 * float((high - low).max()))


@dataclass(frozen=True)
class Choice:
    """An alternative motion of one latent: a static shape does not always show on which side a door has its hinges."""

    latent: int
    twists: Array  # Float[H,6], instead of those of that latent
    nats: float  # how much less likely than the likeliest way


@dataclass(frozen=True)
class StateSpace:
    """Twists, weights and the latent prior of one mesh with V vertices, H handles and K latent coordinates."""

    twists: Array  # Float[H,K,6], (omega, v) about the origin of the normalised frame; handle 0 stands still
    weights: Array  # Float[V,H], rows sum to one
    prior_mean: Array  # Float[K]; the rest shape is z = 0, wherever the prior has its mean
    prior_scale: Array  # Float[K], standard deviations: z ~ N(prior_mean, diag(prior_scale^2))
    frame: ReferenceFrame  # from world positions (m) to the normalised frame
    choices: tuple[Choice, ...] = ()  # the likelier ones of a latent first
    bends: NDArray[np.bool_] | None = None  # Bool[K], latents of what bends and springs back; None: all are joints
    evidence: Array | None = None  # Float[K,E], what a network said of each latent; None: of no network

    def __post_init__(self) -> None:
        handles, latents = self.twists.shape[:2]
        if self.twists.shape != (handles, latents, 6) or self.weights.ndim != 2 or self.weights.shape[1] != handles:
            raise ValueError(f"twists {self.twists.shape} and weights {self.weights.shape} do not belong together")
        if self.prior_mean.shape != (latents,) or self.prior_scale.shape != (latents,):
            raise ValueError(f"the prior {self.prior_mean.shape}, {self.prior_scale.shape} is not of {latents} latents")
        if self.bends is not None and self.bends.shape != (latents,):
            raise ValueError(f"bends {self.bends.shape} is not one flag for each of {latents} latents")
        if self.evidence is not None and (self.evidence.ndim != 2 or len(self.evidence) != latents):
            raise ValueError(f"evidence {self.evidence.shape} is not a row for each of {latents} latents")
        for name in ("twists", "weights", "prior_mean", "prior_scale"):
            if not np.isfinite(getattr(self, name)).all():
                raise ValueError(f"{name} is not finite")
        if np.abs(self.weights.sum(axis=1) - 1.0).max() > WEIGHT_TOLERANCE:
            raise ValueError("a row of weights does not sum to one")
        if self.twists[0].any():
            raise ValueError("handle 0 does not stand still")
        for choice in self.choices:
            if not 0 <= choice.latent < latents or choice.twists.shape != (handles, 6) or choice.twists[0].any():
                raise ValueError(f"a choice for the latent {choice.latent} does not belong to these handles")
            if not np.isfinite(choice.twists).all() or not 0.0 <= choice.nats < np.inf:
                raise ValueError(f"a choice for the latent {choice.latent} is not finite")
        if (self.prior_scale < 0.0).any():
            raise ValueError("a standard deviation of the prior is negative")

    @property
    def handle_count(self) -> int:
        """H."""
        return self.twists.shape[0]

    @property
    def latent_count(self) -> int:
        """K."""
        return self.twists.shape[1]

    def chosen(self, choices: Sequence[Choice]) -> StateSpace:
        """The space with these choices, at most one for each latent."""
        twists = self.twists.copy()
        for choice in choices:
            twists[:, choice.latent] = choice.twists
        return replace(self, twists=twists)

    def without(self, latents: Sequence[int]) -> StateSpace:
        """The space in which these latents move nothing."""
        twists = self.twists.copy()
        twists[:, list(latents)] = 0.0
        kept = tuple(choice for choice in self.choices if choice.latent not in latents)
        return replace(self, twists=twists, choices=kept)
