"""Materials as UsdPreviewSurface: colour, metal, roughness, opacity and glow; and texture coordinates."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .appearance import MaterialLibrary, Part
from .usd_names import display_name, prim_name

if TYPE_CHECKING:
    from pxr import Usd, UsdGeom, UsdShade

__all__ = ["UsdMaterials"]


class UsdMaterials:
    """The materials of one object, each defined when it is first used. Images are left out: .usdc cannot hold any."""

    def __init__(self, stage: Usd.Stage, scope: str, library: MaterialLibrary | None) -> None:
        self._stage, self._scope = stage, scope
        self._entries = [] if library is None else library.materials
        self._made: dict[int, UsdShade.Material] = {}
        self._names: set[str] = set()

    def assign(self, mesh: UsdGeom.Mesh, part: Part, triangles: slice, vertices: slice) -> None:
        """Binds the materials of a part and gives its mesh the texture coordinates; triangles are those of the part."""
        from pxr import UsdGeom, UsdShade, Vt

        corners = np.array(mesh.GetFaceVertexIndicesAttr().Get()) + vertices.start
        self._coordinates(mesh, part, triangles, corners)
        used = {each.material for each in part.primitives}
        if used == {None}:
            return
        prim = mesh.GetPrim()
        UsdShade.MaterialBindingAPI.Apply(prim)
        if len(used) == 1:
            UsdShade.MaterialBindingAPI(prim).Bind(self._material(part.primitives[0].material))
            return
        for material in sorted(number for number in used if number is not None):
            faces = [
                np.arange(each.triangles.start - triangles.start, each.triangles.stop - triangles.start)
                for each in part.primitives
                if each.material == material
            ]
            made = self._material(material)
            subset = UsdGeom.Subset.CreateGeomSubset(
                mesh,
                made.GetPrim().GetName(),
                UsdGeom.Tokens.face,
                Vt.IntArray.FromNumpy(np.concatenate(faces).astype(np.int32)),
                UsdShade.Tokens.materialBind,
                UsdGeom.Tokens.partition if None not in used else UsdGeom.Tokens.nonOverlapping,
            )
            UsdShade.MaterialBindingAPI.Apply(subset.GetPrim()).Bind(made)

    def _coordinates(self, mesh: UsdGeom.Mesh, part: Part, triangles: slice, vertices: np.ndarray) -> None:
        """For the corners of all faces, of which `vertices` Int[3F] says where they are: primitives that share
        vertices need not share coordinates. v is upward, as USD has it.
        """
        from pxr import Sdf, UsdGeom, Vt

        names = sorted({name for each in part.primitives for name in each.attributes if name.startswith("TEXCOORD_")})
        for name in names:
            corners = np.zeros((len(vertices), 2), dtype=np.float32)
            for each in part.primitives:
                if name not in each.attributes:
                    continue
                own = slice(3 * (each.triangles.start - triangles.start), 3 * (each.triangles.stop - triangles.start))
                values = each.attributes[name][vertices[own] - each.vertices.start]
                corners[own] = values * np.float32([1.0, -1.0]) + np.float32([0.0, 1.0])
            number = name.removeprefix("TEXCOORD_")
            primvar = UsdGeom.PrimvarsAPI(mesh).CreatePrimvar(
                "st" if number == "0" else f"st{number}", Sdf.ValueTypeNames.TexCoord2fArray, UsdGeom.Tokens.faceVarying
            )
            primvar.Set(Vt.Vec2fArray.FromNumpy(corners))

    def _material(self, number: int) -> UsdShade.Material:
        from pxr import Gf, Sdf, UsdGeom, UsdShade

        if number in self._made:
            return self._made[number]
        if not self._made:
            UsdGeom.Scope.Define(self._stage, self._scope)
        entry = self._entries[number]
        title = str(entry.get("name") or f"Material {number + 1}")
        material = UsdShade.Material.Define(self._stage, f"{self._scope}/{prim_name(title, self._names)}")
        material.GetPrim().SetDisplayName(display_name(title))
        shader = UsdShade.Shader.Define(self._stage, material.GetPath().AppendChild("Surface"))
        shader.CreateIdAttr("UsdPreviewSurface")
        surface = _surface(entry)
        for name, value in surface.items():
            kind = Sdf.ValueTypeNames.Float if isinstance(value, float) else Sdf.ValueTypeNames.Color3f
            shader.CreateInput(name, kind).Set(value if isinstance(value, float) else Gf.Vec3f(*value))
        material.CreateSurfaceOutput().ConnectToSource(shader.ConnectableAPI(), "surface")
        self._made[number] = material
        return material


def _surface(entry: dict[str, Any]) -> dict[str, float | list[float]]:
    """The inputs of a UsdPreviewSurface for a material of glTF; colours are linear in both."""
    metal = entry.get("pbrMetallicRoughness")
    metal = metal if isinstance(metal, dict) else {}
    colour = _numbers(metal.get("baseColorFactor"), [1.0, 1.0, 1.0, 1.0])
    inputs: dict[str, float | list[float]] = {
        "diffuseColor": colour[:3],
        "metallic": _numbers([metal.get("metallicFactor")], [1.0])[0],
        "roughness": _numbers([metal.get("roughnessFactor")], [1.0])[0],
        "emissiveColor": _numbers(entry.get("emissiveFactor"), [0.0, 0.0, 0.0]),
    }
    if entry.get("alphaMode") in ("BLEND", "MASK"):
        inputs["opacity"] = colour[3]
    if entry.get("alphaMode") == "MASK":
        inputs["opacityThreshold"] = _numbers([entry.get("alphaCutoff")], [0.5])[0]
    return inputs


def _numbers(values: Any, default: list[float]) -> list[float]:
    """As many numbers as the default has, or the default."""
    try:
        found = [float(value) for value in values]
    except (TypeError, ValueError):
        return default
    return found if len(found) == len(default) else default
