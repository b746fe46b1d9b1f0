"""Where Blender with a window comes from: this machine, or a Debian root folder entered with chroot."""

import fcntl
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import debian_root

__all__ = ["USUAL_BLENDER", "Machine", "NoMachine", "open_machine"]

OLDEST_BLENDER = (4, 2)
USUAL_BLENDER = "4.3"
FOLDER_PREFIX, LOCK = "neurok-gui-", "lock"
TOOLS = ("blender", "Xvfb", "xdotool", "import")


class NoMachine(Exception):
    """No Blender with a window can be had here; says in one sentence what to do."""


@dataclass(frozen=True)
class Machine:
    """Programs are started through `command`; `folder` is new for this run; `inside` is how they see it."""

    root: Path | None
    folder: Path
    blender_version: str

    def inside(self, path: Path) -> str:
        """The path as the programs see it."""
        return str(path if self.root is None else Path("/") / path.relative_to(self.root))

    def command(self, *words: str, environment: dict[str, str] | None = None) -> list[str]:
        """A command line that runs the words there with these variables and no others: nothing leaks in."""
        path = os.environ["PATH"] if self.root is None else "/usr/sbin:/usr/bin:/sbin:/bin"
        variables = [f"{name}={value}" for name, value in {"PATH": path, **(environment or {})}.items()]
        enter = [] if self.root is None else ["chroot", str(self.root)]
        return [*enter, "env", "-i", *variables, *words]


@contextmanager
def open_machine(project: Path, root: Path | None, wanted: str | None) -> Iterator[Machine]:
    """Find or make the machine, with the Blender that is `wanted` ("5.2") or any; afterwards nothing is left of it.

    The run's folder and our own mounts go, and with them those of an earlier run that was killed.
    """
    if root is None and not _is_wanted(_blender_version([]), wanted):
        root = _own_root(project, wanted or USUAL_BLENDER)
    elif root is not None and not debian_root.has_tools(root, TOOLS):
        raise NoMachine(f"{root} has not all of {', '.join(TOOLS)}: leave --root away and one is made.")
    if root is None:
        with _run_folder(Path(tempfile.gettempdir())) as folder:
            yield Machine(None, folder, _blender_version([]) or "")
        return
    root = root.resolve()
    if os.geteuid() != 0:
        raise NoMachine(f"Only the user root can enter {root}: run as root, or install {', '.join(TOOLS)}.")
    with debian_root.mounted(root), _run_folder(root / "tmp") as folder:
        version = _blender_version(["chroot", str(root)])
        if not _is_wanted(version, wanted):
            raise NoMachine(
                f"{root} has Blender {version or 'in no version that will do'}, not {wanted or '4.2 or newer'}."
            )
        yield Machine(root, folder, version)


def _is_wanted(version: str | None, wanted: str | None) -> bool:
    return version is not None and (wanted is None or version.startswith(f"{wanted}."))


def _own_root(project: Path, blender: str) -> Path:
    """The root in build/ with this Blender, made where it is missing."""
    root = project / "build" / ("gui-root" if blender == USUAL_BLENDER else f"gui-root-{blender}")
    if not debian_root.is_made(root):
        if os.geteuid() != 0 or shutil.which("apt-get") is None:
            raise NoMachine(
                f"A window test needs {', '.join(TOOLS)} on the PATH (Blender {blender}): "
                "install them, or run this once as root on Debian, where it makes its own."
            )
        debian_root.make_root(root, debian_root.SUITES[blender])
    return root


def _blender_version(enter: list[str]) -> str | None:
    """The version as "4.3.2" where all tools are there and Blender is new enough."""
    if not enter and not all(shutil.which(tool) for tool in TOOLS):
        return None
    said = subprocess.run([*enter, "blender", "--version"], capture_output=True, text=True, timeout=60).stdout
    found = re.search(r"Blender (\d+)\.(\d+)\.(\d+)", said)
    if found is None or (int(found[1]), int(found[2])) < OLDEST_BLENDER:
        return None
    return ".".join(found.groups())


@contextmanager
def _run_folder(parent: Path) -> Iterator[Path]:
    """A folder that only this run uses: home, mailbox, screenshots on their way out."""
    _remove_abandoned(parent)
    folder = Path(tempfile.mkdtemp(prefix=FOLDER_PREFIX, dir=parent))
    try:
        with (folder / LOCK).open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            for name in ("home", "mailbox", "session"):
                (folder / name).mkdir(mode=0o700)
            yield folder
    finally:
        shutil.rmtree(folder)


def _remove_abandoned(parent: Path) -> None:
    """The folders of runs that were killed: nobody holds their lock any more."""
    for folder in parent.glob(f"{FOLDER_PREFIX}*"):
        with (folder / LOCK).open("w") as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                continue
            shutil.rmtree(folder)
