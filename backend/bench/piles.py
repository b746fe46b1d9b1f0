"""Benchmark of piles: seeded heaps of 2 to 8 things that fall on each other with default settings.

Soft, rigid and jointed things, sheets, and objects of a folder where one is given. How deep they get into each other is
measured by other formulas than those of the contact solver, see `penetration`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import fmean
from time import perf_counter
from typing import Any

import numpy as np
from scipy.spatial.transform import Rotation
from tqdm import tqdm

from .. import engine
from ..cli.object_files import read_source
from ..data.shapes import Piece, box, joined, sphere, torus
from ..io import MESH_EXTENSIONS
from ..kinematics.base import Array
from ..kinematics.decode import decode_frames
from .penetration import deepest

__all__ = ["measured", "pile", "pile_table", "run_piles"]

SECONDS, FPS = 5.0, 24.0
MOST_THINGS = 8
LOOKED_AT = 8  # every so many frames is looked at for penetration, and the last one
RESTING = 12  # frames at the end whose motion is jitter
LARGEST_SOLID = 4000  # faces of what others are looked for in
SUNK, RESTLESS, THROUGH = 1e-3, 0.01, 0.25  # of the size: depth and jitter (1/s) that are allowed; passing through


@dataclass(frozen=True)
class Thing:
    """An object of a pile at the origin, about one metre large: its mesh, provider and own conditions."""

    kind: str
    mesh: Piece
    provider: str
    conditions: dict[str, Any] = field(default_factory=dict)

    @property
    def size(self) -> float:
        """m."""
        return float(np.ptp(self.mesh[0], axis=0).max())

    @property
    def solid(self) -> bool:
        """Whether it is closed, so that others can be inside, and small enough to look."""
        faces = self.mesh[1]
        sides = np.sort(np.concatenate([faces[:, [0, 1]], faces[:, [1, 2]], faces[:, [2, 0]]]), axis=1)
        return len(faces) <= LARGEST_SOLID and bool((np.unique(sides, axis=0, return_counts=True)[1] == 2).all())


def _block(size: Array) -> Piece:
    return box(-0.5 * size, 0.5 * size)


def _shape(random: np.random.Generator) -> Piece:
    shapes = (sphere(0.5, 16), torus(0.35, 0.15), _block(random.uniform(0.3, 1.0, 3)))
    return shapes[random.integers(len(shapes))]


def _case(random: np.random.Generator) -> Thing:
    """A case with a lid on a hinge."""
    size = random.uniform(0.5, 1.0, 3)
    case, lid = _block(size), _block(np.array([size[0], size[1], 0.1]))
    mesh = joined(case, (lid[0] + [0.0, 0.0, 0.5 * size[2] + 0.06], lid[1]))
    parts = [{"name": "case", "vertices": list(range(8))}, {"name": "lid", "vertices": list(range(8, 16))}]
    hinge = {"child": "lid", "parent": "case", "type": "revolute", "axis": [1.0, 0.0, 0.0], "lower": 0.0, "upper": 2.0}
    hinge["origin"] = [0.0, -0.5 * float(size[1]), 0.5 * float(size[2])]
    return Thing("jointed", mesh, "articulated", {"joints": {"parts": parts, "joints": [hinge]}})


def _sheet(cells: int = 8) -> Piece:
    x, y = np.meshgrid(np.linspace(-0.5, 0.5, cells + 1), np.linspace(-0.5, 0.5, cells + 1), indexing="ij")
    index = np.arange((cells + 1) ** 2).reshape(cells + 1, cells + 1)
    a, b, c, d = (index[:-1, :-1], index[1:, :-1], index[1:, 1:], index[:-1, 1:])
    faces = np.concatenate([np.stack(corners, axis=-1).reshape(-1, 3) for corners in ((a, b, c), (a, c, d))])
    return np.stack([x, y, np.zeros_like(x)], axis=-1).reshape(-1, 3), faces


def _object(path: Path) -> Thing:
    mesh = read_source(path).mesh
    low, high = mesh.vertices.min(axis=0), mesh.vertices.max(axis=0)
    return Thing(path.stem, ((mesh.vertices - 0.5 * (low + high)) / float((high - low).max()), mesh.triangles), "auto")


def pile(number: int, files: Sequence[Path] = ()) -> list[Thing]:
    """The things of a pile, each turned and above the one before it; the same at every run."""
    random = np.random.default_rng(number)
    kinds = ["soft", "soft", "rigid", "rigid", "jointed", "sheet", *(["object"] * 4 if files else [])]
    things, height = [], 0.0
    for _ in range(int(random.integers(2, MOST_THINGS + 1))):
        match kinds[random.integers(len(kinds))]:
            case "soft":
                thing = Thing("soft", _shape(random), "elastic")
            case "rigid":
                thing = Thing("rigid", _shape(random), "rigid")
            case "jointed":
                thing = _case(random)
            case "sheet":
                thing = Thing("sheet", _sheet(), "elastic")
            case _:
                thing = _object(files[random.integers(len(files))])
        turn = Rotation.from_euler("z", random.uniform(0.0, 2.0 * np.pi))
        vertices = turn.apply(thing.mesh[0])
        shift = np.array([*random.uniform(-0.25, 0.25, 2), height + 0.05 - vertices[:, 2].min()])
        height += 0.1 + float(np.ptp(vertices[:, 2]))
        things.append(_placed(thing, vertices + shift, turn, shift))
    return things


def _placed(thing: Thing, vertices: Array, turn: Rotation, shift: Array) -> Thing:
    conditions = dict(thing.conditions)
    if "joints" in conditions:
        (hinge,) = conditions["joints"]["joints"]
        axis, origin = turn.apply(hinge["axis"]).tolist(), (turn.apply(hinge["origin"]) + shift).tolist()
        conditions["joints"] = {**conditions["joints"], "joints": [{**hinge, "axis": axis, "origin": origin}]}
    return Thing(thing.kind, (vertices, thing.mesh[1]), thing.provider, conditions)


def measured(things: Sequence[Thing], seconds: float = SECONDS) -> dict[str, Any]:
    """Simulates a pile on a floor and measures it; depths and jitter in shares of the size of what is smaller."""
    begin = perf_counter()
    frames = round(seconds * FPS) + 1
    shared = {"frames": frames, "fps": FPS, "anchor": "none", "ground": {}}
    analyses = [engine.analyze(*thing.mesh, thing.provider) for thing in things]
    take = engine.prepare(analyses, [{**shared, **thing.conditions} for thing in things])
    solved = list(take.frames(lambda: False))
    spent = perf_counter() - begin
    places = [
        decode_frames(thing.mesh[0], member.motion.weights, [each[number].handles for each in solved])
        for number, (thing, member) in enumerate(zip(things, take.members, strict=True))
    ]
    looked = [*range(0, frames - 1, LOOKED_AT), frames - 1]
    depths = [_depth(things, [place[frame].astype(float) for place in places]) for frame in looked]
    jitter = 0.0
    for thing, place in zip(things, places, strict=True):
        ways = np.linalg.norm(np.diff(place[-RESTING - 1 :], axis=0), axis=2).sum(axis=0)
        jitter = max(jitter, float(ways.max()) * FPS / RESTING / thing.size)
    report = take.report()
    return {
        "things": [thing.kind for thing in things],
        "solved": len(solved) == frames and report["rough_steps"] == 0,
        "deepest": max(depths),
        "deepest_at_the_end": depths[-1],
        "jitter": jitter,
        "seconds": spent,
    }


def _depth(things: Sequence[Thing], places: Sequence[Array]) -> float:
    """The deepest vertex of any thing in the floor or in another thing, over the smaller size of the two."""
    depth = max(-float(place[:, 2].min()) / thing.size for thing, place in zip(things, places, strict=True))
    for one, solid in enumerate(things):
        if solid.solid:
            for other, thing in enumerate(things):
                if other != one:
                    inside = deepest((places[other], thing.mesh[1]), (places[one], solid.mesh[1]))
                    depth = max(depth, inside / min(thing.size, solid.size))
    return max(depth, 0.0)


def run_piles(count: int, folder: Path | None = None) -> dict[str, Any]:
    """A row for each pile, and the shares of piles that are as they should be."""
    files = (
        [] if folder is None else sorted(path for path in folder.iterdir() if path.suffix.lower() in MESH_EXTENSIONS)
    )
    rows = [{"pile": number, **measured(pile(number, files))} for number in tqdm(range(count), desc="piles")]
    return {"rows": rows, "ratios": _shares(rows)}


def _shares(rows: Sequence[dict[str, Any]]) -> dict[str, float]:
    return {
        "solved_to_the_last_frame": fmean(row["solved"] for row in rows),
        "never_sunk_in": fmean(row["deepest"] <= SUNK for row in rows),
        "at_rest_in_the_end": fmean(row["jitter"] <= RESTLESS for row in rows),
        "passed_through": fmean(row["deepest"] > THROUGH for row in rows),
        "deepest": max(row["deepest"] for row in rows),
        "mean_seconds": fmean(row["seconds"] for row in rows),
    }


def pile_table(result: dict[str, Any]) -> str:
    """The result as text."""
    lines = [
        f"{'pile':>5} {'solved':>7} {'deepest %':>10} {'at the end %':>13} {'jitter %/s':>11} {'seconds':>8}  things"
    ]
    for row in result["rows"]:
        depth, last, jitter = (100.0 * row[key] for key in ("deepest", "deepest_at_the_end", "jitter"))
        solved, things = "yes" if row["solved"] else "roughly", " ".join(row["things"])
        numbers = f"{row['pile']:>5} {solved:>7} {depth:>10.3f} {last:>13.3f} {jitter:>11.2f}"
        lines.append(f"{numbers} {row['seconds']:>8.1f}  {things}")
    return "\n".join(lines + [f"{name}: {value:.4g}" for name, value in result["ratios"].items()])
