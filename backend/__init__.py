"""NeuROK backend: everything that runs outside Blender, in a process of its own."""
