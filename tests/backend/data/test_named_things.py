"""Named things: what their descriptions say is what is drawn."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from backend.data.named_things.looks import random_habits, random_shader
from backend.data.named_things.things import THINGS, random_thing, read_things
from backend.errors import UserError
from backend.materials.table import material_named, material_names

DRAWN = [random_thing(np.random.default_rng([3, seed])) for seed in range(150)]


def test_a_description_is_read():
    (kind,) = read_things(
        "table desk*.8 | 1.4 .8 .75\n    top : wood6 glass2 : box 1 1 .05 .5 .5 .97\n    leg? : metal : legs 4 .06 .9"
    )
    assert kind.names == ("table", "desk") and kind.factors == (1.0, 0.8) and kind.size == (1.4, 0.8, 0.75)
    top, leg = kind.parts
    assert top.materials == ("wood", "glass") and top.shares == (0.75, 0.25) and not top.optional
    assert leg.optional and leg.shape == "legs" and leg.numbers == (4.0, 0.06, 0.9)


def test_an_unknown_material_is_refused_where_it_is_written():
    with pytest.raises(UserError, match="no material 'unobtainium'"):
        read_things("sword | 1 1 1\n    blade : unobtainium : box 1 1 1 .5 .5 .5")


def test_the_same_seed_gives_the_same_thing():
    one, other = (random_thing(np.random.default_rng(5)) for _ in range(2))
    assert one == other


def test_things_have_the_size_that_their_names_say():
    for thing in (each for each in DRAWN if len(each.pieces) > 2):  # a shovel without its handle is a small one
        kinds = [kind for kind in THINGS if kind.names[0] == thing.kind]
        usual = [max(kind.size) * factor for kind in kinds for factor in kind.factors]
        assert 0.2 * min(usual) < thing.size < 4.0 * max(usual), thing.name


def test_values_are_drawn_from_the_ranges_of_the_table():
    for thing in DRAWN:
        for piece in thing.pieces:
            material = material_named(piece.material)
            form = material.form(piece.thin)
            assert form.density.low <= piece.density <= form.density.high
            assert form.young.low * 0.999 <= piece.young <= form.young.high * 1.001
            assert (piece.yield_stress is None) == (material.yield_stress is None)


def test_pieces_lie_in_the_box_of_their_thing():
    for thing in DRAWN:
        assert sum(piece.clues.shape.area for piece in thing.pieces) == pytest.approx(1.0)
        for piece in thing.pieces:
            assert np.all(np.array(piece.clues.shape.centre) > -1e-9) and piece.clues.shape.diagonal <= 1.0 + 1e-9
            assert piece.clues.shape.pieces == len(thing.pieces)


def test_most_materials_appear_and_sheets_are_thin():
    materials = Counter(piece.material for thing in DRAWN for piece in thing.pieces)
    assert len(materials) >= 18 and set(materials) <= set(material_names())
    thin = [piece.thin for thing in DRAWN for piece in thing.pieces]
    assert 0.1 < np.mean(thin) < 0.6


def test_looks_speak_of_the_material_more_often_than_not():
    rng = np.random.default_rng(1)
    glass = [random_shader(rng, "glass", None) for _ in range(200)]
    assert 0.3 < np.mean([shader.alpha < 1.0 or shader.transmission > 0.0 for shader in glass]) < 0.7
    rubber = [shader.colour for shader in (random_shader(rng, "rubber", None) for _ in range(200)) if shader.colour]
    assert np.median([max(colour) for colour in rubber]) < 0.1


def test_artists_have_habits():
    rng = np.random.default_rng(2)
    shader = random_shader(rng, "wood", None)
    names = {random_habits(rng).material(rng, "wood", "leg", shader) for _ in range(200)}
    assert any("wood" in name.lower() for name in names) and "Material.003" in names
    assert any("leg" in name.lower() for name in names)
