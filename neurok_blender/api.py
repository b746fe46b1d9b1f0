"""The Python API: the buttons as functions that return when they are done, with arrays to read.

Everything that cannot be done raises `Refusal`, whose text says what to do instead. docs/scripting.md has examples.
"""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import dataclass
from math import inf
from typing import Any

import bpy
import numpy as np
from bpy.app.translations import pgettext_rpt as rpt_
from mathutils import Vector
from numpy.typing import NDArray

from .backend.texts import from_wire, in_english
from .errors import Refusal
from .job.motion import Shape
from .job.phases import Phase
from .job.requests import JobRequest, Task
from .scene import condition_list
from .scene.bakes.base import Baked
from .scene.bakes.kinds import BakeOptions, bake_of
from .scene.bakes.ledger import clear, switch_off, switch_on
from .scene.condition_defaults import set_condition_defaults
from .scene.conditions import conditions_of
from .scene.coordinates import placed
from .scene.impulses import poke_direction_to_world
from .scene.mesh_io import look_at
from .scene.pieces import say_of_piece
from .scene.provider import provider_of
from .scene.surface import default_poke, nearest_point
from .scene.takes import SceneTake
from .session.background_analysis import background_analysis
from .session.job_start import JobStart, NoPython, object_request
from .session.kept_takes import kept_takes
from .session.simulation import SCRIPT_BUDGET_SECONDS, SCRIPT_PAUSE_SECONDS, Outcome, Simulation
from .session.state import session
from .session.take_list import delete_take

__all__ = [
    "Motion",
    "Refusal",
    "add_condition",
    "add_poke",
    "analyse",
    "bake",
    "clear_bake",
    "conditions",
    "discard",
    "motion_of",
    "set_piece",
    "simulate",
]


@dataclass(frozen=True, eq=False)
class Motion:
    """The simulated motion of one object. Frames are those of the timeline."""

    take: SceneTake

    @property
    def frames(self) -> range:
        return range(self.take.frame_start, self.take.frame_end + 1)

    @property
    def fps(self) -> float:
        return self.take.motion.fps

    @property
    def weights(self) -> NDArray[np.float32] | None:
        """Float32[V,H]: how much each vertex belongs to each handle; None where the object is not skinned."""
        return self.take.motion.weights

    def handles(self, frame: int) -> NDArray[np.float32] | None:
        """Float32[H,3,4]: what each handle makes of a drawn place in the world, metres; None where there are none."""
        return self._shape(frame).handles

    def points(self, frame: int) -> NDArray[np.float32] | None:
        """Float32[V,3], world, metres: what is added to the handles' part, or positions where there are no handles."""
        return self._shape(frame).points

    def positions(self, frame: int) -> NDArray[np.float64]:
        """Float64[V,3]: where the vertices are in the world, metres."""
        return placed(self.take.decoder(self._shape(frame)), self.take.snapshot.to_world)

    def _shape(self, frame: int) -> Shape:
        return self.take.motion.shapes[self.take.index_at(frame)]


def analyse(obj: bpy.types.Object) -> dict[str, Any]:
    """The analysis: `provider`, `degrees_of_freedom`, `confidence`, `parts`, `mass` (kg), `warnings` and more."""
    provider = provider_of(obj)
    played = [] if obj.type != "MESH" else switch_off(obj)
    try:
        shape = look_at(bpy.context, obj)
    finally:
        switch_on(obj, played)
    known = background_analysis.finding_of(obj)
    if known is not None and known.key == shape.key(provider) and known.summary is not None:
        return in_english(from_wire(known.summary))
    if session.is_busy:
        raise Refusal("Something else is going on.", "Wait for its end, or press Esc to end it.")
    start = JobStart(JobRequest((object_request(obj, shape, provider),), Task.ANALYZE))
    try:
        while (runner := start.tick(SCRIPT_BUDGET_SECONDS)) is None:
            time.sleep(SCRIPT_PAUSE_SECONDS)
    except NoPython as problem:
        raise Refusal(problem.message, problem.remedy) from None
    while (state := runner.tick(SCRIPT_BUDGET_SECONDS)).busy:
        time.sleep(SCRIPT_PAUSE_SECONDS)
    if state.phase is not Phase.DONE or state.summary is None:
        raise Refusal(state.message, state.remedy)
    background_analysis.keep(obj.data.session_uid, shape, provider, state.summary, runner)
    return in_english(from_wire(state.summary))


