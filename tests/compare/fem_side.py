"""Natural frequencies of the held bar by quadratic finite elements (scikit-fem).

`python -m tests.compare.fem_side REQUEST.json OUT.npz` in the environment of `build.py compare`. A third opinion on
the period and the sag: linear elasticity in three dimensions, with elements that converge fast.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
from scipy.sparse.linalg import eigsh, spsolve
from skfem import Basis, BilinearForm, ElementHex2, ElementVector, LinearForm, MeshHex
from skfem.helpers import dot
from skfem.models.elasticity import linear_elasticity

from tests.compare.scenes import GRAVITY, Block

__all__ = ["held_bar"]


def held_bar(block: Block, cross: int) -> dict[str, Any]:
    """First five natural frequencies in Hz and the mean sag of the tip (m) of the bar that is held at x = 0."""
    cells = (2 * cross, cross, cross)  # bending needs fewer elements along than cubes would give
    lines = [np.linspace(0.0, length, count + 1) for length, count in zip(block.size, cells, strict=True)]
    basis = Basis(MeshHex.init_tensor(*lines), ElementVector(ElementHex2()), intorder=4)
    mu, lame = block.lame
    stiffness = linear_elasticity(lame, mu).assemble(basis)
    mass = BilinearForm(lambda u, v, _w: block.density * dot(u, v)).assemble(basis)
    load = LinearForm(lambda v, _w: -block.density * GRAVITY * v[2]).assemble(basis)
    free = basis.complement_dofs(basis.get_dofs(lambda x: x[0] < 1e-9))
    squares = eigsh(stiffness[free][:, free], 5, mass[free][:, free], sigma=0.0, return_eigenvectors=False)
    sag = np.zeros(basis.N)
    sag[free] = spsolve(stiffness[free][:, free].tocsc(), load[free])
    end = basis.get_dofs(lambda x: x[0] > block.size[0] - 1e-9).nodal["u^3"]
    return {"frequencies": np.sqrt(np.sort(squares)) / (2.0 * np.pi), "sag": sag[end].mean(), "unknowns": basis.N}


if __name__ == "__main__":
    request = json.loads(Path(sys.argv[1]).read_text())
    np.savez(sys.argv[2], **held_bar(Block(**request.pop("block")), **request))
