"""Joint search in a static mesh: its parts, joint candidates by simulation, and their ranking."""

from .search import FoundJoints, JointAlternative, find_joints

__all__ = ["FoundJoints", "JointAlternative", "find_joints"]
