"""`python -m backend batch` as people run it: everything is made once, and whatever stops it, nothing is half done."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import psutil
import pytest

from backend.extending import VARIABLE
from tests.backend.command_line import ROOT, backend, write_conditions, write_mesh
from tests.backend.shapes import block, box

from .jobs import finished, lines_of, quick_jobs, started, until, workers_of, write_jobs


def _outputs(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir() if path.name.startswith(("take", ".take")))


def test_every_take_is_what_simulate_makes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An extension that cannot be used is noted once, not by every worker."""
    jobs = quick_jobs(tmp_path, 3)
    monkeypatch.setenv(VARIABLE, str(tmp_path / "missing.py"))
    code, said, errors = finished(jobs, "--workers", "2")
    assert code == 0 and errors.startswith("Note: ") and "missing.py" in errors and "\n" not in errors
    assert said.strip() == f"{jobs}: 3 takes, 3 made, 0 there already."
    for number, line in enumerate(jobs.read_text().splitlines()):
        conditions = write_conditions(tmp_path / "c.json", **json.loads(line)["conditions"])
        done = backend("simulate", tmp_path / "thing.obj", "--conditions", conditions, "-o", tmp_path / "alone.npz")
        assert done.returncode == 0, done.stderr
        with np.load(tmp_path / "alone.npz") as alone, np.load(tmp_path / f"take {number}.npz") as together:
            assert set(alone.files) == set(together.files)
            for name in set(alone.files) - {"report"}:
                assert np.array_equal(alone[name], together[name]), name


def test_only_what_is_missing_or_changed_is_made_again(tmp_path: Path) -> None:
    """Changed: the conditions in the line, the file of a collider, the mesh; missing: a deleted output."""
    write_mesh(tmp_path / "crate.obj", block((0.4, 0.4, 0.4), (1, 1, 1)))
    write_mesh(tmp_path / "other.obj", box())
    (tmp_path / "sub").mkdir()
    write_mesh(tmp_path / "sub" / "floor.obj", box((3.0, 3.0, 0.1), (0.0, 0.0, -1.0)))
    write_conditions(tmp_path / "sub" / "fall.json", frames=4, provider="rigid", colliders=["floor.obj"], anchor="none")
    inline = {"frames": 3, "provider": "rigid", "anchor": "none"}
    scene = {"frames": 3, "objects": [{"mesh": "other.obj", "conditions": {"provider": "rigid"}}]}
    (tmp_path / "scene.json").write_text(json.dumps(scene))
    lines = [
        {"mesh": "crate.obj", "conditions": "sub/fall.json", "output": "take 0.pc2"},
        {"mesh": "crate.obj", "conditions": inline, "output": "take 1.pc2"},
        {"scene": "scene.json", "output": "take 2.glb"},
        {"mesh": "crate.obj", "conditions": inline, "output": "take 3.usdc"},
    ]
    jobs = write_jobs(tmp_path, *lines)

    def made() -> set[str]:
        before = {name: (tmp_path / name).stat().st_mtime_ns for name in _outputs(tmp_path)}
        code, said, errors = finished(jobs, "--workers", "1")
        assert code == 0, errors
        after = {name: (tmp_path / name).stat().st_mtime_ns for name in _outputs(tmp_path)}
        assert f" {len([n for n in after if before.get(n) != after[n]])} made," in said
        return {name[5] for name in after if before.get(name) != after[name]}

    assert made() == {"0", "1", "2", "3"}
    assert made() == set()
    write_mesh(tmp_path / "sub" / "floor.obj", box((3.0, 3.0, 0.1), (0.0, 0.0, -1.2)))
    assert made() == {"0"}
    write_mesh(tmp_path / "other.obj", box((0.5, 0.5, 0.5)))
    assert made() == {"2"}
    write_jobs(tmp_path, *lines[:3], {**lines[3], "conditions": {**inline, "frames": 5}})
    assert made() == {"3"}
    write_jobs(tmp_path, *lines)
    assert made() == {"3"}
    (tmp_path / "take 1.pc2").unlink()
    (tmp_path / "take 2.glb").write_bytes(b"cut off by somebody")
    assert made() == {"1", "2"}
    assert _outputs(tmp_path) == ["take 0.pc2", "take 1.pc2", "take 2.glb", "take 3.usdc"]


