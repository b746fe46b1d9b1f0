"""Blender's Python has NumPy, and the zip brings a few libraries: what an artist asks of the worker needs no others."""

from __future__ import annotations

import ast
import subprocess
import sys
import tomllib
from importlib.metadata import packages_distributions

import numpy as np
import pytest

from tests.backend.joint_search.furniture import chest_of_drawer
from tests.job.test_halves import ROOT

WHEELS = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["neurok"]["wheels"]
# What every platform gets, besides what Blender has.
BROUGHT = {"numpy", *set.intersection(*({name.partition("-")[0] for name in wheels} for wheels in WHEELS.values()))}
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
from backend.worker.find_joints import answer_joints
from backend.protocol import Message
arrays = dict(np.load(sys.argv[1]))
told, _ = answer_joints(Message({"type": "joints", "parts": "given", "names": ["a", "b"]}, arrays), lambda *_: None)
print([joint["type"] for joint in told["joints"]])
"""


def _run(code: str, *arguments: object) -> subprocess.CompletedProcess[str]:
    installed = packages_distributions()  # of a module, who brings it
    hidden = [name for name, by in installed.items() if not {each.lower() for each in by} & BROUGHT]
    assert {"torch", "tqdm", "pxr"} <= set(hidden) and "scipy" not in hidden
    command = [sys.executable, "-c", WITHOUT.format(hidden=hidden, code=code), *map(str, arguments)]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)


@pytest.mark.parametrize(
    "module",
    [
        "worker.server",
        "engine",
        "learned.infer.engines",
        "learned.infer.onnx_network",
        "worker.find_joints",
        "learned.infer.joint_network.onnx_engine",
        "worker.joints_message",
        "worker.robot_requests",
        "worker.pointmaps",
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
