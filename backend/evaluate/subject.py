"""Test object of an evaluation, in the normalised frame, with the states that candidates have to reach."""

from __future__ import annotations

import zlib
from collections import Counter
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ..data.real import RealItem, find_items, read_object
from ..errors import UserError
from ..kinematics.base import Array
from ..kinematics.state_space import StateSpace, normalised_frame
from .procrustes import best_placement
from .surface import SurfacePoints, sample_surface
from .true_space import bone_space, true_space

__all__ = ["Subject", "chosen_items", "read_subject"]


@dataclass(frozen=True, eq=False)
class Subject:
    """One object. Positions are in the normalised frame: box centre at 0, longest side 2, Z up."""

    name: str
    category: str
    vertices: Array  # Float[V,3], at rest
    triangles: NDArray[np.int64]  # Int[F,3]
    shell: NDArray[np.int64]  # Int[V], loose parts
    states: Array  # Float[S,V,3]; without the motion of the whole where the object is free
    free: bool  # no base stands still
    freedom: int | None  # true degrees of freedom
    truth: StateSpace | None  # the true joints, for these vertices
    skeleton: StateSpace | None  # the true bones, for these vertices

    def rng(self, *purpose: int) -> np.random.Generator:
        """Always the same for the same object and purpose, whatever else is measured."""
        return np.random.default_rng([zlib.crc32(self.name.encode()), *purpose])

    def sample(self, count: int, *purpose: int) -> SurfacePoints:
        """Points spread over the rest surface."""
        return sample_surface(self.vertices, self.triangles, count, self.rng(*purpose))


def chosen_items(folder: Path, kept_aside: bool, limit: int | None) -> list[RealItem]:
    """What of a folder is measured: everything, or only what no training may see.

    At most `limit` of it, by name: one of each category before a second of any, always the same ones.
    """
    items = [item for item in find_items(folder) if item.kept_aside or not kept_aside]
    if not items:
        raise UserError("no_data.held_out", folder=folder)
    seen = Counter[str]()
    rank = {}
    for item in items:
        rank[item] = seen[item.category]
        seen[item.category] += 1
    return sorted(sorted(items, key=rank.__getitem__)[:limit], key=items.index)


def read_subject(item: RealItem, states: int) -> Subject:
    """The object with `states` random states, the same ones each time."""
    thing = read_object(item)
    frame = normalised_frame(thing.vertices)
    vertices = frame.to_reference(thing.vertices)
    moved = frame.to_reference(thing.states(np.random.default_rng(zlib.crc32(item.name.encode())), states))
    if not thing.anchored:
        # By the surface, not by the vertices, which may crowd in a face or a hand.
        points = sample_surface(vertices, thing.triangles, 2000, np.random.default_rng(0))
        moved = np.stack([best_placement(points.on(state), points.on(vertices)).applied(state) for state in moved])
    truth = None
    if thing.joints is not None:
        truth = replace(true_space(thing.joints, thing.vertices), frame=normalised_frame(vertices))
    skeleton = None
    if thing.bones is not None:
        skeleton = replace(bone_space(thing.bones, thing.vertices), frame=normalised_frame(vertices))
    return Subject(
        name=item.name,
        category=item.category,
        vertices=vertices,
        triangles=thing.triangles,
        shell=thing.shell,
        states=moved,
        free=not thing.anchored,
        freedom=thing.freedom,
        truth=truth,
        skeleton=skeleton,
    )
