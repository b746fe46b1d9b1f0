"""The table of commands: each has its options and help without importing what it works with."""

from __future__ import annotations

import subprocess
import sys

import pytest

from backend.__main__ import COMMANDS
from tests.backend.command_line import ROOT, backend

_PROBE = """
import sys
from backend.__main__ import main
try:
    main([{name!r}, "--help"])
except SystemExit as end:
    assert end.code == 0
print("heavy:", *sorted({{"numpy", "scipy", "torch", "numba", "onnxruntime", "trimesh", "tqdm"}} & set(sys.modules)))
"""


@pytest.mark.parametrize("name", COMMANDS)
def test_help_of_a_command_imports_nothing_large(name: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", _PROBE.format(name=name)], cwd=ROOT, capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 0, done.stderr
    assert f"usage: python -m backend {name}" in done.stdout
    assert done.stdout.splitlines()[-1].strip() == "heavy:"


def test_every_command_is_installed_and_listed() -> None:
    assert all(command.installed for command in COMMANDS.values())
    listed = backend("--help").stdout
    for name, command in COMMANDS.items():
        assert f"    {name} " in listed and " ".join(command.help.split()[:4]) in listed
    assert backend("nonsense").returncode == 2
