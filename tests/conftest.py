"""Puts the staged add-on and the repository root on sys.path, so that tests import what the zip ships."""

import sys
from pathlib import Path

from hypothesis import settings

ROOT = Path(__file__).resolve().parent.parent
if str(ROOT) not in sys.path:
    sys.path.insert(0, str(ROOT))

import build  # noqa: E402  (needs the root on sys.path)

# The stage comes first: `import neurok_blender` must find the staged package, not the bare source directory.
sys.path.insert(0, str(build.stage_tree()))

# The same examples in every run; a slow machine is no failure.
settings.register_profile("house", derandomize=True, database=None, deadline=None)
settings.load_profile("house")
