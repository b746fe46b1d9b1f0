"""The commands of this repository: setup, demo, samples, test, gui-test, browser-test, compare and zip.

Standard library only, so that a bare Python can start it. Everything made lands in `.venv` and `build`.
"""

from __future__ import annotations

import argparse
import contextlib
import hashlib
import os
import platform
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

__all__ = ["BuildError", "main", "missing_pins", "pinned_requirements", "stage_tree", "zip_path"]

ROOT = Path(__file__).resolve().parent
BUILD = ROOT / "build"
STAGE = BUILD / "stage"
VENV = ROOT / ".venv"
COMPARE = BUILD / "compare"
WHEELS = BUILD / "wheels"
BLENDER_GROUPS = {version: f"blender-{version}" for version in ("4.2", "4.5", "5.0")}  # in pyproject.toml
BLENDER_TESTS = ("tests/blender", "tests/job")  # what loads Blender
DEBIAN_PYTHONS = ("3.13", "3.14")  # of the Blenders whose windows are driven
BLENDER_PYTHONS = ("3.11", "3.13")  # of the Blenders that blender.org builds
SYSTEMS = {"linux": "linux", "win32": "windows", "darwin": "macos"}
MACHINES = {"x86_64": "x64", "amd64": "x64", "arm64": "arm64", "aarch64": "arm64"}
PACKAGE = "neurok_blender"
PYTHON_VERSION = (3, 11)  # the bpy wheel exists for this one alone

# What stands beside the package's own modules in the zip, taken from the root of the repository.
PACKAGE_GUESTS = ("backend", "icons", "blender_manifest.toml", "LICENSE")
NEVER_STAGED = ("__pycache__", ".DS_Store")

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


class BuildError(Exception):
    """A failure that one sentence explains."""


def say(text: str) -> None:
    print(f"build.py: {text}", flush=True)


def run(command: Sequence[str | Path], failure: str, **options) -> subprocess.CompletedProcess:
    """Runs `command` to its end; raises BuildError(failure) unless it ends with code 0."""
    try:
        finished = subprocess.run([str(part) for part in command], check=False, **options)
    except OSError as error:
        raise BuildError(f"{failure} ({error.strerror}: {command[0]}).") from error
    if finished.returncode != 0:
        raise BuildError(f"{failure} (exit code {finished.returncode}).")
    return finished


# --- the staged tree ------------------------------------------------------------------------------


def package_entries() -> dict[str, Path]:
    """Name inside the package -> source path, for everything that the zip has at its root."""
    entries = {path.name: path for path in (ROOT / PACKAGE).iterdir() if path.name not in NEVER_STAGED}
    entries |= {name: ROOT / name for name in PACKAGE_GUESTS if (ROOT / name).exists()}
    return entries


def stage_tree() -> Path:
    """Makes build/stage/neurok_blender, the package as the zip has it, of symlinks; returns build/stage.

    Safe to call from several processes at once: links are only added or removed one by one.
    """
    package = STAGE / PACKAGE
    package.mkdir(parents=True, exist_ok=True)
    entries = package_entries()
    for link in package.iterdir():
        if link.is_symlink() and entries.get(link.name) != Path(os.readlink(link)):
            link.unlink(missing_ok=True)
    for name, source in entries.items():
        with contextlib.suppress(FileExistsError):
            os.symlink(source, package / name, target_is_directory=source.is_dir())
    return STAGE


def copy_tree(target: Path) -> None:
    """The same layout as `stage_tree`, as real copies without caches, under `target`."""
    shutil.rmtree(target, ignore_errors=True)
    target.mkdir(parents=True)
    for name, source in package_entries().items():
        if source.is_dir():
            shutil.copytree(source, target / name, ignore=shutil.ignore_patterns(*NEVER_STAGED))
        else:
            shutil.copy2(source, target / name)


# --- setup ----------------------------------------------------------------------------------------


def venv_python(venv: Path = VENV) -> Path:
    return venv / ("Scripts/python.exe" if os.name == "nt" else "bin/python")


def read_toml(name: str) -> dict:
    import tomllib  # new in Python 3.11; imported late so that an older Python still gets a sentence

    with open(ROOT / name, "rb") as stream:
        return tomllib.load(stream)


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


# --- the zip --------------------------------------------------------------------------------------


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


