"""Composition: pieces by objects and materials, what they stand on, and what somebody says instead."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from backend import engine
from backend.dynamics.conditions import Conditions, read_conditions
from backend.errors import UserError
from backend.geometry.labels import Labels, SlotLabel
from backend.geometry.mesh import Mesh, validate_mesh
from backend.kinematics.decode import decode_frames
from backend.materials.table import material_named, material_names
from backend.protocol import Message
from backend.texts import Text
from backend.understanding.analysis import suited_analysis
from backend.understanding.composition import Composition, understand
from backend.understanding.material_conditions import AIR_SECONDS, CROWN_SQUEEZED, STIFFER, STRETCHED, with_materials
from backend.understanding.support import held_by
from backend.worker.labels_message import labels_of
from tests.backend.command_line import backend_here
from tests.backend.shapes import Arrays, block, joined, moved, sheet


@pytest.fixture(scope="module", autouse=True)
def without_network() -> Iterator[None]:
    """What was learned has no say here."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("backend.understanding.recognition.WEIGHTS", Path("none"))
        yield


OAK, GLASS, FABRIC, LEAVES, FOAM = map(SlotLabel, ("Oak", "Glass", "Curtain Fabric", "Leaves", "Foam"))


def labelled(parts: list[tuple[Arrays, str, SlotLabel]]) -> Mesh:
    """Parts as objects of these names with these materials."""
    vertices, triangles = joined(*(part for part, _, _ in parts))
    counts = [len(part[1]) for part, _, _ in parts]
    names = list(dict.fromkeys(name for _, name, _ in parts))
    slots = list(dict.fromkeys(slot.name for _, _, slot in parts))
    labels = Labels(
        np.repeat([names.index(name) for _, name, _ in parts], counts),
        tuple(names),
        {slots.index(slot.name): slot for _, _, slot in parts},
    )
    return validate_mesh(
        vertices, triangles, np.repeat([slots.index(slot.name) for _, _, slot in parts], counts), labels
    )


def table() -> Mesh:
    """A glass plate on four legs of oak, which are two objects."""
    legs = [moved(block((0.1, 0.1, 0.7), (2, 2, 6)), (x, y, 0.35)) for x in (-0.5, 0.5) for y in (-0.3, 0.3)]
    top = moved(block((1.2, 0.8, 0.02), (8, 6, 1)), (0.0, 0.0, 0.71))
    return labelled([*((leg, f"Leg {number % 2}", OAK) for number, leg in enumerate(legs)), (top, "Top", GLASS)])


def of(parts: list[tuple[Arrays, str, SlotLabel]], name: str = "") -> Composition:
    return understand(labelled(parts), name)


def test_pieces_are_objects_with_one_material() -> None:
    made = understand(table())
    assert made.cut.names == ("Leg 0: Oak", "Leg 1: Oak", "Glass")
    assert [each.material for each in made.made] == ["wood", "wood", "glass"]
    assert made.decides and made.rigid and made.provider == "rigid"
    assert made.shares.sum() == pytest.approx(1.0)
    assert np.bincount(made.cut.piece).tolist() == [len(made.mesh.triangles[made.cut.piece == n]) for n in range(3)]
    np.testing.assert_allclose(made.cut.volumes, [2 * 0.007, 2 * 0.007, 1.2 * 0.8 * 0.02], rtol=1e-9)


def test_the_same_mesh_gives_the_same_words() -> None:
    assert repr(understand(table()).told()) == repr(understand(table()).told())


def test_a_thing_without_names_decides_nothing() -> None:
    made = understand(validate_mesh(*block((1.0, 1.0, 1.0), (4, 4, 4))))
    assert not made.decides and made.cut.names == ("Piece 1",)


UPRIGHT = sheet(8, 8)
UPRIGHT = (np.stack([UPRIGHT[0][:, 0], 0.0 * UPRIGHT[0][:, 1], UPRIGHT[0][:, 1]], axis=1), UPRIGHT[1])


LEANING = block((0.3, 0.3, 0.3), (2, 2, 2))  # on an edge, with its weight beside that
LEANING = (LEANING[0] @ np.array([[0.8, 0.0, -0.6], [0.0, 1.0, 0.0], [0.6, 0.0, 0.8]]), LEANING[1])


