"""From the conditions of a sheet to what the time loop runs (an Actor)."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ..dynamics.actor import Actor
from ..dynamics.conditions import Conditions, Drag, Pin, checked_vertices
from ..dynamics.gusts import Gusts
from ..dynamics.initial import velocity_field
from ..dynamics.keyed_vectors import KeyedVector
from ..dynamics.targets import Path, RigidMotion, key_seconds
from ..errors import UserError
from ..geometry.mesh import Mesh
from ..kinematics.base import Array
from ..texts import Text
from .fabric import Fabric
from .forces import Air, Hold, Pull, Push, SheetForces, Springs
from .sheet_mesh import SheetMesh, sheet_mesh
from .solver import SheetSolver

__all__ = ["sheet_actor"]

SPREAD = 10.0  # masses of what is struck: farther a push is not felt before it is over
RIGID_HZ = 60.0  # of a hold that lets go and passes for rigid until then
SLEEP_SPEED = 2e-3  # object sizes per second, RMS: below this nothing is seen to move


def sheet_actor(
    mesh: Mesh, fabric: Fabric, conditions: Conditions, held: np.ndarray | None, warnings: list[Text]
) -> Actor:
    """`held` vertices Int[n] do not move (None: free). Raises UserError where the conditions do not fit the mesh."""
    sheet = sheet_mesh(mesh.vertices, mesh.triangles)
    start = _start(sheet, mesh, conditions)
    count, fps = len(sheet.rest), conditions.fps
    holds = [] if held is None else [_standing(sheet.node[held], start)]
    springs = []
    for number, pin in enumerate(conditions.pins):
        checked_vertices(pin.vertices, len(mesh.vertices), f"pins[{number}].vertices")
        if pin.stiffness_hz is not None or pin.until is not None:
            springs.append((pin, *_way(pin, mesh, fps)))
        elif pin.motion:
            place, end = _way(pin, mesh, fps)
            node, first = np.unique(sheet.node[pin.vertices], return_index=True)
            holds.append(Hold(node, lambda seconds, place=place, first=first: place(seconds)[first], end))
    fixed = np.zeros(count, dtype=bool)
    for hold in holds:
        fixed[hold.node] = True
    solver = SheetSolver(sheet, fabric, fixed, start, conditions.gravity)
    size = float(np.ptp(mesh.vertices, axis=0).max())
    discs = _Discs(sheet, solver.masses)
    forces = SheetForces(
        conditions.gravity if not conditions.gravity_keys else KeyedVector(conditions.gravity_keys, fps),
        sheet.triangles,
        solver.masses,
        _air(conditions, size),
        _pushes(conditions, discs, solver.mass, fixed, warnings),
        holds,
        [_pull(drag, discs, solver.mass, fps) for drag in conditions.drags],
        [_spring(sheet, solver.mass, fps, *each) for each in springs],
    )
    velocities = np.zeros_like(start)
    for number, given in enumerate(conditions.velocities):
        members = None
        if given.vertices is not None:
            chosen = checked_vertices(given.vertices, len(mesh.vertices), f"velocities[{number}].vertices")
            members = np.isin(np.arange(count), sheet.node[chosen])
        velocities += velocity_field(start, solver.masses, given.linear, given.angular, members)
    velocities[fixed] = 0.0
    restful = held is not None or conditions.ground is not None or bool(conditions.colliders)
    return Actor(
        solver,
        solver.at(start, velocities),
        forces,
        size,
        fabric.friction,
        conditions.restitution,
        SLEEP_SPEED * size if restful else None,
    )


def _start(sheet: SheetMesh, mesh: Mesh, conditions: Conditions) -> Array:
    """Where the nodes start, Float[N,3] m: as drawn, or in the mean of where a pose has their vertices."""
    if conditions.pose is None:
        return sheet.rest.copy()
    if len(conditions.pose) != len(mesh.vertices):
        raise UserError("bad_conditions.pose_count", given=len(conditions.pose), count=len(mesh.vertices))
    count = len(sheet.rest)
    total = [np.bincount(sheet.node, weights=conditions.pose[:, axis], minlength=count) for axis in range(3)]
    return np.stack(total, axis=1) / np.bincount(sheet.node, minlength=count)[:, None]


def _standing(nodes: np.ndarray, start: Array) -> Hold:
    nodes = np.unique(nodes)
    places = start[nodes]
    return Hold(nodes, lambda seconds: places)


def _way(pin: Pin, mesh: Mesh, fps: float) -> tuple[Callable[[float], Array], float]:
    """Where the vertices of a pin are at a time, Float[n,3] m, and until when (s) they move."""
    rest = mesh.vertices[pin.vertices]
    if not pin.motion:
        return lambda seconds: rest, 0.0
    motion = RigidMotion(pin.motion, rest.mean(axis=0), fps)
    return lambda seconds: motion.positions(rest, seconds), motion.end


def _spring(
    sheet: SheetMesh, mass: float, fps: float, pin: Pin, place: Callable[[float], Array], end: float
) -> Springs:
    """Springs that swing all of the mass (kg) with the frequency of the pin, critically damped."""
    frequency = RIGID_HZ if pin.stiffness_hz is None else pin.stiffness_hz
    node, first = np.unique(sheet.node[pin.vertices], return_index=True)
    omega, share = 2.0 * np.pi * frequency, mass / len(node)
    until = np.inf if pin.until is None else float(key_seconds([pin.until], fps)[0])
    changes = end if pin.until is None else max(end, until)
    return Springs(node, share * omega**2, 2.0 * share * omega, lambda seconds: place(seconds)[first], changes, until)


def _air(conditions: Conditions, size: float) -> Air | None:
    """The air that a sheet moves through: still where no wind blows, none where nothing is to damp it."""
    wind = conditions.wind
    if wind is None:
        return None if conditions.undamped else Air(lambda places, seconds: np.zeros_like(places), 1.0, 0.0, False)
    gusts = Gusts(wind, size, conditions.seed, conditions.fps)
    return Air(gusts.air, wind.drag, wind.lift, True)


class _Discs:
    """Soft discs of the surface, where pokes and drags act."""

    def __init__(self, sheet: SheetMesh, masses: Array) -> None:
        self._rest, self._masses, self._used = sheet.rest, masses, np.flatnonzero(sheet.area > 0.0)

    def at(self, point: Array, radius: float) -> tuple[np.ndarray, Array, float]:
        """Nodes Int[n] around a point Float[3] m, their share Float[n] of a push, and how far (m) the nearest is.

        Each counts by its mass times (1 - d^2 / r^2)^2; of too small a disc the three nearest count by their mass.
        """
        square = ((self._rest[self._used] - point) ** 2).sum(axis=1)
        inside = np.flatnonzero(square < radius**2)
        fall_off = (1.0 - square[inside] / radius**2) ** 2
        if len(inside) < 3:
            inside = np.argsort(square, kind="stable")[:3]
            fall_off = np.ones(len(inside))
        node = self._used[inside]
        share = self._masses[node] * fall_off
        return node, share / share.sum(), float(np.sqrt(square.min()))

    def struck_mass(self, node: np.ndarray, share: Array) -> float:
        """Of what a push sets in motion with one speed, kg: (sum p)^2 / sum p^2 / m."""
        return 1.0 / float((share**2 / self._masses[node]).sum())


def _pushes(conditions: Conditions, discs: _Discs, whole: float, fixed: np.ndarray, warnings: list[Text]) -> list[Push]:
    """Pokes as forces; `speed` is that of the whole, or of ten times what lies under the disc."""
    found, frame = [], 1.0 / conditions.fps
    for number, poke in enumerate(conditions.pokes, 1):
        node, share, away = discs.at(poke.point, poke.radius)
        if away > 2.0 * poke.radius:
            warnings.append(Text("poke.far", number=number, distance=away))
        begin, seconds = (poke.start - 1) * frame, poke.duration * frame
        if begin >= (conditions.frames - 1) * frame:
            warnings.append(Text("poke.late", number=number, frame=poke.start))
        if fixed[node].all():
            warnings.append(Text("poke.held", number=number))
        mass = min(whole, SPREAD * discs.struck_mass(node, share))
        impulse = poke.impulse if poke.impulse is not None else poke.speed * mass
        found.append(Push(node, share[:, None] * impulse / seconds, begin, begin + seconds))
    return found


def _pull(drag: Drag, discs: _Discs, mass: float, fps: float) -> Pull:
    path = Path(drag.path, fps)
    node, share, _ = discs.at(drag.point, drag.radius)
    omega = 2.0 * np.pi * drag.stiffness_hz
    return Pull(node, share, mass * omega**2, 2.0 * mass * omega, path.position, path.begin, path.end, path.end)
