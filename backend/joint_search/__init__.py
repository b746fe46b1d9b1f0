"""The joints of a static mesh: its parts, the ways in which each may move, and the likeliest of them."""

from .search import FoundJoints, Way, find_joints

__all__ = ["FoundJoints", "Way", "find_joints"]
