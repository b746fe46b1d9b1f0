"""Drag targets: springs or hard constraints (augmented Lagrangian) on points, each with a largest force.

A soft drag is a spring of stiffness s that pulls with at most the force F. A hard one is the constraint x = x* kept by
an augmented Lagrangian whose multiplier is bounded by F as well: the minimum of  V(q) + F |x - x*|, in which x* is met
exactly wherever a force below F can do it. Both are the same function of y = lambda + s (x - x*):

    |y|^2 / (2 s)  while |y| <= F,  F |y| / s - F^2 / (2 s)  beyond        (less the constant |lambda|^2 / (2 s))

with lambda = 0 for a soft drag. A target that would tear the shape is so approached as far as F goes.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..kinematics.base import Array

__all__ = ["DragEnergy", "Drags"]

FAR = 20.0  # limits: what pulls harder than this is held back from the first iteration on
ALONG = 0.9  # of the stiffness that a limited pull seems to have along itself is left out: all would be exact, but rash


@dataclass(frozen=True)
class Drags:
    """The p dragged points and how each is dragged."""

    rows: Array  # Float[p,4H], basis of each point
    hard: np.ndarray  # Bool[p]
    names: tuple[str, ...]  # what a report calls each point
    softness: float = 0.01  # soft springs have 1 / softness times the stiffness of the object's softest motion


class DragEnergy:
    """The drags' energy for one set of targets, and the multipliers of the hard ones."""

    def __init__(self, stiffness: Array, limit: Array, hard: np.ndarray) -> None:
        """stiffness s Float[p] (N/m), limit F Float[p] (N), hard Bool[p]."""
        self.stiffness = stiffness
        self.hard = hard
        self._limit = limit
        self.multipliers = np.zeros((len(stiffness), 3))  # N
        self.targets = np.zeros((len(stiffness), 3))  # m
        self._limits = np.full(len(stiffness), np.inf)  # N; the limit counts where it was found to be needed

    def _tension(self, positions: Array) -> tuple[Array, Array]:
        """y Float[p,3] and its length Float[p], newton."""
        tension = self.multipliers + self.stiffness[:, None] * (positions - self.targets)
        return tension, np.sqrt(np.einsum("pi,pi->p", tension, tension))

    def value(self, positions: Array) -> float:
        """The energy at positions Float[p,3], J less a constant."""
        length = self._tension(positions)[1]
        held = np.minimum(length, self._limits)
        return float((held * (length - 0.5 * held) / self.stiffness).sum())

    def gradient(self, positions: Array) -> Array:
        """Its gradient Float[p,3], N."""
        tension, length = self._tension(positions)
        return tension * np.minimum(1.0, self._limits / np.maximum(length, 1e-300))[:, None]

    def curvature(self, positions: Array) -> Array:
        """Second derivatives Float[p,3,3], N/m."""
        tension, length = self._tension(positions)
        blocks = self.stiffness[:, None, None] * np.eye(3)
        for point in np.flatnonzero(length > self._limits):
            along = tension[point] / length[point]
            blocks[point] -= ALONG * self.stiffness[point] * np.outer(along, along)
            blocks[point] *= self._limits[point] / length[point]
        return blocks

    def release(self, positions: Array) -> None:
        """Targets where the points are, and no forces."""
        self.targets = positions
        self.multipliers = np.zeros_like(positions)
        self._limits = np.full(len(positions), np.inf)

    def begin(self, positions: Array) -> None:
        """Before a solve: the limit counts from the start for what is pulled very far."""
        far = self._tension(positions)[1] > FAR * self._limit
        self._limits[far] = self._limit[far]

    def finish(self, positions: Array) -> None:
        """After a solve: the limit goes on counting only for what it holds back."""
        self._limits[self._tension(positions)[1] <= self._limits] = np.inf

    def limit(self, positions: Array) -> bool:
        """Holds back what pulls harder than it may at these positions; whether there was anything new to hold."""
        over = (self._tension(positions)[1] > self._limit) & np.isinf(self._limits)
        self._limits[over] = self._limit[over]
        return bool(over.any())

    def shift(self, positions: Array, felt: Array) -> float:
        """How far the hard points are from where their multipliers would keep them, metres.

        Zero when they are met, or as near as the limit and what the coordinates feel (see `tighten`) allow.
        """
        if not self.hard.any():
            return 0.0
        change = self._wanted(positions, felt) - self.multipliers[self.hard]
        return float((np.linalg.norm(change, axis=1) / self.stiffness[self.hard]).max())

    def tighten(self, positions: Array, felt: Array) -> None:
        """Takes the forces at these positions as the multipliers of the h hard points.

        `felt` Float[3h,3h] projects on the forces that the coordinates can feel. Without it, targets that contradict
        each other would drive the multipliers apart for ever; with it they end at the least squares between them.
        """
        self.multipliers[self.hard] = self._wanted(positions, felt)

    def _wanted(self, positions: Array, felt: Array) -> Array:
        return (felt @ self.gradient(positions)[self.hard].ravel()).reshape(-1, 3)
