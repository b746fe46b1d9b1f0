"""Kernels compiled ahead of the first take, by a process of its own that ends with the worker."""

import subprocess
import sys
import time

import numpy as np
import psutil
import pytest

from backend.data.shapes import box
from tests.job.worker_client import WorkerClient
from tests.waiting import BUSY

VERTICES, TRIANGLES = box((0.0, 0.0, 1.0), (1.0, 1.0, 2.0))
BOX = {"vertices": VERTICES.astype(np.float32), "triangles": TRIANGLES.astype(np.int32)}


@pytest.fixture
def client(tmp_path, monkeypatch):
    """The worker of an add-on that was just installed: nothing is compiled yet."""
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "compiled"))
    worker = WorkerClient(tmp_path / "worker.log", [sys.executable, "-m", "backend", "worker"])
    yield worker
    worker.end()


def compiling(client) -> list[psutil.Process]:
    found = psutil.Process(client.process.pid).children()
    return [each for each in found if "backend.simulation.compile_kernels" in each.cmdline()]


def test_the_greeting_begins_to_compile_once_and_the_worker_answers_meanwhile(client):
    client.greet()
    (process,) = compiling(client)
    client.ask({"type": "analyze", "id": 2, "key": "box", "provider": "rigid"}, BOX)
    assert client.read_until("analysis", "error")[0].type == "analysis"
    assert compiling(client) == [process]


@pytest.mark.parametrize("ends_by", ["quit", "kill"])
def test_compiling_ends_with_the_worker(client, ends_by):
    client.greet()
    (process,) = compiling(client)
    if ends_by == "quit":
        client.ask({"type": "quit", "id": 2})
    else:
        client.process.kill()
    client.wait(15.0)
    deadline = time.monotonic() + 3.0 * BUSY
    while process.is_running() and process.status() != psutil.STATUS_ZOMBIE:
        assert time.monotonic() < deadline
        time.sleep(0.05)


def test_a_take_of_rigid_things_waits_for_it_says_so_and_can_be_cancelled(client):
    client.greet()
    client.ask({"type": "analyze", "id": 2, "key": "box", "provider": "rigid"}, BOX)
    client.read_until("analysis")
    client.simulate(3, "box", frames=2, ground={"height": 0.0})
    while (beat := client.read_until("heartbeat")[0]).header["stage"] != "compiling":
        assert beat.header["id"] == 3
    client.ask({"type": "cancel", "id": 4, "target": 3})
    assert client.read_until("cancelled", "started")[0].type == "cancelled"
    assert compiling(client)  # goes on


def test_what_is_compiled_is_noted_and_not_compiled_again(monkeypatch):
    """In the cache that all tests share."""
    command = [sys.executable, "-m", "backend.simulation.compile_kernels"]
    process = subprocess.Popen(command, stdin=subprocess.PIPE)
    assert process.wait(300.0) == 0
    process.stdin.close()
    from backend.simulation import kernel_cache, kernels

    kernels.begin_compiling()
    assert kernel_cache._running == []
