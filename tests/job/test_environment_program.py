"""The program that sets up PyTorch, as a process of its own: real pip, real checks, cut at each point."""

from __future__ import annotations

import contextlib
import http.server
import importlib.util
import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

import psutil
import pytest

from backend.learned.infer.device import DEVICE_VARIABLE
from tests.job.worker_client import STAGE
from tests.sweeps import sweep
from tests.wheels import SLEEPING, make_wheel, pointing_wheels

sys.path.insert(0, str(STAGE / "setup"))  # the package around it needs Blender
from environment_program import installation, pip_output
from environment_program.plan import DEVICE_VARIABLE as PROGRAM_VARIABLE
from environment_program.plan import Plan, Trouble, read_environment

PROGRAM = STAGE / "setup" / "environment_program"
REQUIREMENTS = ("torch==2.13.0", "safetensors==0.8.0", "numpy>=1.26,<3", "scipy>=1.11,<2")
PATIENCE_SECONDS = 30.0


class Running:
    """A set-up that runs; its lines are read as they come."""

    def __init__(self, plan: Any, log: Path) -> None:
        self.log = log
        with log.open("wb") as stream:
            self.process = subprocess.Popen(
                [sys.executable, PROGRAM, json.dumps(asdict(plan))],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=stream,
                env={name: value for name, value in os.environ.items() if not name.startswith("PYTHON")},
            )
        self.lines: list[dict[str, Any]] = []
        self._reader = threading.Thread(target=self._read)
        self._reader.start()
        self.family: list[psutil.Process] = []

    def _read(self) -> None:
        self.lines.extend(map(json.loads, iter(self.process.stdout.readline, b"")))

    def wait_for(self, key: str, value: Any = None, seconds: float = 90.0) -> dict[str, Any]:
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            for line in list(self.lines):
                if key in line and value in (None, line[key]):
                    return line
            if self.process.poll() is not None:
                self._reader.join()
                if not any(key in line for line in self.lines):
                    break
            time.sleep(0.01)
        raise AssertionError(f"no {key} {value}: {self.lines[-3:]} {self.log.read_text()[-2000:]}")

    def note_family(self) -> None:
        me = psutil.Process(self.process.pid)
        self.family = [me, *me.children(recursive=True)]

    def all_gone(self, seconds: float = PATIENCE_SECONDS) -> bool:
        """Whether nobody of the noted family runs any more after so many seconds."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(seconds)
        return not psutil.wait_procs(self.family, seconds)[1]

    def release(self) -> None:
        self.process.stdin.write(b"\n")
        self.process.stdin.flush()

    def end(self) -> None:
        self.process.stdin.close()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(10.0)
        self.process.kill()
        self._reader.join()
        self.process.stdout.close()


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    return tmp_path / "environments"


@pytest.fixture
def begin(tmp_path: Path, directory: Path) -> Iterator[Any]:
    started: list[Running] = []

    def run(**plan: Any) -> Running:
        given = {"device": "cpu", "package": str(STAGE), "requirements": REQUIREMENTS} | plan
        started.append(Running(Plan(str(directory), **given), tmp_path / f"log{len(started)}"))
        return started[-1]

    yield run
    for each in started:
        each.end()


def content(directory: Path) -> set[str]:
    return {path.name for path in directory.iterdir()}


def test_the_name_of_the_variable_is_the_same_on_both_sides() -> None:
    assert PROGRAM_VARIABLE == DEVICE_VARIABLE


def test_a_folder_of_wheels_becomes_an_environment_that_computes(begin: Any, tmp_path: Path, directory: Path) -> None:
    used = tmp_path / "used"
    run = begin(wheels=str(pointing_wheels(tmp_path / "wheels", used)))
    chosen = run.wait_for("chosen")["chosen"]
    run.release()
    assert run.process.wait(10) == 0
    assert chosen["device"] == "cpu" and chosen["torch"].startswith("2.13.0") and chosen["python"] == ""
    assert "torch" in used.read_text().split()  # it was this one that computed
    assert content(directory) == {"gpu.json", chosen["packages"]}
    assert asdict(read_environment(directory)) == chosen
    assert (directory / chosen["packages"] / "torch.py").is_file()
    stages = list(dict.fromkeys(line["stage"] for line in run.lines if "stage" in line))
    assert stages == ["Downloading packages", "Installing packages", "Computing a test"]
    assert {"torch", "scipy"} <= {line["package"] for line in run.lines if line.get("stage") == "Downloading packages"}


def test_the_one_before_stays_until_it_is_released_and_is_removed_then(
    begin: Any, tmp_path: Path, directory: Path
) -> None:
    wheels = str(pointing_wheels(tmp_path / "wheels", tmp_path / "used"))
    first = begin(wheels=wheels)
    old = first.wait_for("chosen")["chosen"]["packages"]
    first.end()
    second = begin(wheels=wheels)
    new = second.wait_for("chosen")["chosen"]["packages"]
    assert {old, new} <= content(directory) and read_environment(directory).packages == new
    second.release()
    assert second.process.wait(10) == 0
    assert content(directory) == {"gpu.json", new}


def test_what_fails_its_test_leaves_everything_as_it_was(begin: Any, tmp_path: Path, directory: Path) -> None:
    good = begin(wheels=str(pointing_wheels(tmp_path / "wheels", tmp_path / "used")))
    good.wait_for("chosen")
    good.end()
    before, record = content(directory), (directory / "gpu.json").read_text()
    bad = begin(wheels=str(pointing_wheels(tmp_path / "bad", tmp_path / "used", torch="raise ImportError('no GPU')")))
    told = bad.wait_for("trouble")
    assert (told["trouble"], told["reason"]) == ("check", "ImportError: no GPU")
    assert bad.process.wait(10) == 1
    assert content(directory) == before and (directory / "gpu.json").read_text() == record


@pytest.mark.parametrize(
    ("torch", "reason"),
    [("", "ImportError"), ("import sys\nsys.exit(0)", "exit code 0"), ("import os\nos.abort()", "exit code -6")],
)
def test_a_torch_that_cannot_compute_is_told(
    begin: Any, tmp_path: Path, directory: Path, torch: str, reason: str
) -> None:
    run = begin(wheels=str(pointing_wheels(tmp_path / "wheels", tmp_path / "used", torch=torch)))
    told = run.wait_for("trouble")
    assert told["trouble"] == "check" and reason in told["reason"]
    assert run.process.wait(10) == 1 and content(directory) == set()


def test_a_python_with_torch_is_used_as_it_is(begin: Any, directory: Path) -> None:
    run = begin(python=sys.executable)
    assert run.wait_for("chosen")["chosen"]["python"] == sys.executable
    run.end()
    assert content(directory) == {"gpu.json"}
    assert read_environment(directory).python == sys.executable


def test_a_python_that_is_none_or_has_no_torch(begin: Any, tmp_path: Path, directory: Path) -> None:
    told = begin(python=str(tmp_path / "python")).wait_for("trouble")
    assert told["trouble"] == "no_python" and "No such file" in told["reason"]
    lame = tmp_path / "lame"
    lame.write_text(f'#!/bin/sh\nexec "{sys.executable}" -S "$@"\n')
    lame.chmod(0o755)
    told = begin(python=str(lame)).wait_for("trouble")
    assert (told["trouble"], told["reason"]) == ("no_package", "numpy")
    assert content(directory) == set()


def test_a_device_that_is_not_there_is_told(begin: Any, directory: Path) -> None:
    torch = pytest.importorskip("torch")
    if torch.cuda.is_available():
        pytest.skip("a graphics card is here, and works")
    told = begin(python=sys.executable, device="cuda").wait_for("trouble")
    assert told["trouble"] == "check"
    assert told["reason"].startswith("PyTorch does not compute on CUDA here (Torch not compiled with CUDA enabled).")
    assert told["text"]["id"] == "no_device.torch" and told["text"]["args"]["device"] == "CUDA"
    assert content(directory) == set()


def test_a_folder_that_lacks_a_wheel_is_told_by_its_name(begin: Any, tmp_path: Path, directory: Path) -> None:
    make_wheel(tmp_path / "wheels", "torch", {"torch.py": ""}, needs=["nothing-of-that-name"])
    told = begin(wheels=str(tmp_path / "wheels")).wait_for("trouble")
    assert told["trouble"] == "no_packages" and "No matching distribution found for" in told["reason"]
    assert content(directory) == set()


def test_an_index_that_does_not_answer_is_told(begin: Any, directory: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PIP_RETRIES", "1")
    for name in ("PIP_FIND_LINKS", "PIP_EXTRA_INDEX_URL"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    told = begin(index="http://127.0.0.1:9/simple/").wait_for("trouble")
    assert told["trouble"] == "no_network" and content(directory) == set()


def test_too_little_room_is_told_before_anything_is_downloaded(begin: Any, directory: Path) -> None:
    told = begin(room=1e12).wait_for("trouble")
    assert told["trouble"] == "no_room" and told["reason"].endswith(" MB") and content(directory) == set()


def test_a_folder_that_cannot_be_made_is_told(begin: Any, directory: Path) -> None:
    directory.write_text("a file")
    assert begin(wheels="anywhere").wait_for("trouble")["trouble"] == "files"


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="who may do all is refused nothing")
def test_a_folder_that_may_not_be_written_to_is_told(begin: Any, directory: Path) -> None:
    directory.mkdir(mode=0o500)
    assert begin(wheels="anywhere").wait_for("trouble")["trouble"] == "not_writable"


def test_errors_of_the_disk_have_words_of_their_own() -> None:
    import errno

    kinds = [installation.trouble_of(OSError(number, "x")).kind for number in (errno.ENOSPC, errno.EROFS, errno.EIO)]
    assert kinds == ["no_room", "not_writable", "files"]


@pytest.mark.parametrize(
    ("said", "kind"),
    [
        ("ERROR: Could not install packages due to an OSError: [Errno 28] No space left on device", "no_room"),
        ("ERROR: Could not install packages due to an OSError: [Errno 13] Permission denied: 'x'", "not_writable"),
        ("ERROR: Cannot install torch because these package versions have conflicting dependencies.", "pip"),
        ("ERROR: No matching distribution found for torch==2.13.0", "no_packages"),
    ],
)
def test_what_pip_complains_of_is_understood(said: str, kind: str) -> None:
    reader = pip_output.PipReader()
    reader.take("Looking in links: here")
    reader.take(said)
    assert reader.trouble() == (kind, said.removeprefix("ERROR: "))


def test_bytes_are_handed_on_and_kept_out_of_the_log(capsys: pytest.CaptureFixture) -> None:
    reader = pip_output.PipReader()
    assert not reader.take("  Downloading torch-2.13.0-cp311-cp311-manylinux_2_28_x86_64.whl (899.8 MB)")
    assert reader.take("Progress 16384 of 899800000") and reader.take("Progress 899800000 of 899800000")
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [(line["package"], line["done"], line["total"]) for line in lines] == [
        ("torch", 0, 0),
        ("torch", 16384, 899800000),
        ("torch", 899800000, 899800000),
    ]


# --- cancelled, and killed ---


class _Stalling(http.server.BaseHTTPRequestHandler):
    """An index whose only file never ends."""

    def do_GET(self) -> None:
        self.send_response(200)
        if self.path.endswith(".whl"):
            self.send_header("Content-Length", str(10**9))
            self.end_headers()
            self.wfile.write(b"x" * 10**6)
            self.server.stop.wait(60)
        else:
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            self.wfile.write(b'<a href="/torch-2.13.0-py3-none-any.whl">torch-2.13.0-py3-none-any.whl</a>')

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def stalling_index(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    for name in ("PIP_FIND_LINKS", "PIP_EXTRA_INDEX_URL"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), _Stalling)
    server.stop = threading.Event()
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}/simple/"
    server.stop.set()
    server.shutdown()
    thread.join()
    server.server_close()


def _at(stage: str, begin: Any, tmp_path: Path, index: str) -> Running:
    """A set-up that has come to this stage and stays there."""
    if stage == "Downloading packages":
        run = begin(index=index, requirements=("torch==2.13.0",))
        run.wait_for("package", "torch")
    elif stage == "Installing packages":
        many = {f"torch/{number}.py": "" for number in range(60_000)}
        make_wheel(tmp_path / "many", "torch", many)
        run = begin(wheels=str(tmp_path / "many"), requirements=("torch==2.13.0",))
        run.wait_for("stage", stage)
    else:
        wheels = pointing_wheels(tmp_path / "sleeping", tmp_path / "used", torch=SLEEPING)
        run = begin(wheels=str(wheels))
        run.wait_for("stage", stage)
        time.sleep(1.0)  # until it sleeps
    run.note_family()
    assert len(run.family) == 2  # with the child that installs or computes
    return run


STAGES = ["Downloading packages", "Installing packages", "Computing a test"]


@pytest.mark.parametrize("stage", STAGES)
def test_cancelled_at_any_stage_nothing_is_left(
    stage: str, begin: Any, tmp_path: Path, directory: Path, stalling_index: str
) -> None:
    run = _at(stage, begin, tmp_path, stalling_index)
    assert content(directory)  # something was half made
    run.process.stdin.close()
    assert run.all_gone()
    assert content(directory) == set()


@pytest.mark.parametrize("stage", sweep(STAGES, 1))
def test_killed_at_any_stage_no_process_goes_on_and_the_next_set_up_clears_away(
    stage: str, begin: Any, tmp_path: Path, directory: Path, stalling_index: str
) -> None:
    run = _at(stage, begin, tmp_path, stalling_index)
    os.kill(run.process.pid, signal.SIGKILL)
    assert run.all_gone()
    assert read_environment(directory) is None
    left = content(directory)
    assert left and all(name.endswith((".part", ".tmp")) for name in left)
    again = begin(wheels=str(pointing_wheels(tmp_path / "good", tmp_path / "used")))
    chosen = again.wait_for("chosen")["chosen"]
    again.end()
    assert content(directory) == {"gpu.json", chosen["packages"]}


def test_removing_waits_until_nobody_uses_it(begin: Any, tmp_path: Path, directory: Path) -> None:
    run = begin(wheels=str(pointing_wheels(tmp_path / "wheels", tmp_path / "used")))
    packages = run.wait_for("chosen")["chosen"]["packages"]
    run.end()
    removing = begin(device="")
    removing.wait_for("chosen")
    assert content(directory) == {packages} and read_environment(directory) is None
    removing.release()
    assert removing.process.wait(10) == 0 and content(directory) == set()


def test_a_python_without_pip_takes_the_one_that_it_carries(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda _name: None)
    wheel = Path(pip_output.pip_variables()["PYTHONPATH"])
    done = subprocess.run(
        [sys.executable, "-S", "-m", "pip", "--version"],
        env={"PYTHONPATH": str(wheel)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert str(wheel) in done.stdout
    monkeypatch.setattr(pip_output.sysconfig, "get_path", lambda _name: "/nowhere")
    monkeypatch.setattr(pip_output.sysconfig, "get_config_var", lambda _name: None)
    with pytest.raises(Trouble, match="no_pip"):
        pip_output.pip_variables()
