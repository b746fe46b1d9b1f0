"""Refusals of the add-on: one sentence and its remedy, shown where the artist looks."""

from __future__ import annotations

from .backend.texts import Text

__all__ = ["Refusal"]


class Refusal(Exception):
    """What cannot be done, and what to do instead; `str()` gives both sentences."""

    def __init__(self, message: Text | str, remedy: Text | str):
        super().__init__(f"{message} {remedy}")
        self.message = message
        self.remedy = remedy
