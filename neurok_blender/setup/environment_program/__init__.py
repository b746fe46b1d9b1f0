"""A program of its own, run by Blender's Python: makes, checks and removes the environment of the GPU backend."""
