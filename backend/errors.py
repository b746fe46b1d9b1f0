"""The two exceptions that every part of the backend lets through to the person who started the work."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from .texts import Text

__all__ = ["Cancelled", "UserError", "blamed"]


class UserError(Exception):
    """Something the user gave cannot be used: an error of the catalog in `texts`, by its id and arguments.

    `code` is a stable lower_case word for programs, `message` one sentence that says what is wrong,
    `remedy` one sentence that says what to do about it, both in English.
    """

    def __init__(self, id: str, /, **args: Any) -> None:
        self.text = Text(id, **args)
        super().__init__(self.text)

    def __reduce__(self) -> tuple[Callable[[Text], UserError], tuple[Text]]:
        return UserError.of, (self.text,)

    @classmethod
    def of(cls, text: Text) -> UserError:
        """The error of a text that came from elsewhere."""
        return cls(text.id, **text.args)

    @property
    def code(self) -> str:
        return self.text.code

    @property
    def message(self) -> str:
        return str(self.text)

    @property
    def remedy(self) -> str:
        return str(self.text.remedy)

    def __str__(self) -> str:
        return f"{self.message} {self.remedy}"


class Cancelled(Exception):
    """The user asked to stop; the work so far is dropped without complaint."""


@contextmanager
def blamed(id: str, /, **args: Any) -> Iterator[None]:
    """Lets what goes wrong inside say what it is about, by an error of the catalog that begins with "within"."""
    try:
        yield
    except UserError as error:
        raise UserError(id, problem=error.text, **args) from error
