"""Active-subspace reduction of latent coordinates under the prior; one joint stays one coordinate.

With u the latent in standard deviations, z = S u, the motion's energy over the directions of u is one of

    mass:  C = E[ (dx/du)^T (dx/du) ]               mean square displacement of the surface for one deviation
    norm:  C = E[ grad G grad G^T ],  G = |x - X|   the paper's: gradient of the deformation norm

both over the surface by area and over states of the prior. What carries 99 % of its trace is kept: single latents
where they do it about as sparingly as the best directions, so that a joint that is one latent is one coordinate (the
bars of a chain move together, and eigenvectors would mix its joints); else these directions, turned to be sparse. A
knob has next to no energy beside a door: single latents that move something small by much are kept too.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..geometry.surface_points import quasi_random_points
from .base import Array, skinning_basis
from .learned import LearnedKinematics
from .state_space import StateSpace

__all__ = ["Reduction", "motion_energy", "reduced", "surface_basis"]

SURFACE_POINTS = 3000
STATES = 48
KEPT = 0.99  # of the energy
SPARE, SPARE_SHARE = 1, 0.25  # how many more single latents than mixed ones are worth having, at least and as a share
ROTATION_ROUNDS = 200
# Of half the longest side: what moves some of the surface so far is kept whatever its energy. Of joints that is times
# the root of the share of the surface that they move: a button hardly moves, but far for a button.
VISIBLE = 0.05
SMALLEST_PART = 0.0005  # of the surface: a button of a remote control is a part, a few vertices are not


@dataclass(frozen=True)
class Reduction:
    """z = D q with D Float[K,k]; under the prior q has the mean `mean` Float[k] and deviation one, rest is q = 0."""

    directions: Array
    mean: Array
    energies: Array  # Float[K], eigenvalues of C, descending: mean square displacements in the normalised frame
    kept: float  # share of their sum that the coordinates carry

    @property
    def motion(self) -> float:
        """RMS over the surface of the displacement by one deviation of every latent, in the normalised frame."""
        return float(np.sqrt(self.energies.sum()))


def _fields(space: StateSpace, basis: Array) -> Array:
    """What one deviation of each latent moves, at the prior's mean, in the normalised frame: Float[n,3,K]."""
    kinematics = LearnedKinematics(space.twists, space.frame, np.diag(space.prior_scale))
    jacobian = kinematics.jacobian(space.prior_mean / _deviations(space)) / space.frame.scale
    return np.tensordot(basis, jacobian.reshape(basis.shape[1], 3, -1), axes=1)


def surface_basis(space: StateSpace, vertices: Array, triangles: NDArray[np.int64]) -> Array:
    """phi Float[n,4H] of points spread evenly over the surface."""
    places = quasi_random_points(vertices, triangles, SURFACE_POINTS)
    corners = triangles[places.triangle]
    # phi is interpolated, not weights and positions: between its vertices the surface moves linearly.
    phi = skinning_basis(space.weights[corners.ravel()], space.frame.to_reference(vertices[corners.ravel()]))
    return np.einsum("nc,ncm->nm", places.barycentric, phi.reshape(*corners.shape, -1))


