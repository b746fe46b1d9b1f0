"""Puts a sample's object into the scene and fills in its conditions."""

from __future__ import annotations

from collections.abc import Sequence

import bpy

__all__ = ["add_condition", "add_poke", "place_object"]

Vector = Sequence[float]


def place_object(context: bpy.types.Context, mesh: bpy.types.Mesh) -> bpy.types.Object:
    """Makes an object of `mesh` in the active collection, selected alone and active."""
    made = bpy.data.objects.new(mesh.name, mesh)
    context.collection.objects.link(made)
    context.view_layer.update()  # or the layer's list still holds what was just removed
    for other in context.view_layer.objects:
        other.select_set(other is made)
    context.view_layer.objects.active = made
    return made


def add_condition(owner: bpy.types.Object, kind: str, name: str) -> bpy.types.PropertyGroup:
    """A new, active condition of `kind` (POKE, VELOCITY, GROUND, WIND) at the end of the object's list."""
    condition = owner.neurok.conditions.add()
    condition.kind = kind
    condition.name = name
    owner.neurok.active_condition = len(owner.neurok.conditions) - 1
    return condition


def add_poke(owner: bpy.types.Object, location: Vector, vector: Vector, radius: float, frame: int) -> None:
    """A push at `location` (m, object space); the length of `vector` is the speed it gives (m/s)."""
    poke = add_condition(owner, "POKE", "Poke")
    poke.location = location
    poke.vector = vector
    poke.radius = radius
    poke.frame = frame
