"""Stages of a job's progress: codes that are their own English labels."""

from __future__ import annotations

__all__ = ["STAGES"]

STAGES = (
    "importing",
    "analyzing",
    "compiling",  # kernels, at their first use after installing
    "encoding",
    "finding parts",
    "finding joints",
    "simulating",
    "drawing pointmaps",
    "writing the robot",
    "reading the robot",
    "ready",  # an interactive session waits for what is asked next
)
