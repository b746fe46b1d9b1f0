"""Takes of things composed of rigid and soft pieces: a plant in a pot, flowers in a vase, a block with a soft top."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from backend import engine
from backend.bodies.composed_body import Links
from backend.dynamics.conditions import read_conditions
from backend.errors import UserError
from backend.geometry.mesh import Mesh
from backend.geometry.part_clouds import part_clouds
from backend.kinematics.joints_json import jointed_mesh
from backend.simulation.support_conditions import floor_below
from backend.understanding.analysis import suited_analysis
from backend.understanding.providers.articulated import Articulated
from backend.understanding.providers.composed import Composed
from backend.understanding.providers.rigid import Rigid
from tests.backend.shapes import block, moved
from tests.backend.takes import decode
from tests.backend.test_composition import FOAM, GLASS, LEAVES, OAK, labelled


@pytest.fixture(scope="module", autouse=True)
def without_network() -> Iterator[None]:
    """What was learned has no say here."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("backend.understanding.recognition.WEIGHTS", Path("none"))
        yield


def analysed(mesh: Mesh, provider: str = "auto") -> engine.Analysis:
    return engine.analyze(mesh.vertices, mesh.triangles, provider, slots=mesh.slots, labels=mesh.labels)


def bouquet() -> Mesh:
    """A vase of glass with three flowers in it, which touch its bottom and nothing else."""
    vase = moved(block((0.12, 0.12, 0.2), (3, 3, 4)), (0.0, 0.0, 0.1))
    stems = [moved(block((0.008, 0.008, 0.3), (1, 1, 20)), (0.03 * number, 0.0, 0.3495)) for number in (-1, 0, 1)]
    return labelled([(vase, "Vase", GLASS), *((stem, "Flowers", LEAVES) for stem in stems)])


def crossed() -> Mesh:
    """A vase with two flowers in it that lean across each other."""
    stems = []
    for side in (-1.0, 1.0):
        vertices, triangles = moved(block((0.008, 0.008, 0.3), (1, 1, 20)), (0.0, 0.004 * side, 0.3495))
        vertices[:, 0] += 0.3 * side * (vertices[:, 2] - 0.25)
        stems.append((vertices, triangles))
    vase = moved(block((0.12, 0.12, 0.2), (3, 3, 4)), (0.0, 0.0, 0.1))
    return labelled([(vase, "Vase", GLASS), *((stem, "Flowers", LEAVES) for stem in stems)])


def cushioned() -> Mesh:
    """A block of oak with a pad of foam on it."""
    pad = moved(block((0.4, 0.4, 0.15), (6, 6, 3)), (0.0, 0.0, 0.175))
    return labelled([(block((0.4, 0.4, 0.2), (4, 4, 3)), "Box", OAK), (pad, "Pad", FOAM)])


def played(analysis: engine.Analysis, **conditions: Any) -> np.ndarray:
    """Positions of all frames, Float[T,V,3]."""
    take = engine.prepare([analysis], [conditions])
    handles = np.array([frame.handles for (frame,) in take.frames(lambda: False)])
    return decode(take.members[0].body.weights, handles, analysis.mesh.vertices)


def test_stems_that_cross_bend_each_by_itself():
    analysis = analysed(crossed())
    rest = analysis.mesh.vertices
    tips = [np.flatnonzero((rest[:, 2] > 0.49) & (side * rest[:, 0] > 0.0)) for side in (-1.0, 1.0)]
    poke = {"point": rest[tips[0]].mean(axis=0).tolist(), "speed": [0.0, 0.5, 0.0], "radius": 0.02}
    moved_by = np.linalg.norm(played(analysis, frames=12, pokes=[poke]) - rest, axis=2).max(axis=0)
    assert moved_by[tips[0]].min() > 10.0 * moved_by[tips[1]].max()
    blown = np.linalg.norm(played(analysis, frames=24, wind={"velocity": [0.0, 5.0, 0.0]}) - rest, axis=2).max(axis=0)
    assert moved_by[rest[:, 2] < 0.19].max() == 0.0
    assert blown[tips[0]].max() == pytest.approx(blown[tips[1]].max(), rel=0.3) and blown[tips[0]].max() > 0.003


def rigid_of(analysis: engine.Analysis) -> np.ndarray:
    """Vertices of rigid pieces, Bool[V]."""
    made = analysis.composition
    chosen = [made.vertices(number) for number, behaviour in enumerate(made.behaviours) if behaviour == "rigid"]
    return np.isin(np.arange(len(analysis.mesh.vertices)), np.concatenate(chosen))


