"""Drives a real Blender window on a virtual screen through the stories of the add-on, chapter by chapter.

    python tests/gui/run.py [--blender VERSION | --all] [--root DIR] [CHAPTER ...]

Screenshots, logs and figures land in build/gui, those of another Blender than the usual one in build/gui-5.2.
Exit code 0: everything held; 1: something did not; 2: there is no Blender with a window here, or no zip to install.
"""

import argparse
import fcntl
import shutil
import signal
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import bakes
import boxes
import comfort
import first_simulation
import first_time
import gizmos
import gpu_backend
import joints
import live_and_pose
import modifiers
import own_provider
import pieces
import pin_brush
import pointmap
import robots
import room
import whip
from debian_root import SUITES, RootFailed
from machine import USUAL_BLENDER, NoMachine, open_machine
from package import NotInstalled, find_zip, install
from record import Record
from scene import Scene
from window import BlenderWindow, WindowLost

PROJECT = Path(__file__).resolve().parents[2]
PICTURES = PROJECT / "build" / "gui"
# The last one ends by quitting Blender.
STORIES = (
    first_time,
    modifiers,
    bakes,
    comfort,
    gpu_backend,
    gizmos,
    boxes,
    pieces,
    joints,
    robots,
    room,
    whip,
    pointmap,
    pin_brush,
    live_and_pose,
    own_provider,
    first_simulation,
)
CHAPTERS = {name: chapter for story in STORIES for name, chapter in story.CHAPTERS.items()}


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


def attempt(root: Path | None, blender: str | None, chapters: Sequence[str]) -> int:
    """The run in one Blender; what keeps it from running is one sentence and an exit code."""
    try:
        return run(root, blender, chapters)
    except (NoMachine, RootFailed, NotInstalled) as error:
        print(f"gui-test: {error}", file=sys.stderr)
        return 2
    except WindowLost as error:
        print(f"FAILED: {error}", file=sys.stderr)
        return 1


def run(root: Path | None, blender: str | None, chapters: Sequence[str]) -> int:
    pictures = PICTURES if blender in (None, USUAL_BLENDER) else PICTURES.with_name(f"{PICTURES.name}-{blender}")
    shutil.rmtree(pictures, ignore_errors=True)
    pictures.mkdir(parents=True)
    with open_machine(PROJECT, root, blender) as machine:
        record = Record(pictures)
        print(f"Blender {machine.blender_version} in {machine.root or 'this system'}", flush=True)
        archive = find_zip(PROJECT, machine)
        install(machine, archive)
        record.check(True, f"{archive.name} validates clean and installs")
        try:
            with BlenderWindow(machine, pictures) as window:
                scene = Scene(window, record)
                for name, chapter in CHAPTERS.items():
                    if name in chapters:
                        with record.chapter(name, window):
                            chapter(scene)
        finally:
            for log in (machine.folder / "home").rglob("*.log"):
                shutil.copy(log, pictures)
        traces = (pictures / "blender.log").read_text(errors="replace").count("Traceback (most recent call last)")
        record.check(traces == 0, f"Blender's log has {traces} tracebacks")
        return record.verdict()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    which = parser.add_mutually_exclusive_group()
    which.add_argument(
        "--blender", choices=SUITES, help=f"the Blender to drive; {USUAL_BLENDER} where none is installed"
    )
    which.add_argument("--all", action="store_true", help=f"drive {' and '.join(SUITES)} one after the other")
    parser.add_argument("--root", type=Path, help="a Debian root that has Blender, Xvfb, xdotool and import")
    parser.add_argument("chapters", nargs="*", help=f"only these of: {', '.join(CHAPTERS)}")
    arguments = parser.parse_args()
    unknown = set(arguments.chapters) - set(CHAPTERS)
    if unknown:
        parser.error(f"there is no chapter {', '.join(sorted(unknown))}")
    # Ended from outside, the run still has to end its own Blender: SystemExit passes through every `with`.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    try:
        with only_run():
            chapters = arguments.chapters or CHAPTERS
            blenders = tuple(SUITES) if arguments.all else (arguments.blender,)
            return max([attempt(arguments.root, blender, chapters) for blender in blenders])
    except NoMachine as error:
        print(f"gui-test: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("FAILED: stopped", file=sys.stderr)
        return 130


if __name__ == "__main__":
    sys.exit(main())
