"""Starting, watching and ending the processes that a test run owns: always by id, never by name."""

import contextlib
import ctypes
import os
import signal
import subprocess
import time
from pathlib import Path

__all__ = ["descendants", "end", "processor_seconds", "start", "wait_gone"]

PR_SET_PDEATHSIG = 1


def _die_with_parent() -> None:
    """Runs in the child before exec: the kernel ends it when this run is itself killed with -9."""
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


def start(command: list[str], log: Path, **options) -> subprocess.Popen:
    """Start a long-lived process whose output goes to `log` and which cannot outlive this run."""
    with log.open("ab") as output:
        options = {"stdout": output, "stderr": output, "stdin": subprocess.DEVNULL, **options}
        return subprocess.Popen(command, start_new_session=True, preexec_fn=_die_with_parent, **options)


def end(process: subprocess.Popen, seconds: float = 5.0) -> None:
    """Ask the process to end; kill it when it has not ended in time."""
    if process.poll() is not None:
        return
    process.terminate()
    try:
        process.wait(seconds)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def descendants(parent: int) -> dict[int, str]:
    """Command lines of all living processes below `parent`, by id."""
    parents: dict[int, int] = {}
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            # The process may end between the listing and the reading.
            with contextlib.suppress(OSError):
                # "id (name) state parent ...": the name may itself hold spaces and brackets.
                state, above = (folder / "stat").read_text().rpartition(")")[2].split()[:2]
                if state != "Z":
                    parents[int(folder.name)] = int(above)
    found: dict[int, str] = {}
    for process in parents:
        above = parents[process]
        while above in parents and above != parent:
            above = parents[above]
        if above == parent:
            with contextlib.suppress(OSError):
                line = Path(f"/proc/{process}/cmdline").read_bytes()
                found[process] = line.replace(b"\0", b" ").decode(errors="replace").strip()
    return found


def wait_gone(ids: list[int], seconds: float) -> list[int]:
    """Those of the processes that still live after at most `seconds`."""
    deadline = time.monotonic() + seconds
    while True:
        left = [process for process in ids if Path(f"/proc/{process}").exists()]
        if not left or time.monotonic() > deadline:
            return left
        time.sleep(0.05)


def processor_seconds(process: int) -> float:
    """What the process has used of the processor so far."""
    fields = Path(f"/proc/{process}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
