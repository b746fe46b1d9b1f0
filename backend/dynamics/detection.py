"""Collision detection: which contacts a step could have, found once at its start.

What counts is where everything is and how far it can get: first by boxes (broad phase), then point by point and edge by
edge (narrow phase).
"""

from __future__ import annotations

import copy
from collections.abc import Container, Iterator, Sequence
from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np

from ..geometry.near_edges import edge_features, on_edges
from ..kinematics.base import Array
from .actor import Actor
from .conditions import Ground
from .contact_memory import ContactMemory
from .contact_pairs import ContactGroup, ContactLaw, ContactPoints
from .latent_solver import LatentState
from .obstacles import Obstacle
from .proximity_bounds import FALL, are_near, within
from .self_contact import SelfContactSearch

__all__ = ["MARGIN", "REST_SPEED", "Detector"]

MARGIN = 1e-3  # of the object's size: the gap below which surfaces push
BRISTLE = 0.1  # of the margin
REST_SPEED = 2e-3  # object sizes per second
IMPACT_FORCE = 0.05  # share of the force that stops an approach in one step, which the barrier has at half its margin
OVERLAP = 0.5  # of the object's size: how deep it may have been drawn into something
SUNK = 0.3  # of the margin: deeper than this below the ground a point was overlooked
UP = np.array([0.0, 0.0, 1.0])


def _per_second(change: float, step: float) -> float:
    """A change in a step of so many seconds as a rate; none where no time passes, as in the first look around."""
    return change / step if step > 0.0 else 0.0


