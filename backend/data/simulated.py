"""Physical simulation as training data: takes of the elastic solver with random pokes, pins, stiffness and gravity.

Seconds each, so they are made once, before training, into a folder of sequences that the reader of real data reads.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from tqdm import tqdm

from ..engine import analyze, prepare
from ..errors import UserError
from ..io.npz import write_npz
from ..kinematics.base import Array
from ..kinematics.decode import decode_frames
from .example import aligned
from .families import FAMILIES
from .real import RealItem, read_object, training_items
from .splits import held_out

__all__ = ["Take", "make_pool", "random_conditions", "simulated_take", "static_meshes"]

_FRAMES = 20
_ATTEMPTS = 8  # meshes for a take
_TRIALS = 4  # of a mesh, harder or softer
_FPS = 24.0
_MOST_VERTICES = 4000  # heavier meshes are left to the other data
_FAMILIES_SHARE = 0.5  # of the pool, where there are real meshes too
_MOTION = (0.02, 0.3)  # of the size, root mean square, without that of the whole: less says nothing, more is a wreck
_SOFT_STRETCH = 0.01  # of the length, of 5 % of the edges: what stretches less in its own clip is of rigid parts
# What bends in truth; simulated cabinets would teach that doors are made of jelly.
_SOFT_FAMILIES = (
    "bag", "banner", "bird", "cushion", "fish", "flower", "jelly", "person", "potted_plant", "quadruped", "ray",
    "runner", "snake", "soft_solid", "tentacles", "tree",
)  # fmt: skip
_MOST_STRETCH = 0.6  # of the length, of 99 % of the edges: more is not what the solver is good at


@dataclass(frozen=True)
class Take:
    """One simulated object: its rest and then the frames, Float[T,V,3] with longest side 1 m, and where it is from."""

    frames: NDArray[np.float32]
    triangles: NDArray[np.int64]
    source: str  # the object that the mesh is of
    licence: str


def static_meshes(folder: Path | None) -> list[RealItem]:
    """Real objects that bend and whose rest may be simulated: what may train, one clip of each object."""
    if folder is None:
        return []
    clips = [item for item in training_items(folder) if not item.jointed]
    return [item for item in {item.object: item for item in clips}.values() if _is_soft(item)]


def _is_soft(item: RealItem) -> bool:
    thing = read_object(item)
    states = thing.states(np.random.default_rng(0), 8)
    stretch = _stretch(np.concatenate([thing.vertices[None], states]), thing.triangles)
    return bool(np.quantile(stretch, 0.95) > _SOFT_STRETCH)


def _stretch(frames: NDArray[Any], triangles: NDArray[np.int64]) -> Array:
    """Relative changes of length of edges since the first of the frames Float[T,V,3], Float[T-1,E]."""
    edges = triangles[:, [0, 1]]
    length = np.linalg.norm(frames[:, edges[:, 1]] - frames[:, edges[:, 0]], axis=2)
    sound = length[0] > 1e-6 * float(np.ptp(frames[0], axis=0).max())
    return np.abs(length[1:, sound] / length[0, sound] - 1.0)


def random_conditions(rng: np.random.Generator, vertices: Array) -> dict[str, Any]:
    """Conditions of a take for a mesh Float[V,3] whose longest side is 1 m."""
    low, high = vertices.min(axis=0), vertices.max(axis=0)
    conditions: dict[str, Any] = {
        "provider": "elastic",
        "frames": _FRAMES,
        "fps": _FPS,
        "handles": int(rng.integers(8, 21)),
        "stiffness_hz": float(np.exp(rng.uniform(np.log(0.6), np.log(3.0)))),
        "poisson": float(rng.uniform(0.1, 0.45)),
        "settle_seconds": float(rng.uniform(0.7, 3.0)),
        "gravity": [0.0, 0.0, 0.0],
    }
    held = rng.random()
    if held < 0.45:
        conditions["anchor"] = "auto"
    elif held < 0.92:
        # One end of the object is held, whichever it is.
        axis, end = int(rng.integers(3)), bool(rng.random() < 0.5)
        share = (vertices[:, axis] - low[axis]) / max(float((high - low)[axis]), 1e-9)
        near = np.flatnonzero(share > 0.88 if end else share < 0.12)
        conditions["anchor"] = {"vertices": near.tolist()}
        way = rng.normal(size=3)
        conditions["gravity"] = (rng.uniform(0.0, 12.0) * way / np.linalg.norm(way)).tolist()
    else:
        conditions["anchor"] = "none"
    conditions["pokes"] = []
    held_places = vertices[conditions["anchor"]["vertices"]] if isinstance(conditions["anchor"], dict) else vertices
    for _ in range(int(rng.integers(1, 5))):
        way = rng.normal(size=3)
        # Of a few points the one farthest from where it is held: a push on what is held does nothing.
        points = vertices[rng.integers(len(vertices), size=4)]
        point = points[np.linalg.norm(points - held_places.mean(axis=0), axis=1).argmax()]
        conditions["pokes"].append(
            {
                "point": point.tolist(),
                "speed": (rng.uniform(0.5, 3.0) * way / np.linalg.norm(way)).tolist(),
                "radius": float(rng.uniform(0.08, 0.4)),
                "start": int(rng.integers(1, 10)),
                "duration": int(rng.integers(1, 4)),
            }
        )
    return conditions


def simulated_take(
    vertices: Array, triangles: NDArray[np.int64], conditions: dict[str, Any], strength: float = 1.0
) -> NDArray[np.float32]:
    """Rest and frames Float[T,V,3] of a mesh whose longest side is 1 m, pushed `strength` times as hard as the
    conditions say. Raises UserError where it cannot be simulated."""
    pokes = [poke | {"speed": [strength * part for part in poke["speed"]]} for poke in conditions["pokes"]]
    gravity = [strength * part for part in conditions["gravity"]]
    take = prepare([analyze(vertices, triangles, "elastic")], [conditions | {"pokes": pokes, "gravity": gravity}])
    handles = np.array([frame.handles for (frame,) in take.frames(lambda: False)])
    frames = decode_frames(vertices, take.members[0].motion.weights, handles)
    return np.concatenate([vertices[None].astype(np.float32), frames[1::2]])


def _too_much(frames: NDArray[np.float32], triangles: NDArray[np.int64]) -> int:
    """1 where a take moves or stretches more than a solid would, -1 where it moves too little to teach, else 0."""
    if not np.isfinite(frames).all() or np.quantile(_stretch(frames, triangles), 0.99) > _MOST_STRETCH:
        return 1
    rest = frames[0].astype(np.float64)
    far = float(np.sqrt(((aligned(frames[1:].astype(np.float64), rest) - rest) ** 2).sum(axis=2).mean()))
    return int(far > _MOTION[1]) - int(far < _MOTION[0])


def _fitting(rng: np.random.Generator, vertices: Array, triangles: NDArray[np.int64]) -> NDArray[np.float32] | None:
    """A take of the mesh that moves as much as it should, found by pushing harder or softer; None where none does."""
    low, high = vertices.min(axis=0), vertices.max(axis=0)
    unit = (vertices - 0.5 * (low + high)) / float((high - low).max())
    conditions, strength = random_conditions(rng, unit), 1.0
    for _ in range(_TRIALS):
        frames = simulated_take(unit, triangles, conditions, strength)
        verdict = _too_much(frames, triangles)
        if verdict == 0:
            return frames
        strength *= 0.4 if verdict > 0 else 3.0
    return None


def _mesh(rng: np.random.Generator, real: Sequence[RealItem]) -> tuple[str, str, Array, NDArray[np.int64]]:
    """Name of the source, licence, vertices and triangles of a random static mesh."""
    if real and rng.random() >= _FAMILIES_SHARE:
        item = real[rng.integers(len(real))]
        thing = read_object(item)
        return item.object, "as the mesh", thing.vertices, thing.triangles
    name = str(rng.choice(_SOFT_FAMILIES))
    thing = FAMILIES[name].make(rng)
    return name, "own", thing.vertices, thing.triangles


def _take(seed: int, index: int, real: Sequence[RealItem]) -> Take:
    """Take number `index` of the pool `seed`: the first of a few attempts that can be used."""
    problem: UserError | None = None
    for attempt in range(_ATTEMPTS):
        rng = np.random.default_rng([seed, index, attempt])
        source, licence, vertices, triangles = _mesh(rng, real)
        if len(vertices) > _MOST_VERTICES:
            continue
        try:
            frames = _fitting(rng, vertices, triangles)
        except UserError as refused:
            problem = refused
            continue
        if frames is not None:
            return Take(frames, triangles, source, licence)
    raise UserError("no_take.meshes", attempts=_ATTEMPTS, take=index) from problem


def make_pool(folder: Path, count: int, data: Path | None = None, seed: int = 0) -> list[Path]:
    """Writes `count` takes into a folder in the format of sequences, with a manifest; returns the files.

    data: a folder with real objects; those that may train are simulated too. A take that is there is kept, so that a
    pool that was stopped goes on; the same seed and data give the same bytes.
    """
    if count < 1:
        raise UserError("bad_count.takes", count=count)
    real = static_meshes(data)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as problem:
        raise UserError("cannot_write.data_folder", folder=folder) from problem
    entries, paths = [], []
    for index in tqdm(range(count), desc="simulating", unit="take", leave=False):
        path = folder / f"take_{seed}_{index:04d}.npz"
        if not path.exists():
            take = _take(seed, index, real)
            _write(path, take, index)
        paths.append(path)
        with np.load(path, allow_pickle=False) as archive:
            entries.append({key: str(archive[key]) for key in ("name", "object", "category", "licence", "up")})
        entries[-1] |= {"file": path.name, "licence_class": "permissive"}
    (folder / "MANIFEST.json").write_text(json.dumps({"sequences": entries}, indent=1), encoding="utf-8")
    return paths


def _write(path: Path, take: Take, index: int) -> None:
    # Takes of a real object stay on its side of the split; those of own meshes all train.
    name = take.source if take.licence != "own" else f"{take.source}_{index}"
    while take.licence == "own" and held_out(name):
        name += "x"
    arrays = {
        "verts": take.frames,
        "faces": take.triangles.astype(np.int32),
        "name": f"simulated_{index:04d}_{take.source}",
        "object": name,
        "category": "simulated",
        "licence": take.licence,
        "up": "Z",
    }
    write_npz(path, {key: np.asarray(value) for key, value in arrays.items()})
