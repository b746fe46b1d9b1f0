"""Sliders of composed pieces whose links move: the softest modes of what is soft, each piece in its own frame."""

from __future__ import annotations

import numpy as np

from ...bodies.body import Body
from ...kinematics.base import Array
from ...kinematics.joint_tree import JointTree
from ...kinematics.neo_hookean import assembled
from .composed_forces import soft_energies
from .joint_sliders import joint_coordinates
from .slider_map import Coordinates

__all__ = ["ComposedSliders"]

MOST_MODES = 12
MODE_MOTION = 0.05  # of the size, RMS over the mass of the piece
MODE_RANGE = 2.0


class ComposedSliders:
    """The joints, if there are any, then the softest modes of all pieces together, as many as there are sliders."""

    def __init__(self, body: Body, tree: JointTree | None = None) -> None:
        modes = _softest_modes(body)
        count, dof = modes.shape[1], body.kinematics.dof
        names = tuple(f"Mode {number}" for number in range(1, count + 1))
        ends = np.full(count, MODE_RANGE)
        self.coordinates = Coordinates(names, ("mode",) * count, -ends, ends)
        self.mean, self.spread = np.zeros(count), np.ones(count)
        if tree is not None:
            joints = joint_coordinates(tree, body.size)
            low, high = joints.lower, joints.upper
            ends = (np.concatenate([low, -ends]), np.concatenate([high, ends]))
            self.coordinates = Coordinates(joints.names + names, joints.kinds + ("mode",) * count, *ends)
            self.mean = np.concatenate([0.5 * (low + high), self.mean])
            self.spread = np.concatenate([0.25 * (high - low), self.spread])
            modes = np.column_stack([np.eye(dof)[:, body.root : body.root + len(low)], modes])
        self._modes, self._kinematics, self._root = modes, body.kinematics, body.root

    def handles(self, values: Array, now: Array) -> Array:
        q = self._modes @ values
        q[: self._root] = now[: self._root]
        return self._kinematics.handles(q)

    def values(self, q: Array) -> Array:
        return self._modes.T @ q / np.maximum((self._modes**2).sum(axis=0), 1e-300)


def _softest_modes(body: Body) -> Array:
    """Float[k,n], each as far as a slider value of one goes."""
    found: list[tuple[float, Array]] = []
    for energy in soft_energies(body, 1.0):
        kinematics = energy.kinematics
        rest = assembled(energy.slopes, energy.energy.tangent(kinematics.handles(kinematics.rest())))
        squares, modes = np.linalg.eigh(rest.reshape(kinematics.dof, -1))
        mass = float(body.total_mass)
        for square, mode in zip(squares[:MOST_MODES], modes.T, strict=False):
            direction = np.zeros(body.kinematics.dof)
            direction[energy.columns] = MODE_MOTION * body.size * np.sqrt(mass) * mode
            found.append((float(square), direction))
    found.sort(key=lambda each: each[0])
    chosen = [np.zeros((body.kinematics.dof, 0)), *(direction[:, None] for _, direction in found[:MOST_MODES])]
    return np.column_stack(chosen)
