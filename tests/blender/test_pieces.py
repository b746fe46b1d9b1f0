"""Pieces of an object: what the analysis finds, what is said of them, and how that goes to the backend."""

import sys

import bmesh
import bpy
import numpy as np
import pytest

from tests.blender.helpers import add_ball, wait_until

MIDDLE = 0.15  # the faces of the widest ring reach from -0.22 to 0.22, the next ones from there


@pytest.fixture
def watch(scene, monkeypatch):
    """Watches an object as the panel does, until the rows are those of a new analysis."""
    from neurok_blender.session.background_analysis import background_analysis
    from neurok_blender.session.piece_rows import show_rows

    monkeypatch.setattr(sys.modules["neurok_blender.session.background_analysis"], "CALM_SECONDS", 0.02)
    background_analysis.forget()

    def found(obj):
        before = background_analysis.finding_of(obj)
        background_analysis.watch(obj)

        def is_new() -> bool:
            background_analysis.tick()
            now = background_analysis.finding_of(obj)
            return not background_analysis.is_analyzing and now is not None and now is not before

        assert wait_until(is_new, 30.0)
        show_rows(obj)
        now = background_analysis.finding_of(obj)
        assert now.summary is not None, now
        return now.summary

    yield found
    background_analysis.forget()


def rows() -> list[str]:
    return sorted(row.name for row in bpy.context.window_manager.neurok.pieces)


def add_pot() -> bpy.types.Object:
    """A ball, its lower half of a material called Clay Pot, its upper half Leaves."""
    ball = add_ball("Plant")
    for name in ("Clay Pot", "Leaves"):
        ball.data.materials.append(bpy.data.materials.new(name))
    for polygon in ball.data.polygons:
        polygon.material_index = int(polygon.center.z > MIDDLE)
    return ball


def number_of(name: str, summary) -> int:
    return [piece["name"] for piece in summary["pieces"]].index(name)


def materials(summary) -> dict[str, str]:
    return {piece["name"]: piece["material"] for piece in summary["pieces"]}


def test_pieces_and_their_materials_are_found(watch):
    from neurok_blender.properties.material_menu import material_menu
    from neurok_blender.session.background_analysis import background_analysis
    from neurok_blender.session.piece_rows import blender_material

    pot = add_pot()
    assert materials(watch(pot)) == {"Clay Pot": "ceramic", "Leaves": "leaf"}
    assert rows() == ["Clay Pot", "Leaves"] and len(pot.neurok.pieces) == 0
    finding = background_analysis.finding_of(pot)
    upper = finding.shape.evaluated[finding.shape.triangles][..., 2].mean(axis=1) > MIDDLE
    assert finding.piece.dtype == np.int32 and np.array_equal(
        finding.piece == number_of("Leaves", finding.summary), upper
    )
    assert blender_material(pot, "Leaves").name == "Leaves"
    assert len(material_menu.entries) == 24 and material_menu.title("leaf") == "Leaf"
    assert ("RUBBER", "Rubber (1,150 kg/m³)") in [item[:2] for item in material_menu.items()]


def test_a_material_is_said_in_one_step_and_taken_back(watch):
    pot = add_pot()
    bpy.ops.ed.undo_push(message="Begin")
    watch(pot)
    name = pot.name
    assert bpy.ops.neurok.piece_material("EXEC_DEFAULT", True, piece="Leaves", material="RUBBER") == {"FINISHED"}
    assert bpy.ops.neurok.piece_behaviour("EXEC_DEFAULT", True, piece="Leaves", behaviour="SOFT") == {"FINISHED"}
    from neurok_blender.api import conditions

    said = {"which": "Leaves", "material": "rubber", "behaviour": "soft"}
    assert conditions(pot)["pieces"] == [said]
    summary = watch(pot)
    assert materials(summary) == {"Clay Pot": "ceramic", "Leaves": "rubber"} and summary["provider"] == "composed"
    assert bpy.ops.ed.undo() == {"FINISHED"}
    pot = bpy.data.objects[name]
    assert [(each.material, each.behaviour) for each in pot.neurok.pieces] == [("rubber", "AUTO")]
    assert bpy.ops.neurok.piece_reset(piece="Leaves") == {"FINISHED"}
    assert "pieces" not in conditions(pot) and materials(watch(pot))["Leaves"] == "leaf"


def test_what_is_said_survives_saving_and_a_rename_of_the_material_is_told(watch, tmp_path):
    pot = add_pot()
    watch(pot)
    bpy.ops.neurok.piece_material(piece="Leaves", material="METAL")
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "pot.blend"))
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "pot.blend"))
    pot = bpy.context.active_object
    assert materials(watch(pot))["Leaves"] == "metal"
    bpy.data.materials["Leaves"].name = "Fronds"
    summary = watch(pot)
    assert "Fronds" in materials(summary) and materials(summary)["Fronds"] != "metal"
    assert rows() == ["Clay Pot", "Fronds", "Leaves"]
    assert [warning["id"] for warning in summary["warnings"]] == ["piece.gone"]


def select_cap(mesh) -> int:
    edited = bmesh.from_edit_mesh(mesh)
    edited.select_mode = {"FACE"}
    for face in edited.faces:
        face.select_set(face.calc_center_median().z > 0.6)
    bmesh.update_edit_mesh(mesh)
    return sum(face.select for face in edited.faces)


