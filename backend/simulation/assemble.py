"""From the conditions of one object to what the time loop runs (an Actor)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.spatial import cKDTree

from ..bodies.body import Body
from ..dynamics.actor import Actor
from ..dynamics.conditions import Conditions
from ..dynamics.contact_shape import ContactShape
from ..dynamics.coordinate_energies import CoordinateEnergy
from ..dynamics.coordinate_step import CoordinateStepRule
from ..dynamics.damping import settling_damping
from ..dynamics.detection import MARGIN, REST_SPEED
from ..dynamics.elastic_problem import ElasticCache
from ..dynamics.elastic_step import ElasticStepRule
from ..dynamics.energies import Energy, gravity_potential
from ..dynamics.latent_forces import LatentForces
from ..dynamics.latent_solver import LatentSolver, StepRule
from ..dynamics.stiffness import LaggedStiffness
from ..geometry.collision_surface import collision_surface
from ..kinematics.elastic import ElasticKinematics
from ..kinematics.neo_hookean import StableNeoHookean
from ..kinematics.rigid import RigidKinematics
from ..kinematics.rooted import RootedKinematics
from ..understanding.analysis import Analysis
from .anchors import held_vertices
from .initial_state import initial_state
from .joint_forces import joint_forces
from .learned_forces import CoordinateForces, learned_forces
from .pokes import pokes_of
from .spring_targets import Springs, springs_of
from .wind_force import wind_of

__all__ = ["Setup", "assemble"]

CONTACT_POINTS = 2000  # of the surface that contact looks at
FEW_FACES = 400
TOLERANCE = 1e-7  # of the object's size, RMS: length of the last Newton step
# The same for undamped runs, where nothing takes up the energy that a loose solve leaves behind.
EXACT_TOLERANCE = 3e-11
ROLLING_RESISTANCE = 0.02  # of the weight: between a hard ball on wood and a soft one on a carpet
FASTEST_FOLLOWED = 2.0 * np.pi * 8.0  # rad/s: damped swings faster than a third of the frames are not seen as swings
UNDAMPED_MODES = 8  # elastic modes that an undamped run follows in time
SLEEP_SPEED = 1e-3  # object sizes per second, RMS: below this nothing is seen to move


@dataclass(frozen=True)
class Setup:
    """An object ready to move and what should be said about it. `springs`: what pulls at it, where something may.

    Without a body the object is of a solver of one's own.
    """

    body: Body | None
    actor: Actor
    warnings: list[str]
    springs: Springs | None


@dataclass(frozen=True)
class Dynamics:
    """How the coordinates of one object step in time, and what acts on them."""

    rule: StepRule
    potentials: tuple[Energy, ...]  # of the energy report besides gravity
    coordinate_potentials: tuple[CoordinateEnergy, ...]
    followed_frequency: float  # rad/s, of the fastest elastic mode that substeps must resolve
    partition: bool  # the weights sum to one


def _dynamics_of(body: Body, conditions: Conditions, rolling: float, energies: tuple[Energy, ...]) -> Dynamics:
    """The step rule of a body's provider. `rolling` resistance in m/s^2; `energies` are one's own."""
    if isinstance(body.kinematics, ElasticKinematics):
        return _elastic_dynamics(body, conditions, rolling, energies)
    followed = 0.0
    if body.jointed is not None:
        forces = joint_forces(body, body.jointed, conditions)
        followed = forces.frequency
    elif body.learned is not None:
        forces = learned_forces(body, body.learned, conditions)
        followed = forces.frequency if conditions.undamped else min(forces.frequency, FASTEST_FOLLOWED)
    else:
        forces = CoordinateForces(body.energies, body.dissipations, 0.0)
    rolls = isinstance(body.kinematics, RootedKinematics | RigidKinematics) and not (body.anchored or body.own)
    partition = not isinstance(body.kinematics, RigidKinematics)
    rule = CoordinateStepRule(
        body.kinematics,
        body.moment,
        energies,
        forces.energies,
        forces.dissipations,
        1e-9 * body.size * np.sqrt(body.total_mass),
        rolling if rolls else 0.0,
        0.1 * REST_SPEED * body.size,
        partition=partition,
    )
    return Dynamics(rule, energies, forces.energies, followed, partition)


def _elastic_dynamics(body: Body, conditions: Conditions, rolling: float, energies: tuple[Energy, ...]) -> Dynamics:
    kinematics, material = body.kinematics, body.material
    rigid_modes = 0 if body.anchored else 6

    def stiffness(young: float) -> tuple[StableNeoHookean, LaggedStiffness]:
        energy = StableNeoHookean(
            material.gradients, material.cubature_volume, young * material.stiffness, material.poisson
        )
        return energy, LaggedStiffness(kinematics, energy)

    young = conditions.young
    if young is None:
        # Frequencies go with the square root of Young's modulus: one unit solve tells the modulus for the wanted one.
        unit = stiffness(1.0)[1].squared_frequencies[rigid_modes]
        young = (2.0 * np.pi * conditions.stiffness_hz) ** 2 / unit
    energy, lagged = stiffness(young)
    frequencies = lagged.squared_frequencies
    lowest = float(np.sqrt(frequencies[rigid_modes]))
    rule = ElasticStepRule(
        kinematics,
        body.moment,
        energy,
        ElasticCache(lagged),
        settle=None if conditions.undamped else settling_damping(conditions.settle_seconds, lowest),
        anchored=body.anchored,
        tolerance=(EXACT_TOLERANCE if conditions.undamped else TOLERANCE) * body.size * np.sqrt(body.total_mass),
        rolling_resistance=rolling,
        rest_turning=0.1 * REST_SPEED * body.size,
        size=body.size,
        potentials=energies,
    )
    # Damped motion is carried by the lowest mode. Undamped, every mode that was excited keeps ringing.
    place = rigid_modes + (UNDAMPED_MODES if conditions.undamped else 0)
    followed = float(np.sqrt(frequencies[min(place, len(frequencies) - 1)]))
    if not conditions.undamped:
        followed = min(followed, FASTEST_FOLLOWED)
    return Dynamics(rule, (*energies, energy), (), followed, partition=False)


def _shape(body: Body, conditions: Conditions, meets_something: bool) -> ContactShape | None:
    if not (meets_something or conditions.self_contact):
        return None
    # What is coarse and bends can fold along any of its edges.
    bends = body.kinematics.name != "rigid" and len(body.mesh.triangles) <= FEW_FACES
    surface = collision_surface(body.mesh, CONTACT_POINTS, -1.0 if bends else MARGIN * body.size)
    rest, basis = body.mesh.vertices[surface.vertices], body.vertex_basis(surface.vertices)
    rigid = body.kinematics.name == "rigid"
    if not rigid:
        # What carries weight is the whole face: material between the vertices of a coarse mesh must not sag through.
        nodes = np.flatnonzero(body.cloud.surface)
        nodes = nodes[cKDTree(rest).query(body.cloud.position[nodes])[0] > 0.5 * body.cloud.spacing]
        if nodes.size:
            rest = np.vstack([rest, body.cloud.position[nodes]])
            basis = np.vstack([basis, body.basis_at(body.cloud.position[nodes], nodes)])
    return ContactShape(basis, surface, rest, rigid)


def assemble(analysis: Analysis, conditions: Conditions, others: bool, live: bool = False) -> Setup:
    """`others`: more objects take part in the take; `live`: somebody will pull at this one.

    Raises UserError where the conditions do not fit the mesh.
    """
    warnings: list[str] = []
    meets_something = others or conditions.ground is not None or bool(conditions.colliders)
    held, settled = held_vertices(analysis, conditions, meets_something)
    if analysis.build_actor is not None and not live:
        return Setup(None, analysis.build_actor(analysis.mesh, analysis.cloud, conditions, held), warnings, None)
    body = analysis.body(conditions, held)
    rest = body.kinematics.handles(body.kinematics.rest())
    gravity = conditions.gravity

    potentials: list[Energy] = []
    load = np.zeros_like(rest)
    if not settled:
        weight_potential = gravity_potential(body.material.mass, body.material.basis, gravity, rest)
        potentials.append(weight_potential)
        load = load + weight_potential.force
    rolling = 0.0 if conditions.undamped else ROLLING_RESISTANCE * max(float(np.linalg.norm(gravity)), 1.0)
    energies = () if analysis.energies is None else tuple(analysis.energies(body))
    dynamics = _dynamics_of(body, conditions, rolling, energies)
    state = initial_state(body, conditions, warnings)
    springs = springs_of(body, conditions, live)
    forces = LatentForces(load, pokes_of(body, conditions, warnings), wind_of(body, conditions), springs)
    acted_on = forces.pokes or springs or forces.wind is not None or state.rate.any() or load.any()
    if not (acted_on or conditions.pose is not None or meets_something):
        warnings.append("Nothing acts on the object: add a poke, a velocity or wind, or free it from its anchor.")
    # An undamped object never comes to rest, and one in free flight only looks still at the top of its path.
    restful = meets_something or (body.anchored and not conditions.undamped)
    solver = LatentSolver(
        dynamics.rule,
        (*potentials, *dynamics.potentials),
        dynamics.coordinate_potentials,
        _shape(body, conditions, meets_something),
        dynamics.followed_frequency,
        dynamics.partition,
    )
    actor = Actor(
        solver,
        solver.at(state),
        forces,
        body.size,
        conditions.friction,
        conditions.restitution,
        SLEEP_SPEED * body.size if restful else None,
        self_contact=conditions.self_contact and body.kinematics.name == "elastic",
    )
    return Setup(body, actor, warnings, springs)
