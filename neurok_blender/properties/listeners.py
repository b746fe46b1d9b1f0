"""Callbacks for changed properties.

Blender calls the `update` of a property; what answers to it lies in a room above and adds itself to the lists here.
"""

from __future__ import annotations

from collections.abc import Callable

import bpy

__all__ = [
    "joint_changed",
    "joint_listeners",
    "piece_changed",
    "piece_listeners",
    "piece_view_changed",
    "piece_view_listeners",
    "slider_changed",
    "slider_listeners",
    "take_changed",
    "take_listeners",
    "target_changed",
    "target_listeners",
]

Listener = Callable[[bpy.types.Object], None]

joint_listeners: list[Listener] = []
piece_listeners: list[Callable[[], None]] = []
piece_view_listeners: list[Callable[[], None]] = []
slider_listeners: list[Listener] = []
take_listeners: list[Listener] = []
target_listeners: list[Listener] = []


# Blender takes functions for `update`, no methods and nothing that is made by `partial`.
def joint_changed(owner: bpy.types.PropertyGroup, _context: bpy.types.Context) -> None:
    _call(joint_listeners, owner)


def piece_changed(_owner: bpy.types.PropertyGroup, _context: bpy.types.Context) -> None:
    """What is said of a piece of an object, or of all that has one Blender material."""
    for listener in piece_listeners:
        listener()


def piece_view_changed(_owner: bpy.types.PropertyGroup, _context: bpy.types.Context) -> None:
    for listener in piece_view_listeners:
        listener()


def slider_changed(owner: bpy.types.PropertyGroup, _context: bpy.types.Context) -> None:
    _call(slider_listeners, owner)


def take_changed(owner: bpy.types.PropertyGroup, _context: bpy.types.Context) -> None:
    _call(take_listeners, owner)


def target_changed(owner: bpy.types.PropertyGroup, _context: bpy.types.Context) -> None:
    _call(target_listeners, owner)


def _call(listeners: list[Listener], owner: bpy.types.PropertyGroup) -> None:
    for listener in listeners:
        listener(owner.id_data)
