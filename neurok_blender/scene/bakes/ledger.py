"""The baked takes of an object: which play, what belongs to them, and taking exactly that away again.

Takes never overlap while they play. On the timeline each holds until the next one begins: its curves then go back to
the drawn shape from one frame to the next, while those of the next one come in.
"""

from __future__ import annotations

import json
from collections.abc import Iterator

import bpy
import numpy as np

from ..curves import curves_of, is_empty, points_of, release, remove_curves, set_points
from ..preview import PREVIEW_KEY
from .cache_file import remove_cache
from .rig import remove_rig

__all__ = [
    "clear",
    "entry_of",
    "foreign_keys",
    "key_name",
    "key_names",
    "key_path",
    "let_play",
    "overlapping",
    "playing",
    "schedule",
    "switch",
    "switch_off",
    "switch_on",
]


def entry_of(obj: bpy.types.Object, serial: int):
    """The entry with this number, None if it was removed."""
    return next((entry for entry in obj.neurok.bakes if entry.serial == serial), None)


def key_name(entry, number: int) -> str:
    """The shape key with this number, from 0, of those that are made for it."""
    return f"{entry.key_prefix} {number + 1:04d}"


def key_names(entry) -> list[str]:
    """The shape keys that were made for it."""
    return [key_name(entry, number) for number in range(entry.key_count)]


def key_path(name: str) -> str:
    """Data path of a shape key's value."""
    return f'key_blocks["{bpy.utils.escape_identifier(name)}"].value'


def foreign_keys(obj: bpy.types.Object) -> list[str]:
    """Shape keys that are the artist's own."""
    if obj.data.shape_keys is None:
        return []
    entries = [entry for entry in obj.neurok.bakes if entry.key_prefix]
    blocks = [block.name for block in obj.data.shape_keys.key_blocks]
    made_basis = any(not entry.artists_basis for entry in entries)
    ours = {PREVIEW_KEY, *blocks[: int(made_basis)]}
    for entry in entries:
        ours.update(key_names(entry))
    return [name for name in blocks if name not in ours]


# --- which play ---


def playing(obj: bpy.types.Object) -> list[int]:
    """The numbers of the takes that play."""
    return [entry.serial for entry in obj.neurok.bakes if entry.used]


def switch(obj: bpy.types.Object, entry, on: bool) -> None:
    """Lets a take play, or leaves the object as if it were not there."""
    entry.used = on
    for block in _blocks(obj, entry):
        block.mute = not on
    modifier = obj.modifiers.get(entry.modifier) if entry.modifier else None
    if modifier is not None:
        modifier.show_viewport = modifier.show_render = on


def switch_off(obj: bpy.types.Object) -> list[int]:
    """No take plays any more; which did."""
    before = playing(obj)
    for entry in obj.neurok.bakes:
        if entry.used:
            switch(obj, entry, False)
    return before


def switch_on(obj: bpy.types.Object, serials: list[int]) -> None:
    for entry in obj.neurok.bakes:
        if entry.serial in serials:
            switch(obj, entry, True)
    schedule(obj)


def let_play(obj: bpy.types.Object, serial: int, on: bool) -> None:
    """By the artist's will; those that play at the same frames make room."""
    entry = entry_of(obj, serial)
    if on:
        for other in list(overlapping(obj, entry.frame_start, entry.frame_end)):
            if other.serial != serial:
                switch(obj, other, False)
    switch(obj, entry, on)
    schedule(obj)
    obj.data.update()


def overlapping(obj: bpy.types.Object, start: int, end: int) -> Iterator:
    """The playing takes with frames between `start` and `end`."""
    return (each for each in obj.neurok.bakes if each.used and each.frame_start <= end and each.frame_end >= start)


def _blocks(obj: bpy.types.Object, entry) -> list[bpy.types.ShapeKey]:
    if not entry.key_prefix or obj.data.shape_keys is None:
        return []
    blocks = {block.name: block for block in obj.data.shape_keys.key_blocks}
    return [blocks[name] for name in key_names(entry) if name in blocks]


# --- one after the other ---


def schedule(obj: bpy.types.Object) -> None:
    """Makes each playing take come in after the one before it and go out before the one behind it."""
    takes = sorted(
        (each for each in obj.neurok.bakes if each.used and each.complete), key=lambda each: each.frame_start
    )
    for number, entry in enumerate(takes):
        following = takes[number + 1].frame_start if number + 1 < len(takes) else None
        wanted = (number > 0, following is not None, following or 0)
        if wanted != (entry.fades_in, entry.is_followed, entry.next_start):
            entry.fades_in, entry.is_followed, entry.next_start = wanted
            _fade(obj, entry)


