"""Evaluation of the network of materials: named parts of repositories it has not seen; procedural, annotated things."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from tqdm import tqdm

from ..data.named_parts import NamedPart, named_parts
from ..data.named_things.things import NamedPiece, NamedThing, random_thing
from ..errors import UserError
from ..geometry.mesh import Mesh
from ..io import read_model
from ..learned.infer.material_network.material_network import MATERIAL_WEIGHTS
from ..materials.clues import Clues, Shader, piece_shapes
from ..materials.material import MATTER, RIGID, SHEET, SOFT
from ..materials.table import material_named, material_names
from ..understanding.piece_materials import PieceMaterial, guessed_size, recognise_materials
from .assets.annotations import chosen_entries, named_faces

__all__ = ["evaluate_materials", "materials_table"]

_ASIDE = 41  # seed of the procedural things, which no training has
_BEHAVIOURS = {"rigid": {RIGID, MATTER}, "soft": {SOFT}, "cloth-like": {SHEET}, "bends a little": {SOFT, SHEET}}
_SURE = 0.9
_SIZE_FACTOR = 1.5

_View = Callable[[NamedPart], NamedPart]


def evaluate_materials(options: argparse.Namespace) -> dict[str, Any]:
    """Figures of named parts where `--runs` has nets that have not seen them, of procedural things, of annotated ones.

    Raises UserError.
    """
    weights = options.weights or MATERIAL_WEIGHTS
    things = [random_thing(np.random.default_rng([_ASIDE, number])) for number in range(options.count)]
    found: dict[str, Any] = {
        "things": _things(things, weights, lambda clues: clues, True),
        "things_without_names": _things(things, weights, _nameless, False),
    }
    if options.runs is not None:
        parts = [part for folder in options.data for part in named_parts(folder)][: options.limit]
        found["named_parts"] = _named(parts, options.runs)
    paths = sorted(path.parent for folder in options.data for path in folder.rglob("assets.json"))
    entries = [(folder, entry) for folder in paths for entry in chosen_entries(folder, None, options.limit)]
    if entries:
        found["assets"] = _assets(entries, weights)
    return found


# --- named parts ---


def _named(parts: Sequence[NamedPart], runs: Path) -> dict[str, Any]:
    """Share of the first guess and of the first three, by how much names tell, in all and by repository."""
    views: dict[str, _View] = {
        "silent names": NamedPart.silent,
        "no names": lambda part: replace(part, object="", clues=_nameless(part.clues)),
        "names that tell": lambda part: part,
    }
    result: dict[str, Any] = {"parts": len(parts)}
    for name, view in views.items():
        seen = tqdm(parts, desc=name, unit="part", leave=False)
        guesses = [_guess(view(part), _net_without(part.repository, runs)) for part in seen]
        result[name] = _shares(parts, guesses)
        result[name]["by_repository"] = {
            repository: _shares(*zip(*rows, strict=True))
            for repository in sorted({part.repository for part in parts})
            if (rows := [row for row in zip(parts, guesses, strict=True) if row[0].repository == repository])
        }
    return result


def _net_without(repository: str, runs: Path) -> Path:
    """The weights of the net that has not seen a repository. Raises UserError."""
    for name in (repository.replace("/", "+"), "others"):
        path = runs / f"without_{name}" / "model.safetensors"
        if path.is_file():
            return path
    raise UserError("no_runs.materials", folder=runs)


def _guess(part: NamedPart, weights: Path) -> NDArray[np.float64]:
    (found,) = recognise_materials([part.clues], part.object, weights)
    return _widened(found.probabilities)


def _widened(probabilities: NDArray[np.float64]) -> NDArray[np.float64]:
    """What is a kind of another material counts as that: leaves are plants, silk is fabric."""
    names, result = material_names(), np.zeros_like(probabilities)
    for number, name in enumerate(names):
        result[names.index(_wide(name))] += probabilities[number]
    return result


def _wide(name: str) -> str:
    return material_named(name).kind_of or name


def _shares(parts: Iterable[NamedPart], guesses: Iterable[NDArray[np.float64]]) -> dict[str, Any]:
    names = material_names()
    truth = np.array([names.index(_wide(part.material)) for part in parts])
    guessed = np.array(list(guesses))
    order = np.argsort(-guessed, axis=1)
    sure = guessed.max(axis=1) >= _SURE
    right = order[:, 0] == truth
    return {
        "parts": len(truth),
        "first": float(right.mean()),
        "first_three": float((order[:, :3] == truth[:, None]).any(axis=1).mean()),
        "sure": float(sure.mean()),
        "right_where_sure": float(right[sure].mean()) if sure.any() else None,
    }


# --- procedural things ---


def _nameless(clues: Clues) -> Clues:
    return replace(clues, node="", material="", groups=())


def _things(
    things: Sequence[NamedThing], weights: Path, seen: Callable[[Clues], Clues], named: bool
) -> dict[str, float]:
    """Material and behaviour, errors of physical values, and size, of things drawn as in training, but other ones."""
    rows, sizes = [], []
    for thing in things:
        clues = [seen(piece.clues) for piece in thing.pieces]
        name = thing.name if named else ""
        rows += [_errors(*pair) for pair in zip(thing.pieces, recognise_materials(clues, name, weights), strict=True)]
        size = guessed_size(clues, name, weights)
        sizes.append(None if size is None else _size_right(size, thing.size))
    told = [each for each in sizes if each is not None]
    means = {key: float(np.nanmean([row[key] for row in rows])) for key in rows[0]}
    return means | _size_shares(told, len(sizes))


def _size_shares(told: Sequence[bool], count: int) -> dict[str, float]:
    return {"size_told": len(told) / count, "size_right": float(np.mean(told)) if told else float("nan")}


def _size_right(size: float, true: float) -> bool:
    return bool(abs(np.log(size / true)) < np.log(_SIZE_FACTOR))


def _errors(piece: NamedPiece, found: PieceMaterial) -> dict[str, float]:
    true = material_named(piece.material).form(piece.thin).behaviour
    yields = piece.yield_stress is not None and found.yield_stress is not None
    angles = [np.radians(each or 0.0) for each in (piece.friction_angle, found.friction_angle)]
    return {
        "first": float(found.material == piece.material),
        "behaviour": float(found.behaviour == true),
        "log10_young": abs(np.log10(found.young / piece.young)),
        "poisson": abs(found.poisson - piece.poisson),
        "log10_yield": abs(np.log10(found.yield_stress / piece.yield_stress)) if yields else float("nan"),
        "friction_angle": abs(angles[1] - angles[0]),
        "density_g_cm3": 1e-3 * abs(found.density - piece.density),
    }


# --- annotated things ---


def _assets(entries: Sequence[tuple[Path, dict[str, Any]]], weights: Path) -> dict[str, Any]:
    """Annotated things, on which nothing was trained."""
    main, sizes, wrong = [], [], {}
    materials: list[bool] = []
    behaviours: list[bool] = []
    for folder, entry in tqdm(entries, desc="assets", unit="object", leave=False):
        mesh, appearance = read_model(folder / entry["file"])
        assert appearance is not None
        piece, clues = _pieces(mesh)
        name = entry["name"].partition("_")[2]  # before it stands the collection, which no file has
        found = recognise_materials(clues, name, weights)
        area = np.array([each.shape.area for each in clues])
        shares = area @ np.array([_widened(each.probabilities) for each in found])
        best = material_names()[int(shares.argmax())]
        said = {_wide(part["material"]) for part in entry["parts"]}
        main.append(best in said)
        if not main[-1]:
            wrong[entry["name"]] = f"{best}, not {' or '.join(sorted(said))}"
        size = guessed_size(clues, name, weights, float(np.ptp(mesh.vertices, axis=0).max()))
        if size is not None:
            sizes.append(_size_right(size, entry["real_longest_side_m"]))
        for part in entry["parts"]:
            faces = named_faces(part["which"], appearance, len(piece))
            if len(entry["parts"]) == 1:
                faces = np.ones(len(piece), dtype=bool)
            if faces is None or not faces.any():
                continue
            largest = found[int(np.bincount(piece[faces], minlength=len(found)).argmax())]
            materials.append(_wide(largest.material) == _wide(part["material"]))
            behaviours.append(largest.behaviour in _BEHAVIOURS[part["behaves"]])
    return {
        "objects": len(main),
        "main_material": float(np.mean(main)),
        "parts": len(materials),
        "material": float(np.mean(materials)),
        "behaviour": float(np.mean(behaviours)),
        **_size_shares(sizes, len(main)),
        "wrong": wrong,
    }


def _pieces(mesh: Mesh) -> tuple[NDArray[np.int64], list[Clues]]:
    """The faces of one object with one material: the piece of each face, Int[F], and what each shows."""
    labels = mesh.labels
    assert labels is not None
    pairs, piece = np.unique(np.stack([labels.objects, mesh.slots], axis=1), axis=0, return_inverse=True)
    piece = piece.reshape(-1)
    clues = []
    for (number, slot), shape in zip(pairs.tolist(), piece_shapes(mesh.vertices, mesh.triangles, piece), strict=True):
        label = labels.slots[slot]
        shader = Shader(**label.shader, colour=label.colour)
        clues.append(Clues(shape, labels.object_names[number], label.name, shader=shader))
    return piece, clues


# --- the table ---


def materials_table(found: dict[str, Any]) -> str:
    """For people."""
    lines = []
    if "named_parts" in found:
        named = found["named_parts"]
        lines.append(f"{named['parts']} named parts, by nets that have not seen their repository: first (first three)")
        for name, row in named.items():
            if isinstance(row, dict):
                sure = f"; {row['sure']:.0%} sure, right {row['right_where_sure'] or 0.0:.0%}"
                lines.append(f"  {name:16} {row['first']:.2f} ({row['first_three']:.2f}){sure}")
                lines += [
                    f"    {repository}: {each['first']:.2f} ({each['first_three']:.2f}) of {each['parts']}"
                    for repository, each in row["by_repository"].items()
                ]
    for title in ("things", "things_without_names"):
        row = found[title]
        figures = ", ".join(f"{name} {value:.3f}" for name, value in row.items())
        lines.append(f"procedural {title.replace('_', ' ')}: {figures}")
    if "assets" in found:
        row = found["assets"]
        figures = ", ".join(f"{name} {value:.3g}" for name, value in row.items() if name != "wrong")
        lines += [f"annotated things: {figures}", *(f"  {name}: {wrong}" for name, wrong in row["wrong"].items())]
    return "\n".join(lines)
