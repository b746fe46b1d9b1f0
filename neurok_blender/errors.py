"""The error of the add-on: a sentence and its remedy, shown in the status bar and the panel."""

from __future__ import annotations

from .backend.texts import Text

__all__ = ["Refusal"]


class Refusal(Exception):
    """Error with a remedy; `str()` gives both sentences."""

    def __init__(self, message: Text | str, remedy: Text | str):
        super().__init__(f"{message} {remedy}")
        self.message = message
        self.remedy = remedy
