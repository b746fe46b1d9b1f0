"""Elasticity and viscosity of soft pieces as potentials of the coordinates, in the floating frames of their links.

The energy of a piece does not see how its link moves, so it is a function of the piece's own coordinates alone.
"""

from __future__ import annotations

import numpy as np

from ..kinematics.base import Array
from ..kinematics.elastic import ElasticKinematics
from ..kinematics.neo_hookean import StableNeoHookean, assembled, convex_blocks

__all__ = ["Prestress", "SoftEnergy", "SoftViscosity"]


class SoftEnergy:
    """V(q) of the coordinates `columns` of q, through the handles that they give a piece in its own frame."""

    def __init__(self, kinematics: ElasticKinematics, energy: StableNeoHookean, columns: slice) -> None:
        self.kinematics, self.energy, self.columns = kinematics, energy, columns
        self.slopes = energy.gradients @ kinematics.reduction  # by coordinates, Float[C,3,n]

    def shape(self, q: Array) -> Array:
        """The handles of the piece in the frame of its link, Float[4H,3]."""
        return self.kinematics.handles(q[self.columns])

    def value(self, q: Array) -> float:
        return self.energy.value(self.shape(q))

    def gradient(self, q: Array) -> Array:
        return self.placed(self.energy.gradient(self.shape(q)), q)

    def hessian(self, q: Array) -> Array:
        """Positive semidefinite: of the blocks of points that curve down, what does is left out."""
        return self.spread(convex_blocks(self.energy.tangent(self.shape(q))), q)

    def placed(self, force: Array, q: Array) -> Array:
        """A force on the piece's handles as one on all coordinates."""
        result = np.zeros_like(q)
        result[self.columns] = (self.kinematics.reduction.T @ force).ravel()
        return result

    def spread(self, blocks: Array, q: Array) -> Array:
        """Blocks of the points, Float[54,C], as a matrix of all coordinates."""
        result = np.zeros((len(q), len(q)))
        result[self.columns, self.columns] = assembled(self.slopes, blocks).reshape(self.kinematics.dof, -1)
        return result


class Prestress:
    """What a drawn shape carries of its own weight: a constant force of the coordinates, V(q) = force . q.

    The rest shape from which the weight bends a piece to its drawn shape, to first order: there it is in equilibrium
    exactly, and where its link is turned the force goes along and the weight does not.
    """

    def __init__(self, force: Array) -> None:
        """Float[k]: what the weight does to the coordinates where the object is drawn."""
        self._force = force

    def value(self, q: Array) -> float:
        return float(self._force @ q)

    def gradient(self, q: Array) -> Array:
        return self._force

    def hessian(self, q: Array) -> Array:
        return np.zeros((len(q), len(q)))


class SoftViscosity:
    """Kelvin-Voigt dissipation of a piece: beta (s) times its elasticity, in the strain, see `StableNeoHookean`."""

    def __init__(self, elastic: SoftEnergy, beta: float) -> None:
        self._elastic, self._beta = elastic, beta

    def at(self, before: Array, step: float) -> _ViscousStep:
        return _ViscousStep(self._elastic, self._elastic.energy.metric(self._elastic.shape(before)), self._beta / step)


class _ViscousStep:
    """The incremental potential of one step: what is resisted is the change of the metric since its begin."""

    def __init__(self, elastic: SoftEnergy, metric: Array, viscosity: float) -> None:
        self._elastic, self._metric, self._viscosity = elastic, metric, viscosity

    def value(self, q: Array) -> float:
        elastic = self._elastic
        strain = 0.5 * (elastic.energy.metric(elastic.shape(q)) - self._metric)
        trace = strain[0, 0] + strain[1, 1] + strain[2, 2]
        lame = elastic.energy.bulk - elastic.energy.mu
        density = elastic.energy.mu * (strain**2).sum(axis=(0, 1)) + 0.5 * lame * trace**2
        return self._viscosity * float(elastic.energy.volume @ density)

    def gradient(self, q: Array) -> Array:
        elastic, shape = self._elastic, self._elastic.shape(q)
        both = elastic.energy.gradient(shape, self._metric, self._viscosity)
        return elastic.placed(both - elastic.energy.gradient(shape), q)

    def hessian(self, q: Array) -> Array:
        elastic, shape = self._elastic, self._elastic.shape(q)
        blocks = elastic.energy.tangent(shape, self._metric, self._viscosity) - elastic.energy.tangent(shape)
        return elastic.spread(convex_blocks(blocks), q)
