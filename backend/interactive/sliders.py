"""What an artist can slide of an object: its learned coordinates, or the softest modes of what is elastic.

The shape of slider values v Float[k] lies where the object is and as it is turned. Learned coordinates are q itself.
Of an elastic object v scales the eigenmodes phi_i of its stiffness in the metric of its mass, at rest,

    q(v) = sum_i v_i s_i phi_i,    s_i such that v_i = 1 moves the surface by 0.1 w_1 / w_i of the size, RMS by area,

so that a mode of a higher frequency w_i moves less, as it does in nature.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from ..bodies.body import Body
from ..dynamics.rigid_placement import RigidPlacement
from ..dynamics.stiffness import LaggedStiffness
from ..errors import UserError
from ..geometry.surface_points import quasi_random_points
from ..kinematics.base import Array
from ..kinematics.elastic import ElasticKinematics
from ..kinematics.rooted import ROOT_DOF, RootedKinematics

__all__ = ["MOST_SHAPES", "Coordinates", "Sliders"]

MOST_SHAPES = 64  # at once
MOST_MODES = 12
MODE_MOTION = 0.1  # of the size, RMS
MODE_RANGE = 2.0
SURFACE_POINTS = 3000
SOFT_FLOOR = 1e-6  # of the highest squared frequency in use: loose parts of a free object have none of their own
EDGE_TRIANGLES = 500  # spread by area, whose edges tell how far a shape is stretched
STRETCHED = 1.3  # times its length at rest: an edge that looks stretched
MOST_STRETCHED = 0.05  # of the edges, by area
DRAWS = 20  # of one random pose, before it is made smaller instead
SMALLER = 0.8


@dataclass(frozen=True)
class Coordinates:
    """The sliders by name, "joint", "bend", "mode", "turn" (rad) or "slide" (m) of each, and their ranges Float[k]; all
    are 0 at rest.
    """

    names: tuple[str, ...]
    kinds: tuple[str, ...]
    lower: Array
    upper: Array


class _Way(Protocol):
    """How slider values Float[k] are shapes of one provider."""

    coordinates: Coordinates
    mean: Array  # Float[k], of random poses
    spread: Array  # Float[k], their deviation

    def handles(self, values: Array, now: Array) -> Array:
        """Handles Float[4H,3] of slider values, for an object that is posed by q Float[...] now."""
        ...

    def values(self, q: Array) -> Array:
        """Slider values nearest to a pose."""
        ...


class _AfterRoot:
    """Sliders that are the coordinates behind the free root, if there is one."""

    def __init__(self, body: Body) -> None:
        self._kinematics = body.kinematics
        self._root = ROOT_DOF if isinstance(body.kinematics, RootedKinematics) else 0

    def handles(self, values: Array, now: Array) -> Array:
        return self._kinematics.handles(np.concatenate([now[: self._root], values]))

    def values(self, q: Array) -> Array:
        return q[self._root :]


class _Learned(_AfterRoot):
    def __init__(self, body: Body) -> None:
        super().__init__(body)
        shape = body.learned
        assert shape is not None
        kinds = tuple("joint" if joint else "bend" for joint in shape.joints)
        names = tuple(
            f"Joint {number}" if kind == "joint" else f"Bend {number}" for number, kind in enumerate(kinds, 1)
        )
        self.coordinates = Coordinates(names, kinds, shape.lower, shape.upper)
        self.mean = shape.reduction.mean
        self.spread = np.ones_like(self.mean)


class _Jointed(_AfterRoot):
    """Sliders are the joints themselves, in radians and metres."""

    def __init__(self, body: Body) -> None:
        super().__init__(body)
        assert body.jointed is not None
        tree = body.jointed.tree
        lower, upper = tree.limits
        turn = np.array([np.pi if joint.turns else body.size for joint in tree.coordinates])
        low = np.where(np.isfinite(lower), lower, np.where(np.isfinite(upper), upper - 2.0 * turn, -turn))
        high = np.where(np.isfinite(upper), upper, low + 2.0 * turn)
        # Some joints cannot be where they are drawn; the sliders' ranges have the drawn shape in them all the same.
        low, high = np.minimum(low, 0.0), np.maximum(high, 0.0)
        names = tuple(joint.name or tree.parts[joint.child] for joint in tree.coordinates)
        kinds = tuple("turn" if joint.turns else "slide" for joint in tree.coordinates)
        self.coordinates = Coordinates(names, kinds, low, high)
        self.mean, self.spread = 0.5 * (low + high), 0.25 * (high - low)


class _Elastic:
    def __init__(self, body: Body, placement: RigidPlacement, stiffness: LaggedStiffness) -> None:
        kinematics = body.kinematics
        assert isinstance(kinematics, ElasticKinematics)
        first = placement.motions.shape[1]
        squares = stiffness.squared_frequencies[first : first + MOST_MODES]
        squares = np.maximum(squares, SOFT_FLOOR * squares[-1])
        modes = stiffness.modes[:, first : first + MOST_MODES]
        # An eigenvector has no sign of its own.
        modes = modes * np.sign(modes[np.abs(modes).argmax(axis=0), np.arange(modes.shape[1])])
        places = quasi_random_points(body.mesh.vertices, body.mesh.triangles, SURFACE_POINTS)
        corners = body.mesh.triangles[places.triangle]
        rows = body.vertex_basis(corners.ravel()).reshape(*corners.shape, -1)
        rows = np.einsum("nc,ncm->nm", places.barycentric, rows) @ kinematics.reduction
        moved = np.tensordot(rows, modes.reshape(rows.shape[1], 3, -1), axes=1)  # (n, 3, k)
        length = np.sqrt((moved**2).sum(axis=1).mean(axis=0))
        wanted = MODE_MOTION * body.size * np.sqrt(squares[0] / squares)
        self._modes, self._scale = modes, wanted / np.maximum(length, 1e-12 * length.max())
        count = len(squares)
        names = tuple(f"Mode {number}" for number in range(1, count + 1))
        ends = np.full(count, MODE_RANGE)
        self.coordinates = Coordinates(names, ("mode",) * count, -ends, ends)
        self.mean, self.spread = np.zeros(count), np.ones(count)
        self._kinematics, self._placement = kinematics, placement

    def handles(self, values: Array, now: Array) -> Array:
        a = self._kinematics.handles(self._modes @ (self._scale * values))
        if not self._placement.free:
            return a
        return self._placement.moved(a, *self._placement.motion(self._kinematics.handles(now)))

    def values(self, q: Array) -> Array:
        if self._placement.free:
            a = self._kinematics.handles(q)
            turn, shift = self._placement.motion(a)
            q = self._placement.coordinates(self._placement.moved(a, turn.T, -turn.T @ shift))
        return (self._modes.T @ q) / self._scale


class _Rigid:
    def __init__(self, body: Body) -> None:
        self.mean = self.spread = np.zeros(0)
        self.coordinates = Coordinates((), (), self.mean, self.mean)
        self._kinematics = body.kinematics

    def handles(self, values: Array, now: Array) -> Array:
        return self._kinematics.handles(now)

    def values(self, q: Array) -> Array:
        return self.mean


class Sliders:
    """The sliders of one object."""

    def __init__(self, body: Body, placement: RigidPlacement, stiffness: LaggedStiffness | None) -> None:
        """`stiffness` of an elastic object."""
        self._body = body
        self._way: _Way
        if body.jointed is not None:
            self._way = _Jointed(body)
        elif body.learned is not None:
            self._way = _Learned(body)
        elif stiffness is not None:
            self._way = _Elastic(body, placement, stiffness)
        else:
            self._way = _Rigid(body)
        self.coordinates = self._way.coordinates
        places = quasi_random_points(body.mesh.vertices, body.mesh.triangles, EDGE_TRIANGLES)
        self._corners = body.vertex_basis(body.mesh.triangles[places.triangle].ravel())
        self._lengths = self._edges(body.kinematics.handles(body.kinematics.rest()))

    def values(self, q: Array) -> Array:
        """The slider values Float[k] nearest to a pose q, within their ranges."""
        return self._clipped(self._way.values(q))

    def shapes(self, values: Array, now: Array) -> Array:
        """World handles Float[n,H,3,4] of slider values Float[n,k], clipped to their ranges, where q `now` is.

        Raises UserError.
        """
        count = len(self.coordinates.names)
        if values.ndim != 2 or values.shape[1] != count or not 0 < len(values) <= MOST_SHAPES:
            raise UserError(
                "bad_values",
                f"Slider values of the shape {values.shape} do not fit an object with {count} sliders.",
                f"Give 1 to {MOST_SHAPES} rows with a value for each slider; ask for the coordinates again.",
            )
        if not np.isfinite(values).all():
            raise UserError("bad_values", "A slider value is not a finite number.", "Give values within the ranges.")
        world = self._body.frame.world_handles
        return np.array([world(self._way.handles(self._clipped(each), now)) for each in values.astype(np.float64)])

    def random(self, count: int, seed: int) -> np.ndarray:
        """Values float32 (count,k) of plausible poses: deviation one about the mean, within the ranges.

        Poses in which many edges are stretched are drawn again. Raises UserError where nothing can be posed.
        """
        if not self.coordinates.names:
            what = "A rigid object has one shape only."
            raise UserError("bad_values", what, "Choose the provider elastic or learned for random poses.")
        if not 0 < count <= MOST_SHAPES or not 0 <= seed < 2**31:
            remedy = f"Ask for 1 to {MOST_SHAPES} poses with a seed from 0 to {2**31 - 1}."
            raise UserError("bad_values", f"{count} random poses with the seed {seed} cannot be drawn.", remedy)
        generator = np.random.default_rng(seed)
        return np.array([self._drawn(generator) for _ in range(count)])

    def _drawn(self, generator: np.random.Generator) -> np.ndarray:
        for _ in range(DRAWS):
            away = self._way.spread * generator.normal(size=len(self._way.mean))
            values = self._clipped(self._way.mean + away).astype(np.float32)
            if self._plausible(values):
                return values
        while not self._plausible(values):
            values = np.float32(SMALLER) * values
        return values

    def _plausible(self, values: np.ndarray) -> bool:
        rest = self._body.kinematics.rest()
        edges = self._edges(self._way.handles(values.astype(np.float64), rest))
        return float((edges > STRETCHED * self._lengths).mean()) <= MOST_STRETCHED

    def _edges(self, a: Array) -> Array:
        """Their lengths for handles Float[4H,3], Float[E] m."""
        corners = (self._corners @ a).reshape(-1, 3, 3)
        return np.linalg.norm(corners - np.roll(corners, 1, axis=1), axis=2).ravel()

    def _clipped(self, values: Array) -> Array:
        return np.clip(values, self.coordinates.lower, self.coordinates.upper)
