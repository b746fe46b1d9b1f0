"""The extension's zips: one for each platform and Python, built and validated by Blender's own tool."""

from __future__ import annotations

import platform
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from .common import BUILD, ROOT, BuildError, read_toml, run, say
from .environment import VENV, venv_python
from .stage import copy_tree
from .wheels import WHEELS, Wheel, fetch_wheels, pinned_wheels

__all__ = ["MOST_MEGABYTES", "PYTHONS_OF_BLENDER", "Target", "build_zips", "targets", "this_platform", "zip_path"]

SYSTEMS = {"linux": "linux", "win32": "windows", "darwin": "macos"}
MACHINES = {"x86_64": "x64", "amd64": "x64", "arm64": "arm64", "aarch64": "arm64"}
# Python -> the first Blender of blender.org that has it, and the first that no longer does.
PYTHONS_OF_BLENDER = {"3.11": ("4.2.0", "5.1.0"), "3.13": ("5.1.0", None)}
MOST_MEGABYTES = 150
TREE = BUILD / "zip-tree"


@dataclass(frozen=True)
class Target:
    """What one zip is for: `platform` by Blender's name, `python` as "3.11".

    `distribution`: the Blender of a Linux distribution, which runs any of its versions in its own Python.
    """

    platform: str
    python: str
    distribution: bool = False

    @property
    def versions(self) -> tuple[str | None, str | None]:
        """The first Blender that it is for, None for the manifest's own, and the first that it is not for."""
        return (None, None) if self.distribution else PYTHONS_OF_BLENDER[self.python]

    def __str__(self) -> str:
        kind = "_distribution" if self.distribution else ""
        return f"{self.platform.replace('-', '_')}-py{self.python.replace('.', '')}{kind}"


def this_platform() -> str:
    """As Blender calls it, "linux-x64"."""
    machine = platform.machine().lower()
    return f"{SYSTEMS.get(sys.platform, sys.platform)}-{MACHINES.get(machine, machine)}"


def targets(platforms: Sequence[str], pythons: Sequence[str]) -> list[Target]:
    """For Blender's own builds; for a Linux distribution's where `pythons` names its Python."""
    if pythons:
        return [Target(name, python, distribution=True) for name in platforms for python in pythons]
    return [Target(name, python) for name in platforms for python in PYTHONS_OF_BLENDER]


def zip_path(target: Target) -> Path:
    version = read_toml("blender_manifest.toml")["version"]
    return BUILD / f"neurok-{version}-{target}.zip"


def manifest_for(manifest: str, wheels: Sequence[Wheel], target: Target) -> str:
    """The text of a manifest that names the platform of a zip, its Blenders, and the wheels in its folder `wheels`."""
    first, beyond = target.versions
    lines = [line for line in manifest.splitlines() if not (first and line.startswith("blender_version_min"))]
    table = next(number for number, line in enumerate(lines) if line.startswith("["))
    own = [f'platforms = ["{target.platform}"]']
    own += [f'blender_version_min = "{first}"'] if first else []
    own += [f'blender_version_max = "{beyond}"'] if beyond else []
    own += ["wheels = [", *(f'    "./wheels/{wheel.name}",' for wheel in wheels), "]", ""]
    return "\n".join([*lines[:table], *own, *lines[table:], ""])


def build_zips(wanted: Sequence[Target]) -> Iterator[Path]:
    """Builds and validates a zip for each; refuses what is too large for a download."""
    tables = read_toml("pyproject.toml")["tool"]["neurok"]["wheels"]
    wheels = {target: pinned_wheels(tables, target.platform, target.python) for target in wanted}
    for target, own in wheels.items():
        if not own:
            raise BuildError(f"pyproject.toml has no wheels for {target.platform} with Python {target.python}.")
        fetch_wheels(own)
    manifest = _package_tree()
    tool = _extension_tool()
    for target, own in wheels.items():
        _bring_wheels(own)
        (TREE / "blender_manifest.toml").write_text(manifest_for(manifest, own, target))
        archive = zip_path(target)
        build = [*tool, "build", "--source-dir", TREE, "--output-filepath", archive]
        run(build, "Blender's extension tool could not build the zip; see its lines above")
        _validate(archive, tool, target)
        yield archive


def _package_tree() -> str:
    """Copies the package, with the graphs of the networks, to build/zip-tree; returns its manifest."""
    say(f"copying the package to {TREE.relative_to(ROOT)}")
    copy_tree(TREE)
    say("making the graphs of the networks for ONNX Runtime")
    for what, name in (("state-space", "state_space"), ("joints", "joints")):
        graphs = TREE / f"backend/weights/{name}.graphs.npz"
        export = [venv_python(), "-m", "backend", "export", what, "--output", graphs]
        run(export, "A network could not be exported; see the lines above", cwd=ROOT, stdout=subprocess.DEVNULL)
    return (TREE / "blender_manifest.toml").read_text()


def _bring_wheels(wheels: Sequence[Wheel]) -> None:
    shutil.rmtree(TREE / "wheels", ignore_errors=True)
    (TREE / "wheels").mkdir()
    for wheel in wheels:
        shutil.copy2(WHEELS / wheel.name, TREE / "wheels" / wheel.name)


def _extension_tool() -> list[Path]:
    tools = sorted(VENV.glob("**/bl_pkg/cli/blender_ext.py"))
    if not tools:
        raise BuildError("Blender's extension tool is not in .venv; delete .venv and run this command again.")
    return [venv_python(), tools[0]]


def _validate(archive: Path, tool: Sequence[Path], target: Target) -> None:
    run([*tool, "validate", archive], "Blender's extension tool finds faults in the zip; see its lines above")
    blender = shutil.which("blender")
    if blender is not None and target.platform == this_platform():
        validate = [blender, "--command", "extension", "validate", archive]
        run(validate, "Blender finds faults in the zip; see its lines above")
    megabytes = archive.stat().st_size / 1e6
    if megabytes > MOST_MEGABYTES:
        raise BuildError(f"{archive.name} is {megabytes:.0f} MB, more than {MOST_MEGABYTES}; leave something out.")
    say(f"{archive.relative_to(ROOT)} is {megabytes:.1f} MB and validates clean")