@pytest.mark.parametrize(
    ("parts", "name", "support", "reason"),
    [
        ([(block((1.0, 1.0, 1.0), (2, 2, 2)), "Crate", OAK)], "", "floor", "support.stands"),
        ([(block((0.05, 0.05, 2.0), (1, 1, 8)), "Stick", OAK)], "", "base", "support.topples"),
        ([(LEANING, "Crate", OAK)], "", "base", "support.topples"),
        ([(block((1.0, 1.0, 1.0), (2, 2, 2)), "Ceiling Lamp", OAK)], "", "hung", "support.hung_by_name"),
        ([(block((1.0, 1.0, 1.0), (2, 2, 2)), "", OAK)], "Birch_Tree", "base", "support.rooted_by_name"),
        ([(UPRIGHT, "Thing", FABRIC)], "", "hung", "support.sheet_hangs"),
        ([(sheet(8, 8), "Thing", FABRIC)], "", "floor", "support.lies"),
    ],
)
def test_support(parts: list[Any], name: str, support: str, reason: str) -> None:
    found = of(parts, name).support
    assert (found.kind, found.reason.id) == (support, reason)
    assert 0.5 <= found.probability <= 1.0


def test_the_slope_on_which_it_falls_over_is_that_of_statics() -> None:
    """A cuboid 2 m wide and 3 m tall tips where the floor slopes by arctan(1 / 1.5)."""
    found = of([(block((2.0, 2.5, 3.0), (4, 4, 4)), "Thing", OAK)]).support
    assert found.reason.args["degrees"] == pytest.approx(np.degrees(np.arctan(1.0 / 1.5)), abs=0.1)


def test_what_would_topple_is_held_so_far_up_that_it_stands_and_a_pole_by_its_foot() -> None:
    """A body of 1 m above a fin below its one end, and a bar of 2 m."""
    fin = moved(block((0.1, 0.02, 0.04), (1, 1, 4)), (0.4, 0.0, -0.12))
    found = of([(block((1.0, 0.2, 0.2), (10, 2, 8)), "Body", FOAM), (fin, "Fin", FOAM)])
    assert found.support.kind == "base"
    held = held_by("base", found.mesh, found.centre)
    assert found.mesh.vertices[held, 0].min() == pytest.approx(-0.5) and found.mesh.vertices[held, 2].max() < 0.0
    pole = of([(block((0.05, 0.05, 2.0), (1, 1, 100)), "Stick", OAK)])
    assert pole.mesh.vertices[held_by("base", pole.mesh, pole.centre), 2].max() < -0.95
    assert pole.mesh.vertices[held_by("hung", pole.mesh, pole.centre), 2].min() > 0.95
    assert held_by("floor", pole.mesh, pole.centre) is None


def test_what_is_drawn_with_a_material_decides_by_its_look_sooner() -> None:
    """The probability that it is rigid counts, and how much of it has a material."""
    made = of([(block((1.0, 1.0, 1.0), (2, 2, 2)), "", SlotLabel("Slot 1"))])

    def decides(probability: float, material: str) -> bool:
        rigid = np.array([material_named(name).form(False).behaviour == "rigid" for name in material_names()])
        odds = np.where(rigid, probability / rigid.sum(), (1.0 - probability) / (~rigid).sum())
        piece = replace(made.made[0], behaviour="rigid", probabilities=odds, reason=Text("material.by_look"))
        clues = replace(made.cut.clues[0], material=material, shader=None)
        return replace(made, made=(piece,), cut=replace(made.cut, clues=(clues,))).decides

    assert decides(0.7, "Slot 1") and not decides(0.6, "Slot 1")
    assert decides(0.9, "") and not decides(0.8, "")


def plant() -> Mesh:
    """A pot of glass with leaves on top."""
    pot = moved(block((0.2, 0.2, 0.2), (4, 4, 4)), (0.0, 0.0, 0.1))
    leaf = moved(block((0.3, 0.1, 0.004), (10, 4, 1)), (0.2, 0.0, 0.201))
    return labelled([(pot, "Pot", GLASS), (leaf, "Plant", LEAVES)])


def _analysis(mesh: Mesh) -> engine.Analysis:
    return engine.analyze(mesh.vertices, mesh.triangles, slots=mesh.slots, labels=mesh.labels)


@pytest.fixture(scope="module")
def potted() -> engine.Analysis:
    return _analysis(plant())