def test_a_failing_job_is_reported_and_stops_no_other(tmp_path: Path) -> None:
    write_mesh(tmp_path / "crate.obj", box())
    fine = {"frames": 2, "provider": "rigid", "anchor": "none"}
    jobs = write_jobs(
        tmp_path,
        {"mesh": "crate.obj", "conditions": {**fine, "frame": 3}, "output": "take 0.npz"},
        {"mesh": "none.obj", "output": "take 1.npz"},
        {"mesh": "crate.obj", "conditions": "none.json", "output": "take 2.npz"},
        {"mesh": "crate.obj", "conditions": fine, "output": "take 3.fbx"},
        {"mesh": "crate.obj", "conditions": fine, "output": "take 4.npz"},
    )
    for made, there in ((1, 0), (0, 1)):
        code, said, errors = finished(jobs, "--workers", "2")
        assert (code, said) == (2, "")
        assert _outputs(tmp_path) == ["take 4.npz"]
        assert "Traceback" not in errors
        head, *listed = errors[errors.index(f"{jobs}: ") :].splitlines()
        assert head.startswith(f"{jobs}: 4 of 5 takes failed, {made} made, {there} there already. Correct them")
        assert [line[: line.index(":")] for line in listed] == [
            "Line 1, take 0.npz",
            "Line 2, take 1.npz",
            "Line 3, take 2.npz",
            "Line 4, take 3.fbx",
        ]
        assert "'frame'" in listed[0] and "none.obj" in listed[1] and "none.json" in listed[2] and ".usdc" in listed[3]


@pytest.mark.parametrize("stop", [signal.SIGINT, signal.SIGTERM])
def test_stopped_in_the_middle(tmp_path: Path, stop: signal.Signals) -> None:
    """Ctrl-C goes to all processes of a terminal.

    No process and no part of a file is left; the next run makes the rest.
    """
    jobs = quick_jobs(tmp_path, 8, frames=60, slow=True)
    process = started(jobs, "--workers", "2")
    until(lambda: len(lines_of(jobs)) >= 1)
    workers = workers_of(process)
    assert len(workers) == 2
    if stop == signal.SIGINT:
        os.killpg(process.pid, stop)
    else:
        process.send_signal(stop)
    _said, errors = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "Stopped; what is finished is kept" in errors and "Traceback" not in errors
    assert not any(worker.is_running() and worker.status() != psutil.STATUS_ZOMBIE for worker in workers)
    done = {line["output"] for line in lines_of(jobs)}
    assert 1 <= len(done) < 8
    # A worker that had just finished a take may be stopped before the journal has its line; the next run makes it
    # again.
    there = set(_outputs(tmp_path))
    assert done <= there and len(there - done) <= len(workers)
    assert not any(name.startswith(".") for name in there)
    code, said, errors = finished(jobs, "--workers", "2")
    assert code == 0, errors
    assert f"{8 - len(done)} made, {len(done)} there already" in said
    completed = [line["output"] for line in lines_of(jobs)]
    assert sorted(completed) == [f"take {number}.npz" for number in range(8)] == _outputs(tmp_path)


def test_a_worker_that_is_killed_loses_nothing(tmp_path: Path) -> None:
    jobs = quick_jobs(tmp_path, 5, frames=60, slow=True)
    process = started(jobs, "--workers", "2")
    until(lambda: len(lines_of(jobs)) >= 1)
    workers_of(process)[0].kill()
    said, errors = process.communicate(timeout=240)
    assert process.returncode == 0, errors
    assert "5 made, 0 there already" in said
    completed = sorted(line["output"] for line in lines_of(jobs))
    assert completed == [f"take {number}.npz" for number in range(5)] == _outputs(tmp_path)


def test_a_job_that_takes_its_process_down_is_given_up_after_a_second_try(tmp_path: Path) -> None:
    jobs = quick_jobs(tmp_path, 2, frames=60, slow=True)
    process = started(jobs, "--workers", "1")
    seen: set[int] = set()
    for _ in range(2):
        (worker,) = until(lambda: [each for each in workers_of(process) if each.pid not in seen])
        seen.add(worker.pid)
        worker.kill()
    said, errors = process.communicate(timeout=240)
    assert (process.returncode, said) == (2, "")
    assert "1 of 2 takes failed, 1 made" in errors and "Traceback" not in errors
    assert "Line 1, take 0.npz: Its process ended 2 times (signal 9), perhaps for lack of memory. Use fewer" in errors
    assert _outputs(tmp_path) == ["take 1.npz"]


