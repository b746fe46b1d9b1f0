"""Cavities: a closed surface that looks inwards bounds a hollow of the part around it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from .inside import points_inside
from .topology import Surface

__all__ = ["merge_cavities"]


def merge_cavities(surface: Surface) -> Surface:
    """The surface with each cavity wall made one component with the part around it.

    Blender's Solidify modifier, for one, leaves the inner wall of a ball as a surface of its own, turned
    inwards.
    """
    wall = np.flatnonzero(surface.closed & surface.inside_out)
    outer = np.flatnonzero(surface.closed & ~surface.inside_out)
    if len(wall) == 0 or len(outer) == 0:
        return surface
    low, high = surface.boxes()
    host = np.full(len(surface.closed), -1, dtype=np.int64)
    # The tightest part around a wall is the one it hollows out, so larger ones are asked first and
    # overwritten.
    first_point = surface.points[np.unique(surface.component, return_index=True)[1]]
    for part in outer[np.argsort(-surface.volume[outer], kind="stable")]:
        within = (low[wall] >= low[part]).all(axis=1) & (high[wall] <= high[part]).all(axis=1)
        candidates = wall[within & (surface.volume[wall] < surface.volume[part])]
        faces = surface.triangle_component == part
        held = points_inside(
            first_point[candidates],
            np.full(len(candidates), part),
            surface.points,
            surface.triangles[faces],
            surface.triangle_component[faces],
        )
        host[candidates[held]] = part
    hollow = np.flatnonzero(host >= 0)
    if len(hollow) == 0:
        return surface

    target = np.where(host >= 0, host, np.arange(len(host)))
    kept = np.flatnonzero(host < 0)
    volume, area = surface.volume.copy(), surface.area.copy()
    np.subtract.at(volume, host[hollow], surface.volume[hollow])
    np.add.at(area, host[hollow], surface.area[hollow])
    renumbered = np.cumsum(host < 0) - 1
    return replace(
        surface,
        component=renumbered[target[surface.component]],
        closed=surface.closed[kept],
        inside_out=surface.inside_out[kept],
        area=area[kept],
        volume=volume[kept],
        extent=surface.extent[kept],
    )
