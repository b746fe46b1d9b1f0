"""Sources of shapes with known joints: procedural families, and real objects that may be trained on."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from ....data.families.jointed_families import JOINTED
from ....data.real import read_object, training_items
from ....data.source import Family, Source
from .joint_batches import Drawn
from .objects import LabelledShape, opened_mesh, still_mesh, true_shape

__all__ = ["joint_source", "true_shapes"]

REAL_SHARE = 0.06  # of the shapes, where there are real objects: they are few


def joint_source(folders: Sequence[Path]) -> Source:
    """All objects with joints that may train; real ones are read at once and kept."""
    families = dict(JOINTED)
    whole = sum(family.share for family in families.values())
    real = [item for folder in folders for item in training_items(folder) if item.jointed]
    for item in real:
        thing = read_object(item)
        share = whole * REAL_SHARE / (1.0 - REAL_SHARE) / len(real)
        families[f"real/{item.name}"] = Family(lambda _rng, thing=thing: thing, share)
    return Source(families)


def true_shapes(source: Source, augment: bool = True) -> Drawn:
    """Shapes of a source with their true joints."""

    def drawn(rng: np.random.Generator) -> LabelledShape | None:
        thing = source.draw(rng)
        mesh = opened_mesh(thing, rng) if augment else still_mesh(thing)
        return None if mesh is None else true_shape(mesh)

    return drawn
