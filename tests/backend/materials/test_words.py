"""Materials that names tell."""

from __future__ import annotations

import numpy as np
import pytest

from backend.materials.table import material_named, material_names
from backend.materials.words import told_by, words_of


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("GlassPlastic_low.001", ["glass", "plastic", "low"]),
        ("HTMLTable", ["html", "table"]),
        ("Stuhl-Füße", ["stuhl", "fusse"]),
        ("", []),
    ],
)
def test_names_fall_into_words(name, words):
    assert words_of(name) == words


@pytest.mark.parametrize(
    ("name", "material"),
    [
        ("DarkWood_02", "wood"),
        ("Stahl_dunkel", "metal"),
        ("verre", "glass"),
        ("Cuero.001", "leather"),
        ("lightsteel", "metal"),
        ("TreeLeaves", "leaf"),
        ("Vorhangstoff", "fabric"),
        ("Wood Glass", "glass"),  # the last word says what it is
        ("caoutchouc", "rubber"),
    ],
)
def test_a_name_tells_its_material(name, material):
    evidence = told_by(name)
    assert material_names()[int(evidence.argmax())] == material and evidence.max() >= 0.5


@pytest.mark.parametrize("name", ["rocket", "Material.003", "chair_leg", "phong1SG", "x", ""])
def test_other_names_tell_nothing(name):
    assert not told_by(name).any()


def test_both_materials_of_a_mixed_name_are_told():
    evidence = dict(zip(material_names(), told_by("RubberWoodMat"), strict=True))
    assert evidence["wood"] == 1.0 and 0.5 < evidence["rubber"] < 1.0


def test_a_word_with_two_meanings_speaks_for_both():
    evidence = told_by("plush mousse")
    assert 1 <= np.count_nonzero(evidence) <= 3


def test_every_material_has_its_own_name_among_its_words():
    for name in material_names():
        assert name in material_named(name).words.split()
        assert material_names()[int(told_by(name).argmax())] == name
