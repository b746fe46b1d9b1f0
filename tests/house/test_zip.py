"""The extension zip: built by `build.py zip`, validated by Blender's own tool, with the right content."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tomllib
import zipfile

import pytest

import build
from tests.backend.command_line import write_mesh
from tests.backend.kinematics.spaces import laptop
from tests.blender.robots import write_arm
from tests.house.test_tree import ROOT, tracked_files

NOT_SHIPPED = {"icons/demo.webp"}  # the README's picture


@pytest.fixture(scope="module")
def archive() -> zipfile.ZipFile:
    command = [sys.executable, "build.py", "zip"]
    finished = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert finished.returncode == 0, finished.stdout + finished.stderr
    assert "validates clean" in finished.stdout
    with zipfile.ZipFile(build.zip_path(build.this_platform())) as opened:
        yield opened


def shipped_name(path: str) -> str | None:
    """Where a tracked file is in the zip; None where it does not belong there."""
    top, _, rest = path.partition("/")
    if path in NOT_SHIPPED:
        return None
    if top == build.PACKAGE:
        return rest
    return path if top in build.PACKAGE_GUESTS else None


def test_zip_has_every_tracked_file_of_the_package_at_its_root(archive):
    wanted = {shipped_name(path.as_posix()) for path in tracked_files()} - {None}
    assert wanted - set(archive.namelist()) == set()
    assert {"__init__.py", "blender_manifest.toml", "LICENSE", "backend/__main__.py"} <= wanted


def test_zip_has_no_caches_tests_or_hidden_files(archive):
    names = archive.namelist()
    assert not [name for name in names if "__pycache__" in name or "/." in name or name.startswith((".", "tests"))]
    assert not NOT_SHIPPED & set(names)


def test_zip_brings_the_embedded_engine_for_the_pythons_of_blender(archive):
    manifest = tomllib.loads(archive.read("blender_manifest.toml").decode())
    assert manifest["platforms"] == [build.this_platform()]
    wheels = [name for name in archive.namelist() if name.startswith("wheels/")]
    assert sorted(f"./{name}" for name in wheels) == sorted(manifest["wheels"])
    brought = {tuple(name.removeprefix("wheels/").split("-")[::2][:2]) for name in wheels}
    built = {(name, tag) for name in ("lxml", "onnxruntime", "openexr", "scipy") for tag in ("cp311", "cp313")}
    assert brought == built | {("six", "py2.py3"), ("trimesh", "py3"), ("yourdfpy", "py3")}
    for name in ("state_space", "joints"):
        assert f"backend/weights/{name}.graphs.npz" in archive.namelist()
        assert f"backend/weights/{name}.safetensors" in archive.namelist()
    ours = sum(entry.file_size for entry in archive.infolist() if entry.filename.startswith("backend/weights/"))
    assert ours < 20 * 2**20


READS_ROBOTS = """
import sys
sys.path.insert(0, sys.argv[1])
import lxml, six, trimesh, yourdfpy
assert all(each.__file__.startswith(sys.argv[1]) for each in (lxml, six, trimesh, yourdfpy))
sys.path.insert(0, sys.argv[2])
from backend.robots.urdf_read import read_urdf
print(len(read_urdf(sys.argv[3])[1].tree.parts))
"""


def test_robots_are_read_by_what_the_zip_brings(archive, tmp_path):
    packages, tree = tmp_path / "packages", tmp_path / "package"
    archive.extractall(tree)
    for wheel in (tree / "wheels").glob("*.whl"):
        package, _, python = wheel.name.split("-")[:3]
        if package in ("lxml", "six", "trimesh", "yourdfpy") and python in ("cp311", "py3", "py2.py3"):
            zipfile.ZipFile(wheel).extractall(packages)
    robot = write_arm(tmp_path / "arm.urdf")
    command = [sys.executable, "-c", READS_ROBOTS, packages, tree, robot]
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False, cwd=tmp_path)
    assert done.stdout.strip() == "9", done.stderr


WITHOUT_TORCH = """
import sys
sys.modules["torch"] = sys.modules["safetensors"] = None
from backend.__main__ import main
sys.exit(main(["analyze", sys.argv[1], "--provider", "learned", "--json"]))
"""


def test_what_is_in_the_zip_learns_without_torch(archive, tmp_path):
    archive.extractall(tmp_path, [name for name in archive.namelist() if not name.startswith("wheels/")])
    mesh = write_mesh(tmp_path / "laptop.obj", laptop()[0])
    command = [sys.executable, "-c", WITHOUT_TORCH, mesh]
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    finished = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    assert finished.returncode == 0, finished.stderr
    summary = json.loads(finished.stdout)
    assert (summary["provider"], summary["engine"]) == ("learned", "onnx")


def test_every_python_file_in_the_zip_compiles(archive):
    for name in archive.namelist():
        if name.endswith(".py"):
            compile(archive.read(name), name, "exec")
