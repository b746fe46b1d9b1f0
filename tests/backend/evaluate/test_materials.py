"""The evaluation of materials: its figures can be told, and follow what is right and wrong."""

from __future__ import annotations

import json
from argparse import Namespace
from pathlib import Path

import numpy as np
import pytest

from backend.data.named_parts import NamedPart
from backend.errors import UserError
from backend.evaluate.materials import _net_without, _shares, _widened, evaluate_materials, materials_table
from backend.materials.clues import Clues, PieceShape
from backend.materials.table import material_names

BLOCK = PieceShape((1.0, 1.0, 1.0), (0.5, 0.5, 0.5), 1.0, 1.0, 0.1, 0.0)


def certain(name: str, probability: float) -> np.ndarray:
    """So sure of one material, and of no other more than of all."""
    rest = (1.0 - probability) / (len(material_names()) - 1)
    return np.where(np.array(material_names()) == name, probability, rest)


def test_shares_count_what_is_right():
    parts = [NamedPart("a", "x", Clues(BLOCK), material, material) for material in ("wood", "leaf", "metal", "glass")]
    guesses = [
        _widened(certain(name, sure)) for name, sure in (("wood", 0.95), ("plant", 0.6), ("wood", 0.95), ("glass", 0.3))
    ]
    row = _shares(parts, guesses)
    assert row["first"] == 0.75 and row["sure"] == 0.5 and row["right_where_sure"] == 0.5


def test_kinds_of_a_material_count_as_that():
    widened = _widened(certain("silk", 1.0))
    assert widened[material_names().index("fabric")] == 1.0 and widened.sum() == 1.0


def test_things_that_training_has_not_seen_are_measured(tmp_path: Path):
    options = Namespace(weights=None, runs=None, count=25, data=[tmp_path], limit=None)
    found = json.loads(json.dumps(evaluate_materials(options)))
    assert found["things"]["first"] > found["things_without_names"]["first"]
    assert found["things"]["behaviour"] > 0.8 and found["things"]["size_told"] > 0.5
    assert "procedural things:" in materials_table(found)


def test_parts_are_measured_by_a_net_that_has_not_seen_them(tmp_path: Path):
    with pytest.raises(UserError, match="no weights of nets"):
        _net_without("a/b", tmp_path)
    for name in ("without_a+b", "without_others"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "model.safetensors").touch()
    assert _net_without("a/b", tmp_path).parent.name == "without_a+b"
    assert _net_without("c/d", tmp_path).parent.name == "without_others"
