"""One training example: surface points of an object at rest and how they move to several random states."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ..dynamics.rigid_placement import nearest_rotation
from ..geometry.mesh import cross, triangle_areas
from ..geometry.surface_samples import SurfaceSamples, sample_surface
from ..kinematics.base import Array
from .bodies import Bodies, bodies_from_motion
from .bone_labels import BoneLabels, bone_labels
from .joint_labels import JointLabels
from .moving_object import MovingObject
from .source import Source

__all__ = ["Example", "aligned", "example_at", "make_example", "random_turn"]

# How often augmented examples are more than turned: from disturbed ones alone a network learns ten times slower what a
# door is. And how often each thing happens to those.
_DISTURBED = 0.6
_RANDOM_REST = 0.2  # the rest is a random state instead of the drawn one
_STRETCH = 0.5
_SHEAR = 0.3  # of the stretched ones
_ALONG_AXES = 0.9
_FACING = (0.4, 0.2, 0.2, 0.2)  # how often along -Y, where most artists have the front, X, Y and -X
_QUARTER_TURN = 0.08
_DROPOUT = 0.15
_NOISE = 0.2
_IDS_DROPPED = 0.15  # for shells and for slots
_WRONG_SIDES = 0.25


@dataclass(frozen=True)
class Example:
    """N surface points in the normalised frame (box centred at 0, longest side 2, Z up) and S motions; float32."""

    points: NDArray[np.float32]  # Float[N,3]
    normals: NDArray[np.float32]  # Float[N,3]
    shell: NDArray[np.int64]  # Int[N], 0.. in random order
    slot: NDArray[np.int64]  # Int[N]
    moves: NDArray[np.float32]  # Float[S,N,3], state minus rest, root motion removed
    bodies: Bodies  # what the motion tells of the N points
    name: str
    category: str
    bones: BoneLabels | None = None  # of rigged objects

    def turned(self, turn: Array) -> Example:
        """The same object turned or mirrored by an orthogonal matrix Float[3,3]; its box stays centred at 0."""
        turn = turn.astype(np.float32)
        points = self.points @ turn.T
        middle = 0.5 * (points.min(axis=0) + points.max(axis=0))
        return replace(
            self,
            points=points - middle,
            normals=self.normals @ turn.T,
            moves=self.moves @ turn.T,
            bodies=self.bodies.turned(turn, -middle),
            bones=self.bones and self.bones.turned(turn, -middle),
        )


def example_at(
    source: Source, seed: int, index: int, points: int = 1024, states: int = 6, augment: bool = True
) -> Example:
    """Example number `index` of the stream `seed`: the same for the same numbers, on every machine and worker."""
    rng = np.random.default_rng([seed, index])
    return make_example(source.draw(rng), rng, points, states, augment)


def make_example(thing: MovingObject, rng: np.random.Generator, points: int, states: int, augment: bool) -> Example:
    """Points of `thing` and their motion to `states` random states."""
    vertices, joints = thing.vertices, thing.joints
    turn = random_turn(rng) if augment else np.eye(3)
    augment = augment and rng.random() < _DISTURBED
    if augment and joints is not None and "continuous" not in joints.types and rng.random() < _STRETCH:
        matrix = _random_stretch(rng)  # wheels and knobs stay round: their objects are not stretched
        vertices, joints = vertices @ matrix.T, joints.mapped(matrix)
    rest, moving = _states(thing, vertices, joints, rng, states, augment)
    left_out = None
    if augment and rng.random() < _DROPOUT:
        left_out = _left_out(rng, thing, (moving != rest).any(axis=(0, 2)))
    samples = sample_surface(vertices, thing.triangles, thing.shell, rng, points, left_out)
    turned = rest[samples.used] @ turn.T
    low, high = turned.min(axis=0), turned.max(axis=0)
    factor = 2.0 / float((high - low).max())
    rest = (rest @ turn.T - 0.5 * (low + high)) * factor
    moving = (moving @ turn.T - 0.5 * (low + high)) * factor
    bones = None
    if thing.bones is not None:
        first, heads = ((each @ turn.T - 0.5 * (low + high)) * factor for each in (vertices, thing.bones.heads))
        bones = bone_labels(thing.bones, heads, samples, first, rest)
    bodies, base = bodies_from_motion(rest[samples.corners], moving[:, samples.corners], thing.anchored)
    if base is not None:
        moving = (moving - base[1][:, None]) @ base[0]

    lift = rng.normal(0.0, rng.uniform(0.0, 0.006), points) if augment and rng.random() < _NOISE else np.zeros(points)
    # Noise lifts points along the normal of each state: what is rigid stays rigid. A mirror turns normals round.
    side = np.sign(np.linalg.det(turn))
    normals = side * _normals(rest, samples)
    place = _places(rest, samples) + lift[:, None] * normals
    moved = np.stack([_places(state, samples) for state in moving])
    if lift.any():
        moved += lift[:, None] * side * np.stack([_normals(state, samples) for state in moving])
    if not thing.anchored and base is None:
        moved = aligned(moved, place)

    shell = thing.shell[samples.corners[:, 0]]
    if augment and rng.random() < _WRONG_SIDES:
        normals = normals * _random_sides(rng, shell)[:, None]
    return Example(
        points=place.astype(np.float32),
        normals=normals.astype(np.float32),
        shell=_renumbered(shell, rng, augment),
        slot=_renumbered(thing.slot[samples.triangle], rng, augment),
        moves=(moved - place).astype(np.float32),
        bodies=bodies,
        name=thing.name,
        category=thing.category,
        bones=bones,
    )


def _left_out(rng: np.random.Generator, thing: MovingObject, moves: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Shells that vanish, Bool[shells]: few and small ones, and never all of what `moves`, Bool[V]."""
    face_shell = thing.shell[thing.triangles[:, 0]]
    area = np.bincount(
        face_shell, weights=triangle_areas(thing.vertices, thing.triangles), minlength=int(thing.shell.max()) + 1
    )
    gone = (rng.random(len(area)) < 1.5 / len(area)) & (area < 0.3 * area.sum())
    gone[area.argmax()] = False
    moving = np.unique(thing.shell[moves])
    if gone[moving].all():
        gone[moving] = False
    return gone