def add_condition(obj: bpy.types.Object, kind: str, **values: Any):
    """A new row in the object's list: `kind` and the names of the values are those of `NEUROK_PG_condition`."""
    if kind == "POKE":
        condition = add_poke(obj)
    else:
        condition = condition_list.add_condition(obj, kind)
        set_condition_defaults(bpy.context, obj, condition)
    for name, value in values.items():
        setattr(condition, name, value)
    return condition


def add_poke(
    obj: bpy.types.Object,
    place: Iterable[float] | None = None,
    speed: Iterable[float] | None = None,
    frame: int | None = None,
):
    """A poke at the place of the surface nearest to `place` (world, m), from `frame` of the timeline on.

    `speed` (world, m/s) is what the whole object would take if it were rigid and free. Left out, the place is in front,
    the speed as high as shows, and the frame the first one.
    """
    session.show_originals()
    bpy.context.view_layer.update()
    try:
        if place is None:
            found = default_poke(bpy.context, obj)
        else:
            nearest = nearest_point(bpy.context, obj, obj.matrix_world.inverted_safe() @ Vector(place))
            found = None if nearest is None else (nearest, None)
        if found is None:
            raise Refusal(rpt_("{} has no surface to poke.").format(obj.name), "Give it faces first.")
        start = bpy.context.scene.neurok.frame_start if frame is None else frame
        condition = condition_list.add_poke(obj, found[0], start, found[1])
    finally:
        session.show_takes(bpy.context.scene.frame_current)
    if speed is not None:
        condition.vector = poke_direction_to_world(obj).inverted() @ Vector(speed)
    return condition


def set_piece(obj: bpy.types.Object, name: str, **values: str) -> None:
    """Says of the piece of this name its `material`, one of docs/materials.md, or its `behaviour`: rigid, soft, sheet.

    "auto" leaves that to the analysis again; `analyse` tells the names of the pieces.
    """
    if "behaviour" in values:
        values["behaviour"] = values["behaviour"].upper()
    if values.get("material") == "auto":
        values["material"] = ""
    say_of_piece(obj, name, **values)


def conditions(obj: bpy.types.Object) -> dict[str, Any]:
    """Everything that acts on the object, as the backend gets it: SI units, world space, frames from 1."""
    return conditions_of(bpy.context.scene, obj)


def simulate(*objects: bpy.types.Object) -> tuple[Motion, ...]:
    """The motion of each object; several are simulated together and bump into each other."""
    simulation = Simulation(bpy.context, objects)
    try:
        while (progress := simulation.tick(SCRIPT_BUDGET_SECONDS)).outcome is Outcome.RUNNING:
            time.sleep(SCRIPT_PAUSE_SECONDS)
    finally:
        simulation.abort()
    if progress.outcome is not Outcome.DONE:
        raise Refusal(progress.message, progress.remedy)
    return tuple(Motion(session.takes[obj.data.session_uid]) for obj in objects)


def motion_of(obj: bpy.types.Object) -> Motion | None:
    """The last simulation, until it is discarded; of a file that was opened, the one that it was saved with."""
    kept_takes.bring_back(obj)
    take = session.take_of(obj)
    return None if take is None else Motion(take)


def bake(obj: bpy.types.Object, kind: str = "SHAPE_KEYS", **options: Any) -> Baked:
    """Keeps the motion on the timeline: as "SHAPE_KEYS", "COMPRESSED", "ARMATURE" or "CACHE".

    The options are those of `BakeOptions`: `place`, `start`, `step`, `name`, `tolerance`, `influences`, `file`.
    """
    work = bake_of(bpy.context, obj, session.take_of(obj), BakeOptions(kind=kind, **options))
    work.advance(inf)
    return work.baked


def clear_bake(obj: bpy.types.Object, name: str) -> None:
    """Takes away all that was made for the baked take of this name."""
    entry = obj.neurok.bakes.get(name)
    if entry is None:
        raise Refusal(rpt_("{} has no baked take of the name {}.").format(obj.name, name), "Look at the list of takes.")
    clear(obj, entry)
    session.show_takes(bpy.context.scene.frame_current)


def discard(obj: bpy.types.Object) -> None:
    """Deletes the take that plays; the one above it in the list plays then, or the object has its own shape back."""
    delete_take(obj)