def test_selected_faces_become_a_piece(watch):
    from neurok_blender.session.background_analysis import background_analysis

    pot = add_pot()
    watch(pot)
    bpy.ops.object.mode_set(mode="EDIT")
    count = select_cap(pot.data)
    assert bpy.ops.neurok.piece_assign(material="METAL") == {"FINISHED"}
    bpy.ops.object.mode_set(mode="OBJECT")
    summary = watch(pot)
    assert materials(summary) == {"Clay Pot": "ceramic", "Leaves": "leaf", "Metal": "metal"}
    finding = background_analysis.finding_of(pot)
    faces = np.array([polygon.center.z > 0.6 for polygon in pot.data.polygons])
    corners = np.array([polygon.loop_total for polygon in pot.data.polygons])
    assert count == faces.sum() and np.array_equal(
        finding.piece == number_of("Metal", summary), np.repeat(faces, corners - 2)
    )
    pot.neurok.pieces["Metal"].name = "Lid"  # as typed into the list
    assert materials(watch(pot))["Lid"] == "metal"
    assert bpy.ops.neurok.piece_reset(piece="Lid") == {"FINISHED"}
    assert materials(watch(pot)) == {"Clay Pot": "ceramic", "Leaves": "leaf"}


def test_nothing_selected_is_no_piece(watch):
    pot = add_pot()
    watch(pot)
    bpy.ops.object.mode_set(mode="EDIT")
    bpy.ops.mesh.select_all(action="DESELECT")
    with pytest.raises(RuntimeError, match="No faces are selected"):
        bpy.ops.neurok.piece_assign(material="METAL")
    bpy.ops.object.mode_set(mode="OBJECT")
    assert ".neurok_piece" not in pot.data.attributes and len(pot.neurok.pieces) == 0


def test_a_blender_material_is_tied_for_the_whole_file(watch):
    first, second = add_pot(), add_ball("Other", location=(5.0, 0.0, 0.0))
    second.data.materials.append(bpy.data.materials["Leaves"])
    bpy.context.view_layer.objects.active = first
    watch(first)
    bpy.ops.neurok.piece_material(piece="Leaves", material="LEATHER")
    assert bpy.ops.neurok.piece_tie(piece="Leaves") == {"FINISHED"}
    assert bpy.data.materials["Leaves"].neurok.made_of == "leather"
    bpy.context.view_layer.objects.active = second
    summary = watch(second)
    assert summary["pieces"][0]["material"] == "leather"
    assert summary["pieces"][0]["reason"] == {"id": "material.by_blender", "args": {"name": "Leaves"}}
    bpy.ops.neurok.piece_tie(piece="Leaves")
    assert bpy.data.materials["Leaves"].neurok.made_of == ""
    assert watch(second)["pieces"][0]["material"] == "leaf"


def test_what_is_said_decides_how_it_moves(watch):
    """Stone is rigid, foam bends: the same press, another motion."""
    from neurok_blender.api import add_condition, simulate

    def bent() -> float:
        moved = simulate(pot)[0]
        start, end = moved.positions(1), moved.positions(6)
        lengths = [np.linalg.norm(np.diff(each[[0, len(start) - 1]], axis=0)) for each in (start, end)]
        return abs(lengths[1] - lengths[0]) / lengths[0]

    pot = add_pot()
    watch(pot)
    add_condition(pot, "POKE")
    for name in ("Clay Pot", "Leaves"):
        bpy.ops.neurok.piece_material(piece=name, material="STONE")
    assert bent() < 1e-5
    for name in ("Clay Pot", "Leaves"):
        bpy.ops.neurok.piece_material(piece=name, material="FOAM")
    assert bent() > 1e-3


def test_tooltips_say_how_sure_it_is_and_why(watch):
    from neurok_blender.operators.piece_operators import NEUROK_OT_piece_material

    pot = add_pot()
    watch(pot)
    told = NEUROK_OT_piece_material.description(bpy.context, type("Properties", (), {"piece": "Leaves"}))
    assert told.startswith("Leaf (") and "% sure), soft, 750 kg/m³. From the name of its material: Leaves" in told


def test_loose_parts_are_bodies_of_their_own_where_that_is_chosen(scene):
    """Two balls of one mesh, one above the other: apart they fall on the floor and touch, as one they keep apart."""
    from neurok_blender.api import add_condition, simulate

    upper = add_ball("Upper", location=(0.3, 0.0, 4.0))
    lower = add_ball("Lower", location=(0.0, 0.0, 1.2))
    upper.select_set(True)
    bpy.ops.object.join()
    lower.neurok.provider = "AUTO"
    add_condition(lower, "GROUND", height=0.0)
    scene.neurok.frame_count = 30

    def gap() -> float:
        """Between the middles of both, m, at the end."""
        places = simulate(lower)[0].positions(30)
        half = len(places) // 2
        return float(np.linalg.norm(places[:half].mean(axis=0) - places[half:].mean(axis=0)))

    drawn = float(np.hypot(0.3, 2.8))
    lower.neurok.separate = "SEPARATE"
    assert gap() < 0.9 * drawn
    lower.neurok.separate = "JOINED"
    assert gap() == pytest.approx(drawn, rel=0.1)


@pytest.mark.parametrize(
    ("support", "expected"),
    [
        ("AUTO", {"anchor": "auto"}),
        ("FLOOR", {"anchor": "auto", "support": "floor"}),
        ("BASE", {"anchor": "auto", "support": "base"}),
        ("HUNG", {"anchor": "auto", "support": "hung"}),
        ("NONE", {"anchor": "none"}),
    ],
)
def test_the_support_goes_to_the_backend(scene, support, expected):
    from neurok_blender.api import conditions

    ball = add_ball()
    ball.neurok.anchor = support
    said = conditions(ball)
    assert {key: said[key] for key in ("anchor", "support") if key in said} == expected
