"""From the conditions of one object to what the time loop runs (an Actor)."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from scipy.spatial import cKDTree

from ..bodies.body import Body
from ..dynamics.actor import Actor
from ..dynamics.conditions import Conditions, VectorKey
from ..dynamics.contact_shape import ContactShape
from ..dynamics.coordinate_step import CoordinateStepRule
from ..dynamics.detection import MARGIN, REST_SPEED
from ..dynamics.elastic_problem import ElasticCache
from ..dynamics.elastic_step import ElasticStepRule
from ..dynamics.energies import Energy, gravity_potential
from ..dynamics.keyed_vectors import KeyedVector
from ..dynamics.latent_forces import LatentForces, WeightChange
from ..dynamics.latent_solver import LatentSolver, StepRule
from ..dynamics.targets import key_seconds
from ..geometry.collision_surface import collision_surface
from ..geometry.standing_out import standing_out
from ..kinematics.elastic import ElasticKinematics
from ..kinematics.jointed import Jointed
from ..texts import Text
from ..understanding.analysis import Analysis
from ..understanding.providers.forces import Forces
from .anchors import held_vertices
from .initial_state import initial_state
from .pokes import pokes_of
from .spring_targets import Springs, springs_of
from .wheels import wheel_rims
from .wind_force import wind_of

__all__ = ["Setup", "assemble"]

CONTACT_POINTS = 2000  # of the surface that contact looks at
FEW_FACES = 400
TOLERANCE = 1e-7  # of the object's size, RMS: length of the last Newton step
# The same for undamped runs, where nothing takes up the energy that a loose solve leaves behind.
EXACT_TOLERANCE = 3e-11
ROUND = 0.1  # of the margin: how far chords between the points of a wheel's rim may be from its circle
ROLLING_RESISTANCE = 0.02  # of the weight: between a hard ball on wood and a soft one on a carpet
SLEEP_SPEED = 1e-3  # object sizes per second, RMS: below this nothing is seen to move


@dataclass(frozen=True)
class Setup:
    """An object ready to move and what should be said about it. `springs`: what pulls at it, where something may.

    Without a body a solver of its own moves the object.
    """

    body: Body | None
    actor: Actor
    warnings: list[Text]
    springs: Springs | None
    anchored: bool


def _step_rule(body: Body, conditions: Conditions, forces: Forces, energies: tuple[Energy, ...]) -> StepRule:
    """The time integration of a body's coordinates; `energies` are those of one's own."""
    gravity = max(float(np.linalg.norm(conditions.gravity)), 1.0)
    rolling = 0.0 if conditions.undamped else ROLLING_RESISTANCE * gravity
    elasticity = forces.elasticity
    if elasticity is None:
        return CoordinateStepRule(
            body.kinematics,
            body.moment,
            energies,
            forces.energies,
            forces.dissipations,
            forces.tolerance * body.size * np.sqrt(body.total_mass),
            rolling if body.root and not body.anchored else 0.0,
            0.1 * REST_SPEED * body.size,
            carriers=body.carriers,
        )
    assert isinstance(body.kinematics, ElasticKinematics)
    return ElasticStepRule(
        body.kinematics,
        body.moment,
        elasticity.energy,
        ElasticCache(elasticity.stiffness),
        settle=elasticity.settle,
        anchored=body.anchored,
        tolerance=(EXACT_TOLERANCE if conditions.undamped else TOLERANCE) * body.size * np.sqrt(body.total_mass),
        rolling_resistance=rolling,
        rest_turning=0.1 * REST_SPEED * body.size,
        size=body.size,
        potentials=energies,
    )


def _shape(body: Body, jointed: Jointed | None) -> ContactShape:
    # What is coarse and bends can fold along any of its edges.
    bends = not body.rigid and len(body.mesh.triangles) <= FEW_FACES
    surface = collision_surface(body.mesh, CONTACT_POINTS, -1.0 if bends else MARGIN * body.size)
    # What a coarse surface cuts off would sink into the ground.
    met = np.concatenate([surface.vertices, standing_out(body.mesh.vertices, surface.vertices, MARGIN * body.size)])
    rest, basis = body.mesh.vertices[met], body.vertex_basis(met)
    nearest = met
    if not body.rigid:
        # What carries weight is the whole face: material between the vertices of a coarse mesh must not sag through.
        nodes = np.flatnonzero(body.cloud.surface)
        away, near = cKDTree(rest).query(body.cloud.position[nodes])
        nodes, near = nodes[away > 0.5 * body.cloud.spacing], near[away > 0.5 * body.cloud.spacing]
        if nodes.size:
            rest = np.vstack([rest, body.cloud.position[nodes]])
            basis = np.vstack([basis, body.basis_at(body.cloud.position[nodes], nodes)])
            nearest = np.concatenate([nearest, met[near]])
    if jointed is None:
        return ContactShape(basis, surface, rest, body.rigid)
    points, rows, wheels = wheel_rims(body, jointed, ROUND * MARGIN * body.size)
    rolling = np.concatenate([wheels[nearest], np.ones(len(points), dtype=np.bool_)])
    return ContactShape(np.vstack([basis, rows]), surface, np.vstack([rest, points]), body.rigid, rolling)


def _weight_change(body: Body, conditions: Conditions, settled: bool) -> WeightChange | None:
    """None where gravity stays as it is, and nothing lets go of what is settled."""
    released = [pin.until for pin in conditions.pins if pin.until is not None] if settled else []
    if not (conditions.gravity_keys or released):
        return None
    keyed = KeyedVector(conditions.gravity_keys or (VectorKey(1.0, conditions.gravity),), conditions.fps)
    let_go = float(key_seconds([min(released)], conditions.fps)[0]) if released else np.inf
    return WeightChange(body.material.mass @ body.material.basis, keyed, conditions.gravity, let_go)


def assemble(analysis: Analysis, conditions: Conditions, others: bool, live: bool = False) -> Setup:
    """`others`: more objects take part in the take; `live`: somebody will pull at this one.

    Raises UserError where the conditions do not fit the mesh.
    """
    warnings: list[Text] = []
    meets_something = others or conditions.ground is not None or bool(conditions.colliders)
    held, settled = held_vertices(analysis, conditions, meets_something)
    if not live and (actor := analysis.model.actor(conditions, held, warnings)) is not None:
        return Setup(None, actor, warnings, None, held is not None)
    body = analysis.body(conditions, held)
    rest = body.kinematics.handles(body.kinematics.rest())
    gravity = conditions.gravity

    potentials: list[Energy] = []
    load = np.zeros_like(rest)
    if not settled:
        weight_potential = gravity_potential(body.material.mass, body.material.basis, gravity, rest)
        potentials.append(weight_potential)
        load = load + weight_potential.force
    energies = () if analysis.energies is None else tuple(analysis.energies(body))
    # Without weight the drawn shape carries none.
    own = analysis.model.forces(body, replace(conditions, settled=True) if settled else conditions)
    potentials += energies if own.elasticity is None else (*energies, own.elasticity.energy)
    state = initial_state(body, conditions, warnings, analysis.model.first_rate)
    springs = springs_of(body, conditions, live)
    wind, weight = wind_of(body, conditions), _weight_change(body, conditions, settled)
    forces = LatentForces(load, pokes_of(body, conditions, warnings), wind, springs, weight)
    acted_on = forces.pokes or springs or weight or wind is not None or state.rate.any() or load.any()
    if not (acted_on or conditions.pose is not None or meets_something):
        warnings.append(Text("object.nothing_acts"))
    # An undamped object never comes to rest, and one in free flight only looks still at the top of its path.
    restful = meets_something or (body.anchored and not conditions.undamped)
    folds = conditions.self_contact and body.folds
    solver = LatentSolver(
        _step_rule(body, conditions, own, energies),
        tuple(potentials),
        own.energies,
        _shape(body, analysis.model.jointed) if meets_something or folds else None,
        own.frequency,
        carriers=body.carriers,
    )
    actor = Actor(
        solver,
        solver.at(state),
        forces,
        body.size,
        conditions.friction,
        conditions.restitution,
        SLEEP_SPEED * body.size if restful else None,
        self_contact=folds,
    )
    return Setup(body, actor, warnings, springs, body.anchored)
