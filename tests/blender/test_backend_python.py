"""Which Python runs the backend, and setting one up."""

import os
import sys
import time
import zipfile
from dataclasses import replace
from pathlib import Path

import bpy
import pytest

from tests.blender.helpers import add_rigid_ball, wait_until


def choose(candidates):
    from neurok_blender.worker_python import PythonChooser, PythonState

    chooser = PythonChooser()
    started = time.perf_counter()
    chooser.begin(candidates)
    chooser.tick()
    assert time.perf_counter() - started < 0.05  # never waits
    assert wait_until(lambda: chooser.tick().state is not PythonState.CHECKING, 20.0)
    return chooser.status


def test_the_first_that_works_is_chosen(addon):
    from neurok_blender.worker_python import Candidate, PythonState

    status = choose([Candidate("broken", Path("/no/python")), Candidate("mine", Path(sys.executable))])
    assert (status.state, status.label, status.python) == (PythonState.READY, "mine", Path(sys.executable))
    assert "NumPy" in status.message and "SciPy" in status.message


def python_with(folder, packages):
    """A Python that finds NumPy, SciPy and these alone, as far as learning goes."""
    hidden = {"onnxruntime", "torch", "safetensors"} - set(packages)
    folder.mkdir()
    (folder / "sitecustomize.py").write_text(f"import sys\nsys.modules.update(dict.fromkeys({hidden!r}))\n")
    script = folder / "python"
    script.write_text(f'#!/bin/sh\nPYTHONPATH="$PYTHONPATH:{folder}" exec "{sys.executable}" "$@"\n')
    script.chmod(0o755)
    return script


def test_a_python_that_can_do_all_is_chosen_before_one_that_cannot_learn(addon, tmp_path):
    from neurok_blender.worker_python import Candidate

    plain, whole = python_with(tmp_path / "plain", []), python_with(tmp_path / "whole", ["torch", "safetensors"])
    status = choose([Candidate("plain", plain), Candidate("whole", whole)])
    assert status.label == "whole" and status.message.endswith(", PyTorch")
    for others in ([], [Candidate("broken", Path("/no/python"))]):
        status = choose([Candidate("plain", plain), *others])
        assert status.label == "plain" and "SciPy" in status.message and "PyTorch" not in status.message


def test_packages_that_the_extension_brings_are_found_by_check_and_worker(addon, scene, tmp_path, monkeypatch):
    """In a folder that Blender alone looks into."""
    from neurok_blender import paths
    from neurok_blender.session import session
    from neurok_blender.worker_python import PythonState

    folder = tmp_path / ".local/lib" / f"python{sys.version_info.major}.{sys.version_info.minor}" / "site-packages"
    folder.mkdir(parents=True)
    (folder / "scipy_was_here.py").touch()
    monkeypatch.setattr(bpy.utils, "user_resource", lambda _kind: str(tmp_path))
    assert paths.wheels_directory() == folder
    (own,) = [each for each in session.candidates() if each.label == "Blender's own"]
    assert own.packages == folder
    lame = tmp_path / "python"
    lame.write_text(f'#!/bin/sh\nexec "{sys.executable}" -S "$@"\n')
    lame.chmod(0o755)
    import numpy

    for name in ("numpy", "numpy.libs", "scipy", "scipy.libs"):
        source = Path(numpy.__file__).parents[1] / name
        if source.exists():
            (folder / name).symlink_to(source)
    monkeypatch.setattr(session, "candidates", lambda: [replace(own, python=lame)])
    session.want_python()
    assert wait_until(lambda: session.chooser.tick().state is not PythonState.CHECKING, 20.0)
    assert session.chooser.status.state is PythonState.READY, session.chooser.status.message
    assert bpy.ops.neurok.backend_check() == {"FINISHED"}
    add_rigid_ball()
    assert bpy.ops.neurok.simulate() == {"FINISHED"}  # by a worker that finds them too


def test_what_the_artist_chose_is_not_replaced_in_silence(addon):
    from neurok_blender.worker_python import Candidate, PythonState

    status = choose([Candidate("chosen in the preferences", Path("/no/python"), sole=True)])
    assert status.state is PythonState.MISSING
    assert status.message == "The Python chosen in the preferences cannot run the backend (No such file or directory)."
    assert status.remedy


