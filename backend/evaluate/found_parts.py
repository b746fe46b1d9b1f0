"""Joints found in the static mesh: the provider `articulated` among what is compared."""

from __future__ import annotations

import numpy as np

from ..articulation.jointed import Jointed
from ..geometry.mesh import Mesh
from ..joints.known import known_joints
from ..joints.moving_parts import moving_parts
from .subject import Subject

__all__ = ["found_parts"]


def found_parts(subject: Subject, true_parts: bool) -> Jointed | None:
    """With the parts of the truth given, or sought as the provider seeks them; None where nothing is found to move.

    Raises UserError.
    """
    mesh = Mesh(subject.vertices, subject.triangles, np.zeros(len(subject.triangles), dtype=np.int64))
    labels = None
    if true_parts:
        assert subject.truth is not None
        labels = subject.truth.weights.argmax(axis=1)[subject.triangles[:, 0]]
    return moving_parts(known_joints(mesh, labels).found, mesh)
