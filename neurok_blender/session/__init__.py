"""What one Blender process holds and runs: the worker, analyses, simulations, interactive sessions."""
