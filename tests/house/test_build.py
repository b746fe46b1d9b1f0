"""build.py: pins, the staged tree, and failures that are one sentence."""

from __future__ import annotations

import hashlib
import os
import re
import tomllib
from importlib.metadata import version
from pathlib import Path

import pytest

import backend.protocol
import build
from build_tools import environment, wheels
from build_tools.common import ROOT, BuildError, read_toml
from build_tools.extension_zip import PYTHONS_OF_BLENDER, Target, manifest_for, targets
from build_tools.stage import PACKAGE, REPOSITORY_ONLY, stage_tree
from build_tools.wheels import Wheel, pinned_wheels


def test_every_pinned_package_is_installed_in_that_version():
    pins = dict(line.split("==") for line in environment.pinned_requirements())
    assert {name: version(name).partition("+")[0] for name in pins} == pins
    assert environment.missing_pins() == []


def test_half_installed_packages_count_as_missing(monkeypatch, tmp_path):
    site = tmp_path / "lib" / environment.python_name() / "site-packages"
    names = [line.split("==") for line in environment.pinned_requirements()]
    for name, number in names:
        local = "+cpu" if name == "torch" else ""
        folder = site / f"{environment.normalised(name)}-{number}{local}.dist-info"
        folder.mkdir(parents=True)
        (folder / "RECORD").touch()
    monkeypatch.setattr(environment, "VENV", tmp_path)
    assert environment.missing_pins() == []
    name, number = names[0]
    (site / f"{environment.normalised(name)}-{number}.dist-info" / "RECORD").unlink()
    assert environment.missing_pins() == [f"{name}=={number}"]


def wheel_tables() -> dict[str, dict[str, str]]:
    return read_toml("pyproject.toml")["tool"]["neurok"]["wheels"]


@pytest.mark.parametrize("python", PYTHONS_OF_BLENDER)
def test_every_platform_has_the_same_packages_for_each_python_of_blender(python):
    tables = wheel_tables()
    assert set(tables) == {"linux-x64", "windows-x64", "macos-arm64", "macos-x64"}
    for name in tables:
        own = pinned_wheels(tables, name, python)
        found = sorted((wheel.python, wheel.requirement.partition("==")[0]) for wheel in own)
        compiled = [(python, package) for package in ("llvmlite", "lxml", "numba", "onnxruntime", "openexr", "scipy")]
        assert found == [("", package) for package in ("six", "trimesh", "yourdfpy")] + compiled
        assert all(re.fullmatch(r"[0-9a-f]{64}", wheel.sha256) for wheel in own)


def test_where_no_compiled_wheels_are_pinned_there_are_none():
    assert {wheel.python for wheel in pinned_wheels(wheel_tables(), "linux-x64", "3.14")} == {"", "3.14"}
    assert pinned_wheels(wheel_tables(), "windows-x64", "3.14") == []
    assert pinned_wheels(wheel_tables(), "amiga-m68k", "3.11") == []


@pytest.mark.parametrize("python", PYTHONS_OF_BLENDER)
@pytest.mark.parametrize("name", ["linux-x64", "windows-x64"])
def test_the_wheels_of_the_runtime_are_those_that_tests_run_with_where_there_are_such(name, python):
    (runtime,) = [line for line in environment.pinned_requirements() if line.startswith("onnxruntime==")]
    assert runtime in {wheel.requirement for wheel in pinned_wheels(wheel_tables(), name, python)}


def test_pip_is_told_for_which_system_a_wheel_is():
    name = "scipy-1.15.3-cp311-cp311-manylinux_2_17_x86_64.manylinux2014_x86_64.whl"
    words = wheels.pip_words(Wheel(name, "0" * 64, "linux-x64"), Path("wheels"))
    assert words[0] == "download" and words[-1] == "scipy==1.15.3" and "--no-deps" in words
    for word, value in (("--python-version", "3.11"), ("--abi", "cp311"), ("--platform", "manylinux_2_17_x86_64")):
        assert words[words.index(word) + 1] == value
    assert "manylinux2014_x86_64" in words
    words = wheels.pip_words(Wheel("six-1.17.0-py2.py3-none-any.whl", "0" * 64, "linux-x64"), Path("wheels"))
    assert words[-1] == "six==1.17.0" and "--platform" not in words and "--abi" not in words


def test_a_wheel_that_is_not_what_was_pinned_is_refused(monkeypatch, tmp_path):
    content = b"a wheel"
    wheel = Wheel("tiny-1.0-cp311-cp311-any.whl", hashlib.sha256(content).hexdigest(), "linux-x64")
    monkeypatch.setattr(wheels, "WHEELS", tmp_path)
    fetched = []

    def fetch(command, _failure, **_options):
        fetched.append(command)
        (tmp_path / wheel.name).write_bytes(answers.pop(0))

    monkeypatch.setattr(wheels, "run", fetch)
    answers = [b"something else", content]
    with pytest.raises(BuildError, match="not the file that pyproject"):
        wheels.fetch_wheels([wheel])
    wheels.fetch_wheels([wheel])  # what was refused is fetched anew
    wheels.fetch_wheels([wheel])  # and what is there is not
    assert len(fetched) == 2


