"""The examples of docs/extending.md run, and swing as closed forms say."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from backend.dynamics.conditions import Conditions, read_conditions
from backend.engine import analyze, begin_live, begin_pose, prepare
from backend.extending import VARIABLE, Skinning, register, with_energies
from backend.understanding.providers import registry
from tests.backend.command_line import backend, write_conditions, write_mesh
from tests.backend.differences import numerical_derivative
from tests.backend.shapes import block
from tests.backend.takes import decode

DOCUMENT = Path(__file__).resolve().parents[2] / "docs" / "extending.md"
PARTICLES = Path(__file__).resolve().parent / "dynamics" / "particle_solver.py"
SIDES, HEIGHT, SECONDS = (0.2, 0.1), 1.0, 1.0 / 24.0


@pytest.fixture(scope="module")
def names() -> Iterator[dict[str, Any]]:
    """All that the blocks define, run one after the other as in one script; what they register is taken away again."""
    known = dict(registry._registered)
    vertices, triangles = block((*SIDES, HEIGHT), (4, 2, 20))
    vertices = vertices - [0.0, 0.0, vertices[:, 2].min()]
    names: dict[str, Any] = {"vertices": vertices, "triangles": triangles}
    for code in re.findall(r"```python\n(.*?)```", DOCUMENT.read_text(encoding="utf-8"), re.DOTALL):
        exec(compile(code, str(DOCUMENT), "exec"), names)
    yield names
    registry._registered.clear()
    registry._registered.update(known)


def _period(values: np.ndarray) -> float:
    """Seconds, between the times at which frames pass their mean upwards."""
    values = values - 0.5 * (values.max() + values.min())
    up = np.flatnonzero((values[:-1] < 0.0) & (values[1:] >= 0.0))
    passed = up + values[up] / (values[up] - values[up + 1])
    assert len(passed) >= 3
    return float(np.diff(passed).mean()) * SECONDS


def test_the_document_is_what_is_tested_here() -> None:
    text = DOCUMENT.read_text(encoding="utf-8")
    blocks = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    lengths = [sum(bool(line.strip()) for line in block.splitlines()) for block in blocks]
    assert len(lengths) == 5 and max(lengths[:3]) <= 30 and lengths[3] <= 60  # providers and energies; a solver
    # So that tests/backend/dynamics/test_particles.py holds of it.
    assert PARTICLES.read_text(encoding="utf-8").endswith(blocks[3])


def test_the_post_twists_and_stretches_with_the_periods_of_the_closed_forms(names: dict[str, Any]) -> None:
    mass = 1000.0 * SIDES[0] * SIDES[1] * HEIGHT
    inertia = mass * (SIDES[0] ** 2 + SIDES[1] ** 2) / 12.0
    torsion, tension = names["Twist"].springs
    assert np.abs(names["twist"]).max() > 0.2 and np.abs(names["stretch"]).max() > 0.02
    assert _period(names["twist"]) == pytest.approx(2.0 * np.pi * np.sqrt(inertia / 3.0 / torsion), rel=0.01)
    assert _period(names["stretch"]) == pytest.approx(2.0 * np.pi * np.sqrt(mass * HEIGHT**2 / 3.0 / tension), rel=0.01)


def test_the_vertices_of_the_post_are_where_its_coordinates_say(names: dict[str, Any]) -> None:
    """The top turns by the angle and rises by the stretch; the bottom stays."""
    vertices = names["vertices"]
    frame = names["frames"][9]
    weights = names["analysis"].weights.astype(np.float64)
    moved = np.einsum("vh,hij,vj->vi", weights, frame.handles, np.column_stack([vertices, np.ones(len(vertices))]))
    angle, longer = frame.q
    cosine, sine = np.cos(angle), np.sin(angle)
    top = vertices[:, 2] > HEIGHT - 1e-9
    turned = vertices[top] @ np.array([[cosine, -sine, 0.0], [sine, cosine, 0.0], [0.0, 0.0, 1.0]]).T
    assert np.allclose(moved[top], turned + np.array([0.0, 0.0, longer * HEIGHT]), atol=1e-5)
    bottom = vertices[:, 2] < 1e-9
    assert np.allclose(moved[bottom], vertices[bottom], atol=1e-5)


def test_the_derivatives_of_both_examples(names: dict[str, Any]) -> None:
    random = np.random.default_rng(0)
    kinematics = names["analysis"].body(Conditions(), np.flatnonzero(names["vertices"][:, 2] < 1e-9)).kinematics
    assert kinematics.dof == 2
    q, rate = random.normal(size=(2, 2))
    force = random.normal(size=kinematics.handles(q).shape)
    pulled = numerical_derivative(lambda at: kinematics.pull(at, force), q)
    assert np.allclose(kinematics.curvature(q, force), pulled, atol=1e-6)
    assert np.allclose(
        kinematics.jacobian(q), numerical_derivative(lambda at: kinematics.handles(at).ravel(), q), atol=1e-7
    )
    bent = numerical_derivative(lambda at: kinematics.push(at, rate).ravel(), q) @ rate
    assert np.allclose(kinematics.acceleration(q, rate).ravel(), bent, atol=1e-6)
    spring = names["PlaneSpring"](names["hung"].body(Conditions(), None), 800.0, (0.0, 0.6, 0.8), 0.1)
    a = random.normal(size=12)
    slope = numerical_derivative(lambda at: np.array([spring.value(at.reshape(4, 3))]), a)[0]
    assert np.allclose(spring.gradient(a.reshape(4, 3)).ravel(), slope, rtol=1e-5, atol=1e-4)
    bend = numerical_derivative(lambda at: spring.gradient(at.reshape(4, 3)).ravel(), a)
    assert np.allclose(spring.hessian(a.reshape(4, 3)).reshape(12, 12), bend, rtol=1e-5, atol=1e-4)


def test_what_hangs_on_the_plane_swings_as_a_weight_on_a_spring(names: dict[str, Any]) -> None:
    mass = 1000.0 * SIDES[0] * SIDES[1] * HEIGHT
    height = names["height"]
    assert _period(height) == pytest.approx(2.0 * np.pi * np.sqrt(mass / 800.0), rel=0.002)
    assert height.min() == pytest.approx(-2.0 * mass * 9.81 / 800.0, rel=0.01)
    assert abs(height.max()) < 0.01 * abs(height.min())


def test_an_elastic_object_on_the_plane_swings_as_a_rigid_one_does(names: dict[str, Any]) -> None:
    """The spring takes every part by its mass, so nothing bends: z = -(m g / k) (1 - cos(w t)), w = sqrt(k / m)."""
    soft = with_energies(analyze(names["vertices"], names["triangles"], "elastic"), names["hung"].energies)
    take = prepare([soft], [{"anchor": "none", "frames": 97, "substeps": 8, "settle_seconds": 0.5}])
    body = take.members[0].body
    row = body.material.mass @ body.material.basis / body.total_mass
    frames = [frame for (frame,) in take.frames(lambda: False)]
    height = np.array([row @ body.kinematics.handles(frame.q) for frame in frames])[:, 2] - 0.5 * HEIGHT
    depth, rate = body.total_mass * 9.81 / 800.0, np.sqrt(800.0 / body.total_mass)
    expected = -depth * (1.0 - np.cos(rate * SECONDS * np.arange(97)))
    assert np.abs(height - expected).max() < 0.01 * depth
    total = np.array([frame.energy[2] for frame in frames])
    assert np.ptp(total) < 0.01 * body.total_mass * 9.81 * depth
    report = take.report()
    assert report["newton_iterations"] < 3 * report["steps"] and report["halved_steps"] == 0


def test_a_stiff_spring_at_the_top_of_an_elastic_object_converges(names: dict[str, Any]) -> None:
    """A thousand times its weight for each metre at its top face: it hangs there, m g / k below."""

    class Top(names["PlaneSpring"]):
        def __init__(self, body: Any) -> None:
            top = np.flatnonzero(body.mesh.vertices[:, 2] > HEIGHT - 1e-9)
            super().__init__(body, 2e5, (0.0, 0.0, 1.0), HEIGHT)
            self.slope = np.outer(body.vertex_basis(top).mean(axis=0), (0.0, 0.0, 1.0))

        def away(self, a: np.ndarray) -> float:
            return float(np.vdot(self.slope, a)) - self.distance

    soft = with_energies(analyze(names["vertices"], names["triangles"], "elastic"), lambda body: [Top(body)])
    take = prepare([soft], [{"anchor": "none", "frames": 120, "settle_seconds": 0.2, "stiffness_hz": 20.0}])
    body = take.members[0].body
    spring = Top(body)
    away = np.array([spring.away(body.kinematics.handles(frame.q)) for (frame,) in take.frames(lambda: False)])
    report = take.report()
    assert away[-24:].mean() == pytest.approx(-body.total_mass * 9.81 / 2e5, rel=0.05)
    assert report["newton_iterations"] < 6 * report["steps"] and report["halved_steps"] == 0


def test_the_cloud_falls_and_lands(names: dict[str, Any]) -> None:
    assert names["points"].shape == (96, *names["vertices"].shape)
    assert names["points"][-1, :, 2] == pytest.approx(-1.0, abs=1e-9)


BASE = {"anchor": {"vertices": [0]}}  # any of the vertices that no coordinate moves


def test_a_held_post_that_is_poked_comes_back_and_its_energy_stays(names: dict[str, Any]) -> None:
    """The whole way of conditions: the base is held by itself, a poke at a corner twists it, nothing is lost."""
    poke = {"point": [0.1, 0.05, 1.0], "speed": [0.0, 0.3, 0.0], "radius": 0.05}
    take = prepare([names["analysis"]], [{"frames": 72, "pokes": [poke], "undamped": True}])
    frames = [frame for (frame,) in take.frames(lambda: False)]
    assert take.members[0].summary["provider"] == "twist" and take.members[0].summary["anchored"]
    assert take.members[0].summary["degrees_of_freedom"] == 2
    twist = np.array([frame.q[0] for frame in frames])
    assert twist.max() > 0.05 and twist.min() < -0.05
    total = np.array([frame.energy[2] for frame in frames])[6:]
    assert np.ptp(total) < 0.02 * total.mean()


def test_it_settles_and_stops_at_the_ends_of_its_ranges(names: dict[str, Any]) -> None:
    turn = {"angular": [0.0, 0.0, 200.0]}
    take = prepare([names["analysis"]], [{"frames": 120, "velocities": [turn], "settle_seconds": 1.0, **BASE}])
    twist = np.array([frame.q[0] for (frame,) in take.frames(lambda: False)])
    assert 2.0 < np.abs(twist).max() < 2.6  # rad: the range ends at 2, and a limit is a stiff spring
    assert np.abs(twist[-12:]).max() < 0.05


def test_it_falls_where_nothing_holds_it_and_lands(names: dict[str, Any]) -> None:
    take = prepare([names["analysis"]], [{"frames": 24, "anchor": "none", "ground": {"height": -0.5}}])
    frames = [frame for (frame,) in take.frames(lambda: False)]
    assert take.members[0].summary["degrees_of_freedom"] == 8
    fallen = np.array([frame.q[2] for frame in frames])
    for number in (4, 6):
        assert fallen[number] == pytest.approx(-0.5 * 9.81 * (number * SECONDS) ** 2, rel=0.02)
    lowest = [(frame.handles[0] @ [0.0, 0.0, 0.0, 1.0])[2] for frame in frames]
    assert min(lowest) == pytest.approx(-0.5, abs=0.02)


def test_it_carries_what_falls_on_it(names: dict[str, Any]) -> None:
    """A crate 0.1 m above the post meets its top, which gives way; neither goes into the other, no energy comes."""
    vertices, triangles = block((0.2, 0.2, 0.1), (2, 2, 1))
    lifted = vertices + np.array([0.0, 0.0, HEIGHT + 0.1 - vertices[:, 2].min()])
    crate = analyze(lifted, triangles, "rigid")
    conditions = {"frames": 48, "gravity": [0.0, 0.0, -3.0]}
    take = prepare([names["analysis"], crate], [{**conditions, **BASE, "undamped": True}, conditions])
    frames = list(take.frames(lambda: False))
    top = np.array([post.q[1] * HEIGHT for post, _ in frames])
    gap = 0.1 + np.array([crate.q[2] for _, crate in frames]) - top
    assert gap.min() > 0.0
    assert gap.min() < 1e-3 and top.min() < -0.1
    energy = np.array([(post.energy + crate.energy)[2] for post, crate in frames])
    assert np.diff(energy).max() < 0.01


def test_what_it_is_made_of_counts_by_its_mass(names: dict[str, Any]) -> None:
    analysis, everything = names["analysis"], list(range(len(names["vertices"])))
    heavy = read_conditions({"density": 500.0, "materials": [{"vertices": everything, "density": 3000.0}]})
    assert analysis.body(Conditions(), None).total_mass == pytest.approx(20.0, rel=0.01)
    assert analysis.body(heavy, None).total_mass == pytest.approx(60.0, rel=0.01)


def test_it_can_be_pulled_at_live(names: dict[str, Any]) -> None:
    live = begin_live(names["analysis"], {})
    pull = {"point": [0.1, 0.05, HEIGHT], "radius": 0.1, "target": [0.1, 0.15, HEIGHT]}
    turned = [live.step(pull).q[0] for _ in range(24)]
    assert 0.3 < turned[-1] < 1.2  # as much as brings the corner 0.1 m aside, and its springs let it


def test_it_has_sliders_and_random_poses(names: dict[str, Any]) -> None:
    posing = begin_pose(names["analysis"], {})
    found = posing.coordinates
    assert found.names == ("Twist", "Stretch") and found.kinds == ("value", "value")
    assert found.lower.tolist() == [-2.0, -0.4] and found.upper.tolist() == [2.0, 0.6]
    vertices, values = names["vertices"], np.array([[0.0, 0.0], [0.0, 0.25], [0.0, 9.0]])
    rest, longer, longest = decode(posing.weights, posing.shapes(values), vertices)
    assert np.abs(rest - vertices).max() < 1e-6
    assert longer[:, 2] == pytest.approx(1.25 * vertices[:, 2], abs=1e-5)
    assert longest[:, 2] == pytest.approx(1.6 * vertices[:, 2], abs=1e-5)  # as far as the slider goes
    drawn, handles = posing.poses(8, 0)
    assert len(np.unique(drawn, axis=0)) == 8 and (drawn >= found.lower).all() and (drawn <= found.upper).all()
    assert np.array_equal(posing.shapes(drawn), handles)


def test_it_follows_the_hand_in_pose_mode_and_starts_as_it_is_posed(names: dict[str, Any]) -> None:
    posing, vertices = begin_pose(names["analysis"], {}), names["vertices"]
    corner = int((vertices @ [1.0, 1.0, 10.0]).argmax())
    turn = np.array([[np.cos(0.5), -np.sin(0.5), 0.0], [np.sin(0.5), np.cos(0.5), 0.0], [0.0, 0.0, 1.0]])
    target = turn @ vertices[corner] + [0.0, 0.0, 0.1]
    for _ in range(10):
        shape = posing.solve(np.array([corner]), target[None], np.array([True]))
    assert shape.values == pytest.approx([0.5, 0.1], abs=0.01)
    take = prepare([names["analysis"]], [{"frames": 2, "sliders": shape.values.tolist(), **BASE}])
    (first,) = next(iter(take.frames(lambda: False)))
    assert first.q == pytest.approx(shape.values, abs=1e-3)


def test_a_provider_without_springs_and_ranges_swings_at_the_stiffness_of_the_conditions(names: dict[str, Any]) -> None:
    class Wobble(names["Twist"]):
        name, springs, coordinates = "wobble", None, {"Twist": None, "Stretch": None}

    register(Wobble)
    analysis = analyze(names["vertices"], names["triangles"], "wobble")
    asked = {"frames": 49, "stiffness_hz": 2.0, "undamped": True, "gravity": [0, 0, 0], **BASE}
    take = prepare([analysis], [{**asked, "velocities": [{"angular": [0.0, 0.0, 1.0]}]}])
    assert _period(np.array([frame.q[0] for (frame,) in take.frames(lambda: False)])) == pytest.approx(0.5, rel=0.01)
    assert begin_pose(analysis, {}).coordinates.upper.tolist() == [1.0, 1.0]


def test_what_cannot_be_extended_is_refused(names: dict[str, Any]) -> None:
    vertices, triangles = names["vertices"], names["triangles"]

    class Halved(names["Twist"]):
        name = "halved"

        def weights(self, points):
            return np.full((len(points), 9), 0.5)

    register(Halved)
    with pytest.raises(ValueError, match="add up to one"):
        prepare([analyze(vertices, triangles, "halved")], [{"frames": 2}])


@pytest.mark.parametrize("name", ["elastic", "auto", "Two Words", ""])
def test_names_that_are_taken_or_cannot_be_written_are_refused(name: str) -> None:
    with pytest.raises(ValueError, match="cannot be called"):
        register(type("Other", (Skinning,), {"name": name}))


@pytest.fixture
def twist_file(tmp_path: Path) -> Path:
    """The first block of the document, saved."""
    (code, *_) = re.findall(r"```python\n(.*?)```", DOCUMENT.read_text(encoding="utf-8"), re.DOTALL)
    path = tmp_path / "twist.py"
    path.write_text(code, encoding="utf-8")
    return path


def test_the_command_line_knows_it_and_tells_of_files_that_do_not_run(twist_file: Path, tmp_path: Path) -> None:
    broken, missing = tmp_path / "broken.py", tmp_path / "missing.py"
    broken.write_text("import nothing_of_that_name\n", encoding="utf-8")
    mesh = write_mesh(tmp_path / "post.obj", block((*SIDES, HEIGHT), (2, 1, 6)))
    extensions = {VARIABLE: os.pathsep.join(map(str, (broken, twist_file, missing)))}
    done = backend("analyze", mesh, "--provider", "twist", "--json", variables=extensions)
    found = json.loads(done.stdout)
    assert done.returncode == 0 and (found["provider"], found["degrees_of_freedom"]) == ("twist", 8)
    first, second = (line for line in done.stderr.splitlines() if line.startswith("Note: "))
    assert "'broken.py' does not run (ModuleNotFoundError" in first and "missing.py' is not there" in second
    conditions = write_conditions(tmp_path / "c.json", provider="twist", frames=3)
    output = tmp_path / "out.npz"
    made = backend("simulate", mesh, "--conditions", conditions, "-o", output, variables=extensions)
    assert made.returncode == 0 and np.load(output)["q"].shape == (3, 2)
    refused = backend("analyze", mesh, "--provider", "twist")
    assert refused.returncode == 2
    assert "Choose one of: auto, elastic, rigid, learned, articulated, composed, sheet, rig." in refused.stderr
