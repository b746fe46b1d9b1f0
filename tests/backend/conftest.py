"""One BLAS thread, as `python -m backend` has: the solver's matrices are small and a second thread only waits."""

import os

for _library in ("OPENBLAS", "MKL", "OMP"):
    os.environ[f"{_library}_NUM_THREADS"] = "1"
