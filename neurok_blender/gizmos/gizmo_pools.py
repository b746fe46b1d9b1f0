"""Fixed pools of gizmos, assigned to the conditions anew whenever the list changes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from .. import names
from .condition_places import ARROW_KINDS

__all__ = ["POOLS", "Slot", "assign_slots"]

# How many handles of a kind there are. Of the last three only the chosen condition shows one.
POOLS = {
    names.GizmoGroup.ARROW: 16,
    names.GizmoGroup.FLOOR: 4,
    names.GizmoGroup.DIAL: 8,
    names.GizmoGroup.RING: 1,
    names.GizmoGroup.GRIP: 1,
    names.GizmoGroup.AXIS: 1,
}


@dataclass(frozen=True)
class Slot:
    """The index of a condition in the object's list, and whether it is active."""

    index: int
    is_active: bool


def assign_slots(conditions: Sequence, active: int) -> dict[str, list[Slot]]:
    """The slots of each pool, at most as many as it has, in the order of the list."""
    wanted: dict[str, list[Slot]] = {pool: [] for pool in POOLS}
    for number, condition in enumerate(conditions):
        if condition.enabled:
            for pool in _pools_of(condition, number == active):
                wanted[pool].append(Slot(number, number == active))
    return {pool: _at_most(POOLS[pool], slots) for pool, slots in wanted.items()}


def _pools_of(condition, is_active: bool) -> list[str]:
    turns = any(condition.angular)
    # Where only the spin is set, an arrow of no length is of use only to be dragged.
    arrow = condition.kind in ARROW_KINDS and (is_active or condition.kind != "VELOCITY" or any(condition.linear))
    return [
        pool
        for pool, shows in (
            (names.GizmoGroup.ARROW, arrow),
            (names.GizmoGroup.FLOOR, condition.kind == "GROUND"),
            (names.GizmoGroup.DIAL, condition.kind == "VELOCITY" and (is_active or turns)),
            (names.GizmoGroup.RING, condition.kind == "POKE" and is_active),
            (names.GizmoGroup.GRIP, condition.kind == "POKE" and is_active),
            # Without a spin there is nothing that could keep the direction of its axis.
            (names.GizmoGroup.AXIS, condition.kind == "VELOCITY" and is_active and turns),
        )
        if shows
    ]


def _at_most(count: int, slots: list[Slot]) -> list[Slot]:
    """The first of them, the active one always among them."""
    kept = slots[:count]
    late = [slot for slot in slots[count:] if slot.is_active]
    return kept[: count - len(late)] + late
