"""The process wrapper by itself: environment, log, the end of the interpreter."""

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from neurok_blender.job.phases import Ended
from neurok_blender.job.process import LOG_BYTES, BackendProcess, worker_environment
from tests.job.worker_client import SLOW_WORKER, STAGE, ends, is_running
from tests.waiting import never_waits


def run(tmp_path: Path, script: str, env: dict[str, str] | None = None) -> tuple[Ended, str]:
    """Runs a script as the worker to its end; how it ended, and its log."""
    process = BackendProcess([sys.executable, "-c", script], tmp_path, tmp_path / "neurok.log", env)
    assert process.wait_ended(10.0)
    return process.receive(), (tmp_path / "neurok.log").read_text()


def test_the_environment_of_this_python_does_not_reach_the_worker(tmp_path, monkeypatch):
    monkeypatch.setenv("PYTHONPATH", "/somewhere")
    monkeypatch.setenv("PYTHONSTARTUP", "/somewhere/startup.py")
    monkeypatch.setenv("NEUROK_TEST", "kept")
    script = (
        "import os, sys\n"
        "print(os.environ.get('PYTHONPATH'), os.environ.get('PYTHONSTARTUP'), os.environ['NEUROK_TEST'],\n"
        "      os.environ['NEUROK_LOG'], sys.flags.no_user_site, sys.flags.utf8_mode, file=sys.stderr)"
    )
    ended, log = run(tmp_path, script)
    assert ended.exit_code == 0 and log == f"None None kept {tmp_path}/neurok.log 1 1\n"
    _, log = run(tmp_path, script, {"PYTHONPATH": "/given"})
    assert "/given None kept" in log


def test_worker_environment_is_a_copy():
    given = {"PATH": "/bin", "PYTHONHOME": "/x", "PythonPath": "/y", "__PYVENV_LAUNCHER__": "z"}
    assert worker_environment(given) == {"PATH": "/bin", "PYTHONNOUSERSITE": "1", "PYTHONUTF8": "1"}
    assert given["PYTHONHOME"] == "/x"


def test_exit_code_and_last_line_of_the_log(tmp_path):
    ended, _ = run(tmp_path, "import sys; print('one\\ntwo\\n\\n', file=sys.stderr); sys.exit(3)")
    assert ended == Ended(3, None, "two")
    ended, log = run(tmp_path, "")  # the log goes on, but the line of an earlier process is not quoted
    assert ended == Ended(0, None, "") and log.startswith("one\ntwo")


def test_a_log_that_grew_large_is_started_over(tmp_path):
    (tmp_path / "neurok.log").write_bytes(b"x" * (LOG_BYTES + 1))
    _, log = run(tmp_path, "import sys; print('fresh', file=sys.stderr)")
    assert log == "fresh\n"


def test_a_process_that_closes_its_output_but_stays_is_ended(tmp_path):
    script = "import os, time; os.close(1); time.sleep(60)"
    process = BackendProcess([sys.executable, "-c", script], tmp_path, tmp_path / "log")
    assert process.wait_ended(20.0)
    assert process.receive().exit_code == -9 and not is_running(process.pid)


def test_a_process_that_ignores_every_request_is_killed(tmp_path):
    script = (
        "import signal, sys, time\n"
        "signal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
        "print('ready', file=sys.stderr, flush=True)\n"
        "time.sleep(60)\n"
    )
    process = BackendProcess([sys.executable, "-c", script], tmp_path, tmp_path / "log")
    while "ready" not in (tmp_path / "log").read_text():
        time.sleep(0.02)
    with never_waits():
        process.close()
    assert process.wait_ended(20.0)
    assert process.receive().exit_code == -9


def test_a_command_that_is_not_there_raises_and_leaves_no_thread(tmp_path):
    with pytest.raises(OSError, match="nowhere"):
        BackendProcess(["/nowhere/python"], tmp_path, tmp_path / "log")


def test_descriptors_are_given_back(tmp_path):
    def cycle() -> None:
        process = BackendProcess([sys.executable, "-c", ""], tmp_path, tmp_path / "log")
        assert process.wait_ended(20.0)

    cycle()
    time.sleep(0.1)
    before = len(os.listdir("/proc/self/fd"))
    for _ in range(5):
        cycle()
    time.sleep(0.1)
    assert len(os.listdir("/proc/self/fd")) == before


@pytest.mark.parametrize("ending", ["pass", "process.close()", "raise SystemExit(3)", "atexit.register(process.close)"])
def test_the_end_of_the_interpreter_takes_the_worker_along(tmp_path, ending):
    script = (
        "import atexit, sys, time\n"
        f"sys.path.insert(0, {str(STAGE.parent)!r})\n"
        "from pathlib import Path\n"
        "from neurok_blender.backend.protocol import PROTOCOL_VERSION, encode_message\n"
        "from neurok_blender.job.process import BackendProcess\n"
        f"process = BackendProcess({SLOW_WORKER!r}, Path({str(STAGE)!r}), Path({str(tmp_path / 'log')!r}))\n"
        "process.outgoing.put(encode_message({'type': 'hello', 'id': 1, 'protocol': PROTOCOL_VERSION}))\n"
        "while process.receive() is None: time.sleep(0.01)\n"
        "print(process.pid, flush=True)\n"
        f"{ending}\n"
    )
    client = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    worker = int(client.stdout.readline())
    _, complaint = client.communicate(timeout=20.0)
    assert complaint == ""
    assert ends(worker)
