"""Kinematics providers: how a mesh can move. Each is one file here, and one entry in `registry`."""
