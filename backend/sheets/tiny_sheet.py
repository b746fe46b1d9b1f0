"""A step of a tiny sheet, which calls all kernels of sheets: it compiles them where they are not in Numba's cache."""

from __future__ import annotations

import numpy as np

from ..dynamics.conditions import Ground
from ..dynamics.obstacles import Obstacle
from ..dynamics.solver import Surroundings
from ..dynamics.state import Statistics
from ..geometry.collision_surface import collision_surface
from ..geometry.mesh import validate_mesh
from .fabric import isotropic
from .forces import Air, SheetForces
from .sheet_mesh import sheet_mesh
from .solver import STEP, SheetSolver

__all__ = ["step_tiny_sheet"]


def step_tiny_sheet() -> None:
    """On a collider and above the ground."""
    corners = np.array([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0]])
    triangles = np.array([[0, 1, 2], [0, 2, 3]])
    sheet, gravity = sheet_mesh(corners, triangles), np.array([0.0, 0.0, -9.81])
    held = np.array([True, False, False, False])
    solver = SheetSolver(sheet, isotropic(100.0, 1e6, 0.3, 1e-3, 0.3, 0.05), held, sheet.rest, gravity)
    floor = validate_mesh(corners - [0.0, 0.0, 1e-3], triangles)
    surface = collision_surface(floor)
    obstacle = Obstacle(surface, floor.vertices[surface.vertices], 0.5, 0.0)
    forces = SheetForces(
        gravity, sheet.triangles, solver.masses, Air(lambda places, seconds: 0.0 * places, 1.0, 0.0, False)
    )
    around = Surroundings(0.0, Ground(-1.0, 0.5, 0.0), (obstacle,), Statistics())
    solver.step(solver.at(sheet.rest, np.zeros_like(sheet.rest)), 2.0 * STEP, forces, around)
