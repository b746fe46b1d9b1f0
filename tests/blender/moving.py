"""Things that move while a take goes on, and what conditions say of them."""

import math

import bpy
import numpy as np

FRAMES = range(5, 25)  # of the takes of these tests


def add_empty(name="Target", **transform):
    empty = bpy.data.objects.new(name, None)
    bpy.context.scene.collection.objects.link(empty)
    for field, value in transform.items():
        setattr(empty, field, value)
    return empty


def animate(obj, path, values):
    """Keys at frames 1, 11, 21, ... with Blender's own smooth interpolation."""
    for number, value in enumerate(values):
        setattr(obj, path, value)
        obj.keyframe_insert(path, frame=1 + 10 * number)


def conditions(obj) -> dict:
    from neurok_blender.scene.conditions import conditions_of

    return conditions_of(bpy.context.scene, obj)


def moved(drawn, key):
    """Points that turn about their middle and go along, as the backend's conditions say it (Rodrigues)."""
    vector = np.array(key["rotation"])
    angle = np.linalg.norm(vector)
    x, y, z = vector / angle if angle > 0 else vector
    cross = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    turn = np.eye(3) + math.sin(angle) * cross + (1 - math.cos(angle)) * cross @ cross
    middle = drawn.mean(axis=0)
    return (drawn - middle) @ turn.T + middle + np.array(key["location"])
