"""Refusals of the add-on: one sentence and its remedy, shown where the artist looks."""

__all__ = ["Refusal"]


class Refusal(Exception):
    """What cannot be done, and what to do instead; `str()` gives both sentences."""

    def __init__(self, message: str, remedy: str):
        super().__init__(f"{message} {remedy}")
        self.message = message
        self.remedy = remedy