def aligned(states: Array, rest: Array) -> Array:
    """States Float[S,N,3], each moved rigidly as near to `rest` Float[N,3] as it goes (least squares)."""
    middle = rest.mean(axis=0)
    centred = states - states.mean(axis=1, keepdims=True)
    return centred @ nearest_rotation(np.einsum("sni,nj->sij", centred, rest - middle)) + middle


def _states(
    thing: MovingObject,
    vertices: Array,
    joints: JointLabels | None,
    rng: np.random.Generator,
    count: int,
    augment: bool,
) -> tuple[Array, Array]:
    """Vertices at rest Float[V,3] and in `count` states Float[S,V,3]."""
    random_rest = augment and rng.random() < _RANDOM_REST
    if joints is None:
        states = thing.states(rng, count + random_rest)
        return (states[-1], states[:count]) if random_rest else (vertices, states)
    values = joints.random_values(rng, count + 1)
    values[-1] *= random_rest
    states = joints.posed(vertices, values)
    return states[-1], states[:count]


def _places(vertices: Array, samples: SurfaceSamples) -> Array:
    return np.einsum("nk,nki->ni", samples.barycentric, vertices[samples.corners])


def _normals(vertices: Array, samples: SurfaceSamples) -> Array:
    """Unit normals of the sampled triangles, Float[N,3]."""
    first = vertices[samples.corners[:, 0]]
    normal = cross(vertices[samples.corners[:, 1]] - first, vertices[samples.corners[:, 2]] - first)
    return normal / np.maximum(np.sqrt(np.einsum("ni,ni->n", normal, normal)), 1e-300)[:, None]


def _random_stretch(rng: np.random.Generator) -> Array:
    """Other proportions, and at times a lean: an upper triangular matrix near the identity."""
    matrix = np.diag(np.exp(rng.normal(0.0, 0.25, 3)))
    if rng.random() < _SHEAR:
        matrix[np.triu_indices(3, 1)] = rng.normal(0.0, 0.15, 3)
    return matrix


def random_turn(rng: np.random.Generator) -> Array:
    """An orthogonal matrix: about up by any angle, mirrored every other time, rarely with another axis up."""
    # Artists draw along the axes, and boxes of parts tell of hinges only there.
    quarters = rng.choice(4, p=_FACING)
    angle = 0.5 * np.pi * quarters if rng.random() < _ALONG_AXES else rng.uniform(0.0, 2.0 * np.pi)
    cosine, sine = np.cos(angle), np.sin(angle)
    turn = np.array([[cosine, -sine, 0.0], [sine, cosine, 0.0], [0.0, 0.0, 1.0]])
    if rng.random() < 0.5:
        turn = turn @ np.diag([-1.0, 1.0, 1.0])
    if rng.random() < _QUARTER_TURN:
        turn = np.roll(turn, rng.integers(1, 3), axis=0) @ np.diag([1.0, 1.0, rng.choice([-1.0, 1.0])])
    return turn


def _random_sides(rng: np.random.Generator, shell: NDArray[np.int64]) -> Array:
    """Signs Float[N]: all, some shells' or some points' normals look the wrong way."""
    way = rng.random()
    if way < 0.3:
        return np.full(len(shell), -1.0)
    if way < 0.8:
        return np.where(rng.random(shell.max() + 1) < 0.5, -1.0, 1.0)[shell]
    return np.where(rng.random(len(shell)) < 0.5, -1.0, 1.0)


def _renumbered(ids: NDArray[np.int64], rng: np.random.Generator, augment: bool) -> NDArray[np.int64]:
    """Ids 0.. in random order; in augmented examples sometimes all 0."""
    if augment and rng.random() < _IDS_DROPPED:
        return np.zeros_like(ids)
    known, compact = np.unique(ids, return_inverse=True)
    return rng.permutation(len(known))[compact]
