"""The solver of sheets: many small steps of positions, each with one sweep over what holds a sheet together.

A step of h = 2 ms moves freely (gravity, air, pokes), then brings lengths, curvatures and gaps back by moving positions
in proportion to inverse masses (extended position-based dynamics with one sweep a step, Macklin et al. 2019), and takes
the velocity from what has moved. Lengths are solved path by path, a tridiagonal system each, so that a hanging sheet
does not stretch; tethers carry the weight to what is held.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..dynamics.solver import Frame, Solver, Surface, Surroundings
from ..kinematics.base import Array
from .air_kernels import finish, predict
from .contacts import Contacts
from .fabric import Fabric
from .forces import SheetForces
from .membrane import Membrane
from .sheet_mesh import SheetMesh

__all__ = ["STEP", "SheetSolver"]

STEP = 1.0 / 480.0  # s
GAP = 0.15  # of the spacing of nodes: the least distance that is kept


class SheetSolver(Solver):
    """A sheet whose state is a `Surface` of all of its nodes."""

    meets_neighbours = True

    def __init__(self, mesh: SheetMesh, fabric: Fabric, held: np.ndarray, start: Array, gravity: Array) -> None:
        """held Bool[N]: nodes that forces put in place; `start` Float[N,3] m, where gravity (m/s^2) has no energy."""
        self._mesh, self._start, self._gravity = mesh, start, gravity
        area = np.where(mesh.area > 0.0, mesh.area, 1e-6 * mesh.area.max())
        self.masses = fabric.areal_density * area
        self.mass = float(fabric.areal_density * mesh.area.sum())
        self._inverse = np.where(held, 0.0, 1.0 / self.masses)
        self._membrane = Membrane(mesh, fabric, self._inverse, held)
        self._spacing = float(np.median(mesh.length))
        self._gap = max(fabric.thickness, GAP * self._spacing)
        self._contacts = Contacts(mesh.rest, mesh.triangles, self._gap, self._spacing, fabric.friction)

    def at(self, positions: Array, velocities: Array) -> Surface:
        """The state of nodes Float[N,3] m that move with Float[N,3] m/s."""
        return Surface(positions, velocities)

    def step(self, state: Surface, dt: float, forces: SheetForces, contacts: Surroundings) -> Surface:
        count = max(1, int(np.ceil(dt / STEP - 1e-6)))
        step, nodes = dt / count, len(state.positions)
        x = self._contacts.points(state.positions, contacts)
        before, v, push = x.copy(), state.velocities.copy(), np.zeros_like(state.positions)
        inverse = np.zeros(len(x))
        inverse[:nodes] = self._inverse
        self._membrane.prepare(step)
        forces.begin(x[:nodes], contacts.time)
        for number in range(count):
            begin = contacts.time + number * step
            self._contacts.prepare(x, v, begin)
            forces.push(x[:nodes], v, begin, step, push)
            predict(x[:nodes], v, before, self._inverse, forces.gravity_at(begin), push, step)
            forces.hold(x[:nodes], before, begin, step)
            before[nodes:] = x[nodes:]
            self._contacts.move_colliders(x, begin + step)
            self._membrane.sweep(x[:nodes], before[:nodes])
            self._contacts.keep(x, before, inverse, begin + step, step, contacts)
            finish(x[:nodes], before, v, self._inverse, step)
        return Surface(x[:nodes].copy(), v)

    def surface(self, state: Surface) -> Surface:
        return state

    def energy(self, state: Surface) -> Array:
        kinetic = 0.5 * float(self.masses @ (state.velocities**2).sum(axis=1))
        fallen = self.masses @ (state.positions - self._start)
        potential = self._membrane.energy(state.positions) - float(self._gravity @ fallen)
        return np.array([kinetic, potential, kinetic + potential])

    def speed(self, state: Surface) -> float:
        return float(np.sqrt(self.masses @ (state.velocities**2).sum(axis=1) / self.masses.sum()))

    def stopped(self, state: Surface) -> Surface:
        return Surface(state.positions, np.zeros_like(state.velocities)) if state.velocities.any() else state

    def frame(self, index: int, state: Surface) -> Frame:
        return Frame(index, None, None, self.energy(state), state.positions[self._mesh.node])

    def snapshot(self) -> Any:
        return None

    def restore(self, snapshot: Any) -> None:
        """What was found near is looked for again."""
        self._contacts.forget()
