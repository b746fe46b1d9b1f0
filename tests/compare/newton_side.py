"""Runs a block in Newton (the `newton` package), on the CPU, in the environment that `build.py compare` makes.

`python -m tests.compare.newton_side REQUEST.json OUT.npz`. Nothing of this project's solver is imported here.

Two of its solvers are used. SemiImplicit is symplectic Euler on linear tetrahedra: first order, but it neither takes
nor gives energy, so with steps below the speed of sound it is the reference. VBD is backward Euler solved by vertex
block descent: it damps with the step and needs iterations, so it is run to see by how much.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from typing import Any

import newton
import numpy as np
import warp as wp

from tests.compare.scenes import Block, boundary, centroid, five_tetrahedra

__all__ = ["run"]

RADIUS = 1e-4  # m, of a particle in contact: next to nothing
CONTACT_STIFFNESS = 8e7  # N/m for each square metre: the cube stands 0.05 mm deep in the ground


def _material(block: Block, solver: str) -> tuple[float, float]:
    """The two constants of each solver's own neo-Hookean law that give the block's small-strain moduli (Pa)."""
    mu, lame = block.lame
    if solver == "vbd":
        return mu, lame  # it converts Lame's constants itself
    # Its law is Smith et al.'s with the logarithm-free term mu/2 ln(I + 1): they give this conversion.
    return 4.0 / 3.0 * mu, lame + 5.0 / 6.0 * mu


def _model(block: Block, cross: int, solver: str, options: dict[str, Any]) -> tuple[newton.Model, np.ndarray]:
    """The block as Newton has it, and the mass of each particle (kg), also of those that are held."""
    points, tetrahedra = five_tetrahedra(block, cross)
    builder = newton.ModelBuilder()
    mu, lame = _material(block, solver)
    builder.add_soft_mesh(
        pos=wp.vec3(0.0, 0.0, 0.0),
        rot=wp.quat_identity(),
        scale=1.0,
        vel=wp.vec3(0.0, 0.0, 0.0),
        vertices=[wp.vec3(*point) for point in points],
        indices=tetrahedra.ravel().tolist(),
        density=block.density,
        k_mu=mu,
        k_lambda=lame,
        k_damp=0.0,
        particle_radius=RADIUS,
    )
    mass = np.array(builder.particle_mass)
    touching = CONTACT_STIFFNESS * (block.size[1] / cross) ** 2  # N/m of each particle
    if options.get("held"):
        for number in np.flatnonzero(points[:, 0] < 1e-9):
            builder.particle_mass[number] = 0.0  # what has no mass stays where it is
    if options.get("ground"):
        builder.add_ground_plane(cfg=newton.ModelBuilder.ShapeConfig(ke=touching, kd=0.0, kf=0.0, mu=0.0))
    if solver == "vbd":
        builder.color()
    model = builder.finalize(device="cpu")
    model.soft_contact_ke, model.soft_contact_kd = touching, 0.0
    model.soft_contact_kf, model.soft_contact_mu = 0.0, 0.0
    model.particle_grid = None  # no contact between particles
    return model, mass


def run(block: Block, cross: int, solver: str, substeps: int, **options: Any) -> dict[str, Any]:
    """Mean tip, centroid and centre of mass Float[T,3] m at the block's frames; seconds for stepping.

    options: `held` (the face x = 0 does not move), `ground`, `decay` in 1/s (force -2 decay m v on every particle, so
    that each mode dies like exp(-decay t)), `iterations` of VBD.
    """
    points, _ = five_tetrahedra(block, cross)
    model, mass = _model(block, cross, solver, options)
    if solver == "vbd":
        stepper = newton.solvers.SolverVBD(
            model, iterations=options.get("iterations", 20), particle_enable_tile_solve=False
        )
    else:
        stepper = newton.solvers.SolverSemiImplicit(model, enable_tri_contact=False)
    pipeline = newton.CollisionPipeline(model) if options.get("ground") else None
    contacts = pipeline.contacts() if pipeline else None
    now, then, control = model.state(), model.state(), model.control()
    drag = -2.0 * options.get("decay", 0.0) * mass[:, None]
    tip, triangles = np.flatnonzero(points[:, 0] > block.size[0] - 1e-9), boundary(block, cross)

    def sample() -> tuple[np.ndarray, np.ndarray, np.ndarray, float]:
        positions = now.particle_q.numpy().astype(np.float64)
        centre = mass @ positions / mass.sum()
        return positions[tip].mean(axis=0), centroid(positions, triangles), centre, float(positions[:, 2].min())

    samples, step = [sample()], 1.0 / block.fps / substeps
    begin = time.perf_counter()
    for _frame in range(1, block.frames):
        for _step in range(substeps):
            now.clear_forces()
            if drag.any():
                now.particle_f.numpy()[:] = drag * now.particle_qd.numpy()  # on the CPU the array is shared
            if pipeline:
                pipeline.collide(now, contacts)
            stepper.step(now, then, control, contacts, step)
            now, then = then, now
        samples.append(sample())
    seconds = time.perf_counter() - begin
    tips, centroids, centres, lowest = (np.array(column) for column in zip(*samples, strict=True))
    # Energy that is not there at the start throws the block about, out of the box in which all of it was.
    if not np.isfinite(centres).all() or np.ptp(centres, axis=0).max() > block.lift + block.size[2]:
        raise FloatingPointError(f"{solver} at {substeps} steps a frame is not stable on this mesh")
    return {
        "tip": tips,
        "centre": centroids,
        "centre_of_mass": centres,
        "lowest": lowest,
        "seconds": seconds,
        "vertices": len(points),
        "steps_per_second": round(1.0 / step),
    }


if __name__ == "__main__":
    wp.config.quiet = True
    request = json.loads(Path(sys.argv[1]).read_text())
    np.savez(sys.argv[2], **run(Block(**request.pop("block")), **request))
