"""The job that runs in the worker process, seen from Blender's side; nothing in here needs Blender."""
