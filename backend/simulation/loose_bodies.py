"""Loose things of one mesh as bodies of their own: what acts on each, and one motion of the whole mesh."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..bodies.body import Body
from ..dynamics.conditions import Collider, Conditions, Velocity, checked_vertices
from ..dynamics.solver import Frame
from ..errors import UserError
from ..geometry.mesh import Mesh
from ..geometry.surface_points import closest_surface_points
from ..kinematics.motion import MotionFrame, ObjectMotion
from ..texts import Text
from ..understanding.analysis import Analysis
from ..understanding.composition import Composition, bends
from ..understanding.loose_things import loose_things
from ..understanding.providers.elastic import Elastic
from ..understanding.providers.provider import AnalysisInput
from ..understanding.providers.registry import AUTOMATIC, BY_PIECES, provider_named
from ..understanding.support import held_by
from .anchors import is_still
from .assemble import Setup, assemble
from .support_conditions import floor_below

__all__ = ["LooseMember", "LooseThing", "assembled", "loose_member", "separated", "shared_conditions"]

_STILL = np.eye(3, 4)[None]


@dataclass(frozen=True, eq=False)
class LooseThing:
    """A body of vertices Int[v] of the mesh; `conditions` None: it is held, and the others meet it where it is."""

    vertices: NDArray[np.int64]
    analysis: Analysis
    conditions: Conditions | None

    @property
    def collider(self) -> Collider:
        """What the others meet where it is held."""
        mesh = self.analysis.mesh
        return Collider(None, mesh.vertices, mesh.triangles)


def separated(analysis: Analysis, conditions: Conditions, alone: bool) -> tuple[LooseThing, ...]:
    """The things that an object falls into; none where it moves as one. `alone`: no others are there.

    Raises UserError.
    """
    composition = analysis.composition
    wanted = conditions.separate
    if wanted is None:
        wanted = analysis.automatic and composition.loose is not None and conditions.joints is None
    if not wanted:
        return ()
    if conditions.joints is not None or conditions.sliders is not None or conditions.provider not in _MOVE_LOOSE:
        raise UserError("bad_conditions.separate_and_joints")
    label = loose_things(analysis.mesh)
    if not label.any():
        return ()
    if alone:
        conditions = _supported(analysis, conditions)
    held = np.zeros(len(label), dtype=bool)
    for vertices in _held(conditions, len(label)):
        held[vertices] = True
    share = _Share(
        conditions,
        _owners(analysis.mesh, label, [poke.point for poke in conditions.pokes]),
        _owners(analysis.mesh, label, [drag.point for drag in conditions.drags]),
        held,
        composition.centre,
    )
    things = []
    for number in range(int(label.max()) + 1):
        vertices = np.flatnonzero(label == number)
        own = _analysis_of(analysis, vertices, conditions.provider)
        things.append(LooseThing(vertices, own, share.of(number, vertices, own)))
    if all(thing.conditions is None for thing in things):
        raise UserError("nothing_free.held")
    return tuple(things)


_MOVE_LOOSE = (AUTOMATIC, *sorted(BY_PIECES))


def _held(conditions: Conditions, count: int) -> list[NDArray[np.int64]]:
    """Vertices that do not move."""
    still = [pin.vertices for pin in conditions.pins if is_still(pin)]
    if isinstance(conditions.anchor, np.ndarray):
        still.append(checked_vertices(conditions.anchor, count, "anchor.vertices"))
    return still


def _supported(analysis: Analysis, conditions: Conditions) -> Conditions:
    """Where nothing else holds or catches them: a floor below, or the highest of them held where they hang."""
    caught = conditions.ground is not None or conditions.colliders or conditions.velocities
    if caught or not isinstance(conditions.anchor, str) or conditions.anchor != "auto":
        return conditions
    composition = analysis.composition
    if composition.support.kind == "hung" and not conditions.pins:
        return replace(conditions, anchor=held_by("hung", analysis.mesh, composition.centre))
    if composition.support.kind in ("free", "hung") or conditions.gravity[2] >= 0.0:
        return replace(conditions, anchor="none")
    return replace(conditions, ground=floor_below(analysis), anchor="none")


def _analysis_of(whole: Analysis, vertices: NDArray[np.int64], provider: str) -> Analysis:
    """Of one thing: rigid, elastic or composed as what it is made of, or as was asked for."""
    mesh, place = whole.mesh, np.full(len(whole.mesh.vertices), -1)
    place[vertices] = np.arange(len(vertices))
    faces = (place[mesh.triangles] >= 0).all(axis=1)
    own = Mesh(mesh.vertices[vertices], place[mesh.triangles[faces]], mesh.slots[faces])
    made: Composition = whole.composition.of_faces(own, faces)
    given = AnalysisInput(own, lambda stage, done, total: None, name=whole.name)
    given.composition = made
    soft = any(bends(behaviour) for behaviour in made.behaviours)
    wanted = made.provider if provider == AUTOMATIC else provider
    if not Elastic.can_bend(given.cloud) or (wanted == "composed" and not soft):
        wanted = "rigid"
    model = provider_named(wanted).analyze(given)
    return Analysis(model, 0.0, name=whole.name, automatic=provider == AUTOMATIC, understood=lambda: made)


def _owners(mesh: Mesh, label: NDArray[np.int64], points: Sequence[NDArray[np.float64]]) -> NDArray[np.int64]:
    """The thing whose surface is nearest to each point, Int[p]."""
    if not points:
        return np.zeros(0, dtype=np.int64)
    one = np.zeros(len(mesh.triangles), dtype=np.int64)
    places = np.array(points)
    found = closest_surface_points(places, np.zeros(len(places), dtype=np.int64), mesh.vertices, mesh.triangles, one)
    return label[mesh.triangles[found.triangle, 0]]


@dataclass(frozen=True, eq=False)
class _Share:
    """What acts on a whole, and on which things pokes Int[p] and drags Int[d] act. `held` Bool[V]; `centre` m."""

    whole: Conditions
    poked: NDArray[np.int64]
    dragged: NDArray[np.int64]
    held: NDArray[np.bool_]
    centre: NDArray[np.float64]

    def of(self, number: int, vertices: NDArray[np.int64], own: Analysis) -> Conditions | None:
        """What of that acts on one thing; None where it is held."""
        whole, held = self.whole, np.flatnonzero(self.held[vertices])
        if len(held) and (len(held) == len(vertices) or not own.model.holdable):
            return None

        def among(acting: Sequence[Any]) -> tuple[Any, ...]:
            """Those that act on some vertices of this thing, with their new numbers."""
            new = [(each, np.flatnonzero(np.isin(vertices, each.vertices))) for each in acting]
            return tuple(replace(each, vertices=mine) for each, mine in new if len(mine))

        whole = replace(
            whole,
            provider=own.provider,
            separate=False,
            support=None,
            anchor=held if len(held) else "none",
            settled=bool(whole.settled) if len(held) else False,
            pieces=(),
            materials=among(whole.materials),
            pose=None if whole.pose is None else whole.pose[vertices],
            pokes=tuple(poke for poke, owner in zip(whole.pokes, self.poked, strict=True) if owner == number),
            drags=tuple(drag for drag, owner in zip(whole.drags, self.dragged, strict=True) if owner == number),
            pins=among([pin for pin in whole.pins if not is_still(pin)]),
            velocities=(*self._flights(own), *among([each for each in whole.velocities if each.vertices is not None])),
        )
        return own.made_of(whole)

    def _flights(self, own: Analysis) -> list[Velocity]:
        """A spin of the whole carries each thing along, about the centre of all."""
        arm = own.composition.centre - self.centre
        free = [each for each in self.whole.velocities if each.vertices is None]
        return [replace(each, linear=each.linear + np.cross(each.angular, arm)) for each in free]


@dataclass(frozen=True)
class LooseMember:
    """An object of a take that is several bodies; `setups` in the order of the handles, None of what stands still."""

    setups: tuple[Setup | None, ...]
    motion: ObjectMotion
    summary: dict[str, Any]

    body = None

    @property
    def bodies(self) -> tuple[Body | None, ...]:
        """Those that move."""
        return tuple(setup.body for setup in self.setups if setup is not None)

    def frame(self, solved: Sequence[Frame], handles: Sequence[NDArray[np.float64] | None]) -> MotionFrame:
        """One frame of the whole from those of its bodies that move."""
        moving = iter(handles)
        placed = [_STILL if setup is None else next(moving) for setup in self.setups]
        q = np.concatenate([np.zeros(0), *(each.q for each in solved)])
        energy = np.sum([np.zeros(3), *(each.energy for each in solved)], axis=0)
        index = solved[0].index if len(solved) else 1
        return MotionFrame(index, q, energy, np.concatenate(placed), None)


def shared_conditions(things: Sequence[LooseThing]) -> Conditions:
    """Those of one that moves: what belongs to the world is the same for all."""
    return next(each.conditions for each in things if each.conditions is not None)


def assembled(things: Sequence[LooseThing]) -> list[Setup | None]:
    """Each thing ready to move; None where it is held."""
    return [None if each.conditions is None else assemble(each.analysis, each.conditions, True) for each in things]


def loose_member(
    whole: Analysis, things: Sequence[LooseThing], setups: Sequence[Setup | None], warnings: list[Text]
) -> LooseMember:
    """The bodies of one object together; `warnings` are those of the world."""
    moving = [setup for setup in setups if setup is not None]
    bodies = [setup.body for setup in moving if setup.body is not None]
    summary = whole.summarise(None, len(moving) < len(setups), sum(body.total_mass for body in bodies))
    summary |= {
        "separate": True,
        "degrees_of_freedom": sum(body.kinematics.dof for body in bodies),
        "warnings": list(dict.fromkeys([*(text for setup in moving for text in setup.warnings), *warnings])),
    }
    weights = [np.ones((len(each.vertices), 1)) for each in things]
    for number, setup in enumerate(setups):
        if setup is not None and setup.body is not None:
            weights[number] = setup.body.weights
    columns = np.cumsum([0, *(each.shape[1] for each in weights)])
    summary["handles"] = int(columns[-1])
    joint = np.zeros((sum(len(each.vertices) for each in things), columns[-1]), dtype=np.float32)
    for thing, own, first in zip(things, weights, columns[:-1], strict=True):
        joint[thing.vertices, first : first + own.shape[1]] = own
    return LooseMember(tuple(setups), ObjectMotion(joint), summary)
