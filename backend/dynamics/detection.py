"""Which contacts a step could have: found once at its start, by where everything is and how far it can get."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations

import numpy as np

from ..geometry.near_edges import edge_features, on_edges
from ..geometry.near_surface import Features
from ..kinematics.base import Array
from .actor import Actor, Instant
from .conditions import Ground
from .contact_pairs import ContactGroup, Law, Points
from .obstacles import Obstacle
from .proximity_bounds import FALL, are_near, within
from .self_contact import FoldWatch

__all__ = ["ContactMemory", "Detector"]

MARGIN = 1e-3  # of the object's size: the gap below which surfaces push
BRISTLE = 0.1  # of the margin
REST_SPEED = 2e-3  # object sizes per second
BLOW = 0.05  # share of the force that would stop an approach in one step, which the barrier has at half its margin
OVERLAP = 0.5  # of the object's size: how deep it may have been drawn into something
SOFT = 0.5  # of the margin: where the barrier carries about the weight
UP = np.array([0.0, 0.0, 1.0])


@dataclass
class ContactMemory:
    """What contacts keep from step to step, by their partners and the number of the point (Float[count,...])."""

    bristles: dict[Hashable, Array] = field(default_factory=dict)
    lifts: dict[Hashable, Array] = field(default_factory=dict)
    sides: dict[Hashable, Array] = field(default_factory=dict)  # normals of what is near a two-sided surface

    def copy(self) -> ContactMemory:
        """As it is now. Only lifts are changed in place."""
        lifts = {key: array.copy() for key, array in self.lifts.items()}
        return ContactMemory(dict(self.bristles), lifts, dict(self.sides))

    def bristle(self, points: Points) -> Array:
        """Float[c,3] m."""
        kept = self.bristles.get(points.partners)
        return np.zeros((len(points.number), 3)) if kept is None else kept[points.number]

    def keep(self, points: Points, stretch: Array) -> None:
        """After an accepted step: the stretches Float[c,3] (m) that these contacts have now; all others have none."""
        self.bristles.pop(points.partners, None)
        if stretch.any():
            store = np.zeros((points.count, 3))
            store[points.number] = stretch
            self.bristles[points.partners] = store

    def soften(self, points: Points, struck: np.ndarray, gap: Array, margin: float) -> None:
        """Lets contacts Bool[c] that a blow has pressed deep into the barrier stay there: it would throw them back.

        gap Float[c] m, with the lift they have.
        """
        needed = np.where(struck, np.clip(SOFT * margin - gap, 0.0, SOFT * margin), 0.0)
        if needed.any():
            store = self.lifts.setdefault(points.partners, np.zeros(points.count))
            store[points.number] = np.maximum(store[points.number], needed)

    def on_their_side(self, points: Points, found: Features, closed: np.ndarray) -> Features:
        """Features as seen from the side of a two-sided surface that each point was on a step ago.

        A sheet does not tell its sides apart: without this a point that was pressed a hair through it would be pushed
        on, not back. `closed` Bool[F] of the surface's faces.
        """
        open_faced = ~closed[found.triangle]
        if not open_faced.any():
            return found
        before = self.sides.get(points.partners)
        normal, gap = found.normal, found.gap
        if before is not None:
            passed = open_faced & (np.einsum("ci,ci->c", normal, before[points.number]) < 0.0)
            normal = np.where(passed[:, None], -normal, normal)
            gap = np.where(passed, -gap, gap)
        store = np.zeros((points.count, 3))
        store[points.number[open_faced]] = normal[open_faced]
        self.sides[points.partners] = store
        return replace(found, normal=normal, gap=gap)

    def lift(self, points: Points, gap: Array, margin: float, starting: bool) -> Array:
        """How much deeper each contact may be than the surface says, Float[c] m.

        What is drawn inside something (or closer than the margin) keeps its depth as floor, and so does what a blow
        has pressed in (`soften`); both lose it as they come out.
        """
        needed = np.maximum(0.0, margin - gap)
        if starting and needed.any():
            store = np.zeros(points.count)
            np.maximum.at(store, points.number, needed)
            self.lifts[points.partners] = store
        if points.partners not in self.lifts:
            return np.zeros_like(needed)
        store = self.lifts[points.partners]
        store[points.number] = np.minimum(store[points.number], needed)
        return store[points.number]


def _per_second(change: float, step: float) -> float:
    """A change in a step of so many seconds as a rate; none where no time passes, as in the first look around."""
    return change / step if step > 0.0 else 0.0


class Detector:
    """Finds the contacts of a step."""

    def __init__(
        self, actors: Sequence[Actor], ground: Ground | None, colliders: Sequence[Obstacle], gravity: float
    ) -> None:
        """`gravity` in m/s^2."""
        self.actors, self.ground, self.colliders = actors, ground, colliders
        self._gravity = max(gravity, 1.0)
        self.memory = ContactMemory()
        self._starting = False
        self.watches: dict[int, FoldWatch] = {}

    def start(self, instants: Sequence[Instant]) -> float:
        """Finds what overlaps in the first frame; the deepest overlap (m)."""
        self._starting = True
        depths = [
            float(group.lift.max()) - group.law.margin
            for group in self.groups(instants, [False] * len(instants), 0.0, 0.0, 0.0)
        ]
        self._starting = False
        return max([0.0, *depths])

    def reaches(self, now: Instant, step: float, widen: float) -> Array:
        """How far from each sample contacts are looked for, Float[S] m."""
        least = (OVERLAP if self._starting else 6.0 * MARGIN) * now.actor.size
        return least + widen * (1.2 * step * now.speeds + FALL * step**2)

    def struck_sleepers(
        self, groups: Sequence[ContactGroup], instants: Sequence[Instant], asleep: Sequence[bool], step: float
    ) -> set[int]:
        """Objects that sleep and that something awake runs into in this step: they must not be met as walls."""
        struck = set()
        for group in groups:
            if group.partner and asleep[group.partner[0]]:
                still = np.zeros((len(group), 3))
                rates = {group.first: instants[group.first].rate}
                handles = {group.first: instants[group.first].handles}
                approach = np.einsum("ci,ci->c", group.relative(rates, still), group.normal)
                gaps = group.gaps(handles, group.surface_start)
                fast = approach < -10.0 * group.law.rest_speed
                if (fast & (gaps + step * approach < group.law.margin)).any():
                    struck.update(group.partner)
        return struck

    def groups(
        self, instants: Sequence[Instant], asleep: Sequence[bool], time: float, step: float, widen: float
    ) -> list[ContactGroup]:
        """Contacts of all objects that are awake; first and second are their numbers.

        `widen` looks farther than the objects' speeds say, for a step in which something got farther than that.
        """
        found: list[ContactGroup] = []
        for number, now in enumerate(instants):
            if asleep[number] or now.actor.shape is None:
                continue
            if self.ground is not None:
                found.extend(self._with_ground(number, now, step, widen))
            for place, collider in enumerate(self.colliders):
                found.extend(self._with_collider(number, now, place, collider, time, step, widen))
            if now.actor.self_contact:
                found.extend(self._with_itself(number, now, step, widen))
        for first, second in combinations(range(len(instants)), 2):
            if not (asleep[first] and asleep[second]):
                pairs = self._between(first, second, instants, step, widen)
                found.extend(_with_sleeper(group, instants, asleep) for group in pairs)
        return found

    # -- one kind of partner each --------------------------------------------------------------------------------

    def _law(self, actor: Actor, friction: float, restitution: float, approach: float, step: float) -> Law:
        size = actor.size
        margin = MARGIN * size
        # One point alone carries the weight at about half the margin; a blow finds a barrier as much harder as it is.
        force = actor.mass * max(self._gravity, _per_second(BLOW * approach, step))
        return Law(margin, force / (1.2 * margin), friction, restitution, BRISTLE * margin, REST_SPEED * size)

    def _with_ground(self, number: int, now: Instant, step: float, widen: float) -> Iterator[ContactGroup]:
        ground, basis = self.ground, now.actor.shape.basis
        margin = MARGIN * now.actor.size
        gaps = now.heights - ground.height
        speed = basis @ now.rate[:, 2]
        drop = widen * (np.maximum(0.0, -step * speed) + FALL * step**2)
        near = np.flatnonzero(gaps - drop < 6.0 * margin + 0.2 * drop.max())
        if near.size == 0:
            return
        surface = np.zeros((len(near), 3))
        surface[:, 2] = ground.height
        law = self._law(now.actor, ground.friction, ground.restitution, max(0.0, -float(speed[near].min())), step)
        points = Points(("ground", number), near, len(basis))
        lift = self.memory.lift(points, gaps[near], margin, self._starting)
        normal = np.broadcast_to(UP, (len(near), 3))
        yield ContactGroup(number, None, basis[near], None, surface, surface, normal, lift, law, points, ())

    def _with_collider(
        self, number: int, now: Instant, place: int, collider: Obstacle, time: float, step: float, widen: float
    ) -> Iterator[ContactGroup]:
        actor, shape = now.actor, now.actor.shape
        before = collider.positions(time)
        after = collider.positions(time + step)
        reach = self.reaches(now, step, widen) + 1.2 * collider.travel(time, time + step)
        most = float(reach.max())
        box = collider.box(time)
        if not are_near(now.bounds, box, most):
            return
        law = self._law(actor, collider.friction, collider.restitution, _per_second(most, step), step)
        near = within(now.positions, box, most)
        found = collider.features(time, now.positions[near], reach[near])
        if found.point.size:
            points = Points(("collider", number, place), near[found.point], len(shape))
            found = self.memory.on_their_side(points, found, collider.surface.closed)
            lift = self.memory.lift(points, found.gap, law.margin, self._starting)
            first, last, normal = collider.carried(found, time, time + step)
            rows = shape.basis[points.number]
            yield ContactGroup(number, None, rows, None, first, last, normal, lift, law, points, ())
        low, high = now.bounds
        corners = collider.corners_in(time, low - most, high + most)
        if corners.size:
            found = shape.features(now.handles, now.positions, before[corners], np.full(len(corners), most))
            if found.point.size:
                points = Points(("corners", number, place), corners[found.point], len(before))
                found = self.memory.on_their_side(points, found, shape.surface.closed)
                lift = self.memory.lift(points, found.gap, law.margin, self._starting)
                first, last = before[points.number], after[points.number]
                rows = shape.rows(found)
                yield ContactGroup(number, None, rows, None, first, last, -found.normal, lift, law, points, ())
        edges = collider.edge_features(time, now.positions, shape.surface.edges, most, shape.wings)
        if edges.first.size:
            own = shape.surface.edges
            rows = on_edges(shape.basis, own[edges.first], edges.first_share)
            first = on_edges(before, collider.surface.edges[edges.second], edges.second_share)
            last = on_edges(after, collider.surface.edges[edges.second], edges.second_share)
            points = Points(("edges", number, place), edges.first, len(own))
            lift = self.memory.lift(points, edges.gap, law.margin, self._starting)
            yield ContactGroup(number, None, rows, None, first, last, edges.normal, lift, law, points, ())

    def _between(
        self, one: int, other: int, instants: Sequence[Instant], step: float, widen: float
    ) -> Iterator[ContactGroup]:
        a, b = instants[one], instants[other]
        if a.actor.shape is None or b.actor.shape is None:
            return
        reach_a, reach_b = self.reaches(a, step, widen), self.reaches(b, step, widen)
        most = float(reach_a.max() + reach_b.max())
        if not are_near(a.bounds, b.bounds, most):
            return
        law = self._pair_law(a.actor, b.actor, most, step)
        for first, second, now, then in ((one, other, a, b), (other, one, b, a)):
            near = within(now.positions, then.bounds, most)
            if near.size == 0:
                continue
            shape = then.actor.shape
            found = shape.features(then.handles, then.positions, now.positions[near], np.full(len(near), most))
            if found.point.size:
                points = Points(("objects", first, second), near[found.point], len(now.actor.shape))
                found = self.memory.on_their_side(points, found, shape.surface.closed)
                lift = self.memory.lift(points, found.gap, law.margin, self._starting)
                rows = now.actor.shape.basis[points.number]
                nothing = np.zeros((len(rows), 3))
                yield ContactGroup(
                    first, second, rows, shape.rows(found), nothing, nothing, found.normal, lift, law, points, (second,)
                )
        edges_a, edges_b = a.actor.shape.surface.edges, b.actor.shape.surface.edges
        edges = edge_features(
            a.positions, edges_a, b.positions, edges_b, most, a.actor.shape.wings, b.actor.shape.wings
        )
        if edges.first.size:
            rows = on_edges(a.actor.shape.basis, edges_a[edges.first], edges.first_share)
            second_rows = on_edges(b.actor.shape.basis, edges_b[edges.second], edges.second_share)
            points = Points(("object edges", one, other), edges.first, len(edges_a))
            lift = self.memory.lift(points, edges.gap, law.margin, self._starting)
            nothing = np.zeros((len(rows), 3))
            yield ContactGroup(
                one, other, rows, second_rows, nothing, nothing, edges.normal, lift, law, points, (other,)
            )

    def _pair_law(self, first: Actor, second: Actor, reach: float, step: float) -> Law:
        smaller = first if first.size < second.size else second
        heavier = first if first.mass > second.mass else second
        friction = float(np.sqrt(first.friction * second.friction))
        restitution = max(first.restitution, second.restitution)
        law = self._law(smaller, friction, restitution, _per_second(reach, step), step)
        return replace(law, stiffness=law.stiffness * heavier.mass / smaller.mass)

    def _with_itself(self, number: int, now: Instant, step: float, widen: float) -> Iterator[ContactGroup]:
        actor, shape = now.actor, now.actor.shape
        if number not in self.watches:
            self.watches[number] = FoldWatch(shape, actor.size, MARGIN * actor.size)
        watch = self.watches[number]
        found = watch.folds(now, step, widen)
        if found is None:
            return
        points = Points(("itself", number), found.point, len(shape))
        found = self.memory.on_their_side(points, found, shape.surface.closed)
        rows = shape.basis[found.point] - shape.rows(found)
        closing = 2.0 * float(now.speeds[found.point].max())
        law = self._law(actor, actor.friction, actor.restitution, closing, step)
        nothing, lift = np.zeros((len(rows), 3)), np.zeros(len(rows))
        yield ContactGroup(number, None, rows, None, nothing, nothing, found.normal, lift, law, points, ())
        crossing, edges = watch.crossings(now)
        if crossing.first.size:
            rows = on_edges(shape.basis, edges[crossing.first], crossing.first_share)
            rows = rows - on_edges(shape.basis, edges[crossing.second], crossing.second_share)
            nothing, lift = np.zeros((len(rows), 3)), np.zeros(len(rows))
            points = Points(("own edges", number), crossing.first, len(edges))
            yield ContactGroup(number, None, rows, None, nothing, nothing, crossing.normal, lift, law, points, ())


def _with_sleeper(group: ContactGroup, instants: Sequence[Instant], asleep: Sequence[bool]) -> ContactGroup:
    """Contacts of two objects; one that sleeps is as good as a wall."""
    if asleep[group.second]:
        surface = group.second_basis @ instants[group.second].handles
        return replace(group, second=None, second_basis=None, surface_start=surface, surface_end=surface)
    if asleep[group.first]:
        surface = group.first_basis @ instants[group.first].handles
        return replace(
            group,
            first=group.second,
            second=None,
            first_basis=group.second_basis,
            second_basis=None,
            surface_start=surface,
            surface_end=surface,
            normal=-group.normal,
            partner=(group.first,),
        )
    return group
