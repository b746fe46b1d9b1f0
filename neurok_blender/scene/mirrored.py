"""Whether a Mirror modifier joins the mesh to its mirror image."""

from __future__ import annotations

import bpy
import numpy as np
from numpy.typing import NDArray

from .coordinates import placed

__all__ = ["joining_mirror"]


def joining_mirror(
    obj: bpy.types.Object, positions: NDArray[np.float32], to_world: NDArray[np.float64]
) -> bpy.types.Modifier | None:
    """The shown Mirror modifier that merges vertices at `positions` Float[V,3] (object space, m) with their images.

    Simulated alone, such a half would leave the plane in which it is joined.
    """
    for modifier in obj.modifiers:
        if modifier.type == "MIRROR" and modifier.show_viewport and modifier.use_mirror_merge:
            local = positions
            if (other := modifier.mirror_object) is not None:
                to_other = np.linalg.pinv(np.array(other.matrix_world, np.float64)) @ to_world
                local = placed(positions, to_other)
            from_plane = np.abs(local[:, np.array(modifier.use_axis)])
            if (2.0 * from_plane <= modifier.merge_threshold).any():
                return modifier
    return None
