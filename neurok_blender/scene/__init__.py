"""What passes between Blender's data and the backend: meshes, conditions, previews, bakes."""
