"""The two exceptions that every part of the backend lets through to the person who started the work."""

from __future__ import annotations

__all__ = ["Cancelled", "UserError"]


class UserError(Exception):
    """Something the user gave cannot be used.

    `code` is a stable lower_case word for programs, `message` one sentence that says what is wrong,
    `remedy` one sentence that says what to do about it.
    """

    def __init__(self, code: str, message: str, remedy: str) -> None:
        super().__init__(code, message, remedy)
        self.code = code
        self.message = message
        self.remedy = remedy

    def __str__(self) -> str:
        return f"{self.message} {self.remedy}"


class Cancelled(Exception):
    """The user asked to stop; the work so far is dropped without complaint."""
