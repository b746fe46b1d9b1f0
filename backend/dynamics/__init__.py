"""Lagrangian dynamics in the coordinates of a kinematics provider. NumPy float64 only."""
