"""A worker process at the end of plain pipes, for tests that speak the wire format themselves."""

import subprocess
import sys
import time
from pathlib import Path

import numpy as np

from backend import protocol
from backend.errors import UserError
from backend.texts import from_wire

HERE = Path(__file__).resolve().parent
STAGE = HERE.parent.parent / "build" / "stage" / "neurok_blender"
SLOW_WORKER = [sys.executable, str(HERE / "slow_worker.py")]

TRIANGLE = {
    "vertices": np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0]], dtype=np.float32),
    "triangles": np.array([[0, 1, 2]], dtype=np.int32),
}


def refusal(message: protocol.Message) -> UserError:
    """The error of an answer that refuses."""
    return UserError.of(from_wire(message.header["text"]))


class WorkerClient:
    """Starts the worker; `ask` sends a request and `read` returns the next message."""

    def __init__(self, log: Path, command: list[str] | None = None) -> None:
        self.log = log
        with log.open("wb") as log_file:
            self.process = subprocess.Popen(
                command or SLOW_WORKER,
                cwd=STAGE,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log_file,
                bufsize=0,
            )

    def ask(self, header: dict, arrays: dict[str, np.ndarray] | None = None) -> None:
        protocol.write_message(self.process.stdin, header, arrays)

    def read(self) -> protocol.Message | None:
        return protocol.read_message(self.process.stdout)

    def read_until(self, *types: str) -> tuple[protocol.Message, list[protocol.Message]]:
        """The first message of one of `types`, and the messages before it."""
        before = []
        while (message := self.read()) is not None:
            if message.type in types:
                return message, before
            before.append(message)
        raise AssertionError(f"the stream ended before {types}; log: {self.log.read_text()}")

    def greet(self) -> protocol.Message:
        self.ask({"type": "hello", "id": 1, "protocol": protocol.PROTOCOL_VERSION})
        return self.read_until("hello", "error")[0]

    def analyze(self, job: int = 2, key: str = "mesh", provider: str = "auto") -> protocol.Message:
        self.ask({"type": "analyze", "id": job, "key": key, "provider": provider}, TRIANGLE)
        return self.read_until("analysis", "error", "cancelled")[0]

    def simulate(self, job: int = 3, key: str = "mesh", **conditions: object) -> None:
        self.simulate_together(job, [{"key": key, "conditions": conditions}])

    def simulate_together(self, job: int, objects: list[dict], **header: object) -> None:
        self.ask({"type": "simulate", "id": job, "objects": objects, **header})

    def pose(
        self, job: int, arrays: dict[str, np.ndarray], key: str = "mesh", **conditions: object
    ) -> protocol.Message:
        self.ask({"type": "pose", "id": job, "key": key, "conditions": conditions}, arrays)
        return self.read_until("posed", "error")[0]

    def wait(self, seconds: float) -> int:
        return self.process.wait(seconds)

    def end(self) -> None:
        self.process.kill()
        self.process.wait()
        self.process.stdin.close()
        self.process.stdout.close()


def ends(pid: int, seconds: float = 15.0) -> bool:
    """Waits until no process of that number does anything; whether that came."""
    until = time.monotonic() + seconds
    while is_running(pid) and time.monotonic() < until:
        time.sleep(0.02)
    return not is_running(pid)


def is_running(pid: int) -> bool:
    """Whether a process of that number does anything; one that only waits to be collected does not."""
    try:
        status = Path(f"/proc/{pid}/stat").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return False
    return status.rpartition(")")[2].split()[0] != "Z"
