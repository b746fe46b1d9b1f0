"""The extension's zips: built by `build.py zip`, validated by Blender's own tool, with the right content."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tomllib
import zipfile
from contextlib import ExitStack
from pathlib import Path

import pytest

from build_tools.extension_zip import MOST_MEGABYTES, targets, this_platform, zip_path
from build_tools.stage import PACKAGE, PACKAGE_GUESTS, REPOSITORY_ONLY
from tests.backend.command_line import write_mesh
from tests.backend.kinematics.spaces import laptop
from tests.blender.robots import write_arm
from tests.house.test_tree import ROOT, tracked_files

NOT_SHIPPED = {"icons/demo.webp"}  # the README's picture
TARGETS = targets([this_platform()], ())


@pytest.fixture(scope="module")
def archives() -> list[zipfile.ZipFile]:
    """For each Python of Blender, on this platform."""
    command = [sys.executable, "build.py", "zip"]
    finished = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert finished.returncode == 0, finished.stdout + finished.stderr
    assert finished.stdout.count("validates clean") == len(TARGETS)
    with ExitStack() as opened:
        yield [opened.enter_context(zipfile.ZipFile(zip_path(target))) for target in TARGETS]


@pytest.fixture(scope="module")
def archive(archives) -> zipfile.ZipFile:
    """The zip for the Python of the tests."""
    (index,) = [index for index, target in enumerate(TARGETS) if target.python == "3.11"]
    return archives[index]


def shipped_name(path: str) -> str | None:
    """Where a tracked file is in the zip; None where it does not belong there."""
    top, _, rest = path.partition("/")
    if path in NOT_SHIPPED or path.startswith(tuple(f"{room}/" for room in REPOSITORY_ONLY)):
        return None
    if top == PACKAGE:
        return rest
    return path if top in PACKAGE_GUESTS else None


def test_zip_has_every_tracked_file_of_the_package_at_its_root(archive):
    wanted = {shipped_name(path.as_posix()) for path in tracked_files()} - {None}
    assert wanted - set(archive.namelist()) == set()
    assert {"__init__.py", "blender_manifest.toml", "LICENSE", "backend/__main__.py"} <= wanted


def test_zip_has_no_caches_tests_or_hidden_files(archive):
    names = archive.namelist()
    assert not [name for name in names if "__pycache__" in name or "/." in name or name.startswith((".", "tests"))]
    assert not NOT_SHIPPED & set(names)
    assert not [name for name in names if name.startswith(REPOSITORY_ONLY)]


def test_each_zip_is_small_enough_and_brings_wheels_of_its_python_alone(archives):
    for target, archive in zip(TARGETS, archives, strict=True):
        assert Path(archive.filename).stat().st_size < MOST_MEGABYTES * 1e6
        manifest = tomllib.loads(archive.read("blender_manifest.toml").decode())
        assert manifest["platforms"] == [this_platform()]
        assert (manifest["blender_version_min"], manifest.get("blender_version_max")) == target.versions
        wheels = [name for name in archive.namelist() if name.startswith("wheels/")]
        assert sorted(f"./{name}" for name in wheels) == sorted(manifest["wheels"])
        brought = {tuple(name.removeprefix("wheels/").split("-")[::2][:2]) for name in wheels}
        tag = f"cp{target.python.replace('.', '')}"
        compiled = {(name, tag) for name in ("llvmlite", "lxml", "numba", "onnxruntime", "openexr", "scipy")}
        assert brought == compiled | {("six", "py2.py3"), ("trimesh", "py3"), ("yourdfpy", "py3")}


def test_zip_brings_the_networks_and_their_graphs(archive):
    for name in ("state_space", "joints"):
        assert f"backend/weights/{name}.graphs.npz" in archive.namelist()
        assert f"backend/weights/{name}.safetensors" in archive.namelist()
    assert "backend/weights/materials.safetensors" in archive.namelist()  # small enough to be computed by NumPy
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
        if wheel.name.startswith(("lxml-", "six-", "trimesh-", "yourdfpy-")):
            zipfile.ZipFile(wheel).extractall(packages)
    robot = write_arm(tmp_path / "arm.urdf")
    command = [sys.executable, "-c", READS_ROBOTS, packages, tree, robot]
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False, cwd=tmp_path)
    assert done.stdout.strip() == "9", done.stderr


@pytest.fixture(scope="module")
def package(archive, tmp_path_factory) -> Path:
    """The folder that Blender unpacks the zip to, without the wheels."""
    folder = tmp_path_factory.mktemp("package")
    archive.extractall(folder, [name for name in archive.namelist() if not name.startswith("wheels/")])
    return folder


def run_in(package: Path, *words: str | Path) -> subprocess.CompletedProcess:
    """Python in the unpacked package, without this repository on its path."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    command = [sys.executable, *map(str, words)]
    return subprocess.run(command, cwd=package, env=environment, capture_output=True, text=True, check=False)


WITHOUT_TORCH = """
import sys

class Hidden:
    # An empty entry in sys.modules would not do: SciPy asks each module that is there whether an array is its own.
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in ("torch", "safetensors"):
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, Hidden())
from backend.__main__ import main
sys.exit(main(["analyze", sys.argv[1], "--provider", "learned", "--json"]))
"""


def test_what_is_in_the_zip_learns_without_torch(package, tmp_path):
    finished = run_in(package, "-c", WITHOUT_TORCH, write_mesh(tmp_path / "laptop.obj", laptop()[0]))
    assert finished.returncode == 0, finished.stderr
    summary = json.loads(finished.stdout)
    assert (summary["provider"], summary["engine"]) == ("learned", "onnx")


@pytest.mark.parametrize("command", ["train", "evaluate", "data", "bench", "export", "fit-joints"])
def test_commands_that_the_zip_lacks_say_where_they_are(package, command):
    done = run_in(package, "-m", "backend", command, "--json")
    remedy = "Run it in a copy of the repository, with the Python of .venv."
    assert (done.returncode, done.stdout, done.stderr) == (2, "", f"'{command}' is not in the add-on's zip. {remedy}\n")


def test_every_python_file_in_the_zip_compiles(archive):
    for name in archive.namelist():
        if name.endswith(".py"):
            compile(archive.read(name), name, "exec")