def test_materials_are_the_conditions_where_nobody_gives_any(potted: engine.Analysis) -> None:
    assert potted.provider == "composed" and potted.reasons[0].id == "reason.some_bends"
    conditions = potted.made_of(read_conditions({}))
    pot, leaf = conditions.materials
    glass, leaves = potted.composition.made
    # A leaf that is drawn 4 mm thick weighs what one of its own thickness does, and bends nearly as easily.
    thin = leaves.thickness / potted.composition.drawn_thickness[1]
    assert pot.density == glass.density and leaf.density == pytest.approx(leaves.density * thin)
    assert conditions.young * leaf.stiffness == pytest.approx(leaves.young * thin**2)
    assert pot.stiffness / leaf.stiffness == pytest.approx(STIFFER)
    assert conditions.stiffness_hz == 3.0 and conditions.damping == pytest.approx(leaves.damping)


def test_the_crown_of_a_tree_is_mostly_air() -> None:
    """Gibson and Ashby: the modulus of a cellular solid goes with the square of its density."""
    trunk = moved(block((0.3, 0.3, 2.0), (2, 2, 8)), (0.0, 0.0, 1.0))
    crown = moved(block((3.0, 3.0, 3.0), (6, 6, 6)), (0.0, 0.0, 3.5))
    made = of([(trunk, "Trunk", OAK), (crown, "Crown", LEAVES)])
    leaves = made.made[1]
    assert made.crowns.tolist() == [False, True]
    share = leaves.thickness / 1.0  # 2 V / A of a cube of 3 m
    assert made.thinning == pytest.approx([1.0, share])
    assert made.masses == pytest.approx([0.18 * made.made[0].density, 27.0 * share * leaves.density], rel=1e-6)
    conditions = with_materials(made, Conditions())
    young = conditions.young * (conditions.materials[1].stiffness or 1.0)
    carried = leaves.density * share * 9.81 * 5.0 / CROWN_SQUEEZED
    assert young == pytest.approx(max(leaves.young * share**2, carried), rel=1e-6)
    assert not of([(block((0.3, 0.3, 0.02), (6, 6, 1)), "Succulent", LEAVES)]).crowns.any()


def test_what_is_given_counts_before_materials(potted: engine.Analysis) -> None:
    given = {"density": 500.0, "stiffness_hz": 2.0, "settle_seconds": 1.0, "poisson": 0.1}
    conditions = potted.made_of(read_conditions(given))
    assert (conditions.density, conditions.stiffness_hz, conditions.settle_seconds) == (500.0, 2.0, 1.0)
    assert conditions.young is None and conditions.damping is None
    assert conditions.materials == ()
    again = potted.made_of(read_conditions({key: "auto" for key in given}))
    assert again.young is not None and again.materials[0].density == 2500.0


def test_a_sheet_is_stretched_by_its_weight_no_more_than_a_little() -> None:
    analysis = _analysis(labelled([(UPRIGHT, "Curtain", FABRIC)]))
    conditions = analysis.made_of(read_conditions({}))
    made = analysis.composition
    density = made.made[0].density * made.thinning[0]
    assert conditions.density == pytest.approx(density)
    assert (conditions.settle_seconds, conditions.damping) == (AIR_SECONDS, None)
    # Of a strip that hangs: sigma = rho g L, and so the strain at its top.
    assert density * 9.81 * made.size / conditions.young == pytest.approx(STRETCHED)
    area_density = density * made.drawn_thickness[0]
    assert area_density == pytest.approx(made.made[0].density * made.made[0].thickness)


def _suited(analysis: engine.Analysis, conditions: dict[str, Any]) -> engine.Analysis:
    return suited_analysis(analysis, read_conditions(conditions), None)


def test_a_curtain_hangs_in_a_wind_and_stays_whole() -> None:
    """One with folds, in a wind along it: its speed is never more than the wind's."""
    flat, triangles = sheet(24, 8)
    folds = np.stack([flat[:, 0], 0.1 * np.sin(20.0 * flat[:, 0]), 2.5 * flat[:, 1]], axis=1)
    analysis = _analysis(labelled([((folds, triangles), "Curtain", FABRIC)]))
    take = engine.prepare([analysis], [{"frames": 97, "wind": {"velocity": [3.0, 0.0, 0.0]}}])
    assert take.members[0].summary["anchored"]
    fastest = max(frame.energy[0] for (frame,) in take.frames(lambda: False))
    assert 0.0 < fastest < 0.5 * take.members[0].summary["mass"] * 3.0**2


