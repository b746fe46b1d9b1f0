"""Evaluation runs: the requested figures as a table or as JSON."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeVar

from tqdm import tqdm

from ..data.real import RealItem
from ..errors import UserError, blamed
from ..kinematics.confidence import Consistency
from ..learned.infer.joint_network.joint_prediction import JOINT_WEIGHTS
from ..understanding.recognition import WEIGHTS
from . import tables
from .assets.run_assets import assets_table, evaluate_assets
from .choice import choice_summary, measured_consistency
from .false_joints import false_joints_summary, measure_false_joints
from .ik import STATES, ObjectResult, measure_object, summary
from .joint_table import JOINT_ROWS, joints_summary, measure_joints
from .materials import evaluate_materials, materials_table
from .pictures import WorstShapes
from .plausible_states import plausibility, plausible_summary
from .reconstruct import STATES as RECONSTRUCTED_STATES
from .reconstruct import reconstruct_summary, reconstruction
from .row_candidates import (
    DEFAULT_ROWS,
    LEARNED_ROWS,
    ROWS,
    STATE_ROWS,
    Candidate,
    StateCandidate,
    is_decoder,
    make_candidate,
)
from .subject import Subject, chosen_items, read_subject
from .transfer import group_of, known_categories, trained_items, transfer_summary

__all__ = ["evaluate"]

_Result = TypeVar("_Result")


def evaluate(options: argparse.Namespace) -> str:
    """Runs the requested evaluation; returns the text to print. Raises UserError."""
    if options.limit is not None and options.limit < 1:
        raise UserError("bad_limit.zero")
    if options.what == "assets":
        assets = evaluate_assets(options)
        return json.dumps(assets) if options.json else assets_table(assets)
    if options.what == "materials":
        materials = evaluate_materials(options)
        return json.dumps(materials) if options.json else materials_table(materials)
    if options.what == "false-joints":
        figures = _false_joints(options)
        return json.dumps(figures) if options.json else tables.false_joints_table(figures)
    items = [item for folder in options.data for item in chosen_items(folder, options.held_out, options.limit)]
    run: Callable[[argparse.Namespace, Sequence[RealItem]], dict[str, Any]]
    run, table = {
        "ik": (_ik, tables.ik_table),
        "plausible": (_plausible, tables.plausible_table),
        "reconstruct": (_reconstruct, tables.reconstruct_table),
        "transfer": (_transfer, tables.transfer_table),
        "joints": (_joints, tables.joints_table),
        "ablate": (_ablate, tables.ablate_table),
        "robots": (_robots, tables.robots_table),
    }[options.what]
    found = run(options, items)
    return json.dumps(found) if options.json else table(found)


def _rows(options: argparse.Namespace, among: Sequence[str]) -> list[str]:
    """The requested rows; all that there are, without those of a network where there is none."""
    unknown = [row for row in options.rows or () if row not in among]
    if unknown:
        raise UserError("unknown_row.here", row=unknown[0], known=", ".join(among))
    if options.rows:
        return list(dict.fromkeys(options.rows))
    trained = options.weights is not None or WEIGHTS.exists()
    if not trained:
        note = "Note: there are no trained weights; give --weights FILE for the rows of the network."
        tqdm.write(note, file=sys.stderr)  # what is printed may be JSON
    decoder = options.weights is not None and is_decoder(options.weights)
    left_out = () if trained and not decoder else LEARNED_ROWS
    return [row for row in DEFAULT_ROWS if row in among and row not in left_out]


def _one_by_one(items: Sequence[RealItem], states: int, measure: Callable[[Subject], _Result]) -> Iterable[_Result]:
    for item in tqdm(items, desc="measuring", unit="object", leave=False):
        yield measure(read_subject(item, states))


def _ik_results(
    options: argparse.Namespace, items: Sequence[RealItem], rows: list[str], worst: WorstShapes | None = None
) -> tuple[list[ObjectResult], dict[str, Consistency]]:
    """The errors, and what "auto" goes by for each object where providers that it chooses among are measured."""
    sure: dict[str, Consistency] = {}

    def measure(subject: Subject) -> ObjectResult:
        if {"learned", "elastic"} <= set(rows):
            sure[subject.name] = measured_consistency(subject, options.weights)
        return measure_object(subject, rows, options.weights, None if worst is None else worst.see)

    return list(_one_by_one(items, STATES, measure)), sure


def _ik(options: argparse.Namespace, items: Sequence[RealItem]) -> dict[str, Any]:
    rows = _rows(options, list(ROWS))
    drawn = next((row for row in ("learned", "latents", "elastic") if row in rows), rows[0])
    worst = None if options.pictures is None else WorstShapes(options.pictures, drawn)
    results, sure = _ik_results(options, items, rows, worst)
    found = summary(results)
    if sure:
        found["auto"] = choice_summary(results, sure)
    if worst is not None:
        found["pictures"] = [str(path) for path in worst.write()]
    return found


def _transfer(options: argparse.Namespace, items: Sequence[RealItem]) -> dict[str, Any]:
    results, _ = _ik_results(options, items, _rows(options, list(ROWS)))
    known = known_categories(item for folder in options.data for item in trained_items(folder))
    return transfer_summary(results, {item.name: group_of(item, known) for item in items})


def _joints(options: argparse.Namespace, items: Sequence[RealItem]) -> dict[str, Any]:
    rows = list(dict.fromkeys(options.rows or JOINT_ROWS))
    unknown = [row for row in rows if row not in JOINT_ROWS]
    if unknown:
        raise UserError("unknown_row.here", row=unknown[0], known=", ".join(JOINT_ROWS))
    unreadable: dict[str, str] = {}
    results = measure_joints(items, rows, options.own_parts, options.weights or JOINT_WEIGHTS, unreadable)
    if not results:
        raise UserError("no_rows.no_joints")
    return joints_summary(results) | {"unreadable": unreadable}


def _false_joints(options: argparse.Namespace) -> dict[str, Any]:
    results = measure_false_joints(options.data, options.held_out, options.limit, options.count)
    if not results:
        raise UserError("no_rows.no_joints")
    return false_joints_summary(results)


def _ablate(options: argparse.Namespace, items: Sequence[RealItem]) -> dict[str, Any]:
    from .ablate import ablation  # torch: only where a network is measured

    return ablation(options.runs, items)


def _robots(options: argparse.Namespace, items: Sequence[RealItem]) -> dict[str, Any]:
    from .robots import measure_robot, robots_summary  # MuJoCo: only where robots are measured

    jointed = [item for item in items if item.jointed]
    if not jointed:
        raise UserError("no_data.no_joints")
    results = {}
    for item in tqdm(jointed, desc="measuring", unit="object", leave=False):
        with blamed("within.data_object", name=item.name):
            results[item.name] = measure_robot(item, options.targets)
    return robots_summary(results)


def _plausible(options: argparse.Namespace, items: Sequence[RealItem]) -> dict[str, Any]:
    def measure(subject: Subject, candidate: Candidate) -> Any:
        assert isinstance(candidate, StateCandidate)
        return plausibility(subject, candidate)

    return plausible_summary(_by_row(options, items, _rows(options, STATE_ROWS), 1, measure))


def _reconstruct(options: argparse.Namespace, items: Sequence[RealItem]) -> dict[str, Any]:
    rows = _rows(options, list(ROWS))
    return reconstruct_summary(_by_row(options, items, rows, RECONSTRUCTED_STATES, reconstruction))


def _by_row(
    options: argparse.Namespace,
    items: Sequence[RealItem],
    rows: Sequence[str],
    states: int,
    measure: Callable[[Subject, Candidate], _Result],
) -> dict[str, list[_Result]]:
    """The results of each row over the objects that have it."""
    found: dict[str, list[_Result]] = {}

    def all_rows(subject: Subject) -> None:
        for row in rows:
            candidate = make_candidate(row, subject, options.weights)
            if candidate is not None:
                found.setdefault(row, []).append(measure(subject, candidate))

    for _ in _one_by_one(items, states, all_rows):
        pass
    if not found:
        raise UserError("no_rows.others")
    return found
