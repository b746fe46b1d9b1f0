"""Which of an object's closenesses to itself are folds, and not its own neighbourhood or thickness."""

from __future__ import annotations

import numpy as np

from ..geometry.near_surface import Features
from .contact_shape import ContactShape

__all__ = ["folded"]

NEIGHBOURHOOD = 4.0  # mean edge lengths: what is nearer than this at rest is the same place
THICKNESS = 0.25  # of the size: what lies behind a face at rest and nearer than this is the other side of the material


def folded(shape: ContactShape, found: Features, margin: float) -> np.ndarray:
    """Rows Int[m] of `found` (features of the shape's own points) that are contacts of the object with itself."""
    triangles, rest = shape.surface.triangles, shape.rest
    corners = rest[triangles[found.triangle]]
    place = (found.share[:, None, :] @ corners)[:, 0]
    offset = rest[found.point] - place
    apart = np.sqrt((offset**2).sum(axis=1))
    size = float(np.ptp(rest, axis=0).max())
    edge = float(np.median(np.linalg.norm(rest[triangles[:, 0]] - rest[triangles[:, 1]], axis=1)))
    normal = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    ahead = (offset * normal).sum(axis=1) > 0.0
    closed = shape.surface.closed[found.triangle]
    own = (triangles[found.triangle] == found.point[:, None]).any(axis=1)
    through = closed & ~ahead & (apart < THICKNESS * size)
    # A gap in the drawn shape (two blades) is a contact however narrow; neighbours on one smooth sheet are not.
    near = apart < np.where(closed, 2.0 * margin, min(NEIGHBOURHOOD * edge, THICKNESS * size))
    return np.flatnonzero(~own & ~through & ~near & (found.gap > -5.0 * margin))