@pytest.mark.parametrize("which", ["Glass", 0, {"vertices": list(range(98))}, {"faces": list(range(192))}])
def test_pieces_are_overridden(potted: engine.Analysis, which: Any) -> None:
    pot = {"which": which, "material": "rubber", "density": 900.0}
    made = _suited(potted, {"pieces": [pot], "support": "hung"}).composition
    told = made.told()
    piece = next(each for each in told if each["material"] == "rubber")
    assert piece["density"] == 900.0 and piece["reason"].id == "material.given"
    assert made.support.kind == "hung" and made.decides
    assert len(told) == 2 and sum(each["faces"] for each in told) == len(potted.mesh.triangles)


def test_faces_are_a_piece_of_their_own(potted: engine.Analysis) -> None:
    """Made of what they were cut from, unless more is said; the rest of that piece stays."""
    rim = {"which": {"faces": [3, 4, 5]}, "name": "Rim"}
    made = _suited(potted, {"pieces": [rim]}).composition
    assert made.cut.names == ("Glass", "Leaves", "Rim")
    assert np.flatnonzero(made.cut.piece == 2).tolist() == [3, 4, 5]
    assert [each.material for each in made.made] == ["glass", "leaf", "glass"]


def test_what_is_said_of_a_piece_that_is_not_there_is_a_warning_of_the_analysis() -> None:
    mesh = plant()
    said = read_conditions({"pieces": [{"which": "Vase", "material": "metal"}, {"which": "Glass", "material": "wax"}]})
    found = engine.analyze(mesh.vertices, mesh.triangles, slots=mesh.slots, labels=mesh.labels, pieces=said.pieces)
    assert [piece["material"] for piece in found.summary["pieces"]] == ["wax", "leaf"]
    assert [warning.id for warning in found.summary["warnings"]] == ["piece.gone"]
    np.testing.assert_array_equal(found.piece, mesh.slots)


def test_a_slot_may_say_its_material() -> None:
    made = of([(block((1.0, 1.0, 1.0), (4, 4, 4)), "Thing", SlotLabel("Oak", made_of="foam"))])
    assert made.made[0].material == "foam" and made.made[0].reason.id == "material.by_blender"
    assert made.decides and made.provider == "elastic"


def test_what_bends_and_has_no_vertex_of_its_own_is_rigid_with_the_rest() -> None:
    """A band of leaves around a block of glass: all its vertices are the glass's too."""
    vertices, triangles = block((1.0, 1.0, 1.0), (3, 3, 3))
    band = np.abs(vertices[triangles][..., 2].mean(axis=1) - vertices[:, 2].mean()) < 0.17
    slots = band.astype(np.int64)
    labels = Labels(0 * slots, ("",), {0: GLASS, 1: LEAVES})
    analysis = engine.analyze(vertices, triangles, slots=slots, labels=labels)
    assert set(analysis.composition.behaviours) == {"rigid", "soft"} and analysis.provider == "rigid"


@pytest.mark.parametrize(("support", "place"), [("base", "min"), ("hung", "max")])
def test_a_support_that_is_given_counts_over_a_floor_and_among_others(support: str, place: str) -> None:
    soft = _analysis(labelled([(block((0.4, 0.4, 1.0), (3, 3, 6)), "Thing", SlotLabel("Foam"))]))
    given = {"frames": 2, "support": support, "ground": {"height": -3.0}}
    height = soft.mesh.vertices[:, 2]
    for count in (1, 2):
        take = engine.prepare([soft] * count, [given] * count)
        assert all(member.summary["anchored"] for member in take.members)
        handles = [frames[0].handles for frames in take.frames(lambda: False)]
        places = decode_frames(soft.mesh.vertices, take.members[0].motion.weights, handles)
        still = np.abs(height - getattr(height, place)()) < 1e-9
        assert np.abs(places[-1] - soft.mesh.vertices)[still].max() < 1e-6


def test_behaviour_decides_how_it_moves() -> None:
    analysis = _analysis(table())
    assert analysis.provider == "rigid" and analysis.reasons[0].id == "reason.nothing_bends"
    soft = {"pieces": [{"which": number, "material": "foam"} for number in range(3)]}
    assert _suited(analysis, soft).provider == "elastic"
    assert _suited(analysis, {"stiffness_hz": 3.0}).provider == "elastic"  # who says so wants it to bend


