"""Wheels that the zip brings: pinned in pyproject.toml, downloaded once into build/wheels."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from .common import BUILD, BuildError, run, say
from .environment import venv_python

__all__ = ["WHEELS", "Wheel", "fetch_wheels", "pinned_wheels"]

WHEELS = BUILD / "wheels"


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
        """Its Python, as "3.11"; nothing where it runs in all of them."""
        if self.abi == "none":
            return ""
        digits = self._tags[2].removeprefix("cp")
        return f"{digits[0]}.{digits[1:]}"

    @property
    def abi(self) -> str:
        return self._tags[3]

    @property
    def systems(self) -> list[str]:
        """Its platforms, as pip calls them."""
        return self._tags[4].split(".")


def pinned_wheels(tables: Mapping[str, Mapping[str, str]], platform: str, python: str) -> list[Wheel]:
    """Those in pyproject.toml for one platform and Python; none where there are no compiled ones."""
    wheels = [Wheel(*item, platform) for item in tables.get(platform, {}).items()]
    compiled = [wheel for wheel in wheels if wheel.python == python]
    return compiled and [*compiled, *(wheel for wheel in wheels if not wheel.python)]


def is_whole(wheel: Wheel, folder: Path) -> bool:
    """Whether the file is there, and is what was pinned."""
    path = folder / wheel.name
    return path.is_file() and hashlib.sha256(path.read_bytes()).hexdigest() == wheel.sha256


def pip_words(wheel: Wheel, folder: Path) -> list[str]:
    """What to say to pip so that it fetches the wheel, whatever this system is."""
    words = ["download", "--disable-pip-version-check", "--no-deps", "--only-binary=:all:", "--dest", str(folder)]
    if wheel.python:
        words += ["--implementation", "cp", "--python-version", wheel.python, "--abi", wheel.abi]
        for system in wheel.systems:
            words += ["--platform", system]
    return [*words, wheel.requirement]


def fetch_wheels(wheels: Sequence[Wheel]) -> None:
    """Downloads into build/wheels what is not there yet; refuses what is not what was pinned."""
    WHEELS.mkdir(parents=True, exist_ok=True)
    for wheel in wheels:
        if is_whole(wheel, WHEELS):
            continue
        say(f"downloading {wheel.name}")
        (WHEELS / wheel.name).unlink(missing_ok=True)
        run([venv_python(), "-m", "pip", *pip_words(wheel, WHEELS), "--quiet"], f"pip could not fetch {wheel.name}")
        if not is_whole(wheel, WHEELS):
            raise BuildError(f"{wheel.name} is not the file that pyproject.toml names; delete build/wheels.")
