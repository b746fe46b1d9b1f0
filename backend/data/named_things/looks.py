"""How artists draw and name things: colours of materials, exporters' shader values, names of materials and of nodes."""

from __future__ import annotations

import colorsys

import numpy as np

from ...materials.clues import Shader
from ...materials.table import material_named

__all__ = ["EXPORTERS", "Habits", "decorated", "random_habits", "random_shader"]

# Hue, saturation and value by material, as ranges; several where it comes in several colours.
_COLOURS: dict[str, tuple[tuple[float, float, float, float, float, float], ...]] = {
    "wood": ((0.03, 0.12, 0.3, 0.85, 0.2, 0.8),),
    "metal": ((0.0, 1.0, 0.0, 0.12, 0.1, 0.85), (0.0, 1.0, 0.0, 0.1, 0.3, 0.7), (0.09, 0.15, 0.5, 0.9, 0.6, 0.95)),
    "glass": ((0.45, 0.65, 0.1, 0.7, 0.5, 1.0), (0.0, 1.0, 0.0, 0.1, 0.8, 1.0), (0.0, 1.0, 0.0, 0.2, 0.05, 0.3)),
    "stone": ((0.0, 1.0, 0.0, 0.15, 0.25, 0.75), (0.04, 0.12, 0.1, 0.4, 0.3, 0.7), (0.55, 0.65, 0.05, 0.3, 0.3, 0.6)),
    "granite": ((0.0, 1.0, 0.0, 0.1, 0.25, 0.6),),
    "marble": ((0.0, 1.0, 0.0, 0.08, 0.7, 1.0),),
    "ceramic": ((0.0, 1.0, 0.0, 0.1, 0.75, 1.0), (0.02, 0.07, 0.4, 0.75, 0.4, 0.8), (0.0, 1.0, 0.3, 0.8, 0.3, 0.9)),
    "plant": ((0.2, 0.42, 0.35, 0.95, 0.25, 0.8), (0.1, 0.2, 0.4, 0.8, 0.5, 0.9), (0.8, 1.0, 0.4, 0.9, 0.6, 1.0)),
    "leaf": ((0.2, 0.42, 0.35, 0.95, 0.25, 0.8), (0.0, 0.14, 0.6, 0.95, 0.5, 1.0)),
    "soil": ((0.04, 0.1, 0.3, 0.75, 0.15, 0.6), (0.1, 0.14, 0.2, 0.5, 0.7, 0.95), (0.5, 0.6, 0.0, 0.1, 0.85, 1.0)),
    "flesh": ((0.02, 0.09, 0.2, 0.65, 0.35, 0.98), (0.0, 1.0, 0.2, 0.8, 0.3, 0.9)),
    "fur": ((0.03, 0.12, 0.2, 0.8, 0.05, 0.6), (0.0, 1.0, 0.0, 0.1, 0.05, 1.0)),
    "fabric": ((0.0, 1.0, 0.2, 0.9, 0.2, 0.95), (0.0, 1.0, 0.0, 0.15, 0.1, 1.0)),
    "leather": ((0.02, 0.09, 0.3, 0.8, 0.1, 0.5), (0.0, 1.0, 0.0, 0.1, 0.03, 0.2)),
    "rubber": ((0.0, 1.0, 0.0, 0.15, 0.02, 0.25),),
    "plastic": ((0.0, 1.0, 0.4, 1.0, 0.4, 1.0), (0.0, 1.0, 0.0, 0.1, 0.02, 0.4), (0.0, 1.0, 0.0, 0.08, 0.7, 1.0)),
    "paper": ((0.1, 0.15, 0.0, 0.3, 0.8, 1.0), (0.0, 1.0, 0.4, 0.9, 0.2, 0.8)),
    "cardboard": ((0.07, 0.11, 0.3, 0.6, 0.5, 0.8),),
    "food": ((0.0, 0.17, 0.4, 0.95, 0.4, 1.0), (0.2, 0.35, 0.5, 0.9, 0.4, 0.8)),
    "wax": ((0.1, 0.15, 0.05, 0.4, 0.8, 1.0), (0.0, 1.0, 0.3, 0.8, 0.5, 0.9)),
    "cork": ((0.07, 0.11, 0.3, 0.6, 0.5, 0.8),),
    "foam": ((0.1, 0.16, 0.1, 0.6, 0.8, 1.0), (0.0, 1.0, 0.0, 0.1, 0.1, 0.5)),
}
_ANY = ((0.0, 1.0, 0.0, 1.0, 0.1, 1.0),)
_ODD_COLOUR, _TEXTURED = 0.12, 0.25  # how often a colour says nothing, and how often it is an image
EXPORTERS = ((0.0, 0.5), (0.4, 0.415), (0.0, 1.0), (1.0, 0.5), (0.0, 0.69), (0.0, 0.9))  # metallic, roughness
_DEFAULTS = 0.65  # how often these are those of an exporter

