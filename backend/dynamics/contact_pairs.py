"""Contact constraints of one step: pairs of a surface point and a plane that it must not cross.

A contact is a material point of one object, a point of what it may touch (the world, or another object, or the same
one) and a unit normal, both kept for the step. Its gap  n . (x_first - x_second) + lift  is linear in the handles, so
everything that touches, ground, collider, other objects, edges against edges, is one kind of row for the solver.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np

from ..kinematics.base import Array
from .barrier import barrier_slope
from .contact_kernels import push_and_rub
from .friction import Friction

__all__ = ["ContactForces", "ContactGroup", "ContactLaw", "ContactPoints", "Contacts", "Side"]


@dataclass(frozen=True)
class ContactLaw:
    """Contact parameters of a pair of surfaces, the same for all contacts of a group."""

    margin: float  # m, gap below which they push
    stiffness: float  # N/m, of the barrier
    friction: float
    restitution: float
    bristle: float  # m, the stretch at which friction begins to slide
    rest_speed: float  # m/s, approaches slower than ten times this do not bounce


@dataclass(frozen=True)
class ContactPoints:
    """Which surface points the contacts of a group have, to look up their contact history."""

    partners: Hashable
    number: np.ndarray  # Int[c], of each contact's point among `count`
    count: int


@dataclass(frozen=True)
class ContactGroup:
    """Contacts between the same two partners. `first` and `second` are indices of objects in the island.

    Where `second` is None the other side is known: `surface_start` and `surface_end` are where its points (m) are at
    the start and the end of the step. Contacts of an object with itself have the difference of two basis rows.
    """

    first: int
    second: int | None
    first_basis: Array  # Float[c,4Ha]
    second_basis: Array | None  # Float[c,4Hb]
    surface_start: Array  # Float[c,3]
    surface_end: Array  # Float[c,3]
    normal: Array  # Float[c,3], from the second to the first
    lift: Array  # Float[c] m
    law: ContactLaw
    points: ContactPoints
    partner: tuple[int, ...]  # the other simulated object, also one that sleeps; empty for the world
    rolling: np.ndarray | None = None  # Bool[c]: points of wheels, whose coming down is no blow; None: none is

    def __len__(self) -> int:
        return len(self.normal)

    def relative(self, handles: Sequence[Array], surface: Array) -> Array:
        """x_first - x_second, Float[c,3]."""
        other = surface if self.second is None else self.second_basis @ handles[self.second]
        return self.first_basis @ handles[self.first] - other

    def gaps(self, handles: Sequence[Array], surface: Array) -> Array:
        """Float[c] m."""
        return _gaps(self.relative(handles, surface), self.normal, self.lift)


def _gaps(relative: Array, normal: Array, lift: Array) -> Array:
    return np.einsum("ci,ci->c", relative, normal) + lift


@dataclass(frozen=True)
class ContactForces:
    """Contacts that push or rub at one iterate: which, and the gradient Float[c,3] of every contact.

    Their Hessians are sums of r r^T over roots r Float[m,3], each of the contact `of` Int[m], ascending.
    """

    chosen: np.ndarray
    force: Array
    of: np.ndarray
    root: Array


@dataclass(frozen=True)
class Side:
    """What contacts have of one object: rows of its basis Float[n,4H], negative where it is the second.

    `contact` Int[n] are the contacts, ascending; `row` Int[c] is where each contact is among them, -1 elsewhere.
    """

    contact: np.ndarray
    basis: Array
    row: np.ndarray


@dataclass(frozen=True)
class Contacts:
    """All contacts of an island in one step. `start` are the handles of its objects at the start of the step."""

    groups: tuple[ContactGroup, ...]
    start: tuple[Array, ...]
    bristle: Array  # Float[c,3], the stretch that was there before the step

    @cached_property
    def slices(self) -> tuple[slice, ...]:
        """Where each group's contacts are among all."""
        ends = np.cumsum([0, *(len(group) for group in self.groups)])
        return tuple(slice(int(a), int(b)) for a, b in pairwise(ends))

    def _of_law(self, name: str) -> Array:
        return np.concatenate([np.zeros(0), *(np.full(len(group), getattr(group.law, name)) for group in self.groups)])

    @cached_property
    def normal(self) -> Array:
        """Float[c,3]."""
        return np.concatenate([np.zeros((0, 3)), *(group.normal for group in self.groups)])

    @cached_property
    def margin(self) -> Array:
        """Float[c] m."""
        return self._of_law("margin")

    @cached_property
    def stiffness(self) -> Array:
        """Float[c] N/m."""
        return self._of_law("stiffness")

    @cached_property
    def _rolling(self) -> np.ndarray:
        """Bool[c]."""
        none = np.zeros(0, dtype=np.bool_)
        every = [np.zeros(len(group), np.bool_) if group.rolling is None else group.rolling for group in self.groups]
        return np.concatenate([none, *every])

    @cached_property
    def _lift(self) -> Array:
        return np.concatenate([np.zeros(0), *(group.lift for group in self.groups)])

    @cached_property
    def _nothing(self) -> Array:
        return np.zeros(len(self.normal))

    @cached_property
    def _bristle_length(self) -> Array:
        return self._of_law("bristle")

    @cached_property
    def _friction_coefficient(self) -> Array:
        return self._of_law("friction")

    @cached_property
    def sides(self) -> dict[int, Side]:
        """By the objects' numbers in the island."""
        parts: dict[int, list[tuple[np.ndarray, Array]]] = {}
        for group, own in zip(self.groups, self.slices, strict=True):
            places = np.arange(own.start, own.stop)
            parts.setdefault(group.first, []).append((places, group.first_basis))
            if group.second is not None:
                parts.setdefault(group.second, []).append((places, -group.second_basis))
        result = {}
        for number, every in parts.items():
            contact = np.concatenate([places for places, _ in every])
            row = np.full(len(self.normal), -1)
            row[contact] = np.arange(len(contact))
            result[number] = Side(contact, np.concatenate([basis for _, basis in every]), row)
        return result

    @cached_property
    def _surface_start(self) -> Array:
        return np.concatenate([np.zeros((0, 3)), *(group.surface_start for group in self.groups)])

    @cached_property
    def _surface_end(self) -> Array:
        return np.concatenate([np.zeros((0, 3)), *(group.surface_end for group in self.groups)])

    def _between(self, handles: Sequence[Array], surface: Array) -> Array:
        """x_first - x_second, Float[c,3]; `surface` of what is no object of the island."""
        result = -surface
        for number, side in self.sides.items():
            result[side.contact] += side.basis @ handles[number]
        return result

    @cached_property
    def _relative_start(self) -> Array:
        return self._between(self.start, self._surface_start)

    @cached_property
    def _kept_stretch(self) -> Array:
        """What is to be added to x_first - x_second to get the stretch of the bristles, Float[c,3]."""
        return self.bristle - self._relative_start

    @cached_property
    def start_gaps(self) -> Array:
        """Gaps before the step, Float[c] m."""
        return self.gaps(self._relative_start)

    def relative(self, handles: Sequence[Array]) -> Array:
        """x_first - x_second at the end of the step, Float[c,3]."""
        return self._between(handles, self._surface_end)

    def gaps(self, relative: Array) -> Array:
        """Float[c] m."""
        return _gaps(relative, self.normal, self._lift)

    def touching(self, gaps: Array) -> np.ndarray:
        """Contacts inside their margin, Int[c]."""
        return np.flatnonzero(gaps < self.margin)

    def _stretch(self, relative: Array, chosen: np.ndarray) -> Array:
        normal, slip = self.normal[chosen], relative[chosen] + self._kept_stretch[chosen]
        return slip - np.einsum("ci,ci->c", slip, normal)[:, None] * normal

    def push(self, gaps: Array, chosen: np.ndarray) -> Array:
        """Normal force of contacts, Float[c] N, not negative."""
        return -barrier_slope(gaps[chosen], self.margin[chosen], self.stiffness[chosen])

    def friction(self, gaps: Array) -> Friction | None:
        """Friction with the normal forces at gaps Float[c] m."""
        chosen = self.touching(gaps)
        chosen = chosen[self._friction_coefficient[chosen] > 0.0]
        if chosen.size == 0:
            return None
        limit = self._friction_coefficient[chosen] * self.push(gaps, chosen)
        return Friction(chosen, limit, self._bristle_length[chosen])

    def forces(self, handles: Sequence[Array], friction: Friction | None) -> ContactForces | None:
        """Gradient and Hessian of barrier and friction in the points' positions; None where nothing acts."""
        count = len(self.normal)
        chosen, force = np.empty(count, dtype=np.int64), np.zeros((count, 3))
        of, root = np.empty(3 * count, dtype=np.int64), np.empty((3 * count, 3))
        limit, length = self._nothing, self._nothing
        if friction is not None:
            limit, length = np.zeros(count), np.ones(count)
            limit[friction.contacts], length[friction.contacts] = friction.limit, friction.length
        acting, roots = push_and_rub(
            self.relative(handles), self.normal, self._lift, self.margin, self.stiffness, self._kept_stretch, limit,
            length, chosen, force, of, root,
        )  # fmt: skip
        if acting == 0:
            return None
        return ContactForces(chosen[:acting], force, of[:roots], root[:roots])

    def kept_bristles(self, handles: Sequence[Array], friction: Friction | None) -> Array:
        """The stretch that stays for the next step, Float[c,3]: none longer than the bristle."""
        kept = np.zeros_like(self.bristle)
        if friction is not None:
            stretch = self._stretch(self.relative(handles), friction.contacts)
            length = np.sqrt((stretch**2).sum(axis=1))
            kept[friction.contacts] = stretch * np.minimum(1.0, friction.length / np.maximum(length, 1e-300))[:, None]
        return kept

    def approach(self, rates: Sequence[Array], step: float) -> Array:
        """Separating speed of every contact for handle rates at one instant, Float[c] m/s; negative: they approach."""
        moved = self._between(rates, (self._surface_end - self._surface_start) / step)
        return np.einsum("ci,ci->c", moved, self.normal)

    def impacts(
        self, rates: Sequence[Array], later: Sequence[Array], handles: Sequence[Array], step: float
    ) -> tuple[np.ndarray, Array, np.ndarray] | None:
        """Where contacts are struck, and Newton's law of restitution, v+ >= -e v-, where they just came inside.

        Handle rates before the step and as they would be after it without contact, handles after it, `step` in
        seconds. Returns the contacts that touch now, the least separating speed of each and which of them have struck,
        or None when nothing has.
        """
        touching = self.touching(self.gaps(self.relative(handles)))
        if touching.size == 0:
            return None
        first, last = self.approach(rates, step)[touching], self.approach(later, step)[touching]
        # What falls is faster when it strikes than when the step began.
        closing = np.maximum(-0.5 * step * (first + last), 1e-300)
        way = self.start_gaps[touching] - self.margin[touching]
        approach = first + (last - first) * np.clip(way / closing, 0.0, 1.0)
        # Slower contacts do not bounce: without a threshold a resting object would hop for ever.
        struck = approach < -10.0 * self._of_law("rest_speed")[touching]
        struck &= ~self._rolling[touching]
        if not struck.any():
            return None
        fresh = struck & (self.start_gaps[touching] >= self.margin[touching])
        return touching, np.where(fresh, -self._of_law("restitution")[touching] * approach, 0.0), struck
