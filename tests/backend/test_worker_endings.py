"""How the worker ends: asked to, left alone, stuck, with a damaged stream, without an engine."""

import os
import signal
import struct
import subprocess
import sys
import time

import pytest

from backend import protocol
from tests.job.worker_client import STAGE, TRIANGLE, WorkerClient, ends, refusal


@pytest.fixture
def client(tmp_path):
    worker = WorkerClient(tmp_path / "worker.log")
    yield worker
    worker.end()


def test_quit_when_idle_ends_with_code_zero(client):
    client.greet()
    client.ask({"type": "quit", "id": 2})
    assert client.wait(15.0) == 0
    assert client.read() is None


@pytest.mark.parametrize("how", ["sleep", "numpy", "frames", "idle", "analysis"])
def test_the_process_is_gone_soon_after_the_end_of_stdin(client, how):
    client.greet()
    client.analyze()
    if how == "frames":
        client.simulate(3, frames=1000, frame_seconds=0.05)
        client.read_until("frame")
    elif how == "analysis":
        client.ask({"type": "analyze", "id": 3, "key": "other", "provider": "deaf"}, TRIANGLE)
        client.read_until("heartbeat")
    elif how != "idle":
        client.simulate(3, frames=2, block_at=2, block_how=how, block_seconds=30.0)
        client.read_until("frame")
        time.sleep(0.2)
    client.process.stdin.close()
    assert client.wait(15.0) == 0


def test_quit_ends_a_worker_that_is_stuck_on_a_full_pipe(client):
    client.greet()
    client.analyze()
    client.simulate(3, frames=1000, shape=[2000, 3, 4])
    time.sleep(0.5)  # nobody reads: the pipe is full by now
    client.ask({"type": "quit", "id": 4})
    assert client.wait(15.0) == 0


def test_a_reader_that_goes_away_ends_the_worker_with_code_zero(client):
    client.greet()
    client.analyze()
    client.simulate(3, frames=1000, shape=[2000, 3, 4])
    time.sleep(0.5)
    client.process.stdout.close()
    assert client.wait(15.0) == 0


@pytest.mark.parametrize(
    "data",
    [
        struct.pack("<I", 100) + b'{"type"',
        struct.pack("<I", 4) + b"nope",
        b"GET / HTTP/1.1\r\n\r\n",
        protocol.encode_message({"type": "analyze", "id": 1}, TRIANGLE)[0][:-5],
    ],
    ids=["cut header", "no JSON", "other protocol", "cut array"],
)
def test_a_damaged_stream_ends_the_worker_with_one_clear_error(client, data):
    client.process.stdin.write(data)
    client.process.stdin.close()
    error, _ = client.read_until("error")
    assert refusal(error).code == "bad_stream" and error.header["id"] == 0
    assert client.wait(15.0) == 2
    assert "ProtocolError" in client.log.read_text()


def test_importing_is_told_before_the_engine_is_there(tmp_path):
    """An engine module that takes a second to import, in the place of the real one."""
    (tmp_path / "slow_import.py").write_text("import time\ntime.sleep(1.0)\n")
    script = (
        "import importlib, sys\n"
        f"sys.path[:0] = [{str(STAGE)!r}, {str(tmp_path)!r}]\n"
        "from backend.worker import worker_command\n"
        "real = importlib.import_module\n"
        "importlib.import_module = lambda name: real('slow_import' if name == 'backend.engine' else name)\n"
        "sys.exit(worker_command.run())\n"
    )
    client = WorkerClient(tmp_path / "worker.log", [sys.executable, "-c", script])
    client.ask({"type": "hello", "id": 1, "protocol": protocol.PROTOCOL_VERSION})
    _, before = client.read_until("hello")
    assert len(before) >= 3
    assert {(message.type, message.header["stage"]) for message in before} == {("heartbeat", "importing")}
    client.end()


def test_an_engine_that_cannot_be_imported_is_an_error_with_a_remedy(tmp_path):
    script = (
        "import sys\n"
        f"sys.path.insert(0, {str(STAGE)!r})\n"
        "sys.modules['scipy'] = None\n"
        "sys.modules['backend.engine'] = None\n"
        "from backend.worker import worker_command\n"
        "sys.exit(worker_command.run())\n"
    )
    client = WorkerClient(tmp_path / "worker.log", [sys.executable, "-c", script])
    error = client.greet()
    assert error.type == "error" and refusal(error).code == "engine_missing"
    assert "backend setup" in refusal(error).remedy
    client.end()


def test_two_hundred_jobs_leave_no_descriptor_open(client):
    client.greet()
    client.analyze()
    before = len(os.listdir(f"/proc/{client.process.pid}/fd"))
    for job in range(3, 203):
        client.simulate(job, frames=1)
        client.read_until("done")
    assert len(os.listdir(f"/proc/{client.process.pid}/fd")) == before


def test_a_killed_client_leaves_no_worker_behind(tmp_path):
    """The client is a process of its own; kill -9 on it must end the worker."""
    script = (
        "import sys, time\n"
        f"sys.path.insert(0, {str(STAGE.parent.parent.parent)!r})\n"
        "from pathlib import Path\n"
        "from tests.job.worker_client import WorkerClient\n"
        f"client = WorkerClient(Path({str(tmp_path / 'worker.log')!r}))\n"
        "client.greet(); client.analyze()\n"
        "client.simulate(3, frames=2, block_at=2, block_how='numpy', block_seconds=30.0)\n"
        "client.read_until('frame')\n"
        "print(client.process.pid, flush=True)\n"
        "time.sleep(60)\n"
    )
    parent = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True)
    worker_pid = int(parent.stdout.readline())
    parent.kill()
    parent.wait()
    parent.stdout.close()
    assert ends(worker_pid)


def test_a_control_c_in_the_terminal_does_not_end_the_worker(client):
    client.greet()
    client.process.send_signal(signal.SIGINT)
    assert client.greet().type == "hello"
