"""The time loop: frames of equal length, automatic substeps, steps that fail are halved and never shown."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from ..errors import Cancelled, UserError
from ..kinematics.base import Array, Kinematics
from .contact import Contact
from .energies import Energy
from .state import State, Statistics, StepFailed
from .wind import WindForce

__all__ = ["Frame", "PokeForce", "Simulation", "Stepper"]

SMALLEST_SHARE = 1.0 / 256.0  # of a substep; failing below it is reported, not shown
PHASE_PER_STEP = 0.4
SPIN_PER_STEP = 0.27
STILL_FRAMES = 12  # frames without visible motion before an object sleeps


class Stepper(Protocol):
    """Advances a state by one step under a constant handle-space load."""

    statistics: Statistics
    contact: Contact | None

    def advance(self, state: State, step: float, load: Array) -> State: ...


@dataclass(frozen=True)
class Frame:
    """One frame: index from 1, `a` Float[4H,3], q Float[k], energy Float[3] (kinetic, potential, total; joules)."""

    index: int
    handles: Array
    q: Array
    energy: Array


@dataclass(frozen=True)
class PokeForce:
    """A constant handle-space force (newton) during [begin, end) seconds."""

    force: Array
    begin: float
    end: float

    def mean(self, time: float, step: float) -> Array | None:
        """Its average over a step, so that the impulse is exact whatever the substeps are."""
        overlap = min(self.end, time + step) - max(self.begin, time)
        return self.force * (overlap / step) if overlap > 1e-12 * step else None


@dataclass
class Simulation:
    """Everything one take needs; `frames()` runs it once."""

    kinematics: Kinematics
    moment: Array  # B, Float[4H,4H]
    stepper: Stepper
    state: State
    potentials: tuple[Energy, ...]  # what the energy report counts
    load: Array  # constant part of the load, Float[4H,3]
    pokes: tuple[PokeForce, ...]
    wind: WindForce | None
    frame_count: int
    frame_seconds: float
    substeps: int | None
    followed_frequency: float  # rad/s, of the fastest elastic mode that substeps must resolve; 0 for rigid bodies
    sleep_speed: float | None  # RMS m/s below which the object is at rest; None: never sleeps

    def _energy(self, state: State) -> Array:
        a = self.kinematics.handles(state.q)
        rate = self.kinematics.push(state.q, state.rate)
        kinetic = 0.5 * float(np.vdot(rate, self.moment @ rate))
        potential = sum(energy.value(a) for energy in self.potentials)
        return np.array([kinetic, potential, kinetic + potential])

    def _frame(self, index: int, state: State) -> Frame:
        return Frame(index, self.kinematics.handles(state.q), state.q, self._energy(state))

    def _spin(self, state: State) -> float:
        """An upper estimate of the turning rate (rad/s): the largest velocity gradient of the constant handle."""
        a = self.kinematics.handles(state.q)[:3]
        rate = self.kinematics.push(state.q, state.rate)[:3]
        return float(np.linalg.norm(rate) / max(np.linalg.norm(a), 1e-12))

    def _substeps(self, state: State) -> int:
        if self.substeps is not None:
            return self.substeps
        # Implicit midpoint slows a mode by phase^2 / 12 (1 % here) and swells a spinning body by spin^2 / 8 of its size
        # between frames: at most these angles (rad) in a step.
        count = max(self._spin(state) / SPIN_PER_STEP, self.followed_frequency / PHASE_PER_STEP) * self.frame_seconds
        # Backward Euler stops a slide up to half a step early: short steps where something can touch.
        least = 2 if self.stepper.contact is None else 4
        return int(np.clip(np.ceil(count), least, 32))

    def _load(self, state: State, time: float, step: float) -> Array:
        load = self.load
        for poke in self.pokes:
            mean = poke.mean(time, step)
            if mean is not None:
                load = load + mean
        if self.wind is not None:
            a = self.kinematics.handles(state.q)
            load = load + self.wind.force(a, self.kinematics.push(state.q, state.rate), time, step)
        return load

    def _advance(
        self, state: State, time: float, step: float, should_cancel: Callable[[], bool], share: float
    ) -> State:
        if should_cancel():
            raise Cancelled
        try:
            after = self.stepper.advance(state, step, self._load(state, time, step))
            if not np.isfinite(after.q).all():
                raise StepFailed
            return after
        except (StepFailed, np.linalg.LinAlgError):  # the latter where numbers have run out of all bounds
            if share <= SMALLEST_SHARE:
                raise UserError(
                    "did_not_converge",
                    f"The motion could not be solved at {time:.2f} s.",
                    "Make the poke weaker or its radius larger, or raise the stiffness or the substeps.",
                ) from None
            self.stepper.statistics.halved_steps += 1
            half = self._advance(state, time, 0.5 * step, should_cancel, 0.5 * share)
            return self._advance(half, time + 0.5 * step, 0.5 * step, should_cancel, 0.5 * share)

    def _forces_end(self) -> float:
        """The time after which nothing but constant loads acts."""
        return np.inf if self.wind is not None else max((poke.end for poke in self.pokes), default=0.0)

    def frames(self, should_cancel: Callable[[], bool]) -> Iterator[Frame]:
        """Frame 1 is the initial state. Raises Cancelled at the next substep after `should_cancel()` turns true."""
        state, time = self.state, 0.0
        yield self._frame(1, state)
        still, mass = 0, float(self.moment[3, 3])
        last_force = self._forces_end()
        for index in range(2, self.frame_count + 1):
            begin = (index - 2) * self.frame_seconds
            asleep = still >= STILL_FRAMES and not any(
                p.begin < begin + self.frame_seconds and p.end > begin for p in self.pokes
            )
            if asleep:
                state = State(state.q, np.zeros_like(state.rate))
            else:
                count = self._substeps(state)
                for substep in range(count):
                    time = begin + substep * self.frame_seconds / count
                    state = self._advance(state, time, self.frame_seconds / count, should_cancel, 1.0)
                rate = self.kinematics.push(state.q, state.rate)
                speed = float(np.sqrt(np.vdot(rate, self.moment @ rate) / mass))
                quiet = self.sleep_speed is not None and speed < self.sleep_speed and begin >= last_force
                still = still + 1 if quiet else 0
            yield self._frame(index, state)
