"""The base of all bakes: checks, the entry in the list, work in small steps, and undoing it."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass

import bpy
import numpy as np
from bpy.app.translations import pgettext_rpt as rpt_

from ...errors import Refusal
from .. import preview
from ..curves import assign_action
from ..mesh_io import check_object, snapshot
from ..takes import SceneTake
from .cache_file import hand_over
from .ledger import clear, entry_of, overlapping, playing, schedule, switch, switch_off, switch_on

__all__ = ["Bake", "BakeOptions", "Baked", "baked_indices", "check_bake", "numbered"]

BYTES_PER_VERTEX = 12  # three float32


@dataclass(frozen=True)
class BakeOptions:
    """Options of a bake; see `NEUROK_PG_bake_settings` for what the numbers mean."""

    kind: str = "SHAPE_KEYS"
    place: str = "NEW"
    start: int | None = None
    """None: where it was simulated, or behind the take that it is appended to."""
    step: int = 1
    name: str = ""
    tolerance: float = 0.05
    influences: int = 4
    file: str = ""


@dataclass(frozen=True)
class Baked:
    """The result of a bake, for scripts."""

    name: str
    kind: str
    count: int
    """Shape keys, bones, or shapes in the file."""
    frames: range
    megabytes: float
    error: float
    """Largest distance of a vertex from where it was simulated, in metres of the object's own space."""


def check_bake(obj: bpy.types.Object | None, take: SceneTake | None) -> None:
    """Raises Refusal where a take cannot be baked, as far as that shows without reading the mesh."""
    check_object(obj)
    if obj.data.users > 1:
        raise Refusal(
            rpt_("Other objects share the mesh of {}.").format(obj.name),
            "Make it single-user first (Object > Relations > Make Single User > Object & Data), then simulate again.",
        )
    if take is None or take.frame_count == 0:
        raise Refusal(rpt_("There is no simulated motion for {}.").format(obj.name), "Press Simulate first.")


def baked_indices(count: int, step: int) -> list[int]:
    """Of `count` frames every step-th, and the last one."""
    return sorted({*range(0, count, step), count - 1})