@pytest.mark.parametrize(
    ("piece", "code"),
    [
        ({"which": "Leg 9"}, "bad_piece.unknown"),
        ({"which": 7}, "bad_piece.number"),
        ({"which": {"vertices": [0]}}, "bad_piece.no_face"),
        ({"which": {"vertices": [100_000]}}, "bad_piece.vertices"),
        ({"which": {"faces": [-1]}}, "bad_piece.faces"),
        ({"which": {"faces": [100_000]}}, "bad_piece.faces"),
    ],
)
def test_pieces_that_are_not_there(potted: engine.Analysis, piece: dict[str, Any], code: str) -> None:
    with pytest.raises(UserError) as caught:
        _suited(potted, {"pieces": [{**piece, "density": 1.0}]})
    assert caught.value.text.id == code


@pytest.mark.parametrize(
    "wrong",
    [
        {"pieces": [{"which": 1.5, "density": 2.0}]},
        {"pieces": [{"which": "Glass"}]},
        {"pieces": [{"which": "Glass", "name": "Pane", "density": 2.0}]},
        {"pieces": [{"which": {"faces": []}}]},
        {"pieces": [{"which": "Glass", "behaviour": "limp"}]},
        {"support": "nail"},
        {"damping": 0.0},
        {"stiffness": 0.0},
    ],
)
def test_wrong_conditions_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(UserError):
        read_conditions(wrong)


def test_what_stands_by_itself_stands_until_it_is_pushed() -> None:
    """A table of glass and oak: still in a light wind, and pushed at its top it slides or tips."""
    analysis = _analysis(table())

    def moved_by(**acting: Any) -> float:
        take = engine.prepare([analysis], [{"frames": 25, **acting}])
        frames = [frame.handles[0, :, 3] for (frame,) in take.frames(lambda: False)]
        return float(np.linalg.norm(frames[-1] - frames[0]))

    assert moved_by(wind={"velocity": [3.0, 0.0, 0.0]}) < 0.005
    assert moved_by(pokes=[{"point": [0.0, 0.0, 0.72], "speed": [0.0, 1.3, 0.0]}]) > 0.05


def test_stiffness_is_a_factor(potted: engine.Analysis) -> None:
    """Frequencies go with the square root of Young's modulus."""

    def frequency(**given: Any) -> float:
        conditions = potted.made_of(read_conditions(given))
        body = potted.body(conditions, np.flatnonzero(potted.mesh.vertices[:, 2] < 0.01))
        return potted.model.forces(body, conditions).frequency

    assert frequency(stiffness=0.01) == pytest.approx(0.1 * frequency(), rel=1e-6)


def test_analyze_tells_pieces_and_support(tmp_path: Path) -> None:
    mesh = table()
    rows = ["o Table", *(f"v {x} {y} {z}" for x, y, z in mesh.vertices)]
    for slot in range(2):
        rows.append("usemtl " + ("Oak", "Glass")[slot])
        rows += ["f " + " ".join(str(corner + 1) for corner in face) for face in mesh.triangles[mesh.slots == slot]]
    (tmp_path / "table.obj").write_text("\n".join(rows))
    found = json.loads(backend_here("analyze", tmp_path / "table.obj", "--json").stdout)
    assert [piece["name"] for piece in found["pieces"]] == ["Oak", "Glass"]
    keys = {"name", "faces", "share", "material", "probability", "behaviour", "density", "young", "poisson", "yield"}
    keys |= {"friction", "thickness"}
    assert all(keys <= set(piece) for piece in found["pieces"])
    assert found["pieces"][0]["reason"] == "From the name of its material: Oak."
    assert found["support"] == "floor" and 0.8 < found["size_guess"] < 1.8
    text = backend_here("analyze", tmp_path / "table.obj").stdout
    assert "piece Oak" in text and "rigid" in text


def test_names_come_with_a_request() -> None:
    header = {"type": "analyze", "labels": {"object": "Chair", "slots": [{"name": "Oak", "shader": {"alpha": 0.5}}]}}
    faces = np.zeros((4, 3), dtype=np.int32)
    told = labels_of(Message(header, {"triangles": faces}))
    assert told["name"] == "Chair" and told["labels"].object_names == ("Chair",)
    assert told["labels"].slots == {0: SlotLabel("Oak", {"alpha": 0.5})} and len(told["labels"].objects) == 4
    for wrong in (None, {}, {"object": "Chair", "slots": [{"name": "Oak"}]}, {"object": "Chair", "slots": [3]}):
        with pytest.raises(UserError, match="names that cannot be read"):
            labels_of(Message({"type": "analyze", "labels": wrong}, {"triangles": faces}))
