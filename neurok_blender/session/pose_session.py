"""Pose mode without the mouse: sliders, dragged vertices and random poses of one object, as the worker answers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import bpy
import numpy as np
from mathutils import Vector
from numpy.typing import NDArray

from ..job.answers import error_text
from ..job.motion import Shape
from ..job.runner import Answer
from ..properties.pose_properties import coordinate_values
from ..scene.sliders import found_sliders, make_sliders, set_sliders
from ..scene.takes import SceneTake
from .interactive_session import InteractiveSession, SessionPhase
from .state import session

__all__ = ["EXPLORED", "Drag", "Pose"]

EXPLORED = 6  # random poses to choose from
AT_ONCE = 64  # shapes that the worker gives in one answer
SAME = 1e-6

Float32 = NDArray[np.float32]


@dataclass
class Drag:
    """Vertices that are held where they are, and the one that is pulled, to places of the world (m)."""

    held: dict[int, Vector] = field(default_factory=dict)
    pulled: int | None = None
    target: Vector = field(default_factory=Vector)

    def arrays(self) -> dict[str, np.ndarray] | None:
        """For the worker; None where nothing is dragged."""
        places = dict(self.held)
        if self.pulled is not None:
            places[self.pulled] = self.target
        if not places:
            return None
        hard = [vertex in self.held and vertex != self.pulled for vertex in places]
        return {
            "vertices": np.array(list(places), np.int32),
            "targets": np.array([list(place) for place in places.values()], np.float32),
            "hard": np.array(hard, np.uint8),
        }


class Pose:
    """Call `tick` often. The sliders are those of `Object.neurok.coordinates`."""

    def __init__(self, context: bpy.types.Context, obj: bpy.types.Object | None):
        """Raises Refusal where the object cannot be posed."""
        self.interactive = InteractiveSession(context, obj)
        self.drag = Drag()
        self.shape: Shape | None = None
        """The shape that is shown."""
        self.explored: list[tuple[Float32, Shape]] = []
        """Random poses to choose from: coordinates [k] and shapes."""
        self.choices: tuple[int, ...] | None = None
        """The alternatives by which the joints move, once something was dragged; see `joint_alternatives`."""
        self._begin_sent = self._ready = False
        self._found: Mapping[str, Any] = {}  # what the worker says of the sliders
        self._shown: list[float] = []
        self._setting = False  # the sliders follow, they do not lead
        self._film: list[Shape] | None = None  # the keyed frames that have come, while they come
        self._film_values: list[list[float]] = []
        self._before_film = 0  # answers that come before its own: to what was slid last
        self._film_start = context.scene.neurok.frame_start
        self._fps = context.scene.render.fps / context.scene.render.fps_base
        session.pose = self

    @property
    def is_ready(self) -> bool:
        return self._ready and self.interactive.phase is SessionPhase.OPEN

    @property
    def is_filming(self) -> bool:
        return self._film is not None

    def tick(self, budget_seconds: float = 0.010) -> bool:
        """Handles the answers; true where the shown shape has changed."""
        news = False
        for answer in self.interactive.tick(budget_seconds):
            news |= self._take(answer)
        if self.interactive.phase is SessionPhase.OPEN and not self._begin_sent:
            self._begin_sent = True
            self.interactive.ask("coordinates")
        return news

    # --- what the artist asks for ---

    def sliders_moved(self, obj: bpy.types.Object) -> None:
        """A slider, undo or the timeline has changed the values."""
        if self._setting or not self.is_ready or obj.session_uid != self.interactive.object_uid or self.is_filming:
            return
        make_sliders(obj, self._found)
        values = coordinate_values(obj)
        if len(values) == len(self._shown) and np.abs(np.subtract(values, self._shown)).max(initial=0.0) < SAME:
            return
        self._shown = values
        self.drag = Drag()
        self.interactive.ask("shape", {"values": np.array([values], np.float32)}, "shape")

    def dragged(self) -> None:
        """The drag has changed."""
        arrays = self.drag.arrays()
        if self.is_ready and arrays is not None and not self.is_filming:
            self.interactive.ask("pose", arrays, "pose")

    def released(self) -> None:
        """The drag is over: what is shown is from now on what the sliders say, which is what keys and undo keep."""
        self.drag.pulled = None
        held, obj = self.drag, self.interactive.object
        if obj is not None:
            self._shown = []
            self.sliders_moved(obj)
            self.drag = held

    def explore(self, seed: int, count: int = EXPLORED) -> None:
        """Asks for random poses; one alone is taken at once."""
        if self.is_ready and not self.is_filming:
            self.interactive.ask("poses", None, "poses", count=count, seed=seed)

    def choose(self, number: int) -> None:
        """Takes one of the explored poses."""
        obj = self.interactive.object
        if obj is not None and number < len(self.explored):
            values, shape = self.explored[number]
            locked = [each.coordinate if each.locked else None for each in obj.neurok.coordinates]
            if any(value is not None for value in locked):
                kept = [float(v) if k is None else k for v, k in zip(values, locked, strict=True)]
                self._set_sliders(obj, kept)
                self.sliders_moved(obj)
            else:
                self._adopt(values, shape)

    def film(self, values: list[list[float]]) -> None:
        """Asks for the shapes of keyed poses, one for each frame; the take is there when they have come."""
        if self.is_ready and values:
            self._film, self._film_values, self._before_film = [], values, self.interactive.unanswered
            for begin in range(0, len(values), AT_ONCE):
                self.interactive.ask("shape", {"values": np.array(values[begin : begin + AT_ONCE], np.float32)})

    def take(self) -> SceneTake | None:
        """The keyed poses, or the pose that is shown as a take of one frame; None where nothing is."""
        film = self._film if self._film is not None else [] if self.shape is None else [self.shape]
        return self.interactive.take(self._film_start, self._fps, film)

    @property
    def film_is_complete(self) -> bool:
        return self._film is not None and len(self._film) == len(self._film_values)

    # --- what the worker answers ---

    def _take(self, answer: Answer) -> bool:
        header, arrays = answer.header, answer.arrays
        films, self._before_film = self._before_film == 0, max(self._before_film - 1, 0)
        match header["type"]:
            case "coordinates":
                self._begin(header)
            case "shapes" if films and self._film is not None and not self.film_is_complete:
                self._film.extend(Shape.rows_of(arrays))
            case "shapes" if "values" in arrays:
                self._explored(arrays["values"], Shape.rows_of(arrays))
            case "shapes":
                self._show(Shape.rows_of(arrays)[0])
            case "posed":
                self.choices = tuple(header["choices"])
                self._adopt(arrays["values"], Shape.of(arrays))
                if not header["converged"]:
                    self.dragged()
            case "error" if not self._ready:
                text = error_text(header)
                self.interactive.end(text, text.remedy)
        return True

    def _begin(self, header) -> None:
        self._found = found_sliders(header)
        self._ready = True
        make_sliders(self.interactive.object, self._found)
        self.sliders_moved(self.interactive.object)

    def _explored(self, values: Float32, shapes: list[Shape]) -> None:
        self.explored = list(zip(values, shapes, strict=True))
        if len(self.explored) == 1:
            self.choose(0)

    def _adopt(self, values: Float32, shape: Shape) -> None:
        obj = self.interactive.object
        if obj is None:
            return
        self._set_sliders(obj, np.ravel(values))
        self._shown = coordinate_values(obj)
        self._show(shape)

    def _set_sliders(self, obj: bpy.types.Object, coordinates: Sequence[float] | Float32) -> None:
        self._setting = True
        set_sliders(obj, coordinates)
        self._setting = False

    def _show(self, shape: Shape) -> None:
        self.shape = shape
        self.interactive.show(shape)

    def end(self) -> None:
        """Leaves pose mode; the mesh is as it was before."""
        self.interactive.end()
        if session.pose is self:
            session.pose = None