class Bake:
    """Call `advance` until it says that all is `done`, or `cancel`, which leaves everything as it was.

    Between calls nothing of Blender's is held but by name or number: undo may put others in its place.
    """

    def __init__(self, context: bpy.types.Context, obj: bpy.types.Object | None, take: SceneTake | None, options):
        """Raises Refusal."""
        check_bake(obj, take)
        self.options: BakeOptions = options
        self.take = take
        self.indices = baked_indices(take.frame_count, options.step)
        """Which frames of the take are baked, counted from 0."""
        self._before = playing(obj)
        self._chosen = self._choose(obj)
        self.start = self._first_frame(obj)
        self._prepare(obj)
        if obj.mode != "OBJECT":
            bpy.ops.object.mode_set(mode="OBJECT")
        switch_off(obj)
        try:
            now = snapshot(context, obj)
            if not np.array_equal(now.original, take.snapshot.original) or not now.is_like(take.snapshot):
                raise Refusal(rpt_("{} has changed since it was simulated.").format(obj.name), "Press Simulate again.")
        except Refusal:
            switch_on(obj, self._before)
            raise
        self.done, self.total = 0, 1
        preview.restore(obj.data)
        self._serial = self._add_entry(obj)
        self._vertex_count = len(obj.data.vertices)
        self._work = self._steps(context)

    # --- what kinds of bakes add ---

    def _prepare(self, obj: bpy.types.Object) -> None:
        """Raises Refusal for more reasons, before anything is changed."""

    def _steps(self, context: bpy.types.Context) -> Iterator[None]:
        """The work, each part of which takes at most about 20 ms."""
        raise NotImplementedError

    def _is_whole(self, obj: bpy.types.Object) -> bool:
        """Whether the data made so far is unchanged."""
        return True

    def _abandon(self) -> None:
        """Closes and removes what is outside the .blend."""

    # --- going on ---

    def advance(self, budget_seconds: float) -> bool:
        """Goes on for at most about `budget_seconds`, inf for scripts; whether all is there.

        Raises Refusal. Whatever it raises, the bake is cancelled.
        """
        until = time.monotonic() + budget_seconds
        try:
            obj = self.object_or_refusal()
            while True:
                try:
                    next(self._work)
                except StopIteration:
                    self._finish(obj)
                    return True
                except OSError as error:
                    raise Refusal(
                        rpt_("The file cannot be written: {}.").format(error.strerror or error),
                        "Choose another place for it, or make room there.",
                    ) from None
                if time.monotonic() >= until:
                    obj.data.update()
                    return False
        except BaseException:
            self.cancel()
            raise

    def cancel(self) -> None:
        """Removes everything that it has made."""
        self._abandon()
        obj = self.take.object
        entry = None if obj is None else entry_of(obj, self._serial)
        if entry is not None and obj.mode == "OBJECT":
            clear(obj, entry)
            switch_on(obj, self._before)

    def object_or_refusal(self) -> bpy.types.Object:
        obj = self.take.object
        if obj is None:
            raise Refusal("The object is no longer there.", "Undo brings it back.")
        same = entry_of(obj, self._serial) is not None and len(obj.data.vertices) == self._vertex_count
        if not same or obj.mode != "OBJECT" or not self._is_whole(obj):
            raise Refusal(rpt_("{} was changed while it was baked.").format(obj.name), "Bake again.")
        return obj

    @property
    def entry(self):
        """The entry of this bake; the object must exist."""
        return entry_of(self.take.object, self._serial)

    @property
    def baked(self) -> Baked:
        entry = self.entry
        frames = range(entry.frame_start, entry.frame_end + 1)
        return Baked(entry.name, entry.kind, entry.count, frames, entry.megabytes, entry.error)

    def _act(self, owner: bpy.types.Key | bpy.types.Object) -> bpy.types.Action:
        """Gives `owner` an action where it has none: from Blender 4.4 on that of the object's other baked takes.

        The action by which it moves; the entry knows it unless it is the artist's.
        """
        obj = self.take.object
        ours = [each.action for each in obj.neurok.bakes if each.action is not None]
        before = None if owner.animation_data is None else owner.animation_data.action
        action = assign_action(owner, ours[0] if ours else None, f"{obj.name} NeuROK")
        if before is None or before in ours:
            self.entry.action = action
        return action

    # --- frames ---

    def frame(self, index: int) -> int:
        """Where a frame of the take goes on the timeline."""
        return self.start + index

    @property
    def frame_end(self) -> int:
        return self.frame(self.indices[-1])

    def _first_frame(self, obj: bpy.types.Object) -> int:
        if self.options.place == "APPEND" and self._chosen is not None:
            return entry_of(obj, self._chosen).frame_end + 1
        return self.take.frame_start if self.options.start is None else self.options.start

    # --- the entry ---

    def _choose(self, obj: bpy.types.Object) -> int | None:
        """The number of the take that is replaced or appended to."""
        bakes, active = obj.neurok.bakes, obj.neurok.active_bake
        return bakes[active].serial if self.options.place != "NEW" and active < len(bakes) else None

    def _add_entry(self, obj: bpy.types.Object) -> int:
        bakes = obj.neurok.bakes
        names = {each.name for each in bakes} | {each.key_prefix for each in bakes}
        wanted = self.options.name or "NeuROK"
        name = next(each for each in numbered(wanted) if each not in names)
        serial = max((each.serial for each in bakes), default=0) + 1
        entry = bakes.add()
        entry.name, entry.kind, entry.serial, entry.used = name, self.options.kind, serial, True
        entry.take = self.take.uid
        entry.frame_start, entry.frame_end, entry.step = self.start, self.frame_end, self.options.step
        return serial

    def _finish(self, obj: bpy.types.Object) -> None:
        """The takes that play from now on are this one and those that it leaves room for."""
        if self.options.place == "REPLACE" and self._chosen is not None:
            former = entry_of(obj, self._chosen)
            name = former.name
            hand_over(former, self.entry)
            clear(obj, former)
            if not self.options.name:
                self.entry.name = name
        entry = self.entry
        entry.complete = True
        wanted = set(self._before) | ({self._chosen} if self.options.place == "APPEND" else set())
        for each in obj.neurok.bakes:
            if each.serial in wanted:
                switch(obj, each, True)
        for each in list(overlapping(obj, entry.frame_start, entry.frame_end)):
            if each.serial != self._serial:
                switch(obj, each, False)
        schedule(obj)
        obj.neurok.active_bake = len(obj.neurok.bakes) - 1
        obj.data.update()


def numbered(name: str) -> Iterator[str]:
    """The name, and then the same with 2, 3 and so on."""
    yield name
    number = 2
    while True:
        yield f"{name} {number}"
        number += 1
