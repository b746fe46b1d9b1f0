"""One run of the program: install or take a Python, test it, put it to use, remove what was used before."""

from __future__ import annotations

import errno
import json
import os
import re
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import asdict, replace
from pathlib import Path

from .folders import UNFINISHED, WORKSHOP, patiently, remove_leftovers, remove_tree
from .pip_output import PipReader, last_line, pip_variables
from .plan import (
    CHECKING,
    DEVICE_VARIABLE,
    DOWNLOADING,
    RECORD,
    REMOVING,
    Environment,
    Plan,
    Trouble,
    tell,
)

__all__ = ["Setup", "main"]

RAW_PROGRESS = (24, 1)  # the first pip that prints the bytes

# The end of its stdin stops a child.
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


class Setup:
    """One set-up. Everything that it makes is in `part` until it is whole."""

    def __init__(self, plan: Plan) -> None:
        self.plan, self.directory = plan, Path(plan.directory)
        name = f"t{time.time_ns() // 1_000_000:x}"  # short: paths have an end on Windows
        self.final, self.part = self.directory / name, self.directory / f"{name}{UNFINISHED}"
        self.workshop = self.directory / f"{name}{WORKSHOP}"
        self._lock = threading.Lock()
        """Held while a child is started, everything is ended, or the change is made."""
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
        # The user's settings for pip apply, except those that do not go with a folder to install into.
        variables |= {"PIP_USER": "0", "PIP_REQUIRE_VIRTUALENV": "0", **pip_variables()}
        command = [sys.executable, "-c", GUARD, "pip"]
        version = self._answer([*command, "--version"], variables)
        found = re.search(r"^pip (\d+)\.(\d+)", version, re.MULTILINE)
        if found is None:
            raise Trouble("no_pip", last_line(version))
        command += ["install", "--disable-pip-version-check", "--no-input", "--only-binary=:all:", "--no-cache-dir"]
        command += ["--no-compile", "--no-warn-conflicts", "--target", str(self.part)]
        command += ["--progress-bar", "raw" if (int(found[1]), int(found[2])) >= RAW_PROGRESS else "off"]
        if self.plan.wheels:
            # From there alone, whatever other places the user's settings name.
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
        code, printed = lines[-1], [line for line in lines[:-1] if isinstance(line, str) and line.strip()]
        if code == 0 and (answers := [line for line in printed if line.startswith("{")]):
            return json.loads(answers[-1])
        print(*printed, sep="\n", file=sys.stderr, flush=True)
        refused = [json.loads(line)["error"] for line in printed if line.startswith('{"error"')]
        if missing := re.search(r"does not have the package (\w+)", "\n".join(printed)):
            raise Trouble("no_package", missing[1])
        raise Trouble(
            "check", printed[-1].strip() if printed else f"exit code {code}", refused[-1] if refused else None
        )

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
        """The lines of the child, and its exit code at the end."""
        child = self._start(command, variables, cwd)
        for line in child.stdout:
            yield line.rstrip()
        yield child.wait()

    def _answer(self, command: list[str], variables: dict[str, str]) -> str:
        return "\n".join(line for line in self._lines(command, variables, self.directory) if isinstance(line, str))


def trouble_of(error: OSError) -> Trouble:
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
        trouble = trouble_of(error)
        tell(trouble=trouble.kind, reason=trouble.reason, text=trouble.text)
        return 1
    return 0
