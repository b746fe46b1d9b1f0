"""Evaluation of everyday things: every scene of every thing, the share of all checks that hold, contact sheets."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np
from tqdm import tqdm

from ... import engine
from ...errors import UserError
from .annotations import Asset, chosen_entries, read_asset
from .checks import checks_of, motion_checks
from .contact_sheet import write_sheet
from .scenes import MOTIONS, SCENES, play

__all__ = ["assets_table", "evaluate_assets"]

_PROJECT = Path(__file__).resolve().parents[3]


def evaluate_assets(options: argparse.Namespace) -> dict[str, Any]:
    """{"objects", "checks", "share": of all checks that hold, "per_object"} (JSON). Raises UserError."""
    pictures: Path | None = options.pictures
    if pictures is not None:
        if pictures.resolve().is_relative_to(_PROJECT):
            raise UserError("inside_project.pictures")
        pictures.mkdir(parents=True, exist_ok=True)
    chosen = [
        (folder, entry) for folder in options.data for entry in chosen_entries(folder, options.only, options.limit)
    ]
    _warm_up()
    results = []
    for folder, entry in tqdm(chosen, desc="measuring", unit="object", leave=False):
        results.append(_measure(read_asset(folder, entry), pictures, options.motions))
    checks = [check for result in results for check in result["checks"]]
    held = sum(check["holds"] for check in checks)
    return {
        "objects": len(results),
        "checks": len(checks),
        "share": held / max(len(checks), 1),
        "by_check": _by_check(checks),
        "per_object": results,
    }


def _warm_up() -> None:
    """Loads what the first analysis of a process loads, as the worker has done when somebody presses the button."""
    corners = np.array([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]])
    analysis = engine.analyze(corners, np.array([[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]]))
    for _ in engine.prepare([analysis], [{"frames": 3, "ground": {"height": -0.01}}]).frames(lambda: False):
        pass


def _measure(asset: Asset, pictures: Path | None, motions: bool = False) -> dict[str, Any]:
    mesh = asset.mesh
    begin = process_time()
    try:
        analysis = engine.analyze(mesh.vertices, mesh.triangles, slots=mesh.slots, labels=mesh.labels)
    except UserError as error:
        tqdm.write(f"Note: {asset.name}: {error}", file=sys.stderr)
        failed = {"check": "analyzed", "scene": "", "holds": False, "figure": 0.0, "limit": 1.0, "at": "least"}
        return {"name": asset.name, "kind": asset.kind, "problem": str(error), "checks": [failed]}
    analyzed = process_time() - begin
    scenes = {scene: play(scene, asset, analysis, analyzed) for scene in (MOTIONS if motions else SCENES)}
    found = analysis.summary
    if pictures is not None:
        write_sheet(pictures / f"{asset.name}.png", mesh, scenes)
    checks = motion_checks(asset, scenes) if motions else checks_of(asset, scenes, len(found["joints"]))
    return {
        "name": asset.name,
        "kind": asset.kind,
        "provider": analysis.provider,
        "seconds": process_time() - begin,
        "problems": {scene: played.problem for scene, played in scenes.items() if played.problem},
        "checks": [check.as_json() for check in checks],
    }


def _by_check(checks: list[dict[str, Any]]) -> dict[str, dict[str, int]]:
    """How many there are of each check, and how many of them hold."""
    found: dict[str, dict[str, int]] = {}
    for check in checks:
        name = f"{check['scene']}: {check['check']}" if check["scene"] else check["check"]
        count = found.setdefault(name, {"checks": 0, "hold": 0})
        count["checks"] += 1
        count["hold"] += int(check["holds"])
    return found


def assets_table(found: dict[str, Any]) -> str:
    """The share, that of each check, and what fails of each thing."""
    lines = [f"{found['objects']} objects, {found['checks']} checks, {found['share']:.1%} hold", ""]
    width = max(map(len, found["by_check"]), default=0)
    for name, count in found["by_check"].items():
        lines.append(f"{name:{width}} {count['hold']:4} of {count['checks']:4}")
    for result in found["per_object"]:
        held = sum(check["holds"] for check in result["checks"])
        lines += ["", f"{result['name']} ({result.get('provider', '-')}): {held} of {len(result['checks'])}"]
        for check in result["checks"]:
            if not check["holds"]:
                figure = "-" if check["figure"] is None else f"{check['figure']:.3g}"
                where = f" ({check['scene']})" if check["scene"] else ""
                lines.append(f"  {check['check']}{where}: {figure}, at {check['at']} {check['limit']:.3g}")
        lines += [f"  {scene}: {problem}" for scene, problem in result.get("problems", {}).items()]
    return "\n".join(lines)
