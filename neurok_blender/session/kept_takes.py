"""Takes that live as long as their .blend: written when it is saved, and back when it is opened again.

An object knows the name of its take's file; the folder is that of the .blend. What no object has any more is deleted
once the .blend has been saved without it.
"""

from __future__ import annotations

import secrets

import bpy
from bpy.app.translations import pgettext_rpt as rpt_

from ..errors import Refusal
from ..scene.take_files import ENDING, TakeUnfit, folder_of, read_take, write_take
from ..scene.takes import SceneTake, find_by_uid
from .state import Notice, session

__all__ = ["KeptTakes", "kept_takes"]


class KeptTakes:
    """`tick` brings back one take at a time."""

    def __init__(self) -> None:
        self._waiting: list[int] = []
        """session_uid of objects whose takes are to come back."""

    def opened(self) -> None:
        """A file was opened: its takes come back one by one."""
        self._waiting = [obj.session_uid for obj in bpy.data.objects if obj.neurok.take_file]

    def tick(self) -> bool:
        """Brings back the next take; whether there was one."""
        if not self._waiting or session.is_busy:
            return False
        obj = find_by_uid(bpy.data.objects, self._waiting[0])
        if obj is None:
            self._waiting.pop(0)
            return False
        return self.bring_back(obj)

    def bring_back(self, obj: bpy.types.Object) -> bool:
        """Brings back the take of this object, if it waits for that; whether that worked."""
        if obj.session_uid not in self._waiting:
            return False
        self._waiting.remove(obj.session_uid)
        if obj.type != "MESH" or obj.mode != "OBJECT" or session.take_of(obj) is not None:
            return False
        try:
            take = read_take(folder_of(bpy.data.filepath) / obj.neurok.take_file, bpy.context, obj)
        except (TakeUnfit, Refusal):
            return False  # the file stays, for the mesh may come back as it was
        take.file = obj.neurok.take_file
        session.takes[obj.data.session_uid] = take
        session.show_takes(bpy.context.scene.frame_current)
        return True

    def saving(self, blend: str) -> None:
        """Before a .blend is written: every take has its file, and its object the name of that."""
        if not blend:
            return  # Blender's own start-up file
        for obj in bpy.data.objects:
            if (take := session.take_of(obj)) is not None:
                self._write(obj, take, blend)

    def saved(self, blend: str) -> None:
        """The .blend is written: files of takes that no object has any more go."""
        if not blend:
            return
        used = {obj.neurok.take_file for obj in bpy.data.objects}
        for path in folder_of(blend).glob(f"*{ENDING}"):
            if path.name not in used:
                path.unlink(missing_ok=True)

    def _write(self, obj: bpy.types.Object, take: SceneTake, blend: str) -> None:
        take.file = take.file or f"{bpy.path.clean_name(obj.name)}-{secrets.token_hex(4)}{ENDING}"
        path = folder_of(blend) / take.file
        try:
            if not path.exists():
                write_take(path, take)
        except OSError as problem:
            session.notice = Notice(
                rpt_("The take of {} could not be written ({}).").format(obj.name, problem.strerror),
                "Bake it, or save to another folder.",
                bad=True,
            )
            return
        obj.neurok.take_file = take.file


kept_takes = KeptTakes()
