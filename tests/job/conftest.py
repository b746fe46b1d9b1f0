"""Runners with real worker processes, and the certainty that every one of them is gone afterwards."""

import pytest

from neurok_blender.job.runner import JobRunner
from tests.job.helpers import Launcher


@pytest.fixture
def launcher(tmp_path):
    launch = Launcher(tmp_path / "logs" / "neurok.log")
    yield launch
    for process in launch.started:
        process.close()
    assert launch.all_ended(), "a worker process was left running"


@pytest.fixture
def runner(launcher):
    return JobRunner(launcher)
