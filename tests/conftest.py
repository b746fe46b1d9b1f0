"""Puts the staged add-on and the repository root on sys.path, so that tests import what the zip ships."""

import os
import sys
import time
from pathlib import Path

import pytest
from hypothesis import settings

# One BLAS thread, as `python -m backend` has: the solver's matrices are small and a second thread only waits.
for _library in ("OPENBLAS", "MKL", "OMP"):
    os.environ[f"{_library}_NUM_THREADS"] = "1"

ROOT = Path(__file__).resolve().parent.parent
if str(ROOT) not in sys.path:
    sys.path.insert(0, str(ROOT))

from build_tools.compiled import compiled_directory  # noqa: E402  (needs the root on sys.path)
from build_tools.stage import stage_tree  # noqa: E402
from tests.leave import leave  # noqa: E402

# What Numba compiles is kept for later processes and runs.
os.environ.setdefault("NUMBA_CACHE_DIR", str(compiled_directory()))

# The stage comes first: `import neurok_blender` must find the staged package, not the bare source directory.
sys.path.insert(0, str(stage_tree()))

# Child processes are started with this Python; another one's where ours lacks packages (`test --all-blenders`).
sys.executable = os.environ.get("NEUROK_BACKEND_PYTHON", sys.executable)

# The same examples in every run; a slow machine is no failure.
settings.register_profile("house", derandomize=True, database=None, deadline=None)
settings.load_profile("house")

EXIT_CODE = pytest.StashKey[int]()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--long", action="store_true", help="run the tests marked as long too")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leaves out what is marked as long unless it is asked for."""
    if config.getoption("--long"):
        return
    left_out = [item for item in items if item.get_closest_marker("long")]
    if left_out:
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if not item.get_closest_marker("long")]


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """How long `build.py test` has taken, its set-up included."""
    began = os.environ.get("NEUROK_TEST_BEGAN")
    if began:
        minutes, seconds = divmod(time.time() - float(began), 60.0)
        terminalreporter.section("time")
        terminalreporter.write_line(f"{minutes:.0f} min {seconds:.0f} s, set-up included")


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    session.config.stash[EXIT_CODE] = int(exitstatus)


@pytest.hookimpl(trylast=True)
def pytest_unconfigure(config: pytest.Config) -> None:
    """Pytest's closing line is printed by now; see `leave` for why it shall be the last."""
    config.get_terminal_writer().flush()
    if "bpy" in sys.modules:
        leave(config.stash[EXIT_CODE])
