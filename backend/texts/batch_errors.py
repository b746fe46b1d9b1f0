"""Errors of `batch`."""

from __future__ import annotations

__all__ = ["ERRORS"]

JOB_LINE = 'Write a line like {{"mesh": "toy.glb", "conditions": "c.json", "output": "toy.npz"}}.'

ERRORS = {
    "already_running.batch": ("Another batch works on this file of jobs.", "Wait for it, or stop it first."),
    "bad_jobs.unreadable": (
        "The file of jobs '{path}' cannot be read.",
        "Give the path of a text file with a job a line.",
    ),
    "bad_jobs.no_jobs": ("The file of jobs '{path}' has no jobs.", JOB_LINE),
    "bad_jobs.same_output": (
        "Lines {first} and {second} write the same file {file}.",
        "Give every job an output of its own.",
    ),
    "bad_jobs.not_json": ("Line {line} of the jobs is not JSON.", JOB_LINE),
    "bad_jobs.not_object": ("Line {line} of the jobs is not a JSON object.", JOB_LINE),
    "bad_jobs.unknown_key": ("Line {line} of the jobs has the unknown key '{key}'.", JOB_LINE),
    "bad_jobs.mesh_or_scene": ("Line {line} of the jobs has not one of 'mesh' and 'scene'.", JOB_LINE),
    "bad_jobs.beside_scene": ("Line {line} has conditions beside a scene.", "Write them into the scene file itself."),
    "bad_jobs.wrong_kind": ("Line {line} names {file} as its {kind}.", JOB_LINE),
    "bad_jobs.conditions": ("Line {line} has conditions that are neither a file nor an object.", JOB_LINE),
    "bad_jobs.no_file": ("Line {line} of the jobs has no file as its '{key}'.", JOB_LINE),
    "bad_worker.module": (
        "A worker of the cluster does not find the module '{module}'.",
        "Start every worker from the folder of NeuROK with the Python of its .venv.",
    ),
    "bad_workers.count": ("There cannot be {count} workers.", "Give --workers a number from 1."),
    "bad_workers.cluster": ("A cluster has the workers that it has.", "Leave out one of --workers and --scheduler."),
    "cannot_write.journal": (
        "The journal {folder} cannot be written: {reason}.",
        "Put the file of jobs into a folder that you may write to.",
    ),
    "cannot_write.shared_journal": (
        "The journal {folder} cannot be written: {reason}.",
        "Put the file of jobs into a folder that every process of the batch may write to.",
    ),
    "jobs_failed.takes": (
        "{path}: {failed} of {count} takes failed, {made} made, {there} there already.",
        "Correct them and run the same command again; only what is missing is made.\n{listed}",
    ),
    "no_dask.missing": (
        "A cluster needs dask.distributed, which this Python does not have ({module} is missing).",
        "Run 'python build.py setup' and use the Python of .venv, or leave out --scheduler.",
    ),
    "no_scheduler.silent": (
        "No scheduler answers at {address}.",
        "Start one with 'python -m dask scheduler' and give the address that it prints, as tcp://10.0.0.5:8786.",
    ),
    "scheduler_lost.gone": (
        "The scheduler at {address} is gone.",
        "Start it and its workers again, and run the same command; what is finished is kept.",
    ),
}
