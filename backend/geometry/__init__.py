"""Geometry: from any triangle mesh to the material that moves."""

from .material import MaterialCloud, sample_material
from .mesh import MAXIMUM_VERTICES, Mesh, triangle_areas, validate_mesh

__all__ = ["MAXIMUM_VERTICES", "MaterialCloud", "Mesh", "sample_material", "triangle_areas", "validate_mesh"]
