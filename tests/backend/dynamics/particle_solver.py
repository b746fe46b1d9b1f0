"""A solver of one's own, as docs/extending.md shows it: a cloud of free particles."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from backend.dynamics.actor import Actor
from backend.dynamics.solver import Frame, Gravity, Solver, Surface


@dataclass(frozen=True)
class Particles(Solver):
    """Free particles of equal mass that fall, bounce off the ground and colliders, and slide to rest on them."""

    mass: float  # kg, of all
    gravity: np.ndarray  # m/s^2

    def step(self, state, dt, forces, contacts):
        velocity = state.velocities + dt * forces.acceleration
        positions = state.positions + 0.5 * dt * (state.velocities + velocity)
        slow = 2.0 * dt * np.linalg.norm(self.gravity)  # what comes in slower does not bounce
        if (ground := contacts.ground) is not None:
            below = np.flatnonzero(positions[:, 2] < ground.height)
            self._push(positions, velocity, below, np.eye(3)[2:], ground.height - positions[below, 2], ground, slow)
        for obstacle in contacts.obstacles:
            way = np.linalg.norm(positions - state.positions, axis=1)  # deeper than this nothing got in one step
            found = obstacle.features(contacts.time + dt, positions, np.zeros(len(way)), way)
            self._push(positions, velocity, found.point, found.normal, -found.gap, obstacle, slow)
        return Surface(positions, velocity)

    def _push(self, positions, velocity, points, normal, depth, wall, slow):
        """Newton's restitution and Coulomb friction where points are `depth` metres inside a wall."""
        positions[points] += depth[:, None] * normal
        inwards = (velocity[points] * normal).sum(axis=1)
        along = velocity[points] - inwards[:, None] * normal
        outwards = np.where(inwards < -slow, -wall.restitution * inwards, np.maximum(inwards, 0.0))
        rubbed = wall.friction * (outwards - inwards) / np.maximum(np.linalg.norm(along, axis=1), 1e-300)
        velocity[points] = outwards[:, None] * normal + np.maximum(1.0 - rubbed, 0.0)[:, None] * along

    def surface(self, state):
        return state

    def energy(self, state):
        kinetic = 0.5 * self.mass * (state.velocities**2).sum(axis=1).mean()
        potential = -self.mass * float(self.gravity @ state.positions.mean(axis=0))
        return np.array([kinetic, potential, kinetic + potential])

    def speed(self, state):
        return float(np.sqrt((state.velocities**2).sum(axis=1).mean()))

    def stopped(self, state):
        return Surface(state.positions, np.zeros_like(state.velocities)) if state.velocities.any() else state

    def frame(self, index, state):
        return Frame(index, None, None, self.energy(state), state.positions)


def particles(mesh, cloud, conditions, held):
    mass, size = conditions.density * cloud.volume.sum(), np.ptp(mesh.vertices, axis=0).max()
    start = Surface(mesh.vertices, np.zeros_like(mesh.vertices) + sum(each.linear for each in conditions.velocities))
    solver, weight = Particles(mass, conditions.gravity), Gravity(conditions.gravity)
    return Actor(solver, start, weight, size, conditions.friction, conditions.restitution, sleep_speed=1e-3 * size)