def test_a_batch_that_is_killed_leaves_no_workers(tmp_path: Path) -> None:
    jobs = quick_jobs(tmp_path, 6, frames=60, slow=True)
    process = started(jobs, "--workers", "2")
    until(lambda: len(lines_of(jobs)) >= 1)
    workers = workers_of(process)
    process.kill()
    process.communicate(timeout=60)
    psutil.wait_procs(workers, timeout=30)
    assert not any(worker.is_running() and worker.status() != psutil.STATUS_ZOMBIE for worker in workers)
    assert not [name for name in _outputs(tmp_path) if name.startswith(".")]
    assert finished(jobs)[0] == 0
    assert sorted(line["output"] for line in lines_of(jobs)) == _outputs(tmp_path)


def test_two_batches_of_the_same_jobs_do_not_run_together(tmp_path: Path) -> None:
    jobs = quick_jobs(tmp_path, 3, frames=60, slow=True)
    process = started(jobs, "--workers", "1")
    until(lambda: len(lines_of(jobs)) >= 1)
    code, said, errors = finished(jobs)
    assert (code, said) == (2, "")
    assert errors == "Another batch works on this file of jobs. Wait for it, or stop it first."
    process.send_signal(signal.SIGTERM)
    process.communicate(timeout=60)


def test_workers_have_one_thread_of_blas(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "OMP_NUM_THREADS"):
        monkeypatch.delenv(name, raising=False)
    process = started(quick_jobs(tmp_path, 4, frames=60, slow=True), "--workers", "2")
    workers = until(lambda: workers_of(process))
    told = [worker.environ().get("OPENBLAS_NUM_THREADS") for worker in workers]
    process.send_signal(signal.SIGTERM)
    process.communicate(timeout=60)
    assert told and set(told) == {"1"}


BAD = {
    "nothing in it": ("\n \n", "has no jobs"),
    "not JSON": ('{"mesh": "a.obj", "output": "a.npz"}\n{mesh}', "Line 2 of the jobs is not JSON"),
    "a list": ("[1, 2]", "Line 1 of the jobs is not a JSON object"),
    "unknown key": ('{"mesh": "a.obj", "ouput": "a.npz"}', "'ouput'"),
    "no output": ('{"mesh": "a.obj"}', "'output'"),
    "a mesh and a scene": ('{"mesh": "a.obj", "scene": "s.json", "output": "a.npz"}', "one of 'mesh' and 'scene'"),
    "neither": ('{"output": "a.npz"}', "one of 'mesh' and 'scene'"),
    "a scene as mesh": ('{"mesh": "s.json", "output": "a.npz"}', "s.json as its mesh"),
    "conditions of a scene": ('{"scene": "s.json", "conditions": {}, "output": "a.npz"}', "beside a scene"),
    "conditions as a list": ('{"mesh": "a.obj", "conditions": [], "output": "a.npz"}', "neither a file nor an object"),
    "one output twice": (2 * '{"mesh": "a.obj", "output": "a.npz"}\n', "Lines 1 and 2 write the same file"),
}


@pytest.mark.parametrize("name", BAD)
def test_jobs_that_cannot_be_read_are_refused_before_any_work(tmp_path: Path, name: str) -> None:
    text, named = BAD[name]
    (tmp_path / "jobs.jsonl").write_text(text)
    code, said, errors = finished(tmp_path / "jobs.jsonl")
    assert (code, said) == (2, "")
    assert named in errors and "\n" not in errors and errors.endswith(".")
    assert [path.name for path in tmp_path.iterdir()] == ["jobs.jsonl"]


@pytest.mark.parametrize("options", [("--workers", "0"), ("--workers", "2", "--scheduler", "tcp://127.0.0.1:9")])
def test_options_that_make_no_sense(tmp_path: Path, options: tuple[str, ...]) -> None:
    code, _said, errors = finished(quick_jobs(tmp_path, 1), *options)
    assert code == 2 and "\n" not in errors and "--workers" in errors


@pytest.mark.parametrize("package", ["filelock", "distributed"])
def test_a_python_that_lacks_a_package(tmp_path: Path, package: str) -> None:
    jobs = quick_jobs(tmp_path, 1)
    script = f"""
import sys
sys.modules["{package}"] = None
from backend.__main__ import main
sys.exit(main(["batch", {str(jobs)!r}, "--scheduler", "tcp://127.0.0.1:9"]))
"""
    done = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, timeout=60)
    assert done.returncode == 2 and "Traceback" not in done.stderr
    assert package in done.stderr and "'python build.py setup'" in done.stderr


def test_a_missing_file_of_jobs(tmp_path: Path) -> None:
    code, _said, errors = finished(tmp_path / "none.jsonl")
    assert code == 2 and "none.jsonl" in errors and "\n" not in errors
