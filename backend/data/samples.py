"""Held-out objects of the procedural families that move, written as sequences for evaluation."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
from tqdm import tqdm

from ..errors import UserError
from ..io.npz import write_npz
from .families import MOVING
from .source import Source
from .splits import held_out

__all__ = ["make_samples"]

_STATES = 5
_STREAM = 977  # apart from the numbers that training counts by


def make_samples(folder: Path, count: int, seed: int = 0) -> list[Path]:
    """Writes `count` random objects at rest and in five states, all kept aside, with a manifest; returns the files."""
    if count < 1:
        raise UserError("bad_count.objects", count=count)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as problem:
        raise UserError("cannot_write.data_folder", folder=folder) from problem
    source, entries, paths = Source(MOVING), [], []
    for index in tqdm(range(count), desc="drawing", unit="object", leave=False):
        rng = np.random.default_rng([_STREAM, seed, index])
        thing = source.draw(rng)
        name = f"sample_{seed}_{index:04d}_{thing.name}"
        about = {"name": name, "object": name, "category": thing.category, "licence": "own", "up": "Z"}
        while not held_out(about["object"]):
            about["object"] += "x"
        verts = np.concatenate([thing.vertices[None], thing.states(rng, _STATES)]).astype(np.float32)
        arrays = {"verts": verts, "faces": thing.triangles.astype(np.int32), **about}
        paths.append(folder / f"{name}.npz")
        write_npz(paths[-1], {key: np.asarray(value) for key, value in arrays.items()})
        entries.append({**about, "file": paths[-1].name, "licence_class": "permissive"})
    (folder / "MANIFEST.json").write_text(json.dumps({"sequences": entries}, indent=1), encoding="utf-8")
    return paths
