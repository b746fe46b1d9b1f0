"""Wind: aerodynamic drag and lift of surface elements by the relative air speed, steady and turbulent.

With u the air's velocity minus the surface's, n the normal, u_n = u.n and u_t = u - u_n n, an area A feels

    f = rho/2 A ( C_D |u_n| u_n n  +  C_D s |u_t| u_t  +  C_L u_n (|u| n - u_n u/|u|) ).

The first term is the pressure of a flat plate, the second the rubbing along it (a share s of the drag), the third the
lift: at right angles to u, towards the side that n tilts to, of size rho/2 A |u|^2 C_L sin cos of the angle of attack.
It does no work on the air. Sheets feel pressure and lift on both sides, solids only where they face the wind; both rub
all around.

The force is that at the begin of a step. What takes up the air's speed faster than a step could follow, a scrap of
little mass, feels only as much of it as a step can: with the modes of drag over mass, A v = lambda B v, A = sum_s area
phi_s phi_s^T, the part of each is limited to what takes half of its speed in one step.
"""

from __future__ import annotations

import numpy as np
from scipy.linalg import eigh

from ..kinematics.base import Array
from ..kinematics.compliance import whitening
from .conditions import Wind
from .gusts import Gusts

__all__ = ["AIR_DENSITY", "TANGENTIAL_SHARE", "WindForce"]

AIR_DENSITY = 1.2  # kg/m^3
TANGENTIAL_SHARE = 0.02  # skin friction of both sides of a plate over its drag when the wind meets it square


class WindForce:
    """Aerodynamic load of one object in handle space."""

    def __init__(
        self,
        wind: Wind,
        basis: Array,
        gradients: Array,
        area: Array,
        closed: np.ndarray,
        mass: Array,
        size: float,
        seed: int,
        fps: float,
        moment: Array | None = None,
    ) -> None:
        """Surface points: basis Float[S,4H], gradients Float[S,3,4H], area vectors Float[S,3] (m^2), closed Bool[S],
        mass Float[S] (kg); `size` (m) sets the length of the gusts; `moment` is B Float[4H,4H], None where the points
        have all the mass.
        """
        self.wind, self.basis = wind, basis
        count, _, columns = gradients.shape
        self._gradients = np.ascontiguousarray(gradients.transpose(2, 1, 0)).reshape(columns, 3 * count)
        self._area, self._closed, self._mass = np.ascontiguousarray(area.T), closed, mass
        self._gusts = Gusts(wind, size, seed, fps)
        self._moment, self._rates = moment, np.zeros(0)
        if moment is not None:
            # Each handle in its own unit first: beside a heavy foot a leaf is not without mass.
            unit = 1.0 / np.sqrt(np.maximum(np.diagonal(moment), 1e-300))
            reduction = unit[:, None] * whitening(unit[:, None] * moment * unit, np.flatnonzero(np.diagonal(moment)))
            rooted = np.sqrt(np.linalg.norm(area, axis=1))[:, None] * (basis @ reduction)
            self._rates, own = eigh(rooted.T @ rooted)  # m^2/kg, ascending
            self._modes = reduction @ own  # V Float[4H,n], V^T B V = I

    def air(self, positions: Array, seconds: float) -> Array:
        """Air velocity at positions Float[S,3], m/s."""
        return self._gusts.air(positions, seconds)

    def _area_vectors(self, a: Array) -> Array:
        """Nanson: the deformed area vector is cof(F) times the rest one, Float[3,S] m^2."""
        first, second, third = (a.T @ self._gradients).reshape(3, 3, -1).transpose(1, 0, 2)  # columns of F
        turned = self._area[0] * _cross(second, third) + self._area[1] * _cross(third, first)
        return turned + self._area[2] * _cross(first, second)

    def mean(self, handles: Array, rate: Array, time: float, step: float) -> Array:
        """Handle-space force Float[4H,3] where a step begins; the step cannot take the surface past the air's speed."""
        relative = (self.air(self.basis @ handles, time) - self.basis @ rate).T.copy()
        vector = self._area_vectors(handles)
        area = np.sqrt(_dot(vector, vector))
        normal = vector / np.maximum(area, 1e-300)
        across = _dot(relative, normal)
        along = relative - across * normal
        speed = np.sqrt(_dot(relative, relative))
        load = 0.5 * AIR_DENSITY * area
        facing = load * (~self._closed | (across < 0.0))
        # No term may take more than half of the speed that it resists in one step.
        most = 0.5 * self._mass / step
        pressure = np.minimum(self.wind.drag * facing * np.abs(across), most)
        rubbing = np.minimum(self.wind.drag * TANGENTIAL_SHARE * load * np.sqrt(_dot(along, along)), most)
        force = (pressure * across) * normal + rubbing * along
        if self.wind.lift:
            lift = np.clip(self.wind.lift * facing * across, -most, most)
            force += lift * (speed * normal - (across / np.maximum(speed, 1e-300)) * relative)
            force = self._not_gaining(relative, force, step)
        return self._followed(self.basis.T @ force.T, float(speed.max(initial=0.0)), step)

    def _followed(self, force: Array, speed: float, step: float) -> Array:
        """A handle-space force Float[4H,3] without what a step cannot follow, at this relative speed of the air."""
        if self._moment is None:
            return force
        fastest = 0.5 * AIR_DENSITY * (self.wind.drag + self.wind.lift) * speed * step * self._rates
        fast = fastest > 0.5
        if not fast.any():
            return force
        modes = self._modes[:, fast]
        excess = (1.0 - 0.5 / fastest[fast])[:, None] * (modes.T @ force)
        return force - self._moment @ (modes @ excess)

    def _not_gaining(self, relative: Array, force: Array, step: float) -> Array:
        """The force that after the step leaves the relative velocity u as it would, but not longer than it was.

        Lift turns u, and a step of finite length along a turning force makes it longer. With k = step / mass and
        |u - k f|^2 = |u|^2 (1 + k g), the velocity s (u - k f), s = 1 / sqrt(1 + k g), is left by s f + u (1 - s) / k.
        """
        gain = step / self._mass
        longer = gain * _dot(force, force) - 2.0 * _dot(relative, force)
        growth = np.maximum(longer, 0.0) / np.maximum(_dot(relative, relative), 1e-300)
        root = np.sqrt(1.0 + gain * growth)
        return force / root + growth / (root * (1.0 + root)) * relative


def _dot(left: Array, right: Array) -> Array:
    """Of vectors Float[3,S], Float[S]."""
    return np.einsum("is,is->s", left, right)


def _cross(left: Array, right: Array) -> Array:
    """Of vectors Float[3,S], Float[3,S]; several times as fast as NumPy's own along a short axis."""
    (x, y, z), (u, v, w) = left, right
    return np.stack([y * w - z * v, z * u - x * w, x * v - y * u])
