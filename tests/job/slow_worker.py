"""Runs the real worker with the engine of the tests; start it in the directory that holds `backend/`."""

import os
import sys

sys.path.insert(0, os.getcwd())

import slow_engine

from backend.worker.worker_command import run

raise SystemExit(run(engine=slow_engine))
