"""Simulation: from the conditions of every object to a world, and its takes."""
