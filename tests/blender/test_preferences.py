"""The add-on's page in the preferences, and what its buttons do."""

import getpass
import os
from pathlib import Path

import bpy
import pytest

from tests.blender.helpers import add_rigid_ball, is_alive, stored, wait_until


def simulate_a_ball():
    ball = add_rigid_ball()
    assert bpy.ops.neurok.simulate() == {"FINISHED"}
    return ball


def test_releasing_memory_forgets_takes_and_ends_the_worker(scene):
    from neurok_blender.session.memory import megabytes_of_takes
    from neurok_blender.session.state import session

    ball = add_rigid_ball()
    before = stored(ball.data)
    assert bpy.ops.neurok.simulate() == {"FINISHED"}
    scene.frame_set(10)
    take, worker = session.take_of(ball), session._runner._process.pid
    handles = sum(shape.nbytes for shape in take.motion.shapes)
    assert 1e6 * megabytes_of_takes() >= handles + take.motion.weights.nbytes + before.nbytes
    assert bpy.ops.neurok.release_memory() == {"FINISHED"}
    assert megabytes_of_takes() == 0.0 and session.take_of(ball) is None
    assert stored(ball.data).tobytes() == before.tobytes()
    assert wait_until(lambda: not is_alive(worker), 2.0)
    assert bpy.ops.neurok.simulate() == {"FINISHED"}  # and all goes on from there


def test_memory_is_not_taken_from_a_running_simulation(scene, monkeypatch):
    from neurok_blender.session.state import session

    monkeypatch.setattr(session, "simulation", object())
    assert not bpy.ops.neurok.release_memory.poll()


def test_the_device_and_the_engine_are_what_the_worker_says(scene):
    from neurok_blender.session.diagnostics import worker_facts
    from neurok_blender.session.state import session
    from neurok_blender.setup.worker_python import ENGINES

    bpy.ops.neurok.release_memory()
    assert worker_facts() is None
    simulate_a_ball()
    assert worker_facts() == session._runner.state.backend
    assert worker_facts()["device"] == "cpu"
    assert worker_facts()["engine"] in ENGINES


def test_the_end_of_the_log_opens_as_a_text_of_our_own(scene):
    from neurok_blender.session.diagnostics import present_log

    simulate_a_ball()
    mine = bpy.data.texts.new("NeuROK Log")
    mine.write("an artist's own")
    present_log().write_text("first\nlast\n")
    for _again in range(2):
        assert bpy.ops.neurok.log_open() == {"FINISHED"}
        assert len(bpy.data.texts) == 2
    text = next(text for text in bpy.data.texts if text != mine)
    assert [line.body for line in text.lines] == ["first", "last", ""]
    assert mine.as_string().startswith("an artist's own")


def test_an_empty_log_is_no_text(scene):
    from neurok_blender.session.diagnostics import present_log

    simulate_a_ball()
    present_log().write_text("")
    assert bpy.ops.neurok.log_open() == {"FINISHED"}
    assert len(bpy.data.texts) == 0


def test_a_long_log_is_cut_at_a_line(tmp_path):
    from neurok_blender.session.diagnostics import LOG_BYTES, log_tail

    log = tmp_path / "backend.log"
    log.write_text("".join(f"line {number:06d}\n" for number in range(40_000)))
    tail = log_tail(log)
    assert len(tail) <= LOG_BYTES and tail.startswith("line ") and tail.endswith("line 039999\n")


def test_without_a_log_there_is_nothing_to_open(scene, monkeypatch, tmp_path):
    from neurok_blender.session.state import session
    from neurok_blender.setup import paths

    monkeypatch.setattr(session, "log_path", None)
    monkeypatch.setattr(paths, "backend_log", lambda: tmp_path / "backend.log")
    assert not bpy.ops.neurok.log_open.poll() and not bpy.ops.neurok.log_reveal.poll()


def test_diagnostics_tell_what_a_helper_asks_for(scene):
    from neurok_blender.session.diagnostics import LOG_LINES, diagnostics_text, present_log
    from neurok_blender.session.state import Notice, session

    simulate_a_ball()
    session.notice = Notice("It went wrong.", "Do something else.", bad=True)
    present_log().write_text("".join(f"line {number}\n" for number in range(LOG_LINES + 5)))
    text = diagnostics_text()
    assert bpy.app.version_string in text
    assert "\nWorker: version 0.1.0, device cpu, engine " in text
    assert "NumPy" in text and "SciPy" in text
    assert "Last message: It went wrong. Do something else." in text
    assert "  line 5\n" in text and "line 4\n" not in text and text.endswith(f"line {LOG_LINES + 4}\n")
    assert "Takes: 1, " in text
    assert str(Path.home()) not in text


def test_diagnostics_work_before_anything_was_done(scene, monkeypatch, tmp_path):
    from neurok_blender.session.diagnostics import diagnostics_text
    from neurok_blender.session.state import session
    from neurok_blender.setup import paths
    from neurok_blender.setup.worker_python import PythonChooser

    bpy.ops.neurok.release_memory()
    monkeypatch.setattr(session, "log_path", None)
    monkeypatch.setattr(session, "chooser", PythonChooser())
    monkeypatch.setattr(paths, "backend_log", lambda: tmp_path / "backend.log")
    text = diagnostics_text()
    assert "Worker: not running" in text and "Log: none" in text and "Last message: none" in text


def test_copy_puts_them_into_the_clipboard(scene, monkeypatch):
    from neurok_blender.operators import diagnostics_operators
    from neurok_blender.session.diagnostics import diagnostics_text

    copied = {}
    monkeypatch.setattr(
        diagnostics_operators, "diagnostics_text", lambda: copied.setdefault("text", diagnostics_text())
    )
    assert bpy.ops.neurok.diagnostics_copy() == {"FINISHED"}
    # Blender without a window has no clipboard to read from.
    assert copied["text"].startswith("NeuROK ")


@pytest.mark.parametrize(
    ("home", "user", "text", "shown"),
    [
        ("/home/anna", "anna", "log: /home/anna/a.log", "log: ~/a.log"),
        ("/home/anna", "anna", "/home/annabel/a.log", "/home/annabel/a.log"),
        ("/home/anna", "anna", "/media/anna/stick: anna's", "/media/user/stick: anna's"),
        ("C:\\Users\\Anna", "Anna", 'File "C:\\Users\\Anna\\x.py"', 'File "~\\x.py"'),
        ("C:\\Users\\Anna", "Anna", '"C:\\\\Users\\\\Anna\\\\x.py"', '"~\\\\x.py"'),
        ("C:\\Users\\Anna", "Anna", "C:/Users/Anna/x.py", "~/x.py"),
    ],
)
def test_no_user_is_named(monkeypatch, home, user, text, shown):
    from neurok_blender.session.diagnostics import without_user_names

    monkeypatch.setattr(Path, "home", lambda: home)
    monkeypatch.setattr(os.path, "realpath", lambda path: path)
    monkeypatch.setattr(getpass, "getuser", lambda: user)
    assert without_user_names(text) == shown
