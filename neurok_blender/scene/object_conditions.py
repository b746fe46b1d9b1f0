"""The conditions of one object as the backend reads them: from properties at once, from vertices and frames later."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

import bpy
import numpy as np
from bpy.app.translations import pgettext_rpt as rpt_
from numpy.typing import NDArray

from ..errors import Refusal
from ..properties.provider_menu import JOINTED
from .colliders import SceneSurface, check_count, collider_tracks, scene_collider_tracks
from .condition_arrays import array_or_list
from .gravity_and_wind import WindReading, gravity_track
from .impulses import poke_of, velocity_of
from .joint_tree import has_joints, joints_of
from .motion_tracks import Track, TransformTrack, living_object, living_scene, vector_keys
from .object_motion import TransformMotion, transform_motion
from .pieces import pieces_of
from .pin_conditions import PinReading
from .pinned_vertices import empty_group, group_vertices, resting_positions
from .pose_keys import pose_at
from .provider import provider_of
from .rigid_motion import is_still, motion_keys, moves_since_first

__all__ = ["ObjectConditions"]

_SUBSTEPS = {"AUTO": "auto", "FINE": 4, "FINEST": 8}
_SUPPORTS = {
    "AUTO": {"anchor": "auto"},
    "FLOOR": {"anchor": "auto", "support": "floor"},
    "BASE": {"anchor": "auto", "support": "base"},
    "HUNG": {"anchor": "auto", "support": "hung"},
    "NONE": {"anchor": "none"},
    "GROUP": {"anchor": "none"},  # until its vertices are read
}
_SEPARATE = {"AUTO": {}, "SEPARATE": {"separate": True}, "JOINED": {"separate": False}}
# Of these an object has one at most.
_SINGLE = ("GRAVITY", "GROUND", "WIND")


class ObjectConditions:
    """`read_vertices` to its end, then all `tracks` are filled, then `finish`; each may raise Refusal."""

    def __init__(
        self,
        scene: bpy.types.Scene,
        obj: bpy.types.Object,
        together: Collection[bpy.types.Object] = (),
        follows: bool = True,
    ):
        """`together`: the objects that are simulated with it; `follows`: whether it goes along with its own animation.

        Raises Refusal for what the properties alone show.
        """
        settings = obj.neurok
        frames = range(scene.neurok.frame_start, scene.neurok.frame_start + scene.neurok.frame_count)
        layer = bpy.context.view_layer if bpy.context.scene == scene else scene.view_layers[0]
        self._scene_uid, self._uid, self._name = scene.session_uid, obj.session_uid, obj.name
        used = [condition for condition in settings.conditions if condition.enabled]
        rows = [condition for condition in settings.conditions if condition.kind == "COLLIDERS"]
        excluded = {obj, *together}
        self.names_colliders = bool(rows)
        """Whether its list says what it hits; else the colliders of the scene stop it."""
        if rows:
            colliding = (condition for condition in rows if condition.enabled)
            self.colliders = collider_tracks(scene, layer, colliding, frames, excluded)
        else:
            self.colliders = scene_collider_tracks(scene, layer, frames, excluded, SceneSurface())
        for kind in _SINGLE:
            _check_single(used, kind)
        pokes = [poke_of(obj, condition, frames.start) for condition in used if condition.kind == "POKE"]
        velocities = [velocity_of(condition) for condition in used if condition.kind == "VELOCITY"]
        grounds = [_ground(condition) for condition in used if condition.kind == "GROUND"]
        self._at_once = {
            **_settings(scene, obj),
            **({"pokes": pokes} if pokes else {}),
            **({"velocities": velocities} if velocities else {}),
            **({"ground": grounds[0]} if grounds else {}),
            **_joints(obj),
            **({"sliders": pose_at(obj, frames.start)} if settings.starts_posed and settings.coordinates else {}),
        }
        animated = follows and settings.anchor != "NONE" and transform_motion(obj, scene) is not TransformMotion.STILL
        self._own = TransformTrack(obj, scene, frames, lead=True) if animated else None
        self.moves: NDArray[np.float64] | None = None
        """How its own animation moves it from the first frame on, Float64[T,4,4], once that is read; None: not."""
        self._gravity = gravity_track(scene, obj, frames)
        self._settled = settings.settled
        self._anchor_group = _anchor_group(obj)
        self._pins = [
            PinReading(scene, obj, condition, frames) for condition in used if condition.kind in ("PIN", "FOLLOW")
        ]
        winds = (item for item in used if item.kind == "WIND")
        self._wind = next((WindReading(scene, layer, obj, wind, frames) for wind in winds), None)

    @property
    def tracks(self) -> list[Track]:
        followed = [pin.track for pin in self._pins if pin.track is not None]
        own = () if self._own is None else (self._own,)
        wind = self._wind.tracks if self._wind is not None else ()
        return [*followed, *own, self._gravity, *wind, *self.colliders]

    def read_vertices(self) -> Iterator[None]:
        if self._anchor_group is not None:
            held = yield from group_vertices(self._object, self._anchor_group)
            if len(held) == 0:
                raise empty_group(self._anchor_group)
            self._at_once["anchor"] = {"vertices": array_or_list(held)}
        if self._pins or self._own is not None:
            positions = resting_positions(living_scene(self._scene_uid), self._object)
            self._middle = positions.astype(np.float32).astype(np.float64).mean(axis=0)
            for pin in self._pins:
                yield from pin.read_vertices(self._object, positions)

    def finish(self) -> dict:
        """The conditions as the backend reads them; long lists are arrays."""
        pins = [pin.finish() for pin in self._pins]
        colliders = [entry for track in self.colliders if (entry := track.entry) is not None]
        check_count(colliders)
        still = any(pin["stiffness"] == "rigid" and "motion" not in pin for pin in pins)
        return {
            **self._at_once,
            "settled": self._settled_word(still or self._anchor_group is not None),
            "gravity": self._gravity.values[0].tolist(),
            **({"gravity_keys": keys} if (keys := vector_keys(self._gravity.values)) else {}),
            **({"pins": pins} if pins else {}),
            **self._animation(),
            **({"wind": self._wind.finish()} if self._wind is not None else {}),
            **({"colliders": colliders} if colliders else {}),
        }

    def _animation(self) -> dict:
        """Its own motion, by turns about the mean of its vertices. Raises Refusal."""
        if self._own is None:
            return {}
        matrices = self._own.matrices
        try:
            moves = moves_since_first(matrices)
        except np.linalg.LinAlgError:
            raise Refusal(
                rpt_("{} is scaled to nothing along some direction.").format(self._name),
                "Give it a scale other than zero (N panel > Item > Scale).",
            ) from None
        if is_still(moves):
            return {}
        self.moves, first = moves, 1
        if self._own.before is not None:
            before = self._own.before @ np.linalg.inv(matrices[0])
            if not is_still(before[None]):  # it has begun before, and has a speed at the first frame
                moves, first = np.concatenate([before[None], moves]), 0
        return {"follows": motion_keys(moves, matrices[0, :3, 3], self._middle, first)}

    @property
    def _object(self) -> bpy.types.Object:
        return living_object(self._uid, self._name)

    def _settled_word(self, held: bool) -> bool | str:
        """The engine's "auto" means: at rest exactly when it holds the base itself."""
        if not self._settled:
            return False
        return True if held else "auto"