@pytest.fixture(scope="module")
def flowers() -> engine.Analysis:
    return analysed(bouquet())


def test_every_flower_sways_and_the_vase_stands(flowers: engine.Analysis) -> None:
    assert flowers.provider == "composed"
    shapes = played(flowers, frames=25, wind={"velocity": [2.0, 0.0, 0.0]}, stiffness=0.01)
    way = np.linalg.norm(shapes - flowers.mesh.vertices, axis=2).max(axis=0)
    rigid = rigid_of(flowers)
    assert way[rigid].max() < 1e-9
    for number in (-1, 0, 1):
        stem = ~rigid & (np.abs(flowers.mesh.vertices[:, 0] - 0.03 * number) < 0.01)
        tip, foot = stem & (flowers.mesh.vertices[:, 2] > 0.45), stem & (flowers.mesh.vertices[:, 2] < 0.21)
        assert way[tip].max() > 5e-4 and way[foot].max() < 0.1 * way[tip].max()


def test_a_poked_flower_leaves_the_others_alone(flowers: engine.Analysis) -> None:
    tip = [0.03, 0.0, 0.499]
    shapes = played(flowers, frames=9, pokes=[{"point": tip, "speed": [0.0, 0.3, 0.0], "radius": 0.02}])
    way = np.linalg.norm(shapes - flowers.mesh.vertices, axis=2).max(axis=0)
    top = flowers.mesh.vertices[:, 2] > 0.45
    struck, other = (top & (np.abs(flowers.mesh.vertices[:, 0] - x) < 0.01) for x in (0.03, -0.03))
    assert way[struck].max() > 1e-3 and way[other].max() < 0.02 * way[struck].max()


def test_what_stands_slides_where_its_rigid_part_is_pushed_hard_enough() -> None:
    """The pad alone weighs too little to take the box along, and a light push of the box does nothing either."""
    analysis = analysed(cushioned())
    rest, rigid = analysis.mesh.vertices, rigid_of(analysis)

    def slid(point: list[float], speed: float) -> float:
        poke = {"point": point, "speed": [speed, 0.0, 0.0], "radius": 0.1}
        return float(np.linalg.norm(played(analysis, frames=13, pokes=[poke]) - rest, axis=2)[:, rigid].max())

    # Pushed for two frames against the friction of its floor, then slowed down by that alone.
    braking, seconds, speed = floor_below(analysis).friction * 9.81, 2.0 / 24.0, 1.2
    gained = speed - braking * seconds
    expected = 0.5 * gained * seconds + gained**2 / (2.0 * braking)
    assert slid([-0.2, 0.0, 0.0], speed) == pytest.approx(expected, rel=0.15)
    assert slid([-0.2, 0.0, 0.0], 0.05) == 0.0
    assert slid([-0.2, 0.0, 0.2], 0.5) == 0.0


def test_a_speck_that_is_said_to_be_soft_is_refused_where_nothing_else_moves() -> None:
    speck = moved(block((0.005, 0.005, 0.005), (1, 1, 1)), (0.0, 0.0, 0.1025))
    analysis = analysed(labelled([(block((0.4, 0.4, 0.2), (4, 4, 3)), "Box", OAK), (speck, "Speck", FOAM)]))
    with pytest.raises(UserError, match="not composed"):
        engine.prepare(
            [analysis], [{"wind": {"velocity": [2.0, 0.0, 0.0]}, "pieces": [{"which": 1, "behaviour": "soft"}]}]
        )


def test_free_it_falls_as_one_and_what_is_rigid_keeps_its_shape() -> None:
    analysis = analysed(cushioned())
    assert analysis.provider == "composed"
    spin = {"linear": [0.0, 0.0, 1.0], "angular": [0.0, 3.0, 0.0]}
    shapes = played(analysis, frames=13, anchor="none", velocities=[spin])
    rigid = rigid_of(analysis)
    spans = np.linalg.norm(shapes[:, rigid] - shapes[:, rigid][:, :1], axis=2)
    np.testing.assert_allclose(spans, np.tile(spans[0], (13, 1)), atol=1e-6)
    take = engine.prepare([analysis], [{"frames": 13, "anchor": "none", "velocities": [spin]}])
    body = take.members[0].body
    mean = body.material.mass @ body.material.basis / body.total_mass
    centres = [mean @ body.kinematics.handles(frame.q) for (frame,) in take.frames(lambda: False)]
    seconds = np.arange(13) / 24.0
    fallen = np.array(centres)[:, 2] - centres[0][2]
    np.testing.assert_allclose(fallen, 1.0 * seconds - 0.5 * 9.81 * seconds**2, atol=2e-3)


