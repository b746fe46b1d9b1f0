"""Joints as a request of the worker says them: apart from the vertices, so that there may be any number of parts."""

from __future__ import annotations

import numpy as np

from .. import protocol
from ..errors import UserError
from ..kinematics.jointed import Jointed
from ..kinematics.joints_json import part_inertia, read_tree

__all__ = ["joints_of"]


def joints_of(message: protocol.Message) -> Jointed:
    """Under "joints" parts (without vertices) and joints as the condition of that name has them, and the array "part"

    int32 (V,), the number of each vertex's part. Raises UserError.
    """
    part = message.arrays.get("part")
    if part is None or part.dtype.name != "int32" or part.ndim != 1:
        raise UserError("bad_request.part_of_vertices", request=message.type)
    tree, parts = read_tree(message.header.get("joints"))
    return Jointed(tree, part.astype(np.int64), tuple(part_inertia(each) for each in parts))