def test_a_python_without_the_packages_says_which(addon, tmp_path):
    from neurok_blender.worker_python import Candidate

    lame = tmp_path / "python"
    lame.write_text(f'#!/bin/sh\nexec "{sys.executable}" -S "$@"\n')
    lame.chmod(0o755)
    status = choose([Candidate("Blender's own", lame)])
    assert "No module named 'numpy'" in status.message and "Set Up Backend" in status.remedy


def test_what_is_missing_can_be_said_in_another_language(addon):
    from neurok_blender.translations import tables
    from neurok_blender.worker_python import Candidate

    german = tables()["de"]
    status = choose([Candidate("Blender's own", Path("/no/{python}"))])
    assert status.message == "No Python with NumPy and SciPy was found (Blender's own: No such file or directory)."
    assert status.told(lambda text: german.get(("*", text), text)) == (
        "Es wurde kein Python mit NumPy und SciPy gefunden (das von Blender selbst: No such file or directory)."
    )


def test_other_pythons_are_noticed_at_the_next_simulation(addon, scene, monkeypatch):
    from neurok_blender.session import session
    from neurok_blender.worker_python import Candidate, PythonState

    session.want_python()
    assert wait_until(lambda: session.chooser.tick().state is PythonState.READY, 20.0)
    session.want_python()
    assert session.chooser.status.state is PythonState.READY  # nothing has changed, so nothing is tried again
    monkeypatch.setattr(session, "candidates", lambda: [Candidate("another", Path(sys.executable))])
    session.want_python()
    assert wait_until(lambda: session.chooser.tick().label == "another", 20.0)


def test_check_says_what_it_found(scene):
    assert bpy.ops.neurok.backend_check() == {"FINISHED"}


def test_without_online_access_setup_says_what_to_do(scene):
    from neurok_blender.session import session

    assert not bpy.app.online_access
    with pytest.raises(RuntimeError, match=r"Online access is off in Blender.*Allow Online Access"):
        bpy.ops.neurok.backend_setup()
    assert session.setup is None and session.notice.bad


@pytest.fixture
def install(tmp_path, monkeypatch):
    """Runs a setup to its end that installs a wheel with these modules from the disk: (progress, directory, log)."""
    from neurok_blender import environment_job

    def run(modules: list[str]):
        wheel = tmp_path / "tiny-1.0-py3-none-any.whl"
        with zipfile.ZipFile(wheel, "w") as archive:
            for module in modules:
                archive.writestr(module, "")
            archive.writestr("tiny-1.0.dist-info/METADATA", "Metadata-Version: 2.1\nName: tiny\nVersion: 1.0\n")
            archive.writestr("tiny-1.0.dist-info/WHEEL", "Wheel-Version: 1.0\nTag: py3-none-any\n")
            archive.writestr("tiny-1.0.dist-info/RECORD", "")
        monkeypatch.setattr(environment_job, "REQUIREMENTS", ("--no-index", str(wheel)))
        directory, log = tmp_path / "environment", tmp_path / "setup.log"
        directory.mkdir()
        (directory / "left over").write_text("from an installation that was cut")
        job = environment_job.EnvironmentJob(Path(sys.executable), directory, log)
        assert wait_until(lambda: job.tick().finished, 60.0)
        return job.progress, directory, log

    return run


def test_a_finished_environment_is_marked(addon, install):
    from neurok_blender.environment_setup import is_complete

    progress, directory, log = install(["numpy.py", "scipy/__init__.py", "scipy/sparse.py"])
    assert progress.message == "", log.read_text()
    assert is_complete(directory) and not (directory / "left over").exists()


def test_a_half_done_environment_is_told_and_never_used(addon, install):
    from neurok_blender.environment_setup import environment_python, is_complete

    progress, directory, log = install(["tiny.py"])
    assert progress.message == "Setting up the backend failed while checking."
    assert str(log) in progress.remedy and "No module named 'numpy'" in log.read_text()
    assert environment_python(directory).exists() and not is_complete(directory)


def test_a_stopped_setup_leaves_no_process(addon, tmp_path):
    from neurok_blender.environment_job import EnvironmentJob
    from neurok_blender.environment_setup import is_complete

    directory = tmp_path / "environment"
    job = EnvironmentJob(Path(sys.executable), directory, tmp_path / "setup.log")
    assert wait_until(lambda: job.tick().stage == "Making the environment", 10.0)
    job.close()
    with pytest.raises(ProcessLookupError):
        os.kill(job._process.pid, 0)
    assert not is_complete(directory)