def test_dropped_it_lands_and_its_pad_gives_way() -> None:
    analysis = analysed(cushioned())
    ground = {"height": -0.15}
    shapes = played(analysis, frames=25, anchor="none", ground=ground)
    assert np.isfinite(shapes).all() and shapes[..., 2].min() > -0.15 - 0.01
    rigid = rigid_of(analysis)
    assert np.abs(shapes[-1, rigid] - analysis.mesh.vertices[rigid] - [0.0, 0.0, -0.05]).max() < 0.01


def test_whose_pieces_all_bend_or_none_is_not_composed() -> None:
    for label in (OAK, FOAM):
        mesh = labelled([(block((0.4, 0.4, 0.2), (4, 4, 3)), "Thing", label)])
        with pytest.raises(UserError, match="not composed of rigid and soft pieces"):
            analysed(mesh, "composed")


def test_what_somebody_says_of_a_piece_decides_what_bends(flowers: engine.Analysis) -> None:
    conditions = read_conditions({"pieces": [{"which": 0, "material": "foam"}, {"which": 1, "material": "wood"}]})
    changed = suited_analysis(flowers, conditions, None)
    assert changed.provider == "composed"
    assert not (changed.model.soft & flowers.model.soft).any()


def test_it_can_be_posed_and_has_sliders(flowers: engine.Analysis) -> None:
    for analysis, held in ((flowers, "auto"), (analysed(cushioned()), "none")):
        posing = engine.begin_pose(analysis, {"anchor": held})
        count = len(posing.coordinates.names)
        assert count >= 3
        rest, bent = posing.shapes(np.stack([np.zeros(count), np.ones(count)]))
        places = decode(posing.weights, np.stack([rest, bent]), analysis.mesh.vertices)
        np.testing.assert_allclose(places[0], analysis.mesh.vertices, atol=1e-6)
        moved_by = np.linalg.norm(places[1] - analysis.mesh.vertices, axis=1)
        assert moved_by[rigid_of(analysis)].max() < 1e-6 < 1e-3 < moved_by.max()
        top = int(analysis.mesh.vertices[:, 2].argmax())
        target = analysis.mesh.vertices[top] + [0.01, 0.0, 0.0]
        posed = posing.solve(np.array([top]), target[None], np.array([True]))
        assert np.linalg.norm(posed.positions[0] - target) < 4e-3  # from 10 mm away


def chest() -> tuple[Mesh, dict[str, Any]]:
    """A box of oak with an oak lid, open by 40 degrees, with a pad of foam on it; and the hinge as a condition."""
    box = block((0.4, 0.4, 0.2), (4, 4, 3))
    lid = moved(block((0.4, 0.4, 0.02), (6, 6, 1)), (0.0, 0.0, 0.012))
    pad = moved(block((0.3, 0.3, 0.06), (6, 6, 2)), (0.0, 0.0, 0.052))
    angle, pivot = np.radians(40.0), np.array([-0.2, 0.0, 0.1])
    turn = np.array([[np.cos(angle), 0.0, -np.sin(angle)], [0.0, 1.0, 0.0], [np.sin(angle), 0.0, np.cos(angle)]])
    opened = [((part[0] + [0.2, 0.0, 0.0]) @ turn.T + pivot, part[1]) for part in (lid, pad)]
    mesh = labelled([(box, "Box", OAK), (opened[0], "Lid", OAK), (opened[1], "Pad", FOAM)])
    count = len(box[0])
    parts = [
        {"name": "box", "vertices": list(range(count))},
        {"name": "lid", "vertices": list(range(count, len(mesh.vertices)))},
    ]
    hinge = {"child": "lid", "parent": "box", "type": "revolute", "axis": [0, 1, 0], "origin": pivot.tolist()}
    return mesh, {"parts": parts, "joints": [{**hinge, "lower": -0.5, "upper": float(angle)}]}