def pinned_wheels(
    tables: Mapping[str, Mapping[str, str]], platforms: Iterable[str], pythons: Sequence[str]
) -> list[Wheel]:
    """Those of [tool.neurok.wheels] in pyproject.toml for these platforms and Pythons; none where none are pinned."""
    wheels = (Wheel(*item, name) for name in platforms for item in tables.get(name, {}).items())
    return [wheel for wheel in wheels if wheel.python in ("", *pythons)]


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


def manifest_with(manifest: str, wheels: Sequence[Wheel], platforms: Sequence[str]) -> str:
    """The text of a manifest that names the platforms of a zip and the wheels in its folder `wheels`."""
    names = "".join(f'    "./wheels/{wheel.name}",\n' for wheel in wheels)
    served = ", ".join(f'"{name}"' for name in platforms)
    head, table, rest = manifest.partition("\n[")
    return f"{head}\nplatforms = [{served}]\nwheels = [\n{names}]\n{table}{rest}"


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


def zip_tree(tree: Path, wheels: Sequence[Wheel], platforms: Sequence[str]) -> None:
    """What the zip is made of: the package, the graphs of the networks, wheels and the manifest that names them."""
    say(f"copying the package to {tree.relative_to(ROOT)}")
    copy_tree(tree)
    say("making the graphs of the networks for ONNX Runtime")
    for what, name in (("state-space", "state_space"), ("joints", "joints")):
        graphs = tree / f"backend/weights/{name}.graphs.npz"
        export = [venv_python(), "-m", "backend", "export", what, "--output", graphs]
        run(export, "A network could not be exported; see the lines above", cwd=ROOT, stdout=subprocess.DEVNULL)
    (tree / "wheels").mkdir()
    for wheel in wheels:
        shutil.copy2(WHEELS / wheel.name, tree / "wheels" / wheel.name)
    manifest = tree / "blender_manifest.toml"
    manifest.write_text(manifest_with(manifest.read_text(), wheels, platforms))


def zip_path(name: str) -> Path:
    """The zip for one of Blender's platforms."""
    version = read_toml("blender_manifest.toml")["version"]
    return BUILD / f"neurok-{version}-{name.replace('-', '_')}.zip"


# --- commands -------------------------------------------------------------------------------------


def in_venv(arguments: Sequence[str | Path], venv: Path = VENV, variables: Mapping[str, str] | None = None) -> int:
    """Runs an environment's Python on `arguments` from the root with this terminal; returns its exit code."""
    environment = os.environ | {"PYTHONUNBUFFERED": "1"} | dict(variables or {})
    try:
        process = subprocess.run([venv_python(venv), *arguments], cwd=ROOT, env=environment, check=False)
    except OSError as error:
        folder = venv.relative_to(ROOT)
        raise BuildError(f"{folder} is broken ({error.strerror}); delete it and run this again.") from error
    return process.returncode


def command_setup(_extra: list[str]) -> int:
    setup()
    say(".venv is complete")
    return 0


def command_demo(extra: list[str]) -> int:
    setup()
    stage_tree()
    return in_venv([ROOT / "tests/demo/run_demo.py", *extra])


def command_samples(extra: list[str]) -> int:
    setup()
    stage_tree()
    return in_venv([ROOT / "tests/demo/write_samples.py", *extra])


def command_test(extra: list[str]) -> int:
    setup()
    stage_tree()
    return in_venv(["-m", "pytest", *extra])


def command_gui_test(extra: list[str]) -> int:
    setup()
    stage_tree()
    command_zip([word for version in DEBIAN_PYTHONS for word in ("--python", version)])
    return in_venv([ROOT / "tests/gui/run.py", *extra])


def command_browser_test(extra: list[str]) -> int:
    setup()
    stage_tree()
    return in_venv([ROOT / "tests/browser/run.py", *extra])


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


def command_test_all_blenders(extra: list[str]) -> int:
    """The tests of Blender's half in every Blender of the matrix; code 0 where all of them ran and passed."""
    setup()
    stage_tree()
    if not any((ROOT / word.partition("::")[0]).exists() for word in extra):
        extra = [*BLENDER_TESTS, *extra]
    outcomes = {}
    for version, group in BLENDER_GROUPS.items():
        venv = BUILD / group
        try:
            setup_apart(venv, group, 400)
        except BuildError as error:
            outcomes[version] = f"not tested: {error}"
            continue
        say(f"testing in Blender {version}")
        # Their own Python lacks PyTorch; the backend's processes run where all its packages are.
        code = in_venv(["-m", "pytest", *extra], venv, {"NEUROK_BACKEND_PYTHON": str(venv_python())})
        outcomes[version] = "passed" if code == 0 else f"failed (exit code {code})"
    for version, outcome in outcomes.items():
        say(f"Blender {version}: {outcome}")
    return int(any(outcome != "passed" for outcome in outcomes.values()))


