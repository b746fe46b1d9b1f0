"""The table of materials: complete, in SI units, and told in the documents as it is."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from backend.errors import UserError
from backend.materials.material import BEHAVIOURS, Material, Range
from backend.materials.sources import SOURCES
from backend.materials.table import material_named, material_names, register_material

PAGE = (Path(__file__).resolve().parents[3] / "docs" / "materials.md").read_text(encoding="utf-8")
ALL = [material_named(name) for name in material_names()]


def short(number: float) -> str:
    """1.2 GPa, 30 MPa, 5 kPa without the unit of length: three digits and a prefix."""
    for factor, prefix in ((1e9, " G"), (1e6, " M"), (1e3, " k")):
        if number >= factor:
            return f"{number / factor:.3g}{prefix}"
    return f"{number:.3g} "


def spread(values: Range, unit: str) -> str:
    return f"{short(values.typical)}{unit} ({short(values.low).strip()} to {short(values.high).strip()})"


def row(material: Material) -> str:
    """The line of the page about a material."""
    behaviour = material.solid.behaviour
    if material.thin is not None:
        behaviour += f"; thin: {material.thin.behaviour}"
    forms = [material.solid] if material.thin is None else [material.solid, material.thin]
    density = "; ".join(f"{form.density.typical:g} ({form.density.low:g} to {form.density.high:g})" for form in forms)
    young = "; ".join(spread(form.young, "Pa") for form in forms)
    limit = "" if material.yield_stress is None else spread(material.yield_stress, "Pa")
    if material.friction_angle is not None:
        limit = f"{limit}, {material.friction_angle.typical:g}°".strip(", ")
    cells = [
        material.name,
        behaviour,
        density,
        young,
        f"{material.poisson.typical:g}",
        limit,
        f"{material.friction.typical:g}",
        f"{material.damping.typical:g}",
        f"{1000.0 * material.thickness.typical:g}",
        ", ".join(material.sources),
    ]
    return f"| {' | '.join(cells)} |"


def test_twenty_four_materials_with_names_of_their_own():
    assert len(set(material_names())) == 24
    assert {each.solid.behaviour for each in ALL} | {each.thin.behaviour for each in ALL if each.thin} == set(
        BEHAVIOURS
    )
    assert all(each.kind_of is None or each.kind_of in material_names() for each in ALL)


@pytest.mark.parametrize("material", ALL, ids=lambda each: each.name)
def test_the_page_has_its_values(material):
    assert row(material) in PAGE


def test_the_page_has_every_source():
    assert all(f"- **{name}**: {about}" in PAGE for name, about in SOURCES.items())


@pytest.mark.parametrize("material", ALL, ids=lambda each: each.name)
def test_values_are_physical(material):
    assert material.poisson.low >= 0.0 and material.poisson.high < 0.5
    assert material.damping.low > 0.0 and material.damping.high < 1.0
    for form in (material.solid, *([material.thin] if material.thin else [])):
        assert form.density.low >= 10.0 and form.density.high < 10_000.0
        assert form.young.low >= 1e3 and form.young.high < 1e12
    if material.yield_stress is not None:
        assert material.yield_stress.high < max(material.solid.young.high, 1.0)


def test_known_bodies_weigh_what_they_weigh():
    """A litre of glass, a square metre of shirt, a sheet of office paper: 2.5 kg, .1 to .35 kg, 70 to 120 g/m^2."""
    assert 0.001 * material_named("glass").form(False).density.typical == pytest.approx(2.5)
    for name, low, high in (("fabric", 0.1, 0.35), ("paper", 0.07, 0.12), ("silk", 0.04, 0.08), ("denim", 0.35, 0.5)):
        material = material_named(name)
        assert low <= material.form(True).density.typical * material.thickness.typical <= high, name


def test_random_values_stay_in_their_range():
    values = Range(1e4, 1e5, 1e8)
    rng = np.random.default_rng(7)
    drawn = [values.drawn(rng) for _ in range(2000)]
    assert min(drawn) > 1e4 and max(drawn) < 1e8
    assert np.median(drawn) == pytest.approx(1e5, rel=0.35)  # half of them are below the typical value
    assert np.median([value for value in drawn if value > 1e5]) == pytest.approx(10.0**6.5, rel=0.35)  # by decades


def test_what_is_wrong_is_refused():
    with pytest.raises(UserError, match="no material 'vibranium'"):
        material_named("vibranium")
    with pytest.raises(ValueError, match="a material 'wood' already"):
        register_material(material_named("wood"))
    with pytest.raises(ValueError, match="no source is called 'hearsay'"):
        register_material(replace(material_named("wood"), name="balsa", sources=("hearsay",)))
    with pytest.raises(ValueError, match="does not lie between"):
        Range(1.0, 3.0, 2.0)
