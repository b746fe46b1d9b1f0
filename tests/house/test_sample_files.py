"""The .blend files of `build.py samples` open in a fresh Blender and simulate."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import build
from build_tools.common import ROOT
from build_tools.stage import stage_tree

SAMPLES = ("plant", "toy", "flag", "cabinet", "chair", "vase")


def _run(script: Path, *words: str, user: Path) -> str:
    """What a script of this repository prints, run by a Python that has Blender as a module."""
    environment = os.environ | {
        "PYTHONPATH": os.pathsep.join([str(stage_tree()), str(ROOT)]),
        "BLENDER_USER_RESOURCES": str(user),
    }
    command = [sys.executable, str(script), *words]
    finished = subprocess.run(command, cwd=user, env=environment, capture_output=True, text=True, check=False)
    assert finished.returncode == 0, finished.stdout + finished.stderr
    return finished.stdout


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("samples")
    for _ in range(2):  # written again, a file takes the place of the one before
        _run(ROOT / "tests/demo/write_samples.py", "--out", str(folder), user=tmp_path_factory.mktemp("user"))
    return folder


def test_there_is_one_small_file_for_each_sample_and_nothing_else(folder: Path) -> None:
    sizes = {path.name: path.stat().st_size for path in folder.iterdir()}
    assert set(sizes) == {f"{name}.blend" for name in SAMPLES}
    assert max(sizes.values()) < 2_000_000


@pytest.mark.parametrize("name", SAMPLES)
def test_it_opens_and_simulates(folder: Path, tmp_path: Path, name: str) -> None:
    said = _run(Path(__file__).with_name("simulate_sample.py"), str(folder / f"{name}.blend"), user=tmp_path)
    found = json.loads(said.strip().splitlines()[-1])
    assert found["frames"] == [1, 72, 72]
    assert found["camera"] and found["conditions"] > 0 and found["files"] == 0
    assert found["simulated"] == 12
    assert found["moved"] > 0.002, found


def test_the_command_of_build_runs_the_script(monkeypatch: pytest.MonkeyPatch) -> None:
    started = []
    monkeypatch.setattr(build, "setup", lambda: None)
    monkeypatch.setattr(build, "in_venv", lambda words, **_options: started.append(words) or 0)
    assert build.main(["samples", "--out", "here"]) == 0
    assert started == [[ROOT / "tests/demo/write_samples.py", "--out", "here"]]