def command_compare(extra: list[str]) -> int:
    setup()
    setup_apart(COMPARE, "compare", 250)
    return in_venv(["-m", "tests.compare.run_compare", venv_python(COMPARE), *extra])


def command_zip(extra: list[str]) -> int:
    options = zip_options().parse_args(extra)
    setup()
    tables = read_toml("pyproject.toml")["tool"]["neurok"]["wheels"]
    platforms = tuple(tables) if options.split_platforms else (this_platform(),)
    wheels = pinned_wheels(tables, platforms, options.python or BLENDER_PYTHONS)
    if not wheels:
        raise BuildError(f"There are no wheels for {platforms[0]} with these Pythons in pyproject.toml.")
    fetch_wheels(wheels)
    tree = BUILD / "zip-tree"
    zip_tree(tree, wheels, platforms)
    tools = sorted(VENV.glob("**/bl_pkg/cli/blender_ext.py"))
    if not tools:
        raise BuildError("Blender's extension tool is not in .venv; delete .venv and run this command again.")
    tool = [venv_python(), tools[0]]
    build = [*tool, "build", "--source-dir", tree, "--output-dir", BUILD, "--split-platforms"]
    run(build, "Blender's extension tool could not build the zip; see its lines above")
    for name in platforms:
        archive = zip_path(name)
        run([*tool, "validate", archive], "Blender's extension tool finds faults in the zip; see its lines above")
        blender = shutil.which("blender")
        if blender is not None:
            validate = [blender, "--command", "extension", "validate", archive]
            run(validate, "Blender finds faults in the zip; see its lines above")
        say(f"{archive.relative_to(ROOT)} is {archive.stat().st_size / 2**20:.1f} MB and validates clean")
    return 0


def zip_options() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="build.py zip", description="Build and validate the extension's zip in build."
    )
    parser.add_argument("--split-platforms", action="store_true", help="one for each platform, not for this one alone")
    default = " and ".join(BLENDER_PYTHONS)
    parser.add_argument(
        "--python",
        action="append",
        metavar="VERSION",
        help=f"a Python to bring wheels for; may be given again (default: {default})",
    )
    return parser


COMMANDS: dict[str, tuple[Callable[[list[str]], int], str]] = {
    "setup": (command_setup, "make .venv with the pinned packages"),
    "demo": (command_demo, "simulate, bake and render the sample scenes into build/demo"),
    "samples": (command_samples, "write the sample scenes as .blend files into build/samples"),
    "test": (
        command_test,
        "run every test that needs no display, the linter among them (more words go to pytest)",
    ),
    "gui-test": (command_gui_test, "drive a real Blender window on a virtual screen"),
    "browser-test": (command_browser_test, "play the .glb files that are written in three.js, in headless Chromium"),
    "compare": (command_compare, "simulate the same scenes in other solvers and write docs/comparison.md"),
    "zip": (command_zip, "build and validate the extension's zip in build, for this platform"),
}


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="build.py", description=__doc__.splitlines()[0])
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for name, (_function, text) in COMMANDS.items():
        commands.add_parser(name, help=text, description=f"{text[0].upper()}{text[1:]}.", add_help=name != "zip")
    commands.choices["test"].add_argument(
        "--all-blenders",
        action="store_true",
        help=f"run those of Blender's half only, in Blender {', '.join(BLENDER_GROUPS)} one after the other",
    )
    chosen, extra = parser.parse_known_args(arguments)
    if extra and chosen.command == "setup":
        parser.error(f"{chosen.command} takes no further words: {' '.join(extra)}")
    if sys.version_info < PYTHON_VERSION:
        print("build.py: Run this with Python 3.11 or newer.", file=sys.stderr)
        return 1
    function = COMMANDS[chosen.command][0]
    if getattr(chosen, "all_blenders", False):
        function = command_test_all_blenders
    try:
        return function(extra)
    except BuildError as error:
        print(f"build.py {chosen.command}: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print(f"build.py {chosen.command}: stopped.", file=sys.stderr)
        return 130


if __name__ == "__main__":
    sys.exit(main())