def test_a_cushion_on_a_hinged_lid_goes_with_it() -> None:
    """The lid falls shut by its weight, the pad on it stays soft and the box stands."""
    mesh, joints = chest()
    analysis = engine.analyze(mesh.vertices, mesh.triangles, slots=mesh.slots, joints=joints, labels=mesh.labels)
    assert analysis.provider == "composed" and [each["child"] for each in analysis.summary["joints"]] == ["lid"]
    shapes = played(analysis, frames=25)
    rigid, lid = rigid_of(analysis), analysis.model.jointed.part == 1
    np.testing.assert_allclose(shapes[:, ~lid], np.tile(mesh.vertices[~lid], (25, 1, 1)), atol=1e-6)
    plate = shapes[:, lid & rigid]
    spans = np.linalg.norm(plate - plate[:, :1], axis=2)
    np.testing.assert_allclose(spans, np.tile(spans[0], (25, 1)), atol=1e-6)
    assert np.ptp(plate[-1, :, 2]) < 0.05 < 0.25 < np.ptp(plate[0, :, 2])  # shut
    pad = shapes[:, ~rigid]
    moved_by = np.linalg.norm(pad - plate.mean(axis=1, keepdims=True), axis=2)
    assert 1e-4 < np.abs(moved_by - moved_by[0]).max() < 0.03  # it goes along, and gives a little
    values = engine.begin_pose(analysis, {}).coordinates
    assert values.kinds[0] == "turn" and values.kinds[1:] == ("mode",) * (len(values.kinds) - 1)


def test_what_is_said_of_a_piece_makes_jointed_parts_soft_or_not() -> None:
    mesh, joints = chest()
    analysis = analysed(mesh)
    for material, provider in (("foam", "composed"), ("wood", "articulated")):
        said = {"joints": joints, "pieces": [{"which": "Foam", "material": material}]}
        suited = suited_analysis(analysis, read_conditions(said), None)
        assert suited.provider == provider and suited.model.jointed is not None


@pytest.mark.parametrize("kind", ["rigid", "articulated"])
@pytest.mark.parametrize("ground", [None, -0.25])
def test_pieces_that_are_all_rigid_move_as_the_provider_of_rigid_things_does(kind: str, ground: float | None) -> None:
    """Thrown with a spin, into the air or onto a floor."""
    mesh, joints = chest()
    jointed = jointed_mesh(mesh, joints)
    cloud, node_part = part_clouds(mesh, jointed.part)
    nothing = np.zeros(len(mesh.vertices), dtype=bool)
    if kind == "rigid":
        models = [Rigid(mesh, cloud), Composed(mesh, cloud, soft=nothing)]
    else:
        links = Links(jointed, node_part)
        models = [Articulated(mesh, cloud, jointed, node_part), Composed(mesh, cloud, soft=nothing, links=links)]
    spin = {"linear": [0.3, 0.0, 1.0 if ground is None else -1.0], "angular": [0.5, 3.0, 0.2]}
    thrown = {"frames": 13 if ground is None else 25, "anchor": "none", "velocities": [spin]}
    if ground is not None:
        thrown["ground"] = {"height": ground}
    alone, composed = (played(engine.Analysis(model, 0.0), **thrown) for model in models)
    np.testing.assert_allclose(composed, alone, atol=1e-6)


def test_a_soft_piece_on_a_rigid_foot_that_stands_bends_as_an_elastic_thing_that_is_held_there() -> None:
    mesh = labelled([(block((0.1, 0.1, 1.0), (2, 2, 20)), "Bar", FOAM)])
    model = analysed(mesh, "elastic").model
    soft = mesh.vertices[:, 2] > -0.45 + 1e-9
    models = [model, Composed(model.mesh, model.cloud, soft=soft)]
    poke = {"point": [0.0, 0.0, 0.5], "impulse": [0.1, 0.0, 0.0], "radius": 0.1}
    said = {"frames": 13, "pokes": [poke], "anchor": {"vertices": np.flatnonzero(~soft).tolist()}, "settled": True}
    alone, composed = (played(engine.Analysis(each, 0.0), **said) for each in models)
    away = np.linalg.norm(alone - mesh.vertices, axis=2).max()
    assert np.abs(composed - alone).max() < 0.03 * away


def flagged() -> Mesh:
    """A block of oak, with a long bar of foam that stands out of its side."""
    bar = moved(block((0.6, 0.05, 0.05), (24, 2, 2)), (0.4995, 0.0, 0.0))
    return labelled([(block((0.4, 0.4, 0.4), (4, 4, 4)), "Box", OAK), (bar, "Pad", FOAM)])


def _droop(shapes: np.ndarray, mesh: Mesh) -> np.ndarray:
    """How far the tip hangs below where it is drawn, seen from the block, Float[T] m."""
    x, height = mesh.vertices[:, 0], mesh.vertices[:, 2]
    tip = shapes[:, x > 0.79].mean(axis=1)
    top, bottom = (shapes[:, (x < 0.19) & side].mean(axis=1) for side in (height > 0.19, height < -0.19))
    up = (top - bottom) / np.linalg.norm(top - bottom, axis=1)[:, None]
    return np.einsum("ti,ti->t", tip - 0.5 * (top + bottom), up)


