"""Python environments with pinned packages: .venv, and those apart from it."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from .common import ROOT, BuildError, read_toml, run, say

__all__ = [
    "BLENDER_GROUPS",
    "PYTHON_VERSION",
    "VENV",
    "in_venv",
    "missing_pins",
    "pinned_requirements",
    "setup",
    "setup_apart",
    "venv_python",
]

VENV = ROOT / ".venv"
PYTHON_VERSION = (3, 11)  # the bpy wheel exists for this one alone
BLENDER_GROUPS = {version: f"blender-{version}" for version in ("4.2", "4.5", "5.0")}  # in pyproject.toml

# What the bpy wheel links to, or opens for drawing without a display; packages as Debian 12 names them.
SYSTEM_PACKAGES = (
    "libx11-6",
    "libxext6",
    "libxfixes3",
    "libxi6",
    "libxrender1",
    "libxkbcommon0",
    "libsm6",
    "libice6",
    "libgl1",
    "libegl1",
)
PROBE = """
import ctypes, sys
import bpy
if sys.platform == "linux":
    ctypes.CDLL("libEGL.so.1")
print(bpy.app.version_string)
"""


def venv_python(venv: Path = VENV) -> Path:
    return venv / ("Scripts/python.exe" if os.name == "nt" else "bin/python")


def pinned_requirements(group: str = "dev") -> list[str]:
    """The `name==version` lines of one of the [dependency-groups] in pyproject.toml, and of those that it includes."""
    lines = []
    for line in read_toml("pyproject.toml")["dependency-groups"][group]:
        lines += [line] if isinstance(line, str) else pinned_requirements(line["include-group"])
    return lines


def normalised(name: str) -> str:
    """A distribution's name as wheels spell it (PEP 503, with the underscore of PEP 427)."""
    return re.sub(r"[-_.]+", "_", name).lower()


def missing_pins() -> list[str]:
    """The pinned requirements that .venv lacks, told by the names of its .dist-info folders.

    Which build of a version it is, as in torch 2.13.0+cpu, does not matter: who has a graphics card may put in theirs.
    """
    have = set()
    for site in (*VENV.glob("lib/python*/site-packages"), VENV / "Lib/site-packages"):
        for record in site.glob("*.dist-info/RECORD"):  # written last, so a broken-off install has none
            folder = record.parent
            name, _, version = folder.name.removesuffix(".dist-info").rpartition("-")
            have.add((normalised(name), version.partition("+")[0]))
    pins = ((line, *line.split("==")) for line in pinned_requirements())
    return [line for line, name, version in pins if (normalised(name), version) not in have]


def python_name() -> str:
    return "python{}.{}".format(*PYTHON_VERSION)


def find_python() -> str:
    """A Python of the version that bpy needs: this one, or one on the PATH."""
    if sys.version_info[:2] == PYTHON_VERSION:
        return sys.executable
    found = shutil.which(python_name())
    if found is None:
        raise BuildError(
            f"Blender's module needs {python_name()}; install it so that it is on the PATH and run this command again."
        )
    return found


def apt_install(packages: Sequence[str], reason: str) -> None:
    """Installs Debian packages where we may; otherwise one sentence that names them."""
    names = " ".join(packages)
    if shutil.which("apt-get") is None or os.name == "nt" or os.geteuid() != 0:
        raise BuildError(f"{reason}; install these system packages and run this command again: {names}.")
    say(f"{reason}; installing with apt-get: {names}")
    environment = os.environ | {"DEBIAN_FRONTEND": "noninteractive"}
    quiet = {"env": environment, "stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL}
    run(["apt-get", "update", "-qq"], "apt-get could not update its lists", **quiet)
    command = ["apt-get", "install", "-qq", "-y", "--no-install-recommends", *packages]
    run(command, f"apt-get could not install {names}", **quiet)


def make_venv() -> None:
    python = find_python()
    probe = [python, "-c", "import venv, ensurepip"]
    if subprocess.run(probe, capture_output=True, check=False).returncode != 0:
        apt_install([f"{python_name()}-venv"], "This Python cannot make virtual environments")
    say("making .venv")
    run([python, "-m", "venv", "--clear", VENV], "Python could not make .venv; see the lines above")


def probe_bpy(venv: Path) -> subprocess.CompletedProcess:
    return subprocess.run([venv_python(venv), "-c", PROBE], capture_output=True, text=True, check=False)


def check_bpy(venv: Path = VENV) -> None:
    """Imports bpy in its own process; installs or names the system libraries it misses."""
    probe = probe_bpy(venv)
    if probe.returncode != 0 and "cannot open shared object" in probe.stderr:
        library = re.search(r"(\S+): cannot open shared object", probe.stderr).group(1)
        apt_install(SYSTEM_PACKAGES, f"Blender's module needs the system library {library}")
        probe = probe_bpy(venv)
    if probe.returncode != 0:
        reason = (probe.stderr.strip().splitlines() or [f"exit code {probe.returncode}"])[-1]
        raise BuildError(f"Blender's module does not start in {venv.relative_to(ROOT)} ({reason}).")
    say(f"Blender {probe.stdout.strip().splitlines()[-1]} starts as a module")


def install(lines: Sequence[str], venv: Path = VENV) -> None:
    """Installs requirements into an environment, and nothing that they do not name."""
    pip = [venv_python(venv), "-m", "pip", "install", "--disable-pip-version-check", "--no-deps"]
    failure = "pip could not install the packages; see its lines above, then run this command again"
    run([*pip, *lines], failure)


def setup() -> None:
    """Makes .venv with the pinned packages; recognises a complete one in a moment."""
    started = time.perf_counter()
    digest = hashlib.sha256("\n".join(pinned_requirements()).encode()).hexdigest()
    stamp = VENV / "neurok-setup"
    made = venv_python().exists() and (os.name == "nt" or (VENV / "lib" / python_name()).is_dir())
    missing = missing_pins() if made else pinned_requirements()
    if not missing and stamp.exists() and stamp.read_text() == digest:
        return
    stamp.unlink(missing_ok=True)
    if not made:
        make_venv()
    if missing:
        say(f"installing {len(missing)} pinned packages (Blender's module and PyTorch are about 350 and 200 MB)")
        install(missing)
    check_bpy()
    stamp.write_text(digest)
    say(f"setup done in {time.perf_counter() - started:.1f} s")


def setup_apart(venv: Path, group: str, megabytes: int) -> None:
    """Makes an environment apart from .venv for one group of packages; recognises a complete one in a moment."""
    lines = pinned_requirements(group)
    stamp = venv / "neurok-setup"
    if stamp.exists() and stamp.read_text() == "\n".join(lines):
        return
    folder = venv.relative_to(ROOT)
    say(f"making {folder} for {len(lines)} packages (about {megabytes} MB to download)")
    run([venv_python(), "-m", "venv", "--clear", venv], f"Python could not make {folder}; see the lines above")
    install(lines, venv)
    if group in BLENDER_GROUPS.values():
        check_bpy(venv)
    stamp.write_text("\n".join(lines))


def in_venv(arguments: Sequence[str | Path], venv: Path = VENV, variables: Mapping[str, str] | None = None) -> int:
    """Runs an environment's Python on `arguments` from the root with this terminal; returns its exit code."""
    environment = os.environ | {"PYTHONUNBUFFERED": "1"} | dict(variables or {})
    try:
        process = subprocess.run([venv_python(venv), *arguments], cwd=ROOT, env=environment, check=False)
    except OSError as error:
        folder = venv.relative_to(ROOT)
        raise BuildError(f"{folder} is broken ({error.strerror}); delete it and run this again.") from error
    return process.returncode
