"""Setting up PyTorch from Blender: what is refused, what is said, what is used afterwards, and that nothing is left."""

import json
import os
import sys
from pathlib import Path
from types import SimpleNamespace

import bpy
import psutil
import pytest

from tests.blender.helpers import add_ball, add_rigid_ball, wait_until
from tests.waiting import never_waits
from tests.wheels import SLEEPING, make_wheel, pointing_wheels

DRAWN_ONLINE = "Online access is off: turn on Preferences > System > Network > Allow Online Access."


@pytest.fixture
def directory(scene, tmp_path, monkeypatch):
    """Where environments are kept, empty at first; the Python of before is chosen again at the end."""
    from neurok_blender.session.state import session
    from neurok_blender.setup import paths

    folder = tmp_path / "environments"
    folder.mkdir()
    monkeypatch.setattr(paths, "environments_directory", lambda: folder)
    monkeypatch.setattr(paths, "setup_log", lambda: tmp_path / "setup.log")
    yield folder
    if session.setup is not None:
        session.setup.close()
        session.setup = None
    session.notice = type(session.notice)()
    monkeypatch.undo()
    session.check_python()


def set_up(**choice):
    return bpy.ops.neurok.backend_setup(**{"device": "CPU", **choice})


def family(job):
    """The process of a set-up, and those that it has started."""
    process = psutil.Process(job._process.pid)
    return [process, *process.children(recursive=True)]


# --- what is refused ---


def test_without_online_access_the_sentence_says_so_and_where_to_turn_it_on(directory):
    from neurok_blender.session.state import session

    assert not bpy.app.online_access
    with pytest.raises(RuntimeError, match=r"Online access is off in Blender.*Allow Online Access.*folder of wheels"):
        set_up()
    assert session.setup is None and session.notice.bad and list(directory.iterdir()) == []


@pytest.mark.skipif(sys.platform == "darwin", reason="Macs may have it")
def test_what_cannot_work_here_is_refused_with_the_reason(directory):
    with pytest.raises(RuntimeError, match=r"MPS: only Macs .* Choose another device"):
        set_up(device="MPS", source="PYTHON", path=sys.executable)


@pytest.mark.parametrize(
    ("choice", "sentence"),
    [
        ({"source": "FOLDER"}, "No path is given"),
        ({"source": "FOLDER", "path": "/no/folder"}, r"The folder '/no/folder' has no wheels\. Choose one with"),
        ({"source": "PYTHON", "path": "/no/python"}, r"There is no program '/no/python'\. Choose the program"),
    ],
)
def test_what_is_not_there_is_refused(directory, choice, sentence):
    with pytest.raises(RuntimeError, match=sentence):
        set_up(**choice)


def test_a_device_is_offered_where_its_driver_is(addon, monkeypatch, tmp_path):
    from neurok_blender.setup import gpu_devices
    from neurok_blender.setup.gpu_devices import Device, best_device, hint, megabytes, obstacle

    driver = tmp_path / "driver"
    driver.touch()
    monkeypatch.setattr(gpu_devices, "AMD", str(tmp_path / "none"))
    for system, machine, cuda, mps in (
        ("linux", "x86_64", True, False),
        ("win32", "AMD64", True, False),
        ("darwin", "arm64", False, True),
        ("darwin", "x86_64", False, False),
    ):
        monkeypatch.setattr(gpu_devices, "sys", SimpleNamespace(platform=system))
        monkeypatch.setattr(gpu_devices.platform, "machine", lambda machine=machine: machine)
        monkeypatch.setenv("SYSTEMROOT", str(tmp_path))
        monkeypatch.setattr(gpu_devices, "NVIDIA", {"linux": str(driver), "win32": "driver"})
        assert (not obstacle(Device.CUDA), not obstacle(Device.MPS)) == (cuda, mps)
        assert best_device() is (Device.CUDA if cuda else Device.MPS if mps else Device.CPU)
        assert not obstacle(Device.CPU)
    monkeypatch.setattr(gpu_devices, "sys", SimpleNamespace(platform="win32"))
    assert "without CUDA" in hint(Device.CUDA, "") and hint(Device.CUDA, "an index") == ""
    assert megabytes(Device.CPU, "") < 500 < megabytes(Device.CUDA, "")
    driver.unlink()
    assert "no driver" in obstacle(Device.CUDA)


# --- the dialog ---


class Layout:
    """Notes what is drawn."""

    def __init__(self):
        self.texts, self.alert, self.scale_y = [], False, 1.0
        self.use_property_split = self.use_property_decorate = False

    def column(self, **_options):
        return self

    row = column

    def prop(self, _owner, name, **_options):
        self.texts.append(f"<{name}>")

    def label(self, text, **_options):
        self.texts.append(text)

    @property
    def text(self):
        return " ".join(self.texts)


