"""Row of found joints: the provider `articulated` with joints found in the static mesh."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from ..geometry.mesh import Mesh
from ..kinematics.jointed import Jointed
from ..understanding.detect import DetectedJoints, detect_joints
from ..understanding.moving_parts import moving_parts
from .subject import Subject

__all__ = ["found_parts", "mesh_of"]


def mesh_of(subject: Subject) -> Mesh:
    """As the provider gets it; the objects that are measured have no materials."""
    return Mesh(subject.vertices, subject.triangles, np.zeros(len(subject.triangles), dtype=np.int64))


@lru_cache(maxsize=2)
def found_parts(subject: Subject, true_parts: bool) -> tuple[DetectedJoints, Jointed | None]:
    """Found joints with the true parts given, or parts found as the provider does; None where no part moves.

    Raises UserError.
    """
    mesh, labels = mesh_of(subject), None
    if true_parts:
        assert subject.truth is not None
        labels = subject.truth.weights.argmax(axis=1)[subject.triangles[:, 0]]
    known = detect_joints(mesh, labels)
    return known, moving_parts(known.found, mesh)
