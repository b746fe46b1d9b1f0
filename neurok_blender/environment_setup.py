"""Makes the backend's Python environment. Runs as a program of its own, by the Python that Blender brings:

    python environment_setup.py DIRECTORY REQUIREMENT...

Prints one JSON line per stage to stdout, {"stage", "done", "total"}, and everything else to stderr. The marker
file is written last: a directory without it is a half-done installation and is made anew. When stdin ends,
whoever started this is gone or has changed their mind: everything stops and the directory stays unmarked.
"""

import json
import os
import shutil
import subprocess
import sys
import threading
from pathlib import Path

__all__ = ["MARKER", "environment_python", "is_complete", "main"]

MARKER = "neurok-ready.json"
MAKING = "Making the environment"
INSTALLING = "Downloading and installing packages"
CHECKING = "Checking"
STAGES = (MAKING, INSTALLING, CHECKING)


def environment_python(directory: Path) -> Path:
    return directory / ("Scripts/python.exe" if os.name == "nt" else "bin/python")


def is_complete(directory: Path) -> bool:
    return (directory / MARKER).is_file()


def announce(stage: str) -> None:
    print(json.dumps({"stage": stage, "done": STAGES.index(stage), "total": len(STAGES)}), flush=True)


class Children:
    """The child process under way, if any, so that the end of stdin can end it too."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._current: subprocess.Popen | None = None

    def run(self, command: list[str]) -> None:
        with self._lock:
            self._current = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=sys.stderr)
        if self._current.wait() != 0:
            raise SystemExit(f"{' '.join(command)} ended with code {self._current.returncode}")

    def stop_everything(self) -> None:
        with self._lock:
            if self._current is not None and self._current.poll() is None:
                self._current.terminate()
            os._exit(3)


def main(arguments: list[str]) -> None:
    directory, requirements = Path(arguments[0]), arguments[1:]
    children = Children()

    def watch_stdin() -> None:
        # Not through sys.stdin, whose lock this thread would hold when the program ends.
        while os.read(0, 4096):
            pass
        children.stop_everything()

    threading.Thread(target=watch_stdin, daemon=True).start()
    python = str(environment_python(directory))
    announce(stage=MAKING)
    if directory.exists():
        shutil.rmtree(directory)
    children.run([sys.executable, "-m", "venv", str(directory)])
    announce(stage=INSTALLING)
    pip = [python, "-m", "pip", "install", "--disable-pip-version-check", "--no-input", "--only-binary=:all:"]
    children.run([*pip, *requirements])
    announce(stage=CHECKING)
    children.run([python, "-c", "import numpy, scipy.sparse"])
    marker = {"python": sys.version.split()[0], "requirements": requirements}
    (directory / MARKER).write_text(json.dumps(marker), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
