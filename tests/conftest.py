"""Puts the staged add-on and the repository root on sys.path, so that tests import what the zip ships."""

import os
import sys
from pathlib import Path

import pytest
from hypothesis import settings

ROOT = Path(__file__).resolve().parent.parent
if str(ROOT) not in sys.path:
    sys.path.insert(0, str(ROOT))

import build  # noqa: E402  (needs the root on sys.path)
from tests.leave import leave  # noqa: E402

# The stage comes first: `import neurok_blender` must find the staged package, not the bare source directory.
sys.path.insert(0, str(build.stage_tree()))

# Child processes are started with this Python; another one's where ours lacks packages (`test --all-blenders`).
sys.executable = os.environ.get("NEUROK_BACKEND_PYTHON", sys.executable)

# The same examples in every run; a slow machine is no failure.
settings.register_profile("house", derandomize=True, database=None, deadline=None)
settings.load_profile("house")

EXIT_CODE = pytest.StashKey[int]()


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    session.config.stash[EXIT_CODE] = int(exitstatus)


@pytest.hookimpl(trylast=True)
def pytest_unconfigure(config: pytest.Config) -> None:
    """Pytest's closing line is printed by now; see `leave` for why it shall be the last."""
    config.get_terminal_writer().flush()
    if "bpy" in sys.modules:
        leave(config.stash[EXIT_CODE])
