"""Script that times Newton's vertex block descent (VBD) on the CPU; run by an interpreter that has the package.

A lattice of 16 x 16 x 16 cubes (17^3 = 4,913 vertices, five tetrahedra in each cube) that is struck on one side, free
and without gravity, as our sphere is. Ten steps a frame with ten iterations are what its own example of a hanging soft
body takes. The first frame, which compiles, is cold and not counted.
"""

__all__ = ["NEWTON_SCRIPT"]

NEWTON_SCRIPT = """
import json, sys, time
import newton
import numpy as np
import warp as wp

wp.config.quiet = True
frames, budget, cells, steps, iterations = int(sys.argv[1]), float(sys.argv[2]), 16, 10, 10
builder = newton.ModelBuilder(gravity=(0.0, 0.0, 0.0))
builder.add_soft_grid(
    pos=wp.vec3(0.0, 0.0, 0.0), rot=wp.quat_identity(), vel=wp.vec3(0.0, 0.0, 0.0),
    dim_x=cells, dim_y=cells, dim_z=cells, cell_x=1.0 / cells, cell_y=1.0 / cells, cell_z=1.0 / cells,
    density=1000.0, k_mu=1e5, k_lambda=1e5, k_damp=0.0,
)
builder.color()
model = builder.finalize(device="cpu")
solver = newton.solvers.SolverVBD(model, iterations=iterations, particle_enable_tile_solve=False)
now, then, control = model.state(), model.state(), model.control()
struck = np.linalg.norm(now.particle_q.numpy() - [1.0, 0.5, 0.5], axis=1) < 0.4
now.particle_qd.numpy()[struck] = [-5.0, 0.0, 1.5]
before = now.particle_q.numpy().copy()
seconds, travel = [], []
for frame in range(2, frames + 1):
    begin = time.perf_counter()
    for _ in range(steps):
        now.clear_forces()
        solver.step(now, then, control, None, 1.0 / 24.0 / steps)
        now, then = then, now
    seconds.append(time.perf_counter() - begin)
    after = now.particle_q.numpy().copy()
    travel.append(float(np.sqrt(((after - before) ** 2).sum(axis=1).mean())))
    before = after
    if sum(seconds) > budget and len(seconds) > 1:
        break
print("RESULT " + json.dumps([len(before), seconds, travel]), flush=True)
"""
