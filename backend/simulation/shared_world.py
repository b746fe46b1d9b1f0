"""The world of a take, from the conditions that all its objects share: time, ground, colliders."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields, is_dataclass

import numpy as np

from ..dynamics.actor import Actor
from ..dynamics.conditions import Collider, Conditions
from ..dynamics.detection import MARGIN
from ..dynamics.obstacles import Obstacle
from ..dynamics.targets import RigidMotion
from ..dynamics.world import World
from ..errors import UserError, blamed
from ..geometry.collision_surface import collision_surface
from ..geometry.mesh import validate_mesh
from ..texts import Text

__all__ = ["world_of"]

SHARED = ("fps", "frames", "substeps", "gravity", "gravity_keys", "ground", "colliders")
COLLIDER_POINTS = 2_000_000  # colliders are met as they are


def _same(first: object, second: object) -> bool:
    """Equality that looks into arrays and records."""
    if isinstance(first, np.ndarray) or isinstance(second, np.ndarray):
        return np.array_equal(first, second)
    if isinstance(first, tuple) and isinstance(second, tuple):
        return len(first) == len(second) and all(_same(a, b) for a, b in zip(first, second, strict=True))
    if is_dataclass(first) and type(first) is type(second):
        return all(_same(getattr(first, entry.name), getattr(second, entry.name)) for entry in fields(first))
    return first == second


def _obstacle(collider: Collider, number: int, fps: float, fine: float) -> Obstacle:
    """`fine` (m): what stands out farther than this counts as an edge."""
    if collider.vertices is None or collider.triangles is None:
        raise UserError("bad_conditions.collider_file", number=number + 1, file=collider.mesh)
    frames = collider.vertices if collider.vertices.ndim == 3 else None
    drawn = collider.vertices if frames is None else frames[0]
    with blamed("within.condition", where=f"colliders[{number}]"):
        mesh = validate_mesh(drawn, collider.triangles)
    surface = collision_surface(mesh, COLLIDER_POINTS, fine)
    if collider.sides != "auto":
        surface = surface.with_sides(collider.sides == "one")
    motion = RigidMotion(collider.motion, mesh.vertices.mean(axis=0), fps) if collider.motion else None
    return Obstacle(
        surface,
        mesh.vertices[surface.vertices],
        collider.friction,
        collider.restitution,
        motion,
        None if frames is None else frames[:, surface.vertices],
        fps,
    )


def world_of(
    actors: Sequence[Actor], conditions: Sequence[Conditions], parts: int = 1, held: Sequence[Collider] = ()
) -> tuple[World, list[Text]]:
    """The world of a take and what should be said about it. Raises UserError where the objects' conditions disagree.

    `parts`: into how many steps of the world a frame of the conditions is cut; `held`: things of the objects' own that
    stand still.
    """
    shared = conditions[0]
    for number, other in enumerate(conditions[1:], 2):
        for name in SHARED:
            if not _same(getattr(shared, name), getattr(other, name)):
                raise UserError("bad_conditions.differs", name=name, number=number)
    fine = MARGIN * min(actor.size for actor in actors)
    met = (*shared.colliders, *held)
    obstacles = [_obstacle(collider, number, shared.fps, fine) for number, collider in enumerate(met)]
    world = World(
        actors,
        shared.ground,
        obstacles,
        float(np.linalg.norm(shared.gravity)),
        1.0 / (shared.fps * parts),
        shared.substeps,
    )
    warnings = []
    if world.overlap > 1e-3:
        warnings.append(Text("contact.inside", depth=world.overlap))
    return world, warnings
