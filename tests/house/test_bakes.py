"""What bakes of 25,000 vertices and 250 frames take."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from build_tools.stage import stage_tree


@pytest.fixture(scope="module")
def measured(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, float]]:
    script = Path(__file__).with_name("measure_bakes.py")
    environment = os.environ | {
        "PYTHONPATH": str(stage_tree()),
        "BLENDER_USER_RESOURCES": str(tmp_path_factory.mktemp("blender")),
    }
    command = [sys.executable, str(script), "--json", "--rings", "100"]
    finished = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert finished.returncode == 0, finished.stdout + finished.stderr
    return json.loads(finished.stdout.strip().splitlines()[-1])


def test_compressed_keys_are_quick_and_small(measured):
    row = measured["compressed"]
    assert row["times_the_decoding_loop"] < 4.0 and row["megabytes"] < 15.0
    assert 0.0 < row["error_percent"] <= 0.05


def test_plain_keys_take_hardly_more_than_their_shapes(measured):
    """Against a loop that makes the same shapes and puts them into keys, and does nothing else."""
    assert measured["shape_keys"]["times_the_decoding_loop"] < 2.0
    assert measured["shape_keys"]["count"] == 250 and measured["shape_keys"]["megabytes"] == pytest.approx(75.0)


def test_a_cache_is_as_large_as_its_numbers(measured):
    assert measured["cache"]["megabytes"] == pytest.approx(75.0) and measured["cache"]["error_percent"] == 0.0
