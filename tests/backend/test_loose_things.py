"""Loose things of one mesh as bodies of their own: a chain that hangs, stones in a bowl, what acts on which."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from backend import engine
from backend.errors import UserError
from backend.geometry.labels import SlotLabel
from backend.geometry.mesh import Mesh
from backend.kinematics.decode import decode_frames
from backend.understanding.loose_things import MOST_THINGS, loose_things
from tests.backend.shapes import Arrays, block, moved, sphere
from tests.backend.test_composition import FOAM, labelled

STEEL = SlotLabel("Steel")


@pytest.fixture(scope="module", autouse=True)
def without_network() -> Iterator[None]:
    """What was learned has no say here."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("backend.understanding.recognition.WEIGHTS", Path("none"))
        yield


def link(number: int, long: float = 0.03, thick: float = 0.003) -> Arrays:
    """An oval ring, upright, every second one turned by a right angle; each hangs in the one above it."""
    around, across = np.meshgrid(np.arange(16) * np.pi / 8.0, np.arange(6) * np.pi / 3.0, indexing="ij")
    radius = 0.012 + thick * np.cos(across)
    straight = np.where(np.sin(around) > 0.0, 1.0, -1.0) * (long / 2.0 - 0.012)
    flat = np.stack([radius * np.cos(around), thick * np.sin(across), radius * np.sin(around) + straight], axis=-1)
    first, second = np.meshgrid(np.arange(16), np.arange(6), indexing="ij")
    corner = [((first + i) % 16) * 6 + (second + j) % 6 for i, j in ((0, 0), (1, 0), (1, 1), (0, 1))]
    quads = np.stack(corner, axis=-1).reshape(-1, 4)
    triangles = np.concatenate([quads[:, [0, 2, 1]], quads[:, [0, 3, 2]]])
    vertices = flat.reshape(-1, 3)
    if number % 2:
        vertices = vertices[:, [1, 0, 2]] * [1.0, -1.0, 1.0]
    return moved((vertices, triangles), (0.0, 0.0, -number * (long - 2.0 * thick - 0.0005)))


def chain(count: int) -> Mesh:
    return labelled([(link(number), "Chain", STEEL) for number in range(count)])


def analysed(mesh: Mesh) -> engine.Analysis:
    return engine.analyze(mesh.vertices, mesh.triangles, slots=mesh.slots, labels=mesh.labels)


def played(analysis: engine.Analysis, **conditions: Any) -> tuple[np.ndarray, Any]:
    """Positions of all frames, Float[T,V,3], and the object of the take."""
    take = engine.prepare([analysis], [conditions])
    frames = [frame.handles for (frame,) in take.frames(lambda: False)]
    (member,) = take.members
    return decode_frames(analysis.mesh.vertices, member.motion.weights, frames), member


def test_a_chain_hangs_and_its_links_stay_linked() -> None:
    mesh = chain(4)
    analysis = analysed(mesh)
    assert analysis.summary["separate"] and analysis.composition.loose is not None
    push = {"point": mesh.vertices[-1].tolist(), "speed": [0.3, 0.0, 0.0], "radius": 0.01}
    shapes, member = played(analysis, frames=25, pokes=[push])
    weights = member.motion.weights
    assert weights.shape == (len(mesh.vertices), 4) and set(np.unique(weights)) == {0.0, 1.0}
    label = loose_things(mesh)
    centres = np.stack([shapes[:, label == number].mean(axis=1) for number in range(4)], axis=1)
    np.testing.assert_allclose(shapes[:, label == 0], np.tile(mesh.vertices[label == 0], (25, 1, 1)), atol=1e-6)
    apart = np.linalg.norm(np.diff(centres, axis=1), axis=2)
    assert apart.max() < 0.03 and np.ptp(centres[:, 3, 0]) > 0.005  # it swings, and no link leaves the one above
    assert member.summary["anchored"] and member.summary["degrees_of_freedom"] == 18


