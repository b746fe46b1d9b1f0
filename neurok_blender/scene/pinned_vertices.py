"""Pinned vertices: the base, a vertex group, or painted ones."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass
from typing import TypeVar

import bpy
import numpy as np
from bpy.app.translations import pgettext_rpt as rpt_
from numpy.typing import NDArray

from ..errors import Refusal
from .base_mesh import base_mesh
from .coordinates import placed, read_coordinates
from .motion_tracks import depsgraph_of, living_object

__all__ = ["PinnedPart", "base_vertices", "empty_group", "finished", "group_vertices", "resting_positions"]

BASE_PART = 0.01  # of the height: vertices this close to the lowest one are the base
CHUNK = 5000  # vertices whose groups are read at a time, 5 ms

Vertices = NDArray[np.int32]
Result = TypeVar("Result")


@dataclass(frozen=True)
class PinnedPart:
    """Which vertices a pin or a follower holds: the base where `group` is None, else a vertex group."""

    group: str | None
    painted_for: str = ""
    """The condition whose brush fills the group."""

    @classmethod
    def of(cls, obj: bpy.types.Object, condition) -> PinnedPart:
        """Raises Refusal where there is no such group."""
        if condition.pin_source == "BASE":
            return cls(None)
        name, painted = condition.name, condition.pin_source == "PAINTED"
        group = condition.painted_group if painted else condition.vertex_group
        if group in obj.vertex_groups:
            return cls(group, name if painted else "")
        if painted:
            raise _not_painted(name)
        if not group:
            raise Refusal(
                rpt_("{} has no vertex group.").format(name), "Choose one in its fields, or hold the base instead."
            )
        raise Refusal(
            rpt_("The vertex group {} of {} is not there.").format(group, name),
            "Choose one that the object has, or hold the base.",
        )

    def vertices(self, obj: bpy.types.Object, positions: NDArray[np.float64]) -> Generator[None, None, Vertices]:
        """Int32[n] of a resting shape Float64[V,3] m, read a little at a time. Raises Refusal."""
        if self.group is None:
            return base_vertices(positions)
        found = yield from group_vertices(obj, self.group)
        if len(found) == 0:
            raise _not_painted(self.painted_for) if self.painted_for else empty_group(self.group)
        return found


def empty_group(group: str) -> Refusal:
    return Refusal(rpt_("The vertex group {} is empty.").format(group), "Assign vertices to it, or choose another.")


def _not_painted(condition: str) -> Refusal:
    return Refusal(
        rpt_("Nothing is painted for {}.").format(condition), "Paint with its brush, or hold the base instead."
    )


def group_vertices(obj: bpy.types.Object, group: str) -> Generator[None, None, Vertices]:
    """The vertices Int32[n] of an existing group, read a little at a time."""
    uid, name, found, start = obj.session_uid, obj.name, [], 0
    while True:
        # Blender may have had its turn, so nothing is kept from before.
        obj = living_object(uid, name)
        if group not in obj.vertex_groups:
            raise Refusal(rpt_("The vertex group {} was deleted while it was read.").format(group), "Simulate again.")
        index = obj.vertex_groups[group].index
        for number, vertex in enumerate(obj.data.vertices[start : start + CHUNK], start):
            for item in vertex.groups:
                if item.group == index and item.weight > 0.0:
                    found.append(number)
        start += CHUNK
        if start >= len(obj.data.vertices):
            break
        yield
    return np.array(found, dtype=np.int32)


def finished(reading: Generator[None, None, Result]) -> Result:
    """The result of a generator that is run to its end."""
    while True:
        try:
            next(reading)
        except StopIteration as end:
            return end.value


def base_vertices(positions: NDArray[np.float64]) -> Vertices:
    """The base: vertices Int32[n] within a hundredth of the height of `positions` Float[V,3] m."""
    if len(positions) == 0:
        return np.empty(0, np.int32)
    height = positions[:, 2]
    return np.flatnonzero(height <= height.min() + BASE_PART * np.ptp(height)).astype(np.int32)


def resting_positions(scene: bpy.types.Scene, obj: bpy.types.Object) -> NDArray[np.float64]:
    """Float64[V,3] world metres of the shape that a simulation starts from, whatever is shown of a take."""
    depsgraph = depsgraph_of(scene)
    with base_mesh(depsgraph, obj) as base:
        local = read_coordinates(base)
    return placed(local, np.array(obj.evaluated_get(depsgraph).matrix_world, dtype=np.float64))
