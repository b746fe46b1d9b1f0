"""Geometry: triangle meshes, the material cloud sampled from them, and proximity queries."""

from .material import MaterialCloud, sample_material
from .mesh import MAXIMUM_VERTICES, Mesh, triangle_areas, validate_mesh

__all__ = ["MAXIMUM_VERTICES", "MaterialCloud", "Mesh", "sample_material", "triangle_areas", "validate_mesh"]
