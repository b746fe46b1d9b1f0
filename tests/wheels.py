"""Tiny wheels, made by hand, for set-ups that download nothing."""

from __future__ import annotations

import sys
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path

__all__ = ["REQUIRED", "SLEEPING", "make_wheel", "pointing_wheels"]

REQUIRED = {"torch": "2.13.0", "safetensors": "0.8.0", "numpy": "1.26.4", "scipy": "1.17.1", "numba": "0.68.1"}
SLEEPING = "import time\ntime.sleep(600)\n"

# Gives way to the real package, which the Python that runs this has.
POINTER = """
import os, sys
with open({used!r}, "a") as stream:
    print({name!r}, file=stream)
here = os.path.dirname(os.path.abspath(__file__))
path = list(sys.path)
sys.path[:] = [each for each in path if os.path.abspath(each or ".") != here]
del sys.modules[{name!r}]
import {name}
sys.path[:] = path
"""


def make_wheel(
    folder: Path, name: str, files: Mapping[str, str], version: str | None = None, needs: Sequence[str] = ()
) -> Path:
    """NAME-VERSION-py3-none-any.whl with these files; the version is the one that the add-on wants."""
    version = version or REQUIRED[name]
    folder.mkdir(exist_ok=True)
    path = folder / f"{name}-{version}-py3-none-any.whl"
    about = f"{name}-{version}.dist-info"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for file, text in files.items():
            archive.writestr(file, text)
        requires = "".join(f"Requires-Dist: {each}\n" for each in needs)
        archive.writestr(f"{about}/METADATA", f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n{requires}")
        archive.writestr(f"{about}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        archive.writestr(f"{about}/RECORD", "")
    return path


def pointing_wheels(folder: Path, used: Path, **instead: str) -> Path:
    """All that the add-on wants, each of which notes its name in the file `used` and lets the real package compute.

    `instead` has what some of them contain in place of that.
    """
    assert Path(sys.executable).exists()
    for name in REQUIRED:
        text = instead.get(name, POINTER.format(used=str(used), name=name))
        make_wheel(folder, name, {f"{name}.py": text})
    return folder
