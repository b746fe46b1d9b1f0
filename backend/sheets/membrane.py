"""The elasticity of a sheet for steps of one length: paths of edges, curvatures, tethers."""

from __future__ import annotations

import numpy as np

from ..kinematics.base import Array
from .bending import Bending
from .elastic_kernels import stretch_paths, tether
from .fabric import Fabric
from .paths import straight_paths
from .sheet_mesh import SheetMesh
from .tethers import tethers

__all__ = ["Membrane"]

LEAST_SHARE = 0.05  # of tension: edges that carry none (diagonals of squares) keep a sheet from shearing
SOFTEST = 1e-4  # of a node's own compliance in a step: what is stiffer is as good as that


class Membrane:
    """Sweeps over positions Float[N,3] m in place; `inverse` Float[N] 1/kg is 0 of what is held."""

    def __init__(self, mesh: SheetMesh, fabric: Fabric, inverse: Array, held: np.ndarray) -> None:
        self._mesh, self._inverse = mesh, inverse
        start, node = straight_paths(mesh.rest, mesh.edges)
        edge = mesh.edge_before((start, node))
        self._paths, self._length = (start, node), mesh.length[edge]
        self._work = np.zeros((int(np.diff(start).max(initial=1)) + 1, 6))
        share = np.maximum(mesh.share, LEAST_SHARE)[edge]
        self._give = 1.0 / (fabric.stretch * share)  # m/N
        first = np.r_[0, node[:-1]]
        self._least_give = SOFTEST * (inverse[first] + inverse[node])
        self._shortening = fabric.shortening
        self._bending = Bending(mesh, self._paths, fabric.bending, fabric.viscosity, inverse)
        self._tethers = tethers(mesh.rest, mesh.edges, mesh.triangles, held)
        self._step = 0.0

    def prepare(self, step: float) -> None:
        """For steps of so many seconds."""
        if step != self._step:
            self._step = step
            self._compliance = np.maximum(self._give / step**2, self._least_give)
            self._bending.prepare(step)

    def sweep(self, x: Array, before: Array) -> None:
        """One step's correction of positions that were predicted; it began at `before`."""
        tether(x, self._inverse, self._tethers.node, self._tethers.held, self._tethers.length)
        self._bending.sweep(x, before)
        stretch_paths(x, self._inverse, *self._paths, self._length, self._compliance, self._shortening, self._work)

    def energy(self, x: Array) -> float:
        """Of bending, J; what is stretched is too stiff to count."""
        return self._bending.energy(x)
