"""Materials of pieces from their names, their shaders and their shapes."""

from __future__ import annotations

import pytest

from backend.errors import UserError
from backend.materials.clues import Clues, PieceShape, Shader
from backend.materials.table import material_names
from backend.texts import Text
from backend.understanding.piece_materials import as_material, recognise_materials

BLOCK = PieceShape((1.0, 1.0, 1.0), (0.5, 0.5, 0.5), 1.0, 1.0, 0.1, 0.0)
CLOTH = PieceShape((1.0, 1.0, 0.1), (0.5, 0.5, 0.5), 1.0, 1.0, 0.001, 0.2)


def one(clues: Clues, name: str = ""):
    (found,) = recognise_materials([clues], name)
    return found


def test_the_name_of_the_material_counts_most():
    found = one(Clues(BLOCK, node="WoodenTable", material="Glass"), "Table")
    assert found.material == "glass" and found.probability > 0.7
    assert str(found.reason) == "From the name of its material: Glass."


def test_then_the_group_and_the_node():
    assert one(Clues(BLOCK, material="Material.003", groups=("Polster",))).material == "fabric"
    found = one(Clues(BLOCK, node="stone_wall", material="_defaultMat"))
    assert found.material == "stone" and found.reason.id == "material.by_object"


def test_cloth_is_a_sheet_and_a_cushion_is_soft():
    sheet, cushion = one(Clues(CLOTH, material="Fabric")), one(Clues(BLOCK, material="Fabric"))
    assert (sheet.behaviour, cushion.behaviour) == ("sheet", "soft")
    assert cushion.young < 1e6 < sheet.young and cushion.density < sheet.density


def test_values_are_those_of_the_table():
    found = one(Clues(BLOCK, material="Steel"))
    assert (found.behaviour, found.thin, found.density, found.young) == ("rigid", False, 7800, 200e9)
    assert found.friction_angle is None and found.yield_stress == 200e6


def test_a_shader_that_lets_light_through_is_glass():
    assert one(Clues(BLOCK, shader=Shader(transmission=1.0)), "cup").material == "glass"


def test_probabilities_add_up_and_say_how_little_is_known():
    unknown = one(Clues(BLOCK, material="Material.003"))
    assert unknown.probabilities.sum() == pytest.approx(1.0) and len(unknown.probabilities) == len(material_names())
    assert unknown.probability < 0.4 and unknown.reason.id == "material.by_look"


def test_what_somebody_says_is_certain():
    found = as_material("denim", Clues(CLOTH), Text("material.by_material", name="Jeans"))
    assert (found.material, found.probability, found.behaviour) == ("denim", 1.0, "sheet")
    with pytest.raises(UserError, match="no material 'air'"):
        as_material("air", Clues(CLOTH), Text("material.by_look"))