class Detector:
    """Finds the contacts of a step between objects that have a contact shape."""

    def __init__(
        self, actors: Sequence[Actor], ground: Ground | None, colliders: Sequence[Obstacle], gravity: float
    ) -> None:
        """`gravity` in m/s^2."""
        self.actors, self.ground, self.colliders = actors, ground, colliders
        self._gravity = max(gravity, 1.0)
        self.memory = ContactMemory()
        self._starting = False
        self.self_searches: dict[int, SelfContactSearch] = {}

    def start(self, now: Sequence[Any]) -> float:
        """Finds what overlaps in the first frame; the deepest overlap (m)."""
        self._starting = True
        found = self.groups(now, [False] * len(now), 0.0, 0.0, 0.0)
        # What an object is drawn in itself is no overlap to speak of.
        depths = [float(each.lift.max()) - each.law.margin for each in found if each.points.partners[0] != "itself"]
        self._starting = False
        return max([0.0, *depths])

    def snapshot(self) -> tuple[ContactMemory, dict[int, SelfContactSearch]]:
        """All that is kept from step to step, as it is now."""
        return self.memory.copy(), {number: copy.copy(watch) for number, watch in self.self_searches.items()}

    def restore(self, snapshot: tuple[ContactMemory, dict[int, SelfContactSearch]]) -> None:
        """Takes back all steps since the snapshot."""
        memory, self_searches = snapshot
        self.memory = memory.copy()
        self.self_searches = {number: copy.copy(watch) for number, watch in self_searches.items()}

    def overlooked(self, number: int, now: LatentState, then: LatentState, step: float, widen: float) -> bool:
        """Whether an object got farther in a step than contacts were looked for."""
        actor = self.actors[number]
        if actor.shape is None:
            return False
        if self.ground is not None:
            gaps = then.heights - self.ground.height
            lift = self.memory.lifts.get(("ground", number))
            if (gaps if lift is None else gaps + lift).min() < -SUNK * MARGIN * actor.size:
                return True
        if actor.self_contact and self.self_searches[number].overlooked(then):
            return True
        if self.colliders or len(self.actors) > 1:
            moved = np.sqrt(((then.positions - now.positions) ** 2).sum(axis=1))
            return bool((moved > self._reaches(number, now, step, widen)).any())
        return False

    def _reaches(self, number: int, now: LatentState, step: float, widen: float) -> Array:
        """How far from each sample contacts are looked for, Float[S] m."""
        least = (OVERLAP if self._starting else 6.0 * MARGIN) * self.actors[number].size
        return least + widen * (1.2 * step * now.speeds + FALL * step**2)

    def struck_sleepers(
        self, groups: Sequence[ContactGroup], now: Sequence[Any], asleep: Sequence[bool], step: float
    ) -> set[int]:
        """Objects that sleep and that something awake runs into in this step: they must not be met as walls."""
        struck = set()
        for group in groups:
            if group.partner and asleep[group.partner[0]]:
                still = np.zeros((len(group), 3))
                rates = {group.first: now[group.first].rate}
                handles = {group.first: now[group.first].handles}
                approach = np.einsum("ci,ci->c", group.relative(rates, still), group.normal)
                gaps = group.gaps(handles, group.surface_start)
                fast = approach < -10.0 * group.law.rest_speed
                if (fast & (gaps + step * approach < group.law.margin)).any():
                    struck.update(group.partner)
        return struck

    def groups(
        self,
        now: Sequence[Any],
        asleep: Sequence[bool],
        time: float,
        step: float,
        widen: float,
        apart: Container[int] = (),
    ) -> list[ContactGroup]:
        """Contacts of all objects that are awake but those `apart`; first and second are their numbers.

        `widen` looks farther than the objects' speeds say, for a step in which something got farther than that.
        """
        found: list[ContactGroup] = []
        shaped = [number for number, actor in enumerate(self.actors) if actor.shape is not None and number not in apart]
        for number in shaped:
            if asleep[number]:
                continue
            if self.ground is not None:
                found.extend(self._with_ground(number, now[number], step, widen))
            for place, collider in enumerate(self.colliders):
                found.extend(self._with_collider(number, now[number], place, collider, time, step, widen))
            if self.actors[number].self_contact:
                found.extend(self._with_itself(number, now[number], step, widen))
        reaches = {number: float(self._reaches(number, now[number], step, widen).max()) for number in shaped}
        for first, second in combinations(shaped, 2):
            reach = reaches[first] + reaches[second]
            met = are_near(now[first].surface.bounds, now[second].surface.bounds, reach)
            if met and not (asleep[first] and asleep[second]):
                pairs = self._between(first, second, now, step, reach)
                found.extend(_with_sleeper(group, now, asleep) for group in pairs)
        return found

    # -- one kind of partner each --------------------------------------------------------------------------------

    def _law(self, actor: Actor, friction: float, restitution: float, approach: float, step: float) -> ContactLaw:
        size = actor.size
        margin = MARGIN * size
        # One point alone carries the weight at about half the margin; an impact finds a harder barrier.
        force = actor.mass * max(self._gravity, _per_second(IMPACT_FORCE * approach, step))
        return ContactLaw(margin, force / (1.2 * margin), friction, restitution, BRISTLE * margin, REST_SPEED * size)

    def _with_ground(self, number: int, now: LatentState, step: float, widen: float) -> Iterator[ContactGroup]:
        actor = self.actors[number]
        ground, basis = self.ground, actor.shape.basis
        margin = MARGIN * actor.size
        gaps = now.heights - ground.height
        speed = basis @ now.rate[:, 2]
        drop = widen * (np.maximum(0.0, -step * speed) + FALL * step**2)
        near = np.flatnonzero(gaps - drop < 6.0 * margin + 0.2 * drop.max())
        if near.size == 0:
            return
        surface = np.zeros((len(near), 3))
        surface[:, 2] = ground.height
        law = self._law(actor, ground.friction, ground.restitution, max(0.0, -float(speed[near].min())), step)
        points = ContactPoints(("ground", number), near, len(basis))
        lift = self.memory.lift(points, gaps[near], margin, self._starting)
        normal = np.broadcast_to(UP, (len(near), 3))
        rolling = actor.shape.rolling[near]
        yield ContactGroup(number, None, basis[near], None, surface, surface, normal, lift, law, points, (), rolling)

    def _with_collider(
        self, number: int, now: LatentState, place: int, collider: Obstacle, time: float, step: float, widen: float
    ) -> Iterator[ContactGroup]:
        actor = self.actors[number]
        shape = actor.shape
        before = collider.positions(time)
        after = collider.positions(time + step)
        reach = self._reaches(number, now, step, widen) + 1.2 * collider.travel(time, time + step)
        most = float(reach.max())
        box = collider.box(time)
        if not are_near(now.surface.bounds, box, most):
            return
        law = self._law(actor, collider.friction, collider.restitution, _per_second(most, step), step)
        near = within(now.positions, box, most)
        reach = reach + self.memory.depth(("collider", number, place), len(shape))
        found = collider.features(time, now.positions[near], reach[near])
        if found.point.size:
            points = ContactPoints(("collider", number, place), near[found.point], len(shape))
            found = self.memory.on_their_side(points, found, collider.surface.closed)
            lift = self.memory.lift(points, found.gap, law.margin, self._starting)
            first, last, normal = collider.carried(found, time, time + step)
            rows, rolling = shape.basis[points.number], shape.rolling[points.number]
            yield ContactGroup(number, None, rows, None, first, last, normal, lift, law, points, (), rolling)
        low, high = now.surface.bounds
        corners = collider.corners_in(time, low - most, high + most)
        if corners.size:
            depth = self.memory.depth(("corners", number, place), len(before))[corners]
            found = shape.features(now.handles, now.positions, before[corners], most + depth)
            if found.point.size:
                points = ContactPoints(("corners", number, place), corners[found.point], len(before))
                found = self.memory.on_their_side(points, found, shape.surface.closed)
                lift = self.memory.lift(points, found.gap, law.margin, self._starting)
                first, last = before[points.number], after[points.number]
                rows = shape.rows(found)
                yield ContactGroup(number, None, rows, None, first, last, -found.normal, lift, law, points, ())
        depth = float(self.memory.depth(("edges", number, place), len(shape.surface.edges)).max(initial=0.0))
        edges = collider.edge_features(time, now.positions, shape.surface.edges, most + depth, shape.wings)
        if edges.first.size:
            own = shape.surface.edges
            rows = on_edges(shape.basis, own[edges.first], edges.first_share)
            first = on_edges(before, collider.surface.edges[edges.second], edges.second_share)
            last = on_edges(after, collider.surface.edges[edges.second], edges.second_share)
            points = ContactPoints(("edges", number, place), edges.first, len(own))
            lift = self.memory.lift(points, edges.gap, law.margin, self._starting)
            yield ContactGroup(number, None, rows, None, first, last, edges.normal, lift, law, points, ())

    def _between(
        self, one: int, other: int, instants: Sequence[Any], step: float, most: float
    ) -> Iterator[ContactGroup]:
        """Contacts of two objects, up to `most` (m) apart."""
        a, b = instants[one], instants[other]
        law = self._pair_law(self.actors[one], self.actors[other], most, step)
        for first, second, now, then in ((one, other, a, b), (other, one, b, a)):
            near = within(now.positions, then.surface.bounds, most)
            if near.size == 0:
                continue
            own, shape = self.actors[first].shape, self.actors[second].shape
            depth = self.memory.depth(("objects", first, second), len(own))[near]
            found = shape.features(then.handles, then.positions, now.positions[near], most + depth)
            if found.point.size:
                points = ContactPoints(("objects", first, second), near[found.point], len(own))
                found = self.memory.on_their_side(points, found, shape.surface.closed)
                lift = self.memory.lift(points, found.gap, law.margin, self._starting)
                rows, rolling = own.basis[points.number], own.rolling[points.number]
                nothing = np.zeros((len(rows), 3))
                yield ContactGroup(
                    first, second, rows, shape.rows(found), nothing, nothing, found.normal, lift, law, points,
                    (second,), rolling,
                )  # fmt: skip
        shape_a, shape_b = self.actors[one].shape, self.actors[other].shape
        edges_a, edges_b = shape_a.surface.edges, shape_b.surface.edges
        depth = float(self.memory.depth(("object edges", one, other), len(edges_a)).max(initial=0.0))
        edges = edge_features(a.positions, edges_a, b.positions, edges_b, most + depth, shape_a.wings, shape_b.wings)
        if edges.first.size:
            rows = on_edges(shape_a.basis, edges_a[edges.first], edges.first_share)
            second_rows = on_edges(shape_b.basis, edges_b[edges.second], edges.second_share)
            points = ContactPoints(("object edges", one, other), edges.first, len(edges_a))
            lift = self.memory.lift(points, edges.gap, law.margin, self._starting)
            nothing = np.zeros((len(rows), 3))
            yield ContactGroup(
                one, other, rows, second_rows, nothing, nothing, edges.normal, lift, law, points, (other,)
            )

    def _pair_law(self, first: Actor, second: Actor, reach: float, step: float) -> ContactLaw:
        smaller = first if first.size < second.size else second
        heavier = first if first.mass > second.mass else second
        friction = float(np.sqrt(first.friction * second.friction))
        restitution = max(first.restitution, second.restitution)
        law = self._law(smaller, friction, restitution, _per_second(reach, step), step)
        return replace(law, stiffness=law.stiffness * heavier.mass / smaller.mass)

    def _with_itself(self, number: int, now: LatentState, step: float, widen: float) -> Iterator[ContactGroup]:
        actor = self.actors[number]
        shape = actor.shape
        if number not in self.self_searches:
            self.self_searches[number] = SelfContactSearch(
                shape, actor.size, MARGIN * actor.size, actor.solver.carriers
            )
        watch = self.self_searches[number]
        folds = watch.folds(now, step, widen)
        if folds is None:
            return
        points = ContactPoints(("itself", number), folds.found.point, len(shape))
        found = self.memory.on_their_side(points, folds.found, shape.surface.closed)
        rows = shape.basis[found.point] - shape.rows(found)
        closing = 2.0 * float(now.speeds[found.point].max())
        law = self._law(actor, actor.friction, actor.restitution, closing, step)
        nothing = np.zeros((len(rows), 3))
        lift = self.memory.lift(points, found.gap, law.margin, folds.fresh)
        yield ContactGroup(number, None, rows, None, nothing, nothing, found.normal, lift, law, points, ())
        crossing, edges = watch.crossings(now)
        if crossing.first.size:
            rows = on_edges(shape.basis, edges[crossing.first], crossing.first_share)
            rows = rows - on_edges(shape.basis, edges[crossing.second], crossing.second_share)
            nothing, lift = np.zeros((len(rows), 3)), np.zeros(len(rows))
            points = ContactPoints(("own edges", number), crossing.first, len(edges))
            yield ContactGroup(number, None, rows, None, nothing, nothing, crossing.normal, lift, law, points, ())


def _with_sleeper(group: ContactGroup, now: Sequence[Any], asleep: Sequence[bool]) -> ContactGroup:
    """Contacts of two objects; one that sleeps is as good as a wall."""
    if asleep[group.second]:
        surface = group.second_basis @ now[group.second].handles
        return replace(group, second=None, second_basis=None, surface_start=surface, surface_end=surface)
    if asleep[group.first]:
        surface = group.first_basis @ now[group.first].handles
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
