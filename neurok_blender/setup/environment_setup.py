"""Makes, checks and removes the environment of the GPU backend. Runs as a program of its own, by Blender's Python:

    python environment_setup.py PLAN

PLAN is the JSON text of a `Plan`. stdout has one JSON line for each step, {"stage", "done", "total", "package"}, the
last of which is {"chosen": {..}} or {"trouble", "reason", "text"}; everything else goes to stderr, which is a log.

Packages are installed into a folder that ends in `.part` and is renamed when it has computed what it should. Then the
file RECORD, replaced in one go, says what is in use: until then nothing has changed for anybody. Whoever started this
says with a line on stdin that nothing runs from the folder before any more, which is removed then.

When stdin ends, whoever started this is gone or has changed their mind. Then what this has started ends, and what is
half made is removed. The processes that this starts end likewise when it is gone itself.
"""

from __future__ import annotations

import errno
import json
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import threading
import time
from collections import deque
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from pathlib import Path

__all__ = ["CHECKING", "DOWNLOADING", "INSTALLING", "RECORD", "REMOVING", "Environment", "Plan", "Trouble", "main"]
__all__ += ["read_environment"]

RECORD = "gpu.json"
UNFINISHED = ".part"
WORKSHOP = ".tmp"  # pip unpacks there, on the same disk
DEVICE_VARIABLE = "NEUROK_DEVICE"  # as backend/learned/infer/device.py has it

DOWNLOADING = "Downloading packages"
INSTALLING = "Installing packages"
CHECKING = "Computing a test"
REMOVING = "Removing"

RAW_PROGRESS = (24, 1)  # the pip that tells the bytes
KEPT_LINES = 12  # of what a child says last
TRIES, TRY_SECONDS = 20, 0.25  # Windows keeps files of a process for a moment after its end

# A child whose stdin ends has nobody left to work for.
GUARD = """
import os, runpy, sys, threading
def watch():
    while os.read(0, 4096):
        pass
    os._exit(3)
threading.Thread(target=watch, daemon=True).start()
sys.argv = sys.argv[1:]
runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)
"""


@dataclass(frozen=True)
class Plan:
    """What is to be done. Folders are absolute paths."""

    directory: str
    """Where environments are kept, each in a folder of its own."""
    package: str = ""
    """Folder that the package `backend` lies in."""
    device: str = ""
    """Empty: take away what there is."""
    python: str = ""
    """An existing Python to use as it is; empty: install into a folder for the Python that runs this."""
    requirements: tuple[str, ...] = ()
    wheels: str = ""
    """Install from this folder alone."""
    index: str = ""
    """Install from this package index, not from pip's own."""
    room: float = 0.0
    """Megabytes that have to be free."""


@dataclass(frozen=True)
class Environment:
    """What is in use, as RECORD has it."""

    device: str
    python: str = ""
    """Empty: the one of Blender."""
    packages: str = ""
    """Name of the folder beside RECORD; empty where the Python has all by itself."""
    name: str = ""
    """Of the processor or the graphics card."""
    torch: str = ""


class Trouble(Exception):
    """Why there is no environment: a word for programs, and the last line of whoever complained.

    `text` is that as a text of the backend, {"id", "args"}, where it was the backend that complained.
    """

    def __init__(self, kind: str, reason: str = "", text: dict[str, object] | None = None) -> None:
        super().__init__(kind, reason)
        self.kind, self.reason, self.text = kind, reason, text


