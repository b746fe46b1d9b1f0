"""Which Python runs the backend."""

import sys
from dataclasses import replace
from pathlib import Path

import bpy
import pytest

from tests.blender.helpers import add_rigid_ball, wait_until
from tests.waiting import never_waits


def choose(candidates):
    from neurok_blender.setup.worker_python import PythonChooser, PythonState

    chooser = PythonChooser()
    with never_waits():
        chooser.begin(candidates)
        chooser.tick()
    assert wait_until(lambda: chooser.tick().state is not PythonState.CHECKING, 20.0)
    return chooser.status


def test_the_first_that_works_is_chosen(addon):
    from neurok_blender.setup.worker_python import Candidate, PythonState

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
    from neurok_blender.setup.worker_python import Candidate

    plain, whole = python_with(tmp_path / "plain", []), python_with(tmp_path / "whole", ["torch", "safetensors"])
    status = choose([Candidate("plain", plain), Candidate("whole", whole)])
    assert status.label == "whole" and status.message.endswith(", PyTorch on CPU")
    for others in ([], [Candidate("broken", Path("/no/python"))]):
        status = choose([Candidate("plain", plain), *others])
        assert status.label == "plain" and "SciPy" in status.message and "PyTorch" not in status.message


def test_packages_that_the_extension_brings_are_found_by_check_and_worker(addon, scene, tmp_path, monkeypatch):
    """In a folder that Blender alone looks into."""
    from neurok_blender.session.state import session
    from neurok_blender.setup import paths
    from neurok_blender.setup.worker_python import PythonState

    folder = tmp_path / ".local/lib" / f"python{sys.version_info.major}.{sys.version_info.minor}" / "site-packages"
    folder.mkdir(parents=True)
    (folder / "scipy_was_here.py").touch()
    monkeypatch.setattr(bpy.utils, "user_resource", lambda _kind: str(tmp_path))
    assert paths.wheels_directory() == folder
    (own,) = [each for each in session.candidates() if each.label == "Blender's Python"]
    assert own.packages == folder
    lame = tmp_path / "python"
    lame.write_text(f'#!/bin/sh\nexec "{sys.executable}" -S "$@"\n')
    lame.chmod(0o755)
    import numpy

    for name in ("numpy", "numpy.libs", "scipy", "scipy.libs", "numba", "llvmlite"):
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


def test_a_python_without_the_packages_says_which(addon, tmp_path):
    from neurok_blender.setup.worker_python import Candidate

    lame = tmp_path / "python"
    lame.write_text(f'#!/bin/sh\nexec "{sys.executable}" -S "$@"\n')
    lame.chmod(0o755)
    status = choose([Candidate("Blender's Python", lame)])
    assert "No module named 'numpy'" in status.message and "Set Up GPU Backend" in status.remedy


def test_what_is_missing_can_be_said_in_another_language(addon):
    from neurok_blender.setup.worker_python import Candidate
    from neurok_blender.translations import tables

    german = tables()["de"]
    status = choose([Candidate("Blender's Python", Path("/no/{python}"))])
    missing = "Blender's Python: No such file or directory"
    assert status.message == f"No Python with NumPy, SciPy and Numba was found ({missing})."
    assert status.translated(lambda text: german.get(("*", text), text)) == (
        "Es wurde kein Python mit NumPy, SciPy und Numba gefunden (Blenders Python: No such file or directory)."
    )


def test_other_pythons_are_noticed_at_the_next_simulation(addon, scene, monkeypatch):
    from neurok_blender.session.state import session
    from neurok_blender.setup.worker_python import Candidate, PythonState

    session.want_python()
    assert wait_until(lambda: session.chooser.tick().state is PythonState.READY, 20.0)
    session.want_python()
    assert session.chooser.status.state is PythonState.READY  # nothing has changed, so nothing is tried again
    monkeypatch.setattr(session, "candidates", lambda: [Candidate("another", Path(sys.executable))])
    session.want_python()
    assert wait_until(lambda: session.chooser.tick().label == "another", 20.0)


def test_check_says_what_it_found(scene):
    assert bpy.ops.neurok.backend_check() == {"FINISHED"}


def test_a_gpu_backend_that_does_not_run_gives_way_and_is_told(addon, tmp_path):
    from neurok_blender.setup.worker_python import Candidate, PythonState

    own = Candidate("Blender's Python", Path(sys.executable))
    gone = Candidate("Python of the GPU backend", Path("/no/python"), device="cuda")
    status = choose([gone, own])
    assert (status.state, status.label, status.device) == (PythonState.READY, "Blender's Python", "")
    assert status.declined == "No such file or directory"
    empty = Candidate("Python of the GPU backend", python_with(tmp_path / "plain", []), tmp_path / "gone", "cpu")
    status = choose([empty, own])
    assert status.label == "Blender's Python" and "torch" in str(status.declined)


def test_a_device_that_has_gone_is_told_in_its_own_words(addon):
    torch = pytest.importorskip("torch")
    if torch.cuda.is_available():
        pytest.skip("a graphics card is here, and works")
    from neurok_blender.setup.worker_python import Candidate

    python = Path(sys.executable)
    status = choose(
        [Candidate("Python of the GPU backend", python, device="cuda"), Candidate("Blender's Python", python)]
    )
    assert status.label == "Blender's Python"
    assert str(status.declined) == "PyTorch does not compute on CUDA here (Torch not compiled with CUDA enabled)."


def test_a_gpu_backend_that_runs_comes_first_and_says_on_what(addon):
    from neurok_blender.setup.worker_python import Candidate

    python = Path(sys.executable)
    status = choose(
        [Candidate("Python of the GPU backend", python, device="cpu"), Candidate("Blender's Python", python)]
    )
    assert (status.label, status.device, status.declined) == ("Python of the GPU backend", "cpu", "")
    assert status.message.endswith(", PyTorch on CPU")
