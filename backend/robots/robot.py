"""A jointed object as robot formats describe it: links with frames, meshes, convex hulls and inertias."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import ConvexHull, QhullError

from ..bodies.jointed_body import part_inertias
from ..geometry.mesh import Mesh
from ..geometry.part_clouds import part_clouds
from ..kinematics.base import Array
from ..kinematics.inertia import Inertia
from ..kinematics.joint_tree import WORLD, Joint, JointTree
from ..kinematics.jointed import Jointed
from ..kinematics.node_material import Region

__all__ = ["Robot", "unique_names"]

DENSITY = 1000.0  # kg/m^3, of parts that come without a mass
THINNEST = 2e-3  # of the size of a hull: flat parts get as thick, because engines want a volume


def unique_names(names: Sequence[str], taken: Sequence[str] = ()) -> list[str]:
    """Names of letters, digits, - and _ alone, each once, as every reader of robot files accepts them."""
    used, result = set(taken), []
    for name in names:
        plain = re.sub(r"[^A-Za-z0-9_-]+", "_", name).strip("_") or "part"
        number, tried = 2, plain
        while tried in used:
            tried, number = f"{plain}_{number}", number + 1
        used.add(tried)
        result.append(tried)
    return result


@dataclass(frozen=True, eq=False)
class Robot:
    """Every link's frame lies at a point of the axis of its joint, with the axes of the object's frame."""

    name: str
    mesh: Mesh
    jointed: Jointed
    inertias: tuple[Inertia, ...]

    @classmethod
    def of(
        cls, name: str, mesh: Mesh, jointed: Jointed, density: float = DENSITY, regions: Sequence[Region] = ()
    ) -> Robot:
        """Masses are those of the file where it gave any, else those of the material of each part."""
        cloud, node_part = part_clouds(mesh, jointed.part)
        return cls(name, mesh, jointed, part_inertias(mesh, cloud, node_part, jointed, density, regions))

    @property
    def tree(self) -> JointTree:
        return self.jointed.tree

    @cached_property
    def links(self) -> list[str]:
        """Names of the links, which are the parts."""
        return unique_names(self.tree.parts, ("world",))

    @cached_property
    def joints(self) -> dict[int, str]:
        """Names of the joints by their child parts."""
        hung = [joint for part in self.tree.order if (joint := self.tree.joint_of(part)) is not None]
        names = unique_names([joint.name or f"{self.tree.parts[joint.child]}_joint" for joint in hung])
        return {joint.child: name for joint, name in zip(hung, names, strict=True)}

    def origin(self, part: int) -> Array:
        """Where a link's frame is, Float[3]; WORLD is the object's own."""
        joint = None if part == WORLD else self.tree.joint_of(part)
        return np.zeros(3) if joint is None or not joint.moves else joint.origin

    def place(self, joint: Joint) -> Array:
        """Where a link's frame is in that of its parent, Float[3]."""
        return self.origin(joint.child) - self.origin(joint.parent)

    def visual(self, part: int) -> tuple[Array, NDArray[np.int64]] | None:
        """Vertices in the link's frame and triangles; None where the part has no surface."""
        faces = self.mesh.triangles[self.jointed.part[self.mesh.triangles[:, 0]] == part]
        if not len(faces):
            return None
        vertices, corners = np.unique(faces, return_inverse=True)
        return self.mesh.vertices[vertices] - self.origin(part), corners.reshape(-1, 3)

    def hull(self, part: int) -> tuple[Array, NDArray[np.int64]] | None:
        """The convex hull of a part in its link's frame, faces outwards, never without a volume."""
        seen = self.visual(part)
        if seen is None:
            return None
        points = seen[0]
        size = float(np.ptp(points, axis=0).max())
        if size == 0.0:
            return None
        axes = np.linalg.svd(points - points.mean(axis=0), full_matrices=False)[2]
        for axis in axes:
            if np.ptp(points @ axis) < THINNEST * size:
                points = np.concatenate([points + 0.5 * THINNEST * size * axis, points - 0.5 * THINNEST * size * axis])
        try:
            found = ConvexHull(points)
        except QhullError:
            return None
        corners, faces = np.unique(found.simplices, return_inverse=True)
        vertices, faces = points[corners], faces.reshape(-1, 3)
        normal = np.cross(vertices[faces[:, 1]] - vertices[faces[:, 0]], vertices[faces[:, 2]] - vertices[faces[:, 0]])
        inwards = np.einsum("fi,fi->f", normal, found.equations[:, :3]) < 0.0
        faces[inwards] = faces[inwards][:, ::-1]
        return vertices, faces

    @cached_property
    def overlapping(self) -> list[tuple[int, int]]:
        """Pairs of parts whose boxes overlap as drawn: collisions between their hulls mean nothing."""
        boxes = {}
        for part in range(len(self.tree.parts)):
            vertices = self.mesh.vertices[self.jointed.part == part]
            if len(vertices):
                boxes[part] = vertices.min(axis=0), vertices.max(axis=0)
        near = 1e-3 * float(np.ptp(self.mesh.vertices, axis=0).max())
        pairs = [(one, other) for one in boxes for other in boxes if one < other]
        return [
            (one, other)
            for one, other in pairs
            if (boxes[one][0] - near <= boxes[other][1]).all() and (boxes[other][0] - near <= boxes[one][1]).all()
        ]
