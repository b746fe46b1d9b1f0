"""Annotated things: their meshes in metres, and what a person expects of each part and of each scene."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...errors import UserError
from ...geometry.mesh import Mesh
from ...io import Appearance, read_model
from ...io.json_file import read_json

__all__ = ["BEHAVIOURS", "Asset", "chosen_entries", "named_faces", "read_asset"]

BEHAVIOURS = ("rigid", "soft", "cloth-like", "bends a little")
_STRONG = re.compile(r"\b(sways?|waves?|ripples?|flutters?|billows?|whips?|trembles?|stirs?)\b")
_WEAK = re.compile(r"\b(slightly|may|might|little|hung|edges?)\b")
_FLAT = re.compile(r"\b(drops|lies) flat\b")
_UNMOVED = re.compile(r"(does not move|nothing moves|nothing bends|do not move)")


@dataclass(frozen=True, eq=False)
class Asset:
    """One thing. `regions`: Bool[F] of the faces whose behaviour is known, by behaviour; none where none is."""

    name: str
    kind: str
    joints: int
    joints_kind: str
    mesh: Mesh
    appearance: Appearance | None
    regions: dict[str, NDArray[np.bool_]]
    still_in_wind: bool
    moves_in_wind: bool
    fixed_when_poked: bool
    lies_flat: bool = False  # what of it is a sheet lies flat where it falls, with nothing to drape over

    @property
    def size(self) -> float:
        """Longest side, m."""
        return float(np.ptp(self.mesh.vertices, axis=0).max())

    @property
    def height(self) -> float:
        return float(np.ptp(self.mesh.vertices[:, 2]))


def chosen_entries(folder: Path, only: list[str] | None, limit: int | None) -> list[dict[str, Any]]:
    """Entries of `assets.json`: those with these names, or `limit` of them drawn evenly over their kinds."""
    entries = read_json(folder / "assets.json", "annotations")
    if only:
        known = {entry["name"]: entry for entry in entries}
        unknown = [name for name in only if name not in known]
        if unknown:
            raise UserError("unknown_asset.name", name=unknown[0], folder=folder)
        return [known[name] for name in only]
    if limit is None:
        return entries
    shuffled = np.random.default_rng(0).permutation(len(entries))
    seen: dict[str, int] = {}
    rank = {}
    for number in shuffled:
        kind = entries[number]["kind"]
        rank[number] = (seen.get(kind, 0), list(shuffled).index(number))
        seen[kind] = seen.get(kind, 0) + 1
    return [entries[number] for number in sorted(sorted(rank, key=rank.__getitem__)[:limit])]


def read_asset(folder: Path, entry: dict[str, Any]) -> Asset:
    """The thing at its real size. Raises UserError."""
    mesh, appearance = read_model(folder / entry["file"])
    mesh = replace(mesh, vertices=mesh.vertices * float(entry["scale_to_real"]))
    poke, wind = _clause(entry["expect"], "b"), _clause(entry["expect"], "c")
    moving = any(_STRONG.search(part) and not _WEAK.search(part) for part in re.split(r"[,;]", wind))
    return Asset(
        entry["name"],
        entry["kind"],
        entry["joints"],
        entry["joints_kind"],
        mesh,
        appearance,
        _regions(entry, mesh, appearance),
        still_in_wind="wind does nothing" in wind,
        moves_in_wind=moving,
        fixed_when_poked=bool(_UNMOVED.search(poke)),
        lies_flat=bool(_FLAT.search(_clause(entry["expect"], "a"))),
    )


def _clause(expect: str, letter: str) -> str:
    """What is said after "(b)" and before the next letter."""
    found = re.search(rf"\({letter}\)(.*?)(?=\([a-z]\)|$)", expect, re.DOTALL)
    return found.group(1).strip() if found else ""


def _regions(entry: dict[str, Any], mesh: Mesh, appearance: Appearance | None) -> dict[str, NDArray[np.bool_]]:
    """By the nodes and materials that the annotation names; all or nothing, as no face may be said to be two things."""
    parts, count = entry["parts"], len(mesh.triangles)
    behaviours = {part["behaves"] for part in parts}
    if len(behaviours) == 1:
        return {behaviours.pop(): np.ones(count, dtype=bool)}
    found: dict[str, NDArray[np.bool_]] = {}
    claims = np.zeros(count, dtype=np.int64)
    for part in parts:
        faces = None if appearance is None else named_faces(part["which"], appearance, count)
        if faces is None or not faces.any():
            return {}
        claims += faces
        found[part["behaves"]] = found.get(part["behaves"], np.zeros(count, dtype=bool)) | faces
    return found if claims.max(initial=0) == 1 else {}


def named_faces(which: str, appearance: Appearance, count: int) -> NDArray[np.bool_] | None:
    """Faces Bool[F] of the nodes and materials in a text like "node:door, material:glass (window)"."""
    text = re.sub(r"\([^)]*\)", "", which)
    begin = re.search(r"(node|material):", text)
    if begin is None:
        return None
    text = text[begin.start() :]
    materials = [str(material.get("name", "")) for material in appearance.library.materials]
    nodes = [part.name for part in appearance.parts]
    within = re.search(r"\bin node (.+)$", text)
    among, text = (within.group(1), text[: within.start()]) if within else (None, text)
    wanted = set(_mentioned(text, [*materials, *nodes]))
    if not wanted:
        return None
    faces = np.zeros(count, dtype=bool)
    for part in appearance.parts:
        if among is not None and part.name not in among:
            continue
        for primitive in part.primitives:
            named = "" if primitive.material is None else materials[primitive.material]
            if named in wanted or part.name in wanted:
                faces[primitive.triangles] = True
    return faces


def _mentioned(text: str, names: list[str]) -> list[str]:
    """The names that stand in a text as whole words, longer ones first, none inside of another."""
    found = []
    for name in sorted({name for name in names if name}, key=len, reverse=True):
        pattern = rf"(?<![\w.]){re.escape(name)}(?![\w.])"
        if re.search(pattern, text):
            found.append(name)
            text = re.sub(pattern, " ", text)
    return found