def drawn(addon, **choice):
    from neurok_blender.operators.gpu_backend_operators import NEUROK_OT_backend_setup as Setup

    layout = Layout()
    dialog = SimpleNamespace(layout=layout, **{"source": "DOWNLOAD", "device": "CPU", "index": "", **choice})
    dialog._draw_download = lambda *given: Setup._draw_download(dialog, *given)
    Setup.draw(dialog, bpy.context)
    return layout.text


def test_the_dialog_asks_with_the_size_and_the_place(addon, directory):
    text = drawn(addon, device="CUDA", index="an index")
    assert "about 3000 MB" in text and "PyTorch 2.13.0" in text
    assert f"It goes to {directory}".replace(" ", "") in text.replace(" ", "")
    assert DRAWN_ONLINE.split()[0] in text and "<index>" in text and "<device>" in text
    assert "about 360 MB" in drawn(addon, index="an index")
    assert sys.platform == "darwin" or "MPS: only Macs" in text
    for source in ("FOLDER", "PYTHON"):
        text = drawn(addon, source=source)
        assert "MB" not in text and "Online access" not in text and "<index>" not in text


# --- what is used afterwards ---


def test_a_python_with_torch_is_checked_and_then_simulates(directory):
    from neurok_blender.session.diagnostics import worker_facts
    from neurok_blender.session.state import session

    assert set_up(source="PYTHON", path=sys.executable) == {"FINISHED"}
    assert session.notice.message.startswith("The GPU backend is ready: PyTorch 2.13.0") and not session.notice.bad
    status = session.chooser.status
    assert (status.label, status.device) == ("Python of the GPU backend", "cpu")
    assert status.message.endswith("PyTorch on CPU")
    ball = add_ball()
    ball.neurok.provider = "LEARNED"
    assert bpy.ops.neurok.simulate() == {"FINISHED"}
    facts = worker_facts()
    assert (facts["engine"], facts["device"]) == ("torch", "cpu")
    assert json.loads(ball.neurok.found)["device"] == "cpu"
    assert bpy.ops.neurok.backend_remove() == {"FINISHED"}
    assert session.notice.message == "The GPU backend was removed."
    assert session.chooser.status.label == "Blender's Python" and list(directory.iterdir()) == []
    assert not bpy.ops.neurok.backend_remove.poll()
    assert Path(sys.executable).exists()


def test_wheels_are_installed_used_and_when_they_break_the_panel_says_why(directory, tmp_path):
    from neurok_blender.session.state import session

    used = tmp_path / "used"
    assert set_up(source="FOLDER", path=str(pointing_wheels(tmp_path / "wheels", used))) == {"FINISHED"}
    status = session.chooser.status
    assert status.label == "Python of the GPU backend" and status.packages.parent == directory
    before = len(used.read_text().split())
    assert bpy.ops.neurok.backend_check() == {"FINISHED"}
    assert "torch" in used.read_text().split()[before:]
    (status.packages / "torch.py").write_text("raise ImportError('libcudart.so.13: no such file')")
    assert bpy.ops.neurok.backend_check() == {"FINISHED"}
    status = session.chooser.status
    assert status.label == "Blender's Python" and status.declined == "ImportError: libcudart.so.13: no such file"
    add_rigid_ball()
    assert bpy.ops.neurok.simulate() == {"FINISHED"}
    from neurok_blender.session.diagnostics import diagnostics_text

    assert "the GPU backend does not run: ImportError: libcudart.so.13" in diagnostics_text()


def test_a_set_up_that_fails_leaves_the_one_before_in_use(directory, tmp_path):
    from neurok_blender.session.state import session

    assert set_up(source="PYTHON", path=sys.executable) == {"FINISHED"}
    bad = pointing_wheels(tmp_path / "bad", tmp_path / "used", torch="raise ImportError('no GPU')")
    with pytest.raises(
        RuntimeError, match=r"The GPU backend failed its test: ImportError: no GPU\. What simulated before"
    ):
        set_up(source="FOLDER", path=str(bad))
    assert session.notice.bad and session.chooser.status.label == "Python of the GPU backend"
    assert [path.name for path in directory.iterdir()] == ["gpu.json"]


def test_a_wheel_that_is_missing_is_named_with_a_remedy(directory, tmp_path):
    make_wheel(tmp_path / "wheels", "torch", {"torch.py": ""})
    version = f"Python {sys.version_info.major}.{sys.version_info.minor}"
    with pytest.raises(RuntimeError, match=rf"does not have all packages \(No matching.*safetensors.*{version}"):
        set_up(source="FOLDER", path=str(tmp_path / "wheels"))
    assert list(directory.iterdir()) == []


# --- cancelled, and cut off ---


