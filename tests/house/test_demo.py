"""The demo as a user starts it, with the quickest sample: real Blender, real backend process, real files."""

from __future__ import annotations

import json
import struct
import subprocess
import sys

import numpy as np
import pytest
from PIL import Image

from tests.house.test_tree import ROOT

OUTPUT = ROOT / "build" / "demo"
FRAMES = 72


def run_demo(*words: str) -> subprocess.CompletedProcess:
    command = [sys.executable, "build.py", "demo", *words]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=300)


@pytest.fixture(scope="module")
def printed() -> str:
    finished = run_demo("flag")
    assert finished.returncode == 0, finished.stdout + finished.stderr
    return finished.stdout


def test_demo_prints_the_time_of_every_stage(printed):
    header, row = [line.split() for line in printed.splitlines() if line.startswith(("seconds", "flag  "))]
    assert header[1:] == ["scene", "analyze", "solve", "process", "bake", "save", "export", "render", "picture", "all"]
    times = [float(word) for word in row[1:]]
    assert sum(times[:-1]) == pytest.approx(times[-1], abs=0.1)


def test_exported_file_moves_by_shape_keys(printed):
    content = (OUTPUT / "flag.glb").read_bytes()
    (length,) = struct.unpack("<I", content[12:16])
    scene = json.loads(content[20 : 20 + length])
    flag = next(mesh for mesh in scene["meshes"] if mesh["name"] == "Flag")
    assert all(len(part["targets"]) == FRAMES for part in flag["primitives"])
    (animation,) = scene["animations"]
    assert [channel["target"]["path"] for channel in animation["channels"]] == ["weights"]


def test_animated_picture_moves(printed):
    with Image.open(OUTPUT / "flag.webp") as picture:
        assert picture.n_frames == FRAMES // 2
        first = np.asarray(picture.convert("L"), dtype=np.int16)
        picture.seek(3)
        later = np.asarray(picture.convert("L"), dtype=np.int16)
    assert np.mean(np.abs(later - first) > 10) > 0.02


def test_blend_file_and_contact_sheet_are_there(printed):
    assert (OUTPUT / "flag.blend").stat().st_size > 100_000
    with Image.open(OUTPUT / "flag_sheet.png") as sheet:
        assert sheet.size == (1440, 810)


def test_unknown_sample_is_refused():
    finished = run_demo("horse")
    assert finished.returncode == 2
    assert "the samples are plant, toy, flag, cabinet, chair, vase" in finished.stderr