def test_what_is_drawn_is_at_rest_under_its_own_weight_and_bends_twice_as_far_upside_down() -> None:
    """On a floor nothing moves; turned over, the weight that was carried and the weight pull the same way."""
    mesh = flagged()
    analysis = analysed(mesh)
    stiff = {"pieces": [{"which": "Foam", "young": 1e8}], "ground": {"height": -0.2}, "anchor": "none", "frames": 13}
    drawn = played(analysis, **stiff)
    assert np.abs(drawn - mesh.vertices).max() < 2e-4
    hanging = _droop(played(analysis, settled=False, **stiff), mesh)[-1]
    assert hanging < -2e-4
    over = mesh.vertices * [1.0, -1.0, -1.0]
    overturned = _droop(played(analysis, pose=over.tolist(), **stiff), mesh)[-1]
    assert overturned == pytest.approx(-2.0 * hanging, rel=0.03)


def test_what_has_specks_alone_that_could_bend_is_rigid_by_default_and_moves() -> None:
    """A crumb of foam beside a block of oak: poked, the block slides, and nobody is told that nothing bends."""
    crumb = moved(block((0.01, 0.01, 0.01), (1, 1, 1)), (0.0, 0.0, 0.105))
    analysis = analysed(labelled([(block((0.4, 0.4, 0.2), (4, 4, 3)), "Box", OAK), (crumb, "Pad", FOAM)]))
    assert analysis.provider == "rigid"
    shapes = played(analysis, frames=9, pokes=[{"point": [-0.2, 0.0, 0.0], "speed": [1.5, 0.0, 0.0], "radius": 0.1}])
    assert np.linalg.norm(shapes[-1] - analysis.mesh.vertices, axis=1).max() > 0.05


def test_what_is_rigid_and_would_topple_stays_until_it_is_pushed() -> None:
    """A post of oak on a foot that is too narrow for it: no wind and no weight overturns it, a push does."""
    vertices, triangles = block((0.1, 0.1, 1.0), (2, 2, 8))
    vertices[:, :2] *= 0.2 + 0.8 * (vertices[:, 2:] + 0.5)
    analysis = analysed(labelled([((vertices, triangles), "Post", OAK)]))
    assert analysis.provider == "rigid" and analysis.composition.support.kind == "base"
    rest = analysis.mesh.vertices
    assert np.abs(played(analysis, frames=9, wind={"velocity": [10.0, 0.0, 0.0]}) - rest).max() < 1e-9
    push = {"point": [0.0, 0.05, 0.5], "speed": [0.0, -1.5, 0.0], "radius": 0.05}
    assert np.linalg.norm(played(analysis, frames=25, pokes=[push])[-1] - rest, axis=1).max() > 0.5


def test_what_hangs_and_cannot_be_held_goes_with_others_and_alone_is_not_moved_by_a_touch() -> None:
    """A ceiling lamp of oak: beside a crate both have one gravity; a poke that would not slide it is none."""
    lamp = analysed(labelled([(block((0.4, 0.4, 0.2), (2, 2, 2)), "Ceiling Lamp", OAK)]))
    crate = analysed(labelled([(moved(block((0.4, 0.4, 0.4), (2, 2, 2)), (2.0, 0.0, 0.0)), "Crate", OAK)]))
    assert (lamp.provider, lamp.composition.support.kind) == ("rigid", "hung")
    take = engine.prepare([lamp, crate], [{"frames": 9}, {"frames": 9}])
    assert len(list(take.frames(lambda: False))) == 9
    touch = {"point": [0.2, 0.0, 0.0], "speed": [-0.01, 0.0, 0.0], "radius": 0.1}
    for more in ({}, {"gravity_keys": [{"frame": 5, "value": [0.0, 0.0, -9.81]}]}):
        shapes = played(lamp, frames=25, pokes=[touch], **more)
        assert np.abs(shapes - lamp.mesh.vertices).max() < 1e-9


@pytest.mark.parametrize(("way", "taken"), [(0.5, True), (0.05, False)])
def test_a_long_drag_of_what_is_soft_takes_all_of_it_along(way: float, taken: bool) -> None:
    analysis = analysed(cushioned())
    top = [0.0, 0.0, 0.25]
    path = [{"frame": 1, "position": top}, {"frame": 13, "position": [way, 0.0, 0.3]}]
    drag = {"point": top, "path": path, "radius": 0.2}
    shapes = played(analysis, frames=13, drags=[drag])
    slid = np.linalg.norm(shapes[-1] - analysis.mesh.vertices, axis=1)[rigid_of(analysis)]
    assert slid.min() > 0.02 if taken else slid.max() == 0.0
