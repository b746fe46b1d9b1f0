"""The takes of an object: all that was simulated, recorded or posed is in one list, and the chosen one plays.

A motion is on the shelf of the session, in its file beside the .blend, or both; the list with names is the object's.
Undo takes no take away: what is on the shelf is listed again.
"""

from __future__ import annotations

import time
from dataclasses import replace

import bpy

from ..errors import Refusal
from ..scene import preview
from ..scene.bakes.base import numbered
from ..scene.bakes.ledger import switch_off, switch_on
from ..scene.mirrored import half_again
from ..scene.take_files import TakeUnfit, folder_of, read_take
from ..scene.takes import SceneTake
from .state import Notice, session

__all__ = ["add_take", "chosen", "delete_take", "half_if_unused", "is_baked", "play_entry", "sync", "take_chosen"]

DATE = "%Y-%m-%d %H:%M"
_following = False  # the list follows, it does not lead


def add_take(take: SceneTake, name: str, instead_of: str = "") -> None:
    """Appends a take to the list of its object, or puts it in place of the one with that identifier; and plays it."""
    obj = take.object
    if obj is None:
        return
    former = _entry_with(obj, instead_of)
    if former is not None:
        session.shelf.pop(instead_of, None)
        take.name, former.uid, former.file = former.name, take.uid, ""
    else:
        taken = {each.name for each in obj.neurok.takes}
        take.name = next(each for each in numbered(name) if each not in taken)
    take.date = time.strftime(DATE)
    session.shelf[take.uid] = take
    _list(obj, take)
    _play(obj, take)


def _list(obj: bpy.types.Object, take: SceneTake) -> None:
    entry = _entry_with(obj, take.uid)
    if entry is None:
        entry = obj.neurok.takes.add()
        entry.uid, entry.name = take.uid, take.name
    entry.frame_start, entry.frame_count, entry.date = take.frame_start, take.frame_count, take.date
    entry.megabytes = take.nbytes / 1e6


def _play(obj: bpy.types.Object, take: SceneTake) -> None:
    session.takes[obj.data.session_uid] = take
    number = next((number for number, each in enumerate(obj.neurok.takes) if each.uid == take.uid), -1)
    if number >= 0:
        _choose(obj, number)


def _choose(obj: bpy.types.Object, number: int) -> None:
    """The list follows what plays."""
    global _following
    _following = True
    obj.neurok.active_take = number
    _following = False


def _entry_with(obj: bpy.types.Object, uid: str):
    return next((each for each in obj.neurok.takes if each.uid == uid), None)


def chosen(obj: bpy.types.Object):
    """The entry that is chosen in the list, None where it is empty."""
    settings = obj.neurok
    return settings.takes[settings.active_take] if 0 <= settings.active_take < len(settings.takes) else None


def is_baked(obj: bpy.types.Object, entry) -> bool:
    """Whether a baked take that is there has the motion of this entry."""
    return any(each.take == entry.uid for each in obj.neurok.bakes)


def take_chosen(obj: bpy.types.Object) -> bool:
    """Another entry was chosen by hand: it plays, if its motion is in memory; whether it must be read from its file."""
    entry, take = chosen(obj), session.take_of(obj)
    if _following or entry is None or session.is_busy or (take is not None and take.uid == entry.uid):
        return False
    switch_off(obj)
    if entry.uid not in session.shelf:
        return bool(entry.file)
    play_entry(obj)
    return False


def play_entry(obj: bpy.types.Object) -> bool:
    """Plays the chosen entry of an object in object mode, read from its file where it must be; whether that worked."""
    entry = chosen(obj)
    if entry is None or obj.mode != "OBJECT":
        return False
    take = session.shelf.get(entry.uid)
    if take is None:
        played = switch_off(obj)  # the mesh is compared as it was drawn, without what was baked
        try:
            take = read_take(folder_of(bpy.data.filepath) / entry.file, bpy.context, obj)
        except (TakeUnfit, Refusal):  # its file stays, for the mesh may come back as it was
            session.notice = Notice(
                "The take does not fit the mesh as it is now.", "Undo the changes of the mesh, if any."
            )
            return False
        finally:
            switch_on(obj, played)
        take.uid, take.name, take.date = entry.uid, entry.name, entry.date
        session.shelf[take.uid] = take
    if take.object != obj:  # the object is a copy
        take = replace(take, object_uid=obj.session_uid, mesh_uid=obj.data.session_uid)
    _play(obj, take)
    session.show_takes(bpy.context.scene.frame_current)
    return True


def delete_take(obj: bpy.types.Object) -> None:
    """Deletes the chosen take; its file goes when the .blend is saved. The one above it in the list plays then."""
    settings = obj.neurok
    playing = session.take_of(obj)
    entry = chosen(obj)
    if entry is not None:
        session.shelf.pop(entry.uid, None)
        settings.takes.remove(settings.active_take)
    if playing is not None:
        session.takes.pop(obj.data.session_uid, None)
        preview.restore(obj.data)
    if len(settings.takes):
        _choose(obj, min(max(settings.active_take - 1, 0), len(settings.takes) - 1))
        play_entry(obj)
    half_if_unused(obj)


def half_if_unused(obj: bpy.types.Object | None) -> None:
    """The drawn half of an object comes back where nothing needs its whole any more."""
    if obj is not None and obj.type == "MESH" and session.take_of(obj) is None:
        settings = obj.neurok
        if not any(len(each) for each in (settings.takes, settings.bakes, settings.joints)):
            half_again(obj)


def sync() -> None:
    """After undo or redo: what is on the shelf is listed, what has neither a motion nor a file is not."""
    for take in session.shelf.values():
        if (obj := take.object) is not None and _entry_with(obj, take.uid) is None:
            _list(obj, take)
    for obj in bpy.data.objects:
        takes = obj.neurok.takes
        for number in reversed(range(len(takes))):
            if not takes[number].file and takes[number].uid not in session.shelf:
                takes.remove(number)
        if not len(takes):
            continue
        playing = session.take_of(obj)
        if playing is None and (entry := chosen(obj)) is not None:
            playing = session.shelf.get(entry.uid)
        if playing is not None and playing.object == obj:
            _play(obj, playing)
