"""From what the artist said (conditions) to what the time loop runs (a Simulation)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy.spatial import cKDTree

from .body import Body
from .dynamics.conditions import Conditions, Poke
from .dynamics.contact import Contact
from .dynamics.damping import settling_damping
from .dynamics.elastic_step import ElasticStepper
from .dynamics.energies import Energy, StableNeoHookean, gravity_potential
from .dynamics.initial import fitted_rates, velocity_field
from .dynamics.rigid_step import RigidStepper
from .dynamics.simulate import PokeForce, Simulation
from .dynamics.state import State
from .dynamics.stiffness import LaggedStiffness
from .dynamics.wind import WindForce
from .errors import UserError
from .geometry.mesh import triangle_areas
from .kinematics.base import Array
from .kinematics.elastic import ElasticKinematics, MaterialPoints, material_basis
from .kinematics.rigid import RigidKinematics

if TYPE_CHECKING:
    from .engine import Analysis

__all__ = ["Setup", "assemble"]

BASE_SHARE = 0.02  # of the height: vertices this close to the lowest one are the base
TOLERANCE = 1e-7  # of the object's size, RMS: length of the last Newton step
EXACT_TOLERANCE = 1e-9  # the same for undamped runs, where nothing takes up the energy that a loose solve leaves behind
ROLLING_RESISTANCE = 0.02  # of the weight: between a hard ball on wood and a soft one on a carpet
UNDAMPED_MODES = 8  # elastic modes that an undamped run follows in time
SLEEP_SPEED = 1e-3  # object sizes per second, RMS: below this nothing is seen to move


@dataclass(frozen=True)
class Setup:
    """A take ready to run and what should be said about it."""

    body: Body
    simulation: Simulation
    warnings: list[str]


def _checked_vertices(vertices: np.ndarray, count: int, where: str) -> np.ndarray:
    if vertices[0] < 0 or vertices[-1] >= count:
        wrong = int(vertices[-1] if vertices[-1] >= count else vertices[0])
        raise UserError(
            "bad_conditions",
            f"The condition '{where}' names vertex {wrong}, but the mesh has {count}.",
            "Name vertices of this mesh, counted from 0.",
        )
    return vertices


def _held_vertices(analysis: Analysis, conditions: Conditions) -> tuple[np.ndarray | None, bool]:
    """Held vertices (None: free) and whether the drawn shape counts as settled under gravity."""
    mesh, count = analysis.mesh, len(analysis.mesh.vertices)
    held = [
        _checked_vertices(pin.vertices, count, f"pins[{index}].vertices") for index, pin in enumerate(conditions.pins)
    ]
    automatic = False
    if isinstance(conditions.anchor, np.ndarray):
        held.append(_checked_vertices(conditions.anchor, count, "anchor.vertices"))
    elif conditions.anchor == "auto" and analysis.provider == "elastic":
        # Something that is thrown or falls on a floor is free; anything else stands on its base.
        automatic = not held and conditions.ground is None and not conditions.velocities
        if automatic:
            height = mesh.vertices[:, 2]
            held.append(np.flatnonzero(height <= height.min() + BASE_SHARE * np.ptp(height)))
    if held and analysis.provider == "rigid":
        raise UserError(
            "rigid_and_held",
            "A rigid object that is held cannot move.",
            "Remove the anchor and pins, or choose elastic.",
        )
    settled = automatic if conditions.settled is None else conditions.settled
    if settled and not held:
        raise UserError(
            "bad_conditions",
            "The condition 'settled' is true, but nothing holds the object against gravity.",
            "Hold its base or some vertices, or leave 'settled' out.",
        )
    return (np.unique(np.concatenate(held)) if held else None), settled


def _vertex_areas(body: Body) -> Array:
    """A third of the faces around each vertex, Float[V] m^2."""
    triangles = body.mesh.triangles
    area = np.repeat(triangle_areas(body.mesh.vertices, triangles) / 3.0, 3)
    return np.bincount(triangles.ravel(), weights=area, minlength=len(body.mesh.vertices))


def _poke_row(body: Body, poke: Poke, areas: Array) -> tuple[Array, float]:
    """The averaged basis row Float[4H] over the poke's soft disc, and the poke's distance from the surface (m)."""
    away = np.linalg.norm(body.mesh.vertices - poke.point, axis=1)
    inside = np.flatnonzero(away < poke.radius)
    inside = inside[areas[inside] > 0.0]
    surface = np.flatnonzero(body.cloud.surface)
    distance, nearest = cKDTree(body.cloud.position[surface]).query(poke.point)
    if len(inside) >= 3:
        fall_off = areas[inside] * (1.0 - (away[inside] / poke.radius) ** 2) ** 2
        return fall_off @ body.vertex_basis(inside) / fall_off.sum(), float(away.min())
    # A disc smaller than the faces: the point itself, on the part that is nearest.
    owner = surface[nearest]
    on_surface = poke.point if distance < body.cloud.spacing else body.cloud.position[owner]
    return body.basis_at(on_surface[None], np.array([owner]))[0], float(distance)


def _pokes(body: Body, conditions: Conditions, warnings: list[str]) -> tuple[PokeForce, ...]:
    if not conditions.pokes:
        return ()
    areas, forces, frame = _vertex_areas(body), [], 1.0 / conditions.fps
    for number, poke in enumerate(conditions.pokes, 1):
        row, distance = _poke_row(body, poke, areas)
        if distance > poke.radius + body.cloud.spacing:
            warnings.append(f"Poke {number} is {distance:.3g} m away from the object; its nearest point is pushed.")
        impulse = poke.impulse if poke.impulse is not None else poke.speed * body.total_mass
        seconds = poke.duration * frame
        force = np.outer(row, impulse) / seconds
        begin = (poke.start - 1) * frame
        if begin >= (conditions.frames - 1) * frame:
            warnings.append(f"Poke {number} starts at frame {poke.start}, after the last frame.")
        if np.abs(row[4 if body.anchored else 0 :]).max() < 1e-6:
            warnings.append(f"Poke {number} is on a held part and moves nothing.")
        forces.append(PokeForce(force, begin, begin + seconds))
    return tuple(forces)


def _wind(body: Body, conditions: Conditions) -> WindForce | None:
    if conditions.wind is None:
        return None
    mesh, cloud = body.mesh, body.cloud
    corners = mesh.vertices[mesh.triangles]
    vectors = 0.5 * np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    count, node = len(cloud.position), cloud.vertex_node[mesh.triangles].ravel()
    third = np.repeat(vectors / 3.0, 3, axis=0)
    area = np.stack([np.bincount(node, weights=third[:, axis], minlength=count) for axis in range(3)], axis=1)
    # A sheet's faces can be wound either way: its node normal says the direction, the faces only how much there is.
    sheet = ~cloud.solid
    amount = np.bincount(node, weights=np.linalg.norm(third, axis=1), minlength=count)
    area[sheet] = cloud.normal[sheet] * amount[sheet, None]
    nodes = np.flatnonzero(np.linalg.norm(area, axis=1) > 0.0)
    points = MaterialPoints(nodes, cloud.position[nodes], cloud.volume[nodes])
    basis, gradients = material_basis(cloud, points, body.frame, body.nodal_weights, body.nodal_gradients)
    return WindForce(
        conditions.wind,
        basis,
        gradients,
        area[nodes],
        cloud.solid[nodes],
        # Each point answers for its share of the surface: a coarse mesh has few, and each then moves much material.
        body.total_mass * amount[nodes] / amount.sum(),
        body.size,
        conditions.seed,
    )


def _initial_state(body: Body, conditions: Conditions) -> State:
    q = body.kinematics.rest()
    rate = np.zeros(body.kinematics.dof)
    mass, positions = body.material.mass, body.material.basis @ body.kinematics.handles(q)
    for number, velocity in enumerate(conditions.velocities):
        members = None
        if velocity.vertices is not None:
            chosen = _checked_vertices(velocity.vertices, len(body.mesh.vertices), f"velocities[{number}].vertices")
            nearest = cKDTree(body.mesh.vertices).query(positions)[1]
            members = np.isin(nearest, chosen)
            if not members.any():
                members = np.zeros(len(mass), dtype=bool)
                members[cKDTree(positions).query(body.mesh.vertices[chosen])[1]] = True
        field = velocity_field(positions, mass, velocity.linear, velocity.angular, members)
        rate = rate + fitted_rates(body.kinematics, q, body.material.basis, mass, field)
    return State(q, rate)


def _elastic_stepper(body: Body, conditions: Conditions, contact: Contact | None, tolerance: float) -> ElasticStepper:
    kinematics, material = body.kinematics, body.material
    assert isinstance(kinematics, ElasticKinematics)
    rigid_modes = 0 if body.anchored else 6

    def stiffness(young: float) -> tuple[StableNeoHookean, LaggedStiffness]:
        energy = StableNeoHookean(material.gradients, material.cubature_volume, young, conditions.poisson)
        return energy, LaggedStiffness(kinematics, energy)

    young = conditions.young
    if young is None:
        # Frequencies go with the square root of Young's modulus: one unit solve tells the modulus for the wanted one.
        unit = stiffness(1.0)[1].squared_frequencies[rigid_modes]
        young = (2.0 * np.pi * conditions.stiffness_hz) ** 2 / unit
    energy, lagged = stiffness(young)
    lowest = float(np.sqrt(lagged.squared_frequencies[rigid_modes]))
    settle = None if conditions.undamped else settling_damping(conditions.settle_seconds, lowest)
    return ElasticStepper(kinematics, body.moment, energy, lagged, settle, body.anchored, contact, tolerance)


def assemble(analysis: Analysis, conditions: Conditions) -> Setup:
    """Raises UserError where the conditions do not fit the mesh."""
    warnings: list[str] = []
    held, settled = _held_vertices(analysis, conditions)
    body = analysis.body(conditions.density, held)
    kinematics, moment = body.kinematics, body.moment
    rest = kinematics.handles(kinematics.rest())
    mass, gravity = body.total_mass, conditions.gravity

    contact = None
    if conditions.ground is not None:
        weight = mass * max(float(np.linalg.norm(gravity)), 1.0)
        rolling = 0.0 if conditions.undamped else ROLLING_RESISTANCE * weight / mass
        contact = Contact(body.contact_basis(), rest, conditions.ground, body.size, weight, rolling)
        if contact.depth_at_start > contact.margin and not body.anchored:
            warnings.append(
                f"The object starts {contact.depth_at_start:.3g} m below the ground; it will not go deeper."
            )

    potentials: list[Energy] = []
    load = np.zeros_like(rest)
    if not settled:
        weight_potential = gravity_potential(body.material.mass, body.material.basis, gravity, rest)
        potentials.append(weight_potential)
        load = load + weight_potential.force
    stepper: ElasticStepper | RigidStepper
    followed = 0.0
    if isinstance(kinematics, RigidKinematics):
        stepper = RigidStepper(kinematics, moment, contact, 1e-9 * body.size)
    else:
        tolerance = (EXACT_TOLERANCE if conditions.undamped else TOLERANCE) * body.size * np.sqrt(mass)
        stepper = _elastic_stepper(body, conditions, contact, tolerance)
        potentials.append(stepper.energy)
        # Damped motion is carried by the lowest mode. Undamped, every mode that was excited keeps ringing.
        place = (0 if body.anchored else 6) + (UNDAMPED_MODES if conditions.undamped else 0)
        frequencies = stepper.stiffness.squared_frequencies
        followed = float(np.sqrt(frequencies[min(place, len(frequencies) - 1)]))
    state = _initial_state(body, conditions)
    pokes, wind = _pokes(body, conditions, warnings), _wind(body, conditions)
    if not pokes and wind is None and not state.rate.any() and not load.any():
        warnings.append("Nothing acts on the object: add a poke, a velocity or wind, or free it from its anchor.")
    # An undamped object never comes to rest, and one in free flight only looks still at the top of its path.
    restful = contact is not None or (body.anchored and not conditions.undamped)
    simulation = Simulation(
        kinematics=kinematics,
        moment=moment,
        stepper=stepper,
        state=state,
        potentials=tuple(potentials),
        load=load,
        pokes=pokes,
        wind=wind,
        frame_count=conditions.frames,
        frame_seconds=1.0 / conditions.fps,
        substeps=conditions.substeps,
        followed_frequency=followed,
        sleep_speed=SLEEP_SPEED * body.size if restful else None,
    )
    return Setup(body, simulation, warnings)
