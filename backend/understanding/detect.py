"""Joint detection in a static mesh: with the joint network where an engine is installed, else by simulation alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..errors import UserError
from ..geometry.mesh import Mesh
from ..joint_search.candidates import Progress
from ..joint_search.search import FoundJoints, find_joints
from ..texts import Text

__all__ = ["DetectedJoints", "detect_joints"]


@dataclass(frozen=True, eq=False)
class DetectedJoints:
    """Joints found in a mesh, and how: `engine` is "onnx" or "torch", None where simulation alone has chosen.

    `warnings` then name the reason.
    """

    found: FoundJoints
    engine: str | None = None
    warnings: tuple[Text, ...] = ()


def detect_joints(
    mesh: Mesh,
    labels: NDArray[np.int64] | None = None,
    names: Sequence[str] | None = None,
    progress: Progress | None = None,
) -> DetectedJoints:
    """Joint search by all available means; `labels` Int[F] and `names` as in `find_joints`. Raises UserError."""
    from ..learned.infer.joint_network.joint_prediction import JOINT_WEIGHTS, cached_engine
    from .network_joints import ranked_joints

    try:
        engine = cached_engine(JOINT_WEIGHTS).engine
    except UserError as problem:
        if problem.code != "no_engine":
            raise
        note = Text("network.simulation_alone", problem=problem.text)
        return DetectedJoints(find_joints(mesh, labels, names=names, progress=progress), warnings=(note,))
    return DetectedJoints(ranked_joints(mesh, labels, names, progress=progress), engine)