def manifest_of(target: Target) -> dict:
    own = pinned_wheels(wheel_tables(), target.platform, target.python)
    manifest = tomllib.loads(manifest_for((ROOT / "blender_manifest.toml").read_text(), own, target))
    assert manifest.pop("platforms") == [target.platform]
    assert manifest.pop("wheels") == [f"./wheels/{wheel.name}" for wheel in own]
    return manifest


def test_every_blender_from_the_oldest_on_has_one_zip():
    plain = read_toml("blender_manifest.toml")
    older, newer = (manifest_of(target) for target in targets(["linux-x64"], ()))
    assert older.pop("blender_version_min") == plain.pop("blender_version_min")
    assert older.pop("blender_version_max") == newer.pop("blender_version_min")
    assert older == newer == plain


def test_the_zip_for_a_distribution_is_for_any_blender_in_its_python():
    (target,) = targets(["linux-x64"], ["3.14"])
    assert manifest_of(target) == read_toml("blender_manifest.toml")


def test_every_blender_of_the_matrix_is_pinned_exactly_and_tested_with_the_same_packages():
    common = set(environment.pinned_requirements())
    for number, group in environment.BLENDER_GROUPS.items():
        blender, *others = environment.pinned_requirements(group)
        assert re.fullmatch(rf"bpy=={re.escape(number)}\.\d+", blender)
        assert set(others) <= common


def test_a_blender_that_cannot_be_had_is_named_and_the_others_are_tested(monkeypatch, capsys):
    tested = []

    def make(venv, group, _megabytes):
        if group == "blender-4.2":
            raise BuildError("pip could not install the packages")

    def test(words, venv, _variables):
        tested.append((venv.name, words[-1]))
        return 0

    monkeypatch.setattr(build, "setup", lambda: None)
    monkeypatch.setattr(build, "setup_apart", make)
    monkeypatch.setattr(build, "in_venv", test)
    assert build.main(["test", "--all-blenders"]) == 1
    assert tested == [("blender-4.5", "tests/job"), ("blender-5.0", "tests/job")]
    said = capsys.readouterr().out
    assert "Blender 4.2: not tested: pip could not install the packages" in said
    assert "Blender 5.0: passed" in said


def test_manifest_and_project_tell_the_same_version():
    project = read_toml("pyproject.toml")["project"]
    assert read_toml("blender_manifest.toml")["version"] == project["version"]


def test_staged_tree_is_made_of_links_and_made_again_without_change():
    package = stage_tree() / PACKAGE
    before = {path.name: os.readlink(path) for path in package.iterdir() if path.is_symlink()}
    stage_tree()
    after = {path.name: os.readlink(path) for path in package.iterdir() if path.is_symlink()}
    assert before == after
    assert {"__init__.py", "icons", "blender_manifest.toml"} <= set(after)
    assert os.path.samefile(package / "backend/protocol.py", backend.protocol.__file__)
    assert os.path.samefile(package / "backend/learned/infer", ROOT / "backend/learned/infer")


def test_staged_tree_lacks_the_rooms_that_make_train_and_measure():
    for room in REPOSITORY_ONLY:
        assert (ROOT / room / "__init__.py").is_file()
        assert not (stage_tree() / PACKAGE / room).exists()


def test_staged_tree_drops_links_to_what_is_gone():
    package = stage_tree() / PACKAGE
    stale = [package / "gone.py", package / "backend/learned/gone.py"]
    for link in stale:
        link.symlink_to(ROOT / PACKAGE / "gone.py")
    stage_tree()
    assert not any(link.is_symlink() for link in stale)


def test_without_apt_the_missing_system_packages_are_named(monkeypatch):
    monkeypatch.setattr(environment.shutil, "which", lambda _name: None)
    with pytest.raises(BuildError, match=r"needs libX; install these system packages .*: libx liby\.$"):
        environment.apt_install(["libx", "liby"], "Blender's module needs libX")


def test_without_the_right_python_the_remedy_names_it(monkeypatch):
    monkeypatch.setattr(environment.sys, "version_info", (3, 13, 0))
    monkeypatch.setattr(environment.shutil, "which", lambda _name: None)
    with pytest.raises(BuildError, match=r"needs python3\.11; install it"):
        environment.find_python()


def test_tests_run_in_two_processes_and_long_sweeps_where_asked_for(monkeypatch):
    started = []
    monkeypatch.setattr(build, "setup", lambda: None)
    monkeypatch.setattr(build, "in_venv", lambda words, variables: started.append(words) or 0)
    assert build.main(["test", "tests/house", "-x"]) == 0
    assert build.main(["test", "--long"]) == 0
    pytest_in_two = ["-m", "pytest", "-n", "2", "--dist", "loadfile", "--no-loadscope-reorder"]
    assert started == [[*pytest_in_two, "tests/house", "-x"], [*pytest_in_two, "--long"]]


def test_a_failure_is_one_sentence_and_exit_code_1(monkeypatch, capsys):
    def fail() -> None:
        raise BuildError("The disk is full.")

    monkeypatch.setattr(build, "setup", fail)
    assert build.main(["setup"]) == 1
    assert capsys.readouterr().err == "build.py setup: The disk is full.\n"
