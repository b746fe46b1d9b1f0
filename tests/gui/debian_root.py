"""A Debian root folder with Blender, a virtual screen and xdotool: how it is made, mounted and unmounted."""

import os
import re
import shutil
import subprocess
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

import processes

__all__ = ["SUITES", "RootFailed", "has_tools", "is_made", "make_root", "mounted"]

# The releases of Debian by their Blender: 4.3 on Python 3.13, which stays, and 5.2 LTS on Python 3.14, which moves on.
SUITES = {"4.3": "trixie", "5.2": "sid"}
PACKAGES = (
    *("blender", "python3-numpy", "python3-scipy", "python3-requests", "python3-cattr"),
    *("python3-pip", "python3-venv", "fonts-dejavu-core"),
    "libopenblas0-pthread",  # as in Blender's own NumPy; without it matrices take five times as long
    *("xvfb", "xauth", "xdotool", "imagemagick"),
    *("libgl1", "libgl1-mesa-dri", "libglx-mesa0", "libegl1", "libegl-mesa0"),
)
STAMP = "neurok-gui-root"  # holds the list of what was installed
MOUNTED = "neurok-mounted"  # names the places that a run has mounted, while it has them
SILENT_INSTALL = {"DEBIAN_FRONTEND": "noninteractive", "LANG": "C.UTF-8"}


class RootFailed(Exception):
    """One sentence about what could not be done, with the log to read."""


def is_made(root: Path) -> bool:
    """Whether `make_root` has finished with this folder, with the packages of today."""
    stamp = root / STAMP
    return stamp.exists() and stamp.read_text().split() == list(PACKAGES)


def has_tools(root: Path, tools: Iterable[str]) -> bool:
    """Whether the programs are in the root; links may point to what only exists when inside."""
    return all(os.path.lexists(root / "usr/bin" / tool) for tool in tools)


def make_root(root: Path, suite: str) -> None:
    """Make the root (some minutes, 1.5 GB), or finish a broken-off one. To be run as root on Debian."""
    log = root.with_name(root.name + ".log")
    log.parent.mkdir(parents=True, exist_ok=True)
    log.unlink(missing_ok=True)
    print(f"Making a Debian root with Blender in {root} (a few minutes and 1.5 GB, once).", flush=True)
    if shutil.which("debootstrap") is None:
        apt = ["apt-get", "install", "-y", "--no-install-recommends", "debootstrap"]
        _run("[1/3] installing debootstrap", log, ["apt-get", "update"], apt)
    # debootstrap leaves this folder behind only where it was broken off, and cannot continue there.
    if (root / "debootstrap").exists() or not (root / "usr/bin/apt-get").exists():
        _delete(root)
        base = ["debootstrap", "--variant=minbase", "--include=ca-certificates"]
        _run("[2/3] fetching the base system", log, [*base, suite, str(root), debian_mirror()])
    with mounted(root):
        # Blender asks for the mounted disks by this old name.
        mounts = root / "etc/mtab"
        mounts.unlink(missing_ok=True)
        mounts.symlink_to("/proc/self/mounts")
        # Services of the packages must not start: 101 is "forbidden by policy".
        policy = root / "usr/sbin/policy-rc.d"
        policy.write_text("#!/bin/sh\nexit 101\n")
        policy.chmod(0o755)
        # The lists of a moving release may be older on a mirror than they say they live.
        (root / "etc/apt/apt.conf.d/99neurok").write_text('Acquire::Check-Valid-Until "false";\n')
        inside = ["chroot", str(root), "apt-get"]
        # A root that can be made again any time need not be synced to disk file by file.
        fast = ["-o", "Dpkg::Options::=--force-unsafe-io"]
        _run(
            "[3/3] installing Blender and the virtual screen",
            log,
            ["chroot", str(root), "dpkg", "--configure", "-a"],  # an install may have been broken off
            [*inside, "update"],
            [*inside, "install", "-y", "--no-install-recommends", *fast, *PACKAGES],
            [*inside, "clean"],
        )
    (root / STAMP).write_text("\n".join(PACKAGES) + "\n")


def debian_mirror() -> str:
    """The Debian archive that this machine's own apt uses."""
    sources = [Path("/etc/apt/sources.list"), *sorted(Path("/etc/apt/sources.list.d").glob("*"))]
    for source in sources:
        if source.is_file():
            found = re.search(r"^(?!#).*?(https?://\S+/debian)/?(?:\s|$)", source.read_text(), re.MULTILINE)
            if found:
                return found.group(1)
    raise RootFailed("No Debian archive is named in /etc/apt/sources.list: give a root with --root DIR.")


@contextmanager
def mounted(root: Path) -> Iterator[None]:
    """proc, dev and dev/pts are mounted in the root; what somebody else had mounted before stays so at the end.

    What a run had mounted that was killed in the middle counts as ours.
    """
    wanted = {
        "proc": ["-t", "proc", "proc"],
        "dev": ["--bind", "/dev"],
        "dev/pts": ["--bind", "/dev/pts"],
    }
    note = root / MOUNTED
    abandoned = note.read_text().split() if note.exists() else []
    own = [place for place in wanted if place in abandoned or not os.path.ismount(root / place)]
    note.write_text("\n".join(own))
    try:
        for place in own:
            if not os.path.ismount(root / place):
                subprocess.run(["mount", *wanted[place], str(root / place)], check=True)
        yield
    finally:
        for place in reversed(own):
            _unmount(root / place)
        note.unlink()


def _delete(root: Path) -> None:
    """Delete a half-made root, unmounting first: deleting through a mount would empty this machine's /dev."""
    places = [Path(line.split()[1]) for line in Path("/proc/self/mounts").read_text().splitlines()]
    for place in reversed(places):
        if place.is_relative_to(root):
            _unmount(place)
    if root.exists():
        shutil.rmtree(root)


def _unmount(place: Path) -> None:
    """Unmount, waiting for the last process inside to let go."""
    for _ in range(20):
        if not os.path.ismount(place):
            return
        if subprocess.run(["umount", str(place)], capture_output=True).returncode == 0:
            return
        time.sleep(0.25)
    raise RootFailed(f"{place} is still in use and stays mounted: unmount it before deleting the folder.")


def _run(title: str, log: Path, *commands: list[str]) -> None:
    """Run the commands with their output in the log, saying every 15 s how far they are."""
    started = time.monotonic()
    environment = {**os.environ, **SILENT_INSTALL}
    print(title, flush=True)
    for command in commands:
        process = processes.start(command, log, env=environment)
        try:
            while process.poll() is None:
                try:
                    process.wait(15)
                except subprocess.TimeoutExpired:
                    lines = sum(1 for _ in log.open(errors="replace"))
                    print(f"      {time.monotonic() - started:4.0f} s, {lines} steps", flush=True)
        finally:
            processes.end(process, 60.0)
        if process.returncode != 0:
            raise RootFailed(f"`{command[0]}` failed ({title[6:]}): read {log}, mend it and run again.")