def read_environment(directory: Path) -> Environment | None:
    """What is in use; None where nothing was set up. Whether it still works has to be tried."""
    try:
        return Environment(**json.loads((directory / RECORD).read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError):
        return None


def tell(**line: object) -> None:
    print(json.dumps(line), flush=True)


class Setup:
    """One set-up. Everything that it makes is in `unfinished` until it is whole."""

    def __init__(self, plan: Plan) -> None:
        self.plan, self.directory = plan, Path(plan.directory)
        name = f"t{time.time_ns() // 1_000_000:x}"  # short: paths have an end on Windows
        self.final, self.part = self.directory / name, self.directory / f"{name}{UNFINISHED}"
        self.workshop = self.directory / f"{name}{WORKSHOP}"
        self._lock = threading.Lock()
        """Held by whoever starts a child, ends all, or makes the change."""
        self._child: subprocess.Popen | None = None
        self._changed = False
        self.released = threading.Event()

    # --- the end of stdin ---

    def watch_stdin(self) -> None:
        # Not through sys.stdin, whose lock this thread would hold when the program ends.
        while os.read(0, 4096):
            self.released.set()
        with self._lock:
            if self._child is not None and self._child.poll() is None:
                self._child.kill()
                self._child.wait()
            if not self._changed:
                self.clear_away()
            os._exit(3)

    def clear_away(self) -> None:
        for folder in (self.part, self.workshop):
            remove_tree(folder)

    # --- the steps ---

    def run(self) -> None:
        self.directory.mkdir(parents=True, exist_ok=True)
        if not self.plan.device:
            self._remove()
            return
        chosen = Environment(self.plan.device, self.plan.python)
        try:
            if not self.plan.python:
                self._install()
            found = self._check()
            packages = "" if self.plan.python else self.final.name
            chosen = replace(chosen, packages=packages, name=found["name"], torch=found["torch"])
            self._change(chosen)
        finally:
            self.clear_away()
        tell(chosen=asdict(chosen))
        self.released.wait()
        self._remove_others(chosen.packages)

    def _install(self) -> None:
        remove_leftovers(self.directory)
        free = shutil.disk_usage(self.directory).free / 1e6
        if free < self.plan.room:
            raise Trouble("no_room", f"{free:.0f} MB")
        self.part.mkdir()
        self.workshop.mkdir()
        tell(stage=DOWNLOADING, done=0, total=0, package="")
        variables = {"TMPDIR": str(self.workshop), "TEMP": str(self.workshop), "TMP": str(self.workshop)}
        # Somebody's settings for pip count, but for those that do not go with a folder to install into.
        variables |= {"PIP_USER": "0", "PIP_REQUIRE_VIRTUALENV": "0", **pip_variables()}
        command = [sys.executable, "-c", GUARD, "pip"]
        version = self._answer([*command, "--version"], variables)
        told = re.search(r"^pip (\d+)\.(\d+)", version, re.MULTILINE)
        if told is None:
            raise Trouble("no_pip", last_line(version))
        command += ["install", "--disable-pip-version-check", "--no-input", "--only-binary=:all:", "--no-cache-dir"]
        command += ["--no-compile", "--no-warn-conflicts", "--target", str(self.part)]
        command += ["--progress-bar", "raw" if (int(told[1]), int(told[2])) >= RAW_PROGRESS else "off"]
        if self.plan.wheels:
            # From there alone, whatever other places somebody's settings name.
            variables |= {"PIP_CONFIG_FILE": os.devnull, "PIP_FIND_LINKS": ""}
            command += ["--no-index", "--find-links", self.plan.wheels]
        elif self.plan.index:
            command += ["--index-url", self.plan.index]
        reader = PipReader()
        code = 0
        for line in self._lines([*command, *self.plan.requirements], variables, self.directory):
            if isinstance(line, int):
                code = line
            elif not reader.take(line):
                print(line, file=sys.stderr, flush=True)
        if code != 0:
            raise Trouble(*reader.trouble())
        remove_tree(self.workshop)

    def _check(self) -> dict[str, object]:
        """What `python -m backend check` has found, on the device and with the packages that are to be used."""
        tell(stage=CHECKING, done=0, total=0, package="")
        python = self.plan.python or sys.executable
        variables = {DEVICE_VARIABLE: self.plan.device}
        if not self.plan.python:
            variables["PYTHONPATH"] = str(self.part)
        command = [python, "-c", GUARD, "backend", "check", "--device", self.plan.device, "--json"]
        try:
            lines = list(self._lines(command, variables, Path(self.plan.package)))
        except OSError as error:
            raise Trouble("no_python", error.strerror or str(error)) from error
        code, said = lines[-1], [line for line in lines[:-1] if isinstance(line, str) and line.strip()]
        if code == 0 and (answers := [line for line in said if line.startswith("{")]):
            return json.loads(answers[-1])
        print(*said, sep="\n", file=sys.stderr, flush=True)
        refused = [json.loads(line)["error"] for line in said if line.startswith('{"error"')]
        if missing := re.search(r"does not have the package (\w+)", "\n".join(said)):
            raise Trouble("no_package", missing[1])
        raise Trouble("check", said[-1].strip() if said else f"exit code {code}", refused[-1] if refused else None)

    def _change(self, chosen: Environment) -> None:
        """From here on the new environment is in use; before, nothing has happened to the old one."""
        record = self.directory / RECORD
        unfinished = self.directory / f"{RECORD}{UNFINISHED}"
        with self._lock:
            if chosen.packages:
                patiently(lambda: self.part.rename(self.final))
            try:
                unfinished.write_text(json.dumps(asdict(chosen)), encoding="utf-8")
                patiently(lambda: unfinished.replace(record))
            except OSError:
                remove_tree(self.final)
                unfinished.unlink(missing_ok=True)
                raise
            self._changed = True

    def _remove(self) -> None:
        tell(stage=REMOVING, done=0, total=0, package="")
        with self._lock:
            (self.directory / RECORD).unlink(missing_ok=True)
            self._changed = True
        tell(chosen=None)
        self.released.wait()
        self._remove_others("")

    def _remove_others(self, kept: str) -> None:
        for folder in self.directory.iterdir():
            if folder.is_dir() and folder.name != kept:
                remove_tree(folder)

    # --- children ---

    def _start(self, command: list[str], variables: dict[str, str], cwd: Path) -> subprocess.Popen:
        with self._lock:
            self._child = subprocess.Popen(
                command,
                cwd=cwd,
                env={**os.environ, **variables},
                stdin=subprocess.PIPE,  # never written to: it ends when this process does
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                encoding="utf-8",
                errors="replace",
                creationflags=subprocess.CREATE_NO_WINDOW if sys.platform == "win32" else 0,
            )
            return self._child

    def _lines(self, command: list[str], variables: dict[str, str], cwd: Path) -> Iterator[str | int]:
        """What the child says, and its exit code at the end."""
        child = self._start(command, variables, cwd)
        for line in child.stdout:
            yield line.rstrip()
        yield child.wait()

    def _answer(self, command: list[str], variables: dict[str, str]) -> str:
        return "\n".join(line for line in self._lines(command, variables, self.directory) if isinstance(line, str))


class PipReader:
    """Understands what pip says and hands its progress on."""

    def __init__(self) -> None:
        self.package = ""
        self._last: deque[str] = deque(maxlen=KEPT_LINES)
        self._errors: list[str] = []
        self._told_at = 0.0

    def take(self, line: str) -> bool:
        """True where the line is progress, of which a log would be full."""
        if counted := re.fullmatch(r"Progress (\d+) of (\d+)", line.strip()):
            now = time.monotonic()
            if now - self._told_at > 0.1 or counted[1] == counted[2]:
                self._told_at = now
                tell(stage=DOWNLOADING, done=int(counted[1]), total=int(counted[2]), package=self.package)
            return True
        if loading := re.match(r"\s*(?:Downloading|Using cached|Processing) (\S+)", line):
            self.package = re.split(r"-\d", loading[1].replace("\\", "/").rpartition("/")[2], maxsplit=1)[0]
            tell(stage=DOWNLOADING, done=0, total=0, package=self.package)
        elif installing := re.match(r"Installing collected packages: (.+)", line):
            tell(stage=INSTALLING, done=0, total=0, package=str(len(installing[1].split(","))))
        if line.startswith("ERROR:"):
            self._errors.append(line.removeprefix("ERROR:").strip())
        elif line.strip():
            self._last.append(line.strip())
        return False

    def trouble(self) -> tuple[str, str]:
        """What went wrong, by the words that pip has for it."""
        said = " ".join([*self._last, *self._errors])
        reason = self._errors[-1] if self._errors else (self._last[-1] if self._last else "")
        if os.strerror(errno.ENOSPC) in said or "No space left" in said:
            return "no_room", reason
        if os.strerror(errno.EACCES) in said or "Permission denied" in said:
            return "not_writable", reason
        if re.search(r"Retrying \(|Max retries|ConnectionError|ConnectTimeout|ReadTimeout|SSLError|ProxyError", said):
            return "no_network", reason
        if "No matching distribution" in said or "Could not find a version" in said:
            return "no_packages", reason
        return "pip", reason


# --- files and words ---


def pip_variables() -> dict[str, str]:
    """Where this Python has no pip, the one that it carries for new environments is found by its path."""
    from importlib.util import find_spec

    if find_spec("pip") is not None:
        return {}
    places = [Path(sysconfig.get_path("stdlib")) / "ensurepip" / "_bundled"]
    if (others := sysconfig.get_config_var("WHEEL_PKG_DIR")) is not None:
        places.append(Path(others))
    wheels = [wheel for place in places for wheel in sorted(place.glob("pip-*.whl"))]
    if not wheels:
        raise Trouble("no_pip")
    return {"PYTHONPATH": str(wheels[-1])}


def last_line(text: str) -> str:
    return next((line.strip() for line in reversed(text.splitlines()) if line.strip()), "")


def patiently(action) -> None:
    """Windows refuses for a moment what a virus scanner looks at."""
    for attempt in range(TRIES):
        try:
            action()
            return
        except PermissionError:
            if os.name != "nt" or attempt == TRIES - 1:
                raise
            time.sleep(TRY_SECONDS)


def remove_tree(folder: Path) -> None:
    """Leaves a folder only where something keeps its files."""
    for _attempt in range(TRIES):
        shutil.rmtree(folder, ignore_errors=True)
        if not folder.exists():
            return
        time.sleep(TRY_SECONDS)


def remove_leftovers(directory: Path) -> None:
    """What a set-up that was killed has left."""
    for folder in directory.iterdir():
        if folder.suffix in (UNFINISHED, WORKSHOP):
            remove_tree(folder) if folder.is_dir() else folder.unlink(missing_ok=True)


def told_error(error: OSError) -> Trouble:
    if error.errno in (errno.ENOSPC, getattr(errno, "EDQUOT", errno.ENOSPC)):
        return Trouble("no_room", error.strerror or "")
    if error.errno in (errno.EACCES, errno.EPERM, errno.EROFS):
        return Trouble("not_writable", error.strerror or "")
    return Trouble("files", f"{error.strerror or error}")


def main(arguments: list[str]) -> int:
    given = json.loads(arguments[0])
    setup = Setup(Plan(**{**given, "requirements": tuple(given.get("requirements", ()))}))
    threading.Thread(target=setup.watch_stdin, daemon=True).start()
    try:
        setup.run()
    except Trouble as trouble:
        tell(trouble=trouble.kind, reason=trouble.reason, text=trouble.text)
        return 1
    except OSError as error:
        print(error, file=sys.stderr)
        trouble = told_error(error)
        tell(trouble=trouble.kind, reason=trouble.reason, text=trouble.text)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
