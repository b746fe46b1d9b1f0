"""What acts on composed pieces whose links move: elasticity and viscosity of what is soft, and what joints have."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...bodies.body import Body
from ...dynamics.conditions import Conditions
from ...dynamics.coordinate_energies import CoordinateEnergy, Dissipation, RayleighDamping
from ...dynamics.damping import settle_seconds, settling_damping
from ...dynamics.leading_coordinates import LeadingDissipation, LeadingEnergy
from ...dynamics.soft_energy import Prestress, SoftEnergy, SoftViscosity
from ...kinematics.composed import ComposedKinematics
from ...kinematics.jointed import Jointed
from ...kinematics.neo_hookean import StableNeoHookean, assembled
from ...kinematics.rooted import RootedKinematics
from .forces import FASTEST_FOLLOWED, Forces
from .joint_forces import FURNITURE, POSED, joint_forces

__all__ = ["composed_forces", "soft_energies"]

POSE_YOUNG = 1e5  # Pa; only the ratios of stiffness count for a pose
MOST_SAG = 0.02  # of the size, RMS: by which the weight of what is drawn may have bent it
UNDAMPED_MODES = 8  # that an undamped run follows in time


def soft_energies(body: Body, young: float) -> list[SoftEnergy]:
    """Of each link that carries something soft; `young` is the object's own modulus, Pa."""
    composed, first = body.kinematics, 0
    if isinstance(composed, RootedKinematics):
        composed, first = composed.inner, body.root
    assert isinstance(composed, ComposedKinematics)
    energies = []
    material = body.material
    for piece, rows, columns in zip(composed.pieces, composed.rows, composed.columns, strict=True):
        if piece.soft is None or not piece.dof:
            continue
        own = np.abs(material.gradients[:, :, rows]).max(axis=(1, 2)) > 0.0
        energy = StableNeoHookean(
            np.ascontiguousarray(material.gradients[own][:, :, rows]),
            material.cubature_volume[own],
            young * material.stiffness[own],
            material.poisson[own],
        )
        energies.append(SoftEnergy(piece.soft, energy, slice(columns.start + first, columns.stop + first)))
    return energies


def composed_forces(body: Body, conditions: Conditions, posing: bool = False, jointed: Jointed | None = None) -> Forces:
    """Of the conditions count young or stiffness_hz, stiffness, damping, settle_seconds and undamped; of the joints, if
    there are any, those of `joint_forces`.
    """
    soft = _soft_forces(body, conditions, posing)
    if jointed is None:
        return soft
    joints = joint_forces(body, jointed.tree, conditions, POSED if posing else FURNITURE)
    count = body.root + len(jointed.tree.coordinates)
    return Forces(
        (*(LeadingEnergy(energy, count) for energy in joints.energies), *soft.energies),
        (*(LeadingDissipation(each, count) for each in joints.dissipations), *soft.dissipations),
        max(joints.frequency, soft.frequency),
    )


def _soft_forces(body: Body, conditions: Conditions, posing: bool) -> Forces:
    young = conditions.young or (POSE_YOUNG if posing else None)
    unscaled = soft_energies(body, 1.0)
    if not unscaled:
        return Forces()
    if young is None:
        unit = min(float(_squares(energy).min()) for energy in unscaled)
        young = (2.0 * np.pi * conditions.stiffness_hz) ** 2 / unit
    young *= conditions.stiffness
    soft = soft_energies(body, young)
    energies: tuple[CoordinateEnergy, ...] = tuple(soft)
    if posing:
        return Forces(energies)
    if conditions.settled is None:
        weight = _weight(body, soft, conditions)
        # What is drawn as it stands is no softer than that it can carry itself.
        soft = soft_energies(body, young * max(1.0, _sag(body, soft, weight) / MOST_SAG))
        energies = (*soft, Prestress(weight))
    squares = np.sort(np.concatenate([_squares(energy) for energy in soft]))
    lowest = float(np.sqrt(squares[0]))
    if conditions.undamped:
        return Forces(energies, (), float(np.sqrt(squares[min(UNDAMPED_MODES, len(squares) - 1)])))
    seconds = conditions.settle_seconds
    if conditions.damping is not None:
        seconds = settle_seconds(conditions.damping, lowest)
    alpha, beta = settling_damping(seconds, lowest)
    dissipations: list[Dissipation] = [SoftViscosity(energy, beta) for energy in soft]
    inner = np.zeros(body.kinematics.dof)
    for energy in soft:
        inner[energy.columns] = alpha  # its coordinates are orthonormal in the mass of the piece
    dissipations.append(RayleighDamping(1.0, 0.0, np.diag(inner), np.zeros((len(inner), len(inner)))))
    return Forces(energies, tuple(dissipations), min(lowest, FASTEST_FOLLOWED))


def _weight(body: Body, soft: Sequence[SoftEnergy], conditions: Conditions) -> np.ndarray:
    """The force Float[k] of the weight on what bends where it is drawn; on links and root it is left to act."""
    material, kinematics = body.material, body.kinematics
    load = np.outer(material.mass @ material.basis, conditions.gravity)
    bends = np.zeros(kinematics.dof, dtype=bool)
    for energy in soft:
        bends[energy.columns] = True
    return np.where(bends, kinematics.pull(kinematics.rest(), load), 0.0)


def _sag(body: Body, soft: Sequence[SoftEnergy], weight: np.ndarray) -> float:
    """How far the weight bends what is drawn, over the size; RMS over all that bends."""
    jacobian = body.kinematics.jacobian(body.kinematics.rest())
    bent = np.zeros(body.kinematics.dof)
    for energy in soft:
        rest = energy.hessian(body.kinematics.rest())[energy.columns, energy.columns]
        bent[energy.columns] = np.linalg.lstsq(rest, weight[energy.columns], rcond=1e-9)[0]
    moved = body.material.basis @ (jacobian @ bent).reshape(-1, 3)
    squares = (moved**2).sum(axis=1)
    own = squares > 0.0
    return float(np.sqrt(np.average(squares[own], weights=body.material.mass[own]))) / body.size if own.any() else 0.0


def _squares(energy: SoftEnergy) -> np.ndarray:
    """omega^2 of the modes of a piece on a link that is held, rad^2/s^2."""
    kinematics = energy.kinematics
    rest = assembled(energy.slopes, energy.energy.tangent(kinematics.handles(kinematics.rest())))
    return np.maximum(np.linalg.eigvalsh(rest.reshape(kinematics.dof, -1)), 0.0)
