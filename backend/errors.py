"""The two exceptions that every part of the backend lets through to the person who started the work."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["Cancelled", "UserError", "blamed"]


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


@contextmanager
def blamed(what: str) -> Iterator[None]:
    """Lets what goes wrong inside say what it is about."""
    try:
        yield
    except UserError as problem:
        reason = problem.message[0].lower() + problem.message[1:]
        raise UserError(problem.code, f"{what} cannot be used: {reason}", problem.remedy) from problem