def prior_states(space: StateSpace, count: int, seed: int = 0) -> Array:
    """Latents Float[count,K] of the prior, in pairs that mirror each other about its mean."""
    half = np.random.default_rng(seed).normal(size=((count + 1) // 2, space.latent_count))
    return space.prior_mean + space.prior_scale * np.concatenate([half, -half])[:count]


def motion_energy(space: StateSpace, moment: Array, measure: str = "mass") -> Array:
    """C Float[K,K], 'mass' or 'norm'; `moment` is that of the surface."""
    kinematics = LearnedKinematics(space.twists, space.frame, np.diag(space.prior_scale))
    rest, scale = kinematics.handles(kinematics.rest()), space.frame.scale
    total = np.zeros((space.latent_count, space.latent_count))
    deviations = _deviations(space)
    for z in prior_states(space, STATES):
        u = z / deviations
        if measure == "mass":
            jacobian = kinematics.jacobian(u).reshape(len(moment), -1) / scale
            slope = jacobian.reshape(-1, space.latent_count)
            total += slope.T @ (moment @ jacobian).reshape(slope.shape)
        else:
            away = kinematics.handles(u) - rest
            pulled = moment @ away
            norm = float(np.sqrt(max(np.vdot(away, pulled), 1e-300)))
            gradient = kinematics.pull(u, pulled) / (norm * scale)
            total += np.outer(gradient, gradient)
    return total / STATES


def reduced(
    space: StateSpace, vertices: Array, triangles: NDArray[np.int64], measure: str = "mass", kept: float = KEPT
) -> Reduction:
    """The fewest coordinates that carry the share `kept` of the motion of a mesh, vertices Float[V,3] (m)."""
    basis = surface_basis(space, vertices, triangles)
    energy = motion_energy(space, basis.T @ basis / len(basis), measure)
    return _chosen(space, 0.5 * (energy + energy.T), kept, _fields(space, basis))


def _chosen(space: StateSpace, energy: Array, kept: float, fields: Array) -> Reduction:
    values, vectors = np.linalg.eigh(energy)
    values, vectors = np.maximum(values[::-1], 0.0), vectors[:, ::-1]
    left = max(float(values.sum()), 1e-300)
    share = np.cumsum(values) / left
    mixed = 1 + int(np.count_nonzero(share[:-1] < kept))
    joints = np.ones(len(energy), dtype=bool) if space.bends is None else ~space.bends
    single, small, missed = _single_latents(energy, (1.0 - kept) * left, fields, joints)
    if len(single) <= mixed + max(SPARE, int(SPARE_SHARE * mixed)):
        single += small
        # What the other latents do, these do instead: their deviations and means count with their own.
        others = np.linalg.pinv(energy[np.ix_(single, single)], hermitian=True) @ energy[single]
        deviation = np.sqrt((others**2).sum(axis=1))
        deviation[deviation == 0.0] = 1.0  # of a space without any motion
        directions = np.eye(len(energy))[:, single] * deviation
        gather, carried = others / deviation[:, None], 1.0 - missed / left
    else:
        directions = _sparse_rotation(vectors[:, :mixed])
        own = np.einsum("ji,jl,li->i", directions, energy, directions)
        directions = directions[:, np.argsort(-own, kind="stable")]
        largest = np.abs(directions).argmax(axis=0)
        directions = directions * np.sign(directions[largest, np.arange(mixed)])
        gather, carried = directions.T, float(share[mixed - 1])
    mean = gather @ (space.prior_mean / _deviations(space))
    return Reduction(space.prior_scale[:, None] * directions, mean, values, carried)


def _single_latents(
    energy: Array, enough: float, fields: Array, joints: NDArray[np.bool_]
) -> tuple[list[int], list[int], float]:
    """Latents whose motion the others repeat but for `enough`, the most telling first; those that besides move
    something small by much; and the energy that is missed with all of them.

    Pivoted Cholesky: the pivot is what a latent does that those before it cannot. fields Float[n,3,K].
    """
    rest = energy.copy()
    chosen: list[int] = []
    small: list[int] = []
    floor = 1e-12 * max(float(np.trace(energy)), 1e-300)
    while True:
        own = np.diag(rest)
        missed = max(float(own.sum()), 0.0)
        if own.max() <= floor:
            return chosen or [0], small, 0.0
        pivot, kind = int(own.argmax()), chosen
        if missed <= enough:
            seen = np.where(own > floor, _seen(fields, joints), 0.0)
            pivot, kind = int(seen.argmax()), small
            if seen[pivot] < VISIBLE:
                return chosen, small, missed
        kind.append(pivot)
        share = rest[pivot] / rest[pivot, pivot]
        fields = fields - fields[:, :, pivot, None] * share
        rest = rest - np.outer(rest[pivot], share)
        rest[pivot], rest[:, pivot] = 0.0, 0.0


def _seen(fields: Array, joints: NDArray[np.bool_]) -> Array:
    """How far what a latent moves most goes, Float[K], for its size if it is a joint: of motions Float[n,3,K]."""
    length = np.sqrt((fields**2).sum(axis=1))
    farthest = np.quantile(length, 1.0 - SMALLEST_PART, axis=0)
    share = np.maximum((length > 0.5 * farthest).mean(axis=0), SMALLEST_PART)
    return farthest / np.where(joints, np.sqrt(share), 1.0)


def _deviations(space: StateSpace) -> Array:
    """The prior's, where they are not zero."""
    return np.where(space.prior_scale > 0.0, space.prior_scale, 1.0)


def _sparse_rotation(directions: Array) -> Array:
    """The same subspace, Float[K,k] orthonormal, with coordinates that each use few latents (varimax)."""
    rotation = np.eye(directions.shape[1])
    before = 0.0
    for _ in range(ROTATION_ROUNDS):
        turned = directions @ rotation
        slope = directions.T @ (turned**3 - turned * (turned**2).mean(axis=0))
        left, sizes, right = np.linalg.svd(slope)
        rotation = left @ right
        if sizes.sum() <= before * (1.0 + 1e-12):
            break
        before = sizes.sum()
    return directions @ rotation
