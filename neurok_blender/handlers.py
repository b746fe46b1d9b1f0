"""Blender's calls: keeps what meshes show in step with time, undo, files and modes."""

import bpy
from bpy.app.handlers import persistent

from .session import Notice, session

__all__ = ["attach", "detach"]


@persistent
def _frame_changed(scene, _depsgraph=None):
    if session.takes:
        session.show_takes(scene.frame_current)


@persistent
def _history_moved(scene, _depsgraph=None):
    """After undo or redo any mesh may have come back posed or plain, and what the panel told is of another time."""
    if session.simulation is None:
        session.notice = Notice()
    session.show_takes(bpy.context.scene.frame_current)


@persistent
def _before_save(*_arguments):
    session.show_originals()


@persistent
def _after_save(*_arguments):
    session.show_takes(bpy.context.scene.frame_current)


@persistent
def _before_load(*_arguments):
    session.abort_simulation()
    session.forget_everything_shown()


@persistent
def _after_load(*_arguments):
    """A file written by autosave or before a crash may hold posed meshes; their originals are in it."""
    session.show_originals()


@persistent
def _depsgraph_updated(_scene, _depsgraph=None):
    """Poses are for object mode only, and only for the objects that were simulated, as they were simulated."""
    if session.takes:
        session.drop_orphans()
        session.leave_edited()


_HANDLERS = (
    ("frame_change_post", _frame_changed),
    ("undo_post", _history_moved),
    ("redo_post", _history_moved),
    ("save_pre", _before_save),
    ("save_post", _after_save),
    ("save_post_fail", _after_save),
    ("load_pre", _before_load),
    ("load_post", _after_load),
    ("depsgraph_update_post", _depsgraph_updated),
)


def attach() -> None:
    for name, function in _HANDLERS:
        getattr(bpy.app.handlers, name).append(function)


def detach() -> None:
    for name, function in _HANDLERS:
        getattr(bpy.app.handlers, name).remove(function)
