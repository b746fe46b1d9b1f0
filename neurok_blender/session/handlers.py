"""Handlers: keep the shown shapes and the analyses up to date with time, undo, files and modes."""

import bpy
from bpy.app.handlers import persistent

from ..properties.listeners import joint_listeners, piece_listeners, slider_listeners, take_listeners, target_listeners
from ..scene.bakes.cache_file import remove_former
from ..scene.base_mesh import COPY_SCENE
from .background_analysis import background_analysis
from .ik_targets import follower
from .kept_takes import kept_takes
from .piece_rows import show_rows
from .screen import redraw_sidebars, show_status_again
from .state import Notice, session
from .take_list import sync, take_chosen

__all__ = ["attach", "detach"]

# How often the background is looked after while something goes on there, and while nothing does.
BUSY_SECONDS, IDLE_SECONDS = 0.05, 0.25


@persistent
def _frame_changed(scene, _depsgraph=None):
    if session.simulation is not None:
        session.simulation.frame_changed(scene.frame_current)
    _follow_sliders()
    if session.takes:
        session.show_takes(scene.frame_current)
    if not bpy.app.background and session.simulation is None and not bpy.app.is_job_running("RENDER"):
        follower.frame_changed(scene)


def _follow_sliders() -> None:
    """The timeline and undo change sliders without telling them so."""
    if session.pose is not None and (obj := session.pose.interactive.object) is not None:
        session.pose.sliders_moved(obj)


@persistent
def _history_moved(scene, _depsgraph=None):
    """After undo or redo any mesh may have come back posed or plain, and the notice in the panel is out of date."""
    if session.simulation is None:
        session.notice = Notice()
    background_analysis.changed()
    if not session.is_busy:
        sync()
    session.show_takes(bpy.context.scene.frame_current)
    _follow_sliders()
    show_status_again()


@persistent
def _before_save(blend, *_arguments):
    """Takes are written beside the .blend; files of replaced bakes go: undo brings those back without them."""
    session.show_originals()
    for obj in bpy.data.objects:
        for entry in obj.neurok.bakes:
            if entry.former:
                remove_former(obj, entry)
    kept_takes.saving(blend)


@persistent
def _after_save(blend, *_arguments):
    kept_takes.saved(blend)
    session.show_takes(bpy.context.scene.frame_current)


@persistent
def _save_failed(*_arguments):
    session.show_takes(bpy.context.scene.frame_current)


@persistent
def _before_load(*_arguments):
    session.abort()
    follower.forget()
    background_analysis.forget()
    session.forget_everything_shown()


@persistent
def _after_load(*_arguments):
    """A file written by autosave or before a crash may hold posed meshes; their originals are in it."""
    session.show_originals()
    kept_takes.opened()


@persistent
def _depsgraph_updated(scene, depsgraph=None):
    """Poses are for object mode only, and only for the objects that were simulated, as they were simulated."""
    if scene.name == COPY_SCENE:
        return
    for update in depsgraph.updates if depsgraph is not None else ():
        moved = update.is_updated_geometry or update.is_updated_transform
        if (
            moved
            and isinstance(update.id, bpy.types.Object | bpy.types.Mesh)
            and background_analysis.is_watched(update.id.original)
        ):
            background_analysis.changed()
    _note_moved_targets(depsgraph)
    if session.takes:
        session.drop_orphans()
        session.leave_edited()


def _note_moved_targets(depsgraph) -> None:
    """Objects follow the targets of their parts."""
    moved = {
        update.id.original
        for update in (depsgraph.updates if depsgraph is not None else ())
        if update.is_updated_transform and isinstance(update.id, bpy.types.Object)
    }
    if moved:
        for obj in bpy.data.objects:
            if len(obj.neurok.reaches) and any(entry.target in moved for entry in obj.neurok.reaches):
                follower.touch(obj)


_HANDLERS = (
    ("frame_change_post", _frame_changed),
    ("undo_post", _history_moved),
    ("redo_post", _history_moved),
    ("save_pre", _before_save),
    ("save_post", _after_save),
    ("save_post_fail", _save_failed),
    ("load_pre", _before_load),
    ("load_post", _after_load),
    ("depsgraph_update_post", _depsgraph_updated),
)


def _analyze_in_background() -> float:
    """Timer of the background analysis of the active object."""
    if background_analysis.tick() | show_rows(background_analysis.watched):
        redraw_sidebars()
    if kept_takes.tick() or (not session.is_busy and session.bake_sizes.tick()):
        redraw_sidebars()
    return BUSY_SECONDS if background_analysis.is_analyzing or session.bake_sizes.is_working else IDLE_SECONDS


def _sliders_changed(obj: bpy.types.Object) -> None:
    if session.pose is not None:
        session.pose.sliders_moved(obj)


def _take_chosen(obj: bpy.types.Object) -> None:
    if take_chosen(obj):
        kept_takes.want(obj)
    else:
        session.show_takes(bpy.context.scene.frame_current)


def _analysis_outdated(*_owner: bpy.types.Object) -> None:
    background_analysis.changed()


_LISTENERS = (
    (joint_listeners, _analysis_outdated),
    (piece_listeners, _analysis_outdated),
    (slider_listeners, _sliders_changed),
    (take_listeners, _take_chosen),
    (target_listeners, follower.touch),
)


def attach() -> None:
    for listeners, function in _LISTENERS:
        listeners.append(function)
    for name, function in _HANDLERS:
        getattr(bpy.app.handlers, name).append(function)
    bpy.app.timers.register(_analyze_in_background, first_interval=IDLE_SECONDS, persistent=True)


def detach() -> None:
    for listeners, function in _LISTENERS:
        listeners.remove(function)
    if bpy.app.timers.is_registered(_analyze_in_background):
        bpy.app.timers.unregister(_analyze_in_background)
    for name, function in _HANDLERS:
        handlers = getattr(bpy.app.handlers, name)
        if function in handlers:  # other scripts may have emptied the list
            handlers.remove(function)
