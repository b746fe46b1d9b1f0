"""Blender's data for the backend and back: meshes, conditions, previews, bakes."""
