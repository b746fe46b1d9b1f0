"""Takes that live as long as their .blend: written when it is saved, and back when it is opened again.

An entry in an object's list of takes knows the name of its file; the folder is that of the .blend. What no object has
any more is deleted once the .blend has been saved without it.
"""

from __future__ import annotations

import shutil

import bpy
from bpy.app.translations import pgettext_rpt as rpt_

from ..scene.take_files import ENDING, folder_of, write_take
from ..scene.takes import find_by_uid
from .state import Notice, session
from .take_list import chosen, play_entry

__all__ = ["KeptTakes", "kept_takes"]


class KeptTakes:
    """`tick` brings back one take at a time."""

    def __init__(self) -> None:
        self._waiting: list[int] = []
        """session_uid of objects whose chosen takes are to come from their files."""

    def opened(self) -> None:
        """A file was opened: its takes come back one by one."""
        self._waiting = [
            obj.session_uid for obj in bpy.data.objects if (entry := chosen(obj)) is not None and entry.file
        ]

    def is_waiting(self, obj: bpy.types.Object) -> bool:
        """Whether the chosen take of the object is still to come from its file."""
        return obj.session_uid in self._waiting

    def want(self, obj: bpy.types.Object) -> None:
        """The chosen take of the object is to come from its file."""
        if obj.session_uid not in self._waiting:
            self._waiting.append(obj.session_uid)

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
        """Brings back the chosen take of this object, if it waits for that; whether that worked."""
        if obj.session_uid not in self._waiting:
            return False
        self._waiting.remove(obj.session_uid)
        return obj.type == "MESH" and play_entry(obj)

    def saving(self, blend: str) -> None:
        """Before a .blend is written: every take has its file, and its entry the name of that."""
        if not blend:
            return  # Blender's own start-up file
        for obj in bpy.data.objects:
            for entry in obj.neurok.takes:
                self._write(obj, entry, blend)

    def saved(self, blend: str) -> None:
        """The .blend is written: files of takes that no object has any more go."""
        if not blend:
            return
        used = {entry.file for obj in bpy.data.objects for entry in obj.neurok.takes}
        for path in folder_of(blend).glob(f"*{ENDING}"):
            if path.name not in used:
                path.unlink(missing_ok=True)

    @staticmethod
    def _write(obj: bpy.types.Object, entry, blend: str) -> None:
        name = entry.file or f"{bpy.path.clean_name(obj.name)}-{entry.uid}{ENDING}"
        path, take = folder_of(blend) / name, session.shelf.get(entry.uid)
        try:
            if not path.exists() and take is not None:
                write_take(path, take)
            elif not path.exists() and (former := folder_of(bpy.data.filepath) / name).exists():
                path.parent.mkdir(parents=True, exist_ok=True)  # the .blend is saved to another place
                shutil.copyfile(former, path)
        except OSError as problem:
            session.notice = Notice(
                rpt_("The take of {} could not be written ({}).").format(obj.name, problem.strerror),
                "Bake it, or save to another folder.",
                bad=True,
            )
            return
        if take is not None:
            entry.file = name


kept_takes = KeptTakes()