def _fade(obj: bpy.types.Object, entry) -> None:
    if entry.key_prefix and obj.data.shape_keys is not None:
        paths = {key_path(name) for name in key_names(entry)}
        for curve in curves_of(obj.data.shape_keys) or ():
            if curve.data_path in paths:
                _fade_curve(curve, entry, 0.0)
    if entry.armature is not None:
        for curve in curves_of(entry.armature) or ():
            at_rest = curve.data_path.endswith("scale") or (
                curve.data_path.endswith("quaternion") and not curve.array_index
            )
            _fade_curve(curve, entry, float(at_rest))
    modifier = obj.modifiers.get(entry.modifier) if entry.modifier else None
    if modifier is not None and modifier.type == "MESH_CACHE":
        _fade_modifier(obj, entry)


def _fade_curve(curve: bpy.types.FCurve, entry, rest: float) -> None:
    """`rest` is the value that leaves the drawn shape as it is."""
    before = points_of(curve)
    points = before[(before[:, 0] > entry.frame_start - 0.5) & (before[:, 0] < entry.frame_end + 0.5)]
    if entry.fades_in and points[0, 1] != rest:
        points = np.vstack([(entry.frame_start - 1, rest), points])
    if entry.is_followed and points[-1, 1] != rest:
        ends = [(entry.next_start, rest)]
        if entry.next_start - 1 > points[-1, 0]:
            ends.insert(0, (entry.next_start - 1, points[-1, 1]))
        points = np.vstack([points, ends])
    if not np.array_equal(points, before):
        set_points(curve, points)


def _fade_modifier(obj: bpy.types.Object, entry) -> None:
    """A driver, because the object's own action is the artist's."""
    path = _factor_path(entry)
    _remove_driver(obj, path)
    obj.modifiers[entry.modifier].factor = 1.0
    terms = [f"clamp(frame - {entry.frame_start - 1})"] if entry.fades_in else []
    terms += [f"clamp({entry.next_start} - frame)"] if entry.is_followed else []
    if terms:
        driver = obj.driver_add(path).driver
        driver.type, driver.expression = "SCRIPTED", " * ".join(terms)


def _remove_driver(obj: bpy.types.Object, path: str) -> None:
    animation = obj.animation_data
    if animation is not None and any(curve.data_path == path for curve in animation.drivers):
        obj.driver_remove(path)


def _factor_path(entry) -> str:
    return f'modifiers["{bpy.utils.escape_identifier(entry.modifier)}"].factor'


# --- taking away ---


def clear(obj: bpy.types.Object, entry) -> None:
    """Removes the entry and everything that was made for it."""
    _clear_modifier(obj, entry)
    _clear_groups(obj, entry)
    remove_rig(obj, entry)
    _clear_keys(obj, entry)
    remove_cache(obj, entry)
    action = entry.action
    bakes = obj.neurok.bakes
    index = next(number for number, each in enumerate(bakes) if each.serial == entry.serial)
    bakes.remove(index)
    obj.neurok.active_bake = max(0, min(obj.neurok.active_bake, len(bakes) - 1))
    if action is not None and is_empty(action):
        bpy.data.actions.remove(action)
    schedule(obj)
    _tidy_animation(obj)
    obj.data.update()


def _clear_modifier(obj: bpy.types.Object, entry) -> None:
    modifier = obj.modifiers.get(entry.modifier) if entry.modifier else None
    if modifier is not None and modifier.type in ("ARMATURE", "MESH_CACHE"):
        _remove_driver(obj, _factor_path(entry))
        obj.modifiers.remove(modifier)


def _clear_groups(obj: bpy.types.Object, entry) -> None:
    active = obj.vertex_groups.active
    chosen = "" if active is None else active.name
    for name in json.loads(entry.groups) if entry.groups else ():
        if (group := obj.vertex_groups.get(name)) is not None:
            obj.vertex_groups.remove(group)
    if chosen in obj.vertex_groups:
        obj.vertex_groups.active_index = obj.vertex_groups[chosen].index


def _clear_keys(obj: bpy.types.Object, entry) -> None:
    """The basis goes with the last of ours, unless the artist has made it, or keys upon it."""
    if not entry.key_prefix or (keys := obj.data.shape_keys) is None:
        return
    names = set(key_names(entry))
    others = [block for block in keys.key_blocks[1:] if block.name not in names]
    remove_curves(keys, (key_path(name) for name in names))
    if not others and not entry.artists_basis:
        if entry.action is not None:
            release(keys, entry.action)
        obj.shape_key_clear()
        return
    active = obj.active_shape_key.name
    for block in _blocks(obj, entry):
        obj.shape_key_remove(block)
    obj.active_shape_key_index = max(keys.key_blocks.find(active), 0)
    if entry.action is not None and not curves_of(keys):
        release(keys, entry.action)
    _tidy_animation(keys)


def _tidy_animation(owner: bpy.types.Object | bpy.types.Key) -> None:
    """Removes animation data that is empty; it was made for a driver or an action of ours."""
    animation = owner.animation_data
    if animation is not None and animation.action is None and not animation.drivers and not animation.nla_tracks:
        owner.animation_data_clear()
