"""Drives a real Blender window on a virtual screen through the add-on's first simulation.

    python tests/gui/run.py [--root DIR] [CHAPTER ...]

Screenshots, logs and figures land in build/gui. Exit code 0: everything held; 1: something did not;
2: there is no Blender with a window here, or no zip to install.
"""

import argparse
import fcntl
import shutil
import signal
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import first_simulation
from debian_root import RootFailed
from machine import NoMachine, open_machine
from package import NotInstalled, find_zip, install
from record import Record
from window import BlenderWindow, WindowLost

PROJECT = Path(__file__).resolve().parents[2]
PICTURES = PROJECT / "build" / "gui"


@contextmanager
def only_run() -> Iterator[None]:
    """Two runs at once would delete each other's screenshots and unmount each other's root."""
    PICTURES.parent.mkdir(exist_ok=True)
    with PICTURES.with_suffix(".lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise NoMachine("Another gui-test is running here: wait for its end.") from None
        yield


def run(root: Path | None, chapters: Sequence[str]) -> int:
    archive = find_zip(PROJECT)
    shutil.rmtree(PICTURES, ignore_errors=True)
    PICTURES.mkdir(parents=True)
    with open_machine(PROJECT, root) as machine:
        record = Record(PICTURES)
        print(f"Blender {machine.blender_version} in {machine.root or 'this system'}", flush=True)
        install(machine, archive)
        record.check(True, f"{archive.name} validates clean and installs")
        try:
            with BlenderWindow(machine, PICTURES) as window:
                first_simulation.play(window, record, chapters)
        finally:
            for log in (machine.folder / "home").rglob("*.log"):
                shutil.copy(log, PICTURES)
        return record.verdict()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--root", type=Path, help="a Debian root that has Blender, Xvfb, xdotool and import")
    parser.add_argument("chapters", nargs="*", help=f"only these of: {', '.join(first_simulation.CHAPTERS)}")
    arguments = parser.parse_args()
    unknown = set(arguments.chapters) - set(first_simulation.CHAPTERS)
    if unknown:
        parser.error(f"there is no chapter {', '.join(sorted(unknown))}")
    # Ended from outside, the run still has to end its own Blender: SystemExit passes through every `with`.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    try:
        with only_run():
            return run(arguments.root, arguments.chapters or tuple(first_simulation.CHAPTERS))
    except (NoMachine, RootFailed, NotInstalled) as error:
        print(f"gui-test: {error}", file=sys.stderr)
        return 2
    except WindowLost as error:
        print(f"FAILED: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("FAILED: stopped", file=sys.stderr)
        return 130


if __name__ == "__main__":
    sys.exit(main())
