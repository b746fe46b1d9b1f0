"""Batches on a real cluster: a scheduler and two workers, each a process of its own, on the loopback interface."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

import psutil
import pytest

from tests.backend.command_line import ROOT

from .jobs import finished, lines_of, quick_jobs, started, until

pytest.importorskip("distributed")


@dataclass
class Cluster:
    """Processes that are ended with the test, and what they write."""

    folder: Path
    address: str = ""
    processes: dict[str, subprocess.Popen] = field(default_factory=dict)

    def start(self, name: str, *words: str) -> Path:
        """Starts `python -m dask WORDS` from the root; the file with what it says."""
        log = self.folder / f"{name}.log"
        command = [sys.executable, "-m", "dask", *words, "--no-dashboard"]
        # Whoever starts a cluster may know nothing of BLAS.
        environment = {key: value for key, value in os.environ.items() if not key.endswith("_NUM_THREADS")}
        with open(log, "wb") as stream:
            self.processes[name] = subprocess.Popen(command, cwd=ROOT, env=environment, stdout=stream, stderr=stream)
        return log

    def start_scheduler(self) -> None:
        log = self.start("scheduler", "scheduler", "--host", "127.0.0.1", "--port", "0")
        self.address = until(lambda: re.search(r"Scheduler at:\s+(tcp://\S+)", log.read_text()))[1]

    def start_worker(self, name: str) -> None:
        words = ["worker", self.address, "--nworkers", "1", "--nthreads", "1", "--no-nanny", "--host", "127.0.0.1"]
        log = self.start(name, *words, "--local-directory", str(self.folder))
        until(lambda: "Registered to" in log.read_text())

    def end(self) -> None:
        for process in self.processes.values():
            with suppress(psutil.NoSuchProcess):
                process.kill()
            process.wait()


@pytest.fixture
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    made = Cluster(tmp_path_factory.mktemp("cluster"))
    try:
        made.start_scheduler()
        yield made
    finally:
        made.end()


def _outputs(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir() if path.name.startswith(("take", ".take")))


def test_one_of_two_workers_is_killed_in_the_middle(cluster: Cluster, tmp_path: Path) -> None:
    """Nothing is lost and nothing is made twice: the journal has each output once, and no file changes later."""
    jobs = quick_jobs(tmp_path, 10, frames=60, slow=True)
    for name in ("first", "second"):
        cluster.start_worker(name)
    process = started(jobs, "--scheduler", cluster.address)
    lines = until(lambda: lines_of(jobs) if len({line["output"] for line in lines_of(jobs)}) >= 3 else None)
    assert len(lines) < 8
    seen = {line["output"]: (tmp_path / line["output"]).stat() for line in lines}
    cluster.processes["first"].send_signal(signal.SIGKILL)
    said, errors = process.communicate(timeout=240)
    assert process.returncode == 0, errors
    assert "10 takes, 10 made, 0 there already" in said
    completed = sorted(line["output"] for line in lines_of(jobs))
    assert completed == [f"take {number}.npz" for number in range(10)] == _outputs(tmp_path)
    for name, before in seen.items():
        after = (tmp_path / name).stat()
        assert (after.st_ino, after.st_mtime_ns) == (before.st_ino, before.st_mtime_ns), name
    journals = list((tmp_path / "jobs.jsonl.journal").glob("*.jsonl"))
    assert len(journals) == 2  # both workers had made some
    code, said, errors = finished(jobs, "--scheduler", cluster.address)
    assert code == 0 and "0 made, 10 there already" in said, errors


def test_a_worker_has_one_thread_of_blas(cluster: Cluster, tmp_path: Path) -> None:
    """Although it has loaded NumPy before our code runs."""
    from distributed import Client

    cluster.start_worker("only")
    assert finished(quick_jobs(tmp_path, 1), "--scheduler", cluster.address)[0] == 0

    def threads() -> list[int]:
        import numpy  # noqa: F401
        from threadpoolctl import threadpool_info

        return [entry["num_threads"] for entry in threadpool_info()]

    with Client(cluster.address) as client:
        (found,) = client.run(threads).values()
    assert found and set(found) == {1}


def test_a_failing_job_and_a_missing_worker_are_told(cluster: Cluster, tmp_path: Path) -> None:
    """The batch waits for workers, and says so; a job that cannot be made stops no other."""
    jobs = quick_jobs(tmp_path, 2)
    with open(jobs, "a") as stream:
        stream.write('{"mesh": "none.obj", "output": "take 2.npz"}\n')
    process = started(jobs, "--scheduler", cluster.address)
    assert "has no workers yet" in process.stdout.readline()
    cluster.start_worker("late")
    _said, errors = process.communicate(timeout=120)
    assert process.returncode == 2 and "Traceback" not in errors
    assert "1 of 3 takes failed, 2 made" in errors and "Line 3, take 2.npz: The file" in errors
    assert _outputs(tmp_path) == ["take 0.npz", "take 1.npz"]


def test_ctrl_c_leaves_the_cluster_and_what_is_finished(cluster: Cluster, tmp_path: Path) -> None:
    jobs = quick_jobs(tmp_path, 6, frames=60, slow=True)
    cluster.start_worker("only")
    process = started(jobs, "--scheduler", cluster.address)
    until(lambda: lines_of(jobs))
    os.killpg(process.pid, signal.SIGINT)
    _said, errors = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "Stopped; what is finished is kept" in errors and "Traceback" not in errors
    code, said, errors = finished(jobs, "--scheduler", cluster.address)
    assert code == 0, errors
    assert sorted(line["output"] for line in lines_of(jobs)) == _outputs(tmp_path)
    assert len(_outputs(tmp_path)) == 6 and "there already" in said


def test_a_scheduler_that_is_killed_is_told(cluster: Cluster, tmp_path: Path) -> None:
    jobs = quick_jobs(tmp_path, 6, frames=60, slow=True)
    cluster.start_worker("only")
    process = started(jobs, "--scheduler", cluster.address)
    until(lambda: lines_of(jobs))
    cluster.processes["scheduler"].kill()
    _said, errors = process.communicate(timeout=120)
    assert process.returncode == 2 and "Traceback" not in errors
    assert f"The scheduler at {cluster.address} is gone." in errors
    assert finished(jobs)[0] == 0
    assert sorted(line["output"] for line in lines_of(jobs)) == _outputs(tmp_path)


@pytest.mark.parametrize("address", ["tcp://127.0.0.1:9", "nowhere", "smoke://127.0.0.1:8786"])
def test_no_scheduler_there(tmp_path: Path, address: str) -> None:
    code, said, errors = finished(quick_jobs(tmp_path, 1), "--scheduler", address)
    assert (code, said) == (2, "")
    assert errors.startswith(f"No scheduler answers at {address}. Start one with") and "\n" not in errors
