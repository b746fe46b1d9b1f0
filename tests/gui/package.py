"""Installing the extension's zip the way an artist's Blender does, before the window opens."""

import shutil
import subprocess
import tomllib
from pathlib import Path

from machine import Machine
from window import session_environment

__all__ = ["NotInstalled", "find_zip", "install"]


class NotInstalled(Exception):
    """The zip is missing or Blender refuses it."""


def find_zip(project: Path) -> Path:
    """The zip that `build.py zip` makes from the present manifest."""
    version = tomllib.loads((project / "blender_manifest.toml").read_text())["version"]
    archives = list((project / "build").glob(f"neurok-{version}-linux_*.zip"))
    if not archives:
        raise NotInstalled("There is no zip for Linux in build: run `python build.py zip` first.")
    return archives[0]


def install(machine: Machine, archive: Path) -> None:
    """Validate the zip with this Blender, install it and switch it on; it stays so in the run's own home."""
    seen = machine.folder / archive.name
    shutil.copy(archive, seen)
    _extension(machine, "validate", machine.inside(seen))
    _extension(machine, "install-file", "-r", "user_default", "-e", machine.inside(seen))


def _extension(machine: Machine, *words: str) -> None:
    command = machine.command("blender", "--command", "extension", *words, environment=session_environment(machine))
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    said = done.stdout + done.stderr
    if done.returncode != 0 or "Traceback" in said or "warning" in said.lower():
        raise NotInstalled(f"`blender --command extension {words[0]}` complains: {said.strip()}")