def bowl() -> Arrays:
    """A square bowl with thick walls."""
    outer = np.array([[x, y, z] for z in (0.0, 0.1) for x, y in ((-1, -1), (1, -1), (1, 1), (-1, 1))]) * [0.15, 0.15, 1]
    inner = outer * [0.8, 0.8, 1.0] + [0.0, 0.0, 0.02]
    inner[4:, 2] = 0.1
    quads = [[0, 3, 2, 1], [8, 9, 10, 11]]
    for corner in range(4):
        after = (corner + 1) % 4
        quads.append([corner, after, 4 + after, 4 + corner])
        quads.append([8 + after, 8 + corner, 12 + corner, 12 + after])
        quads.append([4 + corner, 4 + after, 12 + after, 12 + corner])
    faces = np.array(quads)
    return np.concatenate([outer, inner]), np.concatenate([faces[:, [0, 1, 2]], faces[:, [0, 2, 3]]])


def test_stones_fall_into_a_bowl_and_lie_there() -> None:
    stones = [
        moved(sphere(80, 0.03), (x, y, 0.12 + 0.05 * number))
        for number, (x, y) in enumerate([(-0.05, 0.02), (0.04, 0.05)])
    ]
    mesh = labelled([(bowl(), "Bowl", STEEL), *((stone, "Stones", STEEL) for stone in stones)])
    analysis = analysed(mesh)
    assert not analysis.summary["separate"]  # only some of its names speak of loose things
    shapes, _ = played(analysis, frames=37, separate=True)
    label = loose_things(mesh)
    for number in (1, 2):
        middle = shapes[-1, label == number].mean(axis=0)
        assert 0.04 < middle[2] < 0.07 and np.abs(middle[:2]).max() < 0.1
    assert np.abs(shapes[-1, label == 0] - mesh.vertices[label == 0]).max() < 0.01
    together, _ = played(analysis, frames=13)
    assert np.abs(together - mesh.vertices).max() < 0.01  # as one it stands there


def test_what_acts_on_a_thing_acts_on_it_alone() -> None:
    mesh = labelled(
        [(moved(block((0.1, 0.1, 0.1), (3, 3, 3)), (x, 0.0, 0.05)), "Dice", FOAM) for x in (-0.2, 0.0, 0.2)]
    )
    push = {"point": [0.25, 0.0, 0.05], "speed": [0.0, 0.5, 0.0], "radius": 0.03}
    hold = {"vertices": np.flatnonzero(mesh.vertices[:, 0] < -0.14).tolist()}
    shapes, member = played(analysed(mesh), frames=7, pokes=[push], pins=[hold])
    away = [np.abs(shapes - mesh.vertices)[:, loose_things(mesh) == number].max() for number in range(3)]
    assert away[0] < 1e-7 and away[1] < 0.02 < away[2]
    assert member.summary["provider"] == "elastic"


def test_a_spin_of_the_whole_carries_its_things_along() -> None:
    mesh = labelled([(moved(block((0.1, 0.1, 0.1), (2, 2, 2)), (x, 0.0, 0.0)), "Dice", STEEL) for x in (-0.5, 0.5)])
    spin = {"linear": [0.0, 0.0, 0.5], "angular": [0.0, 0.0, 2.0]}
    shapes, _ = played(analysed(mesh), frames=7, velocities=[spin], gravity=[0.0, 0.0, 0.0])
    seconds, label = 6.0 / 24.0, loose_things(mesh)
    for number, side in enumerate((-1.0, 1.0)):
        centre = shapes[-1, label == number].mean(axis=0)
        np.testing.assert_allclose(centre, [0.5 * side, side * seconds, 0.5 * seconds], atol=1e-3)


def test_there_are_no_more_things_than_bodies_can_be() -> None:
    many = [
        (moved(block((0.1, 0.1, 0.1 + 0.001 * n), (1, 1, 1)), (0.2 * n, 0.0, 0.0)), "Thing", STEEL) for n in range(70)
    ]
    label = loose_things(labelled(many))
    assert len(np.unique(label)) == MOST_THINGS
    assert label[0] == label[8 * 6]  # the smallest ones go with their neighbours


def test_what_cannot_be_separate_is_refused() -> None:
    analysis = analysed(chain(2))
    with pytest.raises(UserError, match="loose things"):
        engine.prepare([analysis], [{"separate": True, "provider": "learned"}])
    with pytest.raises(UserError, match="held"):
        engine.prepare([analysis], [{"anchor": {"vertices": list(range(len(analysis.mesh.vertices)))}}])