def _settings(scene: bpy.types.Scene, obj: bpy.types.Object) -> dict:
    """The settings of the scene and the object, without the list of conditions."""
    settings, frames = obj.neurok, scene.neurok
    return {
        "provider": provider_of(obj),
        "fps": scene.render.fps / scene.render.fps_base,
        "frames": frames.frame_count,
        "substeps": _SUBSTEPS[frames.quality],
        **_SUPPORTS[settings.anchor],
        **_SEPARATE[settings.separate],
        **_matter(settings),
        **({"size": settings.size} if settings.size > 0.0 else {}),
        **({"pieces": pieces} if (pieces := pieces_of(obj)) else {}),
    }


def _matter(settings) -> dict:
    """What somebody says of weight and stiffness; the rest the backend knows from the materials."""
    given = {} if settings.stiffness == 1.0 else {"stiffness": settings.stiffness}
    if settings.matter == "OWN":
        given |= {name: getattr(settings, name) for name in ("density", "stiffness_hz", "settle_seconds")}
    return given


def _joints(obj: bpy.types.Object) -> dict:
    """Objects whose joints are all fixed are refused when their mesh is read."""
    if provider_of(obj) != JOINTED or not has_joints(obj):
        return {}
    return {"joints": joints_of(obj, obj.matrix_world).condition}


def _ground(condition) -> dict:
    return {"height": condition.height, "friction": condition.friction, "restitution": condition.restitution}


def _check_single(used: Sequence, kind: str) -> None:
    found = [condition for condition in used if condition.kind == kind]
    if len(found) > 1:
        names = ", ".join(condition.name for condition in found)
        message = {
            "GRAVITY": rpt_("There are several gravities ({})."),
            "GROUND": rpt_("There are several floors ({})."),
            "WIND": rpt_("There are several winds ({})."),
        }[kind]
        raise Refusal(message.format(names), "Keep the eye open on one of them only.")


def _anchor_group(obj: bpy.types.Object) -> str | None:
    """The vertex group that holds the object by its own settings."""
    settings = obj.neurok
    if settings.anchor != "GROUP":
        return None
    if settings.anchor_group not in obj.vertex_groups:
        raise Refusal(
            rpt_("The vertex group that holds {} is not there.").format(obj.name),
            "Choose a vertex group under Support, or another support.",
        )
    return settings.anchor_group
