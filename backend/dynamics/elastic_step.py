"""One time step of elastic coordinates as a minimisation. Both integrators are the same incremental potential,

    E(x) = |x - x_tilde|^2 / (2 tau^2) + V(x) - load . x + R(x, q0) / tau [+ barrier + friction]

with x_tilde = q0 + tau qdot0, unit mass and the dissipation R of `damping`:
- variational (implicit midpoint of the discrete Lagrangian): tau = h/2, x is the midpoint, q1 = 2 x - q0;
- dissipative (backward Euler, where something touches): tau = h, x = q1.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from ..kinematics.base import Array
from ..kinematics.elastic import ElasticKinematics
from .contact import Contact, Friction, Patch, least_impulse
from .contact_step import advance_with_contact
from .curvature_memory import CurvatureMemory
from .damping import RigidMotions
from .energies import StableNeoHookean
from .state import State, Statistics, StepFailed
from .stiffness import LaggedStiffness

__all__ = ["ElasticStepper"]

MAXIMUM_ITERATIONS = 60
CONTACT_TOLERANCE = 20.0
CALM_STEPS = 16  # solves without a refresh after which the rest stiffness is tried again
REFRESH_INHERITED = 6  # iterations with the matrix of an earlier step before it is taken anew at the current shape
REFRESH_CAUTIOUS = 5  # the same where the matrix had to be made definite
REFRESH_OWN = 14  # iterations with a matrix of this step; a new one costs as much as forty


@dataclass
class ElasticStepper:
    """Steps an elastic object. `moment` is B; `settle` is (alpha, beta) or None when undamped."""

    kinematics: ElasticKinematics
    moment: Array
    energy: StableNeoHookean
    stiffness: LaggedStiffness
    settle: tuple[float, float] | None
    anchored: bool
    contact: Contact | None
    tolerance: float  # sqrt(kg) m, length of the last Newton step in q
    statistics: Statistics = field(default_factory=Statistics)

    def __post_init__(self) -> None:
        self._inherited = 0  # solves since the last refresh of the Newton matrix
        self._rigid = None if self.anchored else RigidMotions(self.kinematics, self.moment)

    # -- geometry of the moment ------------------------------------------------------------------------------------

    def _turn(self, a: Array) -> Array:
        """Rotation of the object as a whole: polar factor of the mass-weighted map from rest to now."""
        if self.anchored:
            return np.eye(3)
        weighted = self.moment[:4] @ a  # sum_v m_v [X_v; 1] x_v^T
        mean = weighted[3] / self.moment[3, 3]
        spread = weighted[:3] - np.outer(self.moment[3, :3], mean)
        left, _, right = np.linalg.svd(spread.T)
        return left @ np.diag([1.0, 1.0, np.sign(np.linalg.det(left @ right))]) @ right

    # -- the two integrators ---------------------------------------------------------------------------------------

    def advance(self, state: State, step: float, load: Array) -> State:
        """One step of `step` seconds under the constant handle-space force `load` Float[4H,3]."""
        return advance_with_contact(self, state, step, load)

    def free_step(self, state: State, step: float, load: Array) -> State:
        """Implicit midpoint."""
        tau = 0.5 * step
        middle = self._minimise(state, tau, self.kinematics.pull(state.q, load))
        rate = (middle - state.q) / tau
        return State(2.0 * middle - state.q, 2.0 * rate - state.rate)

    def touching_step(self, state: State, step: float, load: Array, patch: Patch) -> State:
        """Backward Euler with the ground."""
        pulled, rows = self.kinematics.pull(state.q, load), patch.basis @ self.kinematics.reduction
        before = patch.positions(self.kinematics.handles(state.q))
        friction = patch.friction(before, before, step)
        q = self._minimise(state, step, pulled, _Touch(patch, rows, friction))
        lagged = patch.friction(patch.positions(self.kinematics.handles(q)), before, step)
        if lagged is not None and lagged.differs_from(friction):
            # Once more with the normal forces just found: the first contact of a landing must already rub.
            q = self._minimise(state, step, pulled, _Touch(patch, rows, lagged), start=q)
        rate = (q - state.q) / step
        # Restitution at samples that have just come into contact, by the least change of the motion.
        approach = rows @ state.rate.reshape(-1, 3)[:, 2]
        rebound = patch.rebound(before, approach, patch.positions(self.kinematics.handles(q)))
        if rebound is not None:
            touching, speed = rebound
            normal, velocity = rows[touching], rate.reshape(-1, 3)
            velocity[:, 2] += least_impulse(normal, normal.T, speed - normal @ velocity[:, 2])
        return State(q, rate)

    # -- Newton ----------------------------------------------------------------------------------------------------

    def _minimise(
        self, state: State, tau: float, load: Array, touch: _Touch | None = None, start: Array | None = None
    ) -> Array:
        kinematics = self.kinematics
        target = state.q + tau * state.rate
        start_handles = kinematics.handles(state.q)
        turn = self._turn(start_handles)
        alpha, beta = self.settle or (0.0, 0.0)
        metric = self.energy.metric(start_handles) if beta else None
        rigid = self._rigid(state.q) if self._rigid is not None and (alpha or touch is not None) else None
        braked = None
        if rigid is not None and touch is not None:
            turning = rigid[:, 3:]
            speed = float(np.linalg.norm(turning.T @ state.rate)) / np.sqrt(self.moment[3, 3])
            braked = turning * np.sqrt(touch.patch.contact.rolling_resistance(speed) / tau)
        factors = (1.0 / tau**2 + alpha / tau, beta / tau)

        def gradient(x: Array) -> tuple[Array, _Contacts | None]:
            a = kinematics.handles(x)
            total = (x - target) / tau**2 + kinematics.pull(x, self.energy.gradient(a, metric, beta / tau)) - load
            if alpha:
                loose = x - state.q
                if rigid is not None:
                    loose = loose - rigid @ (rigid.T @ loose)
                total += (alpha / tau) * loose
            if braked is not None:
                total += braked @ (braked.T @ (x - state.q))
            contacts = None if touch is None else touch.contacts(a)
            if contacts is not None:
                total += (contacts.rows.T @ contacts.force).ravel()
            return total, contacts

        def reach(x: Array, move: Array) -> float:
            return 1.0 if touch is None else touch.reach(kinematics.handles(x), move)

        if start is not None:
            x = start
        elif touch is None:
            # Along translations nothing but the load acts: their exact answer first, so that no digit of the momentum
            # is left to the tolerance (Newton's steps keep what is exact already).
            x = target if self._rigid is None else target + tau**2 * self._rigid.translation(load)
        else:
            x = state.q + reach(state.q, target - state.q) * (target - state.q)
        slope, contacts = gradient(x)
        # The first of the two lagged solves and the ground's own smoothing do not deserve more digits than these.
        tolerance = self.tolerance if touch is None else CONTACT_TOLERANCE * self.tolerance
        self._inherited += 1
        if self._inherited == CALM_STEPS:
            self.stiffness.back_to_rest()
        previous, age, limit = np.inf, 0, REFRESH_INHERITED
        memory = CurvatureMemory()
        for _ in range(MAXIMUM_ITERATIONS):
            if age == limit:
                self.stiffness.refresh(x, turn, metric, factors)
                self._inherited = 0
                self.statistics.stiffness_refreshes += 1
                age, limit, memory = 0, REFRESH_OWN, CurvatureMemory()
            rows, blocks = (None, None) if contacts is None else (contacts.rows, contacts.blocks)
            try:
                move = memory.direction(
                    slope, lambda right, r=rows, b=blocks: self.stiffness.solve(right, turn, factors, r, b, braked)
                )
            except np.linalg.LinAlgError:
                raise StepFailed from None
            if limit == REFRESH_OWN and self.stiffness.cautious:
                limit = REFRESH_CAUTIOUS
            self.statistics.newton_iterations += 1
            length = float(np.sqrt(move @ move))
            if not np.isfinite(length):
                raise StepFailed
            # A linearly converging iteration still has length * r / (1 - r) to go; r from the last two steps.
            ratio = min(length / previous, 0.9) if np.isfinite(previous) else 0.5
            share = reach(x, move)
            if length * ratio / (1.0 - ratio) < tolerance and length < 100.0 * tolerance:
                return x + share * move
            age += 1
            previous = length
            downhill = float(slope @ move)
            for _ in range(12):
                trial = x + share * move
                trial_slope, trial_contacts = gradient(trial)
                along = float(trial_slope @ move)
                if along <= 0.9 * abs(downhill):
                    break
                share *= np.clip(downhill / (downhill - along), 0.1, 0.7)
            else:
                raise StepFailed
            memory.add(trial - x, trial_slope - slope)
            x, slope, contacts = trial, trial_slope, trial_contacts
        raise StepFailed


@dataclass(frozen=True)
class _Contacts:
    """Samples that push or rub at one iterate: basis rows in q, forces and Hessian blocks (gradient signs)."""

    rows: Array  # Float[c,n]
    force: Array  # Float[c,3]
    blocks: Array  # Float[c,3,3]


@dataclass(frozen=True)
class _Touch:
    """The contact part of one minimisation."""

    patch: Patch
    rows: Array  # Float[c,n], the patch's basis in q
    friction: Friction | None

    def contacts(self, a: Array) -> _Contacts | None:
        patch, friction = self.patch, self.friction
        positions = patch.positions(a)
        gaps = patch.gaps(positions)
        near = patch.active(gaps)
        if friction is not None:
            near = np.union1d(near, friction.samples)
        if near.size == 0:
            return None
        force, blocks = np.zeros((len(near), 3)), np.zeros((len(near), 3, 3))
        close = np.flatnonzero(gaps[near] < patch.contact.margin)
        force[close, 2] = patch.barrier_slope(gaps[near[close]])
        blocks[close, 2, 2] = patch.barrier_curvature(gaps[near[close]])
        if friction is not None:
            place = np.searchsorted(near, friction.samples)
            force[place] += friction.gradient(positions)
            blocks[place] += friction.hessian(positions)
        return _Contacts(self.rows[near], force, blocks)

    def reach(self, a: Array, move: Array) -> float:
        """The largest share of `move` that keeps every sample above the ground; gaps are linear in q."""
        gaps = self.patch.gaps(self.patch.positions(a))
        drop = -(self.rows @ move.reshape(-1, 3)[:, 2])
        falling = drop > 0.0
        return float(min(1.0, 0.9 * (gaps[falling] / drop[falling]).min(initial=np.inf)))
