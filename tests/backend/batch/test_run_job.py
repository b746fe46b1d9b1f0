"""One job in this process: whatever happens it has an outcome, and what somebody has made is not made again."""

from __future__ import annotations

from pathlib import Path

import pytest

from backend.batch.job import Job
from backend.batch.journal import Journal
from backend.batch.run_job import run_job
from backend.cli import solve
from tests.backend.command_line import write_mesh
from tests.backend.shapes import box


@pytest.fixture
def job(tmp_path: Path) -> Job:
    (tmp_path / "jobs.jsonl.journal").mkdir()
    mesh = write_mesh(tmp_path / "box.obj", box())
    return Job(1, mesh, {"frames": 2, "provider": "rigid"}, tmp_path, tmp_path / "box.npz")


def _journal(job: Job) -> Path:
    return job.folder / "jobs.jsonl.journal"


def test_a_job_is_made_once(job: Job) -> None:
    assert run_job(job, "x", _journal(job)).problem == ""
    before = job.output.stat().st_mtime_ns
    assert run_job(job, "x", _journal(job)).problem == ""
    assert job.output.stat().st_mtime_ns == before
    assert run_job(job, "y", _journal(job)).problem == ""
    assert job.output.stat().st_mtime_ns > before


def test_what_another_worker_finishes_meanwhile_is_left_alone(job: Job, monkeypatch: pytest.MonkeyPatch) -> None:
    """A scheduler may take a slow worker for a dead one."""
    solve_take = solve.solve_take

    def overtaken(*arguments: object) -> solve.SolvedTake:
        take = solve_take(*arguments)
        job.output.write_bytes(b"of another worker")
        Journal(_journal(job)).add(job.output, "x", 1.0, [])
        return take

    monkeypatch.setattr(solve, "solve_take", overtaken)
    assert run_job(job, "x", _journal(job)).problem == ""
    assert job.output.read_bytes() == b"of another worker"


@pytest.mark.parametrize("problem", [MemoryError(), RuntimeError("no such luck"), OSError(5, "gone")])
def test_what_breaks_is_told(job: Job, monkeypatch: pytest.MonkeyPatch, problem: Exception) -> None:
    def broken(*_arguments: object) -> None:
        raise problem

    monkeypatch.setattr(solve, "solve_take", broken)
    told = run_job(job, "x", _journal(job)).problem
    assert told.count(". ") == 1 and told.endswith(".")
    assert isinstance(problem, MemoryError) or (type(problem).__name__ in told and str(problem) in told)
    assert not job.output.exists()


def test_an_interruption_is_none_of_its_business(job: Job, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_arguments: object) -> None:
        raise SystemExit(1)

    monkeypatch.setattr(solve, "solve_take", interrupted)
    with pytest.raises(SystemExit):
        run_job(job, "x", _journal(job))
    assert list(_journal(job).iterdir()) == []
