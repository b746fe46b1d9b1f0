"""A PC2 file with the place of every vertex, and a Mesh Cache modifier that plays it.

Under the artist's shape keys the file moves the mesh without them, and the modifier carries along what they change.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import bpy
import numpy as np
from bpy.app.translations import pgettext_rpt as rpt_
from numpy.typing import NDArray

from ...errors import Refusal
from ...job.motion import Shape
from ..coordinates import placed
from ..decode import Decoder
from .base import BYTES_PER_VERTEX, Bake
from .cache_file import CacheWriter
from .ledger import foreign_keys
from .stack import add_modifier

__all__ = ["CacheBake"]

FOLDER = "neurok"


class CacheBake(Bake):
    """The file has a shape at each step; a last one that ends between steps is put at the end of its own."""

    _writer: CacheWriter | None = None

    def _prepare(self, obj: bpy.types.Object) -> None:
        self._has_keys = bool(foreign_keys(obj))
        if self._has_keys and self.take.snapshot.storage.inverse is not None:
            raise Refusal(
                rpt_("A point cache cannot carry the shape keys of {} along behind its other modifiers.").format(
                    obj.name
                ),
                "Bake it as Shape Keys or Armature.",
            )
        chosen = self.options.file
        if (not chosen or chosen.startswith("//")) and not bpy.data.filepath:
            raise Refusal(
                "A point cache is a file beside the .blend, which has never been saved.",
                "Save the .blend first (File > Save), or choose a file for the cache.",
            )
        self._path = self._free_path(obj, chosen)

    def _free_path(self, obj: bpy.types.Object, chosen: str) -> str:
        """Where the file goes, as the modifier names it; no other file is written over."""
        wanted = chosen or f"//{FOLDER}/{bpy.path.clean_name(obj.name)}.pc2"
        if not wanted.lower().endswith(".pc2"):
            wanted += ".pc2"
        stem, number, path = wanted[: -len(".pc2")], 2, wanted
        while Path(bpy.path.abspath(path)).exists():
            path, number = f"{stem}_{number}.pc2", number + 1
        if "//" not in path[:2] and not Path(path).is_absolute():
            raise Refusal(
                rpt_("{} is not an absolute path.").format(path),
                "Choose the file with the folder button, or begin it with //.",
            )
        return path

    @property
    def frame_end(self) -> int:
        return self.start + (len(self.indices) - 1) * self.options.step

    def _steps(self, context: bpy.types.Context) -> Iterator[None]:
        self.total = len(self.indices)
        path = Path(bpy.path.abspath(self._path))
        self._writer = CacheWriter(path, self._vertex_count, self.total)
        positions = self._without_keys() if self._has_keys else self.take.decoder
        for index in self.indices:
            self._writer.add(positions(self.take.motion.shapes[index]))
            self.done += 1
            yield
        self._writer.finish()
        obj, entry = self.take.object, self.entry
        entry.file, entry.count = self._path, self.total
        entry.megabytes = BYTES_PER_VERTEX * 1e-6 * self._vertex_count * self.total
        modifier = add_modifier(obj, entry, "MESH_CACHE")
        modifier.cache_format = "PC2"
        modifier.filepath = self._path
        modifier.deform_mode = "INTEGRATE" if self._has_keys else "OVERWRITE"
        modifier.play_mode, modifier.time_mode = "SCENE", "FRAME"
        # Shape number = scale * frame of the timeline - start.
        modifier.frame_scale = 1.0 / self.options.step
        modifier.frame_start = self.start / self.options.step

    def _without_keys(self) -> Callable[[Shape], NDArray[np.float32]]:
        """What finds the positions [V,3] (object space, m) to which a shape moves the mesh without its keys."""
        snapshot, decoder = self.take.snapshot, self.take.decoder
        if decoder.weights is None:
            return lambda shape: snapshot.original + (decoder(shape) - snapshot.evaluated)
        world = placed(snapshot.original, snapshot.to_world).astype(np.float32)
        return Decoder(decoder.weights, world, snapshot.to_object)

    def _abandon(self) -> None:
        if self._writer is not None:
            self._writer.cancel()
