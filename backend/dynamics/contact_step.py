"""When a step is free and when it touches: the same choice for every kind of coordinates."""

from __future__ import annotations

from typing import Protocol

import numpy as np

from ..kinematics.base import Array, Kinematics
from .contact import Contact, Patch
from .state import State, Statistics, StepFailed

__all__ = ["ContactStepper", "advance_with_contact"]

ATTEMPTS = 4  # patches tried when a sample outside the patch went through the ground


class ContactStepper(Protocol):
    """What a stepper with a free and a touching step offers."""

    kinematics: Kinematics
    contact: Contact | None
    statistics: Statistics

    def free_step(self, state: State, step: float, load: Array) -> State: ...

    def touching_step(self, state: State, step: float, load: Array, patch: Patch) -> State: ...


def advance_with_contact(stepper: ContactStepper, state: State, step: float, load: Array) -> State:
    """A free (variational) step while nothing comes within the margin of the ground, else a dissipative one."""
    stepper.statistics.steps += 1
    contact, kinematics = stepper.contact, stepper.kinematics
    if contact is None:
        return stepper.free_step(state, step, load)
    gaps = contact.gaps(kinematics.handles(state.q))
    if gaps.min() >= contact.margin:
        free = stepper.free_step(state, step, load)
        if contact.gaps(kinematics.handles(free.q)).min() >= contact.margin:
            return free
    stepper.statistics.contact_steps += 1
    handle_rate = kinematics.push(state.q, state.rate)
    missed: np.ndarray | None = None
    for _ in range(ATTEMPTS):
        patch = contact.patch(gaps, handle_rate, step, missed)
        after = stepper.touching_step(state, step, load, patch)
        deep = np.flatnonzero(contact.gaps(kinematics.handles(after.q)) <= 0.0)
        if deep.size == 0:
            return after
        missed = deep if missed is None else np.union1d(missed, deep)
    raise StepFailed
