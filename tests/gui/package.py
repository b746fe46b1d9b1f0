"""Installing the extension's zip the way an artist's Blender does, before the window opens."""

import re
import shutil
import subprocess
import tomllib
from pathlib import Path

from machine import Machine
from window import session_environment

__all__ = ["NotInstalled", "find_zip", "install"]


PYTHON = "neurok-python"  # begins the line that tells a Blender's Python


class NotInstalled(Exception):
    """The zip is missing or Blender refuses it."""


def find_zip(project: Path, machine: Machine) -> Path:
    """The zip that `build.py zip --python` makes from the present manifest for this Blender's Python."""
    version = tomllib.loads((project / "blender_manifest.toml").read_text())["version"]
    tell = f"import sys; print({PYTHON!r}, *sys.version_info[:2])"
    command = machine.command("blender", "--background", "--python-expr", tell)
    printed = subprocess.run(command, capture_output=True, text=True, timeout=120).stdout
    major, minor = re.search(rf"^{PYTHON} (\d+) (\d+)$", printed, re.MULTILINE).groups()
    archives = list((project / "build").glob(f"neurok-{version}-linux_*-py{major}{minor}_distribution.zip"))
    if not archives:
        remedy = f"run `python build.py zip --python {major}.{minor}` first"
        raise NotInstalled(f"There is no zip for this Blender's Python in build: {remedy}.")
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
