"""Stock of simulated shapes for pretraining, made once and kept on disk: simulating every candidate takes long.

Nothing of the true joints is in them: parts, contacts and ranges of motion are enough.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import asdict, fields
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from tqdm import tqdm

from ....data.moving_object import MovingObject
from ....data.real import read_object, training_items
from ....data.source import Source
from ....errors import UserError
from ....joint_search.candidates import find_candidates
from ....joint_search.parted_shape import parted_shape
from ...infer.joint_network.candidate_arrays import CandidateArrays, candidate_arrays, joined
from ...infer.joint_network.part_cloud import PartCloud, part_cloud
from .joint_batches import Drawn
from .objects import LabelledShape, opened_mesh
from .sources import joint_source

__all__ = ["make_stock", "read_stock", "simulated_shape"]

_SEED = 4211
_MOST_PARTS = 14
_TURNS, _SLIDES = np.radians(30.0), 0.05  # free ways, radians and of the diagonal, that a joint has at least
_VALID, _TRIED = 12, 24  # kept of each part: of what simulation lets through, and of all candidates
_LOOSE_SHARE = 0.1  # objects without joints, whose parts are their loose parts


def simulated_shape(
    vertices: np.ndarray, triangles: NDArray[np.int64], part: NDArray[np.int64], rng: np.random.Generator, name: str
) -> LabelledShape:
    """Labels of the parts of a mesh by simulation; a part without any range of motion is fixed."""
    shape = parted_shape(vertices, triangles, part)
    found = find_candidates(shape)
    cloud = part_cloud(shape.to_frame(vertices), triangles, part)
    parent = np.where(found.parents >= 0, found.parents, np.arange(len(cloud)))
    valid, swept, still = [], [], [found.base]
    for row, own in enumerate(found.parts):
        every = candidate_arrays(found, row)
        way = every.upper - every.lower
        free = way > np.where(every.kind == 2, _SLIDES, _TURNS)
        passed, failed = rng.permutation(np.flatnonzero(free)), rng.permutation(np.flatnonzero(~free))
        if len(passed):
            valid.append(every.take(passed[:_VALID]))
        else:
            still.append(own.part)
        swept.append(every.take(np.concatenate([passed, failed[: max(_TRIED // 2, _TRIED - len(passed))]])[:_TRIED]))
    fixed = np.array(still)
    nowhere, unknown = np.zeros((len(fixed), 3)), np.full(len(fixed), np.nan)
    valid.append(CandidateArrays(fixed, np.zeros(len(fixed), dtype=np.int64), nowhere, nowhere, unknown, unknown))
    right, candidates = joined(*valid), joined(*swept)
    return LabelledShape(cloud, parent, **asdict(right), candidates=candidates, name=name)


def _loose(thing: MovingObject) -> NDArray[np.int64] | None:
    """Loose parts as parts, where an object has a few."""
    shell = np.unique(thing.shell[thing.triangles[:, 0]], return_inverse=True)[1]
    return shell if 0 < shell.max() < _MOST_PARTS else None


def _made(source: Source, others: Sequence[MovingObject], number: int) -> LabelledShape:
    """Shape number `number`, always the same."""
    rng = np.random.default_rng([_SEED, number])
    while True:
        if others and rng.random() < _LOOSE_SHARE:
            thing = others[int(rng.integers(len(others)))]
            label = _loose(thing)
            vertices, triangles = thing.vertices, thing.triangles
        else:
            mesh = opened_mesh(source.draw(rng), rng)
            if mesh is None:
                continue
            label, vertices, triangles = mesh.part, mesh.vertices, mesh.triangles
        if label is not None and label.max() < _MOST_PARTS:
            return simulated_shape(vertices, triangles, label, rng, f"stock_{number}")


def make_stock(folders: Sequence[Path], folder: Path, count: int) -> None:
    """Makes what is missing of `count` shapes in a folder, from the families and the real objects of `folders`."""
    folder.mkdir(parents=True, exist_ok=True)
    missing = [number for number in range(count) if not _path(folder, number).exists()]
    if not missing:
        return
    items = [item for data in folders for item in training_items(data) if not item.jointed]
    # One clip of each object: others have the same mesh.
    clips = {item.object: item for item in items}
    others = [thing for thing in map(read_object, clips.values()) if _loose(thing) is not None]
    source = joint_source(folders)
    for number in tqdm(missing, desc="simulating", unit="shape", mininterval=5.0):
        _write(_path(folder, number), _made(source, others, number))


def _path(folder: Path, number: int) -> Path:
    return folder / f"{number:05d}.npz"


def _write(path: Path, shape: LabelledShape) -> None:
    arrays = {field.name: getattr(shape.cloud, field.name) for field in fields(PartCloud)}
    arrays |= {f"joint_{field.name}": getattr(shape, field.name) for field in fields(CandidateArrays)}
    arrays |= {f"tried_{field.name}": getattr(shape.candidates, field.name) for field in fields(CandidateArrays)}
    small = {name: each.astype(np.float32 if each.dtype == float else np.int16) for name, each in arrays.items()}
    unfinished = path.with_suffix(".unfinished.npz")
    np.savez(unfinished, parent=shape.parent.astype(np.int16), name=np.array(shape.name), **small)
    os.replace(unfinished, path)


def _read(path: Path) -> LabelledShape:
    with np.load(path, allow_pickle=False) as file:
        known = {name: file[name] for name in file.files if name != "name"}
        name = str(file["name"])
    large = {key: each.astype(float if each.dtype == np.float32 else np.int64) for key, each in known.items()}

    def of(begin: str, kind: type) -> dict[str, np.ndarray]:
        return {field.name: large[begin + field.name] for field in fields(kind)}

    return LabelledShape(
        PartCloud(**of("", PartCloud)),
        large["parent"],
        **of("joint_", CandidateArrays),
        candidates=CandidateArrays(**of("tried_", CandidateArrays)),
        name=name,
    )


def read_stock(folder: Path) -> Drawn:
    """Shapes of a stock, at random; those that are written while it is used are not drawn."""
    paths = sorted(folder.glob("[0-9]*[0-9].npz"))
    if not paths:
        raise UserError("no_data.simulated_shapes", folder=folder)

    def drawn(rng: np.random.Generator) -> LabelledShape:
        return _read(paths[int(rng.integers(len(paths)))])

    return drawn
