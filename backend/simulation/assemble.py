"""From what the artist said of one object (conditions) to what the time loop runs (an Actor)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.spatial import cKDTree

from ..bodies.body import Body
from ..dynamics.actor import Actor
from ..dynamics.conditions import Conditions
from ..dynamics.contact_shape import ContactShape
from ..dynamics.coordinate_mover import CoordinateMover
from ..dynamics.detection import MARGIN, REST_SPEED
from ..dynamics.elastic_mover import ElasticMover
from ..dynamics.energies import Energy, gravity_potential
from ..geometry.collision_surface import collision_surface
from ..kinematics.elastic import ElasticKinematics
from ..understanding.analysis import Analysis
from ..understanding.providers.forces import Forces
from .anchors import held_vertices
from .initial_state import initial_state
from .pokes import pokes_of
from .spring_targets import springs_of
from .wind_force import wind_of

__all__ = ["Setup", "assemble"]

CONTACT_POINTS = 2000  # of the surface that contact looks at
FEW_FACES = 400
TOLERANCE = 1e-7  # of the object's size, RMS: length of the last Newton step
# The same for undamped runs, where nothing takes up the energy that a loose solve leaves behind.
EXACT_TOLERANCE = 3e-11
ROLLING_RESISTANCE = 0.02  # of the weight: between a hard ball on wood and a soft one on a carpet
SLEEP_SPEED = 1e-3  # object sizes per second, RMS: below this nothing is seen to move


@dataclass(frozen=True)
class Setup:
    """An object ready to move and what should be said about it."""

    body: Body
    actor: Actor
    warnings: list[str]


def _mover(
    body: Body, conditions: Conditions, forces: Forces, energies: tuple[Energy, ...]
) -> ElasticMover | CoordinateMover:
    """`energies` are those of one's own."""
    gravity = max(float(np.linalg.norm(conditions.gravity)), 1.0)
    rolling = 0.0 if conditions.undamped else ROLLING_RESISTANCE * gravity
    elasticity = forces.elasticity
    if elasticity is None:
        return CoordinateMover(
            body.kinematics,
            body.moment,
            energies,
            forces.energies,
            forces.dissipations,
            1e-9 * body.size * np.sqrt(body.total_mass),
            rolling if body.root and not body.anchored else 0.0,
            0.1 * REST_SPEED * body.size,
            partition=not body.rigid,
        )
    if energies:
        raise ValueError("an elastic object takes no energies of one's own")
    assert isinstance(body.kinematics, ElasticKinematics)
    tolerance = (EXACT_TOLERANCE if conditions.undamped else TOLERANCE) * body.size * np.sqrt(body.total_mass)
    return ElasticMover(
        body.kinematics,
        body.moment,
        elasticity.energy,
        elasticity.stiffness,
        elasticity.settle,
        body.anchored,
        tolerance,
        rolling,
        0.1 * REST_SPEED * body.size,
    )


def _shape(body: Body, conditions: Conditions, meets_something: bool) -> ContactShape | None:
    if not (meets_something or conditions.self_contact):
        return None
    # What is coarse and bends can fold along any of its edges.
    bends = not body.rigid and len(body.mesh.triangles) <= FEW_FACES
    surface = collision_surface(body.mesh, CONTACT_POINTS, -1.0 if bends else MARGIN * body.size)
    rest, basis = body.mesh.vertices[surface.vertices], body.vertex_basis(surface.vertices)
    if not body.rigid:
        # What carries weight is the whole face: material between the vertices of a coarse mesh must not sag through.
        nodes = np.flatnonzero(body.cloud.surface)
        nodes = nodes[cKDTree(rest).query(body.cloud.position[nodes])[0] > 0.5 * body.cloud.spacing]
        if nodes.size:
            rest = np.vstack([rest, body.cloud.position[nodes]])
            basis = np.vstack([basis, body.basis_at(body.cloud.position[nodes], nodes)])
    return ContactShape(basis, surface, rest, body.rigid)


def assemble(analysis: Analysis, conditions: Conditions, others: bool, live: bool = False) -> Setup:
    """`others`: more objects take part in the take; `live`: somebody will pull at this one.

    Raises UserError where the conditions do not fit the mesh.
    """
    warnings: list[str] = []
    meets_something = others or conditions.ground is not None or bool(conditions.colliders)
    held, settled = held_vertices(analysis, conditions, meets_something)
    body = analysis.body(conditions, held)
    kinematics, moment = body.kinematics, body.moment
    rest = kinematics.handles(kinematics.rest())
    gravity = conditions.gravity

    potentials: list[Energy] = []
    load = np.zeros_like(rest)
    if not settled:
        weight_potential = gravity_potential(body.material.mass, body.material.basis, gravity, rest)
        potentials.append(weight_potential)
        load = load + weight_potential.force
    added = () if analysis.energies is None else tuple(analysis.energies(body))
    forces = analysis.model.forces(body, conditions)
    mover = _mover(body, conditions, forces, added)
    potentials += added if forces.elasticity is None else (forces.elasticity.energy,)
    state = initial_state(body, conditions, warnings)
    pokes, wind = pokes_of(body, conditions, warnings), wind_of(body, conditions)
    springs = springs_of(body, conditions, live)
    acted_on = pokes or springs or wind is not None or state.rate.any() or load.any() or conditions.pose is not None
    if not acted_on and not meets_something:
        warnings.append("Nothing acts on the object: add a poke, a velocity or wind, or free it from its anchor.")
    # An undamped object never comes to rest, and one in free flight only looks still at the top of its path.
    restful = meets_something or (body.anchored and not conditions.undamped)
    actor = Actor(
        kinematics=kinematics,
        moment=moment,
        mover=mover,
        shape=_shape(body, conditions, meets_something),
        self_contact=conditions.self_contact and body.folds,
        size=body.size,
        friction=conditions.friction,
        restitution=conditions.restitution,
        state=state,
        potentials=tuple(potentials),
        load=load,
        pokes=pokes,
        wind=wind,
        springs=springs,
        springs_end=0.0 if springs is None else springs.end,
        followed_frequency=forces.frequency,
        sleep_speed=SLEEP_SPEED * body.size if restful else None,
        coordinate_potentials=forces.energies,
        partition=isinstance(mover, CoordinateMover) and mover.partition,
    )
    return Setup(body, actor, warnings)
