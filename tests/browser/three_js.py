"""three.js from its package registry: the version and the contents that pyproject.toml pins, in build."""

from __future__ import annotations

import base64
import hashlib
import shutil
import subprocess
import tarfile
import tomllib
from pathlib import Path

__all__ = ["NoBrowser", "three_folder"]


class NoBrowser(Exception):
    """What the test needs is not here; says in one sentence what to do."""


def three_folder(project: Path) -> Path:
    """The unpacked package, fetched by npm where it is not there yet."""
    pin = tomllib.loads((project / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["neurok"]["browser"]
    name = f"three-{pin['three']}"
    folder = project / "build" / "browser" / name
    archive = folder.with_name(f"{name}.tgz")
    if not archive.exists() or _integrity(archive) != pin["integrity"]:
        _fetch(pin["three"], archive)
        if _integrity(archive) != pin["integrity"]:
            raise NoBrowser(f"{archive.name} is not the file that pyproject.toml names; delete build/browser.")
        shutil.rmtree(folder, ignore_errors=True)
    if not folder.is_dir():
        with tarfile.open(archive) as packed:
            packed.extractall(folder, filter="data")
    return folder / "package"


def _fetch(version: str, archive: Path) -> None:
    archive.parent.mkdir(parents=True, exist_ok=True)
    npm = shutil.which("npm")
    if npm is None:
        raise NoBrowser("There is no npm to fetch three.js with: install Node.js, on Debian as `apt install npm`.")
    command = [npm, "pack", f"three@{version}", "--pack-destination", str(archive.parent)]
    finished = subprocess.run(command, capture_output=True, text=True, check=False)
    if finished.returncode != 0 or not archive.exists():
        reason = (finished.stderr.strip().splitlines() or ["it says nothing"])[-1]
        raise NoBrowser(f"npm could not fetch three.js ({reason}).")


def _integrity(archive: Path) -> str:
    return "sha512-" + base64.b64encode(hashlib.sha512(archive.read_bytes()).digest()).decode()
