"""The wheels that the extension's zip brings: which they are, where they come from, and their lines in the manifest.

Standard library only, as build.py.
"""

from __future__ import annotations

import hashlib
import platform
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

__all__ = ["BLENDER_PYTHONS", "Wheel", "is_whole", "manifest_with", "pinned_wheels", "pip_words", "this_platform"]

BLENDER_PYTHONS = ("3.11", "3.13")  # of the Blenders that blender.org builds
SYSTEMS = {"linux": "linux", "win32": "windows", "darwin": "macos"}
MACHINES = {"x86_64": "x64", "amd64": "x64", "arm64": "arm64", "aarch64": "arm64"}


def this_platform() -> str:
    """As Blender calls it, "linux-x64"."""
    machine = platform.machine().lower()
    return f"{SYSTEMS.get(sys.platform, sys.platform)}-{MACHINES.get(machine, machine)}"


@dataclass(frozen=True)
class Wheel:
    """A file of a package index: `platform` is Blender's name for where it runs."""

    name: str
    sha256: str
    platform: str

    @property
    def _tags(self) -> list[str]:
        return self.name.removesuffix(".whl").split("-")

    @property
    def requirement(self) -> str:
        package, version = self._tags[:2]
        return f"{package}=={version}"

    @property
    def python(self) -> str:
        """Its Python, as "3.11"."""
        digits = self._tags[2].removeprefix("cp")
        return f"{digits[0]}.{digits[1:]}"

    @property
    def abi(self) -> str:
        return self._tags[3]

    @property
    def systems(self) -> list[str]:
        """Its platforms, as pip calls them."""
        return self._tags[4].split(".")


def pinned_wheels(
    tables: Mapping[str, Mapping[str, str]], platforms: Iterable[str], pythons: Sequence[str]
) -> list[Wheel]:
    """Those of [tool.neurok.wheels] in pyproject.toml for these platforms and Pythons; none where none are pinned."""
    wheels = (Wheel(*item, name) for name in platforms for item in tables.get(name, {}).items())
    return [wheel for wheel in wheels if wheel.python in pythons]


def is_whole(wheel: Wheel, folder: Path) -> bool:
    """Whether the file is there, and is what was pinned."""
    path = folder / wheel.name
    return path.is_file() and hashlib.sha256(path.read_bytes()).hexdigest() == wheel.sha256


def pip_words(wheel: Wheel, folder: Path) -> list[str]:
    """What to say to pip so that it fetches the wheel, whatever this system is."""
    words = ["download", "--disable-pip-version-check", "--no-deps", "--only-binary=:all:", "--dest", str(folder)]
    words += ["--implementation", "cp", "--python-version", wheel.python, "--abi", wheel.abi]
    for system in wheel.systems:
        words += ["--platform", system]
    return [*words, wheel.requirement]


def manifest_with(manifest: str, wheels: Sequence[Wheel], platforms: Sequence[str]) -> str:
    """The text of a manifest that names the platforms of a zip and the wheels in its folder `wheels`."""
    names = "".join(f'    "./wheels/{wheel.name}",\n' for wheel in wheels)
    served = ", ".join(f'"{name}"' for name in platforms)
    head, table, rest = manifest.partition("\n[")
    return f"{head}\nplatforms = [{served}]\nwheels = [\n{names}]\n{table}{rest}"