_PREFIXES = ("Dark", "Light", "dark_", "M_", "mat_", "old_", "red", "white ", "Black")
_SUFFIXES = ("Mat", "_01", ".001", "_low", "Material", "Dark", "Light", "_2", "_base", " 3", "Shader")
_NAMELESS = ("Material.003", "Material", "texture", "Atlas", "phong1SG", "_defaultMat", "lambert2", "None", "Mat01")
_NODELESS = ("Cube.001", "Mesh_12", "Group 33", "Cylinder", "Object_4", "polySurface7", "Plane.002", "Sphere")
_HUES = ("Red", "Orange", "Yellow", "Green", "Green", "Cyan", "Blue", "Blue", "Purple", "Pink")


class Habits:
    """How one artist names: nodes by the object, by parts or not at all; materials by what they are, or otherwise."""

    def __init__(self, nodes: str, materials: str, exporter: tuple[float, float] | None) -> None:
        self._nodes, self._materials, self.exporter = nodes, materials, exporter

    def node(self, rng: np.random.Generator, thing: str, part: str) -> str:
        """The name of the node of a part."""
        if self._nodes == "none":
            return str(rng.choice(_NODELESS))
        joined = f"{thing}_{part}" if rng.random() < 0.5 else f"{thing}{part.capitalize()}"
        return decorated(rng, {"thing": thing, "part": part, "both": joined}[self._nodes])

    def material(self, rng: np.random.Generator, material: str, part: str, shader: Shader) -> str:
        """The name of the material of a part."""
        if self._materials == "none":
            return str(rng.choice(_NAMELESS))
        if self._materials == "colour":
            return decorated(rng, _colour_name(shader.colour))
        words = material_named(material).words.split()
        # The first words are the material's own, the rest things that are made of it.
        word = words[int(len(words) * rng.random() ** 2)]
        return decorated(rng, part if self._materials == "part" else word)


def random_habits(rng: np.random.Generator) -> Habits:
    nodes = rng.choice(["thing", "part", "both", "none"], p=[0.45, 0.25, 0.2, 0.1])
    materials = rng.choice(["material", "colour", "part", "none"], p=[0.4, 0.25, 0.15, 0.2])
    exporter = EXPORTERS[rng.integers(len(EXPORTERS))] if rng.random() < _DEFAULTS else None
    return Habits(str(nodes), str(materials), exporter)


def decorated(rng: np.random.Generator, name: str) -> str:
    """A name with the number, the case and the additions that it may have in a file."""
    if rng.random() < 0.4:
        name = name.capitalize()
    if rng.random() < 0.2:
        name = f"{rng.choice(_PREFIXES)}{name}"
    if rng.random() < 0.35:
        name = f"{name}{rng.choice(_SUFFIXES)}"
    return name


def random_shader(rng: np.random.Generator, material: str, exporter: tuple[float, float] | None) -> Shader:
    """What a part of this material is drawn with."""
    ranges = _ANY if rng.random() < _ODD_COLOUR else _COLOURS.get(material, _ANY)
    low_hue, high_hue, low, high, dark, light = ranges[int(len(ranges) * rng.random() ** 1.5)]
    drawn = colorsys.hsv_to_rgb(rng.uniform(low_hue, high_hue), rng.uniform(low, high), rng.uniform(dark, light))
    red, green, blue = (value**2.2 for value in drawn)
    seen_through = material == "glass" and rng.random() < 0.5
    if exporter is not None:
        metallic, roughness = exporter
    else:
        metallic = float(material == "metal") if rng.random() < 0.9 else rng.random()
        smooth = material in {"glass", "ceramic", "metal", "plastic", "marble"}
        roughness = rng.uniform(0.0, 0.5) if smooth else rng.uniform(0.4, 1.0)
    return Shader(
        metallic=float(metallic),
        roughness=float(roughness),
        transmission=float(seen_through and rng.random() < 0.5),
        alpha=float(rng.uniform(0.1, 0.6)) if seen_through and rng.random() < 0.7 else 1.0,
        colour=None if rng.random() < _TEXTURED else (red, green, blue),
    )


def _colour_name(colour: tuple[float, float, float] | None) -> str:
    if colour is None:
        return "texture"
    hue, saturation, value = colorsys.rgb_to_hsv(*(each ** (1.0 / 2.2) for each in colour))
    if value < 0.2:
        return "Black"
    if saturation < 0.15:
        return "White" if value > 0.85 else "Grey"
    if 0.02 < hue < 0.12 and value < 0.65:
        return "Brown"
    return _HUES[int(hue * len(_HUES)) % len(_HUES)]
