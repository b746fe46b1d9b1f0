"""The worker process at the end of its pipes; nothing here ever makes the caller wait.

A reader thread fills a queue, a writer thread empties one, and a third thread sees a process to its end.
All are daemon threads, and the process is killed at interpreter exit, so that quitting is never held up
and nothing is left running.
"""

from __future__ import annotations

import atexit
import os
import queue
import subprocess
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from ..backend import protocol
from ..backend.texts import Text
from .phases import Ended

__all__ = ["BackendProcess", "worker_environment"]

# close(): how long quit, then terminate, then kill may each take to work; two seconds together.
QUIT_SECONDS = 1.0
TERMINATE_SECONDS = 0.5
KILL_SECONDS = 0.5

# The log is kept from one process to the next until it has this size.
LOG_BYTES = 2**20
LAST_LINE_BYTES = 4096


class BackendProcess:
    """Starts `command` in `cwd` with its stderr appended to `log_path`; raises OSError when that fails.

    `env` is laid over the environment of this process, from which Python's own settings are taken out.
    """

    def __init__(self, command: Sequence[str], cwd: Path, log_path: Path, env: Mapping[str, str] | None = None) -> None:
        self.log_path = Path(log_path)
        # When the last message came in (time.monotonic, seconds); None before the first.
        self.heard_at: float | None = None
        self._arrived: queue.SimpleQueue[protocol.Message | Ended] = queue.SimpleQueue()
        self.outgoing: queue.SimpleQueue[list[bytes | memoryview] | None] = queue.SimpleQueue()
        """Encoded messages to send, whose arrays must not change until they are out; None closes the pipe."""
        self._closing = False
        self._log_start = _prepare_log(self.log_path)
        with self.log_path.open("ab") as log:
            self._process = subprocess.Popen(
                list(command),
                cwd=cwd,
                env={**worker_environment(os.environ), "NEUROK_LOG": str(self.log_path), **(env or {})},
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
                # Raw pipes: a buffered one has a lock that a thread waiting inside would hold at exit.
                bufsize=0,
                creationflags=subprocess.CREATE_NO_WINDOW if sys.platform == "win32" else 0,
            )
        atexit.register(self._end_now)
        self._reader = threading.Thread(target=self._read, name="neurok-reader", daemon=True)
        self._reader.start()
        threading.Thread(target=self._write, name="neurok-writer", daemon=True).start()

    @property
    def pid(self) -> int:
        return self._process.pid

    def receive(self) -> protocol.Message | Ended | None:
        """The next thing that came in, None when there is nothing now; `Ended` is the last."""
        try:
            return self._arrived.get_nowait()
        except queue.Empty:
            return None

    def kill(self) -> None:
        """Ends the process now; the reader thread collects it."""
        self._process.kill()

    def close(self) -> None:
        """Asks the process to quit and makes sure that it does within two seconds; returns at once."""
        if not self._closing:
            self._closing = True
            self.outgoing.put(protocol.encode_message({"type": "quit", "id": 0}))
            self.outgoing.put(None)
            try:
                threading.Thread(target=self._see_off, name="neurok-closer", daemon=True).start()
            except RuntimeError:
                # Python starts no more threads while it shuts down (3.12 and later).
                self._end_now()

    def wait_ended(self, seconds: float) -> bool:
        """Waits until the process has ended and was collected; not for Blender's timer."""
        self._reader.join(seconds)
        return not self._reader.is_alive()

    def _read(self) -> None:
        damage = None
        try:
            while (message := protocol.read_message(self._process.stdout)) is not None:
                self.heard_at = time.monotonic()
                self._arrived.put(message)
                del message  # the next one may be long in coming, and this one large
        except protocol.ProtocolError as error:
            damage = error.text
        except Exception as error:
            # Whatever it was, nothing more can be understood from this process.
            damage = Text("stream.other", reason=str(error) or type(error).__name__)
        exit_code = self._collect(damage)
        self.outgoing.put(None)
        self._process.stdout.close()
        atexit.unregister(self._end_now)
        self._arrived.put(Ended(exit_code, damage, _last_line(self.log_path, self._log_start)))

    def _collect(self, damage: Text | None) -> int:
        """The exit code; a process that has nothing more to say is not left alone with its pipes closed."""
        if damage is None:
            try:
                return self._process.wait(QUIT_SECONDS)
            except subprocess.TimeoutExpired:
                pass
        self._process.kill()
        return self._process.wait()

    def _write(self) -> None:
        try:
            while (chunks := self.outgoing.get()) is not None:
                protocol.write_chunks(self._process.stdin, chunks)
                del chunks  # a mesh is not held until the next request
        except OSError:
            pass  # the process has ended, which the reader notices
        self._process.stdin.close()

    def _see_off(self) -> None:
        for seconds, stronger in (
            (QUIT_SECONDS, self._process.terminate),
            (TERMINATE_SECONDS, self._process.kill),
        ):
            try:
                self._process.wait(seconds)
                return
            except subprocess.TimeoutExpired:
                stronger()

    def _end_now(self) -> None:
        """At interpreter exit: the worker holds nothing that is worth waiting for."""
        self._process.kill()
        self._reader.join(KILL_SECONDS)


def worker_environment(environment: Mapping[str, str]) -> dict[str, str]:
    """A copy without the settings that tie a Python to this one's files (PYTHONPATH, PYTHONHOME, ...)."""
    kept = {
        name: value
        for name, value in environment.items()
        if not name.upper().startswith("PYTHON") and name != "__PYVENV_LAUNCHER__"
    }
    # Packages in the user's home would shadow those the backend was set up with; logs are UTF-8 everywhere.
    return {**kept, "PYTHONNOUSERSITE": "1", "PYTHONUTF8": "1"}


def _prepare_log(path: Path) -> int:
    """Makes the folder, starts over when the log has grown large; the size of what is in it already."""
    path.parent.mkdir(parents=True, exist_ok=True)
    size = path.stat().st_size if path.exists() else 0
    if size > LOG_BYTES:
        path.unlink()
        return 0
    return size


def _last_line(path: Path, start: int) -> str:
    """The last line that holds anything, of what was written from byte `start` on."""
    try:
        with path.open("rb") as log:
            size = log.seek(0, os.SEEK_END)
            log.seek(max(start, size - LAST_LINE_BYTES))
            lines = log.read().decode("utf-8", errors="replace").split("\n")
    except OSError:
        return ""
    return next((line.strip() for line in reversed(lines) if line.strip()), "")