def begin_sleeping(tmp_path):
    """A set-up that computes a test without end."""
    from neurok_blender.session.state import session
    from neurok_blender.setup import paths
    from neurok_blender.setup.environment_job import EnvironmentJob
    from neurok_blender.setup.environment_program.plan import Plan
    from neurok_blender.setup.gpu_devices import REQUIREMENTS

    wheels = pointing_wheels(tmp_path / "wheels", tmp_path / "used", torch=SLEEPING)
    plan = Plan(
        str(paths.environments_directory()),
        str(paths.PACKAGE_DIRECTORY),
        "cpu",
        requirements=REQUIREMENTS,
        wheels=str(wheels),
    )
    session.setup = EnvironmentJob(Path(sys.executable), plan, paths.setup_log())
    assert wait_until(lambda: session.setup.tick().stage == "Computing a test", 120.0)
    assert wait_until(lambda: len(family(session.setup)) == 2, 60.0)  # the stage is told before its process starts
    return session.setup


def test_cancelling_is_done_at_once_and_says_that_nothing_was_changed(directory, tmp_path):
    from neurok_blender.operators import backend_operators
    from neurok_blender.panels.gpu_backend_status import setup_text
    from neurok_blender.session.state import session

    job = begin_sleeping(tmp_path)
    assert not bpy.ops.neurok.backend_setup.poll() and bpy.ops.neurok.backend_cancel.poll()
    processes = family(job)
    with never_waits():
        assert bpy.ops.neurok.backend_cancel() == {"FINISHED"}
    assert setup_text(job.tick()) in ("Cancelling", "Computing a test") or job.progress.finished
    backend_operators.watch_to_the_end()
    assert session.setup is None and session.notice.message == "Cancelled; nothing was changed."
    assert not session.notice.bad
    assert not psutil.wait_procs(processes, 20.0)[1] and list(directory.iterdir()) == []


def test_unregistering_during_a_set_up_leaves_no_process_no_lock_and_nothing_half_made(addon, directory, tmp_path):
    job = begin_sleeping(tmp_path)
    processes = family(job)
    addon.unregister()
    try:
        assert not psutil.wait_procs(processes, 20.0)[1]
        assert list(directory.iterdir()) == []
        assert not [path for path in Path(tmp_path).rglob("*") if "lock" in path.name]
    finally:
        addon.register()


def test_an_unfinished_job_never_makes_blender_wait(directory, tmp_path):
    from neurok_blender.session.state import session

    job = begin_sleeping(tmp_path)
    with never_waits():
        for _ in range(20):
            assert not job.tick().finished
    job.close()
    session.setup = None
    with pytest.raises(ProcessLookupError):
        os.kill(job._process.pid, 0)


# --- what is shown ---


@pytest.mark.parametrize(
    ("progress", "text"),
    [
        ({"stage": "Downloading packages"}, "Downloading packages"),
        ({"stage": "Downloading packages", "package": "scipy"}, "Downloading packages: scipy"),
        (
            {"stage": "Downloading packages", "package": "torch", "done": 1.5e8, "total": 9e8},
            "torch: 150 of 900 MB",
        ),
        ({"stage": "Installing packages", "package": "24"}, "Installing packages (24)"),
        ({"stage": "Computing a test"}, "Computing a test"),
    ],
)
def test_the_progress_tells_packages_and_megabytes(addon, progress, text):
    from neurok_blender.panels.gpu_backend_status import setup_text
    from neurok_blender.setup.environment_job import SetupProgress

    assert setup_text(SetupProgress(**progress)) == text


def test_every_kind_of_trouble_has_a_sentence_and_a_remedy(addon, tmp_path):
    import ast

    from neurok_blender.setup import environment_program
    from neurok_blender.setup.environment_job import EnvironmentJob
    from neurok_blender.setup.environment_program.plan import Plan

    trees = [ast.parse(path.read_text()) for path in Path(environment_program.__file__).parent.glob("*.py")]
    kinds = {
        node.args[0].value
        for tree in trees
        for node in ast.walk(tree)
        if isinstance(node, ast.Call)
        and getattr(node.func, "id", "") == "Trouble"
        and isinstance(node.args[0], ast.Constant)
    } | {"no_network", "no_packages", "pip"}
    assert len(kinds) == 10
    job = SimpleNamespace(plan=Plan(str(tmp_path)), log=tmp_path / "log", _translate=str)
    job._look_at_log = lambda: EnvironmentJob._look_at_log(job)
    told = [EnvironmentJob._failure(job, kind, "why", None) for kind in sorted(kinds)]
    assert len({message for message, _remedy in told}) == len(kinds)
    assert all(remedy.endswith(".") for _message, remedy in told)


def test_what_the_backend_says_of_a_device_is_told_in_german(german, tmp_path):
    from neurok_blender.backend.texts import Text
    from neurok_blender.session.backend_text import backend_report
    from neurok_blender.setup.environment_job import EnvironmentJob

    refused = Text("no_device.torch", device="CUDA", reason="no driver")
    message, _remedy = EnvironmentJob._failure(
        SimpleNamespace(_translate=backend_report), "check", str(refused), refused
    )
    assert "PyTorch rechnet hier nicht auf CUDA (no driver)." in message
