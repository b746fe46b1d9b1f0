"""Blender's Python has NumPy, and the zip brings a few libraries: what an artist asks of the worker needs no others."""

from __future__ import annotations

import ast
import subprocess
import sys
import tomllib
from importlib.metadata import packages_distributions

import numpy as np
import pytest

from tests.backend.joints.furniture import chest_of_drawer
from tests.blender.robots import write_arm
from tests.job.test_halves import ROOT

BROUGHT = ("numpy", "scipy", "onnxruntime", "OpenEXR", "yourdfpy", "lxml", "six", "trimesh")
WITHOUT = """
import sys

class Hidden:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {hidden!r}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)

sys.meta_path.insert(0, Hidden())
{code}
"""
FIND = """
import numpy as np
from backend.joints.request import answer_joints
from backend.protocol import Message
arrays = dict(np.load(sys.argv[1]))
told, _ = answer_joints(Message({"type": "joints", "parts": "given", "names": ["a", "b"]}, arrays), lambda *_: None)
print([joint["type"] for joint in told["joints"]])
"""


READ = """
from backend.io.urdf_read import read_urdf
print(len(read_urdf(sys.argv[1])[1].tree.parts))
"""


def _run(code: str, *arguments: object) -> subprocess.CompletedProcess[str]:
    installed = packages_distributions()  # of a module, who brings it
    brought = {name.lower() for name in BROUGHT}
    hidden = [name for name, by in installed.items() if not {each.lower() for each in by} & brought]
    assert {"torch", "tqdm", "mujoco"} <= set(hidden)
    command = [sys.executable, "-c", WITHOUT.format(hidden=hidden, code=code), *map(str, arguments)]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)


def test_the_zip_brings_what_is_named_here() -> None:
    tables = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["neurok"]["wheels"]
    for wheels in tables.values():
        assert {name.partition("-")[0].lower() for name in wheels} <= {name.lower() for name in BROUGHT}


def test_robots_are_read_with_these_alone(tmp_path) -> None:
    done = _run(READ, write_arm(tmp_path / "arm.urdf"))
    assert done.stdout.strip() == "9", done.stderr


@pytest.mark.parametrize(
    "module",
    [
        "worker",
        "engine",
        "encoding.engines",
        "encoding.onnx_network",
        "joints.request",
        "joints.network.onnx_engine",
        "articulation.request",
        "io.robot_request",
        "pointmap.request",
    ],
)
def test_what_the_worker_imports_is_there(module: str) -> None:
    done = _run(f"import backend.{module}")
    assert done.returncode == 0, done.stderr


def test_joints_are_found_with_these_alone(tmp_path) -> None:
    mesh, label = chest_of_drawer()
    arrays = {"vertices": mesh.vertices.astype(np.float32), "triangles": mesh.triangles.astype(np.int32)}
    np.savez(tmp_path / "drawer.npz", **arrays, labels=label.astype(np.int32))
    done = _run(FIND, tmp_path / "drawer.npz")
    assert done.returncode == 0, done.stderr
    assert ast.literal_eval(done.stdout) == ["prismatic"]
