"""From the properties in the .blend to the `conditions` that the backend understands (SI units, world space)."""

from __future__ import annotations

import bpy
from mathutils import Matrix, Vector

from ..errors import Refusal

__all__ = ["conditions_of", "poke_direction_to_world", "poke_vector_in_world", "provider_of"]

_PROVIDERS = {"AUTO": "auto", "ELASTIC": "elastic", "RIGID": "rigid", "LEARNED": "learned"}
_SUBSTEPS = {"AUTO": "auto", "FINE": 4, "FINEST": 8}


def provider_of(obj: bpy.types.Object) -> str:
    return _PROVIDERS[obj.neurok.provider]


def conditions_of(scene: bpy.types.Scene, obj: bpy.types.Object) -> dict:
    """Everything that acts on `obj` in `scene`; raises Refusal for what cannot be meant so."""
    settings, frames = obj.neurok, scene.neurok
    conditions = {
        "provider": provider_of(obj),
        "fps": scene.render.fps / scene.render.fps_base,
        "frames": frames.frame_count,
        "substeps": _SUBSTEPS[frames.quality],
        "gravity": list(scene.gravity) if scene.use_gravity else [0.0, 0.0, 0.0],
        "anchor": _anchor(obj),
        "settled": _settled(settings),
        "density": settings.density,
        "stiffness_hz": settings.stiffness_hz,
        "settle_seconds": settings.settle_seconds,
    }
    used = [condition for condition in settings.conditions if condition.enabled]
    pokes = [_poke(obj, condition, frames.frame_start) for condition in used if condition.kind == "POKE"]
    velocities = [_velocity(condition) for condition in used if condition.kind == "VELOCITY"]
    ground = _single(used, "GROUND", "floors")
    wind = _single(used, "WIND", "winds")
    if pokes:
        conditions["pokes"] = pokes
    if velocities:
        conditions["velocities"] = velocities
    if ground is not None:
        conditions["ground"] = {
            "height": ground.height,
            "friction": ground.friction,
            "restitution": ground.restitution,
        }
    if wind is not None:
        conditions["wind"] = {"velocity": list(wind.velocity), "turbulence": wind.turbulence}
    return conditions


def poke_direction_to_world(obj: bpy.types.Object) -> Matrix:
    """The rotation [3,3] from the axes of a poke's vector to the world's.

    Scale is left out: a vector's length is a speed in m/s, however large the object is drawn.
    """
    return obj.matrix_world.to_quaternion().to_matrix()


def poke_vector_in_world(obj: bpy.types.Object, poke) -> Vector:
    """Direction and strength of a poke in world axes, m/s."""
    return poke_direction_to_world(obj) @ Vector(poke.vector)


def _poke(obj: bpy.types.Object, condition, frame_start: int) -> dict:
    if condition.frame < frame_start:
        raise Refusal(
            f"{condition.name} pokes at frame {condition.frame}, before the simulation starts.",
            f"Set its frame to {frame_start} or later.",
        )
    return {
        "point": list(obj.matrix_world @ Vector(condition.location)),
        "speed": list(poke_vector_in_world(obj, condition)),
        "radius": condition.radius,
        "start": condition.frame - frame_start + 1,
        "duration": condition.duration,
    }


def _velocity(condition) -> dict:
    return {"linear": list(condition.linear), "angular": list(condition.angular)}


def _single(used: list, kind: str, plural: str):
    found = [condition for condition in used if condition.kind == kind]
    if len(found) > 1:
        names = ", ".join(condition.name for condition in found)
        raise Refusal(f"There are several {plural} ({names}).", "Keep the eye open on one of them only.")
    return found[0] if found else None


def _settled(settings) -> bool | str:
    """The engine's "auto" means: at rest exactly when it holds the base itself."""
    if not settings.settled:
        return False
    return True if settings.anchor == "GROUP" else "auto"


def _anchor(obj: bpy.types.Object) -> str | dict:
    settings = obj.neurok
    if settings.anchor != "GROUP":
        return settings.anchor.lower()
    group = obj.vertex_groups.get(settings.anchor_group)
    if group is None:
        raise Refusal(
            f"The vertex group that holds {obj.name} is not there.",
            "Choose a vertex group under Held, or hold the object another way.",
        )
    vertices = [
        vertex.index
        for vertex in obj.data.vertices
        if any(item.group == group.index and item.weight > 0.0 for item in vertex.groups)
    ]
    if not vertices:
        raise Refusal(f"The vertex group {group.name} is empty.", "Assign vertices to it, or choose another.")
    return {"vertices": vertices}
