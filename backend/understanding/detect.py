"""The joints of a static mesh by all that is there to tell them: with the network, where it can be computed."""

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

__all__ = ["KnownJoints", "known_joints"]


@dataclass(frozen=True, eq=False)
class KnownJoints:
    """`engine`: "onnx" or "torch", by which the network was computed, None where simulation alone has chosen;

    `warnings` say so.
    """

    found: FoundJoints
    engine: str | None = None
    warnings: tuple[Text, ...] = ()


def known_joints(
    mesh: Mesh,
    labels: NDArray[np.int64] | None = None,
    names: Sequence[str] | None = None,
    progress: Progress | None = None,
) -> KnownJoints:
    """`labels` Int[F] and `names` as in `find_joints`. Raises UserError."""
    from ..learned.infer.joint_network.judging import JOINT_WEIGHTS, kept_engine
    from .network_joints import judged_joints

    try:
        engine = kept_engine(JOINT_WEIGHTS).engine
    except UserError as problem:
        if problem.code != "no_engine":
            raise
        told = Text("network.simulation_alone", problem=problem.text)
        return KnownJoints(find_joints(mesh, labels, names=names, progress=progress), warnings=(told,))
    return KnownJoints(judged_joints(mesh, labels, names, progress=progress), engine)
