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


def test_every_pinned_package_is_installed_in_that_version():
    pins = dict(line.split("==") for line in build.pinned_requirements())
    assert {name: version(name).partition("+")[0] for name in pins} == pins
    assert build.missing_pins() == []


def test_half_installed_packages_count_as_missing(monkeypatch, tmp_path):
    site = tmp_path / "lib" / build.python_name() / "site-packages"
    names = [line.split("==") for line in build.pinned_requirements()]
    for name, number in names:
        local = "+cpu" if name == "torch" else ""
        folder = site / f"{build.normalised(name)}-{number}{local}.dist-info"
        folder.mkdir(parents=True)
        (folder / "RECORD").touch()
    monkeypatch.setattr(build, "VENV", tmp_path)
    assert build.missing_pins() == []
    name, number = names[0]
    (site / f"{build.normalised(name)}-{number}.dist-info" / "RECORD").unlink()
    assert build.missing_pins() == [f"{name}=={number}"]


def wheel_tables() -> dict[str, dict[str, str]]:
    return build.read_toml("pyproject.toml")["tool"]["neurok"]["wheels"]


def test_every_platform_has_the_same_packages_for_both_pythons_of_blender():
    tables = wheel_tables()
    assert set(tables) == {"linux-x64", "windows-x64", "macos-arm64", "macos-x64"}
    for name in tables:
        wheels = build.pinned_wheels(tables, [name], build.BLENDER_PYTHONS)
        found = sorted((wheel.python, wheel.requirement.partition("==")[0]) for wheel in wheels)
        packages = ("lxml", "onnxruntime", "openexr", "scipy")
        own = [(python, package) for python in ("3.11", "3.13") for package in packages]
        assert found == [("", package) for package in ("six", "trimesh", "yourdfpy")] + own
        assert all(re.fullmatch(r"[0-9a-f]{64}", wheel.sha256) for wheel in wheels)
    assert {wheel.python for wheel in build.pinned_wheels(tables, ["linux-x64"], ["3.14"])} == {"", "3.14"}


def test_the_wheels_of_the_runtime_are_those_that_tests_run_with_where_there_are_such():
    (runtime,) = [line for line in build.pinned_requirements() if line.startswith("onnxruntime==")]
    tables = wheel_tables()
    for name in ("linux-x64", "windows-x64"):
        assert runtime in {wheel.requirement for wheel in build.pinned_wheels(tables, [name], ["3.11", "3.13"])}


def test_pip_is_told_for_which_system_a_wheel_is():
    name = "scipy-1.15.3-cp311-cp311-manylinux_2_17_x86_64.manylinux2014_x86_64.whl"
    words = build.pip_words(build.Wheel(name, "0" * 64, "linux-x64"), Path("wheels"))
    assert words[0] == "download" and words[-1] == "scipy==1.15.3" and "--no-deps" in words
    for word, value in (("--python-version", "3.11"), ("--abi", "cp311"), ("--platform", "manylinux_2_17_x86_64")):
        assert words[words.index(word) + 1] == value
    assert "manylinux2014_x86_64" in words
    words = build.pip_words(build.Wheel("six-1.17.0-py2.py3-none-any.whl", "0" * 64, "linux-x64"), Path("wheels"))
    assert words[-1] == "six==1.17.0" and "--platform" not in words and "--abi" not in words


def test_a_wheel_that_is_not_what_was_pinned_is_refused(monkeypatch, tmp_path):
    content = b"a wheel"
    wheel = build.Wheel("tiny-1.0-cp311-cp311-any.whl", hashlib.sha256(content).hexdigest(), "linux-x64")
    monkeypatch.setattr(build, "WHEELS", tmp_path)
    fetched = []

    def fetch(command, _failure, **_options):
        fetched.append(command)
        (tmp_path / wheel.name).write_bytes(answers.pop(0))

    monkeypatch.setattr(build, "run", fetch)
    answers = [b"something else", content]
    with pytest.raises(build.BuildError, match="not the file that pyproject"):
        build.fetch_wheels([wheel])
    build.fetch_wheels([wheel])  # what was refused is fetched anew
    build.fetch_wheels([wheel])  # and what is there is not
    assert len(fetched) == 2


def test_the_manifest_of_a_zip_names_its_wheels_at_its_top_level():
    wheels = build.pinned_wheels(wheel_tables(), ["linux-x64"], build.BLENDER_PYTHONS)
    text = (build.ROOT / "blender_manifest.toml").read_text()
    manifest = tomllib.loads(build.manifest_with(text, wheels, ["linux-x64"]))
    assert manifest["platforms"] == ["linux-x64"]
    assert manifest["wheels"] == [f"./wheels/{wheel.name}" for wheel in wheels]
    plain = tomllib.loads(text)
    assert {name: value for name, value in manifest.items() if name not in ("platforms", "wheels")} == plain


def test_every_blender_of_the_matrix_is_pinned_exactly_and_tested_with_the_same_packages():
    common = set(build.pinned_requirements())
    for number, group in build.BLENDER_GROUPS.items():
        blender, *others = build.pinned_requirements(group)
        assert re.fullmatch(rf"bpy=={re.escape(number)}\.\d+", blender)
        assert set(others) <= common


def test_a_blender_that_cannot_be_had_is_named_and_the_others_are_tested(monkeypatch, capsys):
    tested = []

    def make(venv, group, _megabytes):
        if group == "blender-4.2":
            raise build.BuildError("pip could not install the packages")

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
    project = build.read_toml("pyproject.toml")["project"]
    assert build.read_toml("blender_manifest.toml")["version"] == project["version"]


def test_staged_tree_is_made_of_links_and_made_again_without_change():
    package = build.stage_tree() / build.PACKAGE
    before = {path.name: os.readlink(path) for path in package.iterdir() if path.is_symlink()}
    build.stage_tree()
    after = {path.name: os.readlink(path) for path in package.iterdir() if path.is_symlink()}
    assert before == after
    assert {"__init__.py", "backend", "icons", "blender_manifest.toml"} <= set(after)
    assert os.path.samefile(package / "backend/protocol.py", backend.protocol.__file__)


def test_staged_tree_drops_links_to_what_is_gone():
    package = build.stage_tree() / build.PACKAGE
    stale = package / "gone.py"
    stale.symlink_to(Path(build.ROOT) / build.PACKAGE / "gone.py")
    build.stage_tree()
    assert not stale.is_symlink()


def test_without_apt_the_missing_system_packages_are_named(monkeypatch):
    monkeypatch.setattr(build.shutil, "which", lambda _name: None)
    with pytest.raises(build.BuildError, match=r"needs libX; install these system packages .*: libx liby\.$"):
        build.apt_install(["libx", "liby"], "Blender's module needs libX")


def test_without_the_right_python_the_remedy_names_it(monkeypatch):
    monkeypatch.setattr(build.sys, "version_info", (3, 13, 0))
    monkeypatch.setattr(build.shutil, "which", lambda _name: None)
    with pytest.raises(build.BuildError, match=r"needs python3\.11; install it"):
        build.find_python()


def test_a_failure_is_one_sentence_and_exit_code_1(monkeypatch, capsys):
    def fail() -> None:
        raise build.BuildError("The disk is full.")

    monkeypatch.setattr(build, "setup", fail)
    assert build.main(["setup"]) == 1
    assert capsys.readouterr().err == "build.py setup: The disk is full.\n"
