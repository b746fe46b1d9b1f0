"""Errors of `evaluate` and `bench`."""

from __future__ import annotations

__all__ = ["ERRORS"]

ERRORS = {
    "bad_limit.zero": ("No object is to be measured.", "Give a --limit of 1 or more."),
    "bad_weights.run": (
        "The weights of the run '{run}' are damaged, or of another version of the network.",
        "Train it again, or take its folder away.",
    ),
    "inside_project.pictures": (
        "The pictures would lie inside the project, and what they show may not be passed on.",
        "Name a folder elsewhere.",
    ),
    "no_data.no_joints": ("None of the objects has joints.", "Give a folder with joints.json files in it."),
    "no_data.held_out": ("No object in {folder} is held out.", "Leave out --held-out, or give more data."),
    "no_mujoco.missing": (
        "These figures need MuJoCo, which this Python does not have.",
        "Run 'python build.py setup' and use the Python of .venv.",
    ),
    "no_rows.no_joints": ("None of the objects has joints.", "Give a folder with joints.json files in it."),
    "no_rows.others": ("None of the objects has any of these rows.", "Choose other rows or other data."),
    "no_runs.materials": (
        "{folder} has no weights of nets that kept repositories aside.",
        "Make them with 'python -m backend train --config materials --data DIR -o RUN' and give --runs RUN.",
    ),
    "no_runs.ablate": (
        "{folder} has no runs in a folder 'ablate'.",
        (
            "Make them with 'python -m backend train --config ablate/NAME --minutes M -o DIR/ablate/NAME', "
            "NAME one of {known}."
        ),
    ),
    "not_loaded.mujoco": ("MuJoCo refuses {robot}: {reason}", "Look at the file."),
    "peer_failed.solver": (
        "A solver to measure against does not run here ({reason}).",
        "Leave it out with --no-peers.",
    ),
    "unequal_times.runs": ("Unequal runs cannot be compared: {times}.", "Train them all with the same --minutes."),
    "unfinished_run.weights": (
        "The run '{run}' has no weights yet, or its loss.csv cannot be read.",
        "Let it end, or take its folder away.",
    ),
    "unknown_asset.name": ("{folder} has no thing '{name}'.", "Choose one of the names in its assets.json."),
    "unknown_row.name": ("There is no row '{row}'.", "Choose from {known}."),
    "unknown_row.here": ("There is no row '{row}' here.", "Choose from {known}."),
    "worker_ended.bench": ("The worker process ended early.", "Run 'python -m backend worker' by hand."),
}
