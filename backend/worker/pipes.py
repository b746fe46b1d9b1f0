"""The worker's ends of the pipe: who reads requests, who writes answers, and when the process ends.

The reader thread takes messages off stdin, so that cancel, quit and the end of the stream count at once,
even inside a job; it never writes, so a full pipe cannot block it. The heartbeat thread tells the
client that a long call is still running.
"""

from __future__ import annotations

import os
import queue
import sys
import threading
import time
import traceback
from collections.abc import Mapping
from typing import Any, NoReturn

import numpy as np

from backend import protocol
from backend.texts import to_wire

__all__ = [
    "EXIT_BAD_STREAM",
    "HEARTBEAT_SECONDS",
    "QUIT_GRACE_SECONDS",
    "Inbox",
    "Outlet",
    "take_standard_streams",
]

HEARTBEAT_SECONDS = 0.4
# A new stage is sent at once, yet never more often than this.
SHORTEST_HEARTBEAT_SECONDS = 0.05
# How long a running job may go on after quit or the end of stdin before the process ends under it.
QUIT_GRACE_SECONDS = 0.5

EXIT_BAD_STREAM = 2


def take_standard_streams() -> tuple[Any, Any]:
    """Raw streams of the pipes; what anything else prints goes to stderr, what it reads is empty."""
    requests, answers = os.dup(0), os.dup(1)
    # On Windows a library that loads while another thread reads the standard input would wait for that read.
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    # Line by line, so that nothing is lost when the process ends at once.
    sys.stdout.reconfigure(line_buffering=True)
    return os.fdopen(requests, "rb", buffering=0), os.fdopen(answers, "wb", buffering=0)


def _leave(code: int) -> NoReturn:
    """Ends the process now, whatever its other threads are in the middle of."""
    os._exit(code)


class Inbox:
    """Reads requests in a thread: jobs are queued, cancel and quit are remembered at once."""

    def __init__(self, stream: Any) -> None:
        self.stopping = threading.Event()
        self.exit_code = 0
        self._stream = stream
        self._jobs: queue.SimpleQueue[protocol.Message | None] = queue.SimpleQueue()
        self._cancelled: set[int] = set()
        self._lock = threading.Lock()

    def start(self) -> None:
        threading.Thread(target=self._read, name="requests", daemon=True).start()

    def next_job(self) -> protocol.Message | None:
        """Waits for the next job; None when the process is to end."""
        job = self._jobs.get()
        return None if self.stopping.is_set() else job

    def should_cancel(self, job: int) -> bool:
        return self.stopping.is_set() or job in self._cancelled

    def take_cancel(self, job: int) -> bool:
        """Whether a cancel of `job` waits for an answer; it counts as answered from here on."""
        with self._lock:
            waiting = job in self._cancelled
            self._cancelled.discard(job)
            return waiting

    def _read(self) -> None:
        try:
            while (message := protocol.read_message(self._stream)) is not None and message.type != "quit":
                if message.type == "cancel" and type(message.header.get("target")) is int:
                    with self._lock:
                        self._cancelled.add(message.header["target"])
                # A cancel is queued as well: it is answered even when its job is over or never was.
                self._jobs.put(message)
                del message  # its mesh is not held until the next request
        except Exception:
            traceback.print_exc()
            self.exit_code = EXIT_BAD_STREAM
        self.stopping.set()
        self._jobs.put(None)
        # A long NumPy call or a full pipe may hold the main thread; nothing of value is lost with it.
        time.sleep(QUIT_GRACE_SECONDS)
        _leave(self.exit_code)


class Outlet:
    """Sends messages from any thread, and heartbeats by itself while a job is running."""

    def __init__(self, stream: Any) -> None:
        self._stream = stream
        self._sending = threading.Lock()
        self._busy = threading.Event()
        self._job: int | None = None
        self._progress: tuple[str, int, int] = ("", 0, 0)
        self._sent_stage = ""
        self._sent_at = 0.0

    def start(self) -> None:
        threading.Thread(target=self._beat, name="heartbeat", daemon=True).start()

    def send(self, header: Mapping[str, Any], arrays: Mapping[str, np.ndarray] | None = None) -> None:
        chunks = protocol.encode_message(to_wire(header), arrays)
        with self._sending:
            self._write(chunks)

    def begin(self, job: int, stage: str) -> None:
        """Heartbeats are those of `job` from here on."""
        with self._sending:
            self._job, self._progress, self._sent_stage = job, (stage, 0, 0), ""
        self._busy.set()
        self.progress(stage, 0, 0)

    def progress(self, stage: str, done: int, total: int) -> None:
        """Notes how far the job is; a new stage is sent at once, the rest with the next heartbeat."""
        self._progress = (str(stage), int(done), int(total))
        since = time.monotonic() - self._sent_at
        if since > HEARTBEAT_SECONDS or (stage != self._sent_stage and since > SHORTEST_HEARTBEAT_SECONDS):
            self._send_progress()

    def end(self) -> None:
        """No heartbeat of the job goes out after this."""
        self._busy.clear()
        with self._sending:
            self._job = None

    def _beat(self) -> None:
        while self._busy.wait():
            time.sleep(HEARTBEAT_SECONDS / 4)
            stage_is_sent = self._progress[0] == self._sent_stage
            if not stage_is_sent or time.monotonic() - self._sent_at >= HEARTBEAT_SECONDS * 3 / 4:
                self._send_progress()

    def _send_progress(self) -> None:
        with self._sending:
            if self._job is None:
                return
            stage, done, total = self._progress
            header = {"type": "heartbeat", "id": self._job, "stage": stage, "done": done, "total": total}
            self._write(protocol.encode_message(header))
            self._sent_stage, self._sent_at = stage, time.monotonic()

    def _write(self, chunks: list[bytes | memoryview]) -> None:
        try:
            protocol.write_chunks(self._stream, chunks)
        except OSError:
            # The client has gone, so there is nothing left to do; this process has not failed.
            _leave(0)
